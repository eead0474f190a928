"""Flowcharts: how fast triplets become SVG and pictures, beside mermaid-cli on the same charts; what 126 real charts
give; and memory over many renders.

    python benchmarks/mermaid.py speed --charts ../shared/data/flowcharts/textflow.jsonl --mmdc node_modules/.bin/mmdc
    python benchmarks/mermaid.py yield --charts ../shared/data/flowcharts/textflow.jsonl
    python benchmarks/mermaid.py memory --renders 100000

Times are CPU seconds of all processes concerned (ours, its worker, mermaid-cli with its browser), so that other work
on the machine does not count; "per second" means per second of one core.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from counterfoil.renderers.mermaid import Look, MermaidWorker
from counterfoil.renderers.mermaid.studio import Studio
from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine import rows as engine_rows
from counterfoil.tasks.engine.prepare import prepare_here
from counterfoil.tasks.flowchart.chart.granulation import find_triplets
from counterfoil.tasks.flowchart.chart.parsing import parse_code
from counterfoil.tasks.flowchart.chart.serialise import write_code
from counterfoil.tasks.flowchart.domain import DOMAIN
from counterfoil.tasks.flowchart.settings import FlowchartSettings
from counterfoil.tasks.flowchart.sources.files import SourceChart, read_charts
from counterfoil.tasks.flowchart.sources.procedural import make_charts


def measure_cpu(work: Callable[[], Any]) -> float:
    """CPU seconds of this process and its finished children."""

    def used() -> float:
        return sum(
            u.ru_utime + u.ru_stime
            for u in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
        )

    start = used()
    work()
    return used() - start


def cut_codes(charts: str | None, count: int) -> list[str]:
    """The code of ``count`` distinct triplets, of real charts or of made-up ones."""
    studio = Studio()
    codes: dict[str, str] = {}
    if charts:
        sources = [parse_code(c.code, studio) for c in read_charts(charts) if isinstance(c, SourceChart)]
    else:
        sources = [chart for _, chart in make_charts(count, 7)]
    for chart in sources:
        for triplet in find_triplets(chart):
            codes.setdefault(triplet.key, write_code(triplet.chart))
            if len(codes) == count:
                return list(codes.values())
    return list(codes.values())


def run_speed(args: argparse.Namespace) -> None:
    codes = cut_codes(args.charts, args.count)
    print(f"{len(codes)} triplets of {'real' if args.charts else 'made-up'} charts, {os.cpu_count()} cores")
    studio = Studio()
    studio.warm_up()
    svg_s = measure_cpu(lambda: [studio.draw(code, Look()) for code in codes])
    svgs = [studio.draw(code, Look()) for code in codes]
    paint_s = measure_cpu(lambda: [studio.paint(svg, 336) for svg in svgs])
    ours = (svg_s + paint_s) / len(codes)
    print(
        f"{len(codes) / svg_s:.0f} SVG/s, {1 / ours:.0f} pictures/s of 336x336 "
        f"({1000 * svg_s / len(codes):.2f} + {1000 * paint_s / len(codes):.2f} ms)"
    )

    def use_worker() -> None:
        worker = MermaidWorker()
        for code in codes:
            worker.paint(worker.draw(code, Look()), 336)
        worker.close()

    seconds = measure_cpu(use_worker)
    print(f"in the worker process, its start included: {len(codes) / seconds:.0f} pictures/s")
    time_graph_edits(codes[:200])
    if args.mmdc:
        theirs = time_mermaid_cli(codes[: args.peer], args.mmdc, args.chromium)
        print(f"mermaid-cli: {1 / theirs:.2f} pictures/s ({theirs:.2f} s each, {args.peer} charts)")
        print(f"ratio to mermaid-cli = {theirs / ours:.0f} : 1")


def time_graph_edits(codes: list[str]) -> None:
    """What families make on the fly for training, pictures painted."""
    context = Context(FlowchartSettings(source="procedural:50"), 7, None)  # type: ignore[arg-type]
    rows = [
        made
        for code in codes[:40]
        for made in engine_rows.make_anchors(DOMAIN, _row(code), context)
        if isinstance(made, Anchor)
    ]
    rng = np.random.default_rng(7)
    for name, family in DOMAIN.families.items():
        if family.sample is not None:
            ready = prepare_here(family.sample_prepare, [rows], context) if family.sample_prepare else context
            seconds = measure_cpu(lambda make=family.sample, on=ready: [make(row, rng, 1, on) for row in rows])
            print(f"{name}, one on the fly: {1000 * seconds / len(rows):.3f} ms")


def _row(code: str) -> Any:
    from counterfoil.tasks.contract.domain import SourceRow

    return SourceRow("charts", "bench", "train", {"code": code})


def time_mermaid_cli(codes: list[str], mmdc: str, chromium: str) -> float:
    """CPU seconds of one mermaid-cli call per chart, its browser included, as the paper used it."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "puppeteer.json")
        config.write_text(json.dumps({"executablePath": chromium, "args": ["--no-sandbox"]}))
        look = Path(folder, "look.json")
        look.write_text(json.dumps({"layout": "dagre", "look": "classic", "theme": "default"}))

        adopt_orphans()

        def draw_all() -> None:
            for index, code in enumerate(codes):
                source = Path(folder, f"{index}.mmd")
                source.write_text(code)
                command = [mmdc, "-q", "-i", str(source), "-o", str(source.with_suffix(".png")), "-p", str(config)]
                subprocess.run([*command, "-c", str(look)], check=True, capture_output=True)
                reap_orphans()

        return measure_cpu(draw_all) / len(codes)


