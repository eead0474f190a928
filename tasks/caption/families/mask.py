"""``caption.mask``: one word masked and refilled, by a masked language model or with what the source says in like
contexts (AHNPL Sec. 3.1)."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.storage.rows import Anchor, Edit, Reject
from counterfoil.tasks.caption.concreteness import Ratings
from counterfoil.tasks.caption.families.exchange import KINDS, draft_exchanges, verify_exchange
from counterfoil.tasks.caption.families.wording import read_sentence
from counterfoil.tasks.caption.models.masked import open_filler
from counterfoil.tasks.caption.plan.preparation import PLAN
from counterfoil.tasks.caption.settings import CHOICE_KEYS, PLAN_KEYS, CaptionSettings
from counterfoil.tasks.caption.words.replace import find_span, replace_unit
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.rejects import reject_contrast

NAME = "caption.mask"
FILLS = 10
"""Words of the model that are tried for each gap."""


def make_mask(anchor: Anchor, context: Context[CaptionSettings]) -> Iterator[Candidate | Reject]:
    """The model's refills of words in random order, where the recipe names a masked model; else the planned ones."""
    if context.settings.masker:
        for i in context.rng(NAME, anchor.anchor_id).permutation(len(anchor.captions)):
            yield from _ask_model(anchor, anchor.captions[i], context.settings.masker, context)
        yield reject_contrast(NAME, anchor, "exhausted: no word of the model's excludes what it stands for")
        return
    yield from draft_exchanges(NAME, anchor, PLAN.of(context).get(anchor.anchor_id, "mask"), context)


def _ask_model(anchor: Anchor, caption: str, masker: str, context: Context[CaptionSettings]) -> Iterator[Candidate]:
    reading = read_sentence(caption, context.settings)
    sentence, ratings = reading.sentence, Ratings(context.settings.norms, visual=False)
    order = context.rng(NAME, anchor.anchor_id).permutation(len(reading.slots))
    units = [reading.slots[i].unit for i in order]
    spans = [find_span(sentence, unit) for unit in units]
    gaps = [(sentence.text[:start], sentence.text[end:]) for start, end in spans]
    for unit, (start, end), words in zip(units, spans, open_filler(masker).fill(gaps, FILLS), strict=True):
        target = sentence.text[start:end]
        for word in words:
            if word != target.lower():
                edits = (Edit(f"replace_{KINDS[unit.type]}", target, word),)
                yield Draft(text=replace_unit(sentence, unit, word), edits=edits, concreteness=ratings.rate_unit(unit))


FAMILIES = (
    Family(
        NAME,
        "negative",
        "text",
        paper="AHNPL Sec. 3.1",
        how="one word of any part of speech masked and refilled from like contexts",
        make=make_mask,
        verify=verify_exchange,
        count=lambda settings: settings.negatives,
        spare=CaptionSettings.count_spare,
        fluency=lambda settings: settings.fluency,
        uses=(*PLAN_KEYS, *CHOICE_KEYS, "masker"),
        networks=("masker",),
        rates=("concreteness",),
        prepare=PLAN,
        version=17,
    ),
)
