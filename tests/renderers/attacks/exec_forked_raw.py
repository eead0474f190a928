# Forks by number.
import ctypes

for name, number, arguments in (("fork", 57, ()), ("vfork", 58, ()), ("clone", 56, (17, 0, 0, 0, 0)), ("clone newuser", 56, (0x10000000 | 17, 0, 0, 0, 0)), ("clone vm", 56, (0x100 | 17, 0, 0, 0, 0)), ("clone3", 435, (ctypes.create_string_buffer(88), 88))):
    if syscall(name, number, *arguments) == 0:
        ctypes.CDLL(None)._exit(0)
