# Shrinks the result under the reader's feet.
import os
import stat
import sys

for descriptor in range(3, 256):
    try:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            attempt(f"truncate {descriptor}", lambda: os.ftruncate(descriptor, 0) or "shrunk")
    except OSError:
        continue
result = sys.modules["counterfoil.renderers.sandbox.zygote"].RESULT
attempt("resize", lambda: result.memory.resize(4096) or "shrunk")
