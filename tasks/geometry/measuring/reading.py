"""The one reader of a figure's marks: what a stranger takes each number, tick, arc, square and arrowhead to mean.

It sees strokes, curves and texts with their boxes, and which point each letter names, in our own scenes and in
anybody's scripts alike, and nothing of how the figure came about. A number belongs to the nearest angle, line or arc
with nothing between. A length stands beside the whole that it measures, so beside a part it is read as the part's; a
leader or a dimension line says otherwise. Equal marks mean equal. What could be read in two ways is read in the
likelier one, with a doubt; `look` tells where a figure reads otherwise than it states.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from counterfoil.renderers.results import Drawing, Panel
from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.expressions import read_number
from counterfoil.tasks.geometry.facts.judge import VISIBLE, canonicalise
from counterfoil.tasks.geometry.facts.residuals import Point, compare, measure_distance, measure_gap
from counterfoil.tasks.geometry.measuring.aids import Aid, split_aids
from counterfoil.tasks.geometry.measuring.axes import Plane, take_axes
from counterfoil.tasks.geometry.measuring.boxes import (
    Box,
    find_centre,
    find_ink_box,
    find_nearest_in_box,
    measure_gap_to_point,
)
from counterfoil.tasks.geometry.measuring.ink import Ink, PageMap, sort_ink
from counterfoil.tasks.geometry.measuring.mark_texts import read_name
from counterfoil.tasks.geometry.measuring.numbers import Read, find_line_beside, name, read_numbers
from counterfoil.tasks.geometry.measuring.strokes import Line, find_direction, measure_turn_between
from counterfoil.tasks.geometry.measuring.view import RimSpan, View, Wedge

SLANT = math.degrees(VISIBLE)
"""Degrees from which a viewer sees that an angle is not what is written at it."""
NEARER = 2.0
"""Pixels by which a letter must be nearer to its own point than to another."""
TICK_REACH = 3.0


@dataclass(frozen=True)
class Mark:
    """Anything that is seen, by the middle of where it stands in pixels of the page (y up).

    ``kind`` is letter, number, text, tick, arrowhead, arc, square, line or circle. ``facts`` are what it says, under
    all its names: none where it stands at nothing. ``text`` is what is written.
    """

    kind: str
    place: Point
    facts: tuple[Fact, ...] = ()
    text: str = ""


@dataclass
class Seen:
    """What is read: numbers, how many ticks, arcs and arrowheads each thing bears, squares, and what is wrong."""

    view: View
    texts: Sequence[tuple[str, Box]]
    """All that is written, with the boxes of the letters."""
    reads: list[Read] = field(default_factory=list)
    """The numbers, and the other texts that name no point."""
    ticks: dict[frozenset[str], int] = field(default_factory=dict)
    arrows: dict[frozenset[str], int] = field(default_factory=dict)
    """By all the labels on the line."""
    wedges: list[Wedge] = field(default_factory=list)
    """The angles that bear arcs or a square."""
    signs: list[Mark] = field(default_factory=list)
    """Each tick and arrowhead."""
    plane: Plane | None = None
    """What axes say, where there are any."""
    false: list[str] = field(default_factory=list)
    """Marks that say what is visibly not so, contradict one another or cannot be told whose they are."""

    @property
    def facts(self) -> frozenset[Fact]:
        """The numbers as marks, under every name of what they measure, as far as there is no doubt."""
        return frozenset(write_form(fact) for read in self.reads if not read.unclear for fact in read.facts)

    @property
    def strays(self) -> tuple[str, ...]:
        """The texts that name no point and stand at nothing."""
        return tuple(read.text for read in self.reads if not read.names)

    def find_doubt(self) -> str | None:
        """The first mark of which a stranger could not tell what it means, or that is visibly false, in words."""
        doubts = (read.unclear for read in self.reads if read.unclear and not read.is_words)
        return next(doubts, self.false[0] if self.false else None)

    def list_facts(self) -> list[Fact]:
        """All marks as a scene has them, in the likelier reading where there is a doubt."""
        marks = [fact for read in self.reads for fact in read.facts]
        marks += [Fact("mark_ticks", tuple(sorted(pair)), str(count)) for pair, count in self.ticks.items()]
        for line, on_it in zip(self.view.lines, self.view.stops, strict=True):
            count = self.arrows.get(frozenset(on_it))
            if count and line.length:
                marks.append(Fact("mark_parallel", (on_it[0], on_it[-1]), str(count)))
        numbered = {id(read.thing) for read in self.reads}
        for wedge in self.wedges:
            if wedge.square:
                marks += [Fact("mark_right", names) for names in wedge.names]
            # A single arc beside a number only says where the angle is.
            if len(wedge.radii) > 1 or (wedge.radii and (id(wedge) not in numbered or wedge.tagged)):
                marks += [Fact("mark_arcs", names, str(len(wedge.radii))) for names in wedge.names]
        return sorted(dict.fromkeys(marks), key=lambda mark: (mark.predicate, mark.arguments, mark.value or ""))

    def list_marks(self) -> list[Mark]:
        """All that is seen, each thing once, those that stand at nothing among it."""
        view, numbers = self.view, iter(self.reads)
        marks = []
        for text, box in self.texts:
            label = read_name(text)
            if label is not None:
                facts: tuple[Fact, ...] = (Fact("point", (label,)),) if label in view.points else ()
                marks.append(Mark("letter", find_centre(box), facts, text))
        for read in numbers:
            marks.append(Mark("text" if read.is_words else "number", read.place, tuple(read.facts), read.text))
        marks += self.signs
        for arc in view.ink.angle_arcs:
            wedge = view.find_wedge(arc)
            names = () if wedge is None else wedge.names
            marks.append(Mark("arc", arc.middle, tuple(Fact("mark_arcs", each) for each in names)))
        for square in view.ink.squares:
            wedge = view.find_wedge(square)
            names = () if wedge is None else wedge.names
            marks.append(Mark("square", square.middle, tuple(Fact("mark_right", each) for each in names)))
        for line, on_it in zip(view.lines, view.stops, strict=True):
            marks.append(Mark("line", line.middle, (Fact("segment", (on_it[0], on_it[-1])),) if len(on_it) > 1 else ()))
        marks += [Mark("circle", (x, y), (Fact("circle", (name,)),)) for name, (x, y, _) in view.circles.items()]
        return marks


@dataclass(frozen=True)
class Opened:
    """A panel as a viewer sees it, its map to pixels, its ink, the leaders and dimension lines among it, its axes."""

    figure: Panel
    page: PageMap
    ink: Ink
    aids: tuple[Aid, ...]
    plane: Plane | None


def open_panel(panel: Panel) -> Opened:
    """What is on a panel, sorted.

    Raises:
        AxesError: it has axes that nobody could read.
    """
    bare, plane = take_axes(_strip(panel))
    figure, aids = split_aids(bare)
    return Opened(figure, PageMap.of(figure), sort_ink(figure), aids, plane)


def look(drawing: Drawing, places: Mapping[str, Point]) -> Seen:
    """What a stranger reads of the marks in ``drawing``, of which the letters name ``places`` (pixels, y up)."""
    panel = max(drawing.panels, key=lambda each: (len(each.labels), len(each.polylines) + len(each.arcs)))
    opened = open_panel(panel)
    return read_marks(View.of(opened.ink, places), opened)


def read_marks(view: View, opened: Opened) -> Seen:
    """What a stranger reads of the marks in a view of a panel."""
    figure, page, aids = opened.figure, opened.page, opened.aids
    texts = [(label.text, find_ink_box(label, page)) for label in figure.labels]
    wedges = [wedge for wedge in view.wedges if wedge.is_marked]
    seen = Seen(view, texts, reads=read_numbers(view, texts, aids), wedges=wedges, plane=opened.plane)
    _count_ticks(view, aids, seen)
    _count_arrows(view, seen)
    seen.false += [f"the mark of {name(each)} ends at two lines" for each in wedges if each.crowded]
    seen.false += [*_find_untrue_sizes(seen), *_find_unequal(view, seen), *_find_lost_names(view, texts)]
    return seen


def _strip(panel: Panel) -> Panel:
    """The panel without group ids, which no viewer sees, but for those of arcs: whether a single arc beside a number
    says that angles are equal, no viewer could tell otherwise."""
    return replace(
        panel,
        polylines=tuple(replace(shape, gid="") for shape in panel.polylines),
        dots=tuple(replace(dot, gid="") for dot in panel.dots),
        labels=tuple(replace(label, gid="") for label in panel.labels),
    )


def write_form(fact: Fact) -> Fact:
    """Canonical, but for arcs, whose two ends are counter-clockwise."""
    if fact.predicate == "mark_arc":
        return replace(fact, value=canonicalise(fact).value)
    return canonicalise(fact)


# Ticks and arrowheads


def _count_ticks(view: View, aids: Sequence[Aid], seen: Seen) -> None:
    for sign in view.ink.signs:
        if sign.kind != "ticks":
            continue
        near = [span for span in view.spans if measure_gap(sign.place, *_ends(span.line)) <= TICK_REACH]
        facts: tuple[Fact, ...] = ()
        at_point = next((p for p, at in view.points.items() if measure_distance(at, sign.place) <= TICK_REACH), None)
        if at_point is not None and near:
            seen.false.append(f"a tick stands at the point {at_point}, so on no one line")
        elif len(near) == 1:
            whole = view.find_whole(near[0].ends, sign.place) or near[0]
            if whole is not near[0]:
                seen.false.append(f"a tick on {name(near[0])} stands in the middle of {name(whole)}")
            pair = frozenset(whole.ends)
            seen.ticks[pair] = seen.ticks.get(pair, 0) + 1
            facts = (Fact("mark_ticks", whole.ends),)
        elif near:
            seen.false.append(f"a tick stands on {' and '.join(''.join(span.ends) for span in near)}")
        seen.signs.append(Mark("tick", sign.place, facts))
    for aid in aids:
        if aid.ticks and aid.span is not None:
            ends = find_line_beside(view, *aid.span)
            if ends is None:
                seen.false.append("a dimension line with ticks is along no line")
            else:
                seen.ticks[frozenset(ends)] = seen.ticks.get(frozenset(ends), 0) + aid.ticks


def _count_arrows(view: View, seen: Seen) -> None:
    for line, on_it in zip(view.lines, view.stops, strict=True):
        signs = [
            sign
            for sign in view.ink.signs
            if sign.kind == "parallel" and measure_gap(sign.place, *_ends(line)) <= TICK_REACH
        ]
        if signs and len(on_it) > 1:
            seen.arrows[frozenset(on_it)] = len(signs)
        facts = (Fact("mark_parallel", (on_it[0], on_it[-1])),) if len(on_it) > 1 else ()
        seen.signs += [Mark("arrowhead", sign.place, facts) for sign in signs]


def _ends(line: Line) -> tuple[Point, Point]:
    return line.start, line.end


# What is written and is not so


def _find_untrue_sizes(seen: Seen) -> Iterator[str]:
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


def _find_unequal(view: View, seen: Seen) -> Iterator[str]:
    """Things that bear the same mark and are visibly not equal, or not parallel."""
    for (first, count), (second, other) in combinations(seen.ticks.items(), 2):
        if count == other and abs(compare(_measure_side(view, first), _measure_side(view, second))) > VISIBLE:
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


def _measure_side(view: View, pair: frozenset[str]) -> float:
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
