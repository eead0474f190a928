# Looks into the project that the worker was started from.
import os
import sys

for path in (ROOT, ROOT + "/.git", ROOT + "/tests"):
    attempt("list " + path, lambda: os.listdir(path) or None)
for path in (ROOT + "/pyproject.toml", ROOT + "/storage/rows.py", ROOT + "/.git/config"):
    attempt("open " + path, lambda: open(path).read(1))
sys.path.append(ROOT)
attempt("import tasks", lambda: __import__("counterfoil.tasks.contract"))
