r"""Captions from facts alone, after the rules of MMCLIP Fig. 7: exact, in symbols, nothing inferred, varied wording.

A caption states every relational fact and every mark of the figure, shapes first, then where points lie, then
relations, then the numbers that are written in the picture. A number that the picture does not show (``markings =
false``) is not in the caption either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from storage.rows import Fact
from tasks.geometry.captions.sentences import Claims
from tasks.geometry.captions.templates import UNNAMED_CIRCLE
from tasks.geometry.captions.wordings import word_claims, word_fact
from tasks.geometry.facts.judge import canonicalise
from tasks.geometry.facts.names import list_named_segments
from tasks.geometry.facts.predicates import NUMBER_MARKS, PREDICATES, QUADRILATERAL_KINDS, TRIANGLE_KINDS
from tasks.geometry.figure.scene import Scene

_RANKS = {"shape": 0, "incidence": 1, "drawn": 1, "relation": 2, "measure": 3}
_MOST_SEGMENTS = 3
"""Segments that no other claim mentions are named, but a caption is no list of strokes."""


def write_caption(facts: Sequence[Fact], rng: np.random.Generator) -> str:
    """One caption of a figure with these facts (drawn and relational); empty where there is nothing to state."""
    clauses = _shuffle(select_claims(facts), rng)
    return _join_clauses([_word_clause(claims, rng) for claims in clauses], rng)


def write_captions(facts: Sequence[Fact], rng: np.random.Generator, count: int = 3) -> tuple[str, ...]:
    """Up to ``count`` captions with the same claims in different words; fewer where the words run out."""
    captions: dict[str, None] = {}
    for _ in range(4 * count):
        if len(captions) == count:
            break
        captions[write_caption(facts, rng)] = None
    return tuple(caption for caption in captions if caption)


def select_claims(facts: Iterable[Fact]) -> list[Claims]:
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
            worded = _arrange(fact, scene)
            chosen.setdefault(canonicalise(worded), worded)
    kept = _drop_what_others_say(list(chosen.values()))
    kept += _list_bare_segments(given, kept)
    if not kept:
        kept = [fact for fact in given if fact.predicate == "segment"][:_MOST_SEGMENTS]
    return _group_circle_points(sorted(kept, key=_rank))


def _rank(fact: Fact) -> int:
    return _RANKS[PREDICATES[fact.predicate].group]


def _is_stated(fact: Fact, facts: Sequence[Fact], circles: Sequence[str]) -> bool:
    if PREDICATES[fact.predicate].group in ("drawn", "mark", "measure"):
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


def _read_marks(facts: Sequence[Fact]) -> list[Fact]:
    """The facts that the numbers and right-angle squares in the picture state."""
    states = {mark: number for number, mark in NUMBER_MARKS.items()}
    read = [Fact(states[f.predicate], f.arguments, f.value) for f in facts if f.predicate in states]
    corners = [fact.arguments for fact in facts if fact.predicate == "mark_right"]
    return read + [Fact("perpendicular", (p, corner, corner, q)) for p, corner, q in corners]


def _arrange(fact: Fact, scene: Scene) -> Fact:
    """Points on a line are named in their order on it, as ``D lies on AB`` needs."""
    if fact.predicate != "collinear":
        return fact
    places = {label: complex(*scene.points[label]) for label in fact.arguments}
    ends = max(combinations(fact.arguments, 2), key=lambda pair: abs(places[pair[0]] - places[pair[1]]))
    along = places[max(ends)] - places[min(ends)]
    return Fact("collinear", tuple(sorted(places, key=lambda label: (places[label] * along.conjugate()).real)))


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
    ]


def _list_bare_segments(facts: Sequence[Fact], stated: Sequence[Fact]) -> list[Fact]:
    """Drawn segments and circles that no stated claim names."""
    named = {pair for fact in stated for pair in list_named_segments(fact)}
    bare = [f for f in facts if f.predicate == "segment" and frozenset(f.arguments) not in named]
    mentioned = {argument for fact in stated for argument in fact.arguments}
    circles = _list_circles(facts)
    lone = [
        Fact("circle", f.arguments)
        for f in facts
        if f.predicate == "circle" and f.arguments[0] not in mentioned and _names_circle_clearly(f, circles)
    ]
    return [*lone, *(Fact("segment", f.arguments) for f in bare[:_MOST_SEGMENTS])]


def _group_circle_points(facts: Sequence[Fact]) -> list[Claims]:
    """``A lies on`` and ``B lies on`` the same circle become one clause, where the first of them stood."""
    clauses: list[Claims] = []
    at: dict[str, int] = {}
    for fact in facts:
        if fact.predicate != "on_circle":
            clauses.append((fact,))
        elif fact.arguments[1] in at:
            clauses[at[fact.arguments[1]]] += (fact,)
        else:
            at[fact.arguments[1]] = len(clauses)
            clauses.append((fact,))
    return clauses


def _shuffle(clauses: list[Claims], rng: np.random.Generator) -> list[Claims]:
    """Vary the order within shapes, incidences, relations and numbers, and keep these in that order."""
    noise = rng.random(len(clauses))
    return [clauses[i] for i in sorted(range(len(clauses)), key=lambda i: (_rank(clauses[i][0]), noise[i]))]


def _word_clause(claims: Claims, rng: np.random.Generator) -> tuple[str, bool]:
    """The clause and whether it is an equation or relation in symbols, which may share a sentence."""
    clause = word_claims(claims, int(rng.integers(12)))
    signs = any(sign in clause for sign in (" = ", r"\parallel", r"\perp"))
    return clause, signs and (clause[0].isupper() or clause[0] == "\\") and " is " not in clause


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
