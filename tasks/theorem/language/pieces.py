"""An informal statement in pieces: words, mathematics and signs, each with its place, and its sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_PIECE = re.compile(
    r"(?P<math>\$\$.+?\$\$|\$(?:\\\$|[^$])+\$|\\\[.+?\\\]|\\\(.+?\\\)|\\begin\{(?P<env>align\*?|equation\*?|eqnarray\*?|gather\*?)\}.+?\\end\{(?P=env)\})"
    r"|(?P<command>\\[A-Za-z]+\*?(?:\{[^{}]*\})*|\\.)"
    r"|(?P<word>[^\W\d_](?=-[^\W\d_](?![^\W\d_]))|[^\W\d_]+(?:['’\-][^\W\d_]+)*)|(?P<number>\d+(?:[.,]\d+)*)|(?P<sign>\S)",
    re.DOTALL,
)
_ABBREVIATIONS = frozenset({"e.g", "i.e", "resp", "cf", "etc", "vs", "no", "st"})


@dataclass(frozen=True, slots=True)
class Piece:
    """``kind``: ``math``, ``command`` (LaTeX outside of mathematics), ``word``, ``number`` or ``sign``."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def inner(self) -> tuple[int, int]:
        """Where the mathematics itself begins and ends, without what marks it."""
        if self.kind != "math":
            return self.start, self.end
        if self.text.startswith("\\begin"):
            return self.start + self.text.index("}") + 1, self.start + self.text.rindex("\\end")
        edge = 1 if self.text.startswith("$") and not self.text.startswith("$$") else 2
        return self.start + edge, self.end - edge


def split_pieces(text: str) -> list[Piece]:
    """The pieces of a text, in order.

    >>> [piece.text for piece in split_pieces("Let $x > 0$ be real.")]
    ['Let', '$x > 0$', 'be', 'real', '.']
    >>> [piece.text for piece in split_pieces("It is p+q-r, a p-adic one.")][2:-1]
    ['p', '+', 'q', '-', 'r', ',', 'a', 'p-adic', 'one']
    """
    return list(_find_pieces(text))


@lru_cache(maxsize=8192)
def _find_pieces(text: str) -> tuple[Piece, ...]:
    return tuple(Piece(match.lastgroup or "", match.group(), *match.span()) for match in _PIECE.finditer(text))


def split_sentences(text: str) -> list[list[Piece]]:
    """The pieces of each sentence with the sign that ends it. What stands in brackets ends none."""
    sentences: list[list[Piece]] = [[]]
    depth = 0
    pieces = split_pieces(text)
    for i, piece in enumerate(pieces):
        sentences[-1].append(piece)
        depth += piece.text in ("(", "[")
        depth -= piece.text in (")", "]") and depth > 0
        following = pieces[i + 1] if i + 1 < len(pieces) else None
        if depth or following is None or text[piece.end : piece.end + 1].strip():
            continue
        if _ends(piece, pieces[i - 1] if i else None, following):
            sentences.append([])
    return [each for each in sentences if each]


def _ends(piece: Piece, before: Piece | None, following: Piece) -> bool:
    begins = following.text[:1].isupper() or following.kind in ("math", "command") or following.text in ("(", "[")
    if piece.kind == "math":
        inner = piece.text.rstrip("$]) \n").rstrip("\\")
        return inner.endswith((".", "?")) and following.text[:1].isupper()
    if piece.text not in (".", "?", "!") or not begins:
        return False
    return before is None or before.text.lower() not in _ABBREVIATIONS
