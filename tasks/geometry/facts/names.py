"""Names of things: which spellings mean the same, and how many letters an edit changes.

MMCLIP Fig. 8 asks that a changed name differs in at least two letters and is no cyclic or reversed name of the same
thing. Letters are counted place by place, as in the figure's own examples (``ABCD`` to ``CBDA``); ``AC`` to ``CA`` and
``ABCD`` to ``CDAB`` name the same thing and are no edits at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import permutations

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.judge import canonicalise
from counterfoil.tasks.geometry.facts.orders import Arguments
from counterfoil.tasks.geometry.facts.predicates import PREDICATES

LEAST_LETTERS = 2


@lru_cache(maxsize=8192)
def find_meaning(claim: Fact) -> Fact:
    """One form for all the ways of claiming the same.

    Stricter than `facts.canonicalise` in one point: ``D lies on AB`` says which of the three is between the others.
    And ``AB \\perp BC`` is the right angle at B.

    Raises:
        counterfoil.tasks.geometry.facts.judge.FactError: the predicate is unknown.
    """
    arguments = claim.arguments
    if claim.predicate == "circle":
        return Fact("circle", arguments)
    if claim.predicate == "collinear" and len(arguments) == 3:
        start, end = sorted((arguments[0], arguments[2]))
        return Fact("collinear", (start, arguments[1], end))
    if claim.predicate == "perpendicular" and len(set(arguments)) == 3:
        (corner,) = set(arguments[:2]) & set(arguments[2:])
        first, last = sorted(set(arguments) - {corner})
        return canonicalise(Fact("angle", (first, corner, last), "90"))
    return canonicalise(claim)


def list_spellings(fact: Fact) -> tuple[Fact, ...]:
    """The orders of the arguments in which a caption may name the same fact, the given one first."""
    arguments = fact.arguments
    if fact.predicate == "collinear":
        # Unordered as a fact, but a caption names the points in their order on the line.
        orders: Iterable[Arguments] = (arguments, arguments[::-1])
    elif len(arguments) == 3 and PREDICATES[fact.predicate].group == "shape":
        orders = permutations(arguments)
    else:
        orders = dict.fromkeys((arguments, *PREDICATES[fact.predicate].forms(arguments)))
    return tuple(Fact(fact.predicate, tuple(order), fact.value) for order in orders)


def count_changed_letters(old: Fact, new: Fact) -> int:
    """Places at which the names of two facts with equally many arguments differ."""
    return sum(a != b for a, b in zip(old.arguments, new.arguments, strict=True))


def is_renaming(old: Fact, new: Fact) -> bool:
    """Whether ``new`` says of the same things the same as ``old``, under other names (AB and BA, ABCD and CDAB)."""
    return find_meaning(old) == find_meaning(new)


def spell_change(old: Fact, new: Fact, rng: np.random.Generator) -> Fact | None:
    """``new`` spelt so that it differs from ``old`` in at least two letters; every such spelling is equally likely.

    So a changed name is turned round as often as the caption's own names are. None where it is the same thing, or no
    spelling differs enough.
    """
    if is_renaming(old, new):
        return None
    spellings = [each for each in list_spellings(new) if count_changed_letters(old, each) >= LEAST_LETTERS]
    return spellings[int(rng.integers(len(spellings)))] if spellings else None


def relabel(fact: Fact, names: Mapping[str, str]) -> Fact:
    """``fact`` with its points and circles called by other names."""
    return Fact(fact.predicate, tuple(names.get(name, name) for name in fact.arguments), fact.value)


def list_named_segments(fact: Fact) -> frozenset[frozenset[str]]:
    """The segments that a claim says are there: sides of its shape, the segments that it compares or measures."""
    return frozenset(PREDICATES[fact.predicate].list_strokes(fact.arguments))
