# Reads the canary with numpy's own file code.
import numpy as np

attempt("fromfile", lambda: np.fromfile(BAIT, np.uint8)[:4])
attempt("memmap", lambda: np.memmap(BAIT, np.uint8, "r")[:4])
attempt("loadtxt", lambda: np.loadtxt(BAIT, dtype=str))
