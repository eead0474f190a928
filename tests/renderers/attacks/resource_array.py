# Asks for an array of 64 GiB.
import numpy as np

attempt("zeros", lambda: np.zeros((8, 1 << 30)).shape)
attempt("empty", lambda: np.empty(1 << 36, np.uint8).shape)
