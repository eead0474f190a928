"""From runs to figures: means over seeds, intervals over held-out source rows and seeds, gains over the base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.proof.intervals import bound_over_seeds
from counterfoil.tasks.evaluation.among import SQUARE
from counterfoil.tasks.evaluation.outcomes import Figure, FigureSpec, Outcomes, average, make_figures

HARD, UNSEEN = "hard negatives", "families not learnt from"
FOUND, AT_ONE, AT_TEN = "retrieval MRR", "retrieval R@1", "retrieval R@10"


@dataclass(frozen=True)
class Told:
    """One figure of one setting."""

    value: float
    low: float
    high: float
    seeds: tuple[float, ...]
    """Of each seed."""
    gain: float
    """Over the base setting, item by item and seed by seed."""
    gain_low: float
    gain_high: float
    items: int

    @property
    def told_apart(self) -> bool:
        """Whether the interval of the gain leaves out 0."""
        return self.gain_low > 0 or self.gain_high < 0


Scores = Mapping[str, Any]
"""Task to what `running.keep_items` kept."""


def is_choice(kept: Mapping[str, Any]) -> bool:
    """Whether a task is of an anchor among its hard negatives."""
    return "hit" in kept["values"]


def join_tasks(scores: Scores, choices: bool) -> Outcomes:
    """The tasks of one shape as one table of items, each task a part."""
    tasks = {name: kept for name, kept in scores.items() if is_choice(kept) == choices}
    measures = ("hit", "pairs") if choices else ("R@1", "R@5", "R@10", "MRR")
    values = [np.array([kept["values"][name] for name in measures]).T for kept in tasks.values()]
    items = tuple(item for kept in tasks.values() for item in kept["items"])
    none = np.full(len(items), np.nan, dtype=np.float32)
    return Outcomes(
        items,
        tuple(name for name, kept in tasks.items() for _ in kept["items"]),
        tuple(block for kept in tasks.values() for block in kept["blocks"]),
        measures,
        np.concatenate(values) if values else np.zeros((0, len(measures))),
        none,
        none,
    )


def list_specs(outcomes: Outcomes, learnt: Sequence[str]) -> list[FigureSpec]:
    """The figures of one shape of task: each task's own, and means over tasks."""
    tasks = list(dict.fromkeys(outcomes.parts))
    if not tasks:
        return []
    if "hit" not in outcomes.measures:
        return [
            average(AT_ONE, "R@1", tasks),
            average(AT_TEN, "R@10", tasks),
            average(FOUND, "MRR", tasks),
        ]
    hard = [task for task in tasks if SQUARE not in task]
    unseen = [task for task in hard if task.partition(":")[0] not in learnt]
    means = [average(HARD, "hit", hard), *([average(UNSEEN, "hit", unseen)] if unseen else [])]
    return [*means, *(average(task, "hit", [task]) for task in tasks)]


def tell_setting(runs: Sequence[Scores], base: Sequence[Scores], learnt: Sequence[str]) -> dict[str, Told]:
    """The figures of a setting: one score table for each seed, beside those of the base with the same seeds.

    The intervals are over held-out source rows and seeds: `intervals.bound_over_seeds`.
    """
    told: dict[str, Told] = {}
    for choices in (True, False):
        mine = [join_tasks(scores, choices) for scores in runs]
        theirs = [join_tasks(scores, choices) for scores in base]
        specs = list_specs(mine[0], learnt)
        if not specs:
            continue
        level = np.stack([one.values for one in mine])
        apart = level - np.stack([one.values for one in theirs])
        each = [_by_name(make_figures(one, specs, intervals=False)) for one in mine]
        gains = [make_figures(_replace(mine[0], own), specs, intervals=False) for own in apart]
        for spec in specs:
            low, high = _bound(level, mine[0], spec)
            gain_low, gain_high = _bound(apart, mine[0], spec)
            own = tuple(one[spec.name].value for one in each)
            gain = float(np.mean([_by_name(one)[spec.name].value for one in gains]))
            items = each[0][spec.name].items
            told[spec.name] = Told(float(np.mean(own)), low, high, own, gain, gain_low, gain_high, items)
    return told


def judge_order(levels: Sequence[tuple[str, Told]]) -> str:
    """What is to be said of two neighbours of an order, the second told with its gain over the first."""
    gain = levels[1][1]
    if not gain.told_apart:
        return "not told apart"
    return "holds" if gain.gain > 0 else "the other way round"


def _bound(values: np.ndarray, outcomes: Outcomes, spec: FigureSpec) -> tuple[float, float]:
    column = outcomes.measures.index(spec.measure)
    at = {part: [place for place, own in enumerate(outcomes.parts) if own == part] for part in set(outcomes.parts)}
    terms = [([place for part in parts for place in at[part]], weight) for parts, weight in spec.groups]
    return bound_over_seeds(values[:, :, column], outcomes.blocks, terms)


def _replace(outcomes: Outcomes, values: np.ndarray) -> Outcomes:
    return Outcomes(
        outcomes.items,
        outcomes.parts,
        outcomes.blocks,
        outcomes.measures,
        values,
        outcomes.right,
        outcomes.wrong,
    )


def _by_name(figures: Sequence[Figure]) -> dict[str, Figure]:
    return {figure.name: figure for figure in figures}
