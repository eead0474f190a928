# Leaves with a code that means something to the worker.
import os

os._exit(77)
