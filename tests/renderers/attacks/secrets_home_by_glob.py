# Looks for anything readable in any home folder.
import glob
import os

for pattern in ("/root/*", "/root/.*", "/home/*/*", "/home/*/.*", HOME + "/*"):
    for path in glob.glob(pattern)[:20]:
        if os.path.isfile(path):
            attempt(path, lambda: open(path, "rb").read(1))
