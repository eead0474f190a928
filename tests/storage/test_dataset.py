"""The tables: what a publish makes visible, what it removes, and what readers of all kinds find."""

from __future__ import annotations

import io
import json
import shutil

import duckdb
import pyarrow.compute as pc
import pytest
import storage_cases as cases
from deltalake import DeltaTable
from PIL import Image

from counterfoil.storage.dataset import Dataset, StorageError
from counterfoil.storage.publish import INTENT_PATH
from counterfoil.storage.rows import Reject, fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards


@pytest.fixture
def url(tmp_path):
    return str(tmp_path / "data")


def test_what_was_staged_is_what_is_read(url):
    dataset = Dataset(url)
    assert dataset.versions() == {"anchors": -1, "contrasts": -1, "rejects": -1}
    assert (list(dataset.anchors()), dataset.exists(), dataset.history()) == ([], False, [])

    published = dataset.publish(cases.stage_run(url, "one"), metadata={"sandbox_level": "L3"})

    made = [anchor for shard in range(3) for anchor in cases.make_anchors("one", shard)]
    by_id = sorted(made, key=lambda row: row.anchor_id)
    assert sorted(dataset.anchors(), key=lambda row: row.anchor_id) == by_id
    for family in cases.FAMILIES:
        expected = sorted(cases.make_contrasts(made, family), key=lambda row: row.contrast_id)
        assert sorted(dataset.contrasts(family), key=lambda row: row.contrast_id) == expected
        assert len(list(dataset.rejects(family))) == 3
    assert published.rows["contrasts/family=geometry.image"] == 36
    assert list((dataset.store.folder / "work").rglob("*.parquet")) == []


def test_publishing_the_same_again_commits_nothing(url):
    dataset = Dataset(url)
    first = dataset.publish(cases.stage_run(url, "one"))
    again = dataset.publish(cases.stage_run(url, "one"), metadata={"another": "run"})
    assert (first.changed, again.changed) == (True, False)
    assert again.versions == first.versions
    assert all(StagedShards(url).find(key) for keys in cases.stage_run(url, "one").values() for key in keys)


def test_more_shards_are_added_and_nothing_else_is_touched(url):
    dataset = Dataset(url)
    dataset.publish(cases.stage_run(url, "one", shards=2))
    before = {file.path for file in dataset.active_files()}
    published = dataset.publish(cases.stage_run(url, "one", shards=3))
    assert before < {file.path for file in dataset.active_files()}
    assert published.stale == ()
    assert [commit.step for commit in dataset.history() if commit.version == published.versions["contrasts"]][:1] == [
        "publish"
    ]
    assert not any(commit.step == "withdraw" for commit in dataset.history())


def test_families_whose_anchors_went_away_are_removed_and_named(url):
    dataset = Dataset(url)
    dataset.publish(cases.stage_run(url, "old"))
    replacements = cases.stage_run(url, "new")
    del replacements["contrasts/family=geometry.image"]

    published = dataset.publish(replacements)

    assert published.stale == ("geometry.image",)
    assert "geometry.image is removed" in published.messages[0]
    assert "counterfoil regenerate geometry.image" in published.messages[0]
    assert dataset.snapshot().partitions("contrasts") == ["geometry.caption"]
    assert dataset.snapshot().partitions("rejects") == ["geometry.caption"]
    assert cases.find_mixture(dataset, ("geometry.caption",)) is None


def test_other_domains_stay_when_anchors_of_one_change(url):
    dataset = Dataset(url)
    dataset.publish(cases.stage_run(url, "old"))
    anchors = cases.make_anchors("charts", 0, domain="flowchart")
    contrasts = cases.make_contrasts(anchors, "flowchart.flip")
    staged = StagedShards(url)
    staged.write("cd" * 8, {"anchors/domain=flowchart": to_table(anchors, "anchors")})
    staged.write("ef" * 8, {"contrasts/family=flowchart.flip": to_table(contrasts, "contrasts")})
    published = dataset.publish({"anchors/domain=flowchart": ["cd" * 8], "contrasts/family=flowchart.flip": ["ef" * 8]})
    assert published.stale == ()
    dataset.publish(cases.stage_run(url, "new"))
    assert {row.contrast_id for row in dataset.contrasts("flowchart.flip")} == {row.contrast_id for row in contrasts}
    assert {anchor.source for anchor in dataset.anchors("geometry")} == {"new"}
    assert {anchor.source for anchor in dataset.anchors("flowchart")} == {"charts"}


