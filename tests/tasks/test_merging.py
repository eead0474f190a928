"""Merging the anchors of many shards: the same shards whether their marks are held in memory or laid apart on disk."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from counterfoil.storage.schemas import from_table, to_table
from counterfoil.storage.spilling import SpilledRows
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.engine import merging
from counterfoil.tasks.engine.groups import TIES, name_group, tabulate_ties
from counterfoil.tasks.engine.merging import merge_shards
from counterfoil.tasks.engine.shards import ShardResult
from tests.tasks.test_groups import KEY, anchor

SPLITS = ("train", "val", "test")


def stage(folder, shards: int, rows: int) -> tuple[StagedShards, list[ShardResult]]:
    """Shards whose anchors now and then are met again, share a picture, share facts, or are in other splits."""
    rng = np.random.default_rng(7)
    staged, results = StagedShards(str(folder)), []
    for index in range(shards):
        made = [
            replace(
                anchor(
                    int(rng.integers(shards * rows)),
                    facts="".join(rng.choice([*"abcdefghijk"], 3)),
                    picture=str(rng.integers(90)),
                ),
                split=str(rng.choice(SPLITS)),
            )
            for _ in range(rows)
        ]
        named = [name_group(row) for row in made]
        staged.write(f"{index:064d}", {KEY: to_table(named, "anchors"), TIES: tabulate_ties(named)})
        results.append(ShardResult("geometry.anchors", index, f"{index:064d}", rows, {}, {}))
    return staged, results


def test_the_same_shards_come_of_a_merge_on_disk_and_of_one_in_memory(tmp_path, monkeypatch):
    staged, results = stage(tmp_path, shards=12, rows=9)
    held = list(merge_shards(staged, "geometry", results))
    monkeypatch.setattr(merging, "SpilledRows", lambda: SpilledRows(held_rows=5))
    assert list(merge_shards(staged, "geometry", results[::-1])) == held
    assert sum(shard.merged for shard in held) > 0
    rows = [row for shard in held for row in from_table(staged.find(shard.fingerprint).read(KEY), "anchors")]
    assert len({row.anchor_id for row in rows}) == len(rows)
    splits: dict[str, set[str]] = {}
    pictures: dict[bytes, set[str]] = {}
    for row in rows:
        splits.setdefault(row.group, set()).add(row.split)
        pictures.setdefault(row.image.bytes, set()).add(row.group)
    assert {len(each) for each in splits.values()} == {len(each) for each in pictures.values()} == {1}


def test_a_shard_in_which_nothing_changes_is_taken_as_it_is(tmp_path):
    staged, results = StagedShards(str(tmp_path)), []
    for index, rows in enumerate(([anchor(0, "a", "p")], [anchor(1, "b", "p")], [anchor(2, "c", "q")])):
        named = [name_group(row) for row in rows]
        staged.write(f"{index:064d}", {KEY: to_table(named, "anchors"), TIES: tabulate_ties(named)})
        results.append(ShardResult("geometry.anchors", index, f"{index:064d}", 1, {}, {}))
    merged = list(merge_shards(staged, "geometry", results))
    assert [shard.fingerprint == shard.made_by for shard in merged].count(False) == 1
    assert merged[2].fingerprint == f"{2:064d}"
