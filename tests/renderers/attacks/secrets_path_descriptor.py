# Opens the canary as a bare path first and again through the descriptor.
import os

def reopen():
    descriptor = os.open(BAIT, os.O_PATH)
    return os.read(os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY), 4)

attempt("O_PATH", reopen)
