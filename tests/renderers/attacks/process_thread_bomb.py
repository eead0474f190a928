# Starts thousands of threads with small stacks.
import os
import threading
import time

threading.stack_size(32768)
count = 0
try:
    for _ in range(3000):
        threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
        count += 1
except RuntimeError:
    pass
report("threads", count if count > 500 else 0)
os._exit(0)
