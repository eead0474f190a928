"""From an edited caption to an edited figure: facts replaced, marks redrawn, coordinates solved anew.

The road is the paper's (MMCLIP, "Negative Images Construction"): the negative caption comes first and the figure
follows it. A language model edits the script there; here the facts behind the script are edited and the points move
as little as they must.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.expressions import is_symbolic
from counterfoil.tasks.geometry.facts.judge import TOLERANCE, canonicalise, judge, list_consequences, list_said
from counterfoil.tasks.geometry.facts.names import list_named_segments, relabel
from counterfoil.tasks.geometry.facts.predicates import CENTRES, DRAWN, GROUP_MARKS, MEASURES, NUMBER_MARKS, SHAPES
from counterfoil.tasks.geometry.facts.residuals import TINY, Point, measure_angle, measure_distance
from counterfoil.tasks.geometry.figure.claims import find_unshown, lacks_circle, list_marks_of, list_meanings
from counterfoil.tasks.geometry.figure.groups import unite_groups
from counterfoil.tasks.geometry.figure.scene import Scene, Segment
from counterfoil.tasks.geometry.figure.solve import ANY, EDITED, Solution, Stage, list_failing, solve
from counterfoil.tasks.geometry.figure.sums import find_contradiction
from counterfoil.tasks.geometry.figure.unknowns import find_impossible
from counterfoil.tasks.geometry.figure.upright import stand_upright

_EXACT = 0.008
"""Half a degree, or 0.8 % of a length: what rounding a followed number leaves."""
_LEAST_SLANT = 12.0
"""Degrees by which an angle that is no longer right must be off, or it seems to be one that lost its mark."""
_LEAST_CORNER = 4.0
"""Degrees of a polygon's corner; captions of real figures have none sharper."""
_LEAST_LINE = 0.06
"""Share of the extent of a line that a text names, and of what it was, whichever is less: a chord that is a tangent as
well is one where its ends fall together."""
_LEAST_GAP = 0.1
"""Share of the extent between two letters of an edited figure; anchors may have less."""
_LEAST_FAN = 9.0
"""Degrees between two lines of an edited figure that end at one point."""
_CLOSER = 0.7
"""How much closer than in the anchor's figure."""
_LEAST_SHARE = 0.25
"""How much of a line a point that is moved to it leaves at either side."""
_BEFORE_RING = {"altitude": 2, "median": 2, "midsegment": 2} | dict.fromkeys(CENTRES | {"orthocentre"}, 1)
"""Claims that name a polygon, and how many points they name before it."""
_CURVES = frozenset(("parabola", "quadratic"))
_UNSOLVED = frozenset(("circle", "segment"))
"""Claims that say that something is drawn; coordinates do not decide them."""


def redraw(
    scene: Scene,
    before: Sequence[Fact],
    after: Sequence[Fact],
    keep_layout: bool,
    restarts: int = 0,
    stages: Sequence[Stage] = EDITED,
) -> Solution:
    """The scene in which the claims ``after`` hold where ``before`` did. Check the solution before use."""
    edited = edit_scene(scene, before, after)
    solution = solve(
        edited,
        [*edited.claims, *_list_shared_unknowns(edited, scene)],
        tolerance=find_slack(scene),
        keep_layout=keep_layout,
        restarts=restarts,
        stages=stages,
    )
    marks = unite_groups(keep_true_marks(solution.scene), solution.scene.facts)
    return replace(solution, scene=replace(solution.scene, marks=marks))


def edit_scene(scene: Scene, before: Sequence[Fact], after: Sequence[Fact]) -> Scene:
    """The scene with the facts, strokes and marks of one of which the claims ``after`` hold where ``before`` did, its
    points as they were but for those that are said to lie elsewhere; not solved."""
    before, after = ([_read_at_mark(claim, scene) for claim in claims] for claims in (before, after))
    kept = list_meanings(after)
    removed = [claim for claim in before if not list_meanings([claim]) & kept]
    known = list_meanings(before)
    added = [claim for claim in after if not list_meanings([claim]) & known]
    went, came = _list_marked(scene, removed, added, after)
    removed, added, after = [*removed, *went], [*added, *came], [*after, *came]
    points = _place_points(scene, added)
    return replace(
        scene,
        facts=tuple(_edit_facts(scene, removed, after)),
        marks=tuple(_edit_marks(scene, removed, added)),
        segments=tuple(_edit_segments(scene, before, after, points)),
        points=points,
        parabolas=tuple(_edit_parabolas(scene, removed, added)),
    )


