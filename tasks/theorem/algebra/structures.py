"""Small groups, monoids and rings, given by their tables: where statements about all of a class can be tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

Element = int
"""Its place among the elements."""


@dataclass(frozen=True)
class Structure:
    """A finite structure.

    Attributes:
        name: what books call it.
        elements: how each is written.
        times: the table of multiplication; ``plus``: of addition, empty where there is none.
        one: the neutral element of multiplication; ``zero``: of addition.
    """

    name: str
    elements: tuple[str, ...]
    times: tuple[tuple[Element, ...], ...]
    one: Element
    plus: tuple[tuple[Element, ...], ...] = ()
    zero: Element = -1

    def __len__(self) -> int:
        return len(self.elements)

    @cached_property
    def inverse(self) -> tuple[Element | None, ...]:
        """Of each element the one that gives 1 with it from either side."""
        every = range(len(self))
        return tuple(next((b for b in every if self.times[a][b] == self.one == self.times[b][a]), None) for a in every)

    @cached_property
    def negative(self) -> tuple[Element, ...]:
        """Of each element of a ring the one that gives 0 with it."""
        every = range(len(self))
        return tuple(next(b for b in every if self.plus[a][b] == self.zero) for a in every)

    @cached_property
    def classes(self) -> frozenset[str]:
        """The classes of mathlib that it is an instance of."""
        every = range(len(self))
        commutes = all(self.times[a][b] == self.times[b][a] for a, b in product(every, every))
        found = {"Fintype", "Finite", "DecidableEq"} | ({"Nontrivial"} if len(self) > 1 else set())
        if not self.plus:
            found |= {"Monoid"} | ({"CommMonoid"} if commutes else set())
            if None not in self.inverse:
                found |= {"Group"} | ({"CommGroup"} if commutes else set())
            return frozenset(found)
        found |= {"Ring", "Semiring"} | ({"CommRing", "CommSemiring"} if commutes else set())
        rest = [a for a in every if a != self.zero]
        if rest and all(self.times[a][b] != self.zero for a, b in product(rest, rest)):
            found |= {"IsDomain", "NoZeroDivisors"}
        if rest and all(self.inverse[a] is not None for a in rest):
            found |= {"DivisionRing"} | ({"Field"} if commutes else set())
        return frozenset(found)


@lru_cache(maxsize=64)
def list_structures(classes: frozenset[str]) -> Sequence[Structure]:
    """The structures that are instances of all these classes, the smallest first.

    >>> [each.name for each in list_structures(frozenset({"Field"}))]
    ['Z/2', 'Z/3', 'F4', 'Z/5']
    """
    return tuple(each for each in _STRUCTURES if classes <= each.classes)


def _generate(name: str, *generators: str) -> Structure:
    """The group that permutations generate."""
    degree = len(generators[0])
    start = tuple(range(degree))
    found, level = [start], [start]
    turns = [tuple(map(int, each)) for each in generators]
    while level:
        level = [new for a in level for b in turns if (new := tuple(a[i] for i in b)) not in found]
        level = list(dict.fromkeys(level))
        found += level
    found.sort()
    times = tuple(tuple(found.index(tuple(a[i] for i in b)) for b in found) for a in found)
    return Structure(name, tuple(map(_write_cycles, found)), times, found.index(start))


def _write_cycles(permutation: Sequence[int]) -> str:
    told, seen = "", set()
    for start in range(len(permutation)):
        cycle, at = [], start
        while at not in seen:
            seen.add(at)
            cycle.append(str(at + 1))
            at = permutation[at]
        told += f"({' '.join(cycle)})" if len(cycle) > 1 else ""
    return told or "1"


def _tabulate(
    name: str, elements: Sequence[Any], plus: Callable[[Any, Any], Any], times: Callable[[Any, Any], Any], one: Any
) -> Structure:
    """A ring of these elements, the first of which is zero."""
    place = {each: i for i, each in enumerate(elements)}
    added, multiplied = (
        tuple(tuple(place[combine(a, b)] for b in elements) for a in elements) for combine in (plus, times)
    )
    return Structure(name, tuple(map(str, elements)), multiplied, place[one], added, 0)


def _residues(n: int) -> Structure:
    return _tabulate(f"Z/{n}", range(n), lambda a, b: (a + b) % n, lambda a, b: a * b % n, 1 % n)


def _extend(name: str, square: tuple[int, int]) -> Structure:
    """Pairs ``a + b t`` over two elements, where ``t * t`` is given."""
    pairs = {(a, b): f"{a}+{b}t" for b in (0, 1) for a in (0, 1)}
    told = list(pairs.values())
    back = {text: pair for pair, text in pairs.items()}

    def times(x: str, y: str) -> str:
        (a, b), (c, d) = back[x], back[y]
        return pairs[(a * c + b * d * square[0]) % 2, (a * d + b * c + b * d * square[1]) % 2]

    def plus(x: str, y: str) -> str:
        (a, b), (c, d) = back[x], back[y]
        return pairs[(a + c) % 2, (b + d) % 2]

    return _tabulate(name, told, plus, times, "1+0t")


def _list_matrices(upper: bool) -> Iterator[tuple[int, int, int, int]]:
    for a, b, c, d in product((0, 1), repeat=4):
        if not (upper and c):
            yield a, b, c, d


def _matrices(name: str, upper: bool) -> Structure:
    def times(x: tuple[int, ...], y: tuple[int, ...]) -> tuple[int, ...]:
        (a, b, c, d), (e, f, g, h) = x, y
        return (a * e + b * g) % 2, (a * f + b * h) % 2, (c * e + d * g) % 2, (c * f + d * h) % 2

    elements = list(_list_matrices(upper))
    return _tabulate(
        name, elements, lambda x, y: tuple((i + j) % 2 for i, j in zip(x, y, strict=True)), times, (1, 0, 0, 1)
    )


def _pairs() -> Structure:
    elements = list(product((0, 1), repeat=2))
    both: Mapping[str, Callable[[Any, Any], Any]] = {
        "plus": lambda x, y: ((x[0] + y[0]) % 2, (x[1] + y[1]) % 2),
        "times": lambda x, y: (x[0] * y[0], x[1] * y[1]),
    }
    return _tabulate("Z/2 x Z/2", elements, both["plus"], both["times"], (1, 1))


def _multiply_alone(ring: Structure) -> Structure:
    return Structure(f"({ring.name}, *)", ring.elements, ring.times, ring.one)


_RINGS = (
    *map(_residues, (1, 2, 3, 4)),
    _extend("F4", (1, 1)),
    _extend("F2[t]/t^2", (0, 0)),
    _pairs(),
    *map(_residues, (5, 6, 8)),
    _matrices("upper 2x2 matrices over F2", True),
    _matrices("2x2 matrices over F2", False),
)
_STRUCTURES = (
    _generate("trivial group", "0"),
    _generate("C2", "10"),
    _generate("C3", "120"),
    _generate("C4", "1230"),
    _generate("C2 x C2", "1032", "2301"),
    _generate("C6", "12043"),
    _generate("S3", "120", "102"),
    _generate("D4", "1230", "0321"),
    _generate("Q8", "23106754", "45761023"),
    *map(_multiply_alone, _RINGS[3:4]),
    _multiply_alone(_RINGS[-1]),
    *_RINGS,
)
