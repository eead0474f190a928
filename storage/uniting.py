"""Things that belong together by twos, and so in sets (union-find)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

Thing = TypeVar("Thing", bound=Hashable)


class Sets(Generic[Thing]):
    """Disjoint sets, each under one of its things; a thing that was not met yet is a set by itself.

    >>> sets = Sets[str]()
    >>> sets.unite("a", "b"), sets.unite("b", "c"), sets.find("c"), sets.find("d")
    (None, None, 'a', 'd')
    """

    def __init__(self) -> None:
        self.parents: dict[Thing, Thing] = {}
        """Every thing that was met, in that order."""

    def find(self, thing: Thing) -> Thing:
        """The thing under which the set of ``thing`` is."""
        parents = self.parents
        while parents.setdefault(thing, thing) != thing:
            parents[thing] = parents[parents[thing]]
            thing = parents[thing]
        return thing

    def unite(self, one: Thing, other: Thing) -> None:
        """Put both sets under what leads that of ``one``."""
        leader = self.find(one)
        self.parents[self.find(other)] = leader
