"""Rows laid apart by their keys: the same parts' content in memory and on disk, and checks that hold no set of ids."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
import storage_cases as cases

from counterfoil.storage import referring
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.errors import ConflictError, StorageError
from counterfoil.storage.referring import count_problems
from counterfoil.storage.rows import content_id, fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.storage.spilling import SpilledRows, group_by_key
from counterfoil.storage.staged import StagedShards


def table_of(numbers: list[int]) -> pa.Table:
    return pa.table({"key": [content_id(number % 50) for number in numbers], "at": numbers})


def test_all_rows_of_a_key_are_in_one_part_in_their_order_and_nothing_is_left_on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with SpilledRows(held_rows=20) as rows:
        for start in range(0, 300, 10):
            rows.add(table_of([*range(start, start + 10)]))
        assert [*Path(tmp_path).rglob("*.arrow")]
        parts = [*rows.parts()]
    assert not [*tmp_path.iterdir()]
    assert len(parts) > 20
    seen: dict[str, list[int]] = {}
    for part in parts:
        keys = set(part["key"].to_pylist())
        assert not keys & seen.keys()
        for key, at in zip(part["key"].to_pylist(), part["at"].to_pylist(), strict=True):
            seen.setdefault(key, []).append(at)
    assert seen == {content_id(n): [*range(n, 300, 50)] for n in range(50)}


def test_rows_that_fit_are_one_part_and_are_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with SpilledRows() as rows:
        rows.add(table_of([1, 2]))
        rows.add(table_of([3]))
        assert [part["at"].to_pylist() for part in rows.parts()] == [[1, 2, 3]]
        assert not [*tmp_path.iterdir()]


def test_equal_keys_stand_together_in_the_order_in_which_they_came():
    rows, again = group_by_key(table_of([7, 8, 57, 9, 107]))
    assert rows["at"].to_pylist() == [7, 57, 107, 8, 9]
    assert again.tolist() == [False, True, True, False, False]


def test_problems_are_counted_over_all_parts():
    parts = [
        pa.table({"anchor_id": ["b", "b"], "of": [0, 0]}),
        pa.table({"anchor_id": ["a", "a", "c"], "of": [0, 0, 1]}),
    ]
    assert [(each.count, each.example) for each in count_problems(parts, 1)] == [(2, "a"), (1, "c")]


@pytest.fixture(params=[2, 1 << 20])
def held_rows(request, monkeypatch):
    """The check on disk, and in memory."""
    real = referring.SpilledRows
    monkeypatch.setattr(referring, "SpilledRows", lambda: real(held_rows=request.param))


@pytest.mark.usefixtures("held_rows")
def test_an_anchor_in_two_shards_is_refused(tmp_path):
    staged, keys = StagedShards(str(tmp_path)), []
    for shard, rows in enumerate((cases.make_anchors("one", 0), cases.make_anchors("one", 1))):
        keys.append(fingerprint("twice", shard))
        staged.write(
            keys[-1], {"anchors/domain=geometry": to_table([*rows, cases.make_anchors("one", 2)[0]], "anchors")}
        )
    with pytest.raises(StorageError, match=r"anchor [0-9a-f]{32} and 0 others are in anchors/domain=geometry twice"):
        Dataset(str(tmp_path)).publish({"anchors/domain=geometry": keys})


@pytest.mark.usefixtures("held_rows")
def test_a_contrast_of_no_anchor_is_refused_also_where_only_anchors_are_published(tmp_path):
    url = str(tmp_path)
    one, two = cases.stage_run(url, "one"), cases.stage_run(url, "two")
    Dataset(url).publish(one)
    family = "contrasts/family=geometry.image"
    with pytest.raises(ConflictError, match="12 anchors that contrasts/family"):
        Dataset(url).publish({family: two[family]})
    fewer = {key: shards[:2] if key.startswith("anchors") else shards for key, shards in one.items()}
    with pytest.raises(ConflictError, match="4 anchors that contrasts/family"):
        Dataset(url).publish(fewer)


def test_publishing_the_same_again_reads_no_file_of_the_tables(tmp_path, monkeypatch):
    url = str(tmp_path)
    run = cases.stage_run(url, "one")
    Dataset(url).publish(run)
    read = []
    monkeypatch.setattr(referring, "_read_ids", lambda *arguments: read.append(arguments))
    assert not Dataset(url).publish(run).changed
    assert not read


@pytest.mark.parametrize("held_rows", [3, 1000])
def test_blocks_hold_every_row_once_and_as_many_as_asked_for_but_for_the_last(held_rows: int) -> None:
    with SpilledRows(held_rows=held_rows) as rows:
        for start in range(0, 60, 5):
            rows.add(
                pa.table({"key": [f"{i % 16:02x}" for i in range(start, start + 5)], "at": range(start, start + 5)})
            )
        blocks = [block["at"].to_pylist() for block in rows.blocks(20)]
    assert sorted(at for block in blocks for at in block) == list(range(60))
    assert all(len(block) >= 20 for block in blocks[:-1])
