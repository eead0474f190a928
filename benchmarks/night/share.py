"""Orchestration's share of a night's CPU time, and what it is of a larger night by a line through two that were run.

    python -m benchmarks.night.share SMALL.json LARGE.json --anchors 100000

Each file is what ``python -m benchmarks.night --to FOLDER`` leaves there. Orchestration is Prefect's server and the
pool's worker; the whole leaves out this script with its provider, and S3, which a cluster has elsewhere.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ORCHESTRATION = ("Prefect server", "pool worker")
APART = ("this script, the provider", "S3")


def split_cpu(spent: Mapping[str, float]) -> tuple[float, float]:
    """CPU seconds of orchestration, and of all that counts, from those of each kind of process.

    >>> split_cpu({"Prefect server": 3.0, "pool worker": 1.0, "run": 6.0, "S3": 90.0})
    (4.0, 10.0)
    """
    return (
        sum(spent.get(name, 0.0) for name in ORCHESTRATION),
        sum(seconds for name, seconds in spent.items() if name not in APART),
    )


def fit_line(few: float, at_few: float, many: float, at_many: float) -> tuple[float, float]:
    """The constant and the slope of the line through two points.

    >>> fit_line(100, 12, 300, 16)
    (10.0, 0.02)
    """
    slope = (at_many - at_few) / (many - few)
    return at_few - slope * few, slope


def extrapolate(small: Mapping[str, Any], large: Mapping[str, Any], anchors: int) -> str:
    """Lines that say what the two nights took, the constants and slopes, and what they come to for ``anchors``."""
    nights = [(night["anchors"], *split_cpu(night["cpu_s"])) for night in (small, large)]
    lines = [
        f"{made:,} anchors: orchestration {own:.0f} of {whole:.0f} CPU s, {own / whole:.1%}"
        for made, own, whole in nights
    ]
    (few, own_few, whole_few), (many, own_many, whole_many) = nights
    own, each_own = fit_line(few, own_few, many, own_many)
    whole, each_whole = fit_line(few, whole_few, many, whole_many)
    lines.append(
        f"orchestration: {own:.0f} s and {1000 * each_own:.1f} s for 1,000 anchors; all: {whole:.0f} s and "
        f"{1000 * each_whole:.1f} s for 1,000 anchors"
    )
    at = (own + each_own * anchors) / (whole + each_whole * anchors)
    lines.append(f"by these lines, not run: {anchors:,} anchors, {at:.1%}; without end {each_own / each_whole:.1%}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nights", type=Path, nargs=2)
    parser.add_argument("--anchors", type=int, default=100_000)
    options = parser.parse_args()
    small, large = sorted((json.loads(path.read_text()) for path in options.nights), key=lambda each: each["anchors"])
    print(extrapolate(small, large, options.anchors))


if __name__ == "__main__":
    main()
