# Types into the terminal that started the run.
import fcntl
import os

for descriptor in (0, 1, 2):
    attempt(f"TIOCSTI {descriptor}", lambda: fcntl.ioctl(descriptor, 0x5412, b"#"))
    attempt(f"TIOCLINUX {descriptor}", lambda: fcntl.ioctl(descriptor, 0x541C, b"\x02"))
    attempt(f"TIOCSCTTY {descriptor}", lambda: fcntl.ioctl(descriptor, 0x540E, 1))
attempt("tty", lambda: os.open("/dev/tty", os.O_RDWR))
