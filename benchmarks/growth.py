"""What grows with a run's shards: the memory of the process that drives it.

    python -m benchmarks.growth --shards 1000 10000

Stages so many small shards of anchors and lets a process find them, merge them, deal as many more out to task runs
whose workers answer at once, and publish; it prints that process's peak memory beside its memory before the first
shard. What Prefect's database grows by is measured by `benchmarks.orchestration`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any


def stage_shards(url: str, shards: int, rows: int = 4) -> None:
    """Stage that many shards of small anchors, each under the fingerprint of its number."""
    from counterfoil.storage.rows import Anchor, Fact, content_id, fingerprint
    from counterfoil.storage.schemas import to_table
    from counterfoil.storage.staged import StagedShards
    from counterfoil.tasks.engine.groups import TIES, name_group, tabulate_ties

    staged = StagedShards(url)
    for shard in range(shards):
        made = [
            name_group(
                Anchor(
                    content_id("growth", shard, row),
                    "flowchart",
                    "made",
                    f"{shard}-{row}",
                    "train",
                    caption=f"{shard} to {row}",
                    facts=(Fact("arrow", (str(shard), str(row))),),
                )
            )
            for row in range(rows)
        ]
        meta = {
            "rows_in": rows,
            "accepted": {"flowchart": rows},
            "rejected": {},
            "wall_s": 0,
            "cpu_s": 0,
            "pictures": 0,
        }
        tables = {"anchors/domain=flowchart": to_table(made, "anchors"), TIES: tabulate_ties(made)}
        staged.write(fingerprint("growth", shard), tables, meta)


def drive(url: str, shards: int) -> None:
    """In a process of its own: a driver's part of a stage of so many shards; prints MB and seconds as JSON."""
    from counterfoil.flows.process.server import open_server

    with open_server():
        from counterfoil.flows.making.dealing import TaskRuns
        from counterfoil.flows.making.runs import begin_run
        from counterfoil.storage.dataset import Dataset
        from counterfoil.storage.rows import fingerprint
        from counterfoil.storage.staged import StagedShards
        from counterfoil.tasks.engine.merging import merge_shards
        from counterfoil.tasks.engine.observing import Observer
        from counterfoil.tasks.engine.session import Session
        from counterfoil.tasks.engine.shards import ShardResult, StageJob

        staged = StagedShards(url)
        job = StageJob("anchors", url, "flowchart", "flowchart.anchors", {}, {}, 7, "", 0)
        found = [replace(job, fingerprint=fingerprint("growth", n), index=n) for n in range(shards)]
        absent = [replace(job, fingerprint=fingerprint("absent", n), index=n) for n in range(shards)]

        class AtOnce:
            """Workers that answer at once: what is measured is the driver."""

            workers = 16

            def run(self, job: StageJob) -> ShardResult:
                return ShardResult(job.stage, job.index, job.fingerprint, 4, {"flowchart": 4}, {"flowchart": {"x": 1}})

            def probe(self, sandbox: str | None) -> str:
                raise NotImplementedError(sandbox)

            def stop(self, grace_s: float) -> None:
                """Nothing is under way."""

            def close(self, wait: bool = True) -> None:
                """Nothing is open."""

        given: Any = SimpleNamespace(staged=staged), Observer(), {}, []
        seconds: dict[str, float] = {}
        before = _measure_memory()
        with begin_run("growth", "growth", {}, []) as run:
            task_runs = TaskRuns(run)
            session = Session(SimpleNamespace(), *given, deal=task_runs.deal)
            session.pool = AtOnce()
            began = time.monotonic()
            _, results = session.run("flowchart.anchors", found)
            seconds["find"] = time.monotonic() - began
            began = time.monotonic()
            merged = list(merge_shards(staged, "flowchart", results))
            seconds["merge"] = time.monotonic() - began
            began = time.monotonic()
            session.run("flowchart.absent", absent)
            task_runs.end()
            seconds["deal"] = time.monotonic() - began
            began = time.monotonic()
            Dataset(url).publish({"anchors/domain=flowchart": [each.fingerprint for each in merged]})
            seconds["publish"] = time.monotonic() - began

        print(json.dumps({"before_mb": before, "peak_mb": _measure_memory(), "seconds": seconds}))


def _measure_memory() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_driver(sizes: Sequence[int]) -> None:
    """Print the driver's memory for each number of shards."""
    for shards in sizes:
        with tempfile.TemporaryDirectory() as folder:
            url = f"{folder}/data"
            stage_shards(url, shards)
            code = f"from benchmarks.growth import drive; drive({url!r}, {shards})"
            done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
            told = json.loads(done.stdout.splitlines()[-1])
            seconds = ", ".join(f"{name} {spent:.1f} s" for name, spent in told["seconds"].items())
            print(
                f"{shards:,} shards: {told['before_mb']:.0f} MB before, {told['peak_mb']:.0f} MB at its peak; "
                f"{seconds}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shards", type=int, nargs="+", default=[1000, 10_000])
    measure_driver(parser.parse_args().shards)


if __name__ == "__main__":
    main()
