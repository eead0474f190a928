"""Edits of flowcharts chosen over the corpus: blocks of anchors, whatever shards they come in."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from counterfoil.tasks.contract import choosing_offers
from counterfoil.tasks.contract.choosing_offers import Plan
from counterfoil.tasks.engine.prepare import HeldPart, prepare_here
from counterfoil.tasks.engine.rows import make_contrasts
from counterfoil.tasks.flowchart.chart.sight import see_chart
from counterfoil.tasks.flowchart.domain import DOMAIN
from counterfoil.tasks.flowchart.drawing.rendering import open_chart, parse
from counterfoil.tasks.flowchart.edits.pool import even_ways, list_edits
from counterfoil.tasks.flowchart.families.caption import CHOICE
from counterfoil.tasks.flowchart.families.image import choose_rules
from tests.tasks.flowchart.conftest import make_anchors


@pytest.fixture(scope="module")
def parts() -> list[HeldPart]:
    """What the edits of 40 anchors change, in shards of 7: of words that come back, so that it matters who balances
    whom."""
    rows = [
        {
            "anchor_id": f"{number:03d}{number % 5:02x}",
            "features": [[number % 3 + edit] for edit in range(4)],
            "amounts": [[7 - 5 * (edit % 3)] for edit in range(4)],
            "sames": [0, 1, 2, 2],
            "form": "path",
            "forms": ["path", "path", "fork", "fork"],
            "kept": [f"{number}.{edit}" for edit in range(4)],
        }
        for number in range(40)
    ]
    table = pa.Table.from_pylist(rows, choosing_offers._PART)
    return [HeldPart(table.slice(begin, 7)) for begin in range(0, 40, 7)]


@pytest.mark.parametrize("block", [1, 8, 5000])
def test_every_anchor_is_chosen_for_whatever_the_shards(parts, context, monkeypatch, block):
    monkeypatch.setattr(choosing_offers, "BLOCK", block)
    whole = CHOICE.gather(parts, context)
    assert sorted(whole["anchor_id"].to_pylist()) == sorted(
        each for part in parts for each in part.read()["anchor_id"].to_pylist()
    )
    assert all(1 <= len(own) <= 3 and not {2, 3} <= set(own) for own in whole["places"].to_pylist())
    together = [HeldPart(pa.concat_tables([part.read() for part in reversed(parts)]))]
    assert CHOICE.gather(together, context).equals(whole)


def test_what_is_kept_of_an_offer_is_of_the_one_that_was_chosen(parts, context):
    plan = Plan(CHOICE.gather(parts, context))
    for number in range(40):
        anchor_id = f"{number:03d}{number % 5:02x}"
        assert plan.list_kept(anchor_id) == [f"{number}.{place}" for place in plan.list_places(anchor_id)]
    assert plan.list_kept("unknown") == plan.list_places("unknown") == []


def test_what_is_read_of_a_part_is_what_was_measured(parts):
    table = parts[1].read()
    (first, *_) = choosing_offers._read_edits(table)
    row = table.to_pylist()[0]
    assert first.features.tolist() == [each for edit in row["features"] for each in edit]
    assert first.amounts.tolist() == [each for edit in row["amounts"] for each in edit]
    assert first.ends.tolist() == [0, 1, 2, 3, 4]


def test_a_choice_is_made_of_nothing_too(context):
    assert CHOICE.gather([], context).num_rows == 0


ASKED = """flowchart TD
A{"Is it wet?"} -->|Yes| B["Dry it"]
A -->|No| C{"Is it clean?"}
C -->|No| D["Wash it"]
"""


def join(sight):
    """Who is joined to whom, whatever the arrows say."""
    return frozenset((sight.labels[a.tail], sight.labels[a.head])[:: 1 if a.end else -1] for a in sight.arrows)


def test_no_two_pictures_of_a_set_differ_in_an_answer_alone(context):
    anchors = make_anchors(ASKED, context)
    family = DOMAIN.families["flowchart.image"]
    ready = prepare_here(family.prepare, [anchors], context)
    sizes = []
    for anchor in anchors:
        rows = [row for row in make_contrasts((family,), anchor, ready) if hasattr(row, "contrast_id")]
        shown = [join(see_chart(parse(code))) for code in (anchor.code, *(row.code for row in rows))]
        assert len(shown) == len(set(shown))
        sizes.append(len(rows))
    assert min(sizes) >= 3


def test_a_path_of_three_steps_is_offered_every_graph_that_no_habit_forbids(context):
    (anchor,) = make_anchors("flowchart TD\nA[wash] --> B[rinse] --> C[dry]", context)
    for seed in range(5):
        edits = list_edits(open_chart(anchor), np.random.default_rng(seed), choose_rules(context.settings))
        # Five other orders and three steps at which the other two may meet; a step leads to one place.
        assert len({join(edit.sight) for edit in edits}) == len(edits) == 8


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("turned", [0, 1, 9])
def test_which_way_a_chart_runs_does_not_single_out_the_anchor(context, count, turned):
    """Of an odd set one way has a chart more: the anchor is among them as often as any other chart of the set."""
    (anchor,) = make_anchors("flowchart TD\n a[Wake] --> b[Wash]\n b --> c[Eat]\n c --> d[Leave]", context)[:1]
    rng = np.random.default_rng(0)
    offered = list_edits(open_chart(anchor), rng, choose_rules(context.settings))[:count]
    assert len(offered) == count
    offered = [edit.flip() if place < turned else edit for place, edit in enumerate(offered)]
    sets = [even_ways(offered, np.random.default_rng(seed)) for seed in range(600)]
    alike = [1 + sum(not edit.plan.flipped for edit in each) for each in sets]
    charts = count + 1
    assert {min(own, charts - own) for own in alike} == {charts // 2}
    more = np.mean([own > charts - own for own in alike])
    assert charts % 2 == 0 or abs(more - (charts + 1) / (2 * charts)) < 0.06
    graphs = {frozenset(edit.sight.arrows) for edit in offered}
    assert all({frozenset(edit.sight.arrows) for edit in each} == graphs for each in sets)
    assert all(edit.flip().flip() == edit and edit.flip().edited != edit.edited for edit in offered)