def test_an_old_version_is_readable_by_number_until_vacuum(url):
    dataset = Dataset(url)
    old = dataset.publish(cases.stage_run(url, "old")).versions
    dataset.publish(cases.stage_run(url, "new"))

    then = dataset.snapshot(old)
    assert {anchor.source for anchor in then.anchors()} == {"old"}
    assert sum(batch.num_rows for batch in dataset.scan("contrasts", version=old["contrasts"])) == 72

    assert dataset.vacuum(retention_hours=168) == []
    listed = dataset.vacuum(retention_hours=0, dry_run=True)
    assert {anchor.source for anchor in then.anchors()} == {"old"}
    assert sorted(dataset.vacuum(retention_hours=0)) == sorted(listed)
    assert sum(path.startswith("anchors/") for path in listed) == 3
    with pytest.raises(StorageError, match=r"version 1 of anchors in .* was vacuumed: files of geometry are gone"):
        dataset.snapshot(old)
    with pytest.raises(StorageError, match=r"version 1 of anchors in .* was vacuumed"):
        list(then.anchors())
    assert cases.find_mixture(dataset) is None
    assert dataset.publish(cases.stage_run(url, "old")).changed
    assert {anchor.source for anchor in dataset.anchors()} == {"old"}
    with pytest.raises(StorageError, match="no version 99 of anchors: its versions are 0 to 3"):
        dataset.snapshot({"anchors": 99})


def test_vacuum_keeps_the_shards_of_what_is_active(url):
    dataset = Dataset(url)
    replacements = cases.stage_run(url, "one")
    dataset.publish(replacements)
    cases.stage_run(url, "never published")
    dataset.vacuum(retention_hours=0)
    staged = StagedShards(url)
    assert all(staged.find(key) for keys in replacements.values() for key in keys)
    assert staged.find(fingerprint("anchors", "never published", 0)) is None
    assert list((dataset.store.folder / "work").rglob("*.parquet")) == []


def test_the_history_tells_what_each_commit_did_and_holds_no_rows(url):
    dataset = Dataset(url)
    dataset.publish(cases.stage_run(url, "one"), metadata={"recipe": {"dataset": {"seed": 7}}, "sandbox_level": "L3"})
    commit = next(commit for commit in dataset.history() if commit.table == "contrasts" and commit.version == 1)
    assert commit.metadata == {"recipe": {"dataset": {"seed": 7}}, "sandbox_level": "L3"}
    assert (commit.partitions, commit.rows_added, commit.rows_removed) == (cases.FAMILIES, 72, 0)
    log = (dataset.store.folder / "contrasts" / "_delta_log" / f"{1:020d}.json").read_text()
    assert "negative 0" not in log
    assert json.loads(log.splitlines()[0])


def test_counts_are_per_family_split_and_reason_code(url):
    dataset = Dataset(url)
    dataset.publish(cases.stage_run(url, "one"))
    counts = dataset.counts()
    assert counts.anchors == {"geometry": 12}
    assert counts.splits == {"geometry": {"train": 6, "val": 6}}
    assert counts.contrasts == dict.fromkeys(cases.FAMILIES, 36)
    assert counts.anchors_with == dict.fromkeys(cases.FAMILIES, 12)
    assert counts.rejects == dict.fromkeys(cases.FAMILIES, 3)
    assert counts.reasons == {family: {"not_visible": 3} for family in cases.FAMILIES}


def test_a_scan_takes_columns_a_filter_and_a_batch_size(url):
    dataset = Dataset(url)
    dataset.publish(cases.stage_run(url, "one"))
    batches = list(dataset.scan("contrasts", ["rank", "family"], pc.field("rank") == 1, batch_size=5))
    assert all(batch.num_rows <= 5 for batch in batches)
    rows = [row for batch in batches for row in batch.to_pylist()]
    assert len(rows) == 24
    assert {row["rank"] for row in rows} == {1}
    assert {row["family"] for row in rows} == set(cases.FAMILIES)
    by_split = dataset.scan("anchors", ["anchor_id"], pc.field("split") == "val")
    assert sum(batch.num_rows for batch in by_split) == 6
    with pytest.raises(StorageError, match="no column picture; it has anchor_id"):
        list(dataset.scan("anchors", ["picture"]))
    with pytest.raises(StorageError, match="no table 'negatives'"):
        list(dataset.scan("negatives"))


def test_a_row_is_found_by_the_first_digits_of_its_id(url):
    dataset = Dataset(url)
    dataset.publish(cases.stage_run(url, "one"))
    anchor = next(dataset.anchors())
    contrast = next(dataset.contrasts("geometry.image"))
    assert dataset.find_row(anchor.anchor_id[:12]) == anchor
    assert dataset.find_row(contrast.contrast_id) == contrast
    snapshot = dataset.snapshot()
    assert snapshot.get_anchors([anchor.anchor_id, "no such"]) == {anchor.anchor_id: anchor}
    assert [(row.family, row.rank) for row in snapshot.contrasts_of(anchor.anchor_id)] == [
        (family, rank) for family in cases.FAMILIES for rank in range(3)
    ]
    with pytest.raises(StorageError, match="no row of"):
        dataset.find_row("zzzz")
    with pytest.raises(StorageError, match="its first 4 digits are enough"):
        dataset.find_row("a")


