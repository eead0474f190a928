# Maps the world-readable canary into memory instead of reading it.
import mmap

def read():
    with open(BAIT, "r+b") as file:
        return mmap.mmap(file.fileno(), 0)[:4]

attempt("mmap", read)
