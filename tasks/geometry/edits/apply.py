"""Putting edits into a caption: the changed clause is re-worded in place, everything else stays as it was."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterfoil.storage.rows import Edit
from counterfoil.tasks.geometry.captions.mentions import Claims
from counterfoil.tasks.geometry.captions.read import Clause, ParsedCaption
from counterfoil.tasks.geometry.captions.templates import CaptionStyle
from counterfoil.tasks.geometry.captions.wordings import Wording, list_wordings, word_claims
from counterfoil.tasks.geometry.captions.write import capitalise
from counterfoil.tasks.geometry.edits.proposals import Proposal
from counterfoil.tasks.geometry.facts.predicates import SHAPES


def apply_proposals(
    caption: ParsedCaption,
    proposals: Sequence[Proposal],
    rng: np.random.Generator,
    style: CaptionStyle = "latex",
    known: dict[tuple[Clause, Claims], str] | None = None,
) -> tuple[str, tuple[Edit, ...]]:
    """The edited caption and its edits, in the order of the caption. What clauses became is added to those ``known``,
    and a clause that is to say the same again becomes the same.

    Raises:
        ValueError: a caption has no words for what a proposal claims.
    """
    known = {} if known is None else known
    pieces: list[str] = []
    edits: list[Edit] = []
    position = 0
    for proposal in sorted(proposals, key=lambda each: each.index):
        clause = caption.clauses[proposal.index]
        place = (clause, proposal.claims)
        if place not in known:
            known[place] = reword_clause(clause, proposal.claims, rng, style)
        words = known[place]
        before = caption.text[: clause.start].rstrip()
        words = capitalise(words) if not before or before.endswith(".") else words
        pieces += [caption.text[position : clause.start], words]
        position = clause.end
        edits.append(Edit(proposal.kind, clause.text, words))
    return "".join([*pieces, caption.text[position:]]), tuple(edits)


def reword_clause(clause: Clause, claims: Claims, rng: np.random.Generator, style: CaptionStyle = "latex") -> str:
    """``claims`` in the wording of ``clause`` where they have it, or in one of theirs that fits in its place.

    A shape keeps its form (``in square ABCD``), an equation gives way to an equation: a sentence is made as those of
    captions are.
    """
    old = find_wording(clause, style)
    choices = list_wordings(claims, style)
    known = list_wordings(clause.claims, style)
    alike = [each.predicate for each in claims] == [each.predicate for each in clause.claims]
    shapes = claims[0].predicate in SHAPES and clause.claims[0].predicate in SHAPES
    if old is not None and (alike or shapes) and len(choices) == len(known):
        return choices[known.index(old)].write(claims, style)
    fitting = [each for each in choices if not each.opening]
    fitting = [each for each in fitting if old is None or each.symbolic == old.symbolic] or fitting
    return (
        fitting[int(rng.integers(len(fitting)))].write(claims, style) if fitting else word_claims(claims, style, rng)[0]
    )


def find_wording(clause: Clause, style: CaptionStyle) -> Wording | None:
    """The wording that our own caption used for this clause; None where it is not of our making."""
    for wording in list_wordings(clause.claims, style):
        if wording.write(clause.claims, style).casefold() == clause.text.casefold():
            return wording
    return None
