# Replaces the worker's own functions.
import sys

for name, module in list(sys.modules.items()):
    if name.startswith("counterfoil.renderers"):
        for key in list(vars(module)):
            if not key.startswith("__"):
                setattr(module, key, None)
