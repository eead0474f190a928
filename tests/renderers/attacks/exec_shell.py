# Starts a shell.
import os

status = os.system("echo x > /tmp/cf_canary/pwn_shell")
report("system", status == 0)


def read_program():
    # Waited for: where a process is left running the worker ends, and the log with it.
    with os.popen("id") as program:
        return program.read() or None


attempt("popen", read_program)
