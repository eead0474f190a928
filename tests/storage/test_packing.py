"""Small staged files that are published as packs: the same rows and the same bytes, whatever happened on the way."""

from __future__ import annotations

import logging
import shutil
from dataclasses import replace

import pyarrow.parquet as pq
import pytest
import storage_cases as cases

from counterfoil.storage import packing
from counterfoil.storage.dataset import Dataset, StorageError
from counterfoil.storage.packs import FOLDER, Pack, Packs, Part
from counterfoil.storage.publish import read_intent
from counterfoil.storage.rows import fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards
from tests.patience import PATIENCE_S
from tests.warm_workers import fork_with

ANCHORS = "anchors/domain=geometry"


@pytest.fixture(autouse=True)
def packs_of_two(monkeypatch):
    monkeypatch.setattr(packing, "TOGETHER", 2)


@pytest.fixture
def url(tmp_path):
    return str(tmp_path / "data")


def publish(url, tag="one", shards=5):
    return Dataset(url).publish(cases.stage_run(url, tag, shards))


def list_files(url, table="anchors"):
    return [file.path for file in Dataset(url).snapshot().files(table)]


def test_small_files_of_shards_that_follow_each_other_become_one_and_the_rows_stay(url, tmp_path, monkeypatch):
    alone = str(tmp_path / "alone")
    publish(url)
    monkeypatch.setattr(packing, "TOGETHER", 1000)
    publish(alone)

    assert [path.rpartition("/")[2][:5] == "pack-" for path in list_files(url)] == [False, True, True]
    packed, plain = cases.describe(url), cases.describe(alone)
    for table, key in (("anchors", "anchor_id"), ("contrasts", "contrast_id"), ("rejects", "reject_id")):
        wanted = sorted(plain[table], key=lambda row: getattr(row, key))
        assert sorted(packed[table], key=lambda row: getattr(row, key)) == wanted
    assert not list(Dataset(url).store.folder.glob("work/??/*.parquet"))


def test_a_rerun_finds_every_shard_and_commits_nothing(url):
    published = publish(url)
    again = publish(url)
    assert (published.changed, again.changed) == (True, False)
    staged = StagedShards(url)
    keys = cases.stage_run(url, "one", 5)[ANCHORS]
    found = list(StagedShards(url).find_all(keys))
    for number, shard in enumerate(found):
        anchors = cases.make_anchors("one", number)
        assert shard.read(ANCHORS).equals(to_table(anchors, "anchors"))
        assert shard.read(ANCHORS, ["domain", "anchor_id"]).column_names == ["domain", "anchor_id"]
        assert shard.pick(ANCHORS, ["split"])["split"].to_pylist() == [anchor.split for anchor in anchors]
    assert staged.store.list_names(FOLDER)


def test_more_shards_at_the_end_leave_the_packs_and_take_no_contrast_away(url):
    publish(url, shards=3)
    before = [path for path in list_files(url) if "pack-" in path]
    publish(url, shards=4)
    assert len(before) == 1 and set(before) < set(list_files(url))
    assert len(list_files(url)) == 2
    assert [commit.step for commit in Dataset(url).history() if commit.step == "withdraw"] == []
    assert cases.find_mixture(Dataset(url), shards=4) is None


def test_the_bytes_are_those_of_the_shards_whichever_night_staged_them(url, tmp_path):
    other = str(tmp_path / "other")
    publish(url, shards=6)
    for shards in (1, 4, 3, 6):
        publish(other, shards=shards)
    assert cases.describe(other) == cases.describe(url)


def test_a_shard_that_lies_in_a_pack_alone_becomes_a_file_again_byte_for_byte(url, tmp_path):
    calm = str(tmp_path / "calm")
    publish(calm, shards=3)
    publish(url, shards=4)
    publish(url, shards=3)
    assert cases.describe(url) == cases.describe(calm)


def test_a_pack_is_made_of_the_rows_of_another(url, tmp_path):
    calm = str(tmp_path / "calm")
    for where, runs in ((calm, [slice(1, 5)]), (url, [slice(0, 4), slice(1, 5)])):
        wanted = cases.stage_run(where, "one", 5)
        for some in runs:
            Dataset(where).publish({key: shards[some] for key, shards in wanted.items()})
    assert cases.describe(url) == cases.describe(calm)


