"""Labels as lines of runs: read from the engines' markup, wrapped with the painter's own widths."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from xml.etree import ElementTree

from counterfoil.renderers.mermaid.fonts import find_undrawable, measure_text
from counterfoil.renderers.mermaid.protocol import Face, MermaidError


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one weight and slant."""

    text: str
    bold: bool = False
    italic: bool = False


Line = tuple[Run, ...]

_SPACE = re.compile(r"[ \t\n\r\f]+")


def read_xhtml(element: ElementTree.Element) -> list[Line]:
    """The lines of a label from an XHTML fragment: ``<p>`` and ``<br/>`` break, bold and italic are kept.

    Raises:
        MermaidError: ``undrawable``, for an icon, a picture or a character that the fonts cannot draw.
    """
    lines: list[list[Run]] = [[]]
    _walk(element, False, False, lines)
    return [tidy_line(line) for line in lines] if any(lines) else []


def _walk(element: ElementTree.Element, bold: bool, italic: bool, lines: list[list[Run]]) -> None:
    tag = element.tag.rpartition("}")[2]
    if tag == "br":
        lines.append([])
    elif tag in ("img", "svg", "image", "math", "object", "iframe", "script", "style"):
        raise MermaidError("undrawable", f"a label holds <{tag}>: use text")
    elif tag == "i" and element.get("class"):
        raise MermaidError("undrawable", f"a label holds the icon {element.get('class')!r}: use text")
    elif tag == "p" and lines[-1]:
        lines.append([])
    bold, italic = bold or tag in ("b", "strong"), italic or tag in ("i", "em")
    if element.text:
        lines[-1].append(Run(element.text, bold, italic))
    for child in element:
        _walk(child, bold, italic, lines)
        if child.tail:
            lines[-1].append(Run(child.tail, bold, italic))


def set_face(line: Line, face: Face) -> Line:
    """The line with all of its runs bold or slanted, too."""
    return tuple(Run(run.text, run.bold or face == "bold", run.italic or face == "oblique") for run in line)


def tidy_line(line: list[Run]) -> Line:
    """White space collapsed and trimmed as a browser does; neighbours of one face joined.

    Raises:
        MermaidError: ``undrawable``.
    """
    runs: list[Run] = []
    for run in line:
        text = unicodedata.normalize("NFC", _SPACE.sub(" ", run.text))
        if (not runs or runs[-1].text.endswith(" ")) and text.startswith(" "):
            text = text[1:]
        if not text:
            continue
        if reason := find_undrawable(text):
            raise MermaidError("undrawable", f"label {text!r}: {reason}")
        if runs and (runs[-1].bold, runs[-1].italic) == (run.bold, run.italic):
            runs[-1] = Run(runs[-1].text + text, run.bold, run.italic)
        else:
            runs.append(Run(text, run.bold, run.italic))
    if runs and runs[-1].text.endswith(" "):
        last = runs.pop()
        if last.text.rstrip():
            runs.append(Run(last.text.rstrip(), last.bold, last.italic))
    return tuple(runs)


def measure_line(line: Line) -> float:
    """Width in em."""
    return sum(measure_text(run.text, run.bold, run.italic) for run in line)


_WORDS = re.compile(r"\s+|[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60]|[^\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60]+")


def wrap_line(line: Line, width: float) -> list[Line]:
    """Break one line at spaces and between ideographs so that no line is over ``width`` em (longer words are)."""
    if measure_line(line) <= width:
        return [line]
    pieces = [Run(word, run.bold, run.italic) for run in line for word in _WORDS.findall(run.text)]
    lines: list[Line] = []
    current: list[Run] = []
    used = 0.0
    for index, piece in enumerate(pieces):
        if piece.text.isspace():
            if current:
                current.append(piece)
                used += measure_text(" ", piece.bold, piece.italic)
            continue
        # A word that changes face within itself ("**b**old") does not break there.
        glued = index > 0 and not pieces[index - 1].text.isspace() and not _breaks_around(pieces[index - 1], piece)
        size = measure_text(piece.text, piece.bold, piece.italic)
        if current and not glued and used + size > width:
            lines.append(tidy_line(current))
            current, used = [], 0.0
        current.append(piece)
        used += size
    if current:
        lines.append(tidy_line(current))
    return lines


def _breaks_around(left: Run, right: Run) -> bool:
    return any(len(r.text) == 1 and ord(r.text) >= 0x2E80 for r in (left, right))


def wrap_lines(lines: list[Line], width: float) -> tuple[Line, ...]:
    """Every line wrapped to ``width`` em."""
    return tuple(part for line in lines for part in wrap_line(line, width))


@lru_cache(maxsize=65536)
def wrap_plain(text: str, width: float | None, bold: bool = False, italic: bool = False) -> tuple[float, ...]:
    """The widths in em of ``text``'s lines after wrapping: what the layout engines ask for."""
    widths: list[float] = []
    for raw in text.split("\n"):
        line = (Run(_SPACE.sub(" ", raw).strip(), bold, italic),)
        parts = [line] if width is None else wrap_line(line, width)
        widths.extend(measure_line(part) for part in parts)
    return tuple(widths)
