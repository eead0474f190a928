"""How often captions name things in the order of the alphabet: what letters exchanged at random would lose.

People letter a figure as they go round it: a quadrilateral is ABCD rather than ACBD in three figures of five, where
chance would have one of three. An edit that takes such an order away as often as not would show in its words.
"""

from __future__ import annotations

from collections.abc import Iterable

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.predicates import QUADRILATERAL_KINDS

_MIDDLE = {"angle": 0.41, "equal_angle": 0.41, "perpendicular": 0.26, "collinear": 0.22}
"""How often the inner point's letter is the middle one of three."""
_ROUND = 0.61
"""How often a quadrilateral's letters run in the alphabet's order as one goes round it."""


def weigh_name(claim: Fact) -> float:
    """How likely captions are to name what ``claim`` is about in this order, among the three that there are.

    >>> weigh_name(Fact("angle", ("A", "B", "C"), "60")), weigh_name(Fact("collinear", ("A", "B", "C")))
    (0.41, 0.22)
    """
    names = claim.arguments
    if len(names) == 4 and claim.predicate in QUADRILATERAL_KINDS:
        across = names[(names.index(min(names)) + 2) % 4]
        return _ROUND if across == sorted(names)[2] else (1 - _ROUND) / 2
    share = _MIDDLE.get(claim.predicate)
    if share is None or len(set(names)) != 3:
        return 1.0
    inner = next(name for name in names if names.count(name) == 2) if len(names) == 4 else names[1]
    return share if inner == sorted(set(names))[1] else (1 - share) / 2


def compare_names(old: Iterable[Fact], new: Iterable[Fact]) -> float:
    """How much likelier the names of ``new`` are than those of ``old``."""
    ratio = 1.0
    for claim in new:
        ratio *= weigh_name(claim)
    for claim in old:
        ratio /= weigh_name(claim)
    return ratio