def test_a_dataset_of_single_files_is_packed_by_the_next_publish(url, monkeypatch):
    with monkeypatch.context() as before:
        before.setattr(packing, "TOGETHER", 1000)
        versions = publish(url, shards=4).versions
    rows = {row.anchor_id for row in Dataset(url).anchors()}
    published = publish(url, shards=4)
    assert (published.changed, published.stale) == (True, ())
    assert len(list_files(url)) == 2
    assert {row.anchor_id for row in Dataset(url).anchors()} == rows
    assert all(each.is_empty for each in Dataset(url).diff("anchors", versions["anchors"]))
    assert all(each.is_empty for each in Dataset(url).diff("contrasts", versions["contrasts"]))


@pytest.mark.parametrize("how", ["cut short", "changed", "gone"])
def test_a_damaged_pack_is_found_and_healed_by_the_next_run(url, tmp_path, caplog, how):
    calm = str(tmp_path / "calm")
    for each in (calm, url):
        publish(each, shards=4)
    path = Dataset(url).store.folder / list_files(url)[0]
    content = path.read_bytes()
    path.write_bytes(content[:-9] if how == "cut short" else content[:99] + bytes([content[99] ^ 4]) + content[100:])
    if how == "gone":
        path.unlink()
    with caplog.at_level(logging.WARNING):
        published = publish(url, shards=4)
    assert "its shards are made again" in caplog.text
    assert not published.changed
    assert cases.describe(url) == cases.describe(calm)


def test_a_damaged_record_of_a_pack_costs_its_shards_and_nothing_else(url, tmp_path):
    calm = str(tmp_path / "calm")
    for each in (calm, url):
        publish(each, shards=4)
    for record in (Dataset(url).store.folder / FOLDER).glob("*.json"):
        record.write_text(record.read_text()[:-20])
    assert StagedShards(url).find(cases.stage_run(calm, "one", 4)[ANCHORS][0]) is None
    assert not publish(url, shards=4).changed
    assert cases.describe(url) == cases.describe(calm)


def test_published_shards_are_found_in_packs_even_without_the_work_folder(url):
    publish(url, shards=5)
    dataset = Dataset(url)
    listed = dataset.shards("anchors", "geometry")
    wanted = cases.stage_run(url, "one", 5)[ANCHORS]
    # Packs lie in the order of their names, but what lies in one follows the run's order.
    assert sorted(key for key, _ in listed) == sorted(wanted)
    pairs = {tuple(wanted[:2]), tuple(wanted[2:4])}
    assert {tuple(key for key, _ in listed[at : at + 2]) for at in (0, 2)} == pairs
    shutil.rmtree(dataset.store.folder / "work")
    adopted = Dataset(url).shards("anchors", "geometry")
    read = [StagedShards(url).find(key).read(ANCHORS) for key, _ in adopted]
    assert sum(table.num_rows for table in read) == 20
    assert Dataset(url).shards("anchors", "geometry") == adopted


def test_a_part_whose_manifest_is_gone_gets_a_shard_of_its_own(url):
    publish(url, shards=2)
    gone = cases.stage_run(url, "one", 2)[ANCHORS][1]
    StagedShards(url).store.remove(f"work/{gone[:2]}/{gone}.json")
    (first, rows), (second, _) = Dataset(url).shards("anchors", "geometry")
    assert (first, rows) == (cases.stage_run(url, "one", 2)[ANCHORS][0], 4)
    assert second != gone
    assert StagedShards(url).find(second).read(ANCHORS).equals(to_table(cases.make_anchors("one", 1), "anchors"))


