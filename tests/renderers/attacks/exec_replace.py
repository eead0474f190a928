# Replaces its own image by another program.
import os
import sys

for path in ("/bin/sh", "/usr/bin/env", sys.executable, "/lib64/ld-linux-x86-64.so.2"):
    attempt(path, lambda: os.execv(path, [path, "-c", "echo BREACH"]))
