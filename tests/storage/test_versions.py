"""Versions: which can be read, what changed, what a vacuum keeps, and a reader that goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest
import storage_cases as cases

from counterfoil.storage.dataset import Dataset, StorageError
from counterfoil.storage.joining import Join
from counterfoil.storage.rows import Provenance, fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards


@pytest.fixture
def url(tmp_path):
    return str(tmp_path / "data")


def regenerate(url, family, tag, change):
    """Replace a family by its rows of ``tag``, each changed."""
    anchors = [anchor for shard in range(2) for anchor in cases.make_anchors(tag, shard)]
    rows = [change(row) for row in cases.make_contrasts(anchors, family)]
    key = fingerprint("regenerated", family, [row.contrast_id for row in rows], str(rows))
    StagedShards(url).write(key, {f"contrasts/family={family}": to_table(rows, "contrasts")})
    return Dataset(url).publish({f"contrasts/family={family}": [key]})


def test_a_reader_of_a_version_goes_on_while_its_family_is_regenerated(url):
    dataset = Dataset(url)
    dataset.publish(cases.stage_run(url, "one", 2))
    snapshot = dataset.snapshot()
    wanted = [row.text for row in snapshot.contrasts("geometry.caption")]
    join = Join(snapshot, ["geometry.caption"])
    reader = snapshot.contrasts("geometry.caption")
    begun = [next(reader).text]

    regenerate(url, "geometry.caption", "one", lambda row: replace(row, text=f"{row.text}, again").accept(row.rank, ()))

    assert begun + [row.text for row in reader] == wanted
    joined = [row for block in join.blocks for row in join.read(block, [], ["text"])]
    assert {contrast["text"] for row in joined for contrast in row.contrasts} == set(wanted)
    assert all(row.text.endswith(", again") for row in dataset.contrasts("geometry.caption"))


def test_a_diff_tells_new_rows_from_changed_ones_and_reads_no_shared_file(url, monkeypatch):
    dataset = Dataset(url)
    first = dataset.publish(cases.stage_run(url, "one", 2)).versions["contrasts"]
    second = regenerate(
        url, "geometry.caption", "one", lambda row: replace(row, provenance=Provenance(seed=99))
    ).versions["contrasts"]
    third = regenerate(
        url, "geometry.caption", "one", lambda row: replace(row, text=f"{row.text}!").accept(row.rank, ())
    ).versions["contrasts"]

    caption, image = dataset.diff("contrasts", first, second)
    assert (caption.partition, caption.added, caption.removed, len(caption.changed)) == ("geometry.caption", (), (), 24)
    assert (image.is_empty, image.kept) == (True, 24)
    (only,) = dataset.diff("contrasts", second, third, "geometry.caption")
    assert (len(only.added), len(only.removed), only.changed, only.kept) == (24, 24, (), 0)
    monkeypatch.setattr(
        "counterfoil.storage.reading.Snapshot.fragment", lambda *_: pytest.fail("a shared file was read")
    )
    assert dataset.diff("contrasts", first, third, "geometry.image")[0].kept == 24
    with pytest.raises(StorageError, match=r"contrasts has no geometry\.mirror in either version"):
        dataset.diff("contrasts", first, third, "geometry.mirror")


def test_a_vacuum_keeps_the_states_after_the_newest_publishes_and_their_anchors(url):
    dataset = Dataset(url)
    states = [dataset.publish(cases.stage_run(url, tag, 1)).versions for tag in ("one", "two", "three")]
    gone = dataset.store.list("anchors")

    listed = dataset.vacuum(keep=2, dry_run=True)
    assert dataset.store.list("anchors") == gone
    assert dataset.vacuum(keep=2) == listed
    assert dataset.vacuum(keep=2) == []

    assert cases.find_mixture(dataset, shards=1) is None
    assert {row.source for row in dataset.snapshot(states[1]).anchors()} == {"two"}
    assert {row.text.split()[0] for row in dataset.snapshot(states[1]).contrasts()} == {"two"}
    with pytest.raises(StorageError, match=r"version 1 of contrasts .* was vacuumed.*counterfoil history"):
        dataset.diff("contrasts", states[0]["contrasts"])
    readable = {c.version for c in dataset.history() if c.step == "publish" and dataset.is_readable(c.table, c.version)}
    assert readable == {2, 3, 5}
    with pytest.raises(StorageError, match="cannot keep 0 versions"):
        dataset.vacuum(keep=0)


def test_a_reader_that_a_vacuum_overtakes_is_told(url):
    dataset = Dataset(url)
    dataset.publish(cases.stage_run(url, "one", 2))
    snapshot = dataset.snapshot()
    join = Join(snapshot, ["geometry.caption"])
    dataset.publish(cases.stage_run(url, "two", 2))
    dataset.vacuum(keep=1)
    with pytest.raises(StorageError, match="was vacuumed: files of geometry are gone"):
        list(snapshot.anchors())
    with pytest.raises(StorageError, match="was vacuumed"):
        list(join.read(join.blocks[0], ["caption"], ["text"]))
