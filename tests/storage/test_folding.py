"""Manifests of published shards on an object store: many in one record, instead of one by itself for each shard."""

from __future__ import annotations

import json
import re

import pytest
import storage_cases as cases

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.manifests import FOLDER, manifest_path
from counterfoil.storage.packing import Placed
from counterfoil.storage.parquet import hash_bytes
from counterfoil.storage.staged import StagedShards
from counterfoil.storage.store import Store
from tests.serving import run_s3

SHARDS = 3


@pytest.fixture(scope="module")
def bucket():
    with run_s3("folding") as given, pytest.MonkeyPatch.context() as patch:
        for name, value in given.items():
            patch.setenv(name, value)
        yield "s3://folding"


@pytest.fixture
def published(bucket, request, monkeypatch):
    """A dataset whose anchors and contrasts lie in packs of two shards, and one shard by itself; what was published."""
    monkeypatch.setattr("counterfoil.storage.packing.TOGETHER", 2)
    url = f"{bucket}/{hash_bytes(request.node.name.encode())[:12]}/data"
    wanted = cases.stage_run(url, "one", SHARDS)
    Dataset(url).publish(wanted)
    return url, wanted


def list_shards(wanted) -> list[str]:
    return list(dict.fromkeys(key for keys in wanted.values() for key in keys))


def list_alone(url) -> list[str]:
    return [path for path in Store(url).list("work") if re.fullmatch(r"work/../[0-9a-f]{64}\.json", path)]


def test_folded_shards_are_found_read_and_noted_as_before(published):
    url, wanted = published
    assert not list_alone(url)
    staged = StagedShards(url)
    shards = list(staged.find_all(list_shards(wanted)))
    assert all(shard.is_folded for shard in shards)
    assert [shard.meta for shard in shards[:SHARDS]] == [{"rows_in": 4}] * SHARDS
    for number, shard in enumerate(shards[:SHARDS]):
        sources = shard.read("anchors/domain=geometry")["source_id"].to_pylist()
        assert sources == [f"{number}-{i}" for i in range(4)]
        assert shard.pick("anchors/domain=geometry", ["source_id"])["source_id"].to_pylist() == sources


def test_what_another_process_folded_since_is_found(bucket, monkeypatch):
    monkeypatch.setattr("counterfoil.storage.packing.TOGETHER", 2)
    url = f"{bucket}/since/data"
    wanted = cases.stage_run(url, "one", SHARDS)
    other = StagedShards(url)
    keys = list_shards(wanted)
    held = [other.peek(key) for key in keys]
    Dataset(url).publish(wanted)
    assert [other.peek(key).is_folded for key in keys] == [True] * len(keys)
    assert held[0].read("anchors/domain=geometry").num_rows == 4


def test_a_folded_shard_whose_rows_are_damaged_is_made_again_and_others_stay(published):
    url, wanted = published
    staged = StagedShards(url)
    last = wanted["anchors/domain=geometry"][-1]
    path = staged.peek(last).files["anchors/domain=geometry"].table_path
    content = staged.store.read(path)
    staged.store.write(path, content[:-1])
    found = list(staged.find_all(list_shards(wanted)))
    assert [shard is None for shard in found] == [key == last for key in list_shards(wanted)]
    again = StagedShards(url)
    assert again.peek(last) is None and again.peek(list_shards(wanted)[0]) is not None
    Dataset(url).publish(cases.stage_run(url, "one", SHARDS))
    assert Store(url).read(path) == content
    assert not list_alone(url) and all(StagedShards(url).find_all(list_shards(wanted)))


@pytest.mark.slow
def test_a_damaged_record_is_removed_and_its_shards_are_made_again(published):
    url, wanted = published
    store = Store(url)
    seen = cases.describe(url)
    (name,) = store.list_names(FOLDER)
    store.write(f"{FOLDER}/{name}", store.read(f"{FOLDER}/{name}")[:-5])
    assert not any(StagedShards(url).find_all(list_shards(wanted)))
    assert not store.list_names(FOLDER)
    Dataset(url).publish(cases.stage_run(url, "one", SHARDS))
    assert cases.describe(url) == seen


