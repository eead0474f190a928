"""What a claim says only under a condition: ``C if H``, ``C whenever H``, ``C for all x`` as H and C apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from counterfoil.tasks.theorem.language.grammar import Clause, Statement
from counterfoil.tasks.theorem.language.pieces import Piece, split_pieces

_LEADS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("if",), "if"),
    (("whenever",), "if"),
    (("when",), "if"),
    (("provided", "that"), "if"),
    (("provided",), "if"),
    (("given", "that"), "if"),
    (("assuming", "that"), "if"),
    (("assuming",), "if"),
    (("for", "all"), "for"),
    (("for", "any"), "for"),
    (("for", "every"), "for"),
    (("for", "each"), "for"),
)
_BOTH_WAYS = frozenset({"only", "iff", "exactly", "precisely", "equivalent", "unless"})
"""With one of these a condition is no mere condition."""


@lru_cache(maxsize=8192)
def move_conditions(statement: Statement) -> Statement:
    """The statement with what follows its conclusion, or its question, as a condition among its hypotheses."""
    clauses: list[Clause] = []
    for clause in statement.clauses:
        clauses += _split(statement.text, clause) if clause.role in ("conclusion", "question") else [clause]
    return replace(statement, clauses=tuple(clauses))


def _split(text: str, clause: Clause) -> Iterator[Clause]:
    pieces = [piece for piece in split_pieces(text[: clause.end]) if piece.start >= clause.start]
    words = [piece.text.lower() for piece in pieces]
    found = [] if _BOTH_WAYS & set(words) else list(_find_leads(words))
    starts = [at for at, _, _ in found]
    for (at, size, lead), stop in zip(found, [*starts[1:], len(pieces)][: len(found)], strict=True):
        part = _strip(pieces[at + size : stop])
        if not part:
            yield clause
            return
        yield Clause("hypothesis", lead, part[0].start, part[-1].end)
    kept = _strip(pieces[: starts[0]]) if starts else pieces
    yield replace(clause, start=kept[0].start, end=kept[-1].end) if kept else clause


def _find_leads(words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Where a condition begins, after how many words, and which it is; none within brackets."""
    depth, at, conditional = 0, 0, False
    while at < len(words):
        depth += words[at] in ("(", "[")
        depth -= words[at] in (")", "]")
        lead = next((each for each in _LEADS if tuple(words[at : at + len(each[0])]) == each[0]), None)
        # "C if H for all x": what follows the condition is a part of it.
        inside = lead is not None and lead[1] == "for" and conditional
        if lead is not None and at and not depth and not inside:
            conditional = conditional or lead[1] == "if"
            yield at, len(lead[0]), lead[1]
            at += len(lead[0])
        else:
            at += 1


def _strip(pieces: Sequence[Piece]) -> list[Piece]:
    """Without commas at its ends."""
    kept = list(pieces)
    while kept and kept[-1].text in (",", ";", ":"):
        kept.pop()
    while kept and kept[0].text in (",", ";", ":"):
        kept.pop(0)
    return kept
