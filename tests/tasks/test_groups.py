"""Groups: anchors with an equal picture or equal facts share one, whatever the shards and their order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.storage.rows import Anchor, Fact, Image, content_id
from counterfoil.storage.schemas import from_table, to_table
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.audit.ties import find_torn, tie_anchor
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.groups import TIES, hash_picture, join_groups, name_group, tabulate_ties
from counterfoil.tasks.engine.jobs import DomainRun, Pipeline
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.runner import ShardResult

KEY = "anchors/domain=geometry"


def anchor(number: int, facts: str = "", picture: str = "") -> Anchor:
    """An anchor with one fact for each letter of ``facts``."""
    return Anchor(
        content_id("grouped", number),
        "geometry",
        "made",
        str(number),
        "train",
        image=Image(picture.encode(), "a.png") if picture else None,
        facts=tuple(Fact("point", (letter,)) for letter in facts),
    )


def merge(folder, shards: list[list[Anchor]]) -> dict[str, str]:
    """Anchor id to group, as the stage runner would stage and merge these shards."""
    staged = StagedShards(str(folder))
    results = []
    for index, rows in enumerate(shards):
        named = [name_group(row) for row in rows]
        name = content_id("shard", index, [row.anchor_id for row in named])
        staged.write(name, {KEY: to_table(named, "anchors"), TIES: tabulate_ties(named)})
        results.append(ShardResult("geometry.anchors", index, name, len(rows), {}, {}))
    pipeline = Pipeline(str(folder), {}, {}, {}, seed=0, shard_size=1)
    run = DomainRun("geometry")
    pipeline.merge_anchors("geometry", results[::-1], run)
    tables = [staged.find(shard.fingerprint).read(KEY) for shard in run.anchors]
    return {row.anchor_id: row.group for table in tables for row in from_table(table, "anchors")}


ROWS = [
    anchor(0, "ab", "one"),
    anchor(1, "ba", "two"),  # the facts of 0 in another order
    anchor(2, "c", "one"),  # the picture of 0
    anchor(3, "c", "three"),  # the facts of 2
    anchor(4, "d", "four"),
    anchor(5, "", "four"),  # the picture of 4
    anchor(6),
    anchor(7),
]


def test_equal_facts_and_equal_pictures_join_and_nothing_else(tmp_path):
    groups = [merge(tmp_path, [ROWS])[row.anchor_id] for row in ROWS]
    assert groups[0] == groups[1] == groups[2] == groups[3]
    assert groups[4] == groups[5]
    assert len(set(groups)) == 4


@pytest.mark.parametrize("order", [[[7, 3], [1, 0, 5], [2, 4, 6]], [[i] for i in (5, 2, 7, 0, 6, 1, 4, 3)]])
def test_shards_and_order_do_not_change_the_groups(tmp_path, order):
    whole = merge(tmp_path / "whole", [ROWS])
    assert merge(tmp_path / "cut", [[ROWS[i] for i in part] for part in order]) == whole


def test_further_anchors_change_only_the_groups_that_they_join(tmp_path):
    before = merge(tmp_path / "before", [ROWS])
    after = merge(tmp_path / "after", [ROWS, [anchor(8, "d", "three"), anchor(9, "e", "five"), anchor(10, "e", "six")]])
    joined = {ROWS[i].anchor_id for i in range(6)}
    assert {name: after[name] for name in before if name not in joined} == {
        name: group for name, group in before.items() if name not in joined
    }
    assert len({after[name] for name in joined}) == 1


def test_a_shard_in_which_nothing_joins_is_not_written_again(tmp_path):
    staged = StagedShards(str(tmp_path))
    apart = [anchor(20, "x", "p20"), anchor(21, "y", "p21")]
    merge(tmp_path, [apart])
    manifests = [path for path in staged.store.list("work") if path.endswith(".json")]
    assert len(manifests) == 2, "the shard, and the note that nothing was merged"


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.one_of(st.none(), st.sampled_from("pqrst"))), max_size=12))
def test_joining_is_the_same_in_any_order_and_names_each_group_by_its_least(ties):
    renamed = join_groups(ties)
    assert renamed == join_groups(ties[::-1])
    assert all(new < old and new not in renamed for old, new in renamed.items())
    tied = [(one, other) for one, first in ties for other, second in ties if first is not None and first == second]
    assert all(renamed.get(one, one) == renamed.get(other, other) for one, other in tied)


def find(rows):
    domain = load_domain(rows[0].domain)
    context = Context(domain.settings_type.model_validate(dict(domain.example)), 7, MemoRenderer())
    return list(find_torn(filter(None, (tie_anchor(row, domain, context) for row in rows))))


def test_verify_finds_a_group_that_is_torn_apart():
    named = [name_group(row) for row in (anchor(0, "ab", "one"), anchor(1, "ba", "two"))]
    assert find(named) == []
    torn = [named[0], replace(named[1], group="another")]
    (failure,) = find(torn)
    assert failure.row_id == torn[1].anchor_id
    assert failure.reasons == (f"group: its facts and picture put it in {named[0].group}",)
    assert find([replace(row, group=None) for row in torn]) == []
    assert hash_picture(anchor(3)) is None
