"""How large a suite is for a number of CPU hours, and what it can tell apart then: before it runs.

A suite's runs so far say what they took and how wide their intervals were. Both follow from size: source rows and steps
grow with the scale and cost alike, and an interval narrows with the root of held-out rows times seeds. (Rows and seeds
have a share each; where the rows' is the larger, more seeds help less than told here.)
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.proof.suites import Suite

SEEN_AT = 1.43
"""Half of a 95 % interval times this is told apart four times out of five: (1.96 + 0.84) / 1.96."""
LEAST, MOST = 0.1, 20.0


class BudgetError(ValueError):
    """A budget that nobody can read, or that not even the smallest scale fits in."""


@dataclass(frozen=True)
class Cost:
    """What a suite was measured to take at scale 1, one thread of a virtual core, in CPU seconds."""

    made: float
    """All of its datasets."""
    start: float
    setting: float
    """Each setting with each seed: the mean of all."""
    half: float
    """Half of the 95 % interval of a gain among hard negatives over the base, in points."""
    seeds: int
    """With so many seeds that was."""


@dataclass(frozen=True)
class Plan:
    """A scale for a budget."""

    scale: float
    seconds: float
    """What all takes at this scale, in CPU seconds."""
    difference: float
    """Points of a gain among hard negatives that are told apart four times out of five."""


def read_budget(text: str) -> float:
    """CPU seconds of ``90m`` or ``1.5h``.

    >>> read_budget("1.5h")
    5400.0

    Raises:
        BudgetError: it is neither.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text.strip())
    if not found or not float(found[1]):
        raise BudgetError(f"--budget {text}: needs a number with s, m or h behind it, such as 90m or 1.5h")
    return float(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]]


def plan(suite: Suite, cost: Cost, seconds: float, seeds: int, settings: int) -> Plan:
    """The largest scale at which so many settings with so many seeds fit into CPU seconds.

    Raises:
        BudgetError: not even the smallest scale fits.
    """
    whole = cost.made + cost.start + cost.setting * settings * seeds
    scale = min(MOST, seconds / whole)
    if scale < LEAST:
        raise BudgetError(
            f"{suite.name} takes {whole * LEAST / 60:.1f} CPU minutes at the smallest scale, {LEAST}: give it a larger "
            "--budget, fewer --seeds or fewer settings (--only)"
        )
    difference = SEEN_AT * cost.half * math.sqrt(cost.seeds / (scale * seeds))
    return Plan(round(scale, 2), scale * whole, difference)


COSTS: Mapping[str, Cost] = {
    "scenes": Cost(made=1570, start=232, setting=97, half=2.2, seeds=4),
    "ahnpl": Cost(made=800, start=240, setting=115, half=1.5, seeds=2),
    "words": Cost(made=3960, start=232, setting=80, half=1.8, seeds=3),
    "flowcharts": Cost(made=50, start=66, setting=34, half=1.7, seeds=3),
    "geometry": Cost(made=700, start=102, setting=50, half=2.2, seeds=1),
    "tells": Cost(made=200, start=66, setting=35, half=3.1, seeds=3),
}
"""As `benchmarks/results/proof/notebook.md` has them; datasets by 60 source rows of each, roughly."""
