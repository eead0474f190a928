"""From runs to figures: means over seeds, intervals over held-out source rows, and gains over the base setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tasks.evaluation.outcomes import Figure, FigureSpec, Outcomes, average, make_figures

HARD, UNSEEN, FOUND, AT_ONE = "hard negatives", "families not learnt from", "retrieval MRR", "retrieval R@1"


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
            average("retrieval R@10", "R@10", tasks),
            average(FOUND, "MRR", tasks),
        ]
    unseen = [task for task in tasks if task.partition(":")[0] not in learnt]
    means = [average(HARD, "hit", tasks), *([average(UNSEEN, "hit", unseen)] if unseen else [])]
    return [*means, *(average(task, "hit", [task]) for task in tasks)]


def tell_setting(runs: Sequence[Scores], base: Sequence[Scores], learnt: Sequence[str]) -> dict[str, Told]:
    """The figures of a setting: one score table for each seed, beside those of the base with the same seeds.

    The interval draws the held-out source rows again, of the mean over the seeds; what other seeds would have given is
    seen in the seeds' own values.
    """
    told: dict[str, Told] = {}
    for choices in (True, False):
        mine = [join_tasks(scores, choices) for scores in runs]
        theirs = [join_tasks(scores, choices) for scores in base]
        specs = list_specs(mine[0], learnt)
        if not specs:
            continue
        level, gain = _mean(mine), _mean(mine)
        apart = np.mean([a.values - b.values for a, b in zip(mine, theirs, strict=True)], axis=0)
        each = [_by_name(make_figures(one, specs, intervals=False)) for one in mine]
        gains = _by_name(make_figures(_replace(gain, apart), specs, gains=True))
        for name, figure in _by_name(make_figures(level, specs)).items():
            told[name] = Told(
                figure.value,
                figure.low,
                figure.high,
                tuple(one[name].value for one in each),
                gains[name].value,
                gains[name].low,
                gains[name].high,
                figure.items,
            )
    return told


def judge_order(levels: Sequence[tuple[str, Told]]) -> str:
    """What is to be said of two neighbours of an order, the second told with its gain over the first."""
    gain = levels[1][1]
    if not gain.told_apart:
        return "not told apart"
    return "holds" if gain.gain > 0 else "the other way round"


def _mean(runs: Sequence[Outcomes]) -> Outcomes:
    return _replace(runs[0], np.mean([run.values for run in runs], axis=0))


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
