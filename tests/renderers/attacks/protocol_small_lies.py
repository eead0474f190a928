# Claims a finished picture with a record that is not there.
import os
import struct
import sys

result = sys.modules["counterfoil.renderers.sandbox.zygote"].RESULT
result.memory[0:40] = struct.pack("<8sIIIIIIQ", b"CFRENDR1", 1, 1, 64, 64, 0, 100, 0)[:40]
os._exit(0)
