"""What each grade means, in a sentence, and contrasts counted by it: what is not shown is never summed with what is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from counterfoil.storage.rows import Grade

GRADES: tuple[Grade, ...] = get_args(Grade)
UNGRADED = "none stated"
"""What rows of tables from before there were grades go by."""
MEANINGS: Mapping[str, str] = {
    "proved": "Its verifier showed, on what was drawn or written, that it is what its role says.",
    "refuted": "A stored witness, such as an instance with numbers, shows that it is false.",
    "contradicts": "It contradicts its anchor, and so is only as false as its anchor is true.",
    "undecided": "Neither shown true nor shown false: it may be true of its anchor.",
    "unjudged": "Nobody looked: it was made to be what its role says, and nothing more is known.",
    UNGRADED: "Made before rows had grades; its checks say what it passed.",
}
OPEN: tuple[str, ...] = ("undecided", "unjudged")
"""Grades of rows that nothing is shown of."""


def name_grade(grade: str | None) -> str:
    """The grade that a row is counted under."""
    return grade or UNGRADED


def order_grades(counts: Mapping[str, int]) -> dict[str, int]:
    """The grades that occur, from the surest to what nobody looked at.

    >>> order_grades({"unjudged": 1, "proved": 2, "refuted": 0})
    {'proved': 2, 'unjudged': 1}
    """
    return {grade: counts[grade] for grade in MEANINGS if counts.get(grade)}


def count_open(counts: Mapping[str, int]) -> int:
    """Rows that nothing is shown of."""
    return sum(count for grade, count in counts.items() if grade in OPEN)


def tell_grades(counts: Mapping[str, int]) -> str:
    """Counts by grade in words.

    >>> tell_grades({"undecided": 4, "proved": 1200})
    '1,200 proved, 4 undecided'
    """
    return ", ".join(f"{count:,} {grade}" for grade, count in order_grades(counts).items())
