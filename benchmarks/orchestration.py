"""What Prefect costs: a run under a server against the same run without, in CPU seconds and in the server's database.

    python -m benchmarks.orchestration --charts 27
    python -m benchmarks.orchestration --charts 270 --shard 8 --parts served
    python -m benchmarks.orchestration --charts 270 --shard 8 --parts plain

The same flowcharts (about eleven anchors a chart) are made into fresh folders by the same number of workers: on a
Prefect server that stands beside, has shown a small run before and records everything, as a lasting one does; once more
by that recipe, of which all is made then; and plainly. Workers do the same work either way and know of no server, so
the cost is what the run's own process takes more, and what the server takes above the rate at which it idled before.
CPU seconds differ less than the wall's on a machine that does other work.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cheap import write_recipe
from tests.serving import run_prefect_server

FAMILIES = ("flip", "code", "caption", "codeswap")
WARM_CHARTS = 4
"""What the first run of a server writes once, and pages that are half full, are none of the measured runs'."""
SETTLE_S = 8.0
"""The server writes events some seconds after they came."""
IDLE_S = 40.0
TELLING = """
import atexit, resource, runpy, sys
told, own = sys.argv.pop(1), resource.RUSAGE_SELF
atexit.register(lambda: open(told, "w").write(str(sum(resource.getrusage(own)[:2]))))
runpy.run_module("counterfoil", run_name="__main__", alter_sys=True)
"""
"""A command of ours that leaves the CPU seconds of its own process, without its workers, in a file."""


@dataclass
class Spent:
    """CPU seconds of a run's own process and of its workers, and seconds by the wall."""

    own: float
    workers: float
    wall: float


@dataclass
class Kept:
    """What Prefect's database holds: KB by table, its indices and what the write-ahead log has of it included; rows."""

    tables: Counter[str]
    rows: Counter[str]


def run(folder: Path, recipe: Path, environment: dict[str, str]) -> Spent:
    """Run a recipe by the command line."""
    told = folder / "own.txt"
    began, before = time.perf_counter(), _count_children()
    command = [sys.executable, "-c", TELLING, str(told), "-q", "run", str(recipe)]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    own = float(told.read_text())
    return Spent(own, _count_children() - before - own, time.perf_counter() - began)


def measure_plain(folder: Path, charts: int, shard: int) -> Spent:
    """The run without a server."""
    environment = os.environ | {"PREFECT_PROFILES_PATH": "/nowhere"}
    environment.pop("PREFECT_API_URL", None)
    spent = run(folder, _write(folder, "plain", charts, shard), environment)
    print(f"plain   {_describe(spent)}", flush=True)
    return spent


def measure_served(folder: Path, charts: int, shard: int) -> tuple[Spent, float]:
    """The run under a server, and what the server took above idling; the same run again is printed alone."""
    home = folder / "prefect"
    home.mkdir()
    with run_prefect_server(home, {"PREFECT_LOGGING_LEVEL": "INFO"}) as environment:
        group = int(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()[0])
        run(folder, _write(folder, "warm", WARM_CHARTS, 2), environment)
        time.sleep(SETTLE_S)
        before = _count_group(group)
        time.sleep(IDLE_S)
        idle = (_count_group(group) - before) / IDLE_S
        print(f"server  {100 * idle:.1f} CPU s in 100 s idle", flush=True)
        measured = []
        recipe = _write(folder, "served", charts, shard)
        for name in ("served", "again"):
            kept, before, began = look(home / "prefect.db"), _count_group(group), time.perf_counter()
            spent = run(folder, recipe, environment)
            time.sleep(SETTLE_S)
            server = _count_group(group) - before
            above = server - idle * (time.perf_counter() - began)
            print(f"{name:<7} {_describe(spent)}; server {server:.2f}, {above:.2f} above idling", flush=True)
            print(describe_growth(kept, look(home / "prefect.db"), folder / "data-served"), flush=True)
            measured.append((spent, above))
    return measured[0]


def look(database: Path) -> Kept:
    """What the database holds now."""
    sizes = """
        select coalesce(tbl_name, dbstat.name), sum(pgsize) / 1024.0 from dbstat
        left join sqlite_master on sqlite_master.name = dbstat.name group by 1
    """
    with closing(sqlite3.connect(database)) as connection:
        rows = Counter(dict(connection.execute("select event, count(*) from events group by 1").fetchall()))
        for table in ("task_run", "flow_run", "artifact", "log"):
            rows[table] = connection.execute(f"select count(*) from {table}").fetchone()[0]
        return Kept(Counter(dict(connection.execute(sizes).fetchall())), rows)


def describe_growth(before: Kept, after: Kept, data: Path) -> str:
    """What came, in words."""
    from counterfoil.storage.dataset import Dataset

    counts = Dataset(str(data)).counts()
    rows = sum(counts.anchors.values()) + sum(counts.contrasts.values())
    tables, came = after.tables - before.tables, after.rows - before.rows
    whole = tables.total()
    return (
        f"        {sum(counts.anchors.values()):,} anchors, {rows:,} rows; database +{whole:,.0f} KB, "
        f"{1000 * whole / rows:.1f} KB for 1,000 rows: "
        + ", ".join(f"{table} {size:,.0f}" for table, size in tables.most_common(8))
        + "; rows: "
        + ", ".join(f"{kind} {count}" for kind, count in came.most_common(12))
    )


def _write(folder: Path, name: str, charts: int, shard: int) -> Path:
    recipe = folder / f"{name}.toml"
    recipe.write_text(write_recipe(f"{folder}/data-{name}", charts, shard, FAMILIES))
    return recipe


def _describe(spent: Spent) -> str:
    return f"own process {spent.own:.2f} CPU s, workers {spent.workers:.2f}, {spent.wall:.0f} s by the wall"


def _count_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _count_group(group: int) -> float:
    """CPU seconds of the living processes of a group."""
    ticks = 0
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12]) if int(fields[2]) == group else 0
    return ticks / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--charts", type=int, default=27)
    parser.add_argument("--shard", type=int, default=2)
    parser.add_argument("--parts", nargs="+", choices=("plain", "served"), default=["plain", "served"])
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and no server stays behind
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        given = folder, options.charts, options.shard
        plain = measure_plain(*given) if "plain" in options.parts else None
        served = measure_served(*given) if "served" in options.parts else None
    if plain and served:
        added = served[0].own - plain.own + served[1]
        print(f"orchestration {added:.2f} CPU s, {added / (plain.own + plain.workers):.1%} of the plain run's")


if __name__ == "__main__":
    main()
