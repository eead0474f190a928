r"""What one row of the table of predicates holds.

A predicate's signature names its arguments by letters: capitals are points, ``o`` is a circle, ``ABC+`` a polygon or
row of three points or more. Other columns use these letters: ``AB BC`` are two segments, ``ABC+`` a polygon's sides.

Wordings name things in angle brackets: ``<D>`` a point, ``<AB>`` a segment, ``<angle ABC>``, ``<triangle ABC>``,
``<circle o>``, ``<v>`` and ``<d>`` the value plain and in degrees. `tasks.geometry.captions.templates` writes and
reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise, takewhile
from string import ascii_uppercase
from typing import Any

from counterfoil.tasks.geometry.facts import residuals as r
from counterfoil.tasks.geometry.facts.conditions import Condition, Truth
from counterfoil.tasks.geometry.facts.orders import Arguments, Forms, all_differ, keep

Names = Mapping[str, Any]
"""What each letter of a signature or wording stands for: a label or value, or a tuple of labels, segments or values.

``A+`` is all of the group that begins with A.
"""


@dataclass(frozen=True)
class Predicate:
    """One row of the table.

    ``condition`` is asked when the residuals are within tolerance: False refutes the fact (a crossed square), None
    leaves it open. ``truth`` replaces the comparison with tolerances where a claim is an inequality.
    """

    name: str
    signature: str
    forms: Forms = keep
    """Every order of the arguments that says the same."""
    residual: r.Residual = r.none
    value: str | None = None
    """What the value is: ``length``, ``angle``, ``area``, ``ratio``, ``coordinates``, ``text``, one of
    `plane.PLANE_KINDS` or None."""
    group: str = field(kw_only=True)
    """``shape``, ``incidence``, ``relation``, ``measure``, ``plane`` (of coordinates), or what a picture consists of:
    ``drawn``, ``mark``."""
    condition: Condition | None = None
    truth: Truth | None = None
    differ: Callable[[Arguments], bool] = all_differ
    """Whether points so named can be those of such a fact: mostly that none is named twice."""
    fits: Callable[[Arguments], bool] = bool
    """Whether a text that names it so can mean it; of several ways to read a name the first that fits is meant."""
    strokes: str = ""
    """The segments that a claim says are there: sides of its shape (``ABC+``), all of a line's (``ABC*``), those of a
    broken line (``ABC-``), what it compares or measures."""
    broader: tuple[str, ...] = ()
    """Shapes that every such shape also is."""
    states: str | None = None
    """Of a mark, the fact that it shows; where its value is a group's name, the one between two marks of a group."""
    words: str = ""
    """Wordings that captions use, semicolons between; each is read back as well."""
    openings: str = ""
    """Of a shape, how a sentence about it may begin: ``in square <ABCD>`` and, before ``has``, ``square <ABCD>``."""
    owned: str = ""
    """How it is said of what the sentence is about: ``its altitude is <PF>``, ``with side length <v>``."""
    readings: str = ""
    """Further wordings that are read, with ``[optional]`` and ``(one|other)`` parts."""

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """``p`` or ``c`` for each argument; a last ``p*`` takes any further points."""
        letters = [letter for letter in self.signature if letter.isalpha()]
        named = ("p" if letter.isupper() else "c" for letter in letters)
        return (*named, "p*") if "+" in self.signature else tuple(named)

    @property
    def minimum(self) -> int:
        """The least number of arguments."""
        return len(self.roles) - self.is_open

    def accepts(self, count: int) -> bool:
        """Whether ``count`` is a possible number of arguments."""
        return count >= self.minimum if self.is_open else count == len(self.roles)

    @property
    def is_open(self) -> bool:
        """Whether it takes any further points."""
        return self.roles[-1:] == ("p*",)

    def role(self, index: int) -> str:
        """``p`` or ``c`` for the argument at ``index``."""
        return self.roles[min(index, len(self.roles) - 1)][0]

    def name_arguments(self, arguments: Arguments) -> Names:
        """The arguments by the letters of the signature; further ones of a group get the letters that follow."""
        groups = self.signature.split()
        fixed = sum(len(group) for group in groups if group[-1] != "+")
        share = (len(arguments) - fixed) // max(1, sum(group[-1] == "+" for group in groups))
        names: dict[str, Any] = {}
        start = 0
        for group in groups:
            end = start + (share if group[-1] == "+" else len(group))
            names[f"{group[0]}+"] = arguments[start:end]
            for letter, argument in zip(_list_letters(group), arguments[start:end], strict=False):
                names.setdefault(letter, argument)
            start = end
        return names

    def order_arguments(self, names: Names) -> Arguments:
        """The arguments from their letters: the reverse of `name_arguments`."""
        ordered: list[str] = []
        for group in self.signature.split():
            if f"{group[0]}+" in names:
                ordered += names[f"{group[0]}+"]
            else:
                ordered += [names[letter] for letter in takewhile(names.__contains__, _list_letters(group))]
        return tuple(ordered)

    def list_strokes(self, arguments: Arguments) -> Iterator[frozenset[str]]:
        """The pairs of points that ``strokes`` names."""
        names = self.name_arguments(arguments)
        for part in self.strokes.split():
            if part[-1] == "+":
                ring = names[f"{part[0]}+"]
                yield from (frozenset((ring[i - 1], ring[i])) for i in range(len(ring)))
            elif part[-1] == "-":
                yield from map(frozenset, pairwise(names[f"{part[0]}+"]))
            elif part[-1] == "*":
                row = names[f"{part[0]}+"]
                yield from (frozenset((p, q)) for i, p in enumerate(row) for q in row[i + 1 :])
            else:
                yield frozenset((names[part[0]], names[part[1]]))


def _list_letters(group: str) -> str:
    """The letters of a group, with those that follow in the alphabet where it may have more."""
    return ascii_uppercase[ascii_uppercase.index(group[0]) :] if group[-1] == "+" else group
