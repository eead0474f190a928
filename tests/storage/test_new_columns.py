"""Datasets that an older version made: the columns that came since read null, and the next publish adds them."""

from __future__ import annotations

import deltalake
import pytest
import storage_cases as cases

import counterfoil.storage.schemas
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards


@pytest.fixture
def old(tmp_path, monkeypatch):
    """A published dataset whose anchors have no column ``group``."""
    with monkeypatch.context() as before:
        schema = counterfoil.storage.schemas.ANCHORS
        before.setitem(counterfoil.storage.schemas.SCHEMAS, "anchors", schema.remove(schema.get_field_index("group")))
        Dataset(str(tmp_path)).publish(cases.stage_run(str(tmp_path), "one"))
    table = deltalake.DeltaTable(str(tmp_path / "anchors"))
    assert "group" not in [field.name for field in table.schema().fields]
    return Dataset(str(tmp_path))


def test_a_missing_column_reads_null(old):
    rows = list(old.anchors("geometry"))
    assert rows and all(row.group is None for row in rows)
    (batch, *_) = old.scan("anchors", ["anchor_id", "group"])
    assert batch["group"].null_count == batch.num_rows > 0
    assert old.find_row(rows[0].anchor_id) == rows[0]


def test_staged_shards_of_before_are_read_with_null(old):
    fingerprint, rows = old.shards("anchors", "geometry")[0]
    shard = StagedShards(old.store.url).find(fingerprint)
    assert shard is not None
    key = "anchors/domain=geometry"
    assert shard.read(key, ["group"])["group"].null_count == rows
    assert counterfoil.storage.schemas.from_table(shard.read(key), "anchors")[0].group is None


def test_the_next_publish_adds_the_column_once_and_keeps_the_old_files(old):
    files = {file.path for file in old.active_files() if file.table == "anchors"}
    rows = cases.make_contrasts(list(old.anchors()), "geometry.rule")
    old.staged.write("abcdef12", {"contrasts/family=geometry.rule": to_table(rows, "contrasts")})
    for _ in range(2):
        old.publish({"contrasts/family=geometry.rule": ["abcdef12"]})
    commits = [commit for commit in old.history() if commit.table == "anchors" and commit.step == "columns"]
    assert len(commits) == 1
    assert {file.path for file in old.active_files() if file.table == "anchors"} == files
    table = deltalake.DeltaTable(old.store.table_uri("anchors"))
    assert "group" in [field.name for field in table.schema().fields]
    assert all(row.group is None for row in old.anchors())
