# Plants settings and a font list for later scripts.
import os

import matplotlib

for folder in (matplotlib.get_configdir(), matplotlib.get_cachedir(), matplotlib.get_data_path()):
    attempt("rc", lambda: open(os.path.join(folder, "matplotlibrc"), "w").write("lines.linewidth: 9"))
    attempt("list", lambda: [open(os.path.join(folder, n), "a") for n in os.listdir(folder) if n.endswith(".json")] or None)
    attempt("style", lambda: os.mkdir(os.path.join(folder, "stylelib")) or "made")
