"""Vectors that can be compared: of the right width, with no number that is not finite, and not of nothing but zeros.

One NaN in a corpus is no neighbour of its own row alone: it wins or loses comparisons at random, takes a place in other
queries' lists, and some indexes refuse all rows for it. So each row is looked at before any search, and what cannot be
compared is named, counted and left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from counterfoil.tasks.mining.errors import MiningError

_BLOCK = 8192
_NAMED = 5


def check_width(vectors: np.ndarray, width: int | None, what: str) -> None:
    """That ``vectors`` are rows of ``width`` numbers, or of any where it is None.

    Raises:
        MiningError: they are not; the message begins with ``what``.
    """
    given = f"{what}: an array of {vectors.dtype} of shape {vectors.shape}"
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu":
        raise MiningError(f"{given}, where rows of numbers are needed")
    if width is not None and vectors.shape[1] != width:
        raise MiningError(f"{given}, where rows of {width} numbers are needed: both sides must be of one encoder")


def find_flaws(vectors: np.ndarray) -> dict[int, str]:
    """The rows of ``vectors`` (N, D) that cannot be compared, each with its reason; they may lie on a disk.

    >>> find_flaws(np.array([[0.6, 0.8], [np.nan, np.inf], [0, 0]]))
    {1: '2 of its 2 numbers are not finite', 2: 'all of its numbers are 0'}
    """
    flaws: dict[int, str] = {}
    for start in range(0, len(vectors), _BLOCK):
        block = np.asarray(vectors[start : start + _BLOCK])
        finite = np.isfinite(block)
        for row in np.flatnonzero(~(finite.all(axis=1) & block.any(axis=1))):
            wrong = int((~finite[row]).sum())
            told = f"{wrong} of its {block.shape[1]} numbers are not finite" if wrong else "all of its numbers are 0"
            flaws[start + int(row)] = told
    return flaws


def describe_flaws(flaws: Mapping[int, str], what: str) -> str:
    """A line for the user: how many rows were left out, why, and the first of them.

    >>> describe_flaws({3: "all of its numbers are 0"}, "queries")
    '1 of the queries left out: all of its numbers are 0 (row 3)'
    """
    kinds = Counter("numbers are not finite" if "finite" in told else told for told in flaws.values())
    if len(flaws) == 1:
        ((row, told),) = flaws.items()
        return f"1 of the {what} left out: {told} (row {row})"
    why = ", ".join(f"{kind} {count:,}" for kind, count in sorted(kinds.items()))
    named = ", ".join(str(row) for row in sorted(flaws)[:_NAMED])
    more = ", ..." if len(flaws) > _NAMED else ""
    return f"{len(flaws):,} of the {what} left out: {why} (rows {named}{more})"
