"""What a negative changes: measured when its row is made, kept in the table, and measured again by `verify`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterfoil.storage.changes import (
    KINDS,
    READING,
    ChangeTally,
    UnknownKindError,
    changes_reading_alone,
    order_changes,
)
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.export import export
from counterfoil.storage.rows import Anchor, Contrast, Reject, content_id, contrast_id
from counterfoil.storage.schemas import from_table, to_table
from counterfoil.tasks.audit.derived import Origin, find_unsaid
from counterfoil.tasks.audit.verify import verify_contrast
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine import registry
from counterfoil.tasks.engine.registry import group_families
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.rows import make_contrasts
from counterfoil.tasks.report import write_report
from tests.tasks import toy_domain
from tests.tasks.tells.rows import make_anchors, make_texts, store
from tests.tasks.toy_domain import ToySettings

ANCHOR = Anchor(content_id("toy", 3), "toy", "count", "3", "train", caption="3")


def measure(contrast: Contrast, anchor: Anchor, context: Context[ToySettings]) -> list[str]:
    """By the texts alone: another number, and by ten or more another count as well."""
    far = abs(int(contrast.text or "0")) - int(anchor.caption or "0") >= context.settings.step * 2
    return ["number", *["count"] * far, "number"]


@pytest.fixture
def context() -> Context:
    return Context(ToySettings(), 1, MemoRenderer())


@pytest.fixture
def domain(monkeypatch, request):
    """The toy domain with the measure of ``request.param``, as the registry gives it."""
    monkeypatch.setitem(registry.DOMAIN_MODULES, "toy", "tests.tasks.toy_domain")
    monkeypatch.setattr(toy_domain, "DOMAIN", replace(toy_domain.DOMAIN, changes=getattr(request, "param", measure)))
    registry.load_domain.cache_clear()
    yield registry.load_domain("toy")
    registry.load_domain.cache_clear()


def make(domain, context) -> list[Contrast | Reject]:
    return make_contrasts(group_families(domain, ["toy.near"])[0], ANCHOR, context)


def test_what_changes_is_measured_where_the_row_is_made_and_kept_in_the_table(domain, context):
    rows = [row for row in make(domain, context) if isinstance(row, Contrast) and row.family == "toy.near"]
    assert [(row.text, row.changes) for row in rows] == [
        ("4", ("number",)),
        ("6", ("count", "number")),
        ("7", ("count", "number")),
    ]
    assert from_table(to_table(rows, "contrasts"), "contrasts") == rows


def test_verify_measures_it_anew(domain, context):
    row = next(row for row in make(domain, context) if isinstance(row, Contrast) and row.family == "toy.near")
    origin = Origin(frozenset({context.seed}), frozenset({"procedural"}), frozenset(), {})
    assert verify_contrast(domain, row, ANCHOR, origin, context).passed
    for lie in ((), ("count",), ("number", "count")):
        changed = replace(row, changes=lie, contrast_id="")
        changed = replace(changed, contrast_id=contrast_id(changed))
        reasons = verify_contrast(domain, changed, ANCHOR, origin, context).reasons
        assert [reason.partition(":")[0] for reason in reasons] == ["wrong_changes"]
    verdict = verify_contrast(domain, replace(row, changes=None), ANCHOR, origin, context)
    assert verdict.passed  # a table of before has none
    assert [*find_unsaid(replace(row, changes=None), verdict)] == [
        "wrong_changes: the row does not say what it changes; measured: number"
    ]


@pytest.mark.parametrize("domain", [lambda *_: ["colour"]], indirect=True)
def test_a_kind_that_nobody_knows_is_no_row(domain, context):
    made = [row for row in make(domain, context) if isinstance(row, Reject) and row.contrast is not None]
    assert not [row for row in make(domain, context) if isinstance(row, Contrast)]
    assert made[0].reasons[0].startswith("wrong_type: of what it changes, colour: no kind of change of toy, which has")


def test_a_domain_has_its_own_kinds_in_one_order():
    assert order_changes("flowchart", {"shape", "node"}) == ("node", "shape")
    with pytest.raises(UnknownKindError, match="incidence: no kind of change of flowchart"):
        order_changes("flowchart", ["incidence"])
    assert {*KINDS} == {*registry.DOMAIN_MODULES} == {*READING}
    assert all(kinds <= KINDS[domain].keys() for domain, kinds in READING.items())


def test_reading_alone_is_reading_and_nothing_else():
    assert changes_reading_alone("geometry", ("mark",))
    assert not changes_reading_alone("geometry", ())
    assert not changes_reading_alone("geometry", None)
    assert not changes_reading_alone("flowchart", ("edge", "label"))


def test_report_and_card_say_what_the_negatives_change(tmp_path):
    anchors = make_anchors(4)
    kinds = (("number", "shape"), ("number",), None)
    rows = [replace(row, changes=kinds[row.rank]) for row in make_texts(anchors)]
    rows += make_texts(anchors, count=1, role="positive", family="toy.same")
    store(tmp_path / "data", anchors, rows)
    told = "number 66.7 %, not measured 33.3 %, shape 33.3 %"
    page = write_report(str(tmp_path / "data")).read_text()
    assert "What changes" in page and told in page
    export(Dataset(str(tmp_path / "data")), tmp_path / "card")
    card = (tmp_path / "card" / "README.md").read_text()
    section = card.partition("## What the negatives change")[2].partition("\n## ")[0]
    assert f"| `toy.text` | 12 | {told} |" in section and "toy.same" not in section


def test_nothing_is_said_of_families_that_are_not_measured():
    tally = ChangeTally("geometry")
    tally.add("positive", None)
    assert tally.describe() == ""
    tally.add("negative", None)
    assert tally.describe() == "not measured 100.0 %"
    tally.add("negative", ())
    assert "nothing that is measured 50.0 %" in tally.describe()
