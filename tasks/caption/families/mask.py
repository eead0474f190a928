"""``caption.mask``: one word masked and refilled with what the source says in like contexts (AHNPL Sec. 3.1)."""

from __future__ import annotations

from collections.abc import Iterator

from storage.rows import Anchor, Reject
from tasks.caption.families.concrete import draft_exchanges, verify_exchange
from tasks.caption.plan.preparation import PLAN
from tasks.caption.settings import PLAN_KEYS, CaptionSettings
from tasks.contract.context import Context
from tasks.contract.family import Candidate, Family

NAME = "caption.mask"


def make_mask(anchor: Anchor, context: Context[CaptionSettings]) -> Iterator[Candidate | Reject]:
    """The planned refills, in order."""
    yield from draft_exchanges(NAME, anchor, PLAN.of(context).get(anchor.anchor_id, "mask"), context)


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
        uses=PLAN_KEYS,
        prepare=PLAN,
        version=2,
    ),
)
