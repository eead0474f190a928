"""Works out what a sampled problem asks for from the numbers that it prints, in fractions, by school theorems alone.

It knows nothing of coordinates but the order of points on a line, so that a number that was rounded shows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.orders import Arguments
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.sources.sampler import SampledProblem

Pair = frozenset[str]
_SURD = re.compile(r"(\d+(?:\.\d+)?)(?:\\sqrt\{(\d+)\})?")


def read_square(text: str) -> Fraction:
    r"""The square of a printed length: 12 for ``2\sqrt{3}``."""
    match = _SURD.fullmatch(text)
    assert match, text
    return Fraction(match[1]) ** 2 * int(match[2] or 1)


def find_square(problem: SampledProblem) -> Fraction | None:
    """The square of the length, radius, perimeter or area that is asked for; None where no rule leads there."""
    known = _Lengths(problem.scene)
    target = problem.question.rpartition(" Find ")[2].rstrip(".").replace("$", "")
    name = target.rpartition(" ")[2]
    if target.startswith("the length of "):
        return known.find(*name)
    if "perimeter" in target or "area" in target:
        sides = [known.find(*pair) for pair in pairwise(name + name[0])]
        roots = [_root(side) for side in sides]
        if None in roots:
            return None
        return (sum(roots) if "perimeter" in target else roots[0] * roots[1]) ** 2  # type: ignore[operator, arg-type]
    radius = known.find_radius(name)
    return radius and radius * (4 if "diameter" in target else 1)


def _root(square: Fraction | None) -> Fraction | None:
    if square is None:
        return None
    top, bottom = math.isqrt(square.numerator), math.isqrt(square.denominator)
    return Fraction(top, bottom) if Fraction(top**2, bottom**2) == square else None


class _Lengths:
    """Squares of lengths, by what the printed ones and the stated facts say."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.squares: dict[Pair, Fraction] = {}
        self.equal = list(_list_equal(scene))
        self.lines = list(_list_lines(scene))
        self.right = list(_list_right(scene))
        self.alike = list(_list_alike(scene))
        self.angles = {m.arguments: m.value for m in scene.marks if m.predicate == "mark_angle"}
        for mark in scene.marks:
            if mark.predicate == "mark_length":
                self._learn(frozenset(mark.arguments), read_square(mark.value or ""))
        while self._step():
            pass

    def find(self, p: str, q: str) -> Fraction | None:
        return self.squares.get(frozenset((p, q)))

    def find_radius(self, circle: str) -> Fraction | None:
        found = [self.find(*pair) for pair in _list_radii(self.scene, circle)]
        halves = [square / 4 for pair in _list_diameters(self.scene, circle) if (square := self.find(*pair))]
        return next((each for each in (*found, *halves) if each is not None), None)

    def _learn(self, pair: Pair, square: Fraction | None) -> bool:
        if square is None:
            return False
        assert self.squares.get(pair, square) == square, (sorted(pair), self.squares[pair], square)
        is_new = pair not in self.squares
        self.squares[pair] = square
        return is_new

    def _step(self) -> bool:
        return sum(self._learn(pair, square) for pair, square in list(self._conclude())) > 0

    def _conclude(self) -> Iterator[tuple[Pair, Fraction | None]]:
        get = self.squares.get
        for one, other in self.equal:
            yield one, get(other)
            yield other, get(one)
        for first, second, whole in self.lines:
            a, b, c = (_root(get(pair)) for pair in (first, second, whole))
            yield whole, None if a is None or b is None else (a + b) ** 2
            yield first, None if c is None or b is None else (c - b) ** 2
            yield second, None if c is None or a is None else (c - a) ** 2
        for first, second, whole in self.right:
            a, b, c = get(first), get(second), get(whole)
            yield whole, None if a is None or b is None else a + b
            yield first, None if c is None or b is None else c - b
            yield second, None if c is None or a is None else c - a
            yield from self._conclude_special(first, second, whole)
        for half, whole in self._list_halves():
            yield half, (square := get(whole)) and square / 4
            yield whole, (square := get(half)) and square * 4
        for group in self.alike:
            known = [(one, other) for one, other in group if get(one) is not None and get(other) is not None]
            for one, other in known[:1]:
                for mine, yours in group:
                    yield yours, (square := get(mine)) and square * get(other) / get(one)  # type: ignore[operator]
                    yield mine, (square := get(yours)) and square * get(one) / get(other)  # type: ignore[operator]
        yield from self._conclude_chords()
        for a, b, c, d in _list_rings(self.scene, "right_trapezoid"):
            for far, high, low, near in ((b, a, d, c), (a, b, c, d), (c, d, a, b), (d, c, b, a)):
                # Right angles at the ends of the height, from ``high`` to ``low``.
                if {high, low} <= {mark.arguments[1] for mark in self.scene.marks if mark.predicate == "mark_right"}:
                    sizes = [_root(self.find(*pair)) for pair in ((far, high), (high, low), (low, near))]
                    if None not in sizes:
                        one, height, other = sizes
                        yield frozenset((far, near)), (one - other) ** 2 + height**2  # type: ignore[operator]

    def _conclude_special(self, first: Pair, second: Pair, whole: Pair) -> Iterator[tuple[Pair, Fraction | None]]:
        """Sides in the ratio of one, the root of three and two, where an angle of 30 degrees is printed."""
        for leg, other in ((first, second), (second, first)):
            (corner,) = leg & whole
            names = tuple(sorted((leg | whole) - {corner}))
            for angle in ((names[0], corner, names[1]), (names[1], corner, names[0])):
                if self.angles.get(angle) == "30" and (square := self.squares.get(other)):
                    yield leg, square * 3
                    yield whole, square * 4
                elif self.angles.get(angle) == "30" and (square := self.squares.get(leg)):
                    yield other, square / 3

    def _list_halves(self) -> Iterator[tuple[Pair, Pair]]:
        for fact in self.scene.facts:
            a = fact.arguments
            if fact.predicate == "midpoint":
                yield from ((frozenset((a[0], end)), frozenset(a[1:])) for end in a[1:])
            if fact.predicate == "midsegment":
                # It joins the middles of two sides and is half of the third.
                joined = [set(m[1:]) for m in _list_rings(self.scene, "midpoint") if m[0] in a[:2]]
                yield from ((frozenset(a[:2]), frozenset(p)) for p in combinations(a[2:], 2) if set(p) not in joined)

    def _conclude_chords(self) -> Iterator[tuple[Pair, Fraction | None]]:
        rims = _find_rims(self.scene)
        for fact in self.scene.facts:
            if fact.predicate == "intersection" and any(set(fact.arguments[1:]) <= rim for rim in rims.values()):
                e, a, b, c, d = fact.arguments
                parts = [self.find(end, e) for end in (a, b, c, d)]
                if parts.count(None) == 1:
                    at = parts.index(None)
                    one, other = (parts[:2], parts[2:]) if at > 1 else (parts[2:], parts[:2])
                    rest = next(part for part in other if part is not None)
                    yield frozenset((e, (a, b, c, d)[at])), one[0] * one[1] / rest  # type: ignore[operator]


