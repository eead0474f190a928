"""``composite.sentences``: the captions of a composite in another order, and others of it (CLIC's p2 to p4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.composite.checks import check_alone, list_pairs
from counterfoil.tasks.composite.halves import Halves, read_composite
from counterfoil.tasks.composite.settings import CompositeSettings
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.verdict import Checks, checked

NAME = "composite.sentences"


@dataclass(frozen=True)
class Sentences:
    """Maker and verifier."""

    halves: Halves

    def make(self, anchor: Anchor, context: Context[CompositeSettings]) -> Iterator[Candidate | Reject]:
        """The anchor's captions in the other order, then other captions."""
        return iter(self.sample(anchor, context.rng(NAME, anchor.anchor_id), context.settings.sentences, context))

    def sample(
        self, anchor: Anchor, rng: np.random.Generator, count: int, context: Context[CompositeSettings]
    ) -> Sequence[Draft]:
        """The same, drawn anew."""
        del context
        return tuple(islice(propose(anchor, rng), count))

    def verify(self, checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[CompositeSettings]) -> None:
        """True captions of both halves, where they belong."""
        text = check_alone(checks, contrast)
        checks.require("another_text", text != anchor.caption, "it is the anchor's caption")
        checks.require("edits_named", not contrast.edits, "nothing is exchanged")
        made = read_composite(anchor)
        found = next((each for each in list_pairs(made) if text in (made.say(each, 0), made.say(each, 1))), None)
        checks.require("captions_joined", found is not None, "it is not the halves' captions, joined")
        assert found is not None
        true = [
            self.halves.refutes(each, half, context) is False for each, half in zip(found, made.halves, strict=True)
        ]
        checks.require("true_of_both", all(true), "a caption is not shown true of its half")


def propose(anchor: Anchor, rng: np.random.Generator) -> Iterator[Draft]:
    """Texts that are not the anchor's own: its captions turned round first."""
    made = read_composite(anchor)
    own, *others = list_pairs(made)
    yield Draft(text=made.say(own, 1 - made.first))
    for place in rng.permutation(len(others)):
        yield Draft(text=made.say(others[int(place)], int(rng.integers(2))))


def describe_sentences(halves: Halves) -> tuple[Family[CompositeSettings], ...]:
    """The families' entries."""
    one = Sentences(halves)
    family = Family[CompositeSettings](
        NAME,
        "positive",
        "text",
        paper="CLIC",
        how="the captions of two pictures in one in another order, and other captions of them",
        make=one.make,
        verify=checked(one.verify),
        count=lambda _: None,
        uses=("sentences", "sections"),
        sample=one.sample,
    )
    return (family,)
