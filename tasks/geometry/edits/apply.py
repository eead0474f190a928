"""Putting edits into a caption: the changed clause is re-worded in place, everything else stays as it was.

What leans on its sentence (``whose diagonals AC and BD meet at O``) may mean something else once the sentence is
edited, or fit it no more. So an edited caption is read back, and where it does not say what it was to say, such clauses
are spelt out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from counterfoil.storage.rows import Edit, Fact
from counterfoil.tasks.geometry.captions.atoms import ClaimError
from counterfoil.tasks.geometry.captions.mentions import Claims
from counterfoil.tasks.geometry.captions.read import Clause, ParsedCaption, parse_claims
from counterfoil.tasks.geometry.captions.templates import CaptionStyle
from counterfoil.tasks.geometry.captions.wordings import Wording, list_all, list_wordings, pick_usual, word_claims
from counterfoil.tasks.geometry.captions.write import capitalise
from counterfoil.tasks.geometry.edits.proposals import Proposal
from counterfoil.tasks.geometry.facts.predicates import SHAPES
from counterfoil.tasks.geometry.figure.claims import list_meanings

Words = dict[tuple[Clause, Claims, bool], str]
"""What clauses became, spelt out or not: who says the same says it alike."""
_LEANING = frozenset(("its", "whose", "with", "on"))
_FIND_LEANING = re.compile(r"(?:^with|^whose|\bits) |^[A-Z] (?:on|the) ", re.IGNORECASE)
_AND_ITS = re.compile(r"and its\b")
_GOES_BACK = re.compile(r"(?:and )?(?:its|whose)\b")


class WordingError(ValueError):
    """A caption has no words for what it is to say; the message is why, in words for the anchor's shortfall."""


def apply_proposals(
    caption: ParsedCaption,
    proposals: Sequence[Proposal],
    rng: np.random.Generator,
    style: CaptionStyle = "latex",
    known: Words | None = None,
) -> tuple[str, tuple[Edit, ...]]:
    """The edited caption, which reads as what it is to say, and its edits in the order of the caption. What clauses
    became is added to those ``known``, and a clause that is to say the same again becomes the same.

    Raises:
        WordingError: a caption has no words for what a proposal claims, or they would be read otherwise.
    """
    known = {} if known is None else known
    changed = {proposal.index: proposal for proposal in proposals}
    meaning = list_meanings(
        claim
        for index, clause in enumerate(caption.clauses)
        for claim in (changed[index].claims if index in changed else clause.claims)
    )
    if not _opens_well(caption, changed, style):
        raise WordingError("not of the shape that it opens with")
    for spelt_out in (True,) if _strands(caption, changed) else (False, True):
        text, edits = _apply(caption, changed, rng, style, known, spelt_out)
        if not _leans(caption) or _reads_as(text, meaning):
            return text, edits
    raise WordingError("reads otherwise")


def _count_beyond(said: Claims, shape: Claims) -> int:
    r"""How many letters are none of the shape's: ``In \triangle CAD, BG bisects \angle CBA`` is of another one."""
    return len({name for claim in said for name in claim.arguments}.difference(*(claim.arguments for claim in shape)))


def _strands(caption: ParsedCaption, changed: dict[int, Proposal]) -> bool:
    r"""Whether ``its`` would lose what it goes back to: ``PN is tangent to \odot O, and its radius is 7``."""
    for index, clause in enumerate(caption.clauses[:-1]):
        after = caption.clauses[index + 1]
        if index in changed and _GOES_BACK.match(after.text) and "." not in caption.text[clause.end : after.start]:
            sorts = [[claim.predicate for claim in claims] for claims in (clause.claims, changed[index].claims)]
            if sorts[0] != sorts[1] and clause.claims[0].predicate not in SHAPES:
                return True
    return False


def _leans(caption: ParsedCaption) -> bool:
    """Whether one of the clauses says something of what its sentence is about."""
    return any(_FIND_LEANING.search(clause.text) for clause in caption.clauses)


def _reads_as(text: str, meaning: frozenset[Fact]) -> bool:
    try:
        return list_meanings(parse_claims(text)) == meaning
    except ClaimError:
        return False