def _find_rims(scene: Scene) -> dict[str, set[str]]:
    rims: dict[str, set[str]] = {name: set() for name in scene.circles}
    for fact in scene.facts:
        a = fact.arguments
        if fact.predicate == "on_circle":
            rims[a[1]].add(a[0])
        if fact.predicate in ("chord", "diameter"):
            rims[a[2]] |= set(a[:2])
    return rims


def _list_radii(scene: Scene, circle: str) -> Iterator[Arguments]:
    yield from ((circle, label) for label in sorted(_find_rims(scene)[circle]))


def _list_diameters(scene: Scene, circle: str) -> Iterator[Arguments]:
    """Diameters, the diagonals of rectangles in the circle and the sides of squares about it."""
    rim = _find_rims(scene)[circle]
    for fact in scene.facts:
        a = fact.arguments
        if fact.predicate == "diameter" and a[2] == circle:
            yield a[:2]
        if fact.predicate == "rectangle" and set(a) <= rim:
            yield (a[0], a[2])
        if fact.predicate == "square" and any(
            f.predicate == "tangent" and set(f.arguments[:2]) < set(a) for f in scene.facts
        ):
            yield a[:2]


def _list_rings(scene: Scene, *names: str) -> Iterator[Arguments]:
    return (fact.arguments for fact in scene.facts if fact.predicate in names)


