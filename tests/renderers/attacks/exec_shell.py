# Starts a shell.
import os

status = os.system("echo x > /tmp/cf_canary/pwn_shell")
report("system", status == 0)
attempt("popen", lambda: os.popen("id").read() or None)
