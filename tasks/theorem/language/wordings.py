"""Wordings that say the same, as one: tables that `counterfoil.tasks.theorem.language.normal` reads statements by."""

from __future__ import annotations

from pathlib import Path

from counterfoil.storage.plain import read_toml

TABLES = read_toml(Path(__file__).with_name("wordings.toml"))
PHRASES: tuple[tuple[str, str], ...] = tuple(TABLES["phrases"].items())
"""What is written, and the one wording for it; those of more words are tried first."""
NUMBERS = {
    word: i for i, word in enumerate(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 2)
}
SETS = {"Z": "integer", "N": "natural", "Q": "rational", "R": "real", "C": "complex"}
KINDS = frozenset({"integer", "natural", "real", "rational", "complex", "prime", "even", "odd"})
OF_SIGN = {
    "positive": "gt",
    "negative": "lt",
    "nonnegative": "ge",
    "nonpositive": "le",
    "nonzero": "ne",
    "zero": "eq",
}
OPERATORS = {"≥": "ge", "≤": "le", ">": "gt", "<": "lt", "=": "eq", "≠": "ne"}
DIVIDES = {"divide": ("dvd", False), "ndivide": ("ndvd", False), "multiple": ("dvd", True), "nmultiple": ("ndvd", True)}
"""Head, and whether the operands are exchanged."""
