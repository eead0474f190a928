# Leaves memory that the next script could find.
import ctypes
from multiprocessing import shared_memory

attempt("shm_open", lambda: shared_memory.SharedMemory(name="cf_pwn", create=True, size=4096))
syscall("shmget", 29, 0x4833, 4096, 0o1600)
syscall("semget", 64, 0x4833, 1, 0o1600)
syscall("msgget", 68, 0x4833, 0o1600)
syscall("mq_open", 240, b"cf_pwn", 0o102, 0o600, None)
