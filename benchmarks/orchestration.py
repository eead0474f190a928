"""What Prefect costs: a run under a Prefect server against the same run without, in CPU seconds.

    python -m benchmarks.orchestration --charts 27

The same flowcharts (about eleven anchors a chart) are made twice into fresh folders by the same number of workers, one
run after the other: plainly, and on a Prefect server that runs beside it and records everything. All processes are
counted, the server among them; what a server takes that starts, waits as long and ends is measured by itself and is no
run's. CPU seconds differ less than the wall's on a machine that does other work.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

from benchmarks.cheap import write_recipe
from tests.serving import run_prefect_server

FAMILIES = ("flip", "code", "caption", "codeswap")


def measure(folder: Path, *, served: bool, recipe: Path | None, wait_s: float = 0.0) -> tuple[float, float]:
    """CPU seconds of all processes, and the run's wall seconds; without ``recipe`` of a server that waits."""
    before = _count_cpu()
    folder.mkdir()
    plain = os.environ | {"PREFECT_PROFILES_PATH": "/nowhere"}
    plain.pop("PREFECT_API_URL", None)
    with run_prefect_server(folder, {}) if served else nullcontext(plain) as environment:
        began = time.perf_counter()
        if recipe is None:
            time.sleep(wait_s)
        else:
            command = [sys.executable, "-m", "counterfoil", "-q", "run", str(recipe)]
            subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        wall = time.perf_counter() - began
    return _count_cpu() - before, wall


def _count_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--charts", type=int, default=27)
    parser.add_argument("--shard", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        spent = {}
        for name in ("plainly", "served"):
            recipe = Path(work) / f"{name}.toml"
            recipe.write_text(write_recipe(f"{work}/data-{name}", options.charts, options.shard, FAMILIES))
            spent[name] = measure(Path(work) / name, served=name == "served", recipe=recipe)
            print(f"{name:<14} {spent[name][0]:8.2f} s CPU {spent[name][1]:8.2f} s wall", flush=True)
        idle, _ = measure(Path(work) / "idle", served=True, recipe=None, wait_s=spent["served"][1])
        print(f"{'a server alone':<14} {idle:8.2f} s CPU")
    added = spent["served"][0] - idle - spent["plainly"][0]
    print(f"orchestration  {added:8.2f} s CPU, {added / spent['plainly'][0]:.1%} of the plain run's")


if __name__ == "__main__":
    main()
