"""A sampled figure in the making: points as complex numbers, lines, circles, facts, and what can be built on."""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.figure.groups import unite_groups
from counterfoil.tasks.geometry.figure.scene import Scene, Segment
from counterfoil.tasks.geometry.sources.sampler.figure import Plane

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZO"
TRIPLES = ((3, 4, 5), (6, 8, 10), (5, 12, 13), (8, 15, 17), (9, 12, 15), (12, 16, 20), (7, 24, 25), (20, 21, 29))
"""Right triangles with whole sides."""


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
    letters: list[str] = field(default_factory=list)
    triangles: list[tuple[str, str, str]] = field(default_factory=list)
    """Triangles that an extension may build on, likewise quadrilaterals and circles."""
    quadrilaterals: list[tuple[str, str, str, str]] = field(default_factory=list)
    groups: int = 0
    settled: bool = False
    """Whether its sizes are exact as they are; else the figure may be of any size."""

    def __post_init__(self) -> None:
        if self.letters:
            return
        start = max(0, int(self.rng.integers(-20, 20)))
        ring = LETTERS[:-1]
        # Neighbouring letters, as textbooks choose them, in most figures from A on; O is kept for centres.
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

    def read(self) -> Plane:
        """The figure as theorems see it."""
        circles = {name: (self.places[centre], radius) for name, (centre, radius) in self.circles.items()}
        return Plane(self.places, tuple(self.segments), circles, tuple(dict.fromkeys(self.facts)))

    def copy(self) -> Sketch:
        """The same, to try a construction on; both draw on one stream of numbers."""
        copied: dict[str, Any] = {
            name: each.copy() for name, each in vars(self).items() if isinstance(each, dict | list)
        }
        return replace(self, **copied)

    def scale(self, factor: float) -> None:
        """Make the figure larger or smaller."""
        self.places = {label: place * factor for label, place in self.places.items()}
        self.circles = {name: (centre, radius * factor) for name, (centre, radius) in self.circles.items()}

    def finish(self, marks: tuple[Fact, ...]) -> Scene:
        """The scene, turned at random, with ``marks`` besides those that are always drawn; not yet rounded."""
        turn = 1 if self.rng.random() < 0.3 else cmath.rect(1, self.rng.uniform(0, 2 * math.pi))
        places = {label: place * turn for label, place in self.places.items()}
        if self.rng.random() < 0.5:
            places = {label: place.conjugate() for label, place in places.items()}
        points = {label: (place.real, place.imag) for label, place in sorted(places.items())}
        circles = {name: (*points[centre], radius) for name, (centre, radius) in sorted(self.circles.items())}
        kept = {(mark.predicate, mark.arguments, mark.value): mark for mark in (*self.marks, *marks)}
        facts = tuple(dict.fromkeys(self.facts))
        return Scene(points, tuple(self.segments), circles, unite_groups(kept.values(), facts), facts)


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


def cross_lines(p: complex, q: complex, s: complex, t: complex) -> complex:
    """Where the lines PQ and ST cross; no number where they are parallel."""
    u, v, w = q - p, t - s, s - p
    across = u.real * v.imag - u.imag * v.real
    return p + u * (w.real * v.imag - w.imag * v.real) / across if across else complex(math.nan, math.nan)


def drop_foot(x: complex, p: complex, q: complex) -> tuple[complex, float]:
    """The foot of the perpendicular from X to PQ, and where on PQ it is, as a share."""
    share = ((x - p) * (q - p).conjugate()).real / abs(q - p) ** 2
    return p + share * (q - p), share


def settle(sketch: Sketch, *factors: float) -> None:
    """Sizes are exact; the figure is as large as drawn, or one of these times as large."""
    sketch.settled = True
    if factors:
        sketch.scale(factors[sketch.pick(0, len(factors) - 1)])


def add_ring(sketch: Sketch, kind: str, *corners: complex) -> tuple[str, ...]:
    labels = sketch.add_points(*corners)
    sketch.close(*labels)
    sketch.state(kind, *labels)
    if len(labels) == 4:
        sketch.quadrilaterals.append(labels)
    return labels
