"""The domain of composites: two anchors of another domain in one picture, with their captions joined (CLIC)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.composite.anchors import check_anchor, check_joined, make_anchors, name_anchor
from counterfoil.tasks.composite.families import exchange, order, sentences
from counterfoil.tasks.composite.halves import Halves, read_composite
from counterfoil.tasks.composite.settings import DRAWING, CompositeSettings
from counterfoil.tasks.composite.sources import read_dataset, read_own
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import Domain, Source, list_sources
from counterfoil.tasks.contract.family import list_families
from counterfoil.tasks.contract.verdict import CheckError, Checks, checked


def build(load: Callable[[str], Domain[Any]]) -> Domain[CompositeSettings]:
    """The domain; ``load`` finds the domains of the halves by name."""
    halves = Halves(load)

    def judges(anchor: Anchor) -> bool:
        try:
            half = read_composite(anchor).halves[0]
        except CheckError:
            return True
        return load(half.domain).judges(half)

    def verify_anchor(checks: Checks, anchor: Anchor, context: Context[CompositeSettings]) -> None:
        check_anchor(checks, anchor, context, halves)

    def verify_picture(checks: Checks, anchor: Anchor, _: Any) -> None:
        check_joined(checks, anchor)

    return Domain[CompositeSettings](
        name="composite",
        version=10,
        settings_type=CompositeSettings,
        sources=list_sources(
            [
                Source[CompositeSettings](
                    "procedural",
                    "N",
                    "N pictures, each of two anchors of our own of one domain",
                    read=partial(read_own, halves),
                    make_anchors=partial(make_anchors, halves),
                    anchors=("picture of two", "pictures of two"),
                    options=("halves", "sections", "placed"),
                ),
                Source[CompositeSettings](
                    "dataset",
                    "PATH",
                    "the anchors of a dataset that was made before, two and two of one domain and split",
                    read=partial(read_dataset, halves),
                    make_anchors=partial(make_anchors, halves),
                    anchors=("picture of two", "pictures of two"),
                    splits=True,
                ),
            ]
        ),
        families=list_families(
            [
                *exchange.describe_exchanges(halves),
                *order.describe_orders(halves),
                *sentences.describe_sentences(halves),
            ]
        ),
        anchor_uses=DRAWING,
        verify_anchor=checked(verify_anchor),
        name_anchor=name_anchor,
        refutes=halves.refutes_all,
        questions=lambda _: (),
        judges=judges,
        verify_picture=checked(verify_picture),
        shard_size=64,
        runs_scripts=True,
        example={"source": "procedural:6"},
        card_tasks=("image-to-text", "zero-shot-image-classification"),
        retrieval=False,
    )
