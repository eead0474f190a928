# Opens files for writing all over the machine.
import os

for path in (BAIT, "/tmp/cf_canary/pwn", HOME + "/cf_pwn", "/cf_pwn", "/tmp/cf_pwn", "/var/tmp/cf_pwn", "/dev/shm/cf_pwn", "/run/cf_pwn", "/etc/ld.so.preload", "/usr/lib/cf_pwn"):
    attempt(path, lambda: os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    attempt("append " + path, lambda: open(path, "a"))