def _opens_well(caption: ParsedCaption, changed: dict[int, Proposal], style: CaptionStyle) -> bool:
    """Whether what is said in a shape is still about it: ``In square ABCD, ...`` names two of its corners."""
    for index, clause in enumerate(caption.clauses[:-1]):
        if not {index, index + 1} & changed.keys() or clause.claims[0].predicate not in SHAPES:
            continue
        wording = find_wording(clause, style)
        if wording is None or not wording.opening:
            continue
        shape, said = (changed[i].claims if i in changed else caption.clauses[i].claims for i in (index, index + 1))
        ring = {*shape[0].arguments}
        if not all(len(ring & {*claim.arguments}) >= min(2, len(claim.arguments)) for claim in said):
            return False
        if _count_beyond(said, shape) > _count_beyond(caption.clauses[index + 1].claims, clause.claims):
            return False
    return True


def _apply(
    caption: ParsedCaption,
    changed: dict[int, Proposal],
    rng: np.random.Generator,
    style: CaptionStyle,
    known: Words,
    spelt_out: bool,
) -> tuple[str, tuple[Edit, ...]]:
    pieces: list[str] = []
    edits: list[Edit] = []
    position = 0
    kind = next(iter(changed.values())).kind if changed else ""
    for index, clause in enumerate(caption.clauses):
        proposal = changed.get(index)
        if proposal is None:
            wording = find_wording(clause, style) if spelt_out else None
            if wording is None or wording.frame not in _LEANING:
                continue
            proposal = Proposal(kind, index, clause.claims)
        place = (clause, proposal.claims, spelt_out)
        if place not in known:
            known[place] = reword_clause(clause, proposal.claims, rng, style, spelt_out)
        words = known[place]
        before = caption.text[: clause.start].rstrip()
        words = capitalise(words) if not before or before.endswith(".") else words
        pieces += [caption.text[position : clause.start], words]
        position = clause.end
        if words != clause.text:
            edits.append(Edit(proposal.kind, clause.text, words))
    return "".join([*pieces, caption.text[position:]]), tuple(edits)


def reword_clause(
    clause: Clause, claims: Claims, rng: np.random.Generator, style: CaptionStyle = "latex", spelt_out: bool = False
) -> str:
    """``claims`` in the wording of ``clause`` where they have it, or in one of theirs that fits in its place.

    A shape keeps its form (``in square ABCD``), an equation gives way to an equation: a sentence is made as those of
    captions are. What leans on its sentence (``whose ...``) goes on to do so unless it is to be spelt out.
    """
    if _AND_ITS.match(clause.text):
        # The reader takes ``and its radius is 10`` for one clause: its ``and`` stays, whatever follows.
        return f"and {reword_clause(_cut(clause, 'and '), claims, rng, style, spelt_out)}"
    old = find_wording(clause, style)
    if old is None and clause.text.startswith("with "):
        # An equation that hangs on the clause before by its ``with``; what is no equation hangs on it otherwise.
        words = reword_clause(_cut(clause, "with "), claims, rng, style, spelt_out)
        return f"with {words}" if " = " in words else f"such that {words}"
    frame = old.frame if old is not None else "clause"
    if frame in _LEANING and old is not None:
        leaning = [each for each in list_all(claims, style) if each.frame == frame]
        if leaning and not spelt_out:
            same = [each for each in leaning if each == old]
            return (same or leaning)[0 if same else int(rng.integers(len(leaning)))].write(claims, style)
        words = _word(claims, rng, style, old)
        return words if frame in ("its", "on") else f"where {words}"
    choices = list_wordings(claims, style)
    known = list_wordings(clause.claims, style)
    alike = [each.predicate for each in claims] == [each.predicate for each in clause.claims]
    shapes = claims[0].predicate in SHAPES and clause.claims[0].predicate in SHAPES
    if old is not None and (alike or shapes) and len(choices) == len(known):
        return choices[known.index(old)].write(claims, style)
    return _word(claims, rng, style, old)


def _cut(clause: Clause, joint: str) -> Clause:
    """The clause without the word that it begins with."""
    return replace(clause, start=clause.start + len(joint), text=clause.text[len(joint) :])


def _word(claims: Claims, rng: np.random.Generator, style: CaptionStyle, old: Wording | None) -> str:
    fitting = [each for each in list_wordings(claims, style) if not each.opening]
    fitting = [each for each in fitting if old is None or each.symbolic == old.symbolic] or fitting
    if fitting:
        return pick_usual(fitting, rng).write(claims, style)
    try:
        return word_claims(claims, style, rng)[0]
    except ValueError as error:
        raise WordingError("no words") from error


def find_wording(clause: Clause, style: CaptionStyle) -> Wording | None:
    """The wording that our own caption used for this clause; None where it is not of our making."""
    text = _cut(clause, "and ").text if _AND_ITS.match(clause.text) else clause.text
    for wording in list_all(clause.claims, style):
        if wording.write(clause.claims, style).casefold() == text.casefold():
            return wording
    return None
