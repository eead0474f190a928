"""What a negative changes, measured on the two figures, or read of its claims where it is text alone.

Letters come first: two figures are compared under the exchange of letters, if any, that leaves least to tell. What
then differs is a number that is written, a mark, how many things there are, strokes, and whichever of the claims of
both captions holds of one figure and visibly fails in the other: a shape's sort, an incidence, a relation. Points that
stand elsewhere although all of that is as before changed their position.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any

import numpy as np
import scipy

from counterfoil.storage.rows import Anchor, Contrast, Fact
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.geometry.captions.read import ClaimError, parse_claims
from counterfoil.tasks.geometry.checks import look_at_anchor
from counterfoil.tasks.geometry.edits.redraw import relabel_scene
from counterfoil.tasks.geometry.facts.judge import canonicalise, judge
from counterfoil.tasks.geometry.facts.names import find_meaning, relabel
from counterfoil.tasks.geometry.facts.predicates import (
    BARE,
    GROUP_MARKS,
    NUMBER_MARKS,
    PREDICATES,
    QUADRILATERAL_KINDS,
    TRIANGLE_KINDS,
)
from counterfoil.tasks.geometry.families.fitting import bring_to_square
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figures import FigureError, read_figure

_MOVED = 0.03
"""Share of the extent by which a point stands elsewhere, once figures lie on one another as well as they can."""
_SETTLED = frozenset(("shape", "incidence", "relation", "count", "stroke"))
_DRAWN = _SETTLED | {"position"}
"""What changes lines and points themselves."""


def measure_changes(contrast: Contrast, anchor: Anchor, context: Context[Any]) -> frozenset[str]:
    """The kinds of change (`counterfoil.storage.changes`) between an anchor and one of its negatives."""
    if not contrast.code:
        return compare_claims(_read(anchor.caption), _read(contrast.text))
    try:
        figure = read_figure(contrast.code, context.renderer).scene
    except FigureError:
        return compare_claims(_read(anchor.caption), _read(contrast.text))
    shown = (_Shown(anchor.code or "", look_at_anchor(anchor, context)), _Shown(contrast.code, figure))
    return _compare_shown(anchor.caption, contrast.text, *shown)


@dataclass(frozen=True)
class _Shown:
    """What a script draws, known by the script."""

    code: str
    scene: Scene = field(compare=False)


@lru_cache(maxsize=8)
def _compare_shown(caption: str | None, text: str | None, anchored: _Shown, figure: _Shown) -> frozenset[str]:
    """`compare_figures`, remembered: a caption and its picture are asked one after the other."""
    return compare_figures(anchored.scene, figure.scene, _read(caption), _read(text))


def _read(text: str | None) -> tuple[Fact, ...]:
    try:
        return parse_claims(text or "")
    except ClaimError:
        return ()


def compare_claims(known: Sequence[Fact], claims: Sequence[Fact]) -> frozenset[str]:
    """What two captions state differently, by the claims that only one of them makes."""
    went, came = _part(known, claims)
    if _exchanges_letters(known, claims, went, came):
        return frozenset(("letter",))
    places, values = {_name_place(claim) for claim in went}, {claim.value for claim in went}
    sorts = {claim.predicate for claim in went}
    kinds = set()
    for claim in came:
        group = PREDICATES[claim.predicate].group
        if group == "measure":
            kinds.add("letter" if claim.value in values and _name_place(claim) not in places else "number")
        elif group == "shape":
            kinds.add("letter" if claim.predicate in sorts else "shape")
        else:
            kinds.add("stroke" if group == "drawn" else _name_change(claim) if group == "plane" else group)
    if not kinds and went:
        kinds.add("count")
    return frozenset(kinds)


def _name_change(claim: Fact) -> str:
    """What a claim about coordinates changes: a number where it has one, else where something lies."""
    return "number" if PREDICATES[claim.predicate].value not in (None, "quadrant") else "incidence"


def _name_place(claim: Fact) -> Fact:
    """What a number is of."""
    return canonicalise(replace(claim, value="1"))


def _exchanges_letters(
    known: Sequence[Fact], claims: Sequence[Fact], went: Sequence[Fact], came: Sequence[Fact]
) -> bool:
    """Whether two or three letters that change places throughout are all that differs."""
    if sorted(map(_name_sort, went)) != sorted(map(_name_sort, came)):
        return False
    wanted = {find_meaning(claim) for claim in claims}
    letters = sorted({name for claim in (*went, *came) for name in claim.arguments})
    names = [{a: b, b: a} for a, b in combinations(letters, 2)]
    names += [{a: b, b: c, c: a} for a, b, c in permutations(letters, 3) if a == min(a, b, c)]
    return any({find_meaning(relabel(claim, each)) for claim in known} == wanted for each in names)


def _name_sort(claim: Fact) -> tuple[str, str]:
    form = find_meaning(claim)
    return form.predicate, form.value or ""


def _part(known: Iterable[Fact], claims: Iterable[Fact]) -> tuple[list[Fact], list[Fact]]:
    """The claims of the first that the second do not make, and of the second that the first do not."""
    mine, theirs = ({find_meaning(claim): claim for claim in each} for each in (known, claims))
    return (
        [claim for form, claim in mine.items() if form not in theirs],
        [claim for form, claim in theirs.items() if form not in mine],
    )


def compare_figures(anchored: Scene, figure: Scene, known: Sequence[Fact], claims: Sequence[Fact]) -> frozenset[str]:
    """What two figures show differently, of which ``known`` and ``claims`` are stated."""
    if set(anchored.points) != set(figure.points):
        return _compare_alike(anchored, figure, known, claims)
    best: frozenset[str] | None = None
    for names in ({}, *_list_letters(anchored, figure)):
        turned = relabel_scene(figure, names)
        found = _compare_alike(anchored, turned, known, [relabel(claim, names) for claim in claims])
        found |= {"letter"} if names else set()
        if best is None or _weigh(found) < _weigh(best):
            best = found
    assert best is not None
    return best


def _weigh(found: frozenset[str]) -> tuple[int, int]:
    """How much is to tell: what is drawn otherwise first, since letters and numbers can be read on a like figure."""
    return len(found & _DRAWN), len(found)


def _list_letters(anchored: Scene, figure: Scene) -> Iterator[Mapping[str, str]]:
    """The exchange of letters under which the points of ``figure`` stand nearest to the anchor's, if it is one."""
    names = sorted(anchored.points)
    here, there = (bring_to_square(scene, names) for scene in (anchored, figure))
    costs = ((there[:, None, :] - here[None, :, :]) ** 2).sum(axis=2).round(6)
    rows, columns = scipy.optimize.linear_sum_assignment(costs)
    letters = {names[row]: names[column] for row, column in zip(rows.tolist(), columns.tolist(), strict=True)}
    if any(old != new for old, new in letters.items()):
        yield {old: new for old, new in letters.items() if old != new}


