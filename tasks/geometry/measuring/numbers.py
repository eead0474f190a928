"""Which angle, line or arc a stranger takes each number of a picture for; see `reading`.

A number belongs to the nearest thing of its sort with nothing between. It is unclear where another such thing is about
as near, unless that one has a number of its own that is nearer still.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.expressions import ExpressionError, write_latex
from counterfoil.tasks.geometry.facts.residuals import Point, measure_distance, measure_gap
from counterfoil.tasks.geometry.measuring.aids import Aid
from counterfoil.tasks.geometry.measuring.boxes import Box, find_centre, find_way_to_line, find_way_to_points
from counterfoil.tasks.geometry.measuring.mark_texts import (
    STATEMENT,
    UNIT,
    read_degrees,
    read_name,
    read_size,
    read_value,
    split_names,
)
from counterfoil.tasks.geometry.measuring.strokes import Round, find_direction, measure_turn_between, place_at
from counterfoil.tasks.geometry.measuring.view import RimSpan, Span, View, Wedge

LENGTH_REACH, ANGLE_REACH, ARC_REACH = 30.0, 90.0, 34.0
"""Pixels from a number's letters within which the line, the angle's mark or the arc that it measures must lie."""
CLEARER, CLEAR = 1.5, 3.0
"""How many times as far the next nearest thing must be, and pixels more, or the number could be read as its."""
UNMARKED = 14.0
"""Pixels by which an angle without a mark must be nearer than one that has one."""
WITHIN = (0.12, 0.88)
"""Shares of a line or arc between which a number beside it stands at it."""
TIP = 4.0
"""Pixels from a leader's tip within which the thing that it points at must lie."""
RAIL_REACH = 60.0
LEAST_RAIL = 24.0
"""Pixels: a shorter stroke measures nothing."""

UNDRAWN = "%r names what is not drawn"

Thing = Wedge | Span | RimSpan


@dataclass(frozen=True)
class Read:
    """A text, where it stands, and the thing that it is read to measure; ``unclear`` says why it could be another's.
    ``names`` are those of the thing: the predicate of the mark and its arguments."""

    text: str
    place: Point
    value: str = ""
    names: tuple[tuple[str, tuple[str, ...]], ...] = ()
    thing: Thing | None = None
    unclear: str = ""

    @property
    def is_words(self) -> bool:
        """Whether it is no number, and so measures nothing: words, an equation."""
        return not self.value

    @property
    def facts(self) -> Iterator[Fact]:
        for predicate, arguments in self.names:
            yield Fact(predicate, arguments, self.value)


@dataclass
class _Number:
    """A number with the things near it, nearest first, each with its distance in pixels."""

    text: str
    box: Box
    value: str
    degrees: bool
    near: list[tuple[float, Thing]] = field(default_factory=list)
    arcs: list[tuple[float, Wedge]] = field(default_factory=list)
    """Of a number without a degree sign: the angles' arcs near it, which it could seem to name or size."""
    settled: bool = False
    """Whether a leader says what it measures."""


def read_numbers(view: View, texts: Sequence[tuple[str, Box]], aids: Sequence[Aid]) -> list[Read]:
    """The numbers among ``texts``, with what each is read to measure, and the words and equations."""
    found: list[Read] = []
    numbers: list[_Number] = []
    by_label = {aid.label: aid for aid in aids}
    rails = list(_list_rails(view))
    for index, (text, box) in enumerate(texts):
        aid = by_label.get(index)
        match = STATEMENT.match(text.replace("$", ""))
        if read_name(text) is not None:
            continue
        if match is not None and not match["letter"]:
            found.append(_read_statement(view, text, box, match))
        elif not _is_number(text if match is None else match["rest"]):
            found.append(Read(text, find_centre(box)))
        elif aid is not None and (aid.span is not None or aid.round is not None):
            found.append(_read_beside(view, text, box, aid))
        else:
            numbers.append(_weigh(view, rails, text, box, aid))
    return found + [_decide(view, number, numbers) for number in numbers]


def _is_number(text: str) -> bool:
    if read_size(text) is not None:
        return True
    words = re.sub(r"\\[a-zA-Z]+", " ", UNIT.sub("", text.replace("$", "").strip()))
    if "=" in text or re.search(r"[A-Za-z]{3,}", words):
        return False
    try:
        write_latex(read_value(text))
    except ExpressionError:
        return False
    return True


