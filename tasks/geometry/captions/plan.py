r"""The plan of a caption: in which order claims come, and which of them share a clause.

What a figure is about comes first: the whole, as `select` finds it. After it a caption goes on in one of three ways:
sort by sort (shapes, places, relations, numbers), as one would draw the figure, where each new point follows the things
that it depends on and what is said of it follows at once, or with the numbers next to the things that they measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.mentions import Claims
from counterfoil.tasks.geometry.captions.wordings import find_corner, find_kinship
from counterfoil.tasks.geometry.facts.predicates import PREDICATES, SHAPES

ORDERS = ("sorts", "drawn", "things")
LEAST_CLAUSES = 5
"""Clauses from which on some share one."""
MOST_TOGETHER = 3
"""Facts of one sort that share a clause."""
_TOGETHER = ("midpoint", "collinear", "length", "angle", "radial", "chord", "tangent", "altitude", "median")
_OF_ONE = frozenset(("radial", "chord", "tangent", "altitude", "median"))
_ALIKE = 0.7
"""How often several lines of one circle or triangle share a clause: nobody says of each that it is a chord."""


@dataclass(frozen=True)
class Register:
    """A manner of writing, by how often it does what."""

    name: str
    signs: float
    """Relations and numbers in signs."""
    together: float
    """Facts of one sort in one clause."""
    opened: float
    """``In square ABCD, ...``; a shape of no sort opens what is said of it wherever it can."""
    owned: float
    """``whose``, ``its`` and ``with``."""
    joined: float
    """A clause after another in one sentence."""
    longest: int
    """Clauses of a sentence; equations count half."""
    words: int
    """Words after which no clause is joined."""


REGISTERS = (
    Register("textbook", signs=0.55, together=0.6, opened=0.8, owned=0.8, joined=0.8, longest=3, words=18),
    Register("plain", signs=0.3, together=0.3, opened=0.7, owned=0.5, joined=0.6, longest=2, words=14),
    Register("terse", signs=1.0, together=0.5, opened=0.7, owned=0.6, joined=0.9, longest=4, words=18),
)


def arrange(clauses: Sequence[Claims], order: str, rng: np.random.Generator) -> list[Claims]:
    """The clauses in one of `ORDERS`; the first stays the first, and of no clause is said what none has named before
    where another could come first."""
    if order == "sorts" or len(clauses) < 3:
        return list(clauses)
    left = list(clauses[1:])
    arranged = [clauses[0]]
    known = set(_list_names(clauses[0]))
    while left:
        noise = rng.random(len(left)).tolist()
        ranks = [(*_rank(claims, known, arranged[-1], order), noise[at]) for at, claims in enumerate(left)]
        picked = left.pop(ranks.index(min(ranks)))
        known |= _list_names(picked)
        arranged.append(picked)
    return arranged


def _rank(claims: Claims, known: set[str], before: Claims, order: str) -> tuple[int, int, int, int]:
    names = _list_names(claims)
    number = PREDICATES[claims[0].predicate].group == "measure"
    new = len(names - known)
    near = len(names & _list_names(before))
    # A shape comes where it brings letters, not before what can be said of those that are there.
    placed = new > 0 and claims[0].predicate not in SHAPES
    # Numbers of what is known come at once, or once everything is placed.
    if order == "drawn":
        return placed, new, int(number), -near
    return int(new > 0) + placed, -int(number and new == 0), 0, -near


def _list_names(claims: Claims) -> set[str]:
    return {name for claim in claims for name in claim.arguments}


def join_kin(clauses: Sequence[Claims], share: float, rng: np.random.Generator) -> list[Claims]:
    """Clauses of one sort together, each sort with the probability ``share``, where the last of them stood; a right
    triangle with its right angle, where the first stood. What has few clauses keeps them: each can be edited alone."""
    if len(clauses) < LEAST_CLAUSES:
        return list(clauses)
    joined = _join_right(clauses) if rng.random() < share else list(clauses)
    for sort in _TOGETHER:
        places = [i for i, claims in enumerate(joined) if len(claims) == 1 and claims[0].predicate == sort]
        if len(places) < 2 or rng.random() >= (max(share, _ALIKE) if sort in _OF_ONE else share):
            continue
        some = places[:MOST_TOGETHER]
        together = tuple(claim for i in some for claim in joined[i])
        if find_kinship(together):
            joined = [together if i == some[-1] else claims for i, claims in enumerate(joined) if i not in some[:-1]]
    return joined


def _join_right(clauses: Sequence[Claims]) -> list[Claims]:
    for i, claims in enumerate(clauses):
        if len(claims) != 1 or claims[0].predicate != "right_triangle":
            continue
        for j, other in enumerate(clauses):
            if i != j and len(other) == 1 and _is_right_angle_of(other[0], claims[0]):
                joined = list(clauses)
                joined[i] = (*claims, *other)
                del joined[j]
                return joined
    return list(clauses)


def _is_right_angle_of(fact: Fact, triangle: Fact) -> bool:
    return bool(find_corner(fact)) and set(fact.arguments) == set(triangle.arguments)
