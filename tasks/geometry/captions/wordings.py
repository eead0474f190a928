r"""How facts are worded: several exact sentences for each predicate, after the rules of MMCLIP Fig. 7.

Symbols rather than words (``\triangle``, ``\angle``, ``\parallel``, ``\perp``, ``\odot``), nothing about formatting,
nothing inferred. Each wording is one that `tasks.geometry.captions.read` reads back to the same fact.
"""

from __future__ import annotations

from collections.abc import Sequence

from storage.rows import Fact
from tasks.geometry.captions.read import UNNAMED_CIRCLE

_KIND_WORDS = {
    "equilateral": "equilateral",
    "isosceles": "isosceles",
    "right_triangle": "right",
    "scalene": "scalene",
    "acute": "acute",
    "obtuse": "obtuse",
}
_SHAPE_WORDS = {
    "quadrilateral": "quadrilateral",
    "square": "square",
    "rectangle": "rectangle",
    "rhombus": "rhombus",
    "parallelogram": "parallelogram",
    "trapezoid": "trapezoid",
    "isosceles_trapezoid": "isosceles trapezoid",
    "right_trapezoid": "right trapezoid",
    "kite": "kite",
}
_POLYGON_WORDS = {5: "pentagon", 6: "hexagon", 7: "heptagon", 8: "octagon", 9: "nonagon", 10: "decagon"}

CENTRES = frozenset(("incentre", "centroid", "circumcentre"))
TRIANGLE_KINDS = frozenset(_KIND_WORDS)
QUADRILATERAL_KINDS = frozenset(_SHAPE_WORDS)

_WORDINGS: dict[str, tuple[str, ...]] = {
    "triangle": (r"\triangle {0}{1}{2} is drawn", r"{0}, {1} and {2} are the vertices of \triangle {0}{1}{2}"),
    "length": ("{0}{1} = {v}", "the length of {0}{1} is {v}", "{0}{1} has length {v}", "segment {0}{1} measures {v}"),
    "angle": (
        r"\angle {0}{1}{2} = {d}",
        r"\angle {0}{1}{2} measures {d}",
        r"the measure of \angle {0}{1}{2} is {d}",
    ),
    "arc": (r"arc {0}{1} of {2} measures {d}", r"the measure of arc {0}{1} of {2} is {d}"),
    "radius": ("the radius of {0} is {v}", "{0} has radius {v}"),
    "equal_length": ("{0}{1} = {2}{3}", "{0}{1} and {2}{3} are equal in length", "{0}{1} is equal to {2}{3}"),
    "equal_angle": (
        r"\angle {0}{1}{2} = \angle {3}{4}{5}",
        r"\angle {0}{1}{2} is equal to \angle {3}{4}{5}",
        r"\angle {0}{1}{2} and \angle {3}{4}{5} are equal",
    ),
    "parallel": (r"{0}{1} \parallel {2}{3}", r"{0}{1} \parallel {2}{3}", "{0}{1} is parallel to {2}{3}"),
    "perpendicular": (r"{0}{1} \perp {2}{3}", r"{0}{1} \perp {2}{3}", "{0}{1} is perpendicular to {2}{3}"),
    "midpoint": ("{0} is the midpoint of {1}{2}", "the midpoint of {1}{2} is {0}", "{0} bisects {1}{2}"),
    "intersection": (
        "{1}{2} and {3}{4} intersect at {0}",
        "{1}{2} meets {3}{4} at {0}",
        "{0} is the intersection of {1}{2} and {3}{4}",
    ),
    "segment": ("segment {0}{1} is drawn", "{0} and {1} are joined", "{0} is joined to {1}"),
    "on_circle": ("{0} lies on {1}", "{0} is on {1}", "{1} passes through {0}"),
    "centre": ("{0} is the centre of {1}", "{1} has centre {0}"),
    "circle": ("{0} is drawn",),
    "tangent": ("{0}{1} is tangent to {2}", "{0}{1} touches {2}"),
    "diameter": ("{0}{1} is a diameter of {2}",),
    "chord": ("{0}{1} is a chord of {2}",),
    "congruent": (
        r"\triangle {0}{1}{2} \cong \triangle {3}{4}{5}",
        r"\triangle {0}{1}{2} is congruent to \triangle {3}{4}{5}",
    ),
    "similar": (
        r"\triangle {0}{1}{2} \sim \triangle {3}{4}{5}",
        r"\triangle {0}{1}{2} is similar to \triangle {3}{4}{5}",
    ),
    "altitude": (r"{0}{1} is an altitude of \triangle {2}{3}{4}",),
    "median": (r"{0}{1} is a median of \triangle {2}{3}{4}",),
}
_CIRCLE_AT = {"arc": 2, "radius": 0, "on_circle": 1, "centre": 1, "circle": 0, "tangent": 2, "diameter": 2, "chord": 2}