def _read_statement(view: View, text: str, box: Box, match: re.Match[str]) -> Read:
    """What ``AB = 6`` or ``∠ABC = 60°`` says by itself, of what is drawn."""
    place, rest = find_centre(box), match["rest"]
    if re.search(r"[A-Z∠=]|\\angle", rest):
        return Read(text, place)
    value = read_degrees(rest) or read_value(rest)
    if match["pair"]:
        kind, labels = "mark_length", tuple(split_names(match["pair"]))
    else:
        kind, labels = "mark_angle", tuple(split_names(match["corner"]))
    if len(labels) == 1:
        here = [(gap, wedge) for gap, wedge in _list_angles(view, box) if wedge.names[0][1] == labels[0]]
        wedge = min(here, key=lambda pair: pair[0])[1] if here else None
        return Read(text, place, value, _list_names(wedge) if wedge else (), wedge, "" if wedge else UNDRAWN % text)
    drawn = all(p != q and view.has_line(p, q) for p, q in pairwise(labels))
    drawn = drawn and (len(labels) == 2 or not view.has_line(*labels))
    return Read(text, place, value, ((kind, labels),) if drawn else (), unclear="" if drawn else UNDRAWN % text)


def _weigh(view: View, rails: Sequence[Span], text: str, box: Box, aid: Aid | None) -> _Number:
    match = STATEMENT.match(text.replace("$", ""))
    size = read_size(text)
    value = size if size is not None else read_value(text if match is None else match["rest"])
    number = _Number(text, box, value, size is not None)
    if aid is not None and aid.tip is not None:
        tip = aid.tip
        box, number.settled = (tip[0], tip[1], tip[0], tip[1]), True
    things = (*_list_angles(view, box), *_list_arcs(view, box)) if number.degrees else _list_lengths(view, rails, box)
    number.near = sorted(things, key=lambda pair: pair[0])
    if number.settled:
        number.near = [(gap, thing) for gap, thing in number.near if gap <= TIP]
    elif not number.degrees:
        number.arcs = [(gap, wedge) for gap, wedge in _list_angles(view, box) if wedge.radii]
    return number


def _list_angles(view: View, box: Box) -> Iterator[tuple[float, Wedge]]:
    for wedge in view.wedges:
        gap, here, there = find_way_to_points(box, wedge.targets)
        if gap <= ANGLE_REACH and not view.is_hidden(here, there):
            yield gap + (0 if wedge.is_marked else UNMARKED), wedge


def _list_arcs(view: View, box: Box) -> Iterator[tuple[float, Thing]]:
    centre = find_centre(box)
    corners = [(box[i], box[j]) for i in (0, 2) for j in (1, 3)]
    for rim in view.rims:
        if not _is_beside(rim.round, centre):
            continue
        turns = [find_direction(rim.round.centre, p) for p in (*corners, centre)]
        gap, here, there = find_way_to_points(box, [place_at(rim.round.centre, rim.round.radius, t) for t in turns])
        if gap <= ARC_REACH and not view.is_hidden(here, there):
            yield gap, rim


def _is_beside(arc: Round, p: Point) -> bool:
    share = ((find_direction(arc.centre, p) - arc.start) % 360) / (arc.sweep or 360.0)
    return WITHIN[0] <= share <= WITHIN[1]


def _list_lengths(view: View, rails: Sequence[Span], box: Box) -> Iterator[tuple[float, Thing]]:
    centre = find_centre(box)
    for span in (*view.spans, *rails):
        (x0, y0), (x1, y1) = span.line.start, span.line.end
        length = span.line.length or 1.0
        share = ((centre[0] - x0) * (x1 - x0) + (centre[1] - y0) * (y1 - y0)) / length**2
        if not WITHIN[0] <= share <= WITHIN[1]:
            continue
        gap, here, there = find_way_to_line(box, span.line.start, span.line.end)
        if gap <= LENGTH_REACH and not view.is_hidden(here, there):
            yield gap, span


def _list_rails(view: View) -> Iterator[Span]:
    """Lines that no letter is on and that run beside one with letters, just as long, as a dimension line does."""
    for line, on_it in zip(view.lines, view.stops, strict=True):
        pair = None if on_it or line.length < LEAST_RAIL else find_line_beside(view, line.start, line.end)
        if pair is not None:
            yield Span(pair, line, rail=True)


