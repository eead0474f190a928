"""Where an anchor stands among its contrasts: how much oftener than by chance it is pointed at as the middle of its
set, or the edge, by words and by letters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterfoil.tasks.tells.distances import measure_edits, measure_letters
from counterfoil.tasks.tells.wording import split_tokens

NEAREST = 3
"""The nearest others of which the mean distance is taken, beside that of all."""
PLACES = 16
"""What `measure_places` says of a set."""
_HAIR = 1e-9


def measure_places(texts: Sequence[str], mine: int, sets: Sequence[np.ndarray]) -> np.ndarray:
    """How much likelier than by chance the anchor's first text, and any one of its texts, is pointed at in each of some
    sets of its contrasts.

    Args:
        texts: the ``mine`` texts of an anchor, then those of its contrasts.
        sets: places among the contrasts.

    Returns:
        ``float64`` of shape (sets, `PLACES`).
    """
    first, second = np.triu_indices(len(texts), 1)
    pairs = np.column_stack([first, second])
    tables = []
    for found in (measure_edits([split_tokens(text) for text in texts], pairs), measure_letters(texts, pairs)):
        table = np.zeros((len(texts), len(texts)))
        table[first, second] = found
        tables.append(table + table.T)
    measured = np.zeros((len(sets), PLACES))
    for number, chosen in enumerate(sets):
        told = np.array([_point(tables, np.array([own, *(mine + chosen)])) for own in range(mine)])
        measured[number] = np.concatenate([told[0], told.mean(axis=0)])
    return measured


def _point(tables: Sequence[np.ndarray], members: np.ndarray) -> list[float]:
    """Of one set, the anchor first."""
    excess = []
    for table in tables:
        among = np.sort(table[np.ix_(members, members)] + np.diag(np.full(len(members), np.inf)), axis=1)[:, :-1]
        for far in (among.mean(axis=1), among[:, :NEAREST].mean(axis=1)):
            for end in (far.min(), far.max()):
                there = np.abs(far - end) < _HAIR
                excess.append(there[0] / there.sum() - 1 / len(members))
    return excess
