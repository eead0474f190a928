"""What `procedural:N` samples in geometry: kinds, questions, steps, pictures that are alike, answers by a second road.

    python -m benchmarks.sampled [--draws 20000] [--answers 4000] [--seed 5] [--workers 2]

A kind is what a figure is made of, in order, with what is asked for. Two pictures are alike where their strokes,
curves and circles are the same once each fills a unit square, places rounded to a hundredth, whatever letters and
numbers stand at them. Of the first ``answers`` problems the answer is worked out again by `recomputing`, from
coordinates and gradients alone.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from functools import partial
from multiprocessing import Pool
from typing import Any

from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.settings import Plan
from counterfoil.tasks.geometry.sources.sampler import SampledProblem, sample_numbered
from counterfoil.tasks.geometry.sources.sampler.analytic_questions import Answered
from tests.tasks.geometry.recomputing import examine, recompute

_PART = 250
_WRONG = 1e-6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=20_000)
    parser.add_argument("--answers", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    load, started = os.getloadavg()[0], time.monotonic()
    with Pool(options.workers) as pool:
        parts = range(0, options.draws, _PART)
        rows = [
            row
            for found in pool.imap(partial(_describe, options.seed, options.draws, options.answers), parts)
            for row in found
        ]
    cpu = sum(row["cpu"] for row in rows)
    print(
        f"{len(rows):,} problems, {1000 * cpu / len(rows):.1f} ms of CPU each, load {load:.1f} at the start, ", end=""
    )
    print(f"{time.monotonic() - started:.0f} s by the clock")
    print(f"combinations of constructions: {len({row['constructions'] for row in rows}):,}")
    print(f"kinds: {len({(row['constructions'], row['sort']) for row in rows}):,}")
    for name in ("shape", "whole"):
        alike = len(rows) - len({row[name] for row in rows})
        print(f"pictures like one before, {_NAMES[name]}: {alike:,} ({alike / len(rows):.2%})")
    for name in ("asked", "steps", "things", "axes", "unknowns"):
        counts = Counter(row[name] for row in rows)
        told = ", ".join(f"{key} {count / len(rows):.1%}" for key, count in sorted(counts.items(), key=str))
        print(f"{name}: {told}")
    judged = [row for row in rows if row["right"] is not None]
    wrong = [row["index"] for row in judged if not row["right"]]
    print(f"answers by a second road: {len(wrong)} wrong of {len(judged):,} {wrong[:10] or ''}")


_NAMES = {"shape": "without letters and numbers", "whole": "numbers and marks as well"}


def _describe(seed: int, draws: int, answers: int, first: int) -> list[dict[str, Any]]:
    return [_row(seed, index, index < answers) for index in range(first, min(first + _PART, draws))]


def _row(seed: int, index: int, judged: bool) -> dict[str, Any]:
    started = time.process_time()
    problem = sample_numbered(seed, index, Plan())
    cpu = time.process_time() - started
    asked, scene = problem.asked, problem.scene
    on_axes = isinstance(asked, Answered)
    shape = write_shape(scene)
    marks = tuple(sorted((mark.predicate, mark.value or "") for mark in scene.marks))
    return {
        "index": index,
        "cpu": cpu,
        "constructions": problem.constructions,
        "sort": (asked.sort,) if isinstance(asked, Answered) else (asked.kind, *(each[0] for each in asked.quantities)),
        "asked": asked.kind,
        "steps": len(problem.steps),
        "things": len(problem.constructions),
        "axes": on_axes,
        "unknowns": not isinstance(asked, Answered) and bool(asked.unknowns),
        "shape": shape,
        "whole": (shape, marks),
        "right": _is_right(problem) if judged else None,
    }


def _is_right(problem: SampledProblem) -> bool:
    if isinstance(problem.asked, Answered):
        return max(map(abs, recompute(problem))) <= _WRONG
    return examine(problem).is_right


def write_shape(scene: Scene) -> tuple[Any, ...]:
    """The strokes of a figure in a unit square; a figure on axes with the axes about it."""
    xs = [x for x, _ in scene.points.values()] + [c[0] + s * c[2] for c in scene.circles.values() for s in (-1, 1)]
    ys = [y for _, y in scene.points.values()] + [c[1] + s * c[2] for c in scene.circles.values() for s in (-1, 1)]
    size = max(max(xs) - min(xs), max(ys) - min(ys))

    def place(x: float, y: float) -> tuple[float, float]:
        return (round((x - min(xs)) / size, 2) + 0.0, round((y - min(ys)) / size, 2) + 0.0)

    dots = sorted(place(*point) for point in scene.points.values())
    pairs = (("s", scene.segments), ("l", scene.lines), ("p", scene.parabolas))
    strokes = sorted(
        (sort, *sorted(place(*scene.points[end]) for end in pair)) for sort, ends in pairs for pair in ends
    )
    circles = sorted((*place(x, y), round(radius / size, 2)) for x, y, radius in scene.circles.values())
    return (tuple(dots), tuple(strokes), tuple(circles), scene.axes)


if __name__ == "__main__":
    main()
