# Learns of files by stat alone.
import os

for path in (HOME + "/.cf_canary", BAIT, HOME + "/.bashrc", "/etc/passwd", "/etc/shadow"):
    attempt(path, lambda: os.stat(path))
