# Nests folders deeper than a path can be long.
import os

try:
    for _ in range(3000):
        os.mkdir("d")
        os.chdir("d")
except OSError as error:
    print("stopped:", error)
