"""What a Mermaid renderer takes and gives: the small protocol, its values and its errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

StyleName = Literal["classic", "forest", "neutral", "sand", "slate"]
Face = Literal["regular", "bold", "oblique"]
"""Of the one shipped family of letters: how labels are set that their author has not marked."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a chart is drawn: its colours and strokes, and its letters."""

    style: StyleName = "classic"
    face: Face = "regular"


class MermaidError(Exception):
    """A chart was refused.

    ``code`` is one of: syntax, not_a_flowchart, too_large, refused, undrawable, engine, timeout, memory, killed.
    ``line`` and ``column`` are 1-based where the parser knows them; ``caret`` shows the place for a repair prompt.
    """

    def __init__(self, code: str, message: str, line: int | None = None, column: int | None = None, caret: str = ""):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.line = line
        self.column = column
        self.caret = caret


class Mermaid(Protocol):
    """Parses, lays out and paints flowcharts of untrusted authors."""

    def parse(self, code: str, both: bool = True) -> dict[str, Any]:
        """The parsers' graph of ``code`` as plain JSON data: ``{"pele": {...}, "merman": {...} or {"error": ...}}``.

        Without ``both``, merman is not asked where Pele reads the code.
        """
        ...

    def draw(self, code: str, look: Look) -> str:
        """``code`` as a plain SVG: shapes, arrows and text alone, no style sheet, link, image or foreign object."""
        ...

    def paint(self, svg: str, size: int) -> bytes:
        """A PNG of ``size`` x ``size`` pixels, RGB, the chart centred on white (letterboxed)."""
        ...

    def letter(self, svg: str, size: int) -> bytes:
        """Where letters are and where they are seen: two packed bit masks of ``size`` x ``size``, one after the other.

        The first has the pixels that the texts ink when they are painted alone in black, the second those of them in
        which the picture differs from the same picture without texts.
        """
        ...

    def close(self) -> None:
        """End the worker."""
        ...
