# Starts workers by every method.
import multiprocessing

for method in ("fork", "spawn", "forkserver"):
    attempt(method, lambda: multiprocessing.get_context(method).Process(target=print).start() or "started")
