"""What tells most: single n-grams and features, each tried alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterfoil.tasks.tells.figures import Items
from counterfoil.tasks.tells.judges import RARE, list_pairs_of
from counterfoil.tasks.tells.linear import Vocabulary

SHOWN = 12
"""Tells that are listed of each kind."""


@dataclass(frozen=True)
class Tell:
    """One n-gram or feature, and how much it says."""

    kind: str
    """``n-gram`` or ``feature``."""
    name: str
    alone: float
    """How often it alone, read the right way round, tells a contrast from its own anchor. A half is chance."""
    anchors: float
    """Its mean over anchors: of an n-gram, how often it stands in one."""
    contrasts: float
    """Its mean over contrasts."""


def list_tells(
    items: Items, numbers: np.ndarray, names: Sequence[str], ngrams: Sequence[Sequence[str]]
) -> tuple[Tell, ...]:
    """The strongest tells of each kind, strongest first. They describe all rows and predict none."""
    mine, theirs, weights = list_pairs_of(items, np.arange(len(items.owner)))
    told = [
        _describe_tell("feature", name, column[mine], column[theirs], weights)
        for name, column in zip(names, numbers.T, strict=True)
    ]
    strongest = _keep(told)
    if ngrams:
        vocabulary = Vocabulary(ngrams, RARE)
        counts = vocabulary.count(ngrams)
        gaps = (counts[mine] - counts[theirs]).tocsr()
        gaps.data = np.sign(gaps.data)
        lean = np.abs(gaps.T @ weights)
        order = np.argsort(-lean.round(9), kind="stable")[: 3 * SHOWN]
        columns = ((vocabulary.grams[i], np.expm1(counts[:, [i]].toarray().ravel()).round()) for i in order)
        said = [_describe_tell("n-gram", name, column[mine], column[theirs], weights) for name, column in columns]
        strongest = _keep(said) + strongest
    return tuple(strongest)


def _keep(told: list[Tell]) -> list[Tell]:
    """The strongest; of several that say the same of the same rows, the first."""
    kept: dict[tuple[float, float, float], Tell] = {}
    for tell in sorted(told, key=lambda each: (-round(each.alone, 9), len(each.name), each.name)):
        if tell.alone > 0.5:
            kept.setdefault((tell.alone, tell.anchors, tell.contrasts), tell)
    return list(kept.values())[:SHOWN]


def _describe_tell(kind: str, name: str, mine: np.ndarray, theirs: np.ndarray, weights: np.ndarray) -> Tell:
    total = weights.sum()
    over = float((weights * ((mine > theirs) + 0.5 * (mine == theirs))).sum() / total)
    means = (float((weights * side).sum() / total) for side in (mine, theirs))
    return Tell(kind, name, max(over, 1 - over), *means)
