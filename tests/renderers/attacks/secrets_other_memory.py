# Copies memory out of the process that started this one.
import ctypes
import os

buffer = ctypes.create_string_buffer(64)
class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]

local = Vector(ctypes.addressof(buffer), 64)
remote = Vector(0x400000, 64)
for pid in {os.getppid() or 1, 1}:
    syscall("process_vm_readv", 310, pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)
    syscall("process_vm_writev", 311, pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)