def _list_marked(
    scene: Scene, removed: Sequence[Fact], added: Sequence[Fact], after: Sequence[Fact]
) -> tuple[list[Fact], list[Fact]]:
    """What is marked and said by name alone: it goes with the midpoint, the altitude that said so, unless it is said
    still; and another of that sort that comes is marked as that one was."""
    kept = {canonicalise(less) for claim in after for less in (claim, *list_said(claim))}
    went: list[Fact] = []
    marked: Counter[tuple[str, str]] = Counter()
    for claim in removed:
        for less in list_said(claim):
            if _is_marked(less, scene):
                marked[claim.predicate, less.predicate] += 1
                if canonicalise(less) not in kept:
                    went.append(less)
    came: list[Fact] = []
    for claim in added:
        for less in list_said(claim):
            if marked[claim.predicate, less.predicate] > 0:
                marked[claim.predicate, less.predicate] -= 1
                came.append(less)
    return went, came


def _is_marked(claim: Fact, scene: Scene) -> bool:
    """Whether marks of the figure show that two things are equal, or an angle right."""
    split = split_group(claim)
    if split is None:
        forms = {canonicalise(mark) for mark in scene.marks}
        return any(form in forms for form in _list_mark_forms(claim))
    name, parts = split
    groups = [
        {
            mark.value
            for mark in scene.marks
            if canonicalise(replace(mark, value="")) == canonicalise(Fact(name, part, ""))
        }
        for part in parts
    ]
    return bool(groups[0] & groups[1])


def set_upright(scene: Scene, drawn: Scene) -> Scene:
    """``drawn``, which was made of ``scene``, with lines level and upright as they were there, where they can be."""
    facts = [*drawn.claims, *_list_shared_unknowns(drawn, scene)]
    return stand_upright(scene, drawn, facts, find_slack(scene))


def find_figure(scene: Scene, claims: Sequence[Fact], restarts: int = 0) -> Solution:
    """A figure with the points and lines of ``scene`` of which ``claims`` are true, whatever else was true of that, and
    however its lines run; not solved where none is found.

    One in a hundred is found only after a restart, and most searches fail for good. So those who look through many
    edits do without, and those who judge one allow for some.
    """
    if any(lacks_circle(claim, scene) for claim in claims):
        return Solution(scene, flaw="no such circle")
    solution = redraw(replace(scene, marks=(), facts=()), (), claims, False, restarts, ANY)
    if not solution.solved:
        return solution
    # Of numbers no more is asked than that they hold and go together.
    unshown = find_unshown([claim for claim in claims if claim.predicate not in MEASURES], solution.scene)
    flaw = f"{unshown[0]} is not shown" if unshown else _find_flat(claims, solution.scene)
    flaw = flaw or _find_short(claims, scene, solution.scene)
    flaw = flaw or find_contradiction(solution.scene, claims) or find_impossible(claims, solution.scene)
    return replace(solution, flaw=flaw)


def _find_flat(claims: Sequence[Fact], scene: Scene) -> str | None:
    """A corner so flat or so sharp that the solver has laid it on a line, and no text would speak of it."""
    for claim in claims:
        for corner in _list_corners(claim):
            turn = math.degrees(measure_angle(*(scene.points[name] for name in corner)))
            if not _LEAST_CORNER < turn < 180 - _LEAST_CORNER:
                return f"{claim} is flat"
    return None


def _find_short(claims: Sequence[Fact], old: Scene, new: Scene) -> str | None:
    """A line so short that its ends lie together as far as the solver can tell."""
    for p, q in name_sides(claims, new.points):
        was, now = (measure_distance(each.points[p], each.points[q]) / (each.extent + TINY) for each in (old, new))
        if now < min(_LEAST_LINE, 0.5 * was):
            return f"the line {p}{q} is a point"
    return None


def _list_corners(claim: Fact) -> Iterator[Sequence[str]]:
    """The corners of a shape, and of one that is named with what is said of it; angles to which no number is given."""
    for ring in _list_rings(claim):
        yield from ((ring[i - 2], ring[i - 1], ring[i]) for i in range(len(ring)))
    a = claim.arguments
    if claim.predicate == "equal_angle" or (claim.predicate == "angle" and is_symbolic(claim.value)):
        yield from (a[i : i + 3] for i in range(0, len(a), 3))


