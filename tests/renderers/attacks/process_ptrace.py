# Attaches to other processes as a debugger.
import os

for pid in {1, os.getppid() or 1}:
    syscall("attach", 101, 16, pid, 0, 0)
    syscall("seize", 101, 0x4206, pid, 0, 0)
syscall("traceme", 101, 0, 0, 0, 0)
