"""Reads Geometry3K problems with formal statements: one JSON object a line.

The format, field by field, is in docs/geometry.md. Positions are pixels with y down (2,709 of the 2,782 regions of
the 1,610 rows examined, which CDL names counter-clockwise, are so only with y turned round).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from storage.rows import Fact, Reject
from tasks.contract.domain import SourceError, SourceRow
from tasks.geometry.facts.expressions import ExpressionError, write_latex
from tasks.geometry.facts.judge import canonicalise, find_problem, is_implied, residual
from tasks.geometry.facts.residuals import Point
from tasks.geometry.figure.scene import Scene
from tasks.geometry.sources.cdl import CdlError, Statement, parse_statement
from tasks.geometry.sources.construction import (
    Construction,
    place_circles,
    place_missing,
    read_construction,
    state_incidence,
    state_regions,
)

FIELDS = ("problem_id", "text_en", "answer", "construction_cdl", "text_cdl", "point_positions")
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


def read_rows(path: str, source: str, limit: int | None = None) -> Iterator[SourceRow | Reject]:
    """Stream the rows of a file; a line that is no such row is a `Reject` that names it.

    Raises:
        SourceError: the file cannot be opened.
    """
    count = 0
    try:
        with Path(path).open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                if limit is not None and count >= limit:
                    return
                if line.strip():
                    count += 1
                    yield _read_line(line, number, source)
    except OSError as error:
        raise SourceError(f"geometry3k:{path}: {error.strerror}. Give the path of a problems.jsonl file.") from error
    except UnicodeDecodeError as error:
        raise SourceError(f"geometry3k:{path}: is not UTF-8 ({error.reason} at byte {error.start})") from error


def _read_line(line: str, number: int, source: str) -> SourceRow | Reject:
    def refuse(reason: str) -> Reject:
        return Reject(
            "geometry.anchor", (f"bad_row: line {number}: {reason}",), source, f"line-{number}", raw=line[:2000]
        )

    try:
        row = json.loads(line)
    except ValueError as error:
        return refuse(f"not JSON ({error})")
    if not isinstance(row, dict):
        return refuse("not a JSON object")
    missing = [name for name in FIELDS if name not in row]
    if missing:
        return refuse(f"without {', '.join(missing)}")
    return SourceRow(source, str(row["problem_id"]), str(row.get("split", "train")), {"format": "geometry3k", **row})


def read_scene(row: Mapping[str, Any]) -> Reading:
    """The scene that a row's formal statements describe, at the row's own positions.

    Raises:
        ReadingError: a statement or position is malformed, or nothing is drawn.
    """
    try:
        construction = read_construction(_parse(row, "construction_cdl"), _read_rims(row))
        return _Reader(construction, _read_positions(row)).read(_parse(row, "text_cdl"))
    except (CdlError, ExpressionError, KeyError) as error:
        detail = f"no position for point {error}" if isinstance(error, KeyError) else str(error)
        raise ReadingError(f"unreadable_statement: {detail}") from error


def _parse(row: Mapping[str, Any], key: str) -> list[Statement]:
    texts = row[key]
    if not isinstance(texts, list):
        raise CdlError(f"{key} is not a list")
    return [parse_statement(str(text).replace("，", ",")) for text in texts]


def _read_positions(row: Mapping[str, Any]) -> dict[str, Point]:
    """Positions with y up. (-1, -1) stands for a point that nobody placed."""
    places: dict[str, Point] = {}
    positions = row["point_positions"]
    if not isinstance(positions, dict):
        raise CdlError("point_positions is not an object")
    for label, place in positions.items():
        if not (isinstance(place, list) and len(place) == 2 and all(isinstance(v, int | float) for v in place)):
            raise CdlError(f"the position of point {label} is not two numbers")
        x, y = float(place[0]), float(place[1])
        if not (math.isfinite(x) and math.isfinite(y)):
            raise CdlError(f"point {label} has no finite position")
        if (x, y) != (-1.0, -1.0):
            places[label] = (x, -y)
    return places


def _read_rims(row: Mapping[str, Any]) -> dict[str, list[str]]:
    rims: dict[str, list[str]] = {}
    for form in row.get("diagram_logic_forms", ()):
        match = _ON_CIRCLE.match(form)
        if match and len(match[1]) == 1 and len(match[2]) == 1:
            rims.setdefault(match[2], []).append(match[1])
    return rims


_SHAPES = {
    "IsoscelesTriangle": "isosceles",
    "EquilateralTriangle": "equilateral",
    "RightTriangle": "right_triangle",
    "Parallelogram": "parallelogram",
    "Rectangle": "rectangle",
    "Rhombus": "rhombus",
    "Square": "square",
    "Trapezoid": "trapezoid",
    "IsoscelesTrapezoid": "isosceles_trapezoid",
    "RightTrapezoid": "right_trapezoid",
    "Kite": "kite",
}
_RELATIONS = {
    "ParallelBetweenLine": "parallel",
    "PerpendicularBetweenLine": "perpendicular",
    "IsMidpointOfLine": "midpoint",
    "IsCentreOfCircle": "centre",
    "IsTangentOfCircle": "tangent",
    "IsDiameterOfCircle": "diameter",
    "IsBisectorOfAngle": "bisector",
    "IsAltitudeOfTriangle": "altitude",
    "IsMedianOfTriangle": "median",
    "IsMidsegmentOfTriangle": "midsegment",
    "IsMidsegmentOfQuadrilateral": "midsegment",
    "CongruentBetweenTriangle": "congruent",
    "CongruentBetweenQuadrilateral": "congruent",
    "SimilarBetweenTriangle": "similar",
    "SimilarBetweenQuadrilateral": "similar",
    "IsIncenterOfTriangle": "incentre",
    "IsIncenterOfQuadrilateral": "incentre",
    "IsCentroidOfTriangle": "centroid",
    "IsCircumcenterOfTriangle": "circumcentre",
    "IsCircumcenterOfQuadrilateral": "circumcentre",
}
_MIRRORED = {
    "MirrorCongruentBetweenTriangle": "congruent",
    "MirrorCongruentBetweenQuadrilateral": "congruent",
    "MirrorSimilarBetweenTriangle": "similar",
    "MirrorSimilarBetweenQuadrilateral": "similar",
}
_MEASURES = {"LengthOfLine": "length", "MeasureOfAngle": "angle", "MeasureOfArc": "arc", "RadiusOfCircle": "radius"}


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
        scene = Scene(points, self.construction.segments, circles, _drop_doubled(marks), facts)
        regions = [fact for fact in state_regions(self.construction) if not is_implied(fact, facts)]
        return Reading(scene, tuple(dict.fromkeys(self.constraints)), tuple(regions), tuple(self.omitted))

    def _add(self, statement: Statement) -> None:
        name = statement.name
        if name in _SHAPES:
            self._state(Fact(_SHAPES[name], tuple(statement.letters)))
        elif name in _RELATIONS:
            arguments = tuple("".join(part.name for part in statement.parts))
            if name == "IsBisectorOfAngle":
                # BD, ABC: the vertex is in both.
                arguments = (arguments[1] if arguments[0] == arguments[3] else arguments[0], *arguments[2:])
            self._relate(Fact(_RELATIONS[name], arguments))
        elif name in _MIRRORED:
            self._mirror(_MIRRORED[name], statement)
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
            case "parallel" | "perpendicular" | "equal_length":
                return line(a[0], a[1]) and line(a[2], a[3])
            case "tangent" | "diameter" | "altitude" | "median" | "midsegment":
                return line(a[0], a[1])
            case "midpoint":
                return line(a[1], a[2])
            case "bisector":
                return line(a[0], a[2]) and line(a[1], a[2]) and line(a[2], a[3])
            case "incentre" | "centroid" | "circumcentre":
                return False
            case "congruent" | "similar":
                half = len(a) // 2
                return self._has_sides(a[:half]) and self._has_sides(a[half:])
        if fact.predicate in _SHAPES.values():
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
        left, right = statement.parts if len(statement.parts) == 2 else (statement, statement)
        if left.name == right.name and left.name in ("LengthOfLine", "MeasureOfAngle"):
            self._equate_measures(left, right)
        elif left.name == "DiameterOfCircle" and right.name == "LengthOfLine":
            self._relate(Fact("diameter", (*right.letters, left.letters)))
        elif left.name in _MEASURES and right.bare:
            self._measure(_MEASURES[left.name], left.letters, right.name)
        else:
            self._omit(statement)

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

    def _can_mark(self, a: tuple[str, ...]) -> bool:
        return all(self.construction.has_line(p, q) for p, q in pairwise(a))

    def _measure(self, kind: str, letters: str, value: str) -> None:
        # Capitals name points; where an unknown is one, the data means the small letter.
        text = write_latex(value.lower())
        if len(letters) != {"radius": 1, "length": 2}.get(kind, 3):
            raise CdlError(f"the {kind} of {letters!r} is not of as many points as it should be")
        if kind == "radius":
            self._state(Fact("radius", (letters,), text))
            return
        if kind == "arc":
            name, p, q = tuple(letters)
            mark = Fact("mark_arc", (p, q, name), text)
            shown = p in self.construction.rims.get(name, ()) and q in self.construction.rims.get(name, ())
        else:
            mark = Fact(f"mark_{kind}", tuple(letters), text)
            shown = self._can_mark(mark.arguments)
        if shown:
            self.marks.append(mark)
        else:
            self._state(Fact(kind, mark.arguments, text), shown=False)


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