def word_fact(fact: Fact, style: int) -> str | None:
    """``fact`` in one of its wordings, without capital or full stop; None for what a caption does not say."""
    labels = fact.arguments
    predicate = fact.predicate
    if predicate in _KIND_WORDS and len(labels) == 3:
        return _word_kind(_KIND_WORDS[predicate], labels, style)
    if predicate in _SHAPE_WORDS and len(labels) == 4:
        return _word_shape(_SHAPE_WORDS[predicate], labels, style)
    if predicate == "regular_polygon" and len(labels) >= 5:
        return _word_shape(f"regular {_POLYGON_WORDS.get(len(labels), 'polygon')}", labels, style)
    if predicate == "collinear":
        return _word_collinear(labels, style)
    if predicate == "bisector" and len(labels) == 4:
        d, a, b, c = labels
        verb = ("bisects", "is the bisector of")[style % 2]
        return rf"{b}{d} {verb} \angle {a}{b}{c}"
    if predicate in CENTRES and len(labels) >= 4:
        return f"{labels[0]} is the {predicate} of {_name_polygon(labels[1:])}"
    if predicate == "midsegment" and len(labels) in (5, 6):
        return _word_midsegment(labels)
    if predicate in ("congruent", "similar") and len(labels) == 8:
        verb = "is congruent to" if predicate == "congruent" else "is similar to"
        return f"quadrilateral {''.join(labels[:4])} {verb} quadrilateral {''.join(labels[4:])}"
    return _fill(fact, style)


def word_on_circle(labels: Sequence[str], circle: str, style: int) -> str:
    """Several points on one circle in one clause."""
    names = join_names(labels)
    return (f"{names} lie on {name_circle(circle)}", f"{name_circle(circle)} passes through {names}")[style % 2]


def name_circle(circle: str) -> str:
    """A circle goes by its centre's label; one without is ``the circle``."""
    return "the circle" if circle == UNNAMED_CIRCLE else rf"\odot {circle}"


def join_names(names: Sequence[str]) -> str:
    """``A, B and C``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def write_degrees(value: str) -> str:
    r"""``60`` is ``60^\circ``; an expression goes in brackets."""
    return rf"({value})^\circ" if any(sign in value for sign in "+-/") else rf"{value}^\circ"


def _fill(fact: Fact, style: int) -> str | None:
    choices = _WORDINGS.get(fact.predicate)
    if choices is None:
        return None
    template = choices[style % len(choices)]
    arguments = list(fact.arguments)
    at = _CIRCLE_AT.get(fact.predicate)
    if at is not None and at < len(arguments):
        arguments[at] = name_circle(arguments[at])
    value = fact.value or ""
    return template.format(*arguments, v=value, d=write_degrees(value))


def _word_kind(word: str, labels: Sequence[str], style: int) -> str:
    name = rf"\triangle {''.join(labels)}"
    article = "an" if word[0] in "aeiou" else "a"
    return (f"{name} is {word}", f"{name} is {article} {word} triangle", f"{word} {name} is drawn")[style % 3]


def _word_shape(word: str, labels: Sequence[str], style: int) -> str:
    name = "".join(labels)
    article = "an" if word[0] in "aeiou" else "a"
    return (f"{name} is {article} {word}", f"{word} {name} is drawn")[style % 2]


def _word_collinear(labels: Sequence[str], style: int) -> str:
    if len(labels) == 3:
        start, inner, end = labels
        verb = ("lies on", "is a point on", "is on")[style % 3]
        return f"{inner} {verb} {start}{end}"
    return f"{join_names(labels)} are collinear"


def _word_midsegment(labels: Sequence[str]) -> str:
    return f"{labels[0]}{labels[1]} is a midsegment of {_name_polygon(labels[2:])}"


def _name_polygon(labels: Sequence[str]) -> str:
    name = "".join(labels)
    return rf"\triangle {name}" if len(labels) == 3 else f"quadrilateral {name}"