def _list_equal(scene: Scene) -> Iterator[tuple[Pair, Pair]]:
    def pair(*names: str) -> Pair:
        return frozenset(names)

    for ring in _list_rings(scene, "square", "rhombus", "equilateral", "regular_polygon"):
        sides = [pair(*side) for side in pairwise((*ring, ring[0]))]
        yield from pairwise(sides)
    for a, b, c, d in _list_rings(scene, "parallelogram", "rectangle", "square", "rhombus"):
        yield from ((pair(a, b), pair(c, d)), (pair(b, c), pair(a, d)))
        if len(inner := [f for f in _list_rings(scene, "intersection") if set(f[1:]) == {a, b, c, d}]) == 1:
            yield from ((pair(inner[0][0], a), pair(inner[0][0], c)), (pair(inner[0][0], b), pair(inner[0][0], d)))
    for a, b, c, d in _list_rings(scene, "rectangle", "square"):
        yield pair(a, c), pair(b, d)
    for names in _list_rings(scene, "equal_length"):
        yield pair(*names[:2]), pair(*names[2:])
    for names in _list_rings(scene, "congruent"):
        yield from ((pair(names[i - 1], names[i]), pair(names[2 + i if i else 5], names[3 + i])) for i in range(3))
    for p, q, circle in _list_rings(scene, "tangent"):
        rim = _find_rims(scene)[circle]
        for r, s, other in _list_rings(scene, "tangent"):
            if p == r and circle == other and {q, s} <= rim:
                yield pair(p, q), pair(r, s)
    for name in scene.circles:
        yield from pairwise(pair(*radius) for radius in _list_radii(scene, name))


def _list_lines(scene: Scene) -> Iterator[tuple[Pair, Pair, Pair]]:
    """Parts of lines with the whole."""
    chains = list(_list_rings(scene, "collinear"))
    chains += [(a[1], a[0], a[2]) for a in _list_rings(scene, "midpoint")]
    for x, a, b, c, d in _list_rings(scene, "intersection"):
        chains += [(a, x, b), (c, x, d)]
    chains += [(a[0], a[2], a[1]) for a in _list_rings(scene, "diameter")]
    for a, b, c in chains:
        if b in scene.points:
            yield frozenset((a, b)), frozenset((b, c)), frozenset((a, c))


def _list_right(scene: Scene) -> Iterator[tuple[Pair, Pair, Pair]]:
    """Legs and hypotenuse of right triangles."""
    corners = [(p, v, q) for p, v, q in (m.arguments for m in scene.marks if m.predicate == "mark_right")]
    for ring in _list_rings(scene, "rectangle", "square"):
        corners += [(ring[i - 2], ring[i - 1], ring[i]) for i in range(4)]
    for a, b, c, d in _list_rings(scene, "rhombus"):
        for x, *ends in _list_rings(scene, "intersection"):
            if set(ends) == {a, b, c, d}:
                corners += [(a, x, b), (b, x, c), (c, x, d), (d, x, a)]
    for p, q, circle in _list_rings(scene, "tangent"):
        corners += [(p, q, circle)] if q in _find_rims(scene)[circle] else []
    for p, v, q in corners:
        yield frozenset((p, v)), frozenset((v, q)), frozenset((p, q))


def _list_alike(scene: Scene) -> Iterator[list[tuple[Pair, Pair]]]:
    """Corresponding sides of similar figures."""
    for names in _list_rings(scene, "similar"):
        yield [
            (frozenset((names[i - 1], names[i])), frozenset((names[i + 2 if i else 5], names[3 + i]))) for i in range(3)
        ]
    drawn = [mark.arguments for mark in scene.marks if mark.predicate == "mark_parallel"]
    chains = list(_list_rings(scene, "collinear"))
    for x, a, b, c, d in _list_rings(scene, "intersection"):
        if {frozenset((a, c)), frozenset((b, d))} <= set(map(frozenset, drawn)):
            yield [(frozenset((x, p)), frozenset((x, q))) for p, q in ((a, b), (c, d))] + [
                (frozenset((a, c)), frozenset((b, d)))
            ]
    for one, other in combinations(chains, 2):
        if one[0] == other[0] and {frozenset(one[1:2] + other[1:2])} <= set(map(frozenset, drawn)):
            yield [(frozenset((c[0], c[1])), frozenset((c[0], c[2]))) for c in (one, other)] + [
                (frozenset((one[1], other[1])), frozenset((one[2], other[2])))
            ]
        if not set(one) & set(other) and any(f.predicate == "parallel" for f in scene.facts):
            yield [(frozenset(one[i : i + 2]), frozenset(other[i : i + 2])) for i in range(2)]


def find_answer_mark(problem: SampledProblem) -> Fact | None:
    """The answer as a mark of the figure, where it is a length or an angle."""
    target = problem.question.rpartition(" Find ")[2].rstrip(".").replace("$", "")
    name = tuple(target.rpartition("\\angle " if "\\angle" in target else " ")[2])
    if target.startswith("the length of "):
        return Fact("mark_length", name, problem.answer)
    if "\\angle" in target:
        return Fact("mark_angle", name, problem.answer.removesuffix("^\\circ"))
    return None
