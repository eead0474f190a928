# Leaves a record of the wrong shape.
import os
import struct
import sys

result = sys.modules["counterfoil.renderers.sandbox.zygote"].RESULT
record = b'{"width": 64, "height": 64, "truncated": false, "panels": [{"xlim": [NaN, 1e999]}]}'
result.memory[result.layout.record : result.layout.record + len(record)] = record
result.memory[0:40] = struct.pack("<8sIIIIIIQ", b"CFRENDR1", 1, 1, 64, 64, 0, len(record), 0)[:40]
os._exit(0)
