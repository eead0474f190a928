"""How concrete the exchanged words are, and what goes with it (Concrete Jungle, Table 1 and Fig. 5).

Of the table's rows those that need no model: mean and median concreteness, the keywords, and of the paper's questions
whether concreteness goes with longer exchanges (Fig. 5d) and with pictures that differ more (Fig. 5c).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from counterfoil.storage.rows import Contrast
from counterfoil.tasks.report.tallies import Histogram, Tally
from counterfoil.tasks.report.words import split_words

BINS = (1.0, 3.0, 3.5, 4.0, 4.5, 5.0)
"""Edges of the bins of concreteness (ratings run from 1 to 5): most keywords are above 3."""
PAPER: Mapping[str, tuple[float, float, float]] = {
    "mean": (4.29, 3.81, 4.77),
    "median": (4.63, 3.89, 4.85),
    "image_to_text": (0.8712, 0.8357, 0.9225),
    "text_to_image": (0.4433, 0.4020, 0.5087),
    "bert": (0.8992, 0.8981, 0.8907),
    "clip_texts": (0.9197, 0.9279, 0.9029),
    "dino": (0.6514, 0.6707, 0.6225),
    "clip_images": (0.7168, 0.7270, 0.7000),
    "keywords": (11050, 11034, 11190),
}
"""Table 1 of the paper: words chosen without regard to concreteness (``none``), abstract ones (``low``), and concrete
ones (``high``), of COCO's training split."""
_TYPES = {"att": "attribute", "rel": "relation", "obj": "object"}


@dataclass(frozen=True)
class Band:
    """The rows of one bin of concreteness, ``low`` to under ``high`` (the last one includes its end)."""

    low: float
    high: float
    rows: int
    changed_words: float
    """Words that are others than the anchor's, mean over rows: the longer side of each exchange."""
    phrases: float
    """Share of rows whose keyword is of several words ("fire hydrant")."""
    similarity: float | None
    """Of pictures and their anchors', mean over rows that have one."""


@dataclass(frozen=True)
class FamilyConcreteness:
    """One family's row of the table."""

    family: str
    rows: int
    mean: float
    median: float
    keywords: int
    """Different words that were exchanged, in any case of letters."""
    balance: Mapping[str, float]
    """Shares of rows that change an attribute, a relation and an object: what ARO asks of, and the paper balances."""
    changed_words: float
    longer: float | None
    """Pearson's correlation of concreteness with the number of changed words; None where one of them never varies."""
    alike: float | None
    """Pearson's correlation of concreteness with the pictures' similarity."""
    bands: tuple[Band, ...]
    histogram: Histogram


@dataclass
class ConcretenessTally:
    """What is counted of one family's rows; its size grows with the vocabulary, not with the rows."""

    ratings: Tally = field(default_factory=lambda: Tally(0.01))
    keywords: set[str] = field(default_factory=set)
    types: Counter[str] = field(default_factory=Counter)
    lengths: _Moments = field(default_factory=lambda: _Moments())
    likeness: _Moments = field(default_factory=lambda: _Moments())
    bands: defaultdict[int, _BandTally] = field(default_factory=lambda: defaultdict(_BandTally))

    def add(self, contrast: Contrast) -> None:
        """Count a row, if it says how concrete its keyword is."""
        rating = contrast.concreteness
        if rating is None or not math.isfinite(rating) or not contrast.edits:
            return
        words = [max(len(split_words(edit.target)), len(split_words(edit.replacement))) for edit in contrast.edits]
        keyword = contrast.edits[0].target.lower()
        self.ratings.add(rating)
        self.keywords.add(keyword)
        self.types[_TYPES.get(contrast.edits[0].kind.rpartition("_")[2], "")] += 1
        self.lengths.add(rating, sum(words))
        band = self.bands[_find_band(rating)]
        band.rows += 1
        band.words += sum(words)
        band.phrases += " " in keyword
        if contrast.modality == "image" and contrast.similarity is not None:
            self.likeness.add(rating, contrast.similarity)
            band.similarities += contrast.similarity
            band.pictures += 1

    def describe(self, family: str) -> FamilyConcreteness | None:
        """The family's row; None where no row says how concrete its keyword is."""
        histogram = self.ratings.bin()
        if histogram is None:
            return None
        return FamilyConcreteness(
            family=family,
            rows=histogram.total,
            mean=histogram.mean,
            median=histogram.median,
            keywords=len(self.keywords),
            balance={name: self.types[name] / histogram.total for name in _TYPES.values()},
            changed_words=sum(band.words for band in self.bands.values()) / histogram.total,
            longer=self.lengths.correlate(),
            alike=self.likeness.correlate(),
            bands=tuple(band.describe(at) for at, band in sorted(self.bands.items())),
            histogram=histogram,
        )


def describe_concreteness(tallies: Mapping[str, ConcretenessTally]) -> tuple[FamilyConcreteness, ...]:
    """The rows of all families that have one, by name."""
    described = (tally.describe(family) for family, tally in sorted(tallies.items()))
    return tuple(each for each in described if each is not None)


@dataclass
class _BandTally:
    rows: int = 0
    words: int = 0
    phrases: int = 0
    similarities: float = 0.0
    pictures: int = 0

    def describe(self, at: int) -> Band:
        return Band(
            low=BINS[at],
            high=BINS[at + 1],
            rows=self.rows,
            changed_words=self.words / self.rows,
            phrases=self.phrases / self.rows,
            similarity=self.similarities / self.pictures if self.pictures else None,
        )


@dataclass
class _Moments:
    """Sums over pairs of numbers, about the first pair so that nothing cancels."""

    count: int = 0
    first: tuple[float, float] = (0.0, 0.0)
    sums: list[float] = field(default_factory=lambda: [0.0] * 5)

    def add(self, x: float, y: float) -> None:
        if not self.count:
            self.first = x, y
        self.count += 1
        x, y = x - self.first[0], y - self.first[1]
        for place, value in enumerate((x, y, x * x, y * y, x * y)):
            self.sums[place] += value

    def correlate(self) -> float | None:
        """Pearson's r.

        >>> pairs = _Moments()
        >>> for x, y in [(1, 2), (2, 4), (3, 5)]:
        ...     pairs.add(x, y)
        >>> round(pairs.correlate(), 4)
        0.982
        """
        x, y, xx, yy, xy = self.sums
        n = self.count
        spread = (n * xx - x * x) * (n * yy - y * y)
        return (n * xy - x * y) / math.sqrt(spread) if n > 1 and spread > 1e-12 else None


def _find_band(rating: float) -> int:
    inside = [at for at in range(len(BINS) - 1) if rating >= BINS[at]]
    return inside[-1] if inside else 0
