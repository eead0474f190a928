"""Words of which a thing is exactly one, where it is of their kind at all: of numbers, groups, spaces, polynomials."""

from __future__ import annotations

from counterfoil.tasks.theorem.language.wordings import TABLES

_PAIRS: list[list[str]] = TABLES["antonyms"]
ANTONYMS = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
_EXCLUSIVE: list[list[str]] = [*_PAIRS, *TABLES["exclusive"]]
EXCLUDED: dict[str, frozenset[str]] = {
    word: frozenset(b if a == word else a for a, b in _EXCLUSIVE if word in (a, b))
    for word in {word for pair in _EXCLUSIVE for word in pair}
}
"""Words of which a thing is never two."""
