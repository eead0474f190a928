# Lists the folders around the sandbox.
import os

for folder in ("/root", "/home", HOME, "/run", "/srv", "/var", "/opt", "/proc", "/sys", "/tmp", "/tmp/cf_canary", "/var/log"):
    attempt(folder, lambda: [name for name in os.listdir(folder)] or None)
