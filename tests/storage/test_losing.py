"""What a publish would take away is known before it is done, and an older version is brought back whole."""

from __future__ import annotations

import pytest
import storage_cases as cases

from counterfoil.storage.dataset import Dataset, StorageError
from counterfoil.storage.packing import TOGETHER


@pytest.fixture
def url(tmp_path):
    return str(tmp_path / "data")


def list_rows(dataset):
    return {
        table: sorted(row[f"{table[:-1]}_id"] for batch in dataset.scan(table) for row in batch.to_pylist())
        for table in ("anchors", "contrasts", "rejects")
    }


class Stopped(Exception):  # noqa: N818
    pass


def ask(dataset, replacements):
    """What the guard of a publish is told; the publish is stopped."""
    told = []

    def guard(changes):
        told.extend(changes)
        raise Stopped

    with pytest.raises(Stopped):
        dataset.publish(replacements, guard=guard)
    return told


def test_rows_that_would_go_are_counted_by_their_ids_and_nothing_is_replaced(url):
    dataset = Dataset(url)
    dataset.publish(cases.stage_run(url, "one", 3))
    before = list_rows(dataset), dataset.versions()
    told = {change.partition: change for change in ask(dataset, cases.stage_run(url, "one", 1))}
    assert {name: (change.lost, change.before, change.after) for name, change in told.items()} == {
        "geometry": (8, 12, 4),
        "geometry.caption": (24, 36, 12),
        "geometry.image": (24, 36, 12),
    }
    assert told["geometry"].example == min({row.anchor_id for s in (1, 2) for row in cases.make_anchors("one", s)})
    assert (list_rows(dataset), dataset.versions()) == before


def test_more_rows_lose_none_also_where_they_come_to_lie_in_a_pack(url):
    dataset = Dataset(url)
    dataset.publish(cases.stage_run(url, "one", 3))
    told = []
    dataset.publish(cases.stage_run(url, "one", TOGETHER + 1), guard=told.extend)
    assert told == []
    again = {change.partition: change.lost for change in ask(dataset, cases.stage_run(url, "one", TOGETHER))}
    assert again == {"geometry": 4, "geometry.caption": 12, "geometry.image": 12}


def test_families_that_go_with_their_anchors_are_counted_too(url):
    dataset = Dataset(url)
    dataset.publish(cases.stage_run(url, "one", 2))
    fewer = {key: shards for key, shards in cases.stage_run(url, "two", 2).items() if not key.endswith(".image")}
    assert {change.partition: change.lost for change in ask(dataset, fewer)} == {
        "geometry": 8,
        "geometry.caption": 24,
        "geometry.image": 24,
    }


def test_an_older_version_is_brought_back_whole_and_the_restore_can_be_undone(url):
    dataset = Dataset(url)
    states = []
    for tag in ("one", "two"):
        versions = dataset.publish(cases.stage_run(url, tag, 2), metadata={"recipe": {tag: {}}}).versions
        states.append((versions["contrasts"], list_rows(dataset)))
    (first, one), (second, two) = states

    done = dataset.restore(first)
    assert done.changed and list_rows(dataset) == one
    assert cases.find_mixture(dataset, shards=2) is None
    dataset.restore(second)
    assert list_rows(dataset) == two
    assert not dataset.restore(second).changed


def test_a_version_that_nobody_saw_or_a_vacuum_took_is_refused(url):
    dataset = Dataset(url)
    first = dataset.publish(cases.stage_run(url, "one", 2)).versions["contrasts"]
    last = dataset.publish(cases.stage_run(url, "two", 2)).versions["contrasts"]
    assert last == first + 2  # one withdraws the old contrasts, one brings the new
    with pytest.raises(StorageError, match=rf"never saw version {first + 1} of contrasts: they saw .*{last}"):
        dataset.restore(first + 1)
    dataset.vacuum(keep=1)
    before = list_rows(dataset)
    with pytest.raises(StorageError, match="vacuumed"):
        dataset.restore(first)
    assert list_rows(dataset) == before
