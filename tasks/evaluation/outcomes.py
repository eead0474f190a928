"""What a system reached on each item, and the figures that a protocol makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterfoil.tasks.evaluation.intervals import Term, bound


@dataclass(frozen=True)
class Outcomes:
    """One system on the items of one task; all arrays are in the items' order."""

    items: tuple[str, ...]
    parts: tuple[str, ...]
    """The part of the benchmark that each item belongs to: a split, an instrument, a relation, a family."""
    blocks: tuple[str, ...]
    """Items of one block are not independent: they share a picture or a source row."""
    measures: tuple[str, ...]
    values: np.ndarray
    """``float64`` of shape (items, measures)."""
    right: np.ndarray
    """``float32``: the score of the right candidate that scores lowest (retrieval: highest)."""
    wrong: np.ndarray
    """``float32``: that of the wrong candidate that scores highest."""

    @property
    def tied(self) -> np.ndarray:
        """``bool``: right and wrong score the same. Such an item is lost, and counted."""
        return np.asarray(self.right == self.wrong)


@dataclass(frozen=True)
class FigureSpec:
    """How a figure is made of the items' values: a weighted sum of means over parts."""

    name: str
    measure: str
    groups: tuple[tuple[tuple[str, ...], float], ...]
    """Parts that are pooled, and the weight of their mean."""
    shown: bool = True
    """Whether it stands in the table; all stand in the JSON."""
    percent: bool = True
    """A share, told in percent; else a plain number, such as a rank."""


@dataclass(frozen=True)
class Figure:
    """A figure with its 95 % interval. Shares are from 0 to 1."""

    name: str
    value: float
    low: float
    high: float
    items: int
    ties: int
    shown: bool = True
    percent: bool = True


def pool(name: str, measure: str, parts: Sequence[str], *, shown: bool = True, percent: bool = True) -> FigureSpec:
    """The mean over all items of the parts (micro)."""
    return FigureSpec(name, measure, ((tuple(parts), 1.0),), shown, percent)


def average(name: str, measure: str, parts: Sequence[str], *, shown: bool = True) -> FigureSpec:
    """The mean of the parts' means (macro)."""
    return FigureSpec(name, measure, tuple(((part,), 1 / len(parts)) for part in parts), shown)


def average_groups(name: str, measure: str, groups: Sequence[Sequence[str]]) -> FigureSpec:
    """The mean over groups of the mean of their parts' means.

    >>> average_groups("mean of 2", "hit", [["a", "b"], ["c"]]).groups
    ((('a',), 0.25), (('b',), 0.25), (('c',), 0.5))
    """
    terms = tuple(((part,), 1 / len(groups) / len(group)) for group in groups for part in group)
    return FigureSpec(name, measure, terms)


def make_figures(
    outcomes: Outcomes, specs: Sequence[FigureSpec], *, intervals: bool = True, gains: bool = False
) -> tuple[Figure, ...]:
    """The figures of one system, or with ``gains`` of one less another; those over parts without items are left out."""
    _, blocks = np.unique(np.array(outcomes.blocks, dtype=object).astype(str), return_inverse=True)
    at: dict[str, list[int]] = {}
    for position, part in enumerate(outcomes.parts):
        at.setdefault(part, []).append(position)
    tied = outcomes.tied
    figures = []
    for spec in specs:
        column = outcomes.measures.index(spec.measure)
        pooled = [([item for part in parts for item in at.get(part, ())], weight) for parts, weight in spec.groups]
        if not all(items for items, _ in pooled):
            continue
        terms = [Term(np.array(items, dtype=np.int64), weight) for items, weight in pooled]
        values = outcomes.values[:, column]
        value = float(sum(term.weight * values[term.items].mean() for term in terms))
        low, high = bound(values, blocks, terms, gains=gains) if intervals else (value, value)
        chosen = np.unique(np.concatenate([term.items for term in terms]))
        ties = int(tied[chosen].sum())
        figures.append(Figure(spec.name, value, low, high, len(chosen), ties, spec.shown, spec.percent))
    return tuple(figures)
