# Reads the planted key from every place that shows an environment.
import ctypes
import os

leaked = [name for name, value in os.environ.items() if "CANARY" in value or "SECRET" in name or "TOKEN" in name]
report("os.environ", leaked)
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
report("getenv", getenv(b"CF_SECRET_KEY"))
attempt("/proc/self/environ", lambda: open("/proc/self/environ", "rb").read())
