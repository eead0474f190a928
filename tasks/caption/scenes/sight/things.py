"""How a thing looks by its pixels: its colour, its size, its pattern, how many of it there are.

Each question is answered yes, no, or None where a stranger could say either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from counterfoil.tasks.caption.scenes.catalogue import NOUNS, Noun
from counterfoil.tasks.caption.scenes.graph import Size
from counterfoil.tasks.caption.scenes.sight.colours import NAMES, name_colours
from counterfoil.tasks.caption.scenes.sight.regions import Region, bound

SHOWN, HIDDEN = 0.2, 0.1
"""A thing is red if at least the first share of what is looked at is red, and not red if less than the second is."""
SEEN = 0.5
"""Less of a thing than this share in sight, and it is hidden."""
SMALL, BIG = 0.76, 1.22
"""Heights in shares of what is common for the noun: below the first a thing is small, above the second it is big."""
_SURE = 0.05


@dataclass(frozen=True)
class SeenThing:
    """All copies of one thing."""

    noun: Noun
    copies: tuple[Region, ...]
    colours: dict[str, float]
    """Share of each colour term in what is looked at for the noun's colour."""
    height: float
    """of its tallest copy, in shares of what is common for the noun"""

    @property
    def visible(self) -> np.ndarray:
        return np.logical_or.reduce([copy.visible for copy in self.copies])

    @property
    def whole(self) -> np.ndarray:
        return np.logical_or.reduce([copy.whole for copy in self.copies])

    @property
    def box(self) -> tuple[int, int, int, int]:
        return bound(self.whole)

    def is_seen(self) -> bool:
        """Whether every copy is mostly in sight."""
        return all(copy.visible.sum() >= SEEN * copy.whole.sum() for copy in self.copies)

    def has_colour(self, name: str) -> bool | None:
        share = self.colours.get(name, 0.0)
        rivals = [self.colours.get(other, 0.0) for other in self.noun.colours]
        if share >= SHOWN and share >= max(rivals) - 0.02:
            return True
        return False if share < HIDDEN else None

    def has_size(self, size: Size) -> bool | None:
        """Whether it is small or big; of what is neither some would say the one or the other, and so of a height near
        a border."""
        if SMALL - _SURE < self.height < BIG + _SURE:
            border = min(abs(self.height - SMALL), abs(self.height - BIG)) < _SURE
            return True if size == "medium" and not border else None
        return size == ("small" if self.height < SMALL else "big")


def see_thing(regions: list[Region], pixels: np.ndarray) -> SeenThing:
    """The looks of the copies of one thing in a picture (336, 336, 3)."""
    noun = NOUNS[regions[0].noun]
    counts = np.zeros(len(NAMES))
    for region in regions:
        looked_at = scipy.ndimage.binary_erosion(region.visible & _band(region, noun))
        counts += np.bincount(name_colours(pixels[looked_at]), minlength=len(NAMES))
    total = max(counts[1:].sum(), 1.0)
    colours = {name: float(count / total) for name, count in zip(NAMES[1:], counts[1:], strict=True) if count}
    heights = [region.scale / noun.scale for region in regions]
    return SeenThing(noun, tuple(regions), colours or {"none": 1.0}, max(heights))


def _band(region: Region, noun: Noun) -> np.ndarray:
    """The rows where a person looks for the colour."""
    _, y0, _, y1 = bound(region.whole)
    rows = np.zeros(region.visible.shape, bool)
    rows[y0 + int((y1 - y0) * noun.band[0]) : y0 + int(np.ceil((y1 - y0) * noun.band[1]))] = True
    return rows
