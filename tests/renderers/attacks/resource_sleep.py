# Never ends and uses no CPU.
import time

time.sleep(3600)
