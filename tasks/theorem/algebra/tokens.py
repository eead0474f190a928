"""Tokens with their places, and a reader's place among them: what readers of LaTeX and of Lean share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Token:
    """``kind`` is what its language tells apart: ``number``, ``name``, ``command``, ``letter``, ``sign``."""

    kind: str
    text: str
    start: int
    end: int


class Cursor(ABC):
    """A place among tokens. ``end`` is where the source ends."""

    def __init__(self, tokens: Sequence[Token], end: int) -> None:
        self.tokens, self.at = list(tokens), 0
        self._end = end
        self._bars = 0

    @property
    def text(self) -> str:
        """The text of the next token; empty at the end."""
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    @property
    def place(self) -> int:
        return self.tokens[self.at].start if self.at < len(self.tokens) else self._end

    @property
    def last_end(self) -> int:
        return self.tokens[self.at - 1].end if self.at else 0

    @abstractmethod
    def fail(self, what: str) -> Exception:
        """The error that ``what`` is wrong here."""

    def take(self, text: str) -> None:
        """Go past the token ``text``."""
        if self.text != text:
            raise self.fail(f"expected {text!r}")
        self.at += 1

    def expect_end(self) -> None:
        """Raise an error if anything is left."""
        if self.at < len(self.tokens):
            raise self.fail("something is left over")
