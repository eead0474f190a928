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
_EXCLUSIVE = (
    *_PAIRS,
    ("cyclic", "nonabelian"),
    ("prime", "composite"),
    ("positive", "negative"),
    ("positive", "zero"),
    ("negative", "zero"),
    ("nonnegative", "negative"),
    ("zero", "nonzero"),
    ("countable", "uncountable"),
    ("finite", "uncountable"),
    ("true", "false"),
)
EXCLUDED: dict[str, frozenset[str]] = {
    word: frozenset(b if a == word else a for a, b in _EXCLUSIVE if word in (a, b))
    for word in {word for pair in _EXCLUSIVE for word in pair}
}
"""Words of which a thing is never two."""
