# Looks for marks that an earlier script left.
import builtins
import os
import random
import sys

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

report("settings", matplotlib.rcParams["lines.linewidth"] == 77)
report("modules", hasattr(np, "CF") or hasattr(builtins, "CF") or "cf_evil" in sys.modules or np.pi == 3)
report("environment", os.environ.get("CF_LEFT"))
report("figures", plt.get_fignums())
for folder in (".", "/mnt/data", "/scratch"):
    attempt(folder, lambda: [n for n in os.listdir(folder) if "left" in n or n == ".hidden"] or None)
