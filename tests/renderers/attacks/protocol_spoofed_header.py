# Finds the result memory and claims a picture of absurd size.
import gc
import mmap
import os
import struct

for item in gc.get_objects() + [getattr(o, "memory", None) for o in gc.get_objects() if type(o).__name__ == "Result"]:
    if isinstance(item, mmap.mmap):
        item[0:40] = struct.pack("<8sIIIIIIQ", b"CFRENDR1", 1, 9, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 1 << 63)
os._exit(0)
