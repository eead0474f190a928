# Reads other processes' memory, environment and command lines through /proc.
for path in ("/proc/1/environ", "/proc/1/cmdline", "/proc/self/mem", "/proc/self/maps", "/proc/version", "/proc/mounts", "/proc/net/tcp"):
    attempt(path, lambda: open(path, "rb").read(1))
