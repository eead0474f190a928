# Makes sockets by number, past Python and libc.
import ctypes

pair = (ctypes.c_int * 2)()
for family in (1, 2, 10, 16):
    syscall(f"socket {family}", 41, family, 1, 0)
syscall("socketpair", 53, 1, 1, 0, pair)
syscall("io_uring_setup", 425, 4, ctypes.create_string_buffer(120))
syscall("io_uring_enter", 426, 0, 0, 0, 0, None, 0)
syscall("io_uring_register", 427, 0, 0, None, 0)
