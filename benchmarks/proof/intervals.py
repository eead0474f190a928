"""95 % intervals over source rows and seeds at once: what other rows and other seeds of training would have changed.

The variance of a mean over seeds is that over source rows, by drawing them again (whole, so that what was made of one
stays together), and that over seeds, of which there are few: so the interval is Student's, with Satterthwaite's degrees
of freedom (1946, *An approximate distribution of estimates of variance components*). Where seeds decide, three of them
make it wide, as they should.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from counterfoil.tasks.contract.context import generator

DRAWS = 1000
_SHARE = 0.975


def bound_over_seeds(
    values: np.ndarray, blocks: Sequence[str], terms: Sequence[tuple[Sequence[int], float]]
) -> tuple[float, float]:
    """The interval of the mean over seeds of a weighted sum of means; of one seed it knows the source rows alone.

    Args:
        values: ``float64`` of shape (seeds, items).
        blocks: of each item, the source row that it is of.
        terms: positions of items, and the weight of their mean.

    Where items agree and three seeds do not, it is 0.5 -+ 4.303 * 0.1 / 3 ** 0.5:

    >>> apart = np.array([[0.4] * 4, [0.5] * 4, [0.6] * 4])
    >>> [round(each, 4) for each in bound_over_seeds(apart, "abcd", [([0, 1, 2, 3], 1.0)])]
    [0.2516, 0.7484]
    """
    from scipy.stats import t as student

    known, place = np.unique(np.array(list(blocks), dtype=object).astype(str), return_inverse=True)
    taken = [(np.array(items, dtype=np.int64), weight) for items, weight in terms]
    seeds = np.array([sum(weight * own[items].mean() for items, weight in taken) for own in values])
    mean = values.mean(axis=0)
    sums = np.stack([np.bincount(place[items], mean[items], minlength=len(known)) for items, _ in taken], axis=1)
    counts = np.stack([np.bincount(place[items], minlength=len(known)) for items, _ in taken], axis=1)
    times = _draw_blocks(len(known))
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = ((times @ sums) / (times @ counts)) @ np.array([weight for _, weight in taken])
    rows = float(np.nanvar(drawn))
    spread = float(seeds.var(ddof=1)) / len(seeds) if len(seeds) > 1 else 0.0
    level, both = float(seeds.mean()), rows + spread
    free = both**2 / (spread**2 / (len(seeds) - 1)) if spread else np.inf
    far = float(student.ppf(_SHARE, free)) * both**0.5
    return level - far, level + far


@lru_cache(maxsize=8)
def _draw_blocks(count: int) -> np.ndarray:
    """How often each source row is drawn, [draws, rows]: the same draws for every figure of as many source rows."""
    return (
        generator("proof.interval", count).multinomial(count, np.full(count, 1 / count), size=DRAWS).astype(np.float64)
    )
