"""Clean a Mermaid source before a parser sees it: limits, and no key that changes more than the chart.

Front matter and ``%%{init}%%`` can set style sheets, fonts, security levels and another layout; ``click`` makes
links and calls scripts; ``img:`` names files and addresses. Dropping them keeps the graph. What the engines then
give is rebuilt from an allow-list (`renderers.mermaid.writer`), so this is the first line and not the only one.
"""

from __future__ import annotations

import re

from counterfoil.renderers.mermaid.protocol import MermaidError

MAX_SOURCE_BYTES = 50_000
MAX_ARROWS = 500
MAX_NODES = 500

_FRONT_MATTER = re.compile(r"\A\s*---[ \t]*\n.*?\n\s*---[ \t]*(?:\n|\Z)", re.S)
_DIRECTIVE = re.compile(r"%%\{.*?\}%%", re.S)
_CLICK = re.compile(r'^[ \t]*click[ \t]+[^\s"]+[ \t]+(?:[^"\n]|"[^"]*")*$', re.M)
_IMAGE = re.compile(r"@\{[^}]*\b(?:img|icon)\s*:", re.S)
_HEADER = re.compile(r"\A(?:\s|%%(?!\{)[^\n]*\n)*(\S+)")
_KEYWORDS = ("flowchart", "graph", "flowchart-elk")


def clean_source(code: str, drawn: bool = True) -> str:
    """``code`` without front matter, directives and links; where it is to be ``drawn``, image nodes are refused.

    Raises:
        MermaidError: ``too_large``, ``refused`` (images, NUL) or ``not_a_flowchart``.
    """
    if len(code.encode("utf-8", "surrogatepass")) > MAX_SOURCE_BYTES:
        raise MermaidError("too_large", f"the source is over {MAX_SOURCE_BYTES} bytes: split the chart")
    if "\x00" in code or any("\ud800" <= c <= "\udfff" for c in code):
        raise MermaidError("refused", "the source holds a NUL or half a surrogate pair: save it as UTF-8 text")
    text = code.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")
    text = _FRONT_MATTER.sub("", text)
    text = _DIRECTIVE.sub("", text)
    if drawn and _IMAGE.search(text):
        raise MermaidError("refused", "image and icon nodes (img:, icon:) are not drawn: remove them")
    text = _CLICK.sub("", text)
    keyword = find_diagram_type(text)
    if keyword not in _KEYWORDS:
        raise MermaidError(
            "not_a_flowchart",
            f"the diagram begins with {keyword!r}; only flowchart and graph are read" if keyword else "no diagram",
        )
    return text


def find_diagram_type(code: str) -> str:
    """The diagram's keyword (``flowchart``, ``sequenceDiagram``), or ''."""
    match = _HEADER.match(code)
    return match.group(1).split(";")[0].split("-->")[0] if match else ""


def point_at(code: str, line: int, column: int) -> str:
    """The source line with a caret under the column, for people and for repair prompts."""
    lines = code.split("\n")
    if not 1 <= line <= len(lines):
        return ""
    return f"{lines[line - 1]}\n{' ' * (max(column, 1) - 1)}^"
