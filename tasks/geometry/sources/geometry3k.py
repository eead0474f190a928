"""Reads Geometry3K problems with formal statements: one JSON object a line.

The format, field by field, is in docs/geometry.md. Positions are pixels with y down (2,709 of the 2,782 regions of
the 1,610 rows examined, which CDL names counter-clockwise, are so only with y turned round).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from typing import Any

from counterfoil.storage.plain import parse_json
from counterfoil.storage.rows import Fact, Reject
from counterfoil.tasks.contract.columns import Columns, Remark
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.geometry.facts.expressions import ExpressionError, is_symbolic, read_number, write_latex
from counterfoil.tasks.geometry.facts.judge import canonicalise, find_problem, is_implied, residual
from counterfoil.tasks.geometry.facts.residuals import Point
from counterfoil.tasks.geometry.figure.groups import unite_groups
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.sources.cdl import CdlError, Statement
from counterfoil.tasks.geometry.sources.construction import (
    Construction,
    place_circles,
    place_missing,
    read_construction,
    state_incidence,
    state_regions,
)
from counterfoil.tasks.geometry.sources.text_files import find_bad_text, iterate_lines, make_printable
from counterfoil.tasks.geometry.sources.vocabulary import MEASURES, MIRRORED, RELATIONS, SHAPES, read_field, read_goal

FIELDS = ("problem_id", "text_en", "answer", "construction_cdl", "text_cdl", "point_positions")
BESIDE = (
    *("split", "image_cdl", "goal_cdl", "diagram_logic_forms", "circle_instances", "line_instances"),
    *("geometry3k_id", "solution"),
)
"""What is read where it is there, or says again what other fields say."""
PICTURES = "pictures are drawn anew from the statements, so that nothing is in them that is not measured"
MOST_LENGTH = 1e6
"""Lengths and positions beyond are slips of the data; a figure of that size cannot be computed with."""
_ON_CIRCLE = re.compile(r"PointLiesOnCircle\((\w+), Circle\((\w+)")


class ReadingError(ValueError):
    """A row cannot be made a scene. The message is a reject's reason, ``"code: details"``."""


@dataclass(frozen=True)
class Reading:
    """What one row states.

    ``scene`` has the row's coordinates, not yet solved. ``constraints`` are stated facts that the picture has no way
    to show (the length of a line that is not drawn); solving respects them, captions leave them out. ``regions`` are
    the triangles and quadrilaterals that the construction is made of, as far as no statement names their kind: they
    become facts of the scene where they hold once it is solved. ``omitted`` are
    statements outside the vocabulary (areas, perimeters, sums), which stay in the question.
    """

    scene: Scene
    constraints: tuple[Fact, ...] = ()
    regions: tuple[Fact, ...] = ()
    omitted: tuple[str, ...] = ()


def read_rows(path: str, source: str, limit: int | None = None) -> Iterator[SourceRow | Reject | Remark]:
    """Stream the rows of a file; a line that is no such row is a `Reject` that names it.

    Raises:
        SourceError: the file cannot be opened, is UTF-16 or empty.
    """
    seen: set[str] = set()
    columns = Columns((*FIELDS, *BESIDE), f"; {PICTURES}")
    for number, line in islice(iterate_lines(path, "geometry3k"), limit):
        read = _read_line(line, seen)
        yield from columns.see(read, f"line {number}")
        if isinstance(read, str):
            reasons = (f"bad_row: line {number}: {read}",)
            yield Reject("geometry.anchor", reasons, source, f"line-{number}", raw=make_printable(line))
        else:
            name = str(read["problem_id"])
            seen.add(name)
            yield SourceRow(source, name, str(read.get("split") or ""), read)


def _read_line(line: str, seen: Collection[str]) -> dict[str, Any] | str:
    """The row, or what is wrong with it."""
    bad = find_bad_text(line)
    if bad:
        return bad
    try:
        row = parse_json(line)
    except ValueError as error:
        return f"not JSON ({error})"
    if not isinstance(row, dict):
        return "not a JSON object"
    bad = find_bad_text(json.dumps(row, ensure_ascii=False))
    if bad:
        return bad
    missing = [name for name in FIELDS if row.get(name) in (None, "")]
    if missing:
        return f"without {', '.join(missing)}"
    for name, kinds in (("problem_id", (str, int)), ("text_en", (str,)), ("answer", (str, int, float))):
        if not isinstance(row[name], kinds) or isinstance(row[name], bool):
            return f"{name} is {json.dumps(row[name])[:40]}, which is no text"
    if str(row["problem_id"]) in seen:
        return f"the problem_id {row['problem_id']} is there already"
    return row


