"""Splits: anchors that say the same are in one split, the most held-out one, whatever the shards and their order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import Anchor, Reject
from counterfoil.storage.schemas import from_table, to_table
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.audit.ties import find_torn, tie_anchor
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.groups import TIES, name_group, tabulate_ties
from counterfoil.tasks.engine.jobs import DomainRun, Pipeline
from counterfoil.tasks.engine.registry import DOMAIN_MODULES, load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.rows import make_anchors
from counterfoil.tasks.engine.shards import ShardResult
from counterfoil.tasks.engine.splits import assign_split, settle_splits
from tests.tasks.test_groups import KEY, anchor
from tests.tasks.toy_domain import DOMAIN as TOY
from tests.tasks.toy_domain import ToySettings

ROWS = [
    replace(anchor(0, "ab", "one"), split="train"),
    replace(anchor(1, "ba", "two"), split="test"),  # the facts of 0
    replace(anchor(2, "c", "two"), split="val"),  # the picture of 1
    replace(anchor(3, "d", "three"), split="train"),
]


def make_toy(split: str) -> Anchor | Reject:
    context = Context(ToySettings(source="count:3"), 1, MemoRenderer())
    (row, *_) = TOY.read(context.settings, 1, None)
    (made,) = make_anchors(TOY, replace(row, split=split), context)
    return made


@pytest.mark.parametrize(
    ("named", "split"), [("Validation", "val"), ("dev", "val"), ("training", "train"), ("test ", "test")]
)
def test_a_split_goes_by_one_name_whatever_its_source_calls_it(named: str, split: str) -> None:
    made = make_toy(named)
    assert isinstance(made, Anchor) and made.split == split


def test_a_split_that_is_none_is_a_reject_that_names_the_field() -> None:
    made = make_toy("nonsense")
    assert isinstance(made, Reject)
    assert made.reasons == ("bad_row: the field split is 'nonsense'; write train, val or test, or leave it out",)


def merge(folder, shards) -> dict[str, str]:
    """Anchor id to split, as the stage runner would stage and merge these shards."""
    staged = StagedShards(str(folder))
    results = []
    for index, rows in enumerate(shards):
        named = [name_group(row) for row in rows]
        key = f"{index:064d}"
        staged.write(key, {KEY: to_table(named, "anchors"), TIES: tabulate_ties(named)})
        results.append(ShardResult("geometry.anchors", index, key, len(rows), {}, {}))
    run = DomainRun("geometry")
    Pipeline(str(folder), {}, {}, {}, seed=0, shard_size=1).merge_anchors("geometry", results, run)
    tables = [staged.find(shard.fingerprint).read(KEY) for shard in run.anchors]
    return {row.anchor_id: row.split for table in tables for row in from_table(table, "anchors")}


@pytest.mark.parametrize("order", [[[0, 1, 2, 3]], [[3, 0], [2], [1]], [[1], [3, 2, 0]]])
def test_anchors_that_say_the_same_are_in_the_most_held_out_split_of_them(tmp_path, order):
    found = merge(tmp_path, [[ROWS[i] for i in part] for part in order])
    assert [found[row.anchor_id] for row in ROWS] == ["test", "test", "test", "train"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["train", "val", "test", "dev"]))))
def test_the_order_of_rows_does_not_change_what_a_group_is_settled_to(members):
    assert settle_splits(members) == settle_splits(members[::-1])


def test_a_split_that_the_source_names_is_kept_and_others_follow_the_group():
    named = name_group(replace(anchor(0, "ab"), split="val"))
    assert assign_split(named, 1.0, 7).split == "val"
    unnamed = [name_group(replace(anchor(i, "ab" if i % 2 else f"a{chr(99 + i)}"), split="")) for i in range(20)]
    assert len({assign_split(row, 0.5, 7).split for row in unnamed if row.group == named.group}) == 1
    assert {assign_split(row, 0.5, 7).split for row in unnamed} == {"train", "test"}
    assert {assign_split(row, 0.0, 7).split for row in unnamed} == {"train"}


def test_the_share_of_groups_in_the_test_split_is_about_what_was_asked():
    rows = [name_group(replace(anchor(i), split="")) for i in range(2000)]
    share = sum(assign_split(row, 0.2, 7).split == "test" for row in rows) / len(rows)
    assert share == pytest.approx(0.2, abs=0.03)


@pytest.mark.parametrize("name", DOMAIN_MODULES)
def test_a_change_of_the_share_makes_a_domains_anchors_anew(name):
    assert "test_share" in load_domain(name).settings_type.model_fields
    assert "test_share" in load_domain(name).anchor_uses


def test_verify_tells_a_group_that_is_in_two_splits(tmp_path):
    url, key = str(tmp_path), "ab" * 32
    StagedShards(url).write(key, {KEY: to_table([name_group(row) for row in ROWS[:2]], "anchors")})
    Dataset(url).publish({KEY: [key]})
    domain = load_domain(ROWS[0].domain)
    context = Context(domain.settings_type.model_validate(dict(domain.example)), 7, MemoRenderer())
    ties = [tie_anchor(row, domain, context) for row in Dataset(url).anchors()]
    (failure,) = find_torn(filter(None, ties))
    assert failure.reasons == ("split: its group is in test, it in train",)
