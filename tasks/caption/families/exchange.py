"""Captions with one word exchanged: how a planned exchange is written, and how any exchange is judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from counterfoil.storage.rows import Anchor, Contrast, Edit, Grade, Reject
from counterfoil.tasks.caption.checks import check_false_of_scene, check_kept, check_possible, is_scene
from counterfoil.tasks.caption.excluding import prove_exchange
from counterfoil.tasks.caption.families.wording import (
    check_doubts,
    check_meaning,
    check_rating,
    check_replaced,
    check_sentence,
    check_undenied,
    check_unsaid,
    find_replaced,
    read_sentence,
    span_of,
)
from counterfoil.tasks.caption.plan.planner import Proposal
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.caption.words.parse import Sentence, parse_one
from counterfoil.tasks.caption.words.replace import find_span, inflect, replace_unit
from counterfoil.tasks.caption.words.units import Type
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Draft
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import Checks, checked

KINDS: Mapping[Type, str] = {"object": "obj", "attribute": "att", "relation": "rel"}
"""What is exchanged as SugarCrepe (2023) names it: ``replace_obj``, ``swap_att``."""


def draft_exchanges(
    family: str, anchor: Anchor, proposals: list[Proposal], context: Context[CaptionSettings]
) -> Iterator[Draft | Reject]:
    """The captions that proposals make; a reject where there are none, or none is left."""
    for proposal in proposals:
        yield write_exchange(parse_one(anchor.captions[proposal.caption], context.settings.parser), proposal)
    reason = "the proposals are used up" if proposals else "no word of the caption has a replacement that fits as well"
    yield reject_contrast(family, anchor, f"exhausted: {reason}")


def write_exchange(sentence: Sentence, proposal: Proposal) -> Draft:
    """The caption with one word exchanged."""
    unit = proposal.slot.unit
    words = inflect(proposal.lemma, unit)
    start, end = find_span(sentence, unit)
    return Draft(
        text=replace_unit(sentence, unit, words),
        edits=(Edit(f"replace_{KINDS[unit.type]}", sentence.text[start:end], words),),
        concreteness=proposal.rating,
    )


@checked
def verify_exchange(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[CaptionSettings]) -> None:
    """One word exchanged for another that excludes it, in a sentence as sound as before; false of the picture."""
    check_kept(checks, contrast)
    own = check_exchange(checks, contrast, anchor, context)
    check_possible(checks, contrast.text, anchor)
    if not is_scene(anchor):
        checks.grade = grade_exchange(contrast.edits[0], contrast.text, own, context)


def grade_exchange(edit: Edit, text: str | None, anchor: Anchor, context: Context[CaptionSettings]) -> Grade:
    """How far words alone show an exchange in the anchor's caption to be false of its photograph: ``proved`` where
    nothing else can be in the picture that it is true of."""
    found = find_replaced(text, edit, anchor)
    assert found is not None
    before = read_sentence(anchor.caption or "", context.settings)
    place = span_of(before, found.at, len(found.target))
    return "proved" if prove_exchange(before.sentence, found.replacement, place) else "contradicts"


def check_exchange(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[CaptionSettings]) -> Anchor:
    """What is checked of an exchanged word, whether a text or a picture was made of it; the anchor with the caption
    that it was exchanged in as its own."""
    settings = context.settings
    anchor, target, replacement, at = check_replaced(checks, contrast, anchor)
    kinds = {f"replace_{kind}" for kind in KINDS.values()}
    checks.require("kind_named", contrast.edits[0].kind in kinds, contrast.edits[0].kind)
    lexicon = open_lexicon(settings.wordnet)
    before, after = (read_sentence(text or "", settings) for text in (anchor.caption, contrast.text))
    part = check_meaning(checks, target, replacement, at, before, lexicon, is_scene(anchor))
    old, new = span_of(before, at, len(target)), span_of(after, at, len(replacement))
    check_sentence(checks, before, after, [old], [new], lexicon)
    check_unsaid(checks, replacement, part, anchor, lexicon)
    if not is_scene(anchor):
        check_undenied(checks, before)
        check_doubts(checks, target, replacement, at, before, anchor, lexicon)
    check_false_of_scene(checks, contrast.text, anchor)
    check_rating(contrast.concreteness, before, [old], settings)
    return anchor
