"""A blind reader: what a stranger takes each number, tick, arc, square and arrowhead of a picture to mean.

It sees strokes, curves and texts with their boxes, and which point each letter names; no group ids and nothing of how
the figure came about. A number belongs to the nearest angle, line or arc with nothing between. A length stands beside
the whole that it measures, so beside a part it is read as the part's; a leader or a dimension line says otherwise.
Equal marks mean equal. A row fails where another fact is read than the one that its scene states.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from renderers.results import Drawing, Panel
from storage.rows import Fact
from tasks.geometry.facts.expressions import read_number
from tasks.geometry.facts.judge import VISIBLE, canonicalise
from tasks.geometry.facts.residuals import Point, compare, measure_distance, measure_gap
from tasks.geometry.figure.scene import Scene
from tasks.geometry.measuring.aids import Aid, split_aids
from tasks.geometry.measuring.boxes import Box, find_ink_box, find_nearest_in_box, measure_gap_to_point
from tasks.geometry.measuring.ink import PageMap, sort_ink
from tasks.geometry.measuring.measure import measure, read_name
from tasks.geometry.measuring.numbers import Read, find_line_beside, name, read_numbers
from tasks.geometry.measuring.strokes import Line
from tasks.geometry.measuring.view import RimSpan, View, Wedge, find_direction, measure_turn_between

SLANT = math.degrees(VISIBLE)
"""Degrees from which a viewer sees that an angle is not what is written at it."""
NEARER = 2.0
"""Pixels by which a letter must be nearer to its own point than to another."""
TICK_REACH = 3.0


@dataclass
class Look:
    """What is read: numbers, how many ticks, arcs and arrowheads each thing bears, squares, and what is wrong."""

    reads: list[Read] = field(default_factory=list)
    ticks: dict[frozenset[str], int] = field(default_factory=dict)
    arrows: dict[frozenset[str], int] = field(default_factory=dict)
    """By all the labels on the line."""
    wedges: list[Wedge] = field(default_factory=list)
    """The angles that bear arcs or a square."""
    false: list[str] = field(default_factory=list)
    """Marks that say what is visibly not so, contradict one another or cannot be told whose they are."""

    @property
    def facts(self) -> frozenset[Fact]:
        """The numbers as marks, under every name of what they measure."""
        return frozenset(_write_form(fact) for read in self.reads for fact in read.facts)


def find_misreading(scene: Scene, drawing: Drawing, places: Mapping[str, Point] | None = None) -> str | None:
    """Where a stranger reads another fact in ``drawing`` than ``scene`` states, in words, or None.

    ``places`` are the labelled points in pixels as `measure` reads them, which is asked where they are not given.

    Raises:
        tasks.geometry.measuring.measure.MeasureError: the drawing cannot be measured.
    """
    seen = look(drawing, measure(drawing).places if places is None else places)
    unread = _list_unread(scene, seen)
    if unread:
        return _tell_unread(unread[0], seen)
    if seen.false:
        return seen.false[0]
    stated = {_write_form(mark) for mark in scene.marks}
    for read in seen.reads:
        if read.names and not any(_write_form(fact) in stated or _is_arc_of(fact, stated) for fact in read.facts):
            return f"{read.text!r} reads as {next(read.facts)}, which is not stated"
    return _find_corner_difference(scene, seen) or _find_group_difference(scene, seen)


def find_misread_numbers(scene: Scene, drawing: Drawing, places: Mapping[str, Point]) -> list[Fact]:
    """The numbers that ``scene`` states and that a stranger does not read in ``drawing`` at what they measure."""
    return _list_unread(scene, look(drawing, places))


def look(drawing: Drawing, places: Mapping[str, Point]) -> Look:
    """What a stranger reads of the marks in ``drawing``."""
    panel = max(drawing.panels, key=lambda each: (len(each.labels), len(each.polylines) + len(each.arcs)))
    figure, aids = split_aids(_strip(panel))
    page = PageMap.of(figure)
    view = View.of(sort_ink(figure), places)
    texts = [(label.text, find_ink_box(label, page)) for label in figure.labels]
    seen = Look(reads=read_numbers(view, texts, aids), wedges=[wedge for wedge in view.wedges if wedge.is_marked])
    _count_ticks(view, aids, seen)
    _count_arrows(view, seen)
    seen.false += [*_find_untrue_sizes(seen), *_find_unequal(view, seen), *_find_lost_names(view, texts)]
    return seen


def _strip(panel: Panel) -> Panel:
    """The panel without group ids and without the points that annotations were given: no viewer sees them."""
    return replace(
        panel,
        polylines=tuple(replace(shape, gid="") for shape in panel.polylines),
        arcs=tuple(replace(arc, gid="") for arc in panel.arcs),
        dots=tuple(replace(dot, gid="") for dot in panel.dots),
        labels=tuple(replace(label, gid="", points_at=None) for label in panel.labels),
    )


def _write_form(fact: Fact) -> Fact:
    """Canonical, but for arcs, whose two ends are counter-clockwise."""
    if fact.predicate == "mark_arc":
        return replace(fact, value=canonicalise(fact).value)
    return canonicalise(fact)


# Ticks and arrowheads


def _count_ticks(view: View, aids: Sequence[Aid], seen: Look) -> None:
    for sign in view.ink.signs:
        if sign.kind != "ticks":
            continue
        near = [span for span in view.spans if measure_gap(sign.place, *_ends(span.line)) <= TICK_REACH]
        at_point = next((p for p, at in view.points.items() if measure_distance(at, sign.place) <= TICK_REACH), None)
        if at_point is not None and near:
            seen.false.append(f"a tick stands at the point {at_point}, so on no one line")
        elif len(near) == 1:
            pair = frozenset(near[0].ends)
            seen.ticks[pair] = seen.ticks.get(pair, 0) + 1
        elif near:
            seen.false.append(f"a tick stands on {' and '.join(''.join(span.ends) for span in near)}")
    for aid in aids:
        if aid.ticks and aid.span is not None:
            ends = find_line_beside(view, *aid.span)
            if ends is None:
                seen.false.append("a dimension line with ticks is along no line")
            else:
                seen.ticks[frozenset(ends)] = seen.ticks.get(frozenset(ends), 0) + aid.ticks


def _count_arrows(view: View, seen: Look) -> None:
    for line, on_it in zip(view.lines, view.stops, strict=True):
        signs = [
            sign
            for sign in view.ink.signs
            if sign.kind == "parallel" and measure_gap(sign.place, *_ends(line)) <= TICK_REACH
        ]
        if signs and len(on_it) > 1:
            seen.arrows[frozenset(on_it)] = len(signs)


def _ends(line: Line) -> tuple[Point, Point]:
    return line.start, line.end


# What is written and is not so


def _find_untrue_sizes(seen: Look) -> Iterator[str]:
    for read in seen.reads:
        size, thing = read_number(read.value), read.thing
        if size is None or thing is None:
            continue
        if isinstance(thing, Wedge | RimSpan):
            drawn = thing.sweep if isinstance(thing, Wedge) else thing.round.sweep
            if abs(drawn - size) > SLANT:
                yield f"{read.text!r} is written at {name(thing)}, which is drawn with {drawn:.0f}°"
    for wedge in seen.wedges:
        if wedge.square and abs(wedge.sweep - 90) > SLANT:
            yield f"{name(wedge)} bears a square, but is drawn with {wedge.sweep:.0f}°"


def _find_unequal(view: View, seen: Look) -> Iterator[str]:
    """Things that bear the same mark and are visibly not equal, or not parallel."""
    for (first, count), (second, other) in combinations(seen.ticks.items(), 2):
        if count == other and abs(compare(_measure(view, first), _measure(view, second))) > VISIBLE:
            yield f"{_join(first)} and {_join(second)} bear the same ticks, but are not equal"
    for (first, count), (second, other) in combinations(seen.arrows.items(), 2):
        turn = measure_turn_between(_find_slope(view, first), _find_slope(view, second))
        if count == other and min(turn, 180 - turn) > SLANT:
            yield f"{_join(first)} and {_join(second)} bear the same arrowheads, but are not parallel"
    numbered = {id(read.thing) for read in seen.reads}
    arced = [wedge for wedge in seen.wedges if wedge.radii]
    for first_wedge, second_wedge in combinations(arced, 2):
        if len(first_wedge.radii) != len(second_wedge.radii) or abs(first_wedge.sweep - second_wedge.sweep) <= SLANT:
            continue
        # A single arc beside a number only says where the angle is.
        single = len(first_wedge.radii) == 1
        if not single or not {id(first_wedge), id(second_wedge)} <= numbered:
            yield f"{name(first_wedge)} and {name(second_wedge)} bear the same arcs, but are not equal"


def _measure(view: View, pair: frozenset[str]) -> float:
    p, q = (view.points[label] for label in pair)
    return measure_distance(p, q)


def _find_slope(view: View, labels: frozenset[str]) -> float:
    places = sorted(view.points[label] for label in labels)
    return find_direction(places[0], places[-1])


def _join(labels: frozenset[str]) -> str:
    return "".join(sorted(labels))


def _find_lost_names(view: View, texts: Sequence[tuple[str, Box]]) -> Iterator[str]:
    """Letters that stand nearer to another point than to their own, or behind a line from it."""
    for text, box in texts:
        label = read_name(text)
        place = None if label is None else view.points.get(label)
        if place is None:
            continue
        gap = measure_gap_to_point(box, place)
        rival = min(
            ((measure_gap_to_point(box, p), other) for other, p in view.points.items() if other != label),
            default=(math.inf, ""),
        )
        if rival[0] < gap + NEARER:
            yield f"the letter {label} stands at the point {rival[1]}"
        elif view.is_hidden(find_nearest_in_box(place, box), place):
            yield f"a line is between the letter {label} and its point"


# Against what is stated


def _list_unread(scene: Scene, seen: Look) -> list[Fact]:
    facts = seen.facts
    numbers = (mark for mark in scene.marks if mark.predicate in ("mark_length", "mark_angle", "mark_arc"))
    return [mark for mark in numbers if not _is_read(mark, facts, scene)]


def _is_read(mark: Fact, facts: frozenset[Fact], scene: Scene) -> bool:
    form = _write_form(mark)
    if form in facts or _is_arc_of(form, facts):
        return True
    return mark.predicate == "mark_angle" and mark.value == "90" and _has_square(mark, scene)


def _is_arc_of(fact: Fact, facts: frozenset[Fact] | set[Fact]) -> bool:
    """Whether an arc with a number is among ``facts`` under its ends in the other order: its size says which it is."""
    if fact.predicate != "mark_arc" or read_number(fact.value) is None:
        return False
    p, q, circle = fact.arguments
    return replace(fact, arguments=(q, p, circle)) in facts


def _has_square(mark: Fact, scene: Scene) -> bool:
    wanted = canonicalise(Fact("mark_right", mark.arguments))
    return any(canonicalise(each) == wanted for each in scene.marks if each.predicate == "mark_right")


def _tell_unread(mark: Fact, seen: Look) -> str:
    value = _write_form(mark).value
    for read in seen.reads:
        if canonicalise(Fact(mark.predicate, mark.arguments, read.value)).value == value:
            if read.unclear:
                return read.unclear
            if canonicalise(next(read.facts)).arguments != canonicalise(mark).arguments:
                return f"{read.text!r} reads as {next(read.facts)}, not {mark}"
    return f"{mark} is not read"


def _find_corner_difference(scene: Scene, seen: Look) -> str | None:
    squares = {canonicalise(Fact("mark_right", names)) for w in seen.wedges if w.square for names in w.names}
    for mark in scene.marks:
        if mark.predicate == "mark_right" and canonicalise(mark) not in squares:
            return f"{mark} is not read"
    stated = {canonicalise(mark) for mark in scene.marks if mark.predicate == "mark_right"}
    for wedge in seen.wedges:
        if wedge.square and not any(canonicalise(Fact("mark_right", names)) in stated for names in wedge.names):
            return f"a square is read at {name(wedge)}, which is not stated"
    return None


def _find_group_difference(scene: Scene, seen: Look) -> str | None:
    """Whether ticks, arcs and arrowheads say other things to be equal than the scene does."""
    for kind, read in (
        ("mark_ticks", lambda a: seen.ticks.get(frozenset(a))),
        ("mark_arcs", lambda a: _count_arcs(seen, a)),
        ("mark_parallel", lambda a: next((n for on_it, n in seen.arrows.items() if set(a) <= on_it), None)),
    ):
        counts: dict[Hashable, str | None] = {}
        for mark in scene.marks:
            if mark.predicate != kind:
                continue
            count = read(mark.arguments)
            if count is None:
                return f"{mark} is not read"
            if counts.setdefault(count, mark.value) != mark.value:
                return f"{mark} is read as of another group"
        if len(set(counts.values())) != len(counts):
            return f"{kind} of one group are read as of two"
    ticked = {frozenset(mark.arguments) for mark in scene.marks if mark.predicate == "mark_ticks"}
    odd = next((pair for pair in seen.ticks if pair not in ticked), None)
    return None if odd is None else f"ticks are read on {_join(odd)}, which are not stated"


def _count_arcs(seen: Look, arguments: tuple[str, ...]) -> int | None:
    p, vertex, q = arguments
    for wedge in seen.wedges:
        if wedge.radii and ((p, vertex, q) in wedge.names or (q, vertex, p) in wedge.names):
            return len(wedge.radii)
    return None