def read_scene(row: Mapping[str, Any]) -> Reading:
    """The scene that a row's formal statements describe, at the row's own positions.

    Raises:
        ReadingError: a statement or position is malformed, or nothing is drawn.
    """
    try:
        construction = read_construction(read_field(row, "construction_cdl"), _read_rims(row))
        statements = read_field(row, "text_cdl")
        # What they say is in text_cdl as well; where they cannot be read the row is not what it should be.
        if row.get("image_cdl") is not None:
            read_field(row, "image_cdl")
        read_goal(row)
        return _Reader(construction, _read_positions(row)).read(statements)
    except (CdlError, ExpressionError, KeyError) as error:
        detail = f"no position for point {error}" if isinstance(error, KeyError) else str(error)
        raise ReadingError(f"unreadable_statement: {detail}") from error


def _read_positions(row: Mapping[str, Any]) -> dict[str, Point]:
    """Positions with y up. (-1, -1) stands for a point that nobody placed."""
    places: dict[str, Point] = {}
    positions = row["point_positions"]
    if not isinstance(positions, dict):
        raise CdlError("point_positions is not an object")
    for label, place in positions.items():
        if not (isinstance(place, list) and len(place) == 2 and all(_is_number(v) for v in place)):
            raise CdlError(f"the position of point {label} is not two numbers")
        x, y = float(place[0]), float(place[1])
        if not (abs(x) <= MOST_LENGTH and abs(y) <= MOST_LENGTH):
            raise CdlError(f"the position of point {label} is beyond {MOST_LENGTH:g}")
        if (x, y) != (-1.0, -1.0):
            places[label] = (x, -y)
    return places


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _read_rims(row: Mapping[str, Any]) -> dict[str, list[str]]:
    rims: dict[str, list[str]] = {}
    forms = row.get("diagram_logic_forms") or []
    if not (isinstance(forms, list) and all(isinstance(form, str) for form in forms)):
        raise CdlError("diagram_logic_forms is not a list of texts")
    for form in forms:
        match = _ON_CIRCLE.match(form)
        if match and len(match[1]) == 1 and len(match[2]) == 1:
            rims.setdefault(match[2], []).append(match[1])
    return rims


def _name_mark(mark: Fact, value: str | None = None) -> Fact:
    """The mark under its canonical name; with ``value`` as stated, since 3\\sqrt{3} would canonicalise to 5.196..."""
    form = mark if mark.predicate == "mark_arc" else canonicalise(mark)
    return form if value is None else replace(form, value=value)


