"""What Prefect costs: the stages of one recipe under the flows, against the same stages called directly.

    python -m benchmarks.orchestration --problems 1000

Both ways run the same jobs on the same kind of worker pool into fresh folders, one after the other; Prefect's own
ephemeral server is started before the clock. Prints both wall times and the share that orchestration adds.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from flows.process.server import open_server

RECIPE = """
[dataset]
path = "{path}"
seed = 7
shard_size = {shard}
workers = {workers}
[geometry]
source = "procedural:{problems}"
families = ["rule", "caption"]
negatives = {negatives}
"""


def run_directly(recipe: Path) -> float:
    """Seconds for the stages in a plain loop over a worker pool, from the first source row to the publish."""
    from benchmarks.plain_run import run_plainly

    started = time.perf_counter()
    run_plainly(recipe)
    return time.perf_counter() - started


def run_under_prefect(recipe: Path) -> float:
    """Seconds for the same through the flows, the server's start apart."""
    with open_server():
        from flows.making.make import make_dataset

        started = time.perf_counter()
        make_dataset(str(recipe))
        return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--negatives", type=int, default=10)
    parser.add_argument("--shard", type=int, default=64)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, run in (("directly", run_directly), ("under Prefect", run_under_prefect)):
            recipe = Path(folder) / f"{name.split()[0]}.toml"
            fields = vars(options) | {"path": Path(folder) / name.split()[0]}
            recipe.write_text(RECIPE.format(**fields))
            seconds[name] = run(recipe)
            print(f"{name:<14} {seconds[name]:8.2f} s", flush=True)
    added = seconds["under Prefect"] - seconds["directly"]
    print(f"orchestration  {added:8.2f} s, {added / seconds['under Prefect']:.2%} of the wall time")


if __name__ == "__main__":
    main()
