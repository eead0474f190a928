"""How far the items of one set are from each other: by their words, their letters, their pixels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

_LONGEST = 160
"""Tokens of a text that are compared; what stands beyond them is not read."""
_AT_ONCE = 2048
_SIDE = 48
"""Pictures are compared as grey squares of so many pixels."""


def measure_edits(texts: Sequence[Sequence[str]], pairs: np.ndarray) -> np.ndarray:
    """The edit distance between tokens of texts, as a share of the longer one.

    Args:
        pairs: ``int64`` of shape (N, 2): which texts are compared.

    Returns:
        ``float64`` of shape (N,), from 0 (the same) to 1.

    >>> measure_edits([["a", "b", "c"], ["a", "c"], ["a", "b", "c"]], np.array([[0, 1], [0, 2]])).round(3).tolist()
    [0.333, 0.0]
    """
    numbers: dict[str, int] = {}
    cut = [[numbers.setdefault(token, len(numbers)) for token in text[:_LONGEST]] for text in texts]
    lengths = np.array([len(each) for each in cut], dtype=np.int64)
    tokens = np.full((len(cut), max(int(lengths.max(initial=0)), 1)), -1, dtype=np.int32)
    for place, each in enumerate(cut):
        tokens[place, : len(each)] = each
    found = np.zeros(len(pairs))
    order = np.argsort(lengths[pairs].max(axis=1), kind="stable")
    for start in range(0, len(order), _AT_ONCE):
        some = order[start : start + _AT_ONCE]
        found[some] = _align(tokens, lengths, pairs[some])
    return found / np.maximum(lengths[pairs].max(axis=1), 1)


def _align(tokens: np.ndarray, lengths: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Levenshtein's distances, all pairs at once, a row of their tables at a time."""
    width = int(lengths[pairs].max(initial=1))
    first, second = tokens[pairs[:, 0], :width], tokens[pairs[:, 1], :width]
    ends = lengths[pairs]
    steps = np.arange(width + 1, dtype=np.int32)
    above = np.tile(steps, (len(pairs), 1))
    found = np.where(ends[:, 0] == 0, ends[:, 1], 0)
    for i in range(1, width + 1):
        row = np.empty_like(above)
        row[:, 0] = i
        row[:, 1:] = np.minimum(above[:, :-1] + (first[:, i - 1, None] != second), above[:, 1:] + 1)
        above = np.minimum.accumulate(row - steps, axis=1) + steps
        done = ends[:, 0] == i
        found[done] = above[done, ends[done, 1]]
    return found


def measure_letters(texts: Sequence[str], pairs: np.ndarray) -> np.ndarray:
    """One less the share of runs of three letters that two texts have in common (Dice), of shape (N,).

    >>> measure_letters(["abcd", "abce"], np.array([[0, 1]])).round(3).tolist()
    [0.5]
    """
    runs = [Counter(text[i : i + 3] for i in range(max(len(text) - 2, 1))) for text in texts]
    sizes = [sum(each.values()) for each in runs]
    return np.array([1 - 2 * (runs[i] & runs[j]).total() / (sizes[i] + sizes[j]) for i, j in pairs.tolist()])


def measure_pixels(thumbnails: np.ndarray, pairs: np.ndarray, *, turned: bool) -> np.ndarray:
    """The mean difference of grey squares, from 0 to 1; ``turned``: of the second in the best of four ways, as it is,
    upside down, mirrored, and both.

    Args:
        thumbnails: ``uint8`` of shape (items, side, side), the side a multiple of 48.
    """
    step = thumbnails.shape[1] // _SIDE
    small = thumbnails[:, : step * _SIDE, : step * _SIDE].reshape(-1, _SIDE, step, _SIDE, step).mean(axis=(2, 4))
    small = (small / 255).astype(np.float32)
    found = np.full(len(pairs), np.inf)
    for down, across in ((1, 1), (-1, 1), (1, -1), (-1, -1)) if turned else ((1, 1),):
        for start in range(0, len(pairs), _AT_ONCE):
            some = pairs[start : start + _AT_ONCE]
            gaps = np.abs(small[some[:, 0]] - small[some[:, 1], ::down, ::across]).mean(axis=(1, 2))
            found[start : start + _AT_ONCE] = np.minimum(found[start : start + _AT_ONCE], gaps)
    return found
