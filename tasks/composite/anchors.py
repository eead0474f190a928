"""Composites as anchors: made of two, and checked by cutting the picture apart and asking the halves' own verifier."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from counterfoil.storage.rows import Anchor, Fact, Image, Reject, content_id
from counterfoil.tasks.composite.halves import LANGUAGE, Composite, Halves, read_composite
from counterfoil.tasks.composite.picture import join_pictures, read_pixels, write_pixels
from counterfoil.tasks.composite.settings import CompositeSettings
from counterfoil.tasks.composite.sources import DATASET, make_halves, name_pair, take_halves
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.contract.rejects import reject_source
from counterfoil.tasks.contract.verdict import Checks


def make_anchors(halves: Halves, row: SourceRow, context: Context[CompositeSettings]) -> Iterator[Anchor | Reject]:
    """The composite of a row's two anchors: which is where, and whose caption is first, is drawn."""
    found = take_halves(row) if row.source == DATASET else make_halves(halves, row, context)
    for each in found:
        if isinstance(each, Reject):
            yield reject_source("composite", row, *each.reasons)
            return
    drawn = draw_order(row.source_id, context)
    one, other = (found[place] for place in drawn.order)
    assert isinstance(one, Anchor) and isinstance(other, Anchor)
    pixels = [read_pixels(each.image.bytes if each.image else b"") for each in (one, other)]
    sizes = [(each.shape[1], each.shape[0]) for each in pixels]
    beside = drawn.beside
    placed = drawn.placed or halves.share_names(one, other)
    made = Composite((one, other), (sizes[0], sizes[1]), beside, drawn.first, placed)
    caption, code = made.say(made.captions), made.write()
    anchor_id = content_id("composite", code)
    yield Anchor(
        anchor_id=anchor_id,
        domain="composite",
        source=row.source,
        source_id=row.source_id,
        split=row.split,
        image=Image(write_pixels(join_pictures(pixels, beside)), f"{anchor_id}.png"),
        caption=caption,
        captions=(caption,),
        code=code,
        code_language=LANGUAGE,
        facts=state_facts(made),
    )


class Order(NamedTuple):
    """Which of a row's anchors is first in the picture, and the rest of `Composite` that is drawn."""

    order: tuple[int, int]
    beside: bool
    first: int
    placed: bool


def draw_order(source_id: str, context: Context[CompositeSettings]) -> Order:
    """How the composite of a source row stands, and how its caption is joined."""
    rng = context.rng("composite.anchor", source_id)
    one, other = (int(place) for place in rng.permutation(2))
    beside, first = bool(rng.integers(2)), int(rng.integers(2))
    return Order((one, other), beside, first, bool(rng.random() < context.settings.placed))


def is_drawn(made: Composite, source_id: str, context: Context[CompositeSettings], domains: Halves) -> bool:
    """Whether a composite of a dataset's anchors is the one that its source row makes."""
    drawn = draw_order(source_id, context)
    halves = {place: made.halves[at] for at, place in enumerate(drawn.order)}
    placed = drawn.placed or domains.share_names(*made.halves)
    said = (made.beside, made.first, made.placed) == (drawn.beside, drawn.first, placed)
    return said and name_pair(halves[0], halves[1]) == source_id


def state_facts(made: Composite) -> tuple[Fact, ...]:
    """Which two anchors it shows, in no order: composites of the same two say the same."""
    return tuple(Fact("shows", (name,)) for name in sorted(each.anchor_id for each in made.halves))


def name_anchor(anchor: Anchor, context: Context[CompositeSettings]) -> str:
    """The id that an anchor has by its halves and how they stand."""
    del context
    return content_id("composite", anchor.code)


def check_anchor(checks: Checks, anchor: Anchor, context: Context[CompositeSettings], halves: Halves) -> None:
    """Cut apart, each half is an anchor of its domain, and the caption says both."""
    whole = anchor.code_language == LANGUAGE and anchor.captions == (anchor.caption,)
    checks.require("complete", whole, "a composite needs its halves as code, and one caption")
    others = (anchor.vector, anchor.question, anchor.answer, anchor.solution)
    checks.require("nothing_else", others == (None,) * 4 and not anchor.views, "a composite has no more than that")
    made = check_joined(checks, anchor)
    one, other = made.halves
    checks.require("of_one_domain", one.domain == other.domain, "the halves are of two domains")
    apart = one.anchor_id != other.anchor_id and one.source_id != other.source_id
    checks.require("halves_differ", apart, "both halves are of one source row")
    drawn = anchor.source != DATASET or is_drawn(made, anchor.source_id, context, halves)
    checks.require("drawn_of_row", drawn, "its source row makes another composite, or is called otherwise")
    for half in made.halves:
        domain, own = halves.find(half, context)
        checks.require("halves_sourced", half.source in domain.sources, lambda: f"{half.source} is no source")  # noqa: B023
        verdict = domain.verify_anchor(half, own)
        checks.require("halves_verified", verdict.passed, lambda: f"{half.source_id}: {verdict.reasons[0]}")  # noqa: B023
        if domain.judges(half):
            named = domain.name_anchor(half, own)
            checks.require("halves_named", named in (None, half.anchor_id), f"{half.source_id} has another id")
    said = made.say(made.captions)
    checks.require("captions_joined", anchor.caption == said, "the caption is not the halves' captions, joined")
    checks.require("facts_agree", anchor.facts == state_facts(made), "the facts are not which halves it shows")


def check_joined(checks: Checks, anchor: Anchor) -> Composite:
    """The halves, each with its picture.

    Raises:
        CheckError: they cannot be read, or the picture is not both.
    """
    made = read_composite(anchor)
    checks.require("halves_read", True, "")
    checks.require("picture_joined", True, "")
    return made