def _compare_alike(anchored: Scene, figure: Scene, known: Sequence[Fact], claims: Sequence[Fact]) -> frozenset[str]:
    """What two figures of one set of letters show differently."""
    found = set(_compare_marks(anchored, figure))
    if (len(anchored.points), len(anchored.circles)) != (len(figure.points), len(figure.circles)):
        found.add("count")
    if len(anchored.points) == len(figure.points) and set(anchored.points) != set(figure.points):
        found.add("letter")
    shared = set(anchored.points) & set(figure.points)
    for scene, other in ((anchored, figure), (figure, anchored)):
        if any({*pair} <= shared and not other.has_line(*pair) for pair in scene.segments):
            found.add("stroke")
    if {vertex for vertex, _ in anchored.parabolas} != {vertex for vertex, _ in figure.parabolas}:
        found.add("stroke")
    for claim in dict.fromkeys((*known, *claims)):
        group = PREDICATES[claim.predicate].group
        if group in ("incidence", "relation") and _differs(claim, anchored, figure):
            found.add(group)
        elif group == "plane" and _differs(claim, anchored, figure):
            found.add(_name_change(claim))
        elif group == "shape" and any(_differs(sort, anchored, figure) for sort in _list_sorts(claim)):
            found.add("shape")
    if not found & _SETTLED and _is_moved(anchored, figure):
        found.add("position")
    return frozenset(found)


def _differs(claim: Fact, first: Scene, second: Scene) -> bool:
    verdicts = {judge(claim, scene.coordinates) for scene in (first, second) if _has_all(claim, scene)}
    return verdicts >= {True, False}


def _has_all(claim: Fact, scene: Scene) -> bool:
    return all(name in scene.points or name in scene.circles for name in claim.arguments)


def _list_sorts(claim: Fact) -> Iterator[Fact]:
    """The polygon that a shape's claim is about, as each sort that it may be of."""
    sorts = {3: TRIANGLE_KINDS, 4: QUADRILATERAL_KINDS}.get(len(claim.arguments), frozenset())
    yield from (Fact(sort, claim.arguments) for sort in sorted(sorts - BARE))
    if claim.predicate not in BARE:
        yield claim


def _compare_marks(anchored: Scene, figure: Scene) -> Iterator[str]:
    numbers, marks = zip(*(_list_marks(scene) for scene in (anchored, figure)), strict=True)
    if numbers[0] != numbers[1]:
        yield "number"
    if marks[0] != marks[1]:
        yield "mark"


def _list_marks(scene: Scene) -> tuple[frozenset[Fact], frozenset[Fact]]:
    """The numbers that are written, and all other marks; a group's own number does not count."""
    forms = [canonicalise(mark) for mark in scene.marks]
    numbers = frozenset(form for form in forms if form.predicate in NUMBER_MARKS.values())
    rest = (form for form in forms if form not in numbers)
    return numbers, frozenset(replace(form, value="") if form.predicate in GROUP_MARKS else form for form in rest)


def _is_moved(anchored: Scene, figure: Scene) -> bool:
    """Whether points stand elsewhere once the figure is brought to the anchor's place and size."""
    names = sorted(set(anchored.points) & set(figure.points))
    if len(names) < 2:
        return False
    here, there = (bring_to_square(scene, names) for scene in (anchored, figure))
    return bool(np.abs(here - there).max() > _MOVED)
