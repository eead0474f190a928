"""How long a run takes to end on Ctrl-C or SIGTERM, on a terminal of its own, at random moments.

    python -m benchmarks.endings [--times 10] [--from 1] [--to 60]

Prints, for each signal, the moment, the seconds to the end of the process, its exit code, its last line, and how many
of its processes were left.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import tempfile
import time
from pathlib import Path

import psutil

from tests.flows.conftest import RECIPE
from tests.flows.terminal import Terminal, strip_escapes


def end_once(name: str, moment: float, folder: Path) -> float:
    """Start a run, end it after ``moment`` seconds, print what came of it; the seconds that it took to end."""
    recipe = folder / "data.toml"
    recipe.write_text(RECIPE.format(path=folder / "data", seed=7))
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PREFECT_")}
    terminal = Terminal("run", recipe, environment=kept | {"HOME": str(folder), "TERM": "xterm-256color"})
    began = time.monotonic()
    terminal.watch_until(lambda: time.monotonic() > began + moment)
    children = psutil.Process(terminal.pid).children(recursive=True)
    told, written = time.monotonic(), len(terminal.shown)
    if name == "Ctrl-C":
        terminal.press("\x03")
    else:
        os.kill(terminal.pid, signal.SIGTERM)
    code = terminal.wait()
    seconds = time.monotonic() - told
    _, left = psutil.wait_procs(children, timeout=20)
    lines = strip_escapes(terminal.shown[written:]).replace("\r", "\n").split("\n")
    last = next(line for line in reversed(lines) if line.strip())
    print(f"{name} after {moment:.1f} s: {seconds:.2f} s, code {code}, {len(left)} left, {last!r}", flush=True)
    return seconds


def main() -> None:
    """Print what each ending took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--from", type=float, default=1.0, dest="first")
    parser.add_argument("--to", type=float, default=60.0, dest="last")
    given = parser.parse_args()
    rng = random.Random(1)
    for name in ("Ctrl-C", "SIGTERM"):
        taken = []
        for _ in range(given.times):
            with tempfile.TemporaryDirectory() as folder:
                taken.append(end_once(name, rng.uniform(given.first, given.last), Path(folder)))
        print(
            f"{name}: {statistics.median(taken):.2f} s in the median, {max(taken):.2f} s at most, {given.times} times"
        )


if __name__ == "__main__":
    main()
