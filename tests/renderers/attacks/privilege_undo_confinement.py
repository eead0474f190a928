# Lays permissive rules over the strict ones.
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
for name, arguments in (("no_new_privs off", (38, 0, 0, 0, 0)), ("dumpable", (4, 1, 0, 0, 0)), ("keepcaps", (8, 1, 0, 0, 0)), ("seccomp strict", (22, 1, 0, 0, 0)), ("ambient", (47, 2, 0, 0, 0)), ("subreaper", (36, 1, 0, 0, 0)), ("ptracer", (0x59616D61, -1, 0, 0, 0)), ("securebits", (28, 0, 0, 0, 0))):
    report(name, libc.prctl(*arguments) == 0)
syscall("seccomp", 317, 1, 0, None)
syscall("landlock_create_ruleset", 444, (ctypes.c_uint64 * 3)(1, 0, 0), 8, 0)
attempt("still confined", lambda: open(BAIT).read(1))
