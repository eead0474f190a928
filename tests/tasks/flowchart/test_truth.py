"""A caption is false where a sentence of it is shown false, and nowhere else: by hand, and by rule on charts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

import numpy as np
import pytest

from counterfoil.renderers.mermaid import MermaidWorker
from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine import rows as engine_rows
from counterfoil.tasks.flowchart.captions import Claim, list_claims, write_caption
from counterfoil.tasks.flowchart.chart.sight import see_chart
from counterfoil.tasks.flowchart.checks import refutes
from counterfoil.tasks.flowchart.domain import DOMAIN
from counterfoil.tasks.flowchart.drawing.rendering import open_chart
from counterfoil.tasks.flowchart.settings import FlowchartSettings
from tests.tasks.flowchart.conftest import make_anchors, make_contrasts

CHART = """flowchart TD
    A([Start]) --> B["Moisten the stain"]
    B --> C{"Is it gone?"}
    C -->|Yes| D["Dry it"]
    C -->|No| B
    D <--> E["Iron"]
    D --- F["Rest"]
    E --> G([End])
"""
TRUE = """
An arrow points from node Start to node Moisten the stain.
An arrow points from node Is it gone? to node Dry it.
An arrow points from node Is it gone? to node Dry it. An arrow points from node Start to node Moisten the stain.
An arrow labelled Yes points from node Is it gone? to node Dry it.
An arrow labelled No points from node Is it gone? to node Moisten the stain. An arrow points from node Iron to node End.
An arrow points both ways between node Iron and node Dry it.
An arrow points both ways between node Dry it and node Iron.
An arrow points from node Dry it to node Iron.
An arrow points from node Iron to node Dry it.
A line joins node Rest and node Dry it.
An arrow points from node start to node moisten the stain.
An arrow points from node "Start" to node "Moisten the stain".
An arrow points from node 'Is it gone?' to node 'Dry it'.
An arrow points from node “Is it gone?” to node “Dry it”.
An arrow points from node IS IT GONE? to node DRY IT.
An arrow labelled "Yes" points from node "Is it gone?" to node "Dry it".
An arrow labelled yes points from node Is it gone? to node Dry it.
An arrow points from node Is it gone to node Dry it.
An arrow points from node Start to node Moisten  the  stain.
"""
NOT_FALSE = """
An arrow points from node Start to node Moisten the stain, and another from node Moisten the stain to node Is it gone?
An arrow points from node Start to node Moisten the stain and then Is it gone?
An arrow points from node Start to node Moisten the stain, which leads to node Is it gone?
An arrow points from node Start to node Moisten the stain. It then goes on to Is it gone?
An arrow points from node Is it gone? to node Dry it and to node Moisten the stain.
An arrow points from node Is it gone? to both Dry it and Moisten the stain.
An arrow points from node Is it gone? to node Dry it, labelled Yes.
An arrow points from node Is it gone? to node Dry it (Yes).
An arrow points from node Is it gone? to node Dry it if yes.
An arrow points from node Start eventually to node Dry it.
An arrow points from node Start, through Moisten the stain, to node Is it gone?
An arrow points from node Start to node Dry it or Moisten the stain.
An arrow points from node Start to node Moisten stain.
An arrow points from node Start to node Moisten the stains.
An arrow points from node Start to node the Moisten the stain box.
An arrow points from node Is it gone? to node Dry it. The other arrow goes back to Moisten the stain.
An arrow points from node Start to node Moisten the stain. Then, An arrow points on.
An arrow labelled Yes, it is points from node Is it gone? to node Dry it.
A line joins node Start and node Moisten the stain.
A line joins node Is it gone? and node Dry it.
Node Start leads to node Moisten the stain.
Node Start leads eventually to node End.
From Start one gets to Dry it in the end.
Node Moisten the stain is pointed to by node Start.
Moisten the stain is reached from Start and from Is it gone?
There is an arrow from Start to Moisten the stain.
Arrows point from node Is it gone? to node Dry it and node Moisten the stain.
The node Dry it is entered by an arrow from node Is it gone?
If it is gone, dry it; if not, moisten the stain again.
After Start comes Moisten the stain.
Start --> Moisten the stain
Two arrows leave node Is it gone?
An arrow runs from node Start to node Moisten the stain.
An arrow goes from node Is it gone? to node Dry it.
an arrow points from node Start to node Moisten the stain.
An arrow points to node Moisten the stain from node Start.
An arrow points from Start to Moisten the stain.
An arrow points from node Start to Moisten the stain.
An arrow leads from node Iron to node End.
An arrow labelled Yes leads from node Is it gone? to node Dry it.
Nothing enters node Start.
The chart has seven nodes.
"""
FALSE = """
An arrow points from node Moisten the stain to node Start.
An arrow points from node Start to node Is it gone?
An arrow points from node Start to node End.
An arrow points from node Dry it to node Is it gone?
An arrow points from node Is it gone? to node End. An arrow points from node Start to node Moisten the stain.
An arrow points from node Start to node Moisten the stain. An arrow points from node Is it gone? to node Start.
An arrow labelled No points from node Is it gone? to node Dry it.
An arrow labelled Yes points from node Is it gone? to node Moisten the stain.
An arrow labelled Yes points from node Start to node Moisten the stain.
An arrow points both ways between node Start and node Moisten the stain.
A circle-tipped line leads from node Start to node Moisten the stain.
A cross-tipped line leads both ways between node Dry it and node Iron.
A line joins node Start and node End.
An arrow points from node Dry it to node Rest.
An arrow points from node Start to node Whisk the eggs.
An arrow points from node Kick off to node Moisten the stain.
An arrow points from node start to node dry it.
An arrow points from node "End" to node "Start".
An arrow points from node IRON to node START.
"""


def list_lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.fixture(scope="module")
def anchor(context: Context) -> Anchor:
    whole = replace(context, settings=context.settings.model_copy(update={"granulate": False, "size": 672}))
    (made,) = make_anchors(CHART, whole)
    return made


@pytest.mark.parametrize("caption", list_lines(TRUE))
def test_what_is_true_is_shown_true(caption: str, anchor: Anchor, context: Context) -> None:
    assert refutes(caption, anchor, context) is False


@pytest.mark.parametrize("caption", list_lines(NOT_FALSE))
def test_a_truth_in_other_words_is_never_refuted(caption: str, anchor: Anchor, context: Context) -> None:
    assert not refutes(caption, anchor, context)


@pytest.mark.parametrize("caption", list_lines(FALSE))
def test_what_is_false_is_refuted(caption: str, anchor: Anchor, context: Context) -> None:
    assert refutes(caption, anchor, context) is True


@pytest.fixture(scope="module")
def wide(mermaid: MermaidWorker) -> tuple[Context, list[Anchor]]:
    del mermaid
    settings = FlowchartSettings(source="procedural:20", granules=("triplets", "wide"), arrow_labels=True)
    context: Context = Context(settings, 7, None)  # type: ignore[arg-type]
    rows = DOMAIN.read(settings, 7, None)
    made = [each for row in rows for each in engine_rows.make_anchors(DOMAIN, row, context)]
    return context, [each for each in made if isinstance(each, Anchor)]


def say_otherwise(claims: tuple[Claim, ...], rng: np.random.Generator) -> Iterator[str]:
    """The same in another order, merged, quoted, in capitals, and in other words."""
    shuffled = [claims[int(i)] for i in rng.permutation(len(claims))]
    yield write_caption(shuffled)
    yield write_caption([*shuffled, shuffled[0]])
    yield write_caption(replace(c, tail=f'"{c.tail}"', head=f'"{c.head}"') for c in shuffled)
    yield write_caption(replace(c, tail=c.tail.upper(), head=c.head.lower()) for c in shuffled)
    yield write_caption(replace(c, tail=c.tail.rstrip("?"), label=c.label and c.label.lower()) for c in claims)
    yield write_caption(claims).replace(". An arrow", ", and an arrow")
    yield write_caption(claims).replace(" points from node ", " runs from ").replace(" to node ", " to ")
    yield " ".join(f"Node {c.head} is pointed to by node {c.tail}." for c in shuffled)
    yield write_caption(claims[:1]).rstrip(".") + ", which the others follow."


def say_less(claims: tuple[Claim, ...], rng: np.random.Generator) -> Iterator[str]:
    """Some of its sentences, none of its labels, and what follows from two arrows."""
    some = [claims[int(i)] for i in rng.permutation(len(claims))[: max(1, len(claims) - 1)]]
    yield write_caption(some)
    yield write_caption(replace(claim, label=None) for claim in claims)
    yield write_caption(replace(claim, label=None) for claim in some)
    for one in claims:
        for other in claims:
            if one.head == other.tail:
                yield f"Node {one.tail} leads eventually to node {other.head}."
                yield f"An arrow points from node {one.tail}, through node {one.head}, to node {other.head}."


@pytest.mark.parametrize("say", [say_otherwise, say_less])
def test_no_truth_made_by_rule_is_refuted(say, wide: tuple[Context, list[Anchor]]) -> None:
    context, anchors = wide
    rng = np.random.default_rng(3)
    told = [
        (refutes(text, anchor, context), text)
        for anchor in anchors
        for text in say(list_claims(see_chart(open_chart(anchor)), True), rng)
    ]
    assert len(told) >= 200
    assert [text for refuted, text in told if refuted] == []
    assert sum(refuted is False for refuted, _ in told) >= 0.4 * len(told)


@pytest.mark.parametrize("count", [25, pytest.param(80, marks=pytest.mark.slow)])
def test_negatives_stay_negatives(count: int, wide: tuple[Context, list[Anchor]]) -> None:
    context, anchors = wide
    make = partial(make_contrasts, "flowchart.caption", context=context)
    rows = [(a, r) for a in islice(anchors, count) for r in make(anchor=a) if isinstance(r, Contrast)]
    assert len(rows) >= 2.5 * count
    assert all(refutes(row.text or "", anchor, context) is True for anchor, row in rows)


def test_other_anchors_captions_are_refuted_where_a_sentence_is_false(wide: tuple[Context, list[Anchor]]) -> None:
    """Of other charts nearly all; of those cut out of the same chart none that says nothing else than the picture."""
    context, anchors = wide
    rng = np.random.default_rng(5)
    true_of = {a.anchor_id: {c.key() for c in list_claims(see_chart(open_chart(a)), True)} for a in anchors}
    told: dict[str, list[bool | None]] = {"true": [], "other chart": [], "same chart": []}
    for anchor in anchors:
        for other in (anchors[int(i)] for i in rng.permutation(len(anchors))[:10]):
            true = true_of[other.anchor_id] <= true_of[anchor.anchor_id]
            kind = "true" if true else "same chart" if other.source_id == anchor.source_id else "other chart"
            told[kind].append(refutes(other.caption or "", anchor, context))
    assert told["true"] and set(told["true"]) == {False}
    refuted = [each for each in told["other chart"] if each is True]
    assert len(refuted) >= max(200, 0.95 * len(told["other chart"]))
