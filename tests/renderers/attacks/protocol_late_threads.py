# Leaves threads and finalisers to run after the end.
import atexit
import threading
import time

import matplotlib.pyplot as plt

class Late:
    def __del__(self):
        time.sleep(60)

late = Late()
atexit.register(time.sleep, 60)
threading.Thread(target=time.sleep, args=(60,)).start()
plt.plot([0, 1])
plt.savefig("a.png")
