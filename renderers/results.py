"""What rendering an untrusted script gives back: a typed outcome, the picture, and the recorded drawing.

The drawing comes from memory that the script could write to. It is schema-checked and its pixels are compared with
its shapes, but it remains a claim of the script: verification measures on it and on nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from counterfoil.renderers.sheet import Sheet


class Outcome(StrEnum):
    """How a script ended. Everything but OK is a failure."""

    OK = "ok"
    EXCEPTION = "exception"
    EXIT = "exit"
    NO_PICTURE = "no_picture"
    BLANK = "blank"
    OFF_PAGE = "off_page"
    TOO_LARGE = "too_large"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT_LIMIT = "output_limit"
    KILLED = "killed"
    WORKER_LOST = "worker_lost"
    INVALID_RESULT = "invalid_result"


@dataclass(frozen=True, slots=True)
class ScriptError:
    """An exception of the script, fit for a repair prompt. ``line`` is 1-based, in the script itself."""

    file: str
    line: int | None
    type: str
    message: str
    source_line: str = ""


@dataclass(frozen=True, slots=True)
class Polyline:
    """Connected points in data coordinates. ``style`` is '-', '--', ':', '-.'; ``closed`` marks a polygon."""

    points: tuple[tuple[float, float], ...]
    closed: bool = False
    filled: bool = False
    style: str = "-"
    color: str = "#000000"
    width: float = 1.0
    gid: str = ""
    """The artist's group id (``set_gid``), by which our own scripts tag marks; ``leader`` for the arrow of an
    annotation with a text, unless the script set another."""
    head: float = 0.0
    """Points around its ends within which an arrow's heads lie; they are ink, but no shape of their own."""


@dataclass(frozen=True, slots=True)
class Arc:
    """A circle, ellipse or arc: centre, full width and height, rotation and the drawn span in degrees."""

    centre: tuple[float, float]
    width: float
    height: float
    angle: float = 0.0
    theta1: float = 0.0
    theta2: float = 360.0
    filled: bool = False
    style: str = "-"
    color: str = "#000000"
    line_width: float = 1.0
    gid: str = ""


@dataclass(frozen=True, slots=True)
class Dot:
    """A marker (``plot(x, y, 'o')``, ``scatter``) in data coordinates; ``size`` in points."""

    position: tuple[float, float]
    size: float = 6.0
    marker: str = "o"
    color: str = "#000000"
    gid: str = ""


@dataclass(frozen=True, slots=True)
class Glyph:
    """One glyph of a text: which of which font file, and the pixel (y down from the top) of its origin."""

    font: str
    size: float
    char: str
    index: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Label:
    """A text as drawn. ``anchor`` is where the script put it, ``box`` (x0, y0, x1, y1) the extent of its ink box in
    data coordinates, ``points_at`` the annotated point (``annotate``'s ``xy``), if it has one."""

    text: str
    anchor: tuple[float, float]
    box: tuple[float, float, float, float]
    points_at: tuple[float, float] | None = None
    size: float = 10.0
    rotation: float = 0.0
    color: str = "#000000"
    gid: str = ""
    inside: bool = True
    """Whether the whole box lies inside the picture."""
    frame: float = 0.0
    """Pixels by which a drawn frame around the text stands off its box; 0 without one."""
    glyphs: tuple[tuple[Glyph, ...], ...] = ()
    """What it was drawn with, line by line."""
    bars: tuple[tuple[float, float, float, float], ...] = ()
    """Boxes (x0, y0, x1, y1) in pixels, y down, of the bars of its roots and fractions."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One Axes: limits, pixel box (x0, y0, x1, y1, origin top left) and what it shows, in data coordinates."""

    xlim: tuple[float, float]
    ylim: tuple[float, float]
    box: tuple[float, float, float, float]
    polylines: tuple[Polyline, ...] = ()
    arcs: tuple[Arc, ...] = ()
    dots: tuple[Dot, ...] = ()
    labels: tuple[Label, ...] = ()
    axis_on: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class Face:
    """A filled region as it is painted over all that was drawn before it.

    ``rings`` are outlines in pixels of the picture, y down from its top, filled where an odd number of them lies
    around; ``clip`` (x0, y0, x1, y1) in the same pixels is the box outside of which nothing is painted.
    """

    rings: tuple[tuple[tuple[float, float], ...], ...]
    color: str = "#ffffff"
    alpha: float = 1.0
    clip: tuple[float, float, float, float] | None = None
    hatched: bool = False
    """Whether it bears a pattern of lines, which are no strokes of the figure."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a script drew, panel by panel. ``truncated`` is set where the record was over its size limit.

    ``paper`` is the colour behind everything, ``faces`` what is filled, in the order of painting, and ``dpi`` the
    pixels of an inch: sizes and widths are in points, a 72nd of it.
    """

    panels: tuple[Panel, ...]
    width: int
    height: int
    truncated: bool = False
    paper: str = "#ffffff"
    faces: tuple[Face, ...] = ()
    dpi: float = 100.0
    hinting: str = "DEFAULT"
    """How glyphs were fitted to pixels, by the name of FreeType's flag."""
    wobble: float = 0.0
    """Pixels by which strokes sway to both sides, as of a hand (matplotlib's ``sketch_params``)."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """The result of one script. ``png`` and ``drawing`` are set only for `Outcome.OK`."""

    outcome: Outcome
    level: str
    """The sandbox level that was active: L3, L2, L1 or L0."""
    png: bytes | None = None
    width: int = 0
    height: int = 0
    drawing: Drawing | None = None
    error: ScriptError | None = None
    log: str = ""
    """The tail of what the script printed, 64 KB at most."""
    wall_s: float = 0.0
    cpu_s: float = 0.0


class ScriptRenderer(Protocol):
    """Renders one script at a time; each process makes its own."""

    @property
    def level(self) -> str:
        """The sandbox level that is active."""
        ...

    def render(self, script: str) -> Rendering:
        """Run ``script`` isolated and return its rendering. Never raises for what the script does."""
        ...

    def render_together(self, scripts: Sequence[str], sheets: Sequence[Sheet] = ()) -> list[Rendering]:
        """The renderings of scripts of our own making, in one isolated process. For no others.

        ``sheets``: what they draw, of each or of none; where that gives the same bytes no script need be run.
        """
        ...

    def close(self) -> None:
        """End the workers."""
        ...
