# Forks until it cannot.
import os
import time

count = 0
for _ in range(300):
    try:
        if os.fork() == 0:
            time.sleep(3)
            os._exit(0)
        count += 1
    except OSError:
        break
report("forks", count)
