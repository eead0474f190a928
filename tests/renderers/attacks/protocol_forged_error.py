# Claims an exception with fields of the wrong type.
import os
import struct
import sys

result = sys.modules["counterfoil.renderers.sandbox.zygote"].RESULT
error = b'{"line": [1], "type": {}, "message": 5}'
result.memory[result.layout.error : result.layout.error + len(error)] = error
result.memory[0:40] = struct.pack("<8sIIIIIIQ", b"CFRENDR1", 2, 1, 64, 64, len(error), 0, 0)[:40]
os._exit(0)
