# Signals everything it can name.
import os
import signal

for pid in (-1, 0, 1, os.getppid(), 2, 3):
    attempt(f"kill {pid}", lambda: os.kill(pid, 0) or "may signal")
attempt("killpg", lambda: os.killpg(os.getpgid(0), 0) or "may signal")
attempt("pidfd_open", lambda: signal.pidfd_send_signal(os.pidfd_open(1), 0) or "may signal")
syscall("tgkill", 234, 1, 1, 0)
syscall("tkill", 200, 1, 0)
syscall("rt_sigqueueinfo", 129, 1, 0, None)
