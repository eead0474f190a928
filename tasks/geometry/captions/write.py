r"""Captions from facts alone, after the rules of MMCLIP Fig. 7: exact, in symbols, nothing inferred, varied wording.

A caption states every relational fact and every mark of the figure, shapes first, then where points lie, then
relations, then the numbers that are written in the picture. A number that the picture does not show (``markings =
false``) is not in the caption either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from storage.rows import Fact
from tasks.geometry.captions.read import UNNAMED_CIRCLE
from tasks.geometry.captions.wordings import CENTRES, QUADRILATERAL_KINDS, TRIANGLE_KINDS, word_fact, word_on_circle
from tasks.geometry.facts.judge import canonicalise
from tasks.geometry.figure.scene import Scene

_SHAPES = ("triangle", *sorted(TRIANGLE_KINDS), *sorted(QUADRILATERAL_KINDS), "regular_polygon")
_INCIDENCE = (
    "circle",
    "centre",
    "diameter",
    "chord",
    "tangent",
    "on_circle",
    "midpoint",
    "collinear",
    "intersection",
    "segment",
    "altitude",
    "median",
    "bisector",
    "midsegment",
    "incentre",
    "centroid",
    "circumcentre",
)
_RELATIONS = ("parallel", "perpendicular", "congruent", "similar", "equal_length", "equal_angle")
_NUMBERS = ("length", "angle", "arc", "radius")
_ORDER = {
    predicate: rank for rank, group in enumerate((_SHAPES, _INCIDENCE, _RELATIONS, _NUMBERS)) for predicate in group
}
_MOST_SEGMENTS = 3
"""Segments that no other claim mentions are named, but a caption is no list of strokes."""

Statement = tuple[Fact, ...]
"""Facts that one clause states together; mostly one."""


def write_caption(facts: Sequence[Fact], rng: np.random.Generator) -> str:
    """One caption of a figure with these facts (drawn and relational); empty where there is nothing to state."""
    statements = select_statements(facts)
    return _join_clauses([_word_statement(statement, rng) for statement in _shuffle(statements, rng)], rng)


def write_captions(facts: Sequence[Fact], rng: np.random.Generator, count: int = 3) -> tuple[str, ...]:
    """Up to ``count`` captions with the same claims in different words; fewer where the words run out."""
    captions: dict[str, None] = {}
    for _ in range(4 * count):
        if len(captions) == count:
            break
        captions[write_caption(facts, rng)] = None
    return tuple(caption for caption in captions if caption)


def select_statements(facts: Iterable[Fact]) -> list[Statement]:
    """What a caption states of a figure: each thing once, shapes first.

    Raises:
        SceneError: the facts name points that no fact places.
    """
    given = list(facts)
    circles = _list_circles(given)
    scene = Scene.from_facts(given)
    chosen: dict[Fact, Fact] = {}
    for fact in [*given, *_read_marks(given)]:
        if _is_stated(fact, given, circles) and _has_its_sides(fact, scene):
            worded = _arrange(fact, given)
            chosen.setdefault(canonicalise(worded), worded)
    kept = _drop_what_others_say(list(chosen.values()))
    kept += _list_bare_segments(given, kept)
    if not kept:
        kept = [fact for fact in given if fact.predicate == "segment"][:_MOST_SEGMENTS]
    return _group_circle_points(sorted(kept, key=lambda fact: _ORDER[fact.predicate]))


def _is_stated(fact: Fact, facts: Sequence[Fact], circles: Sequence[str]) -> bool:
    if fact.predicate not in _ORDER or fact.predicate in ("segment", "circle", *_NUMBERS):
        # Numbers come in by their marks, segments and circles where nothing else names them.
        return fact in _read_marks(facts)
    if word_fact(fact, 0) is None:
        return False
    if fact.predicate == "centre" and fact.arguments[0] == fact.arguments[1]:
        return False
    return _names_circle_clearly(fact, circles)


def _has_its_sides(fact: Fact, scene: Scene) -> bool:
    """A bare polygon is stated where its strokes are drawn, not wherever three points are."""
    if fact.predicate not in ("triangle", "quadrilateral"):
        return True
    return all(scene.has_line(*sorted(side)) for side in list_named_segments(fact))


def _names_circle_clearly(fact: Fact, circles: Sequence[str]) -> bool:
    """A circle without a name can be called ``the circle`` only where it is the only one."""
    unnamed = [argument for argument in fact.arguments if argument in circles and not argument[:1].isupper()]
    return not unnamed or (len(circles) == 1 and unnamed == [UNNAMED_CIRCLE])


def _list_circles(facts: Iterable[Fact]) -> list[str]:
    return list(dict.fromkeys(fact.arguments[0] for fact in facts if fact.predicate == "circle"))


def _read_marks(facts: Iterable[Fact]) -> list[Fact]:
    """The facts that the numbers and right-angle squares in the picture state."""
    states = {"mark_length": "length", "mark_angle": "angle", "mark_arc": "arc"}
    read = [Fact(states[f.predicate], f.arguments, f.value) for f in facts if f.predicate in states]
    return read + [
        Fact("perpendicular", (f.arguments[0], f.arguments[1], f.arguments[1], f.arguments[2]))
        for f in facts
        if f.predicate == "mark_right"
    ]


def _arrange(fact: Fact, facts: Sequence[Fact]) -> Fact:
    """Three points on a line are named with the one between the others in the middle, as ``D lies on AB`` needs."""
    if fact.predicate != "collinear":
        return fact
    places = {f.arguments[0]: read_point(f) for f in facts if f.predicate == "point"}
    if any(label not in places for label in fact.arguments):
        return fact
    ends = max(
        ((p, q) for i, p in enumerate(fact.arguments) for q in fact.arguments[i + 1 :]),
        key=lambda pair: sum((a - b) ** 2 for a, b in zip(places[pair[0]], places[pair[1]], strict=True)),
    )
    start, end = sorted(ends)
    along = [b - a for a, b in zip(places[start], places[end], strict=True)]
    return Fact(
        "collinear",
        tuple(sorted(fact.arguments, key=lambda p: sum(c * d for c, d in zip(places[p], along, strict=True)))),
    )


def read_point(fact: Fact) -> tuple[float, float]:
    """The coordinates of a ``point`` fact."""
    x, y = (fact.value or "").split()
    return float(x), float(y)


def _drop_what_others_say(facts: list[Fact]) -> list[Fact]:
    """Leave out bare polygons whose kind is stated, and points on a line that a stronger claim puts there."""
    shaped = {
        frozenset(f.arguments) for f in facts if f.predicate in TRIANGLE_KINDS | QUADRILATERAL_KINDS - {"quadrilateral"}
    }
    placed = {frozenset(f.arguments) for f in facts if f.predicate == "midpoint"}
    diameters = {
        (label, f.arguments[2]) for f in facts if f.predicate in ("diameter", "chord") for label in f.arguments[:2]
    }
    return [
        fact
        for fact in facts
        if not (fact.predicate in ("triangle", "quadrilateral") and frozenset(fact.arguments) in shaped)
        and not (fact.predicate == "collinear" and frozenset(fact.arguments) in placed)
        and not (fact.predicate == "on_circle" and fact.arguments in diameters)
    ]  # fmt: skip


def _list_bare_segments(facts: Sequence[Fact], stated: Sequence[Fact]) -> list[Fact]:
    """Drawn segments and circles that no stated claim names."""
    named = {pair for fact in stated for pair in list_named_segments(fact)}
    bare = [f for f in facts if f.predicate == "segment" and frozenset(f.arguments) not in named]
    mentioned = {argument for fact in stated for argument in fact.arguments}
    circles = _list_circles(facts)
    lone = [
        f if f.value is None else Fact("circle", f.arguments)
        for f in facts
        if f.predicate == "circle" and f.arguments[0] not in mentioned and _names_circle_clearly(f, circles)
    ]
    return [*lone, *(Fact("segment", f.arguments) for f in bare[:_MOST_SEGMENTS])]


def list_named_segments(fact: Fact) -> frozenset[frozenset[str]]:
    """The segments that a claim says are there: sides of its shape, the segments that it compares or measures."""
    labels = fact.arguments
    if fact.predicate in _SHAPES:
        return frozenset(frozenset((labels[i - 1], labels[i])) for i in range(len(labels)))
    if fact.predicate in ("congruent", "similar"):
        half = len(labels) // 2
        return list_named_segments(Fact("regular_polygon", labels[:half])) | list_named_segments(
            Fact("regular_polygon", labels[half:])
        )
    if fact.predicate == "angle":
        return frozenset((frozenset(labels[:2]), frozenset(labels[1:3])))
    if fact.predicate == "equal_angle":
        return list_named_segments(Fact("angle", labels[:3])) | list_named_segments(Fact("angle", labels[3:]))
    if fact.predicate == "bisector":
        return frozenset((frozenset((labels[0], labels[2])),)) | list_named_segments(Fact("angle", labels[1:]))
    if fact.predicate in CENTRES:
        return list_named_segments(Fact("regular_polygon", labels[1:]))
    if fact.predicate in ("altitude", "median", "midsegment"):
        return frozenset((frozenset(labels[:2]),)) | list_named_segments(Fact("regular_polygon", labels[2:]))
    if fact.predicate == "intersection":
        return frozenset((frozenset(labels[1:3]), frozenset(labels[3:5])))
    if fact.predicate == "midpoint":
        return frozenset((frozenset(labels[1:3]),))
    if fact.predicate == "collinear":
        return frozenset(frozenset((p, q)) for i, p in enumerate(labels) for q in labels[i + 1 :])
    if fact.predicate in ("length", "segment", "tangent", "diameter", "chord"):
        return frozenset((frozenset(labels[:2]),))
    if fact.predicate in ("parallel", "perpendicular", "equal_length"):
        return frozenset((frozenset(labels[:2]), frozenset(labels[2:4])))
    return frozenset()


def _group_circle_points(facts: Sequence[Fact]) -> list[Statement]:
    """``A lies on`` and ``B lies on`` the same circle become one statement, where the first of them stood."""
    statements: list[Statement] = []
    at: dict[str, int] = {}
    for fact in facts:
        if fact.predicate != "on_circle":
            statements.append((fact,))
        elif fact.arguments[1] in at:
            statements[at[fact.arguments[1]]] += (fact,)
        else:
            at[fact.arguments[1]] = len(statements)
            statements.append((fact,))
    return statements


def _shuffle(statements: list[Statement], rng: np.random.Generator) -> list[Statement]:
    """Vary the order within shapes, incidences, relations and numbers, and keep these in that order."""
    noise = rng.random(len(statements))
    return [
        statement
        for _, _, statement in sorted(
            (_ORDER[statement[0].predicate], float(noise[i]), statement) for i, statement in enumerate(statements)
        )
    ]


def word_statement(statement: Statement, style: int) -> str:
    """A clause that states ``statement`` in the given style.

    Raises:
        ValueError: a caption has no words for one of the facts.
    """
    if len(statement) > 1 and {fact.predicate for fact in statement} == {"on_circle"}:
        circles = {fact.arguments[1] for fact in statement}
        if len(circles) == 1:
            return word_on_circle([fact.arguments[0] for fact in statement], circles.pop(), style)
    words = [word_fact(fact, style) for fact in statement]
    if None in words:
        raise ValueError(f"a caption has no words for {statement}")
    return " and ".join(word for word in words if word)


def _word_statement(statement: Statement, rng: np.random.Generator) -> tuple[str, bool]:
    """The clause and whether it is an equation or relation in symbols, which may share a sentence."""
    clause = word_statement(statement, int(rng.integers(12)))
    return clause, clause[0] in "ABCDEFGHIJKLMNOPQRSTUVWXYZ\\" and any(
        sign in clause for sign in (" = ", r"\parallel", r"\perp")
    ) and " is " not in clause  # fmt: skip


def _join_clauses(clauses: Sequence[tuple[str, bool]], rng: np.random.Generator) -> str:
    """Sentences: symbolic clauses in runs of up to four, the rest on their own."""
    sentences: list[list[str]] = []
    room = 0
    for clause, symbolic in clauses:
        if symbolic and room > 0:
            sentences[-1].append(clause)
            room -= 1
        else:
            sentences.append([clause])
            room = int(rng.integers(1, 4)) if symbolic else 0
    return " ".join(_capitalise(_enumerate(parts)) + "." for parts in sentences)


def _enumerate(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _capitalise(text: str) -> str:
    return text[0].upper() + text[1:] if text[0].islower() else text
