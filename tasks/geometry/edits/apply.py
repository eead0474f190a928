"""Putting edits into a caption: the changed clause is re-worded in place, everything else stays as it was."""

from __future__ import annotations

from collections.abc import Sequence

from storage.rows import Edit, Fact
from tasks.geometry.captions.read import Clause, ParsedCaption
from tasks.geometry.captions.wordings import word_claims
from tasks.geometry.edits.proposals import Proposal

_STYLES = 12
"""Enough to meet every wording of every predicate (the least common multiple of 2, 3 and 4)."""


def apply_proposals(reading: ParsedCaption, proposals: Sequence[Proposal]) -> tuple[str, tuple[Edit, ...]]:
    """The edited caption and its edits, in the order of the caption.

    Raises:
        ValueError: a caption has no words for what a proposal claims.
    """
    pieces: list[str] = []
    edits: list[Edit] = []
    position = 0
    for proposal in sorted(proposals, key=lambda each: each.index):
        clause = reading.clauses[proposal.index]
        words = reword_clause(clause, proposal.claims)
        pieces += [reading.text[position : clause.start], words]
        position = clause.end
        edits.append(Edit(proposal.kind, clause.text, words))
    return "".join([*pieces, reading.text[position:]]), tuple(edits)


def reword_clause(clause: Clause, claims: tuple[Fact, ...]) -> str:
    """``claims`` in the wording of ``clause``, as far as its kind of claim has that wording."""
    words = word_claims(claims, find_style(clause))
    starts_sentence = clause.text[0].isupper() and clause.text[1:2].islower()
    return words[0].upper() + words[1:] if starts_sentence and words[0].islower() else words


def find_style(clause: Clause) -> int:
    """The style in which our own caption worded this clause; 0 where it is not of our making."""
    for style in range(_STYLES):
        try:
            words = word_claims(clause.claims, style)
        except ValueError:
            return 0
        if words.casefold() == clause.text.casefold():
            return style
    return 0
