"""What others made, before the judges of one side."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import counterfoil
from counterfoil.tasks.foreign.audit import audit_foreign
from counterfoil.tasks.foreign.errors import ForeignError
from counterfoil.tasks.foreign.groups import open_foreign
from tests.tasks.foreign.test_reading import write

WORDS = ["red", "blue", "green", "black", "white", "grey", "pink", "brown"]


def make_rows(count: int, tell: str = "") -> list[dict[str, str]]:
    rng = random.Random(0)
    pairs = [rng.sample(WORDS, 2) for _ in range(count)]
    return [
        {"anchor": f"Thing {n} is {a} in a {b} box.", "negative": f"Thing {n} is {b} in a {a} box{tell}."}
        for n, (a, b) in enumerate(pairs)
    ]


def test_a_word_that_only_negatives_have_is_found(tmp_path: Path) -> None:
    (fair,) = audit_foreign(open_foreign(str(write(tmp_path / "a.jsonl", make_rows(200)))))
    (told,) = audit_foreign(open_foreign(str(write(tmp_path / "b.jsonl", make_rows(200, " indeed")))))
    assert fair.strongest is not None and told.strongest is not None
    assert told.strongest.figures.pairwise.low > 0.95 > fair.strongest.figures.pairwise.value
    assert any("indeed" in each.name for each in told.tells)
    assert told.beside == "anchor" and told.anchors == told.having == 200


def test_order_of_rows_does_not_matter_and_anchors_are_sampled(tmp_path: Path) -> None:
    rows = make_rows(300)
    one = audit_foreign(open_foreign(str(write(tmp_path / "a.jsonl", rows))), most=100)
    random.Random(1).shuffle(rows)
    two = audit_foreign(open_foreign(str(write(tmp_path / "a.jsonl", rows))), most=100)
    assert one == two and one[0].anchors == 100 and one[0].having == 300


def test_kinds_are_judged_apart(tmp_path: Path) -> None:
    rows = [{**row, "type": "swap" if n % 2 else "order"} for n, row in enumerate(make_rows(100))]
    audits = counterfoil.audit(write(tmp_path / "a.jsonl", rows))
    assert [(each.family, each.anchors) for each in audits] == [("order", 50), ("swap", 50)]


def test_one_row_and_equal_rows_are_said_to_be_too_few(tmp_path: Path) -> None:
    for rows in (make_rows(1), make_rows(1) * 50):
        (audit,) = audit_foreign(open_foreign(str(write(tmp_path / "a.jsonl", rows))))
        assert audit.strongest is None and audit.anchors == 1


def test_no_negatives_at_all_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [{"anchor": "A cat.", "negative": ""}])
    with pytest.raises(ForeignError, match="no row has an anchor and a negative"):
        audit_foreign(open_foreign(str(path)))