def adopt_orphans() -> None:
    """Make this process the parent of orphaned grandchildren, or the browser's CPU time would be lost to init."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def reap_orphans(seconds: float = 5.0) -> None:
    """Wait for adopted children, so that their CPU time is counted."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.05)
        except ChildProcessError:
            return


def run_yield(args: argparse.Namespace) -> None:
    settings = FlowchartSettings(source=f"charts:{args.charts}" if args.charts else "procedural:126")
    context = Context(settings, 7, None)  # type: ignore[arg-type]
    counts: Counter[str] = Counter()
    anchors: dict[str, Anchor] = {}
    start = time.monotonic()
    for row in DOMAIN.read(settings, 7, args.limit):
        if isinstance(row, Reject):
            counts[f"source reject: {_code(row)}"] += 1
            continue
        counts[f"charts ({row.split})"] += 1
        for made in engine_rows.make_anchors(DOMAIN, row, context):
            if isinstance(made, Reject):
                counts[f"anchor reject: {_code(made)}"] += 1
            else:
                counts["triplets"] += 1
                anchors.setdefault(made.anchor_id, made)
    splits = Counter(anchor.split for anchor in anchors.values())
    print(f"anchors: {len(anchors)} distinct ({dict(sorted(splits.items()))})")
    chosen = list(anchors.values())[:: args.every]
    for name, family in DOMAIN.families.items():
        ready = prepare_here(family.prepare, [chosen], context) if family.prepare else context
        for anchor in chosen:
            for row in engine_rows.make_contrasts((family,), anchor, ready):
                counts[f"{name}: " + ("accepted" if isinstance(row, Contrast) else f"reject {_code(row)}")] += 1
    print(f"contrasts of {len(chosen)} anchors; {time.monotonic() - start:.0f} s in all")
    for key, count in sorted(counts.items()):
        print(f"{key}: {count}")


def _code(reject: Reject) -> str:
    return reject.reasons[0].partition(":")[0]


def run_memory(args: argparse.Namespace) -> None:
    codes = cut_codes(args.charts, 2000)
    studio = Studio()
    studio.warm_up()
    page = resource.getpagesize() / 2**20
    marks = []
    for index in range(args.renders):
        svg = studio.draw(codes[index % len(codes)], Look())
        if index % 4 == 0:
            studio.paint(svg, 336)
        if index % max(args.renders // 10, 1) == 0 or index == args.renders - 1:
            resident = int(Path("/proc/self/statm").read_text().split()[1]) * page
            marks.append(resident)
            print(f"after {index + 1} renders: {resident:.0f} MiB", flush=True)
    print(f"growth from the first tenth to the end: {marks[-1] - marks[1]:.0f} MiB over {args.renders} renders")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "yield", "memory"])
    parser.add_argument("--charts", help="real charts; without it, made-up ones")
    parser.add_argument("--count", type=int, default=1000, help="speed: triplets to draw")
    parser.add_argument("--mmdc", help="speed: mermaid-cli's program, for the ratio")
    parser.add_argument("--chromium", default="/usr/bin/chromium", help="speed: the browser that mermaid-cli starts")
    parser.add_argument("--peer", type=int, default=10, help="speed: charts given to mermaid-cli")
    parser.add_argument("--limit", type=int, help="yield: charts at most")
    parser.add_argument("--every", type=int, default=1, help="yield: contrasts of every n-th anchor")
    parser.add_argument("--renders", type=int, default=100_000, help="memory: renders")
    args = parser.parse_args()
    {"speed": run_speed, "yield": run_yield, "memory": run_memory}[args.what](args)


if __name__ == "__main__":
    main()
