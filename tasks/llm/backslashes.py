r"""Backslashes that a model forgot to double in JSON.

In JSON ``"\triangle"`` is a tab and ``riangle``, ``"\frac"`` a form feed and ``rac``, and ``"\parallel"`` no string at
all. Models write all three. What a backslash meant is plain in each case, so it is put back and not asked for again.
"""

from __future__ import annotations

import re
from typing import Any

EATEN = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}
"""What JSON makes of a backslash and the letter."""
COMMANDS = frozenset(
    {
        *("ne", "neq", "neg", "not", "notin", "nparallel", "ncong", "nsim", "nu", "nabla", "nmid", "ngeq", "nleq"),
        *("right", "rightarrow", "rightangle", "rho", "rangle", "rceil", "rfloor", "rm", "rvert"),
        *("triangle", "triangleq", "times", "theta", "tan", "tau", "text", "textbf", "textit", "textrm", "textdegree"),
        *("tfrac", "therefore", "tilde", "to", "top"),
    }
)
"""LaTeX commands that begin like an escape which text may hold: a line feed, a carriage return, a tab. Backspace and
form feed stand in no text, so that whatever follows them was a command."""

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.|$)", re.DOTALL)
_CONTROL = re.compile(r"([\b\f\n\r\t])([a-z]+)")


def double_stray(text: str) -> tuple[str, tuple[str, ...]]:
    r"""JSON text with each backslash doubled that begins no escape of JSON, and what followed those.

    >>> double_stray(r'{"a": "AB \parallel CD\n"}')
    ('{"a": "AB \\\\parallel CD\\n"}', ('\\p',))
    """
    stray: list[str] = []

    def mend(match: re.Match[str]) -> str:
        escaped = match[1]
        if len(escaped) == 5 or (escaped and escaped in '"\\/bfnrt'):
            return match[0]
        stray.append(match[0])
        return escaped if escaped == "'" else f"\\{match[0]}"

    return _ESCAPE.sub(mend, text), tuple(stray)


def restore_eaten(data: Any) -> tuple[Any, tuple[str, ...]]:
    r"""Decoded JSON with the commands put back of which an escape ate the beginning, and those commands.

    >>> restore_eaten({"a": "In \triangle ABC, x = \frac{1}{2}"})
    ({'a': 'In \\triangle ABC, x = \\frac{1}{2}'}, ('\\triangle', '\\frac'))
    """
    found: list[str] = []

    def mend(match: re.Match[str]) -> str:
        command = EATEN[match[1]] + match[2]
        if match[1] not in "\b\f" and command not in COMMANDS:
            return match[0]
        found.append(f"\\{command}")
        return f"\\{command}"

    def walk(node: Any) -> Any:
        if isinstance(node, str):
            return _CONTROL.sub(mend, node)
        if isinstance(node, list):
            return [walk(each) for each in node]
        return {name: walk(value) for name, value in node.items()} if isinstance(node, dict) else node

    return walk(data), tuple(found)
