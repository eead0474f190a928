"""Reads a source file line by line, so that a bad byte costs one row and not the run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

from counterfoil.tasks.contract.domain import SourceError

_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
"""How files in UTF-16 begin."""


def open_text(path: str, kind: str, newline: str | None = None) -> IO[str]:
    """The file as UTF-8 text, with or without a byte-order mark. Bytes that are no UTF-8 stay in the text as lone
    surrogates, which `find_bad_text` finds in the row that has them.

    Raises:
        SourceError: there is no such file, it cannot be opened, or it is UTF-16.
    """
    try:
        with Path(path).open("rb") as stream:
            begins = stream.read(2)
        if begins in _WIDE_MARKS:
            raise SourceError(f"{kind}:{path}: is UTF-16; save it as UTF-8")
        return Path(path).open(encoding="utf-8-sig", errors="surrogateescape", newline=newline)
    except OSError as error:
        raise SourceError(f"{kind}:{path}: {error.strerror}. Give the path of a {kind} file.") from error


def iterate_lines(path: str, kind: str) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers.

    Raises:
        SourceError: see `open_text`; or no line holds anything.
    """
    empty = True
    with open_text(path, kind) as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                empty = False
                yield number, line
    if empty:
        raise SourceError(f"{kind}:{path}: the file is empty")


def find_bad_text(text: str) -> str | None:
    """What keeps ``text`` from being written as UTF-8, in words, or None."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        if 0xDC80 <= code <= 0xDCFF:
            return f"not UTF-8 (byte {code - 0xDC00:#04x} at character {error.start + 1}); save the file as UTF-8"
        return f"\\u{code:04x} is half a character"
    return None


def make_printable(text: str, most: int = 2000) -> str:
    """``text``, cut, with what cannot be written as UTF-8 spelt out."""
    return text[:most].encode("utf-8", "backslashreplace").decode("utf-8")
