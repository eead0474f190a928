# Leaves marks in every module for the next script.
import builtins
import os
import random
import sys

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

matplotlib.rcParams["lines.linewidth"] = 77
matplotlib.rcParamsDefault["lines.linewidth"] = 77
plt.plot = None
np.CF = builtins.CF = 1
np.pi = 3
sys.modules["cf_evil"] = sys
os.environ["CF_LEFT"] = "1"
random.seed(5)
plt.figure()
for path in ("left.txt", ".hidden", "/mnt/data/left.txt", "/scratch/left2"):
    try:
        open(path, "w").close()
    except OSError:
        pass
