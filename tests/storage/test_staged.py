"""Staged shards: found when whole, reported and made again when not, and clear about a full disk."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import resource
import shutil
import subprocess

import pyarrow as pa
import pytest
import storage_cases as cases

from counterfoil.storage.dataset import Dataset, StorageError
from counterfoil.storage.schemas import from_table, to_table
from counterfoil.storage.staged import StagedShards
from tests.patience import PATIENCE_S

KEY = "ab" * 32


@pytest.fixture
def tables():
    anchors = cases.make_anchors("one", 0)
    made = {f"contrasts/family={f}": to_table(cases.make_contrasts(anchors, f), "contrasts") for f in cases.FAMILIES}
    made["rejects/family=geometry.image"] = to_table([cases.make_reject("geometry.image", anchors[0])], "rejects")
    made["sources"] = pa.table({"payload": ["{}", '{"a": 1}']})
    return made


def test_a_shard_gives_back_all_its_tables_and_its_notes(tmp_path, tables):
    staged = StagedShards(str(tmp_path))
    assert staged.find(KEY) is None
    staged.write(KEY, tables, {"rows_in": 4, "accepted": {"geometry.image": 12}})

    found = StagedShards(str(tmp_path)).find(KEY)

    assert found.meta == {"rows_in": 4, "accepted": {"geometry.image": 12}}
    assert set(found.files) == set(tables)
    for key, table in tables.items():
        assert found.read(key).equals(table)
        assert found.rows(key) == table.num_rows
    assert found.rows("anchors/domain=geometry") == 0
    family = "contrasts/family=geometry.image"
    assert found.read(family, columns=["family", "rank"]).equals(tables[family].select(["family", "rank"]))
    assert from_table(found.read(family), "contrasts")[0].family == "geometry.image"


def test_an_empty_table_is_a_shard_too(tmp_path):
    staged = StagedShards(str(tmp_path))
    staged.write(KEY, {"anchors/domain=geometry": to_table([], "anchors")}, {})
    assert staged.find(KEY).read("anchors/domain=geometry").num_rows == 0
    Dataset(str(tmp_path)).publish({"anchors/domain=geometry": [KEY]})
    assert list(Dataset(str(tmp_path)).anchors()) == []


def test_an_author_that_answers_otherwise_the_second_time_replaces_the_shard(tmp_path, tables):
    staged = StagedShards(str(tmp_path))
    first = staged.write(KEY, {"sources": tables["sources"]}, {})
    staged.write(KEY, {"sources": tables["sources"].slice(1)}, {})
    assert staged.find(KEY).rows("sources") == 1
    assert first.read("sources").num_rows == 2
    staged.vacuum((), 0, False)
    assert list((tmp_path / "work").rglob("*.parquet")) == []


def _damage(path, how):
    content = path.read_bytes()
    if how == "truncated":
        path.write_bytes(content[: len(content) // 2])
    elif how == "flipped":
        path.write_bytes(content[:100] + bytes([content[100] ^ 4]) + content[101:])
    elif how == "emptied":
        path.write_bytes(b"")
    else:
        path.unlink()


@pytest.mark.parametrize("how", ["truncated", "flipped", "emptied", "deleted"])
@pytest.mark.parametrize("which", ["*.parquet", "*.json"])
def test_a_damaged_file_is_found_reported_and_made_again(tmp_path, tables, caplog, how, which):
    staged = StagedShards(str(tmp_path))
    staged.write(KEY, tables, {})
    for path in sorted((tmp_path / "work" / "ab").glob(which))[:1]:
        _damage(path, how)

    with caplog.at_level(logging.WARNING):
        assert staged.find(KEY) is None
    gone = (which, how) == ("*.json", "deleted")
    assert ("it is removed and made again" in caplog.text) is not gone
    assert staged.find(KEY) is None

    staged.write(KEY, tables, {})
    assert staged.find(KEY).read("sources").equals(tables["sources"])


def test_a_shard_that_is_damaged_after_it_was_found_is_not_read(tmp_path, tables):
    staged = StagedShards(str(tmp_path))
    staged.write(KEY, tables, {})
    shard = staged.find(KEY)
    _damage(next((tmp_path / "work" / "ab").glob("*.sources.parquet")), "flipped")
    with pytest.raises(StorageError, match="gone or damaged: run again"):
        shard.read("sources")
    assert staged.find(KEY) is None


@pytest.mark.parametrize("how", ["truncated", "flipped", "deleted"])
def test_a_damaged_published_file_is_healed_by_the_next_run(tmp_path, how):
    url, calm = str(tmp_path / "data"), str(tmp_path / "calm")
    for each in (url, calm):
        Dataset(each).publish(cases.stage_run(each, "one"))
    _damage(next((tmp_path / "data" / "anchors").rglob("*.parquet")), how)

    published = Dataset(url).publish(cases.stage_run(url, "one"))

    assert not published.changed
    assert cases.describe(url) == cases.describe(calm)


def test_what_cannot_be_staged_is_refused_by_name(tmp_path, tables):
    staged = StagedShards(str(tmp_path))
    table = tables["contrasts/family=geometry.image"]
    with pytest.raises(StorageError, match=r"holds rows of family geometry\.image"):
        staged.write(KEY, {"contrasts/family=geometry.rule": table})
    with pytest.raises(StorageError, match="cannot be staged"):
        staged.write(KEY, {"contrasts/family=../../etc": table})
    with pytest.raises(StorageError, match="has not the schema of contrasts"):
        staged.write(KEY, {"contrasts/family=geometry.image": table.drop_columns(["text"])})
    with pytest.raises(StorageError, match="is no fingerprint"):
        staged.write("../x", tables)
    with pytest.raises(StorageError, match="has no anchors/domain=geometry; it has"):
        staged.write(KEY, tables).read("anchors/domain=geometry")


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 1 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"NO SMALL DISK: mounting a tmpfs needs root ({mounted.stderr.strip()})")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk_is_told_and_resumed_from(small_disk, tmp_path):
    url = str(small_disk / "data")
    cases.stage_run(url, "one", shards=1)
    (small_disk / "ballast").write_bytes(bytes(shutil.disk_usage(small_disk).free - 16384))

    with pytest.raises(StorageError, match=r"disk full writing .*: free space and run again; what is finished is kept"):
        cases.stage_run(url, "one", shards=40)
    assert list((small_disk / "data" / "work" / "tmp").iterdir()) == []

    (small_disk / "ballast").unlink()
    Dataset(url).publish(cases.stage_run(url, "one", shards=3))
    calm = str(tmp_path / "calm")
    Dataset(calm).publish(cases.stage_run(calm, "one", shards=3))
    assert cases.describe(url) == cases.describe(calm)


def test_a_disk_that_fills_up_at_any_point_of_a_publish_ends_in_old_or_new(small_disk):
    url = str(small_disk / "data")
    Dataset(url).publish(cases.stage_run(url, "old", shards=1))
    old = cases.describe(url)
    replacements = cases.stage_run(url, "new", shards=1)
    refused = 0
    for spare in range(0, 200_000, 4096):
        ballast = small_disk / "ballast"
        with contextlib.suppress(OSError):
            ballast.write_bytes(bytes(max(0, shutil.disk_usage(small_disk).free - spare)))
        try:
            Dataset(url).publish(replacements)
        except StorageError as error:
            refused += 1
            assert "disk full" in str(error), error
            assert cases.describe(url) == old
            ballast.unlink()
            continue
        break
    ballast.unlink(missing_ok=True)
    Dataset(url).publish(replacements)
    assert refused >= 1
    assert {anchor.source for anchor in Dataset(url).anchors()} == {"new"}
    assert cases.find_mixture(Dataset(url), shards=1) is None


def _write_with_limit(url, queue):
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    try:
        cases.stage_run(url, "one", shards=1)
        rows = [row for shard in range(300) for row in cases.make_anchors("two", shard)]
        StagedShards(url).write(KEY, {"anchors/domain=geometry": to_table(rows, "anchors")})
    except StorageError as error:
        queue.put(str(error))
    else:
        queue.put("written")


def test_a_file_over_the_size_limit_of_the_process_is_told_the_same_way(tmp_path):
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=_write_with_limit, args=(str(tmp_path), queue))
    process.start()
    assert "disk full writing" in queue.get(timeout=PATIENCE_S)
    process.join()
    assert StagedShards(str(tmp_path)).find(KEY) is None
    assert list((tmp_path / "work" / "tmp").iterdir()) == []


def test_a_killed_writers_temporary_file_is_swept_up_after_a_day(tmp_path):
    url = str(tmp_path)
    Dataset(url).publish(cases.stage_run(url, "one"))
    old, young = (tmp_path / "work" / "tmp" / name for name in ("old", "young"))
    for path in (old, young):
        path.write_bytes(b"x")
    os.utime(old, (0, 0))
    Dataset(url).publish(cases.stage_run(url, "two"))
    assert (old.exists(), young.exists()) == (False, True)
