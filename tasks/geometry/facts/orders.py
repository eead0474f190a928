"""Orders of a fact's arguments that say the same, and which names can stand for different things at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations

Arguments = tuple[str, ...]
Forms = Callable[[Arguments], Iterable[Arguments]]


def keep(a: Arguments) -> Iterator[Arguments]:
    yield a


def any_order(a: Arguments) -> Iterator[Arguments]:
    yield tuple(sorted(a))


def cyclic(a: Arguments) -> Iterator[Arguments]:
    """All rotations of a polygon's name, in both directions."""
    for ring in (a, a[::-1]):
        for i in range(len(ring)):
            yield ring[i:] + ring[:i]


def pair(a: Arguments) -> Iterator[Arguments]:
    """A segment, then whatever follows: AB is BA."""
    yield a
    yield (a[1], a[0], *a[2:])


def two_pairs(a: Arguments) -> Iterator[Arguments]:
    """Two segments, each in both directions, in both orders."""
    for first, second in ((a[:2], a[2:]), (a[2:], a[:2])):
        for p in (first, first[::-1]):
            for q in (second, second[::-1]):
                yield p + q


def two_pairs_in_order(a: Arguments) -> Iterator[Arguments]:
    """Two segments, each in both directions."""
    for p in (a[:2], a[1::-1]):
        for q in (a[2:], a[:1:-1]):
            yield p + q


def head_and_ring(a: Arguments) -> Iterator[Arguments]:
    """A point, then a polygon."""
    for ring in cyclic(a[1:]):
        yield (a[0], *ring)


def one_angle(a: Arguments) -> Iterator[Arguments]:
    yield a
    yield a[::-1]


def two_angles(a: Arguments) -> Iterator[Arguments]:
    for first, second in ((a[:3], a[3:]), (a[3:], a[:3])):
        for p in (first, first[::-1]):
            for q in (second, second[::-1]):
                yield p + q


def head_and_pair(a: Arguments) -> Iterator[Arguments]:
    """A point, then a segment: M of AB is M of BA."""
    yield a
    yield (a[0], a[2], a[1])


def head_and_angle(a: Arguments) -> Iterator[Arguments]:
    yield a
    yield (a[0], a[3], a[2], a[1])


def head_and_two_pairs(a: Arguments) -> Iterator[Arguments]:
    for rest in two_pairs(a[1:]):
        yield (a[0], *rest)


def line_and_triangle(a: Arguments) -> Iterator[Arguments]:
    """A directed segment and a triangle: vertex P, foot F, triangle ABC in any order."""
    yield (*a[:2], *sorted(a[2:]))


def pair_and_polygon(a: Arguments) -> Iterator[Arguments]:
    for p in (a[:2], a[1::-1]):
        for ring in cyclic(a[2:]):
            yield p + ring


def correspondence(a: Arguments) -> Iterator[Arguments]:
    """Two polygons whose vertices correspond in order."""
    n = len(a) // 2
    for first, second in ((a[:n], a[n:]), (a[n:], a[:n])):
        orders: Iterable[Sequence[int]] = permutations(range(n)) if n == 3 else cyclic_orders(n)
        for order in orders:
            yield tuple(first[i] for i in order) + tuple(second[i] for i in order)


def cyclic_orders(n: int) -> Iterator[Sequence[int]]:
    for ring in (list(range(n)), list(range(n))[::-1]):
        for i in range(n):
            yield ring[i:] + ring[:i]


# Names: whether what is said to be two things is named as two


def all_differ(points: Arguments) -> bool:
    return len(set(points)) == len(points)


def two_lines(points: Arguments) -> bool:
    first, second = frozenset(points[:2]), frozenset(points[2:])
    return len(first) == len(second) == 2 and first != second


def point_and_two_lines(points: Arguments) -> bool:
    return two_lines(points[1:])


def foot_and_triangle(points: Arguments) -> bool:
    return points[0] != points[1] and all_differ(points[2:])


def median_and_triangle(points: Arguments) -> bool:
    """As of an altitude, but a side is no median."""
    return foot_and_triangle(points) and not set(points[:2]) <= set(points[2:])


def leaves_one_corner(a: Arguments) -> bool:
    """The line PF starts at one of the corners ABC and ends elsewhere."""
    return a[0] in a[2:] and a[1] not in a[2:]


def leaves_corner(a: Arguments) -> bool:
    """The line PF starts at one of the corners ABC; as a leg of a right triangle, an altitude also ends at one."""
    return a[0] in a[2:]


def two_figures(points: Arguments) -> bool:
    half = len(points) // 2
    first, second = points[:half], points[half:]
    return len(points) % 2 == 0 and all_differ(first) and all_differ(second) and first != second


def two_corners(points: Arguments) -> bool:
    return two_figures(points) and points[:3] != points[:2:-1]
