"""What grows with a run: Prefect's database, and the memory of the process that drives it.

    python -m benchmarks.growth database --charts 24 240 --shard 2
    python -m benchmarks.growth driver --shards 1000 10000

``database`` makes flowcharts on a Prefect server of its own that records everything, as a lasting one does, in several
sizes, and runs the last recipe again; it prints what the database grew by, table by table, and what of that is a run's
and what its rows'. ``driver`` stages so many small shards of anchors and lets a process find them, merge them, deal as
many more out to task runs whose workers answer at once, and publish; it prints that process's peak memory beside its
memory before the first shard.
"""

from __future__ import annotations

import argparse
import json
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.cheap import write_recipe
from counterfoil.flows.nights.watching import SILENCE_S, beat_environment
from tests.serving import run_prefect_server

FAMILIES = ("flip", "code", "caption", "codeswap")
WARM_CHARTS = 4
"""What the first run of a server writes once, and pages that are half full, are none of the measured runs'."""
SETTLE_S = 8.0
"""The server writes events some seconds after they came."""


@dataclass
class Grown:
    """What one run added to the database: KB by table, its indices included, and rows by kind of event."""

    rows: int
    tables: dict[str, float]
    events: Counter[str]
    task_runs: int
    flow_runs: int

    @property
    def whole(self) -> float:
        """KB in all."""
        return sum(self.tables.values())


def measure_database(sizes: Sequence[int], shard: int) -> None:
    """Print the database's growth by runs that make everything, of several sizes, and by one that makes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "prefect"
        home.mkdir()
        with run_prefect_server(home, {}) as environment:
            # Runs log as people's do, and beat as those of a schedule: what they say is in the database too.
            environment |= {"PREFECT_LOGGING_LEVEL": "INFO", **beat_environment(SILENCE_S)}
            runs = [
                measure_run(Path(folder), environment, charts, shard) for charts in (WARM_CHARTS, *sizes, sizes[-1])
            ]
    made = runs[1:-1]
    if len(made) > 1:
        describe_slope(made)


def measure_run(folder: Path, environment: dict[str, str], charts: int, shard: int) -> Grown:
    """Make a dataset of so many charts, or make nothing where it is there, and print what the database grew by."""
    from counterfoil.storage.dataset import Dataset

    data, recipe = folder / f"data{charts}", folder / f"recipe{charts}.toml"
    database = folder / "prefect" / "prefect.db"
    name = f"{charts} charts again" if data.exists() else f"{charts} charts"
    recipe.write_text(write_recipe(str(data), charts, shard, FAMILIES))
    began, before, kinds, tasks, flows = time.monotonic(), *_look(database)
    command = [sys.executable, "-m", "counterfoil", "-q", "run", str(recipe)]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    spent = time.monotonic() - began
    time.sleep(SETTLE_S)
    after, now, tasks_now, flows_now = _look(database)
    counts = Dataset(str(data)).counts()
    rows = sum(counts.anchors.values()) + sum(counts.contrasts.values())
    tables = {table: (size - before.get(table, 0)) / 1024 for table, size in after.items()}
    grown = Grown(rows, tables, now - kinds, tasks_now - tasks, flows_now - flows)
    print(
        f"{name}: {rows:,} rows, {spent:.0f} s, {grown.task_runs} task runs, {grown.flow_runs} flow runs, database "
        f"+{grown.whole:,.0f} KB, {1000 * grown.whole / rows:.1f} KB for 1,000 rows"
    )
    shares = sorted(((size, table) for table, size in tables.items() if size), reverse=True)
    print("  " + ", ".join(f"{table} {size:,.0f} KB" for size, table in shares))
    print("  events: " + ", ".join(f"{kind} {count}" for kind, count in grown.events.most_common(12)), flush=True)
    return grown


def describe_slope(made: Sequence[Grown]) -> None:
    """Print what a run costs however small, and what 1,000 more rows do, of the smallest and the largest run."""
    small, large = min(made, key=lambda each: each.rows), max(made, key=lambda each: each.rows)
    more = (large.rows - small.rows) / 1000

    def fit(less: float, most: float) -> str:
        slope = (most - less) / more
        return f"{less - slope * small.rows / 1000:,.0f} KB and {slope:.2f} KB for 1,000 rows"

    print(f"a run: {fit(small.whole, large.whole)}")
    for table in sorted(large.tables, key=lambda name: large.tables[name], reverse=True)[:8]:
        print(f"  {table}: {fit(small.tables.get(table, 0), large.tables[table])}")


def _look(database: Path) -> tuple[dict[str, int], Counter[str], int, int]:
    """The tables' bytes, the events by kind, the task runs and the flow runs."""
    with closing(sqlite3.connect(database)) as connection:
        kinds = Counter(dict(connection.execute("select event, count(*) from events group by 1").fetchall()))
        tasks, flows = (
            int(connection.execute(f"select count(*) from {table}").fetchone()[0]) for table in ("task_run", "flow_run")
        )
    return _measure_tables(database), kinds, tasks, flows


def _measure_tables(database: Path) -> dict[str, int]:
    """Each table's bytes, its indices' and those in the write-ahead log included."""
    query = """
        select coalesce(tbl_name, dbstat.name), sum(pgsize) from dbstat
        left join sqlite_master on sqlite_master.name = dbstat.name group by 1
    """
    with closing(sqlite3.connect(database)) as connection:
        return dict(connection.execute(query).fetchall())


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
    commands = parser.add_subparsers(dest="what", required=True)
    database = commands.add_parser("database")
    database.add_argument("--charts", type=int, nargs="+", default=[24, 240], help="about 85 rows each")
    database.add_argument("--shard", type=int, default=2)
    driver = commands.add_parser("driver")
    driver.add_argument("--shards", type=int, nargs="+", default=[1000, 10_000])
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and no server stays behind
    if options.what == "database":
        measure_database(options.charts, options.shard)
    else:
        measure_driver(options.shards)


if __name__ == "__main__":
    main()
