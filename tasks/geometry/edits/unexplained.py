"""What a negative's picture has more or less than its anchor's, and no edit of its caption asks for.

`redraw` keeps strokes, circles and marks but for those of claims that went, came or were made untrue by them. So what
differs without such a claim was not drawn by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from storage.rows import Fact
from tasks.geometry.captions.select import MOST_SEGMENTS
from tasks.geometry.edits.redraw import relabel_scene
from tasks.geometry.facts.judge import canonicalise, judge
from tasks.geometry.facts.names import list_named_segments
from tasks.geometry.facts.predicates import GROUP_MARKS, NUMBER_MARKS, PREDICATES
from tasks.geometry.facts.residuals import measure_distance
from tasks.geometry.figure.claims import list_meanings
from tasks.geometry.figure.scene import Scene

_STROKES = frozenset(("segment", "radial", "diameter", "chord"))
_SAME_PLACE = 0.01
"""Share of the extent within which two letters stand at one place."""


def find_unexplained(figure: Scene, anchored: Scene, claims: Iterable[Fact], known: Iterable[Fact]) -> str | None:
    """The first stroke, circle or mark of ``figure`` that neither the anchor's picture nor a new one of ``claims`` has,
    or of the anchor's that is gone for no claim of ``known`` that went; None where there is none."""
    claims, known = tuple(claims), tuple(known)
    before = relabel_scene(anchored, _match_letters(figure, anchored))
    came = [claim for claim in claims if not list_meanings([claim]) <= list_meanings(known)]
    went = [claim for claim in known if not list_meanings([claim]) <= list_meanings(claims)]
    named = tuple((p, q) for claim in claims for p, q in map(sorted, list_named_segments(claim)))
    expected = replace(before, points=figure.points, segments=(*before.segments, *named))
    for p, q in figure.segments:
        if not expected.has_line(p, q):
            return f"the stroke {p}{q} is drawn, which neither the anchor nor the caption has"
    free = {side for claim in went for side in list_named_segments(claim)}
    for p, q in before.segments:
        if frozenset((p, q)) not in free and not figure.has_line(p, q):
            return f"the anchor's stroke {p}{q} is gone, and no edit takes it away"
    if len(figure.circles) != len(before.circles):
        return "it has another number of circles than the anchor"
    return _find_mark(figure, before, came, went)


def find_unsaid(figure: Scene, claims: Iterable[Fact]) -> str | None:
    """The first stroke or mark of a figure of ours of which its caption says nothing: one states every mark, and every
    stroke that no other claim names, up to `MOST_SEGMENTS`."""
    claims = tuple(claims)
    named = tuple((p, q) for claim in claims for p, q in map(sorted, list_named_segments(claim)))
    said = replace(figure, segments=named)
    unsaid = next((segment for segment in figure.segments if not said.has_line(*segment)), None)
    if unsaid is not None and sum(claim.predicate in _STROKES for claim in claims) < MOST_SEGMENTS:
        return f"the stroke {''.join(unsaid)} is drawn, of which the caption says nothing"
    rims = {name for claim in claims for i, name in enumerate(claim.arguments) if _is_circle(claim, i)}
    if len(figure.circles) > len(rims):
        return "a circle is drawn of which the caption says nothing"
    values = {claim.value for claim in claims}
    for mark in figure.marks:
        letters = set(mark.arguments)
        about = any(len(letters & set(claim.arguments)) >= len(letters) - 1 for claim in claims)
        if not (mark.value in values if mark.predicate in NUMBER_MARKS.values() else about):
            return f"{mark} is drawn, of which the caption says nothing"
    return None


def _is_circle(claim: Fact, index: int) -> bool:
    return PREDICATES[claim.predicate].role(index) == "c"


def _match_letters(figure: Scene, anchored: Scene) -> Mapping[str, str]:
    """The anchor's letters to those that stand in their places; to themselves where the figure is another."""
    limit = _SAME_PLACE * anchored.extent
    found: dict[str, str] = {}
    for label, place in anchored.points.items():
        near = [other for other, p in figure.points.items() if measure_distance(place, p) <= limit]
        if len(near) != 1:
            return {}
        found[label] = near[0]
    return found if len({*found.values()}) == len(found) else {}


def _find_mark(figure: Scene, before: Scene, came: list[Fact], went: list[Fact]) -> str | None:
    drawn, old = ({_key(mark) for mark in scene.marks} for scene in (figure, before))
    touched = [set(claim.arguments) for claim in (*came, *went)]
    values = {claim.value for claim in (*came, *went) if claim.value}
    for mark in figure.marks:
        if _key(mark) not in old and mark.value not in values and not _is_touched(mark, touched):
            return f"{mark} is drawn, which neither the anchor nor the caption has"
    for mark in before.marks:
        if _key(mark) in drawn or mark.value in values or _is_touched(mark, touched):
            continue
        if all(judge(fact, figure.coordinates) for fact in _list_shown(mark, before)):
            return f"the anchor's {mark} is gone, and no edit takes it away"
    return None


def _key(mark: Fact) -> Fact:
    """A mark of a group without the group's number, which another group's going may change."""
    form = canonicalise(mark)
    return replace(form, value="") if mark.predicate in GROUP_MARKS else form


def _is_touched(mark: Fact, touched: Iterable[set[str]]) -> bool:
    return any(set(mark.arguments) <= each for each in touched)


def _list_shown(mark: Fact, scene: Scene) -> Iterator[Fact]:
    """What a mark says: that its thing is as another of its group, or a right angle; nothing of a number."""
    relation = GROUP_MARKS.get(mark.predicate)
    for other in scene.marks if relation else ():
        if other != mark and (other.predicate, other.value) == (mark.predicate, mark.value):
            yield Fact(relation or "", mark.arguments + other.arguments)
    if mark.predicate == "mark_right":
        yield mark
