"""Which of many strokes come near a place, found without asking each of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from counterfoil.tasks.geometry.facts.residuals import Point
from counterfoil.tasks.geometry.measuring.strokes import Line

CELL = 32.0
STEP = 16.0
"""Pixels between the places of a line by which it is filed."""
MARGIN = 12.0
"""Pixels around those places that count as near: with half a `STEP` along the line, eight beside it are covered."""
FEW = 48
"""Up to so many lines a place is compared with all of them, which is quicker."""

_NONE: frozenset[int] = frozenset()


class LineGrid:
    """Lines by the cells of the page that they come near.

    `find_near` gives at least all lines within eight pixels of a place, in the order in which they were added; more
    may be given, and the caller measures anyway.
    """

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        self._lines: dict[int, Line] = {}
        self._cells: dict[tuple[int, int], set[int]] = {}
        self._filed = 0
        self._next = 0
        for line in lines:
            self.add(line)

    def add(self, line: Line) -> int:
        """File a line and give its number."""
        number = self._next
        self._lines[number] = line
        self._next += 1
        if len(self._lines) > FEW:
            for each in range(self._filed, self._next):
                if each in self._lines:
                    self._file(each)
            self._filed = self._next
        return number

    def replace(self, number: int, line: Line) -> None:
        """Put another line in the place of one."""
        self._lines[number] = line
        if number < self._filed:
            # What the old line was filed under stays: it only makes for a needless comparison.
            self._file(number)

    def remove(self, number: int) -> None:
        """Take a line out."""
        del self._lines[number]

    def __contains__(self, number: int) -> bool:
        return number in self._lines

    def __getitem__(self, number: int) -> Line:
        return self._lines[number]

    @property
    def numbers(self) -> list[int]:
        """The numbers of all lines, in their order."""
        return list(self._lines)

    @property
    def lines(self) -> list[Line]:
        """All lines in their order."""
        return list(self._lines.values())

    def find_near(self, p: Point) -> Iterator[Line]:
        """The lines near a place."""
        if self._next > self._filed:
            yield from self._lines.values()
            return
        found = self._cells.get((math.floor(p[0] / CELL), math.floor(p[1] / CELL)), ())
        for number in sorted(found):
            if number in self._lines:
                yield self._lines[number]

    def find_beside(self, line: Line, among: set[int]) -> list[int]:
        """The numbers, of those ``among`` them, of the lines that share a cell with a line, in their order."""
        found: set[int] = set(among) if self._next > self._filed else set()
        if not found:
            for cell in _list_cells(line):
                found |= among & self._cells.get(cell, _NONE)
        return sorted(number for number in found if number in self._lines)

    def _file(self, number: int) -> None:
        for cell in _list_cells(self._lines[number]):
            self._cells.setdefault(cell, set()).add(number)


def _list_cells(line: Line) -> set[tuple[int, int]]:
    (x0, y0), (x1, y1) = line.start, line.end
    count = max(1, math.ceil(line.length / STEP))
    cells = set()
    for i in range(count + 1):
        x, y = x0 + (x1 - x0) * i / count, y0 + (y1 - y0) * i / count
        for column in {math.floor((x - MARGIN) / CELL), math.floor((x + MARGIN) / CELL)}:
            for row in {math.floor((y - MARGIN) / CELL), math.floor((y + MARGIN) / CELL)}:
                cells.add((column, row))
    return cells
