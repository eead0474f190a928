# Leaves a process behind that outlives the script.
import os
import time

def leave():
    if os.fork() == 0:
        os.setsid()
        time.sleep(1)
        open("/tmp/cf_canary/pwn_daemon", "w").close()
        os._exit(0)
    return "left"

attempt("fork", leave)
attempt("setsid", lambda: os.setsid() or "own session")
