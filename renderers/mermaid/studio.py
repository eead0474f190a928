"""The engines behind the renderer's verbs, in one process. The worker runs this; tests may too."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from counterfoil.renderers.mermaid.fonts import register_fonts
from counterfoil.renderers.mermaid.merman_engine import MermanEngine
from counterfoil.renderers.mermaid.pele_engine import PeleEngine
from counterfoil.renderers.mermaid.protocol import Look, MermaidError
from counterfoil.renderers.mermaid.raster import pack_letters, paint_png
from counterfoil.renderers.mermaid.source import MAX_ARROWS, MAX_NODES, clean_source, point_at
from counterfoil.renderers.mermaid.styles import STYLES
from counterfoil.renderers.mermaid.writer import write_svg


class Studio:
    """Parses, lays out and paints in this process: no limits, so untrusted input goes through the worker."""

    def __init__(self) -> None:
        register_fonts()

    @cached_property
    def _pele(self) -> PeleEngine:
        return PeleEngine()

    @cached_property
    def _merman(self) -> MermanEngine:
        return MermanEngine()

    def parse(self, code: str, both: bool = True) -> dict[str, Any]:
        """The parsers' graphs: ``{"pele": graph, "merman": graph or {"error": message}}``; merman's on request alone.

        Raises:
            MermaidError: what `clean_source` refuses, ``syntax`` with line, column and caret, or ``too_large``.
        """
        text = clean_source(code, drawn=False)
        graph = self._pele.parse(text)
        other = self._merman.parse(text) if both or "error" in graph else {}
        if "error" in graph:
            raise _syntax_error(text, graph["error"], other.get("error"))
        if graph["type"] != "flowchart":
            raise MermaidError("not_a_flowchart", f"the diagram is a {graph['type']}; only flowcharts are read")
        if len(graph["edges"]) > MAX_ARROWS or len(graph["nodes"]) > MAX_NODES:
            raise MermaidError("too_large", f"over {MAX_ARROWS} arrows or {MAX_NODES} nodes: split the chart")
        return {"pele": graph, "merman": other}

    def draw(self, code: str, look: Look) -> str:
        """``code`` as a plain SVG.

        Raises:
            MermaidError: what `clean_source` refuses, ``syntax``, ``engine`` or ``undrawable``.
        """
        text = clean_source(code)
        return write_svg(self._merman.place(text, look.face), STYLES[look.style])

    def paint(self, svg: str, size: int) -> bytes:
        """``svg`` as a PNG of ``size`` x ``size`` pixels."""
        return paint_png(svg, size)

    def letter(self, svg: str, size: int) -> bytes:
        """Where letters are, and where they are seen, as packed bits."""
        return pack_letters(svg, size)

    def warm_up(self) -> None:
        """Load both engines and the fonts now, so that no chart's limits are charged with it."""
        code = "flowchart TD\nA[a] --> B[b]"
        self.parse(code)
        self.paint(self.draw(code, Look()), 16)

    def close(self) -> None:
        """Nothing to end."""


def _syntax_error(code: str, error: dict[str, Any], other: str | None) -> MermaidError:
    message = error["message"].replace("\n", " ").strip()
    if other:
        message += f" ({other})"
    line, column = error["line"] or None, error["column"] or None
    kind = "not_a_flowchart" if error["code"] == "unsupported-diagram" else "syntax"
    return MermaidError(kind, message, line, column, point_at(code, line or 0, column or 1))
