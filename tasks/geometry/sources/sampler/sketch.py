"""A sampled figure in the making: points as complex numbers, lines, circles, facts, and what could be asked of it."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.figure.groups import unite_groups
from counterfoil.tasks.geometry.figure.scene import Scene, Segment

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZO"
TRIPLES = ((3, 4, 5), (6, 8, 10), (5, 12, 13), (8, 15, 17), (9, 12, 15), (12, 16, 20), (7, 24, 25), (20, 21, 29))
"""Right triangles with whole sides."""
_EXACT = 1e-7
"""What a number of coordinates may be off by the way in which they are computed."""


@dataclass(frozen=True)
class Ask:
    """A question that the figure answers: the marks that must be given, the thing asked for, its value."""

    givens: tuple[Fact, ...]
    target: str
    """As the question names it: ``the length of AB``."""
    answer: str
    hidden: Fact | None = None
    """The mark that would give the answer away."""


@dataclass
class Sketch:
    """What constructions draw on. Points are named by the first free letters of a shuffled alphabet."""

    rng: np.random.Generator
    places: dict[str, complex] = field(default_factory=dict)
    segments: list[Segment] = field(default_factory=list)
    circles: dict[str, tuple[str, float]] = field(default_factory=dict)
    """Circle name to (centre label, radius)."""
    facts: list[Fact] = field(default_factory=list)
    marks: list[Fact] = field(default_factory=list)
    """Marks that are always drawn: right angles, ticks, arrowheads."""
    asks: list[Ask] = field(default_factory=list)
    letters: list[str] = field(default_factory=list)
    triangles: list[tuple[str, str, str]] = field(default_factory=list)
    """Triangles that an extension may build on, likewise quadrilaterals and circles."""
    quadrilaterals: list[tuple[str, str, str, str]] = field(default_factory=list)
    groups: int = 0
    settled: bool = False
    """Whether a question states a length: the figure keeps its size from then on."""

    def __post_init__(self) -> None:
        start = int(self.rng.integers(0, 20))
        ring = LETTERS[:-1]
        # Neighbouring letters, as textbooks choose them; O is kept for centres.
        self.letters = [ring[(start + i) % len(ring)] for i in range(len(ring))]

    def pick(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return int(self.rng.integers(low, high + 1))

    def choose(self, options: tuple[int, ...] | tuple[str, ...] | list) -> object:
        """One of ``options``, all equally likely."""
        return options[int(self.rng.integers(len(options)))]

    def add_point(self, place: complex) -> str:
        """A new labelled point."""
        label = self.letters.pop(0)
        self.places[label] = place
        return label

    def add_points(self, *places: complex) -> tuple[str, ...]:
        """Several new points, labelled in order."""
        return tuple(self.add_point(place) for place in places)

    def add_centre(self, place: complex) -> str:
        """A new point, called O where that is free."""
        if "O" in self.places:
            return self.add_point(place)
        self.places["O"] = place
        return "O"

    def join(self, *labels: str) -> None:
        """Draw segments from each label to the next."""
        for p, q in pairwise(labels):
            if (p, q) not in self.segments and (q, p) not in self.segments:
                self.segments.append((p, q))

    def close(self, *labels: str) -> None:
        """Draw a polygon."""
        self.join(*labels, labels[0])

    def add_circle(self, centre: str, radius: float) -> str:
        """A circle about a labelled point, by whose label it goes."""
        self.circles[centre] = (centre, radius)
        return centre

    def state(self, predicate: str, *arguments: str, value: str | None = None) -> None:
        """State a fact."""
        self.facts.append(Fact(predicate, arguments, value))

    def mark_right(self, p: str, vertex: str, q: str) -> None:
        """Mark and state a right angle."""
        self.state("perpendicular", p, vertex, vertex, q)
        self.marks.append(Fact("mark_right", (p, vertex, q)))

    def mark_equal(self, *pairs: tuple[str, str]) -> None:
        """Mark and state equal lengths, a group of their own unless they share a segment with another."""
        self.groups += 1
        for pair in pairs:
            self.marks.append(Fact("mark_ticks", pair, str(self.groups)))
        for pair in pairs[1:]:
            self.state("equal_length", *pairs[0], *pair)

    def mark_parallel(self, first: tuple[str, str], second: tuple[str, str]) -> None:
        """Mark and state parallel lines."""
        self.groups += 1
        self.state("parallel", *first, *second)
        self.marks += [Fact("mark_parallel", pair, str(self.groups)) for pair in (first, second)]

    def measure(self, p: str, q: str) -> float:
        """The distance of two points."""
        return abs(self.places[p] - self.places[q])

    def measure_angle(self, p: str, vertex: str, q: str) -> float:
        """The angle at ``vertex`` in degrees."""
        u, v = self.places[p] - self.places[vertex], self.places[q] - self.places[vertex]
        return abs(math.degrees(cmath.phase(v / u)))

    def length(self, p: str, q: str, value: str | None = None) -> Fact:
        """The mark of a length, which states no value where that would have to be rounded to a tenth."""
        return Fact("mark_length", (p, q), value or write_exactly(self.measure(p, q), 1))

    def angle(self, p: str, vertex: str, q: str) -> Fact:
        """The mark of an angle, which states no value where that is no whole degree."""
        return Fact("mark_angle", (p, vertex, q), write_exactly(self.measure_angle(p, vertex, q), 0))

    def ask_length(self, p: str, q: str, *givens: Fact, value: str | None = None) -> None:
        """Offer a question for a length."""
        marks = (*givens, self.length(p, q, value))
        if not self.settled and value is None:
            marks = self._fit(marks)
        *given, hidden = marks
        self._offer(f"the length of {p}{q}", hidden.value, given, hidden)

    def ask_angle(self, p: str, vertex: str, q: str, *givens: Fact) -> None:
        """Offer a question for an angle."""
        hidden = self.angle(p, vertex, q)
        self._offer(f"the measure of \\angle {p}{vertex}{q}", f"{hidden.value}^\\circ", givens, hidden)

    def ask(self, target: str, answer: str, *givens: Fact) -> None:
        """Offer a question for anything else that the givens decide."""
        self._offer(target, answer, givens)

    def _offer(self, target: str, answer: str | None, givens: Sequence[Fact], hidden: Fact | None = None) -> None:
        """Keep a question all of whose numbers are exact: what is rounded no longer adds up."""
        marks = (*givens, *(() if hidden is None else (hidden,)))
        if answer is not None and all(mark.value is not None for mark in marks):
            self.asks.append(Ask(tuple(givens), target, answer, hidden))
            self.settled |= any(mark.predicate == "mark_length" for mark in marks)

    def _fit(self, marks: tuple[Fact, ...]) -> tuple[Fact, ...]:
        """The marks of a figure made larger or smaller until its lengths among them are exact, where some size does."""
        lengths = [mark.arguments for mark in marks if mark.predicate == "mark_length"]
        if all(mark.value is not None for mark in marks):
            return marks
        sizes = [self.measure(*pair) for pair in lengths]
        wholes, tenths = self.rng.permutation(np.arange(4, 17)), self.rng.permutation(np.arange(41, 160)) / 10
        for longest in (*wholes, *tenths) if self.rng.random() < 0.5 else (*tenths, *wholes):
            factor = float(longest) / max(sizes)
            if all(write_exactly(size * factor, 1) for size in sizes):
                self.places = {label: place * factor for label, place in self.places.items()}
                self.circles = {name: (centre, radius * factor) for name, (centre, radius) in self.circles.items()}
                return tuple(
                    self.length(*mark.arguments) if mark.predicate == "mark_length" else mark for mark in marks
                )
        return marks

    def finish(self, marks: tuple[Fact, ...]) -> Scene:
        """The scene, turned at random, with ``marks`` besides those that are always drawn."""
        turn = 1 if self.rng.random() < 0.3 else cmath.rect(1, self.rng.uniform(0, 2 * math.pi))
        places = {label: place * turn for label, place in self.places.items()}
        if self.rng.random() < 0.5:
            places = {label: place.conjugate() for label, place in places.items()}
        points = {label: (place.real, place.imag) for label, place in sorted(places.items())}
        circles = {name: (*points[centre], radius) for name, (centre, radius) in sorted(self.circles.items())}
        kept = {(mark.predicate, mark.arguments): mark for mark in (*self.marks, *marks)}
        facts = tuple(dict.fromkeys(self.facts))
        return Scene(points, tuple(self.segments), circles, unite_groups(kept.values(), facts), facts).rounded()


def write_exactly(value: float, decimals: int) -> str | None:
    """A number of at most so many decimals as it is, without a needless one; None for any other.

    >>> write_exactly(3.5, 1), write_exactly(2.0, 1), write_exactly(3.46, 1)
    ('3.5', '2', None)
    """
    rounded = round(value, decimals)
    return f"{rounded:.10g}" if abs(rounded - value) <= _EXACT else None


def turn_by(degrees: float, length: float = 1.0) -> complex:
    """The complex number of this direction and length."""
    return cmath.rect(length, math.radians(degrees))


def find_centre(p: complex, q: complex, s: complex) -> complex:
    """The centre of the circle through three points."""
    u, v = q - p, s - p
    cross = 2 * (u.real * v.imag - u.imag * v.real)
    return p + complex(
        (v.imag * abs(u) ** 2 - u.imag * abs(v) ** 2) / cross, (u.real * abs(v) ** 2 - v.real * abs(u) ** 2) / cross
    )