def _decide(view: View, number: _Number, numbers: Sequence[_Number]) -> Read:
    def read(thing: Thing | None, unclear: str = "") -> Read:
        names = () if thing is None else _list_names(thing)
        return Read(number.text, find_centre(number.box), number.value, names, thing, unclear)

    if not number.near:
        return read(None, f"{number.text!r} stands at nothing that it could measure")
    gap, thing = number.near[0]
    for other in numbers:
        if other is not number and other.degrees == number.degrees and other.near and other.near[0][1] is thing:
            first = min((number, other), key=lambda each: each.near[0][0])
            if first is other:
                return read(None, f"{number.text!r} and {other.text!r} stand at {name(thing)}")
    for arc_gap, wedge in number.arcs:
        if arc_gap < max(gap, CLEAR) and not _has_nearer(wedge, arc_gap, number, numbers):
            return read(None, f"{number.text!r} stands at the arc of {name(wedge)}")
    for rival_gap, rival in number.near[1:]:
        if rival_gap > CLEARER * gap + CLEAR or number.settled:
            break
        if not _has_nearer(rival, rival_gap, number, numbers):
            return read(thing, f"{number.text!r} could be of {name(thing)} or of {name(rival)}")
    if isinstance(thing, Span) and thing.rail:
        return read(thing, f"{number.text!r} stands at a line without letters")
    if number.settled:
        return read(thing)
    place = find_centre(number.box)
    if isinstance(thing, Wedge) and not thing.has_within(place):
        return read(thing, f"{number.text!r} stands outside {name(thing)}")
    whole = view.find_whole(thing.ends, place) if isinstance(thing, Span) else None
    if whole is not None:
        return read(whole, f"{number.text!r} could be of {name(thing)} or of {name(whole)}")
    return read(thing)


def _has_nearer(rival: Thing, gap: float, number: _Number, numbers: Sequence[_Number]) -> bool:
    """Whether another number is read as the rival's, from nearer."""
    return any(
        other is not number and other.near and other.near[0][1] is rival and other.near[0][0] < gap - 1
        for other in numbers
    )


def _list_names(thing: Thing) -> tuple[tuple[str, tuple[str, ...]], ...]:
    match thing:
        case Wedge():
            return tuple(("mark_angle", names) for names in thing.names)
        case Span():
            return (("mark_length", thing.ends),)
        case RimSpan():
            return (("mark_arc", (*thing.ends, thing.circle)),)


def name(thing: Thing) -> str:
    """The thing in a message: ``∠ABC``, ``AB``, ``arc AB``."""
    match thing:
        case Wedge():
            return "∠" + "".join(thing.names[0])
        case Span():
            return "".join(thing.ends)
        case RimSpan():
            return "arc " + "".join(thing.ends)


def _read_beside(view: View, text: str, box: Box, aid: Aid) -> Read:
    """A number in a dimension line: of the line or arc beside it that begins and ends where it does."""
    size, place = read_size(text), find_centre(box)
    value = size if size is not None else read_value(text)
    if aid.round is not None:
        found = _find_rim_beside(view, aid.round)
        unclear = "" if found is not None else f"{text!r} is along no arc of a circle"
        return Read(text, place, value, (("mark_arc", found),) if found else (), unclear=unclear)
    assert aid.span is not None
    pair = find_line_beside(view, *aid.span)
    unclear = "" if pair is not None else f"{text!r} is along no line"
    return Read(text, place, value, (("mark_length", pair),) if pair else (), unclear=unclear)


def find_line_beside(view: View, start: Point, end: Point) -> tuple[str, str] | None:
    """The labelled ends of the line that a dimension line runs along: the nearest parallel one with its extent."""
    along = find_direction(start, end)
    found: list[tuple[float, tuple[str, str]]] = []
    for line, on_it in zip(view.lines, view.stops, strict=True):
        if len(on_it) < 2:
            continue
        turn = measure_turn_between(find_direction(line.start, line.end), along)
        if min(turn, 180 - turn) > 3:
            continue
        ends = [min(on_it, key=lambda name: measure_distance(view.points[name], end)) for end in (start, end)]
        if len(set(ends)) < 2:
            continue
        gaps = [measure_distance(view.points[name], place) for name, place in zip(ends, (start, end), strict=True)]
        aside = [measure_gap(place, line.start, line.end) for place in (start, end)]
        # Straight across from its ends, not slantwise.
        if max(gaps) <= RAIL_REACH and max(gap - off for gap, off in zip(gaps, aside, strict=True)) < 3:
            found.append((max(gaps), (ends[0], ends[1])))
    found.sort()
    if not found or (len(found) > 1 and found[1][0] < CLEARER * found[0][0] + CLEAR):
        return None
    return found[0][1]


def _find_rim_beside(view: View, aid: Round) -> tuple[str, str, str] | None:
    """The labelled ends, counter-clockwise, and the circle of the arc that a curved dimension line runs along."""
    for rim in view.rims:
        if measure_distance(rim.round.centre, aid.centre) > TIP or abs(rim.round.radius - aid.radius) > RAIL_REACH:
            continue
        on_it = {each.ends[0]: each.round.start for each in view.rims if each.circle == rim.circle}
        ends = [
            min(on_it, key=lambda name: measure_turn_between(on_it[name], turn))
            for turn in (aid.start, aid.start + aid.sweep)
        ]
        off = [
            measure_turn_between(on_it[each], turn)
            for each, turn in zip(ends, (aid.start, aid.start + aid.sweep), strict=True)
        ]
        if ends[0] != ends[1] and max(off) < 4:
            return (ends[0], ends[1], rim.circle)
    return None
