"""How books speak of numbers without a letter for each: ``The sum of two odd integers is even``, ``so is $n$``."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from counterfoil.tasks.theorem.algebra.tree import Term, number
from counterfoil.tasks.theorem.language.pieces import Piece
from counterfoil.tasks.theorem.lean.signature import UnstatedError

EVERY = frozenset({"every", "each", "any", "all"})
NOUNS = frozenset({"number", "integer", "expression", "quantity", "value", "product", "sum", "difference"})
"""What may stand before a term and says nothing of it: ``the number $n^2 + n$``."""
_OPERATIONS = {"sum": "add", "product": "mul", "difference": "sub"}
_POWERS = {"square": 2, "cube": 3}
_COUNTS = {"two": 2, "three": 3}
_BOTH_WAYS = (("if", "and", "only", "if"), ("iff",), ("exactly", "when"), ("precisely", "when"))


@dataclass(frozen=True)
class Operation:
    """``the sum of two consecutive``: what is done to how many numbers, and after how many pieces their kind stands."""

    head: str
    count: int
    consecutive: bool
    size: int

    def apply(self, names: Sequence[str]) -> Term:
        """The term, of the first numbers of a row or of numbers that have nothing to do with each other.

        >>> Operation("sum", 2, True, 5).apply(["n"]).head
        'add'
        """
        if self.consecutive:
            first = Term("var", name=names[0])
            given = [first, *(Term("add", (first, number(i))) for i in range(1, self.count))]
        else:
            given = [Term("var", name=name) for name in names]
        if self.head in _POWERS:
            return Term("pow", (given[0], number(_POWERS[self.head])))
        return functools.reduce(lambda one, two: Term(_OPERATIONS[self.head], (one, two)), given)


def read_operation(words: Sequence[str]) -> Operation | None:
    """What the words say is done to numbers that have no names; None where they say something else.

    >>> read_operation("the square of an odd integer is odd".split())
    Operation(head='square', count=1, consecutive=False, size=4)
    """
    if list(words[:1]) != ["the"] or list(words[2:3]) != ["of"] or words[1] not in (*_OPERATIONS, *_POWERS):
        return None
    at = 3
    if words[at : at + 1] and words[at] in EVERY and words[at + 1 : at + 2] and words[at + 1] in _COUNTS:
        at += 1
    word = words[at] if at < len(words) else ""
    count = _COUNTS.get(word, 1 if word in ("a", "an", *EVERY) else 0)
    consecutive = list(words[at + 1 : at + 2]) == ["consecutive"]
    if (
        not count
        or (count > 1) != (words[1] in _OPERATIONS)
        or (words[1] == "difference" and (count > 2 or consecutive))
    ):
        return None
    return Operation(words[1], count, consecutive, at + 1 + consecutive)


def list_fresh(text: str, count: int) -> list[str]:
    """Letters that the text does not use.

    >>> list_fresh("Of $x$ and a number", 3)
    ['y', 'z', 'u']
    """
    used = set(re.findall(r"(?<![A-Za-z])[a-z](?![A-Za-z])", text))
    return [each for each in "xyzuvwpqrstmnk" if each not in used][:count]


def join(terms: Sequence[Term]) -> Term:
    """All of them as one term.

    Raises:
        UnstatedError: there is none.
    """
    if not terms:
        raise UnstatedError("a side that says nothing")
    return functools.reduce(lambda one, two: Term("and", (one, two)), terms)


def split_equivalence(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The two sides of ``if and only if``, or the pieces as they are."""
    words = [piece.text.lower() for piece in pieces]
    for lead in _BOTH_WAYS:
        for at in range(1, len(words)):
            if tuple(words[at : at + len(lead)]) == lead:
                return [list(pieces[:at]), list(pieces[at + len(lead) :])]
    return [list(pieces)]


def split_alternatives(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The parts between ``or``, or the pieces as they are.

    Raises:
        UnstatedError: what belongs to which alternative cannot be told.
    """
    parts: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece.text.lower() == "or":
            parts.append([])
        else:
            parts[-1].append(piece)
    if len(parts) > 1:
        if any(piece.text.lower() in ("and", ",", ";") for piece in pieces):
            raise UnstatedError("alternatives beside other facts")
        parts = [[piece for piece in part if piece.text.lower() != "either"] for part in parts]
    return parts


def replace_so(pieces: Sequence[Piece], condition: Sequence[Piece]) -> list[Piece]:
    """``so is $n$`` with what the condition says last of its subject: ``$n$ is even``.

    Raises:
        UnstatedError: the condition says it of nothing.
    """
    if len(pieces) < 3 or pieces[0].text.lower() != "so" or pieces[1].text.lower() not in ("is", "are"):
        return list(pieces)
    verbs = [i for i, piece in enumerate(condition) if piece.text.lower() in ("is", "are")]
    if len(verbs) != 1 or len(pieces) != 3:
        raise UnstatedError("what is said with 'so'")
    verb = Piece("word", "is", pieces[1].start, pieces[1].end)
    return [pieces[2], verb, *condition[verbs[0] + 1 :]]
