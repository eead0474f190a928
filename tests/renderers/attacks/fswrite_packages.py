# Plants code in the packages that later workers import.
import os
import sys

import matplotlib
import numpy

for module in (os, matplotlib, numpy):
    folder = os.path.dirname(module.__file__)
    attempt("module", lambda: open(os.path.join(folder, "cf_pwn.py"), "w"))
    attempt("patch", lambda: open(module.__file__, "a"))
    attempt("cache", lambda: open(os.path.join(folder, "__pycache__", "cf_pwn.pyc"), "w"))
for folder in sys.path:
    attempt("pth " + folder, lambda: open(os.path.join(folder, "cf_pwn.pth"), "w"))