def _list_rings(claim: Fact) -> list[tuple[str, ...]]:
    """The polygons that a claim names."""
    a = claim.arguments
    if claim.predicate in ("congruent", "similar"):
        return [a[: len(a) // 2], a[len(a) // 2 :]]
    if claim.predicate in SHAPES or claim.predicate in _BEFORE_RING:
        return [a[_BEFORE_RING.get(claim.predicate, 0) :]]
    return []


def _place_points(scene: Scene, added: Sequence[Fact]) -> dict[str, Point]:
    """The points where the solver starts: one that is said to lie elsewhere starts there, not where it lay.

    From afar it would be drawn to the line, but often to a place outside the two ends.
    """
    points = dict(scene.points)
    for claim in added:
        a = claim.arguments
        if claim.predicate == "collinear" and len(a) == 3:
            points[a[1]] = _divide(scene, (a[0], a[2]), a[1])
        elif claim.predicate == "midpoint":
            points[a[0]] = _divide(scene, (a[1], a[2]), None)
        elif claim.predicate == "intersection":
            points[a[0]] = _cross(*(scene.points[name] for name in a[1:])) or points[a[0]]
        elif claim.predicate == "on_circle" and a[1] in scene.circles:  # else the circle has another name here
            x, y, radius = scene.circles[a[1]]
            away = math.atan2(points[a[0]][1] - y, points[a[0]][0] - x)
            points[a[0]] = (x + radius * math.cos(away), y + radius * math.sin(away))
    return points


def _divide(scene: Scene, ends: tuple[str, str], name: str | None) -> Point:
    """A point between two others: in the middle, or nearest to the point ``name`` but not beside an end."""
    (px, py), (qx, qy) = (scene.points[end] for end in ends)
    share = 0.5
    if name is not None and name not in ends:
        x, y = scene.points[name]
        along = (x - px) * (qx - px) + (y - py) * (qy - py)
        share = min(max(along / ((qx - px) ** 2 + (qy - py) ** 2 + TINY), _LEAST_SHARE), 1 - _LEAST_SHARE)
    return (px + share * (qx - px), py + share * (qy - py))


def _cross(p: Point, q: Point, s: Point, t: Point) -> Point | None:
    """Where the line PQ meets ST; None where they are as good as parallel."""
    (ax, ay), (bx, by) = (q[0] - p[0], q[1] - p[1]), (t[0] - s[0], t[1] - s[1])
    spread = ax * by - ay * bx
    if abs(spread) < 0.01 * math.hypot(ax, ay) * math.hypot(bx, by):
        return None
    along = ((s[0] - p[0]) * by - (s[1] - p[1]) * bx) / spread
    return (p[0] + along * ax, p[1] + along * ay)


def _read_at_mark(claim: Fact, scene: Scene) -> Fact:
    """The radius of a circle as the length of the line at which the figure writes it."""
    marks = list_marks_of(claim, scene) if claim.predicate == "radius" else ()
    lines = [mark for mark in marks if judge(Fact("radial", (*mark.arguments, *claim.arguments)), scene.coordinates)]
    return Fact("length", lines[0].arguments, claim.value) if lines else claim


def find_slack(scene: Scene) -> float:
    """How closely an edited figure must keep its claims: as closely as the anchor, whose numbers may be rounded.

    The full tolerance would let 6, 15, 17 pass for a right triangle.
    """
    worst = max((off for _, off in list_failing(scene, scene.claims, 1e-9)), default=0.0)
    return min(TOLERANCE, max(_EXACT, 1.25 * worst))


def _edit_facts(scene: Scene, removed: Sequence[Fact], after: Sequence[Fact]) -> Iterator[Fact]:
    """What the caption states now, then what the scene knows besides and no removed claim brought in."""
    gone = {fact for claim in removed if claim.predicate not in _UNSOLVED for fact in list_consequences(claim)}
    stated: set[Fact] = set()
    for claim in after:
        if claim.predicate not in _UNSOLVED and claim.predicate not in DRAWN:
            stated.add(canonicalise(claim))
            yield claim
    for fact in scene.facts:
        form = canonicalise(fact)
        # A number that the figure does not write (``markings = false``) binds no other figure.
        if form not in stated and form not in gone and fact.predicate not in MEASURES:
            yield fact


def _edit_marks(scene: Scene, removed: Sequence[Fact], added: Sequence[Fact]) -> Iterator[Fact]:
    gone = {form for claim in removed for form in _list_mark_forms(claim)}
    marks = [mark for mark in scene.marks if canonicalise(mark) not in gone]
    lost_groups = _list_lost_group_marks(scene, removed)
    kept = [mark for mark in marks if canonicalise(mark) not in lost_groups]
    yield from kept
    present = {canonicalise(mark) for mark in kept}
    for claim in added:
        mark = _find_mark_for(claim)
        if mark is not None and canonicalise(mark) not in present:
            yield mark
    yield from _write_group_marks(added)


def _list_mark_forms(claim: Fact) -> Iterator[Fact]:
    """The marks that show ``claim`` as a number or a right-angle square."""
    if claim.predicate in NUMBER_MARKS:
        yield canonicalise(Fact(NUMBER_MARKS[claim.predicate], claim.arguments, claim.value))
    right = find_corner(claim)
    if right is not None:
        yield canonicalise(Fact("mark_right", right))
        yield canonicalise(Fact("mark_angle", right, "90"))


def find_corner(claim: Fact) -> tuple[str, str, str] | None:
    """The three points of the right angle that ``claim`` is about, if it is one."""
    a = claim.arguments
    if claim.predicate == "angle" and claim.value == "90":
        return (a[0], a[1], a[2])
    if claim.predicate == "perpendicular" and len(set(a)) == 3:
        (corner,) = set(a[:2]) & set(a[2:])
        p, q = (name for name in a if name != corner)
        return (p, corner, q)
    return None


def _find_mark_for(claim: Fact) -> Fact | None:
    if claim.predicate in NUMBER_MARKS:
        return Fact(NUMBER_MARKS[claim.predicate], claim.arguments, claim.value)
    right = find_corner(claim)
    return Fact("mark_right", right) if right is not None else None


def split_group(claim: Fact) -> tuple[str, tuple[tuple[str, ...], tuple[str, ...]]] | None:
    """The group mark that shows ``claim`` and the two things that it would be on."""
    for mark, predicate in GROUP_MARKS.items():
        if claim.predicate == predicate:
            half = len(claim.arguments) // 2
            return mark, (claim.arguments[:half], claim.arguments[half:])
    return None


def _list_lost_group_marks(scene: Scene, removed: Sequence[Fact]) -> set[Fact]:
    """Ticks, arcs and arrows of claims that are gone; of a group, those on the two things that were compared."""
    gone = list_meanings(removed)
    kept_parts = {
        canonicalise(Fact(split[0], part, "")).arguments
        for claim in scene.facts
        if not list_meanings([claim]) & gone and (split := split_group(claim))
        for part in split[1]
    }
    lost: set[Fact] = set()
    for claim in removed:
        split = split_group(claim)
        if split is None:
            continue
        for part in split[1]:
            place = canonicalise(Fact(split[0], part, "")).arguments
            if place not in kept_parts:
                lost |= {
                    canonicalise(mark)
                    for mark in scene.marks
                    if mark.predicate == split[0] and canonicalise(mark).arguments == place
                }
    return lost


def _write_group_marks(added: Sequence[Fact]) -> Iterator[Fact]:
    """Ticks, arcs or arrows for new equalities, each a group of its own; `unite_groups` joins those that share a
    thing."""
    for i, claim in enumerate(added):
        split = split_group(claim)
        if split is not None:
            name, parts = split
            yield from (Fact(name, part, f"new {i}") for part in parts)


def _edit_segments(
    scene: Scene, before: Sequence[Fact], after: Sequence[Fact], points: Mapping[str, Point]
) -> Iterator[Segment]:
    """Strokes that only the claims ``before`` named go; those that the claims ``after`` name come."""
    placed, named = replace(scene, points=points), name_sides(after, points)
    due, said = replace(placed, segments=named), replace(scene, segments=name_sides(before, points))
    kept = [side for side in scene.segments if due.has_line(*side) or not said.has_line(*side)]
    # The longest come first: parts of them are then there.
    for side in sorted(named, key=lambda side: -measure_distance(*(points[name] for name in side))):
        if not replace(placed, segments=tuple(kept)).has_line(*side):
            kept.append(side)
    yield from kept


def name_sides(claims: Iterable[Fact], points: Collection[str]) -> tuple[Segment, ...]:
    """The segments between these points that claims name, each once."""
    sides = {side for claim in claims for side in list_named_segments(claim) if side.issubset(points)}
    return tuple((first, second) for first, second in sorted(map(sorted, sides)))


def _edit_parabolas(scene: Scene, removed: Sequence[Fact], added: Sequence[Fact]) -> Iterator[Segment]:
    """The curves of claims that went are those of the claims that came."""
    gone = [claim.arguments for claim in removed if claim.predicate in _CURVES]
    came = [(claim.arguments[0], claim.arguments[1]) for claim in added if claim.predicate in _CURVES]
    yield from (curve for curve in scene.parabolas if curve not in gone)
    yield from dict.fromkeys(came)


def _list_shared_unknowns(edited: Scene, scene: Scene) -> Iterator[Fact]:
    """Two segments marked ``x`` stay equal, as they were."""
    for predicate, relation in (("mark_length", "equal_length"), ("mark_angle", "equal_angle")):
        marks = [mark for mark in edited.marks if mark.predicate == predicate and is_symbolic(mark.value)]
        for first, second in combinations(marks, 2):
            equal = Fact(relation, first.arguments + second.arguments)
            if first.value == second.value and judge(equal, scene.coordinates):
                yield equal


def keep_true_marks(scene: Scene) -> Iterator[Fact]:
    """All marks but ticks, arcs and arrows that the solved figure made untrue, or whose lines are not drawn."""
    for mark in scene.marks:
        relation = GROUP_MARKS.get(mark.predicate)
        if relation is None:
            yield mark
            continue
        if not all(scene.has_line(p, q) for p, q in pairwise(mark.arguments)):
            continue
        others = [m for m in scene.marks if m.predicate == mark.predicate and m.value == mark.value and m != mark]
        if any(judge(Fact(relation, mark.arguments + other.arguments), scene.coordinates) for other in others):
            yield mark


_ON_LINES = frozenset(("mark_length", "mark_angle", "mark_right", "mark_ticks", "mark_arcs"))
"""Marks of the lines between their points, one after the other."""
_FLAT = 0.03
"""Sine of an angle between lines that are one line to a viewer."""


def find_near_right(old: Scene, new: Scene) -> str | None:
    """A right angle of the old figure that the new one has lost, but by so little that a viewer still sees one."""
    for (p, q), (s, t) in combinations(new.segments, 2):
        for corner in {p, q} & {s, t}:
            first, second = (end for end in (p, q, s, t) if end != corner)
            before, after = (
                abs(math.degrees(measure_angle(*(scene.points[name] for name in (first, corner, second)))) - 90)
                for scene in (old, new)
            )
            if before < 0.6 and 0.6 < after < _LEAST_SLANT:
                return f"the angle {first}{corner}{second} still looks right"
    return None


def find_cramped(old: Scene, new: Scene) -> str | None:
    """What came so close together in the new figure, and did not in the old one, that a viewer must guess: two letters,
    or two lines from one point."""
    (was, _), (now, (p, q)) = (min(_list_gaps(scene), default=(1.0, ("", ""))) for scene in (old, new))
    if now < min(_LEAST_GAP, _CLOSER * was):
        return f"{p} and {q} stand together"
    (was, _), (now, lines) = (min(_list_corners_drawn(scene), default=(90.0, "")) for scene in (old, new))
    return f"the angle {lines} is a sliver" if now < min(_LEAST_FAN, _CLOSER * was) else None


def _list_gaps(scene: Scene) -> Iterator[tuple[float, tuple[str, str]]]:
    """How far apart points stand, as shares of the extent."""
    for p, q in combinations(sorted(scene.points), 2):
        yield measure_distance(scene.points[p], scene.points[q]) / (scene.extent + TINY), (p, q)


def _list_corners_drawn(scene: Scene) -> Iterator[tuple[float, str]]:
    """The angles between drawn lines that end at one point, in degrees; lines along each other aside."""
    for (p, q), (s, t) in combinations(scene.segments, 2):
        for corner in {p, q} & {s, t}:
            first, second = (end for end in (p, q, s, t) if end != corner)
            turn = math.degrees(measure_angle(*(scene.points[name] for name in (first, corner, second))))
            if turn > 1:
                yield turn, f"{first}{corner}{second}"


def find_bare_mark(old: Scene, new: Scene) -> Fact | None:
    """A mark of the new figure whose lines are not all drawn there, or are one line, though the old one's were not: a
    point has left the line that ran through it, and no viewer could tell what the mark stands at."""
    return next((mark for mark in new.marks if _is_bare(mark, new) and not _is_bare(mark, old)), None)


def _is_bare(mark: Fact, scene: Scene) -> bool:
    if mark.predicate not in _ON_LINES:
        return False
    if len(mark.arguments) == 3 and math.sin(measure_angle(*(scene.points[name] for name in mark.arguments))) < _FLAT:
        return True
    return not all(scene.has_line(*side) for side in pairwise(mark.arguments))


def relabel_scene(scene: Scene, names: Mapping[str, str]) -> Scene:
    """The same figure with its letters exchanged; ``names`` is a permutation of labels."""
    return Scene(
        {names.get(name, name): place for name, place in scene.points.items()},
        tuple((names.get(p, p), names.get(q, q)) for p, q in scene.segments),
        {names.get(name, name): place for name, place in scene.circles.items()},
        tuple(relabel(mark, names) for mark in scene.marks),
        tuple(relabel(fact, names) for fact in scene.facts),
        scene.axes,
        tuple((names.get(p, p), names.get(q, q)) for p, q in scene.lines),
        tuple((names.get(p, p), names.get(q, q)) for p, q in scene.parabolas),
    )
