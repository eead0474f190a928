"""Where an anchor stands among its contrasts: how much oftener than by chance it is pointed at as the middle of its
set, the edge, or the one that stands unlike the others, by words and by letters.

In a set of three there is always one that is unlike: were it the anchor, now in the middle and now at the edge, both
would be as frequent as by chance and yet the odd one out be the anchor every time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterfoil.tasks.tells.distances import measure_edits, measure_letters
from counterfoil.tasks.tells.wording import split_tokens

NEAREST = 3
"""The nearest others of which the mean distance is taken, beside that of all."""
PLACES = 32
"""What `measure_places` says of a set."""
_HAIR = 1e-9


def measure_places(
    texts: Sequence[str], mine: int, sets: Sequence[np.ndarray], named: np.ndarray | None = None
) -> np.ndarray:
    """How much likelier than by chance the anchor's first text, and any one of its texts, is pointed at in each of some
    sets of its contrasts.

    Args:
        texts: the ``mine`` texts of an anchor, then those of its contrasts.
        sets: places among the contrasts.
        named: of each contrast, which of the anchor's texts it stands beside; left out, all do beside all.

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
        owns = range(mine) if named is None else dict.fromkeys(named[chosen].tolist())
        told = np.array([_point(tables, np.array([own, *(mine + chosen)])) for own in owns])
        measured[number] = np.concatenate([told[0], told.mean(axis=0)])
    return measured


def _point(tables: Sequence[np.ndarray], members: np.ndarray) -> list[float]:
    """Of one set, the anchor first."""
    excess = []
    for table in tables:
        among = np.sort(table[np.ix_(members, members)] + np.diag(np.full(len(members), np.inf)), axis=1)[:, :-1]
        for far in (among.mean(axis=1), among[:, :NEAREST].mean(axis=1)):
            gap = far - far.mean()
            ways = [(far, far.min(), True), (far, far.max(), True)]
            # Nearer than all others and further: each by itself, as a judge that sees which it is tells them apart.
            ways += [(np.abs(gap), np.abs(gap).max(), gap[np.abs(gap).argmax()] * side > _HAIR) for side in (-1, 1)]
            for measured, end, so in ways:
                there = np.abs(measured - end) < _HAIR
                excess.append(there[0] / there.sum() - 1 / len(members) if so else 0.0)
    return excess
