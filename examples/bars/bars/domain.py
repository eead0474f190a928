"""The domain: charts of heights by chance, their captions, and what their captions are judged by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bars.chart import COLOURS, TOP, BarsSettings, draw_chart, list_facts, measure_chart, read_caption, write_caption
from bars.families import exchange
from counterfoil.storage.rows import Anchor, Image, Reject, content_id
from counterfoil.tasks.contract.context import Context, generator
from counterfoil.tasks.contract.domain import Domain, Question, Source, SourceRow, list_sources
from counterfoil.tasks.contract.family import list_families
from counterfoil.tasks.contract.verdict import Checks, checked


def read_made_up(target: str, settings: BarsSettings, seed: int, limit: int | None) -> Iterator[SourceRow | Reject]:
    for number in range(min(int(target), limit or int(target))):
        rng = generator(seed, "bars", number)
        colours = rng.permutation(list(COLOURS))[: settings.bars]
        heights = rng.permutation(range(1, TOP))[: settings.bars]
        bars = [[str(colour), int(height)] for colour, height in zip(colours, heights, strict=True)]
        yield SourceRow("procedural", f"procedural-{seed}-{number}", "", {"bars": bars})


def make_anchors(row: SourceRow, context: Context[BarsSettings]) -> Iterator[Anchor | Reject]:
    del context
    bars = tuple((colour, height) for colour, height in row.payload["bars"])
    chart, facts = Image(draw_chart(bars), f"{row.source_id}.png"), list_facts(bars)
    names = content_id("bars", row.source_id, list(map(str, facts))), "bars", row.source, row.source_id, row.split
    yield Anchor(*names, image=chart, caption=write_caption(bars), facts=facts)


@checked
def verify_anchor(checks: Checks, anchor: Anchor, context: Context[BarsSettings]) -> None:
    del context
    bars = measure_chart(checks, anchor.image.bytes if anchor.image else b"")
    checks.require("caption_true", anchor.caption == write_caption(bars), "the caption is not what the picture shows")
    checks.require("facts_true", anchor.facts == list_facts(bars), "the facts are not what the picture shows")
    known = content_id("bars", anchor.source_id, list(map(str, anchor.facts)))
    named = anchor.image is not None and anchor.image.path == f"{anchor.source_id}.png"
    checks.require("id_of_content", anchor.anchor_id == known and named, "its names are not of its source and facts")
    rest = (anchor.vector, anchor.code, anchor.question, anchor.answer, anchor.solution, anchor.captions, anchor.views)
    checks.require("nothing_else", not any(rest), "it has fields that this domain does not fill")


@checked
def verify_picture(checks: Checks, anchor: Anchor, context: Context[BarsSettings]) -> None:
    del context
    measure_chart(checks, anchor.image.bytes if anchor.image else b"")


def refutes(text: str, anchor: Anchor, context: Context[BarsSettings]) -> bool | None:
    del context
    stated = read_caption(text)
    return None if stated is None else list_facts(stated) != anchor.facts


def list_questions(anchor: Anchor) -> Sequence[Question]:
    heights = {fact.arguments[0]: int(fact.value or 0) for fact in anchor.facts}
    return (Question("highest", "Which bar is the highest?", max(heights, key=lambda colour: heights[colour])),)


DOMAIN = Domain(
    name="bars",
    version=2,
    settings_type=BarsSettings,
    sources=list_sources([Source("procedural", "N", "N charts by chance", read_made_up, make_anchors)]),
    families=list_families([*exchange.FAMILIES]),
    anchor_uses=("bars", "test_share"),
    verify_anchor=verify_anchor,
    refutes=refutes,
    questions=list_questions,
    verify_picture=verify_picture,
    example={"source": "procedural:3"},
    card_tasks=("image-to-text", "visual-question-answering"),
)
