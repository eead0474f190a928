# Calls what a drawing script never needs.
import ctypes

room = ctypes.create_string_buffer(256)
for name, number, arguments in (("bpf", 321, (0, room, 72)), ("perf_event_open", 298, (room, 0, -1, -1, 0)), ("userfaultfd", 323, (1,)), ("keyctl", 250, (0, -3, 0)), ("add_key", 248, (b"user", b"cf", b"x", 1, -1)), ("request_key", 249, (b"user", b"cf", None, -1)), ("syslog", 103, (10, None, 0)), ("kcmp", 312, (1, 1, 0, 0, 0)), ("personality", 135, (0x40000,)), ("modify_ldt", 154, (0, room, 16)), ("ioperm", 173, (0, 1, 1)), ("iopl", 172, (3,)), ("fanotify_init", 300, (0, 0)), ("inotify_init", 294, (0,)), ("quotactl", 179, (0x80000700, None, 0, room)), ("lookup_dcookie", 212, (0, room, 8)), ("acct", 163, (None,)), ("vhangup", 153, ()), ("migrate_pages", 256, (0, 0, None, None)), ("timerfd_create", 283, (0, 0)), ("signalfd", 289, (-1, room, 8, 0)), ("process_madvise", 440, (0, None, 0, 0, 0)), ("pidfd_getfd", 438, (0, 0, 0))):
    syscall(name, number, *arguments)