def test_large_files_and_files_without_rows_stay_by_themselves(url, monkeypatch):
    staged = StagedShards(url)
    rows = [cases.make_anchors("one", shard, count) for shard, count in enumerate((4, 300, 0, 4))]
    monkeypatch.setattr(packing, "TOGETHER", 4)
    for number, each in enumerate(rows):
        staged.write(fingerprint("mixed", number), {ANCHORS: to_table(each, "anchors")})
    monkeypatch.setattr(packing, "SMALL_BYTES", staged.peek(fingerprint("mixed", 1)).files[ANCHORS].size)
    Dataset(url).publish({ANCHORS: [fingerprint("mixed", number) for number in range(4)]})
    assert sorted(file.rows for file in Dataset(url).snapshot().files("anchors")) == [8, 300]
    assert all(StagedShards(url).find_all(fingerprint("mixed", number) for number in range(4)))


def test_row_groups_stay_small_enough_to_stream(url, monkeypatch):
    monkeypatch.setattr(packing, "TOGETHER", 6)
    monkeypatch.setattr(packing, "ROW_GROUP_ROWS", 10)
    publish(url, shards=6)
    (path,) = list_files(url)
    groups = pq.ParquetFile(Dataset(url).store.folder / path).metadata
    assert [groups.row_group(each).num_rows for each in range(groups.num_row_groups)] == [8, 8, 8]


def test_a_vacuum_keeps_the_shards_of_packs_and_forgets_packs_that_are_gone(url):
    publish(url, "old", shards=2)
    kept = publish(url, "new", shards=2).versions
    records = len(Dataset(url).store.list_names(FOLDER))
    Dataset(url).vacuum(retention_hours=0)
    assert len(Dataset(url).store.list_names(FOLDER)) == records // 2
    staged = StagedShards(url)
    assert all(staged.find(key) for keys in cases.stage_run(url, "new", 2).values() for key in keys)
    assert staged.find(fingerprint("anchors", "old", 0)) is None
    assert Dataset(url).versions() == kept
    publish(url, "old", shards=2)
    assert cases.find_mixture(Dataset(url), shards=2) is None


def test_anchors_that_are_there_twice_are_refused_in_packs_too(url):
    staged, anchors = StagedShards(url), cases.make_anchors("one", 0)
    keys = [fingerprint("twice", number) for number in range(2)]
    for number, key in enumerate(keys):
        rows = [replace(anchor, caption=f"{number}") for anchor in anchors]
        staged.write(key, {ANCHORS: to_table(rows, "anchors")})
    with pytest.raises(StorageError, match="twice: keep each anchor once"):
        Dataset(url).publish({ANCHORS: keys})
    assert not Dataset(url).exists() or list_files(url) == []


@pytest.mark.slow
def test_a_publish_that_is_killed_at_any_step_ends_as_undisturbed(tmp_path):
    context = fork_with("storage_cases", "counterfoil.storage.dataset")
    base, calm = str(tmp_path / "base"), str(tmp_path / "calm")
    publish(base, "old", 2)
    old = cases.describe(base)
    shutil.copytree(base, calm)
    publish(calm, "new", 2)
    new = cases.describe(calm)
    step, unfinished = 0, 0
    while True:
        step += 1
        url = str(tmp_path / f"step{step}")
        shutil.copytree(base, url)
        process = context.Process(target=cases.publish_and_die, args=(url, "new", step, False, 2, 2))
        process.start()
        process.join(PATIENCE_S)
        if process.exitcode == 0:
            break
        seen = cases.describe(url)
        assert seen in (old, new)
        unfinished += read_intent(Dataset(url).store) is not None
        publish(url, "new", 2)
        assert cases.describe(url) == new
        assert not list(Dataset(url).store.folder.glob("work/??/*.parquet"))
        shutil.rmtree(url)
    assert step > 15
    assert unfinished >= 4


def test_records_that_another_process_writes_are_found(url):
    here, there = (Packs(StagedShards(url).store) for _ in range(2))
    here.refresh()
    pack = Pack("anchors/domain=geometry/pack-ab.parquet", 7, "ab", None, (Part("cd-ef", 0, 4),))
    there.add(pack)
    assert here.find(ANCHORS, "cd-ef") is None
    here.refresh()
    assert here.find(ANCHORS, "cd-ef") == pack == here.get(pack.path)
    assert here.find("anchors/domain=theorem", "cd-ef") is None
    assert here.find_whole(ANCHORS, "cd-ef") is None
    assert here.all() == []
