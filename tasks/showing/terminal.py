"""Foreign text on a terminal: what scripts, models, sources and judges wrote may neither steer it nor forge our lines.

What the commands print leaves through `EscapingConsole`, log lines through `EscapingFormatter`, the trace of a bug
through `escape_traceback`. None of them can tell our newlines from foreign ones: where one line is told of foreign
text, `join_lines` keeps it one.
"""

from __future__ import annotations

import logging
import re
import sys
import traceback
from collections.abc import Iterable
from types import TracebackType

from rich.console import Console
from rich.segment import Segment

_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but for tab and newline
    "\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # direction, line ends, what has no width
    "\ud800-\udfff\U000e0000-\U000e007f]"  # half a character, tags
)


def escape_foreign(text: str) -> str:
    r"""Text without what a terminal obeys or hides, each such character in the form that Python writes it.

    >>> print(escape_foreign("\x1b[31mred \u202eexe.gnp"))
    \x1b[31mred \u202eexe.gnp
    """
    return _STEERING.sub(lambda match: match[0].encode("unicode_escape", "surrogatepass").decode(), text)


def join_lines(text: str) -> str:
    r"""Foreign text as one line that ends where we end it.

    >>> print(join_lines("cannot\n0 failed\r"))
    cannot\n0 failed\r
    """
    return escape_foreign(text).replace("\n", r"\n")


class EscapingConsole(Console):
    """A console that prints every text escaped; its own styles, bars and cursor moves it still makes."""

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        return super()._render_buffer(
            segment if segment.control else Segment(escape_foreign(segment.text), segment.style) for segment in buffer
        )


class EscapingFormatter(logging.Formatter):
    """Log records as escaped lines."""

    def format(self, record: logging.LogRecord) -> str:
        return escape_foreign(super().format(record))


def escape_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """For `sys.excepthook`: the trace of a bug, whose message may be foreign."""
    sys.stderr.write(escape_foreign("".join(traceback.format_exception(kind, error, trace))))
