r"""What a clause may be turned into: one proposal per kind of edit, all within the letters of the figure.

Kinds (MMCLIP Fig. 8): ``number`` (8 to 6), ``label`` (AB \parallel CD to AD \parallel CB), ``shape`` (isosceles to
right), ``relation`` (similar to congruent), ``position`` (D on AB to D on BC). Fig. 11, for text alone, has no position
and also allows ``drastic`` relations (\parallel to \perp).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.mentions import Claims
from counterfoil.tasks.geometry.captions.wordings import has_words, is_bound, list_wordings
from counterfoil.tasks.geometry.edits.numbers import propose_numbers
from counterfoil.tasks.geometry.edits.orders import compare_names
from counterfoil.tasks.geometry.facts.judge import find_problem, list_broader
from counterfoil.tasks.geometry.facts.names import (
    is_renaming,
    list_named_segments,
    list_spellings,
    relabel,
    spell_change,
)
from counterfoil.tasks.geometry.facts.plane import propose_values
from counterfoil.tasks.geometry.facts.predicates import (
    CENTRES,
    DRAWN,
    INCIDENCES,
    MEASURES,
    PLANE,
    PREDICATES,
    QUADRILATERAL_KINDS,
    SHAPES,
    TRIANGLE_KINDS,
)
from counterfoil.tasks.geometry.figure.claims import names_unknown
from counterfoil.tasks.geometry.figure.scene import Scene

_MOST_SWAPS = 24
_COMMON = {
    **{"perpendicular": 39.2, "parallel": 17.5, "equal_length": 14.1, "equal_angle": 4.7},
    **{"right_triangle": 10.0, "isosceles": 4.9, "scalene": 3.9, "acute": 3.8, "obtuse": 2.6, "equilateral": 1.8},
    **{"parallelogram": 6.2, "rectangle": 3.7, "trapezoid": 3.2, "rhombus": 2.4, "square": 2.4, "kite": 1.2},
    **{"isosceles_trapezoid": 0.8, "right_trapezoid": 0.8, "tangent": 9.5, "chord": 2.3, "diameter": 2.0},
    **{"collinear": 72.0, "intersection": 7.0, "midpoint": 6.2, "bisector": 2.2, "altitude": 0.9, "median": 0.9},
    **{"similar": 3.6, "congruent": 1.2},
}
"""Claims of each sort in a hundred captions: the mean over 300 problems of Geometry3K and 300 sampled scenes."""
_ONE_WAY = {
    *(("intersection", "midpoint"), ("collinear", "midpoint"), ("midpoint", "altitude"), ("similar", "congruent")),
    *(("parallel", "perpendicular"), ("parallel", "equal_length"), ("perpendicular", "equal_angle")),
    *(("perpendicular", "equal_length"), ("equal_length", "equal_angle"), ("tangent", "chord")),
    *((seen, shown) for seen in ("acute", "obtuse", "scalene") for shown in ("right_triangle", "isosceles")),
    *(("scalene", "acute"), ("scalene", "obtuse"), ("acute", "obtuse")),
    *(("parallelogram", other) for other in ("kite", "right_trapezoid", "isosceles_trapezoid", "trapezoid")),
}
"""Changes whose reverse is no error, as the first implies the second, or hardly ever possible: lines with a common end
are never parallel, and a triangle that is called right bears the mark. So is a shape made a special case of itself."""
_ONE_WAY_SHARE = 0.03
_NARROWED = {("parallelogram", "rectangle"), ("parallelogram", "rhombus"), ("isosceles", "equilateral")}
"""Special cases whose words other edits take away again: a rectangle becomes a rhombus, an equilateral triangle a right
one. Nothing but these can become of a parallelogram."""
_NARROWED_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Proposal:
    """Clause ``index`` of a caption says ``claims`` instead."""

    kind: str
    index: int
    claims: Claims
    spare: bool = False
    """Its words would tell it from captions; it is for figures of which too little else can be said."""
    odds: float = 1.0
    """How often it may be made without its words telling: of spare edits, those with the best odds tell least."""


def shuffle_proposals(proposals: Sequence[Proposal], rng: np.random.Generator) -> list[Proposal]:
    """In a random order, but the numbers of one clause with the likely ones first, as they were proposed."""
    shuffled = [proposals[i] for i in rng.permutation(len(proposals))]
    waiting: dict[int, Iterator[Proposal]] = {
        index: iter([each for each in proposals if each.kind == "number" and each.index == index])
        for index in {each.index for each in proposals}
    }
    return [next(waiting[each.index]) if each.kind == "number" else each for each in shuffled]


Proposer = Callable[[Fact, Scene, np.random.Generator], Iterator[Fact]]


def propose_for_clause(
    index: int, claims: Claims, scene: Scene, rng: np.random.Generator, drastic: bool = False
) -> Iterator[Proposal]:
    """Every edit of one clause. Where a clause makes several claims, one of them changes.

    Proposals are well-formed and no renaming; whether they are false of a figure is for the caller to check.
    """
    for at, claim in enumerate(claims):
        for kind, propose in PROPOSERS.items():
            found = [
                *propose(claim, scene, rng),
                *(propose_drastic(claim, scene) if drastic and kind == "relation" else ()),
            ]
            for changed in found:
                changed = _respell(claim, changed, rng)
                if _is_fit(claim, changed, claims, scene):
                    odds = _weigh_words(claim, changed)
                    yield Proposal(
                        kind, index, (*claims[:at], changed, *claims[at + 1 :]), bool(rng.random() >= odds), odds
                    )


def _respell(claim: Fact, changed: Fact, rng: np.random.Generator) -> Fact:
    """Another relation of other things, under any of their names alike, as captions name things."""
    if claim.predicate == changed.predicate or claim.arguments == changed.arguments:
        return changed
    spellings = list_spellings(changed)
    return spellings[int(rng.integers(len(spellings)))]


def _is_fit(claim: Fact, changed: Fact, claims: Claims, scene: Scene) -> bool:
    together = tuple(changed if each == claim else each for each in claims)
    return (
        # Points that lie on a circle are named together: one of them alone on another circle would be told apart.
        bool(list_wordings(together) or not is_bound(claims))
        and changed not in claims
        and (changed.predicate in DRAWN or find_problem(changed) is None)
        and not is_renaming(claim, changed)
        and has_words(changed)
        and not names_unknown(changed, scene)
    )


def _weigh_words(claim: Fact, changed: Fact) -> float:
    """The odds by which a common sort of claim turns into a rare one as rarely as the rare one into the common
    (Metropolis' rule).

    Otherwise negatives would be full of words that captions seldom use, and a model that sees no picture could tell.
    """
    old, new = claim.predicate, changed.predicate
    if old == new:
        return min(1.0, compare_names([claim], [changed]))
    ratio = min(1.0, _COMMON.get(new, 1.0) / _COMMON.get(old, 1.0))
    one_way = (old, new) in _ONE_WAY or (new in SHAPES and old in list_broader(new))
    if (old, new) in _NARROWED:
        return ratio * _NARROWED_SHARE
    return ratio * (_ONE_WAY_SHARE if one_way else 1.0)


def propose_number(fact: Fact, scene: Scene, rng: np.random.Generator) -> Iterator[Fact]:  # noqa: ARG001
    if fact.predicate in MEASURES:
        yield from propose_numbers(fact, rng)
    elif fact.predicate in PLANE and fact.value is not None:
        yield from propose_values(fact, str(PREDICATES[fact.predicate].value), rng)


def propose_label(fact: Fact, scene: Scene, rng: np.random.Generator) -> Iterator[Fact]:
    if fact.predicate not in INCIDENCES and fact.predicate != "circle":
        yield from _swap_letters(fact, scene, rng)


def propose_position(fact: Fact, scene: Scene, rng: np.random.Generator) -> Iterator[Fact]:
    if fact.predicate in INCIDENCES:
        yield from _swap_letters(fact, scene, rng)


def _swap_letters(fact: Fact, scene: Scene, rng: np.random.Generator) -> Iterator[Fact]:
    """Exchange letters of the name with each other or with others of the figure, two letters at least."""
    seen: set[Fact] = set()
    for names in _list_swaps(fact, scene, rng):
        changed = spell_change(fact, relabel(fact, names), rng)
        if changed is None or changed in seen or not _is_plausible(changed, scene):
            continue
        seen.add(changed)
        yield changed


def _list_swaps(fact: Fact, scene: Scene, rng: np.random.Generator) -> Iterator[Mapping[str, str]]:
    inside = [name for name in dict.fromkeys(fact.arguments) if name in scene.points]
    outside = [name for name in scene.points if name not in inside]
    swaps = list(combinations(inside, 2)) + [(a, b) for a in inside for b in outside]
    order = [swaps[i] for i in rng.permutation(len(swaps))[:_MOST_SWAPS]]
    for a, b in order:
        yield {a: b, b: a}
    for (a, b), (c, d) in pairwise(order):
        if len({a, b, c, d}) == 4:
            yield {a: b, b: a, c: d, d: c}
        elif len({a, b, c, d}) == 3:
            (joint,) = {a, b} & {c, d}
            (first,), (last,) = {a, b} - {joint}, {c, d} - {joint}
            yield {first: joint, joint: last, last: first}


def _is_plausible(fact: Fact, scene: Scene) -> bool:
    """Measures and relations are of lines that the figure has; the negation of a drawn stroke is an absent one."""
    if fact.predicate == "segment":
        return not scene.has_line(*fact.arguments)
    if fact.predicate in ("length", "angle", "equal_length", "equal_angle", "parallel", "perpendicular", *PLANE):
        return all(len(pair) == 2 and scene.has_line(*sorted(pair)) for pair in list_named_segments(fact))
    return True


def propose_shape(fact: Fact, scene: Scene, rng: np.random.Generator) -> Iterator[Fact]:  # noqa: ARG001
    for kinds in (TRIANGLE_KINDS, QUADRILATERAL_KINDS - {"quadrilateral"}):
        # A bare triangle stays one: captions name the sort of as many as before.
        if fact.predicate in kinds:
            others = sorted(kinds - {fact.predicate})
            for at in rng.permutation(len(others)):
                yield Fact(others[at], fact.arguments)
    if fact.predicate == "chord":
        yield Fact("diameter", fact.arguments)


def propose_relation(fact: Fact, scene: Scene, rng: np.random.Generator) -> Iterator[Fact]:  # noqa: ARG001
    """Other relations of the same things, near in meaning (Fig. 8: not parallel to perpendicular)."""
    a = fact.arguments
    match fact.predicate:
        case "similar":
            yield Fact("congruent", a)
        case "parallel":
            yield Fact("equal_length", a)
        case "equal_length" | "perpendicular":
            if len(set(a)) == 4 and fact.predicate == "equal_length":
                yield Fact("parallel", a)
            if fact.predicate == "perpendicular":
                yield Fact("equal_length", a)
            if len(set(a)) == 3 and fact.predicate == "equal_length":
                yield Fact("perpendicular", a)
            if len(set(a)) == 3:
                yield from _relate_in_triangle(sorted(set(a)), scene)
        case "altitude" | "median":
            yield Fact("median" if fact.predicate == "altitude" else "altitude", a)
            others = [name for name in a[2:] if name != a[0]]
            if a[0] in a[2:] and len(others) == 2:
                yield Fact("bisector", (a[1], others[0], a[0], others[1]))
        case "bisector":
            yield Fact("median", (a[2], a[0], *a[1:]))
            yield Fact("altitude", (a[2], a[0], *a[1:]))
        case "collinear" if len(a) == 3:
            yield Fact("midpoint", (a[1], a[0], a[2]))
        case "intersection":
            yield Fact("midpoint", a[:3])
            yield Fact("midpoint", (a[0], *a[3:]))
        case "incentre" | "centroid" | "circumcentre":
            for other in sorted(CENTRES - {fact.predicate}):
                yield Fact(other, a)
        case "tangent":
            yield Fact("chord", a)
        case "chord" | "diameter":
            yield Fact("tangent", a)
        case "midpoint":
            yield from _list_feet(a, scene)
        case "on_x_axis" | "on_y_axis":
            yield Fact("on_y_axis" if fact.predicate == "on_x_axis" else "on_x_axis", a)
        case "horizontal" | "vertical":
            yield Fact("vertical" if fact.predicate == "horizontal" else "horizontal", a)


def _relate_in_triangle(corners: Sequence[str], scene: Scene) -> Iterator[Fact]:
    """Equal sides and equal angles of the triangle that a claim about two of its sides is in."""
    if not all(scene.has_line(p, q) for p, q in combinations(corners, 2)):
        return
    for apex in corners:
        p, q = (name for name in corners if name != apex)
        yield Fact("equal_length", (apex, p, apex, q))
        yield Fact("equal_angle", (apex, p, q, apex, q, p))


def _list_feet(a: Sequence[str], scene: Scene) -> Iterator[Fact]:
    """``M is the midpoint of PQ`` to ``AM is an altitude of \\triangle APQ``, where AM, AP and AQ are drawn."""
    for apex in scene.points:
        if apex not in a and all(scene.has_line(apex, name) for name in a):
            yield Fact("altitude", (apex, a[0], apex, a[1], a[2]))


def propose_drastic(fact: Fact, scene: Scene) -> Iterator[Fact]:  # noqa: ARG001
    """Relations that Fig. 11 allows in text and Fig. 8 forbids for pictures."""
    a = fact.arguments
    if fact.predicate == "parallel" or (fact.predicate == "equal_length" and len(set(a)) == 4):
        yield Fact("perpendicular", a)
    if fact.predicate == "perpendicular" and len(set(a)) == 4:
        yield Fact("parallel", a)


PROPOSERS: Mapping[str, Proposer] = {
    "number": propose_number,
    "label": propose_label,
    "shape": propose_shape,
    "relation": propose_relation,
    "position": propose_position,
}
