"""Strokes that continue or repeat one another as one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from counterfoil.tasks.geometry.measuring.nearby import LineGrid
from counterfoil.tasks.geometry.measuring.strokes import Line

BENT = 0.03
"""Sine of the angle at which two strokes are no longer one line."""
BLUNT = 1.0
"""Pixels by which the ends of a stroke may be off, however short it is."""
STUB = 20.0
"""Pixels under which a stroke is too short for its direction to say much."""
FAN = 60
"""Parts of a half turn by which lines are sorted: each is wider than the angle at which longer ones are joined."""


def merge_lines(lines: Sequence[Line]) -> list[Line]:
    """The lines that a viewer sees: each union takes the place of the first of its strokes."""
    pool = _Pool(line for line in lines if line.length > 0)
    for number in pool.grid.numbers:
        grown: int | None = number
        while grown is not None and grown in pool.grid:
            # A longer line may now join one before it.
            grown = pool.grow(grown)
    return pool.grid.lines


class _Pool:
    """Lines by place and by direction: only those that agree in both can be one."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self.grid = LineGrid(lines)
        self.fan: dict[int, set[int]] = {}
        for number in self.grid.numbers:
            self._sort_in(number)

    def grow(self, number: int) -> int | None:
        """Join a line with the first that continues it; the number of the union, or None where there is none."""
        part = _find_part(self.grid[number])
        parts = range(-1, FAN) if part < 0 else (-1, (part - 1) % FAN, part, (part + 1) % FAN)
        turned = set().union(*(self.fan.get(each, ()) for each in parts))
        for other in self.grid.find_beside(self.grid[number], turned):
            if other == number:
                continue
            first, second = sorted((number, other))
            union = _join(self.grid[first], self.grid[second])
            if union is not None:
                for old in (first, second):
                    self.fan[_find_part(self.grid[old])].discard(old)
                self.grid.replace(first, union)
                self.grid.remove(second)
                self._sort_in(first)
                return first
        return None

    def _sort_in(self, number: int) -> None:
        self.fan.setdefault(_find_part(self.grid[number]), set()).add(number)


def _find_part(line: Line) -> int:
    """The part of the half turn that a line points to, -1 for a stub."""
    if line.length < STUB:
        return -1
    turn = math.atan2(line.end[1] - line.start[1], line.end[0] - line.start[0]) % math.pi
    return int(turn / math.pi * FAN) % FAN


def _join(first: Line, second: Line) -> Line | None:
    long, short = (first, second) if first.length >= second.length else (second, first)
    ux, uy = (long.end[0] - long.start[0]) / long.length, (long.end[1] - long.start[1]) / long.length

    def along(p: tuple[float, float]) -> float:
        return (p[0] - long.start[0]) * ux + (p[1] - long.start[1]) * uy

    def off(p: tuple[float, float]) -> float:
        return (p[0] - long.start[0]) * uy - (p[1] - long.start[1]) * ux

    first_off, last_off = off(short.start), off(short.end)
    bent = abs(first_off - last_off) > max(BENT * short.length, BLUNT) or max(abs(first_off), abs(last_off)) > 1.6
    low, high = sorted((along(short.start), along(short.end)))
    if bent or low > long.length + 1.5 or high < -1.5:
        return None
    ends = sorted([long.start, long.end, short.start, short.end], key=along)
    return Line(ends[0], ends[-1])
