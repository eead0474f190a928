# Leaves folders that their owner may not open.
import os

try:
    os.makedirs("a/b/c")
    open("a/b/c/left.txt", "w").close()
    os.mkdir("a/locked", 0)
    os.mkdir("locked", 0)
except OSError as error:
    print("stopped:", error)
