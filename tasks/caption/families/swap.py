"""``caption.swap``: two nouns, or two attributes, change places (AHNPL Sec. 3.1)."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.storage.rows import Anchor, Contrast, Edit, Reject
from counterfoil.tasks.caption.checks import check_false_of_scene, check_kept, check_possible, is_scene
from counterfoil.tasks.caption.excluding import changes_places
from counterfoil.tasks.caption.families.exchange import KINDS
from counterfoil.tasks.caption.families.wording import (
    check_rating,
    check_sentence,
    check_swappable,
    check_swapped,
    check_undenied,
    read_sentence,
    span_of,
)
from counterfoil.tasks.caption.plan.planner import Proposal
from counterfoil.tasks.caption.plan.preparation import PLAN
from counterfoil.tasks.caption.settings import CHOICE_KEYS, PLAN_KEYS, CaptionSettings
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.caption.words.parse import Sentence, parse
from counterfoil.tasks.caption.words.replace import find_span, replace_unit
from counterfoil.tasks.caption.words.units import Unit
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import Checks, checked

NAME = "caption.swap"


def make_swap(anchor: Anchor, context: Context[CaptionSettings]) -> Iterator[Candidate | Reject]:
    """The planned pairs, in order."""
    proposals = PLAN.of(context).get(anchor.anchor_id, "swap")
    for proposal in proposals:
        yield write_swap(next(parse([anchor.captions[proposal.caption]], context.settings.parser)), proposal)
    reason = "the pairs are used up" if proposals else "no two words can change places and be as usual there"
    yield reject_contrast(NAME, anchor, f"exhausted: {reason}")


def write_swap(sentence: Sentence, proposal: Proposal) -> Draft:
    """The caption with two of its words in each other's place."""
    assert proposal.other is not None
    first, second = proposal.slot.unit, proposal.other.unit
    words = [sentence.text[slice(*find_span(sentence, unit))] for unit in (first, second)]
    # The later one first, so that the earlier one stays where it is; capitals belong to the place, not to the word.
    half = replace_unit(sentence, second, _lower(words[0], sentence, first))
    head = Sentence(half, sentence.tokens[: first.last + 1])
    return Draft(
        text=replace_unit(head, first, words[1]),
        edits=(Edit(f"swap_{KINDS[first.type]}", words[0], words[1]),),
        concreteness=proposal.rating,
    )


def _lower(words: str, sentence: Sentence, unit: Unit) -> str:
    return words[:1].lower() + words[1:] if find_span(sentence, unit)[0] == 0 else words


@checked
def verify_swap(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[CaptionSettings]) -> None:
    """Two words of a sort in each other's place, in a sentence as sound as before; false of the picture."""
    check_kept(checks, contrast)
    anchor, a, b = check_swapped(checks, contrast, anchor)
    checks.require("kind_named", contrast.edits[0].kind in ("swap_obj", "swap_att"), contrast.edits[0].kind)
    settings = context.settings
    lexicon = open_lexicon(settings.wordnet)
    before, after = (read_sentence(text or "", settings) for text in (anchor.caption, contrast.text))
    check_swappable(checks, a, b, before, lexicon, is_scene(anchor))
    lengths = a[1] - a[0] + 1, b[1] - b[0] + 1
    old = [span_of(before, a[0], lengths[0]), span_of(before, b[0], lengths[1])]
    new = [span_of(after, a[0], lengths[1]), span_of(after, b[0] + lengths[1] - lengths[0], lengths[0])]
    check_sentence(checks, before, after, old, new, lexicon)
    if not is_scene(anchor):
        check_undenied(checks, before)
    said = [caption for caption in anchor.captions if caption.casefold() == (contrast.text or "").casefold()]
    checks.require("unsaid_elsewhere", not said, "another caption says just that")
    check_false_of_scene(checks, contrast.text, anchor)
    check_possible(checks, contrast.text, anchor)
    check_rating(contrast.concreteness, before, old, settings)
    if not is_scene(anchor) and not changes_places(before.sentence, *old):
        checks.grade = "contradicts"


FAMILIES = (
    Family(
        NAME,
        "negative",
        "text",
        paper="AHNPL Sec. 3.1",
        how="two nouns or two attributes of the caption change places",
        make=make_swap,
        verify=verify_swap,
        count=lambda settings: settings.negatives,
        spare=CaptionSettings.count_spare,
        fluency=lambda settings: settings.fluency,
        uses=(*PLAN_KEYS, *CHOICE_KEYS),
        rates=("concreteness",),
        prepare=PLAN,
        version=11,
    ),
)
