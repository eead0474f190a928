"""The figures of a whole run: what came out, what it cost, and what it weighed.

    python benchmarks/dataset.py RECIPE [--set KEY=VALUE ...] [--limit N]

Runs the recipe from the command line and watches its process tree. Prints anchors, accepted per family, rejects by
reason, wall and CPU seconds, pictures per second and core, peak memory (sum of proportional set sizes), and bytes per
picture.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import threading
import time

import psutil

from counterfoil.flows.planning.recipe import load_recipe
from counterfoil.storage.dataset import Dataset


class TreeWatch(threading.Thread):
    """Samples the memory and the CPU time of a process and all below it once a second.

    The sandbox's processes are not all waited for by those above them, so the CPU time that the system books on this
    process would miss them: each process's own and its reaped children's times are taken while it lives.
    """

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.process = psutil.Process(pid)
        self.samples: list[tuple[float, float]] = []
        self.cpu: dict[int, float] = {}

    def run(self) -> None:
        started = time.monotonic()
        while self.process.is_running() and self.process.status() != psutil.STATUS_ZOMBIE:
            try:
                tree = [self.process, *self.process.children(recursive=True)]
            except psutil.NoSuchProcess:
                return
            self.samples.append((time.monotonic() - started, sum(map(_measure_pss, tree)) / 2**20))
            self.cpu |= {each.pid: spent for each in tree if (spent := _measure_cpu(each)) is not None}
            time.sleep(1)


def _measure_cpu(process: psutil.Process) -> float | None:
    """Own seconds, and for a sandbox those of the scripts that it ran; of other children their own entries tell."""
    try:
        times = process.cpu_times()
        parent = process.parent()
        scripts = parent is not None and parent.name() == "bwrap"
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return None
    return times.user + times.system + (times.children_user + times.children_system if scripts else 0.0)


def _measure_pss(process: psutil.Process) -> int:
    try:
        return process.memory_full_info().pss
    except (psutil.NoSuchProcess, psutil.AccessDenied, FileNotFoundError, ProcessLookupError):
        return 0


def print_content(path: str, wall: float, cpu: float) -> None:
    """What the tables hold, and the pictures' sizes and rate."""
    dataset = Dataset(path)
    counts = dataset.counts()
    sizes: list[int] = []
    for table in ("anchors", "contrasts"):
        for batch in dataset.scan(table, columns=["image"]):
            sizes += [len(image["bytes"]) for image in batch["image"].to_pylist() if image]
    for domain, anchors in counts.anchors.items():
        print(f"{domain}: {anchors:,} anchors")
        for family, rows in counts.contrasts.items():
            if family.startswith(f"{domain}."):
                print(f"  {family:<22} {rows:>9,} accepted, {rows / max(anchors, 1):.3f} per anchor")
    for family, codes in counts.reasons.items():
        print(f"  rejects of {family}: " + ", ".join(f"{code} {n:,}" for code, n in sorted(codes.items(), key=_last)))
    cores = os.cpu_count() or 1
    print(f"wall {wall:,.0f} s, CPU {cpu:,.0f} s on {cores} cores")
    if sizes:
        rate = len(sizes) / wall / cores
        print(f"{len(sizes):,} pictures kept, {rate:.1f} a second and core, {len(sizes) / cpu:.1f} a CPU second")
        print(f"bytes per picture: mean {statistics.fmean(sizes):,.0f}, median {statistics.median(sizes):,.0f}")
    tables = sum(file.size for file in dataset.active_files())
    print(f"tables: {tables / 2**20:,.1f} MB")


def _last(item: tuple[str, int]) -> int:
    return -item[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recipe")
    parser.add_argument("--set", action="append", default=[], dest="sets")
    parser.add_argument("--limit", type=int)
    options = parser.parse_args()
    path = load_recipe(options.recipe, options.sets).dataset.path
    command = [sys.executable, "-m", "counterfoil", "run", options.recipe]
    for each in options.sets:
        command += ["--set", each]
    if options.limit:
        command += ["--limit", str(options.limit)]
    started = time.perf_counter()
    run = subprocess.Popen(command)
    watch = TreeWatch(run.pid)
    watch.start()
    code = run.wait()
    wall = time.perf_counter() - started
    if code not in (0, 1):
        sys.exit(code)
    print_content(path, wall, sum(watch.cpu.values()))
    quarter = max(len(watch.samples) // 4, 1)
    early = max((mb for _, mb in watch.samples[:quarter]), default=0)
    late = max((mb for _, mb in watch.samples[-quarter:]), default=0)
    peak = max((mb for _, mb in watch.samples), default=0)
    print(f"memory of all processes: peak {peak:,.0f} MB; first quarter {early:,.0f} MB, last quarter {late:,.0f} MB")


if __name__ == "__main__":
    main()
