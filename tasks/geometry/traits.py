"""What sorts of problem figures pose, for the report: what is asked for, in how many steps, of what figure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from counterfoil.storage.plain import read_toml
from counterfoil.storage.rows import Anchor, Fact
from counterfoil.tasks.geometry.facts.expressions import is_symbolic

ASKED, STEPS, FIGURE, NUMBERS, POINTS = "asked for", "steps of the answer", "figure", "numbers", "points"
_ASKED = (
    ("a coordinate", re.compile(r"coordinate|vertex of the parabola|midpoint of .* at", re.I)),
    ("a slope or an equation", re.compile(r"slope|gradient|equation|intercept", re.I)),
    ("a perimeter", re.compile(r"perimeter|circumference", re.I)),
    ("an area", re.compile(r"\barea\b", re.I)),
    ("a ratio", re.compile(r"ratio|scale factor|how many times|\bsin\b|\bcos\b|\btan\b", re.I)),
    ("an arc", re.compile(r"\barc\b|widehat|⌒", re.I)),
    ("an angle", re.compile(r"angle|∠", re.I)),
    ("a value of x", re.compile(r"(?:find|value of|solve for) (?:the value of )?\$?[a-z]\b", re.I)),
    ("a length", re.compile(r"length|distance|radius|diameter|side|height|altitude|[A-Z]'?[A-Z]'?", re.M)),
)
"""In this order: ``the length of arc AB`` asks for an arc, and ``find x`` for what x stands for."""
_TARGET = re.compile(r"(?:find|what|determine|calculate|solve|how)\b.*", re.I | re.S)
_NUMBERED = re.compile(r"(\d+)\. ")

USUAL: Mapping[str, Mapping[str, Mapping[str, float]]] = read_toml(Path(__file__).with_name("usual.toml"))
"""Name of a set of real problems to the share of each value of each trait."""


def count_steps(solution: str | None) -> int | None:
    """The steps of a solution that numbers them, a line each; None of any other.

    >>> count_steps("1. AB = BC.\\n2. AB = 6.")
    2
    """
    lines = (solution or "").splitlines()
    numbers = [match[1] for line in lines if (match := _NUMBERED.match(line))]
    return len(lines) if lines and numbers == [str(i) for i in range(1, len(lines) + 1)] else None


def list_traits(anchor: Anchor) -> dict[str, str]:
    """The value of each trait of a problem."""
    return describe_problem(anchor.question or "", anchor.facts, anchor.steps)


def describe_problem(question: str, facts: tuple[Fact, ...], steps: int | None) -> dict[str, str]:
    """The traits of a question about the figure that ``facts`` state."""
    points = sum(fact.predicate == "point" for fact in facts)
    return {
        ASKED: name_asked(question),
        STEPS: "not stated" if steps is None else str(steps) if steps < 7 else "7 or more",
        FIGURE: "on axes" if any(fact.predicate == "axes" for fact in facts) else "plain",
        NUMBERS: "with unknowns" if any(is_symbolic(fact.value) for fact in facts if fact.value) else "numbers alone",
        POINTS: "3 or fewer" if points < 4 else f"{points}" if points < 8 else "8 or more",
    }


def name_asked(question: str) -> str:
    """What a question asks for.

    >>> name_asked("ABCD is a square of side 4. Find the area of ABCD.")
    'an area'
    """
    target = _TARGET.search(question)
    text = target[0] if target else question
    return next((name for name, pattern in _ASKED if pattern.search(text)), "something else")
