"""``caption.concrete``: one word of the caption, chosen by concreteness, exchanged for another (ConcretePlant)."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.storage.rows import Anchor, Reject
from counterfoil.tasks.caption.families.exchange import draft_exchanges, verify_exchange
from counterfoil.tasks.caption.families.rewriting import PROMPTS, write_exchanges
from counterfoil.tasks.caption.plan.preparation import PLAN
from counterfoil.tasks.caption.settings import CHOICE_KEYS, PLAN_KEYS, CaptionSettings
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Family

NAME = "caption.concrete"


def make_concrete(anchor: Anchor, context: Context[CaptionSettings]) -> Iterator[Candidate | Reject]:
    """The planned exchanges, in order."""
    yield from draft_exchanges(NAME, anchor, PLAN.of(context).get(anchor.anchor_id, "concrete"), context)


def write_concrete(anchor: Anchor, context: Context[CaptionSettings]) -> Iterator[Candidate | Reject]:
    """The planned keywords, exchanged by a language model.

    Raises:
        AuthorError: the author cannot go on.
    """
    yield from write_exchanges(NAME, anchor, context)


FAMILIES = (
    Family(
        NAME,
        "negative",
        "text",
        paper="Concrete Jungle, App. A.1",
        how="one word, chosen by concreteness, exchanged for another of its kind",
        make=make_concrete,
        verify=verify_exchange,
        count=lambda settings: settings.negatives,
        spare=CaptionSettings.count_spare,
        fluency=lambda settings: settings.fluency,
        uses=(*PLAN_KEYS, *CHOICE_KEYS),
        rates=("concreteness",),
        prepare=PLAN,
        version=17,
        make_llm=write_concrete,
        prompts=PROMPTS,
    ),
)
