"""Pairs of fields in which one thing is said twice (MELD Sec. 3).

MELD has nine. Three are named in the text that we have of the paper, whose table is lost; the six others are ours,
chosen so that each has a body of basic results that both fields state.
"""

from __future__ import annotations

FIELDS: tuple[tuple[str, str], ...] = (
    ("set theory", "category theory"),
    ("vector spaces", "module theory"),
    ("representation theory", "Fourier analysis"),
    ("commutative algebra", "algebraic geometry"),
    ("group theory", "algebraic topology"),
    ("probability theory", "measure theory"),
    ("graph theory", "linear algebra"),
    ("order theory", "topology"),
    ("number theory", "ring theory"),
)
