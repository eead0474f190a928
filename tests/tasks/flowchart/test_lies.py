"""Lies about charts that agree with all that is looked for, and are in no drawing of the row's record."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from benchmarks.lies import diagrams
from benchmarks.lies.charts import KINDS
from counterfoil.storage.rows import Contrast, Edit
from counterfoil.storage.schemas import from_table, to_table
from counterfoil.tasks.flowchart.chart.serialise import write_code
from counterfoil.tasks.flowchart.checks import list_replayed
from counterfoil.tasks.flowchart.domain import DOMAIN
from tests.tasks.flowchart.conftest import make_anchors, make_contrasts

ELSEWHERE = {"decision a step, drawn so", "step rounded, drawn so", "arrow dotted, drawn so"}
"""Of an anchor whose record, picture and words agree its id tells."""


def lie(kind, row, other, table, kinds=KINDS):
    """The row with the lie in it, or None where it does not apply."""
    given, stranger = (to_table([each], table).to_pylist()[0] for each in (row, other))
    changed = kinds[kind]({**given, "table": table, "other": stranger}, random.Random(3))
    if changed is None:
        return None
    stored = to_table([row], table).schema
    columns = {name: changed[name] for name in stored.names}
    return from_table(type(to_table([row], table)).from_pylist([columns], schema=stored), table)[0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_lie_about_a_chart_is_refused(kind, anchors, contrasts, context):
    verdicts = []
    for anchor, other in zip(anchors, (*anchors[1:], anchors[0]), strict=True):
        if kind not in ELSEWHERE and (changed := lie(kind, anchor, other, "anchors")) is not None:
            verdicts.append(DOMAIN.verify_anchor(changed, context))
    for family in ("flowchart.image", "flowchart.flip", "flowchart.codeswap", "flowchart.answers"):
        (anchor, row), (_, other) = contrasts[family][0], contrasts[family][-1]
        changed = lie(kind, row, other, "contrasts")
        if changed not in (None, row):
            verdicts.append(DOMAIN.families[family].verify(changed, anchor, context))
    assert verdicts and not any(verdict.passed for verdict in verdicts)


@pytest.mark.parametrize("family", ["flowchart.image", "flowchart.codeswap"])
def test_edits_are_made_once_more_and_give_the_row_to_the_letter(family, contrasts, context):
    for anchor, row in contrasts[family]:
        made = [write_code(chart) for chart in list_replayed(row, anchor, context)]
        assert row.code in made
        more = replace(row, edits=(*row.edits, Edit("remove_arrow", "Start -> End", "")))
        assert row.code not in [write_code(chart) for chart in list_replayed(more, anchor, context)]
        head, *lines = row.code.splitlines()
        assert "\n".join([head, *lines[::-1]]) + "\n" not in made


@pytest.mark.parametrize("kind", [name for name in diagrams.KINDS if name.startswith(("drawn so", "code", "said"))])
def test_a_lie_that_is_told_well_of_a_contrast_is_refused(kind, contrasts, context):
    """Ids, the order of lines and sentences and every edit are those that the row's own edits make."""
    verdicts = []
    for family in ("flowchart.image", "flowchart.codeswap", "flowchart.caption"):
        for anchor, row in contrasts[family][:2]:
            changed = lie(kind, row, row, "contrasts", diagrams.KINDS)
            if changed not in (None, row):
                verdicts.append(DOMAIN.families[family].verify(changed, anchor, context))
    assert not any(verdict.passed for verdict in verdicts)


def test_equal_labels_are_read_either_way(context):
    """Two steps that say the same: which of them an edit names the row does not tell."""
    code = "flowchart TD\nA([Start]) --> B[Rinse]\nB --> C[Rinse]\nC --> D[Dry it]"
    rows = [(a, row) for a in make_anchors(code, context) for row in make_contrasts("flowchart.image", a, context)]
    made = [(anchor, row) for anchor, row in rows if isinstance(row, Contrast)]
    assert made and all(DOMAIN.families[row.family].verify(row, anchor, context).passed for anchor, row in made)
