# Becomes somebody else.
import os

attempt("setuid", lambda: os.setuid(0) or "root")
attempt("setgid", lambda: os.setgid(0) or "root")
attempt("setgroups", lambda: os.setgroups([0]) or "root")
attempt("setresuid", lambda: os.setresuid(0, 0, 0) or "root")
syscall("capset", 126, b"\x26\x05\x08\x19" + bytes(4), bytes(24))
syscall("setfsuid", 122, 0)
report("root", os.getuid() == 0 or os.geteuid() == 0)
