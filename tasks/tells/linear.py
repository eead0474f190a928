"""A linear score learnt from differences: logistic regression without an intercept, by accelerated gradient steps.

Its own, and plain: a fixed number of steps and sums in a fixed order, so that the same rows give the same weights on
every machine to the last few of their digits. What is refined by such scores must not depend on who runs it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import scipy

STEPS = 150
_POWER_STEPS = 12


def learn_weights(gaps: scipy.sparse.csr_array, weights: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """Each column w minimises |w|^2 / 2 + strength * sum_i weight_i log(1 + exp(-gaps_i w)), after `STEPS` steps.

    ``gaps`` (pairs, features) are anchors' features less their contrasts': a good w makes ``gaps @ w`` positive. The
    columns of ``weights`` (pairs, problems) are learnt side by side, a pair of weight 0 being none of a problem's.
    Nesterov's method with the step that the loss's curvature allows. Shape (features, problems).
    """
    turned = gaps.T.tocsr()
    found = np.zeros((gaps.shape[1], len(strengths)))
    if not gaps.shape[0] or not gaps.nnz or not len(strengths):
        return found
    step = 1 / (1 + strengths * 0.25 * _measure_curvature(gaps, turned, weights))
    ahead, before = found.copy(), 1.0
    for _ in range(STEPS):
        pull = weights / (1 + np.exp(np.clip(gaps @ ahead, -500, 500)))
        moved = ahead - step * (ahead - strengths * (turned @ pull))
        after = (1 + (1 + 4 * before * before) ** 0.5) / 2
        ahead = moved + (before - 1) / after * (moved - found)
        found, before = moved, after
    return found


def _measure_curvature(gaps: scipy.sparse.csr_array, turned: scipy.sparse.csr_array, weights: np.ndarray) -> np.ndarray:
    """The largest eigenvalues of the weighted products of the features, a little over, by power iteration."""
    direction = np.full((gaps.shape[1], weights.shape[1]), 1 / gaps.shape[1] ** 0.5)
    sizes = np.zeros(weights.shape[1])
    for _ in range(_POWER_STEPS):
        product = turned @ (weights * (gaps @ direction))
        sizes = np.sqrt((product * product).sum(axis=0))
        direction = product / np.where(sizes > 0, sizes, 1)
    squares = np.asarray(gaps.multiply(gaps).sum(axis=1)).ravel()
    return np.where(sizes > 0, 1.3 * sizes, squares @ weights)


class Vocabulary:
    """N-grams that enough texts have, and texts as rows of the logarithms of their counts."""

    def __init__(self, texts: Sequence[Sequence[str]], fewest: int) -> None:
        spread = Counter(gram for text in texts for gram in set(text))
        self.grams = sorted(gram for gram, count in spread.items() if count >= fewest)
        self._place = {gram: place for place, gram in enumerate(self.grams)}

    def count(self, texts: Sequence[Sequence[str]]) -> scipy.sparse.csr_array:
        """log(1 + count) of each n-gram in each text: a long text must not shout. Shape (texts, n-grams)."""
        places: list[int] = []
        counts: list[int] = []
        ends = [0]
        for text in texts:
            found = Counter(self._place[gram] for gram in text if gram in self._place)
            for place in sorted(found):
                places.append(place)
                counts.append(found[place])
            ends.append(len(places))
        data = np.log1p(np.array(counts, dtype=np.float64))
        shape = (len(texts), len(self.grams))
        return scipy.sparse.csr_array(
            (data, np.array(places, dtype=np.int64), np.array(ends, dtype=np.int64)), shape=shape
        )
