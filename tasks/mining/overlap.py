"""How much two sets of rows have in common: the nearest of B for each row of A (MMCLIP Tables 10 and 12, Figure 17).

Two uses. Of a training set and a test, the shares say whether the test was seen, and what is too near is dropped
(MMCLIP drops what is nearer than 0.995). Of two families, the shares say how alike their rows are, and the separation
(Table 11) how easily they are told apart: by k-means with two clusters, which knows no family, the share of rows whose
cluster is their family's; the adjusted Rand index, which chance leaves at 0; the silhouette of the families themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from counterfoil.tasks.encoders import Encoder, Modality
from counterfoil.tasks.mining.errors import MiningError
from counterfoil.tasks.mining.index import search
from counterfoil.tasks.mining.sides import Item, Side
from counterfoil.tasks.mining.sound import describe_flaws, find_flaws
from counterfoil.tasks.mining.vectors import VectorTable
from counterfoil.tasks.packages import import_package

THRESHOLDS = (0.995, 0.99, 0.98, 0.97, 0.9, 0.85, 0.7, 0.6)
"""MMCLIP's, of both tables."""
_MOST = 2000
"""Rows of each side by which they are told apart."""
_SHOWN = 600
"""Rows of each side on the plot."""


@dataclass(frozen=True)
class Pair:
    """A row of A and one of B, and their cosine."""

    a: Item
    b: Item
    score: float


@dataclass(frozen=True)
class Separation:
    """How easily the two sides are told apart without knowing which is which."""

    accuracy: float
    """Share of rows in the cluster that stands for their side: 0.5 is chance."""
    rand: float
    """The adjusted Rand index of clusters and sides: 0 is chance, 1 the same."""
    silhouette: float
    """Of the sides, by cosine: from -1 (each row is nearer to the other side) to 1."""
    places: np.ndarray
    """``float64`` of shape (rows, 2): rows in the plane by t-SNE, A's first."""
    sides: np.ndarray
    """``bool``: which of ``places`` are B's."""


@dataclass(frozen=True)
class Overlap:
    """What two sets of rows have in common."""

    a: Side
    b: Side
    kind: Modality
    encoder: str
    nearest: np.ndarray
    """``float32`` of shape (rows of A, k): cosines of the nearest rows of B, the nearest first."""
    ids: tuple[str, ...]
    """Ids of the rows of A."""
    rows_b: int
    pairs: tuple[Pair, ...]
    """The nearest of all, the nearest first; each row of A once with each of its nearest."""
    how: str
    separation: Separation | None

    def share_over(self, threshold: float) -> float:
        """Share of the rows of A with a row of B nearer than ``threshold``."""
        return float((self.nearest[:, 0] > threshold).mean())

    def list_over(self, threshold: float) -> set[str]:
        """Ids of those rows."""
        return {self.ids[place] for place in np.flatnonzero(self.nearest[:, 0] > threshold)}


def measure_overlap(
    a: Side,
    b: Side,
    encoder: Encoder,
    kind: Modality,
    *,
    k: int = 5,
    pairs: int = 50,
    separate: bool = True,
    folder: Path,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Overlap:
    """Compare the texts (or pictures) of ``a`` with those of ``b``.

    Args:
        k: nearest rows of B for each row of A.
        pairs: how many of the nearest pairs to return.
        folder: where vectors are kept.

    Raises:
        MiningError: a side has no such rows, or the same rows are on both.
        EncoderError: the encoder does not encode them.
    """
    if a == b:
        raise MiningError(f"{a.name} is compared with itself: every row would be its own nearest")
    items = [list(side.read(kind)) for side in (a, b)]
    for side, rows in zip((a, b), items, strict=True):
        if not rows:
            raise MiningError(f"{side.name} has no {'text' if kind == 'text' else 'picture'} to compare")
    table = VectorTable(folder, encoder)
    vectors = [
        table.encode(kind, _list_contents(rows, kind), partial(progress, side.name))
        for side, rows in zip((a, b), items, strict=True)
    ]
    left_out = []
    for number, side in enumerate((a, b)):
        flaws = find_flaws(vectors[number])
        kept = [place for place in range(len(items[number])) if place not in flaws]
        if not kept:
            raise MiningError(f"{side.name}: {describe_flaws(flaws, 'rows')}, and none is left to compare")
        if flaws:
            left_out.append(f"{side.name}: {describe_flaws(flaws, 'rows')}")
            items[number], vectors[number] = [items[number][place] for place in kept], vectors[number][kept]
    searched = search(vectors[0], vectors[1], min(k, len(items[1])))
    found = searched.neighbours
    return Overlap(
        a,
        b,
        kind,
        encoder.name,
        found.scores,
        tuple(item.row_id for item in items[0]),
        len(items[1]),
        tuple(_list_pairs(items[0], items[1], found.rows, found.scores, pairs)),
        "; ".join([searched.describe(), *left_out]),
        separate_sides(vectors[0], vectors[1]) if separate else None,
    )


def _list_contents(rows: list[Item], kind: Modality) -> list[str] | list[bytes]:
    return [item.text or "" for item in rows] if kind == "text" else [item.image or b"" for item in rows]


def _list_pairs(a: list[Item], b: list[Item], rows: np.ndarray, scores: np.ndarray, most: int) -> list[Pair]:
    order = np.argsort(-scores, axis=None, kind="stable")[:most]
    places = zip(*np.unravel_index(order, scores.shape), strict=True)
    return [Pair(a[i], b[rows[i, j]], float(scores[i, j])) for i, j in places]


def separate_sides(a: np.ndarray, b: np.ndarray) -> Separation | None:
    """How easily vectors are told apart; None where a side has fewer than three."""
    import_package("sklearn", "an overlap", "mining")
    from sklearn.cluster import KMeans
    from sklearn.manifold import TSNE
    from sklearn.metrics import adjusted_rand_score, silhouette_score

    # As many of each side: else one cluster is right for most by being large.
    count = min(len(a), len(b), _MOST)
    if count < 3:
        return None
    both = np.vstack([_spread(a, count), _spread(b, count)]).astype(np.float64)
    sides = np.arange(2 * count) >= count
    clusters = KMeans(2, n_init=10, random_state=0).fit_predict(both)
    agree = float((clusters == sides).mean())
    alike = bool((both == both[0]).all())
    silhouette = 0.0 if alike else float(silhouette_score(both, sides, metric="cosine"))
    shown = min(count, _SHOWN)
    some = np.vstack([_spread(both[:count], shown), _spread(both[count:], shown)])
    near = min(30.0, (2 * shown - 1) / 3)
    places = TSNE(2, perplexity=near, init="pca", random_state=0).fit_transform(some)
    rand = float(adjusted_rand_score(sides, clusters))
    return Separation(max(agree, 1 - agree), rand, silhouette, places, np.arange(2 * shown) >= shown)


def _spread(rows: np.ndarray, count: int) -> np.ndarray:
    return rows[np.linspace(0, len(rows) - 1, count).astype(np.int64)]
