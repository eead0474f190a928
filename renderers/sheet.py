"""A page of plain strokes, circles, dots and texts: what our own scripts draw, as data.

Places are in data coordinates, widths and sizes in points of a page of 100 pixels an inch, colours as matplotlib names
them. Things are listed in the order in which a script would add them.
"""

from __future__ import annotations

from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Ink:
    """How a stroke is drawn, and its group id."""

    color: str
    width: float
    gid: str
    sway: float = 0.0
    """Pixels by which it sways, as of a hand."""
    round_ends: bool = False
    behind: bool = False
    """Whether it lies behind all that is not."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line through two points or more."""

    points: tuple[Point, ...]
    ink: Ink


@dataclass(frozen=True, slots=True)
class Round:
    """A circle, or where it has ``ends`` the arc between these directions in degrees, counter-clockwise."""

    centre: Point
    radius: float
    ink: Ink
    ends: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Disc:
    """A dot of ``size`` points."""

    centre: Point
    size: float
    color: str
    gid: str


@dataclass(frozen=True, slots=True)
class Letters:
    """A text, its middle at ``centre``, in a family of matplotlib's fonts."""

    text: str
    centre: Point
    size: float
    family: str
    slanted: bool
    color: str
    gid: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page: its pixels, what of the plane it shows (x0, x1, y0, y1), and all that is on it."""

    canvas: tuple[int, int]
    window: tuple[float, float, float, float]
    paper: str = "white"
    region: tuple[Point, ...] = ()
    """The corners of a filled region, behind all."""
    fill: str = ""
    lines: tuple[Line, ...] = ()
    rounds: tuple[Round, ...] = ()
    dots: tuple[Disc, ...] = ()
    letters: tuple[Letters, ...] = ()
    mathematics: str = "dejavusans"
    """matplotlib's font set of the texts between dollars."""
