"""The condition language of Geometry3K's formal statements (FormalGeo CDL): ``Equal(LengthOfLine(AB),2*x-14)``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


class CdlError(ValueError):
    """A formal statement that cannot be read."""


@dataclass(frozen=True, slots=True)
class Statement:
    """``name(parts)``; a bare word or an expression has no parts."""

    name: str
    parts: tuple[Statement, ...] = ()
    bare: bool = False

    @property
    def letters(self) -> str:
        """The point names of the first part, as one string."""
        return self.parts[0].name if self.parts else ""


_CALL = re.compile(r"^([A-Z][A-Za-z]*)\((.*)\)$", re.DOTALL)


def parse_statement(text: str) -> Statement:
    """Read one statement.

    Raises:
        CdlError: brackets do not match or the text is empty.
    """
    stripped = text.strip()
    if not stripped:
        raise CdlError("an empty statement")
    call = _CALL.match(stripped)
    if call is None or not _is_whole(stripped):
        if stripped.count("(") != stripped.count(")"):
            raise CdlError(f"{text!r}: brackets do not match")
        return Statement(stripped, bare=True)
    return Statement(call[1], tuple(parse_statement(part) for part in _split(call[2], text)))


def _is_whole(text: str) -> bool:
    """Whether the first bracket closes at the very end: ``F(a)``, not ``F(a)+G(b)``."""
    depth = 0
    for i, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and letter == ")":
            return i == len(text) - 1
    return False


def _split(text: str, whole: str) -> Iterator[str]:
    depth, start = 0, 0
    for i, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter == "," and depth == 0:
            yield text[start:i]
            start = i + 1
    if depth != 0:
        raise CdlError(f"{whole!r}: brackets do not match")
    yield text[start:]
