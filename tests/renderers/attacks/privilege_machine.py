# Reboots, loads modules, sets the clock.
import ctypes

room = ctypes.create_string_buffer(256)
for name, number, arguments in (("init_module", 175, (room, 0, b"")), ("finit_module", 313, (0, b"", 0)), ("delete_module", 176, (b"x", 0)), ("kexec_load", 246, (0, 0, None, 0)), ("sethostname", 170, (b"x", 1)), ("setdomainname", 171, (b"x", 1)), ("settimeofday", 164, (room, None)), ("clock_settime", 227, (0, room)), ("adjtimex", 159, (room,)), ("clock_adjtime", 305, (0, room)), ("ioprio_set", 251, (1, 0, 0))):
    syscall(name, number, *arguments)
