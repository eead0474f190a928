# Makes devices, pipes and sockets.
import os
import stat

attempt("character", lambda: os.mknod("node", 0o600 | stat.S_IFCHR, os.makedev(1, 1)) or "made")
attempt("block", lambda: os.mknod("disk", 0o600 | stat.S_IFBLK, os.makedev(254, 0)) or "made")
attempt("fifo", lambda: os.mkfifo("fifo") or "made")
for path in ("/dev/mem", "/dev/kmsg", "/dev/kvm", "/dev/fuse", "/dev/tty", "/dev/ptmx", "/dev/vda"):
    attempt(path, lambda: os.open(path, os.O_RDWR))
