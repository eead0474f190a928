"""Boosted trees over simple numbers, in numpy: what no straight line tells.

Gradient boosting of the logistic loss (Friedman 2001) by second-order gains (Chen and Guestrin 2016), each tree grown
level by level over classed numbers. Several parts, each with rows to learn from and rows to score, are learnt side by
side: of a small problem most of the time is spent on calls, and so they are shared. Sums are taken in a fixed order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ROUNDS = 60
RATE = 0.15
DEPTH = 4
_CLASSES = 32
_FEWEST = 20
"""Rows of a leaf at least."""
_SHRINK = 1.0
"""What is added to a leaf's curvature: the penalty of its value's square."""


@dataclass(frozen=True)
class Part:
    """Rows to learn from, with what they are and what they weigh, and rows to score."""

    learn: np.ndarray
    own: np.ndarray
    """Of each row of ``learn``, ``bool``: whether the score shall be high."""
    weights: np.ndarray
    judged: np.ndarray


def score_by_trees(numbers: np.ndarray, parts: Sequence[Part]) -> list[np.ndarray]:
    """The scores (log odds) of each part's ``judged`` rows.

    Args:
        numbers: of shape (rows, features).
    """
    classes = class_numbers(numbers)
    taught = [len(part.learn) for part in parts]
    own = np.concatenate([part.own for part in parts]).astype(np.float64)
    weights = np.concatenate([part.weights for part in parts])
    part_of = np.repeat(np.arange(len(parts)), taught)
    rows = np.concatenate([part.learn for part in parts] + [part.judged for part in parts])
    whole = np.concatenate([part_of, np.repeat(np.arange(len(parts)), [len(part.judged) for part in parts])])
    sums = np.stack([np.bincount(part_of, weights * side, len(parts)) for side in (own, 1 - own)])
    scores = (np.log(sums[0]) - np.log(sums[1]))[whole]
    shown, learnt = classes[rows], len(own)
    for _ in range(ROUNDS if classes.shape[1] else 0):
        sure = 1 / (1 + np.exp(-scores[:learnt]))
        scores += RATE * _grow(shown, whole, weights * (own - sure), weights * sure * (1 - sure))
    return np.split(scores[learnt:], np.cumsum([len(part.judged) for part in parts])[:-1])


def class_numbers(numbers: np.ndarray) -> np.ndarray:
    """The class of each number among its feature's, ``int64``: of about equally many rows each, equal numbers together.
    Features that are the same of all rows are left out."""
    kept = []
    for column in numbers.T:
        values = np.unique(column)
        if len(values) > _CLASSES:
            values = np.unique(np.quantile(column, np.linspace(0, 1, _CLASSES + 1)[1:], method="inverted_cdf"))
        if len(values) > 1:
            kept.append(np.searchsorted(values, column))
    return np.stack(kept, axis=1) if kept else np.zeros((len(numbers), 0), dtype=np.int64)


def _grow(shown: np.ndarray, root: np.ndarray, pull: np.ndarray, bend: np.ndarray) -> np.ndarray:
    """What one tree for each part adds to each row's score.

    Args:
        shown: classes, (rows, features); the first ``len(pull)`` rows are learnt from.
        root: the part of each row.
        pull, bend: the loss's slope downwards and its curvature at each row that is learnt from.
    """
    added = np.zeros(len(shown))
    rows, node = np.arange(len(shown)), root
    for depth in range(DEPTH + 1):
        count = int(node.max(initial=-1)) + 1
        taught = int(np.searchsorted(rows, len(pull)))
        teachers, at = rows[:taught], node[:taught]
        slopes, curves = np.bincount(at, pull[teachers], count), np.bincount(at, bend[teachers], count)
        worth = np.full(count, -1)
        big = np.bincount(at, minlength=count) >= 2 * _FEWEST
        if depth < DEPTH and big.any():
            worth[big] = np.arange(big.sum())
            feature, cut = _find_splits(shown, teachers, worth[at], pull, bend, slopes[big], curves[big])
            worth[big] = np.where(feature >= 0, np.cumsum(feature >= 0) - 1, -1)
            feature, cut = feature[feature >= 0], cut[feature >= 0]
        settled = worth[node] < 0
        added[rows[settled]] = (slopes / (curves + _SHRINK))[node[settled]]
        rows, node = rows[~settled], worth[node[~settled]]
        if not len(rows):
            break
        node = 2 * node + (shown[rows, feature[node]] > cut[node])
    return added


def _find_splits(
    shown: np.ndarray,
    rows: np.ndarray,
    node: np.ndarray,
    pull: np.ndarray,
    bend: np.ndarray,
    slopes: np.ndarray,
    curves: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The feature and the last class of the lower side by which each node is split best; -1 where none gains."""
    rows, node = rows[node >= 0], node[node >= 0]
    features = shown.shape[1]
    classes = int(shown.max()) + 1
    places = ((node * features)[:, None] + np.arange(features)) * classes + shown[rows]
    shape = (len(slopes), features, classes)

    def add_up(values: np.ndarray | None) -> np.ndarray:
        spread = None if values is None else np.repeat(values[rows], features)
        return np.asarray(np.bincount(places.ravel(), spread, int(np.prod(shape))).reshape(shape).cumsum(axis=2))

    lower = add_up(None)
    counts = lower[:, :1, -1:]
    possible = (lower >= _FEWEST) & (counts - lower >= _FEWEST)
    below, bent = add_up(pull), add_up(bend)
    total, whole = slopes[:, None, None], curves[:, None, None]
    gains = below**2 / (bent + _SHRINK) + (total - below) ** 2 / (whole - bent + _SHRINK) - total**2 / (whole + _SHRINK)
    flat = np.where(possible, gains, 0.0).reshape(len(slopes), -1)
    best = flat.argmax(axis=1)
    found = flat[np.arange(len(slopes)), best] > 1e-12
    return np.where(found, best // classes, -1), best % classes
