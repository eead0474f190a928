"""Words of which a thing is exactly one, where it is of their kind at all: of numbers, groups, spaces, polynomials."""

from __future__ import annotations

_PAIRS = (
    ("finite", "infinite"),
    ("finitely", "infinitely"),
    ("countable", "uncountable"),
    ("rational", "irrational"),
    ("reducible", "irreducible"),
    ("even", "odd"),
    ("connected", "disconnected"),
    ("abelian", "nonabelian"),
    ("bounded", "unbounded"),
    ("converges", "diverges"),
    ("convergent", "divergent"),
    ("invertible", "noninvertible"),
    ("empty", "nonempty"),
    ("solvable", "unsolvable"),
)
ANTONYMS = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
