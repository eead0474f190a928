"""Doctests in docstrings become code blocks of the docs site, where Markdown would read their brackets as links."""

from __future__ import annotations

from typing import Any

import griffe


class Fences(griffe.Extension):
    """Puts a fence around each run of lines from ``>>>`` to the next empty one."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of a function, class or module."""
        if obj.docstring and ">>>" in obj.docstring.value:
            obj.docstring.value = fence(obj.docstring.value)


def fence(text: str) -> str:
    """The docstring with its doctests fenced."""
    lines: list[str] = []
    inside = False
    for line in [*text.splitlines(), ""]:
        if not inside and line.lstrip().startswith(">>>"):
            lines += ["", "```pycon"]
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join(lines)
