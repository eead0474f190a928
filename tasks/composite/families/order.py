"""``composite.order``: the halves' places exchanged, where the caption says them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast, Edit, Reject
from counterfoil.tasks.composite.checks import check_alone, list_pairs
from counterfoil.tasks.composite.halves import Composite, Halves, read_composite
from counterfoil.tasks.composite.saying import join_captions
from counterfoil.tasks.composite.settings import CompositeSettings
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import Checks, checked

NAME = "composite.order"


@dataclass(frozen=True)
class Order:
    """Maker and verifier."""

    halves: Halves

    def make(self, anchor: Anchor, context: Context[CompositeSettings]) -> Iterator[Candidate | Reject]:
        """The anchor's captions at each other's places, the one or the other first."""
        made = read_composite(anchor)
        if not made.placed:
            yield reject_contrast(NAME, anchor, "no_places: the caption does not say where the halves are")
            return
        yield from self.sample(anchor, context.rng(NAME, anchor.anchor_id), context.settings.orders, context)

    def sample(
        self, anchor: Anchor, rng: np.random.Generator, count: int, context: Context[CompositeSettings]
    ) -> Sequence[Draft]:
        """The same, drawn anew."""
        made = read_composite(anchor)
        if not made.placed or not self.is_false(made.captions, made, context):
            return ()
        firsts = [int(each) for each in rng.permutation(2)][:count]
        return tuple(Draft(text=say_turned(made, made.captions, first), edits=(name_edit(made),)) for first in firsts)

    def is_false(self, captions: Sequence[str], made: Composite, context: Context[CompositeSettings]) -> bool:
        """Whether each caption is false of the other half."""
        crossed = zip(captions, reversed(made.halves), strict=True)
        return all(self.halves.refutes(text, half, context) is True for text, half in crossed)

    def verify(self, checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[CompositeSettings]) -> None:
        """Captions of the halves at each other's places, each false there."""
        text = check_alone(checks, contrast)
        made = read_composite(anchor)
        checks.require("places_said", made.placed, "the anchor's caption does not say where the halves are")
        checks.require("edits_seen", contrast.edits == (name_edit(made),), "the edit is not the exchange of the places")
        found = next(
            (each for each in list_pairs(made) if text in (say_turned(made, each, 0), say_turned(made, each, 1))), None
        )
        checks.require("places_exchanged", found is not None, "it is not the halves' captions at each other's places")
        assert found is not None
        checks.require(
            "false_of_both", self.is_false(found, made, context), "a caption is not shown false of the other"
        )


def say_turned(made: Composite, captions: Sequence[str], first: int) -> str:
    """The captions of the halves, each at the other's place."""
    assert made.places is not None
    return join_captions(captions, first, (made.places[1], made.places[0]))


def name_edit(made: Composite) -> Edit:
    """The one exchange."""
    assert made.places is not None
    return Edit("place", made.places[0].strip(), made.places[1].strip())


def describe_orders(halves: Halves) -> tuple[Family[CompositeSettings], ...]:
    """The families' entries."""
    one = Order(halves)
    family = Family[CompositeSettings](
        NAME,
        "negative",
        "text",
        paper="CLIC, with places",
        how="the places of two pictures in one exchanged, where the caption says them",
        make=one.make,
        verify=checked(one.verify),
        count=lambda _: None,
        uses=("orders", "sections"),
        changes=lambda *_: {"place"},
        sample=one.sample,
    )
    return (family,)