def test_a_reject_is_found_by_its_id_and_an_anchor_by_its_source_row(url):
    dataset = Dataset(url)
    dataset.publish(cases.stage_run(url, "one"))
    reject = next(dataset.rejects())
    assert dataset.find_row(reject.reject_id[:10]) == reject
    anchor = next(dataset.anchors())
    assert dataset.find_row(anchor.source_id) == anchor
    unread = Reject("geometry.anchor", ("unreadable: no text",), source="geometry3k", source_id="7", source_row="{}")
    other = Reject("geometry.anchor", ("unreadable: no text",), source="geometry3k", source_id="8", source_row="{}")
    StagedShards(url).write("cd" * 8, {"rejects/family=geometry.anchor": to_table([unread, other], "rejects")})
    dataset.publish({"rejects/family=geometry.anchor": ["cd" * 8]})
    assert dataset.find_row("7") == unread
    assert dataset.find_row(other.reject_id) == other


def test_several_rows_with_the_same_first_digits_are_named(url):
    anchors = [
        type(a)(**{**{f: getattr(a, f) for f in a.__slots__}, "anchor_id": f"abcd{i}"})
        for i, a in enumerate(cases.make_anchors("one", 0))
    ]
    StagedShards(url).write("ab" * 8, {"anchors/domain=geometry": to_table(anchors, "anchors")})
    Dataset(url).publish({"anchors/domain=geometry": ["ab" * 8]})
    with pytest.raises(StorageError, match=r"4 rows begin with 'abcd' \(abcd0, abcd1"):
        Dataset(url).find_row("abcd")
    assert Dataset(url).find_row("abcd2").anchor_id == "abcd2"


def test_an_anchor_that_is_there_twice_is_refused(url):
    staged = StagedShards(url)
    anchors = cases.make_anchors("one", 0)
    for key in ("ab" * 8, "cd" * 8):
        staged.write(key, {"anchors/domain=geometry": to_table(anchors, "anchors")})
    with pytest.raises(StorageError, match=r"in anchors/domain=geometry twice: keep each anchor once"):
        Dataset(url).publish({"anchors/domain=geometry": ["ab" * 8, "cd" * 8]})
    staged.write("ef" * 8, {"anchors/domain=geometry": to_table([*anchors, anchors[0]], "anchors")})
    with pytest.raises(StorageError, match="twice"):
        Dataset(url).publish({"anchors/domain=geometry": ["ef" * 8]})


def test_what_is_not_staged_or_misnamed_is_refused(url):
    dataset = Dataset(url)
    with pytest.raises(StorageError, match=r"shard abababababab is not staged in .*: run its stage first"):
        dataset.publish({"anchors/domain=geometry": ["ab" * 8]})
    with pytest.raises(StorageError, match="is no partition"):
        dataset.publish({"anchors/geometry": []})
    replacements = cases.stage_run(url, "one")
    with pytest.raises(StorageError, match=r"has no contrasts/family=geometry\.rule; it has"):
        dataset.publish({"contrasts/family=geometry.rule": replacements["contrasts/family=geometry.image"]})
    assert not dataset.exists()


def test_published_shards_are_found_again_even_without_the_work_folder(url):

    dataset = Dataset(url)
    replacements = cases.stage_run(url, "one")
    dataset.publish(replacements)
    listed = dataset.shards("anchors", "geometry")
    assert sorted(key for key, _ in listed) == sorted(replacements["anchors/domain=geometry"])
    assert {rows for _, rows in listed} == {4}

    shutil.rmtree(dataset.store.folder / "work")
    adopted = Dataset(url).shards("anchors", "geometry")
    read = [StagedShards(url).find(key).read("anchors/domain=geometry") for key, _ in adopted]
    assert sum(table.num_rows for table in read) == 12
    assert Dataset(url).shards("anchors", "geometry") == adopted


def test_a_damaged_intent_is_told(url):
    dataset = Dataset(url)
    dataset.publish(cases.stage_run(url, "one"))
    (dataset.store.folder / INTENT_PATH).write_text("{")
    with pytest.raises(StorageError, match=r"publish\.json is damaged .*remove it and run again"):
        dataset.versions()


def test_duckdb_reads_a_table_in_one_line(url):

    Dataset(url).publish(cases.stage_run(url, "old"))
    Dataset(url).publish(cases.stage_run(url, "new"))
    query = "select family, count(*) from contrasts group by family order by family"
    one_line = duckdb.from_arrow(Dataset(url).snapshot().arrow("contrasts")).query("contrasts", query).fetchall()
    assert one_line == [(family, 36) for family in cases.FAMILIES]
    contrasts, anchors = (Dataset(url).snapshot().arrow(table) for table in ("contrasts", "anchors"))
    joined = "select count(*) from contrasts join anchors using (anchor_id) where anchors.source = 'new'"
    assert duckdb.sql(joined).fetchall() == [(72,)]
    assert contrasts.schema.names and anchors.schema.names


def test_plain_delta_readers_see_the_partition_column_and_the_pictures(url):

    Dataset(url).publish(cases.stage_run(url, "one"))
    table = DeltaTable(f"{url}/anchors")
    rows = table.to_pyarrow_table(filters=[("domain", "=", "geometry")]).to_pylist()
    assert len(rows) == 12
    assert {row["domain"] for row in rows} == {"geometry"}
    assert Image.open(io.BytesIO(rows[0]["image"]["bytes"])).size == (24, 16)
