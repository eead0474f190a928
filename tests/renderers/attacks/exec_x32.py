# Calls the kernel by the numbers of the x32 interface.
import ctypes

for name, number in (("getpid", 39), ("fork", 57), ("socket", 41), ("execve", 520)):
    syscall("x32 " + name, 0x40000000 + number, 2, 1, 0)