@dataclass
class _Reader:
    """Turns statements into facts and marks, step by step."""

    construction: Construction
    places: Mapping[str, Point]
    facts: list[Fact] = field(default_factory=list)
    marks: list[Fact] = field(default_factory=list)
    constraints: list[Fact] = field(default_factory=list)
    omitted: list[str] = field(default_factory=list)
    groups: dict[str, int] = field(default_factory=dict)

    def read(self, statements: list[Statement]) -> Reading:
        tangents = {s.parts[1].name: list(s.letters) for s in statements if s.name == "IsTangentOfCircle"}
        _check_names(self.construction.labels)
        points = place_missing(self.construction, self.places)
        if len(points) < 2:
            raise ReadingError("nothing_drawn: the construction names fewer than two points")
        if len(set(points.values())) < 2:
            raise ReadingError("nothing_drawn: all points are in the same place")
        circles = place_circles(self.construction, points, tangents)
        self.bare = Scene(points, self.construction.segments, circles)
        self.facts += state_incidence(self.construction)
        for statement in statements:
            self._add(statement)
        facts = tuple({canonicalise(fact): fact for fact in self.facts}.values())
        marks = tuple({_name_mark(mark): _name_mark(mark, mark.value) for mark in self.marks}.values())
        marks = _drop_doubled(unite_groups(marks, facts))
        scene = Scene(points, self.construction.segments, circles, marks, facts)
        regions = [fact for fact in state_regions(self.construction) if not is_implied(fact, facts)]
        return Reading(scene, tuple(dict.fromkeys(self.constraints)), tuple(regions), tuple(self.omitted))

    def _add(self, statement: Statement) -> None:
        name = statement.name
        if name in SHAPES:
            self._state(Fact(SHAPES[name], tuple(statement.letters)))
        elif name in RELATIONS:
            arguments = tuple("".join(part.name for part in statement.parts))
            if name == "IsBisectorOfAngle":
                # BD, ABC: the vertex is in both.
                arguments = (arguments[1] if arguments[0] == arguments[3] else arguments[0], *arguments[2:])
            self._relate(Fact(RELATIONS[name], arguments))
        elif name in MIRRORED:
            self._mirror(MIRRORED[name], statement)
        elif name == "IsPerpendicularBisectorOfLine":
            self._bisect(statement)
        elif name in ("IsAltitudeOfQuadrilateral",):
            self._drop_altitude(statement)
        elif name == "Equal":
            self._equate(statement)
        else:
            self._omit(statement)

    def _omit(self, statement: Statement) -> None:
        self.omitted.append(_write_statement(statement))

    def _state(self, fact: Fact, shown: bool = True) -> None:
        """Add a stated fact, to the figure's own where the picture shows what it names."""
        problem = find_problem(fact)
        if problem or any(name not in self.bare.points for name in fact.arguments if name not in self.bare.circles):
            raise CdlError(problem or f"{fact.predicate} names a point that is not in the figure")
        (self.facts if shown and self._is_drawn(fact) else self.constraints).append(fact)

    def _is_drawn(self, fact: Fact) -> bool:
        """Whether the lines that the fact speaks of are drawn."""
        a, line = fact.arguments, self.construction.has_line
        match fact.predicate:
            case "parallel" | "perpendicular" | "equal_length" | "ratio":
                return line(a[0], a[1]) and line(a[2], a[3])
            case "tangent" | "diameter" | "altitude" | "median" | "midsegment":
                return line(a[0], a[1])
            case "midpoint":
                return line(a[1], a[2])
            case "bisector":
                return line(a[0], a[2]) and line(a[1], a[2]) and line(a[2], a[3])
            case "incentre" | "centroid" | "circumcentre":
                return self._has_sides(a[1:])
            case "congruent" | "similar":
                half = len(a) // 2
                return self._has_sides(a[:half]) and self._has_sides(a[half:])
        if fact.predicate in SHAPES.values():
            return self._has_sides(a)
        return True

    def _has_sides(self, ring: tuple[str, ...]) -> bool:
        return all(self.construction.has_line(ring[i - 1], ring[i]) for i in range(len(ring)))

    def _relate(self, fact: Fact) -> None:
        self._state(fact)
        a, line = fact.arguments, self.construction.has_line
        if fact.predicate == "tangent":
            self._touch(fact)
        if fact.predicate == "perpendicular" and line(a[0], a[1]) and line(a[2], a[3]):
            corner = self._find_corner(a)
            if corner:
                self.marks.append(Fact("mark_right", corner))
        if fact.predicate == "parallel" and line(a[0], a[1]) and line(a[2], a[3]):
            group = str(self._next_group("parallel"))
            self.marks += [Fact("mark_parallel", a[:2], group), Fact("mark_parallel", a[2:], group)]

    def _touch(self, fact: Fact) -> None:
        """A tangent's points that are on the circle are where it touches."""
        for label in fact.arguments[:2]:
            on_it = Fact("on_circle", (label, fact.arguments[2]))
            if label in self.construction.rims.get(fact.arguments[2], ()) and on_it not in self.facts:
                self.facts.append(on_it)

    def _next_group(self, kind: str) -> int:
        self.groups[kind] = self.groups.get(kind, 0) + 1
        return self.groups[kind]

    def _find_corner(self, a: tuple[str, ...]) -> tuple[str, str, str] | None:
        """Where two perpendicular lines meet, with a point on each."""
        for corner in sorted(self._extend(a[:2]) & self._extend(a[2:])):
            arms = []
            for pair in (a[:2], a[2:]):
                on_line = [p for p in (*pair, *sorted(self._extend(pair))) if p != corner]
                drawn = [p for p in on_line if self.construction.has_line(p, corner)]
                arms.append(drawn[0] if drawn else None)
            if arms[0] is not None and arms[1] is not None:
                return (arms[0], corner, arms[1])
        return None

    def _extend(self, pair: tuple[str, ...]) -> set[str]:
        """All points on the line through two."""
        found = set(pair)
        for chain in self.construction.chains:
            if set(pair) <= set(chain):
                found |= set(chain)
        return found

    def _mirror(self, predicate: str, statement: Statement) -> None:
        """Mirrored pairs are named in opposite senses; the coordinates decide which order corresponds."""
        first, second = (tuple(part.name) for part in statement.parts[:2])
        orders = (second, (second[0], *second[:0:-1]))
        options = [Fact(predicate, first + order) for order in orders]
        options = [fact for fact in options if find_problem(fact) is None]
        if not options:
            raise CdlError(f"{_write_statement(statement)} relates a figure to itself")
        self._state(min(options, key=lambda fact: sum(abs(p) for p in residual(fact, self.bare.coordinates))))

    def _bisect(self, statement: Statement) -> None:
        line, whole = (tuple(part.name) for part in statement.parts[:2])
        self._relate(Fact("perpendicular", line + whole))
        self._state(Fact("midpoint", (line[1], *whole)))

    def _drop_altitude(self, statement: Statement) -> None:
        """The height of a quadrilateral stands on the side that it is nearest to perpendicular to."""
        vertex, foot = tuple(statement.letters)
        ring = statement.parts[1].name
        sides = [(ring[i - 1], ring[i]) for i in range(len(ring)) if vertex not in (ring[i - 1], ring[i])]
        facts = [Fact("perpendicular", (vertex, foot, *side)) for side in sides]
        self._relate(min(facts, key=lambda fact: abs(residual(fact, self.bare.coordinates)[0])))

    def _equate(self, statement: Statement) -> None:
        first = statement.parts[0]
        for other in statement.parts[1:]:
            self._equate_two(first, other)

    def _equate_two(self, left: Statement, right: Statement) -> None:
        ratio = _read_ratio(left, right)
        if left.name == right.name and left.name in ("LengthOfLine", "MeasureOfAngle"):
            self._equate_measures(left, right)
        elif {left.name, right.name} == {"DiameterOfCircle", "LengthOfLine"}:
            circle, line = (left, right) if left.name == "DiameterOfCircle" else (right, left)
            self._relate(Fact("diameter", (*line.letters, circle.letters)))
        elif ratio is not None:
            self._state(ratio)
        elif left.name in MEASURES and right.bare:
            self._measure(MEASURES[left.name], left.letters, right.name)
        elif right.name in MEASURES and left.bare:
            self._measure(MEASURES[right.name], right.letters, left.name)
        else:
            self._omit(Statement("Equal", (left, right)))

    def _equate_measures(self, left: Statement, right: Statement) -> None:
        length = left.name == "LengthOfLine"
        fact = Fact("equal_length" if length else "equal_angle", tuple(left.letters + right.letters))
        if find_problem(fact):
            self._omit(Statement("Equal", (left, right)))
            return
        n = 2 if length else 3
        shown = all(self._can_mark(fact.arguments[i : i + n]) for i in (0, n))
        self._state(fact, shown)
        if shown:
            group = str(self._next_group("ticks" if length else "arcs"))
            kind = "mark_ticks" if length else "mark_arcs"
            self.marks += [Fact(kind, fact.arguments[:n], group), Fact(kind, fact.arguments[n:], group)]

    def _order_arc(self, name: str, p: str, q: str, text: str) -> tuple[str, str]:
        """P and Q in the order in which the arc from one to the other, counter-clockwise, is the one that is meant: the
        data names them clockwise now and then, and the two arcs of a chord are told apart by which is the larger."""
        places = self.bare.points
        size = read_number(text)
        if size is None or not {name, p, q} <= set(places):
            return p, q
        (x, y), ends = places[name], [places[p], places[q]]
        first, second = (math.atan2(end[1] - y, end[0] - x) for end in ends)
        swept = math.degrees(second - first) % 360
        return (p, q) if (swept > 180) == (size > 180) else (q, p)

    def _can_mark(self, a: tuple[str, ...]) -> bool:
        return all(self.construction.has_line(p, q) for p, q in pairwise(a))

    def _measure(self, kind: str, letters: str, value: str) -> None:
        # Capitals name points; where an unknown is one, the data means the small letter.
        text = write_latex(value.lower())
        if len(letters) != {"radius": 1, "length": 2}.get(kind, 3) or len(set(letters)) != len(letters):
            raise CdlError(f"the {kind} of {letters!r} is not of as many points as it should be")
        _check_size(kind, letters, text)
        if kind == "radius":
            self._state(Fact("radius", (letters,), text))
            ends = [p for p in self.construction.rims.get(letters, ()) if self.construction.has_line(letters, p)]
            self.marks += [Fact("mark_length", (letters, p), text) for p in ends[:1]]
            return
        if kind == "arc":
            name, p, q = tuple(letters)
            mark = Fact("mark_arc", (*self._order_arc(name, p, q, text), name), text)
            shown = p in self.construction.rims.get(name, ()) and q in self.construction.rims.get(name, ())
        else:
            mark = Fact(f"mark_{kind}", tuple(letters), text)
            shown = self._can_mark(mark.arguments)
        if shown:
            self.marks.append(mark)
        else:
            self._state(Fact(kind, mark.arguments, text), shown=False)


