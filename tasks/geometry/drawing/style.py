"""How a figure is drawn: sizes of letters and marks, widths of strokes."""

from __future__ import annotations

from dataclasses import dataclass

SIZE = 512
"""Pixels of the picture's side."""


@dataclass(frozen=True)
class Style:
    """Sizes in pixels of the picture, of letters and strokes in points.

    At the plain sizes a capital or a digit is an em of at least 1/28 of the side, and 8 pixels high once the picture is
    reduced to 336 (14 patches of 24); `for_reader` makes them that high at a smaller size too.
    """

    name_size: float = 16.0
    number_size: float = 13.5
    line: float = 1.5
    mark: float = 1.1
    aid: float = 0.85
    """Leaders and dimension lines: visibly thinner than the figure."""
    dot: float = 4.5
    arc: float = 26.0
    arc_step: float = 4.5
    square: float = 12.0
    tick: float = 6.0

    @classmethod
    def for_reader(cls, legible_at: int) -> Style:
        """The plain style for pictures that are read at ``legible_at`` pixels a side."""
        return cls() if legible_at >= 336 else cls(name_size=19.5, number_size=18.5, arc=28.0)


PLAIN = Style()