@pytest.mark.slow
def test_a_vacuum_drops_folded_manifests_of_what_is_gone_and_keeps_those_of_what_is_seen(published):
    url, wanted = published
    new = cases.stage_run(url, "two", SHARDS)
    Dataset(url).publish(new)
    gone = {manifest_path(key) for key in list_shards(wanted)}
    assert gone <= {*Dataset(url).vacuum(0, dry_run=True)}
    assert all(StagedShards(url).find_all(list_shards(new)))
    assert gone <= {*Dataset(url).vacuum(0)}
    staged = StagedShards(url)
    assert not any(staged.peek(key) for key in list_shards(wanted))
    assert all(staged.find_all(list_shards(new)))
    assert cases.find_mixture(Dataset(url), shards=SHARDS) is None


def stage_as_before(url, wanted) -> None:
    """Lay the shards down as the version before did: manifests by themselves, small files in a bundle beside them."""
    staged = StagedShards(url)
    for key in list_shards(wanted):
        shard = staged.peek(key)
        contents = {file: staged.store.read(file.staged_path, file.span) for file in shard.files.values()}
        whole, files, version = b"".join(contents.values()), [], 1 if len(contents) == 1 else 2
        name = f"{key}-{hash_bytes(whole)[:16]}.bundle"
        first = 0
        for file, content in contents.items():
            told = {"key": file.key, "name": file.name, "rows": file.rows, "size": file.size, "sha256": file.sha256}
            files.append(told | ({} if version == 1 else {"bundle": name, "first": first}))
            first += len(content)
        path = f"work/{key[:2]}/{name if version == 2 else files[0]['name']}"
        tag = staged.store.write(path, whole)
        values = {"version": version, "fingerprint": key, "files": [each | {"tag": tag} for each in files]}
        body = json.dumps(values | {"meta": dict(shard.meta)}, sort_keys=True)
        staged.store.write(manifest_path(key), f"{hash_bytes(body.encode())}\n{body}\n".encode())


@pytest.mark.slow
def test_shards_as_the_version_before_staged_them_are_found_published_and_folded(published, bucket):
    url = f"{bucket}/before/data"
    wanted = cases.stage_run(url, "one", SHARDS)
    stage_as_before(url, wanted)
    shards = list(StagedShards(url).find_all(list_shards(wanted)))
    assert shards[-1].read("contrasts/family=geometry.image").num_rows == 12
    Dataset(url).publish(wanted)
    assert cases.describe(url) == cases.describe(published[0])
    assert not [path for path in Store(url).list("work") if path.endswith((".bundle", ".parquet"))]
    assert not list_alone(url) and all(StagedShards(url).find_all(list_shards(wanted)))


def test_a_dataset_that_the_version_before_published_is_read_and_folded_by_the_next_publish(bucket, monkeypatch):
    monkeypatch.setattr("counterfoil.storage.packing.TOGETHER", 2)
    url = f"{bucket}/published-before/data"
    wanted = cases.stage_run(url, "one", SHARDS)
    stage_as_before(url, wanted)
    with monkeypatch.context() as before:
        before.setattr("counterfoil.storage.dataset.fold_shards", lambda *_: [])
        Dataset(url).publish(wanted)
    seen = cases.describe(url)
    assert len(list_alone(url)) == 2 * SHARDS
    assert all(StagedShards(url).find_all(list_shards(wanted)))
    assert not Dataset(url).publish(wanted).changed
    assert not list_alone(url) and cases.describe(url) == seen
    assert all(StagedShards(url).find_all(list_shards(wanted)))


def test_what_is_held_for_a_publish_is_bounded_and_let_go(bucket, monkeypatch):
    url = f"{bucket}/held/data"
    wanted = cases.stage_run(url, "one", SHARDS)
    dataset = Dataset(url)
    monkeypatch.setattr("counterfoil.storage.store.HELD_BYTES", 20_000)
    held = []
    gathered = Placed.names.fget
    monkeypatch.setattr(Placed, "names", property(lambda self: held.append(dataset.store._held.size) or gathered(self)))
    dataset.publish(wanted)
    assert 0 < max(held) <= 20_000 and dataset.store._held.size == 0
    assert cases.find_mixture(dataset, shards=SHARDS) is None
