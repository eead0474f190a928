"""How likely numbers are in problems, and other numbers drawn so that neither side of an edit is the likelier.

Were 8 as often made 11 as 11 is made 8, problems, which write 8 four times as often, would lose it, and a model that
sees no picture would know a negative by its odd numbers. So a number gives way to another as often as that one gives
way to it (detailed balance): a neighbour is drawn in proportion to how often problems write it, and taken with the
probability min(1, Z(old) / Z(new)), where Z adds up the weights of a number's neighbours (Metropolis and Hastings).

The counts are those of lengths, degrees and expressions in 1,610 problems of Geometry3K.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import numpy as np

Weigh = Callable[[int], float]
"""How often problems write a number, up to a factor."""
_LENGTHS = (8, 52, 96, 113, 133, 135, 63, 144, 85, 124, 38, 155, 43, 54, 99, 49, 28, 49, 16, 69, 33, 18, 11, 39, 25)
"""Lengths of 1 to 25 in all problems; of longer ones there are few of each."""
_FACTORS = (0, 303, 258, 131, 99, 52, 23, 26, 28, 13, 6, 4, 4, 5, 8)
"""What unknowns are multiplied by, 1 to 15. An unknown alone has no number that an edit could change."""
_TERMS = (76, 82, 82, 98, 95, 78, 49, 60, 37, 41, 33, 25, 13, 10, 21, 15, 7, 7, 2, 19)
"""What is added to unknowns or taken from them, 1 to 20."""
_DEGREES = ((20, 0.8), (25, 4.0), (60, 8.5), (80, 6.0), (120, 3.6), (135, 2.6), (180, 0.8), (361, 0.4))
"""Degrees up to a bound, per degree that is no multiple of five."""
_FAVOURED = {30: 9.0, 45: 8.0, 60: 10.0}


@lru_cache(4096)
def weigh_length(number: int) -> float:
    """8 stands in problems as a length nearly four times as often as 11.

    >>> round(weigh_length(8) / weigh_length(11), 1)
    3.8
    """
    if number <= len(_LENGTHS):
        return float(_LENGTHS[number - 1]) if number > 0 else 0.0
    return max(10.0 * float(np.exp((25 - number) / 18)), 0.3) * (2.0 if number % 5 == 0 else 1.0)


@lru_cache(4096)
def weigh_degrees(number: int) -> float:
    """Multiples of five are commoner than their neighbours; a right angle is written as such, not as 90 degrees.

    >>> weigh_degrees(90), weigh_degrees(60) / weigh_degrees(59)
    (0.0, 10.0)
    """
    if number == 90:
        return 0.0
    bound = next((weight for most, weight in _DEGREES if number <= most), 0.0)
    return bound * _FAVOURED.get(number, (2.0 if number % 10 == 0 else 1.5) if number % 5 == 0 else 1.0)


def weigh_factor(number: int) -> float:
    """``2x`` is the commonest of all."""
    return float(_FACTORS[number - 1]) if 0 < number <= len(_FACTORS) else 1.0


def weigh_term(number: int) -> float:
    """The 5 of ``x+5``."""
    if number <= len(_TERMS):
        return float(_TERMS[number - 1]) if number > 0 else 0.0
    return 4.0 if number % 10 == 0 else 1.5


def order_likely(
    old: int, list_near: Callable[[int], Iterable[int]], weigh: Weigh, rng: np.random.Generator
) -> tuple[list[int], list[int]]:
    """The numbers near ``old`` in a random order, likely ones first, and apart those that gave way in the draw.

    ``list_near`` must be symmetric: 8 is near 10 where 10 is near 8.
    """
    near = [number for number in list_near(old) if weigh(number) > 0]
    if not near:
        return [], []
    weights = np.array([weigh(number) for number in near])
    own = weights.sum()
    others = np.array([sum(map(weigh, list_near(number))) for number in near])
    taken = rng.random(len(near)) < own / np.maximum(others, 1e-9)
    order: Sequence[int] = np.argsort(-(np.log(weights) + rng.gumbel(size=len(near))), kind="stable").tolist()
    return [near[i] for i in order if taken[i]], [near[i] for i in order if not taken[i]]
