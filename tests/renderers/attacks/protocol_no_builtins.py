# Takes the ground away from under the worker's code.
import builtins
import json
import os
import sys

json.dumps = lambda *a, **k: '{"width": 1}'
os._exit = lambda code: None
sys.stdout = None
for name in ("memoryview", "isinstance", "len", "open", "bytes"):
    setattr(builtins, name, None)