def _read_ratio(left: Statement, right: Statement) -> Fact | None:
    """One length as a multiple or a part of another, on whichever side and in whichever order it is said so."""
    for whole, term in ((left, right), (right, left)):
        if whole.name == "LengthOfLine" and term.name in ("Mul", "Div") and len(term.parts) == 2:
            lines = [part for part in term.parts if part.name == "LengthOfLine"]
            numbers = [part.name for part in term.parts if part.bare]
            if len(lines) == len(numbers) == 1 and (term.name == "Mul" or term.parts[1].bare):
                times = numbers[0] if term.name == "Mul" else f"1/({numbers[0]})"
                return _name_ratio(whole, lines[0], times)
        if whole.bare and term.name == "Div" and [part.name for part in term.parts] == ["LengthOfLine"] * 2:
            return _name_ratio(term.parts[0], term.parts[1], whole.name)
    return None


def _name_ratio(line: Statement, other: Statement, times: str) -> Fact | None:
    """None where ``times`` is open, as in `the ratio of AB to CD is x`."""
    if is_symbolic(times):
        return None
    number = read_number(times)
    if number is None or number <= 0:
        raise CdlError(f"{line.letters} is {times} times {other.letters}; it must be above 0 times")
    return Fact("ratio", (*line.letters, *other.letters), write_latex(times))


def _check_names(labels: Sequence[str]) -> None:
    strange = [label for label in labels if not re.fullmatch("[A-Z]", label)]
    if strange:
        raise CdlError(f"{strange[0]!r} names no point: points are named by single capital letters, A to Z")


def _check_size(kind: str, letters: str, text: str) -> None:
    """Raise `CdlError` where a number can be the size of nothing that is drawn."""
    if is_symbolic(text):
        return
    number = read_number(text)
    most = {"angle": 180.0, "arc": 360.0}.get(kind, MOST_LENGTH)
    if number is None or not 0 < number <= most or (kind == "arc" and number == most):
        within = f"above 0 and {'up to' if kind == 'angle' else 'below'} {most:g}"
        raise CdlError(f"the {kind} of {letters} is {text}; it must be {within}")


def _drop_doubled(marks: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """One mark of a kind for one thing; the first statement of it wins."""
    found: dict[tuple[str, tuple[str, ...]], Fact] = {}
    for mark in marks:
        found.setdefault((mark.predicate, canonicalise(mark).arguments), mark)
    return tuple(found.values())


def _write_statement(statement: Statement) -> str:
    if not statement.parts:
        return statement.name
    return f"{statement.name}({','.join(map(_write_statement, statement.parts))})"
