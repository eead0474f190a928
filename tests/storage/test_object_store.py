"""The same on an object store: S3 on loopback."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import re
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import storage_cases as cases

import counterfoil.storage.publish
from counterfoil.storage import locks
from counterfoil.storage.dataset import ConflictError, Dataset, StorageError
from counterfoil.storage.export import export
from counterfoil.storage.identity import find_identity, make_identity
from counterfoil.storage.publish import read_intent
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards
from counterfoil.storage.store import Store
from tests.patience import PATIENCE_S
from tests.serving import run_s3

ROUNDS = 2
FAMILIES = cases.FAMILIES
LOG = Path(tempfile.gettempdir()) / f"s3-{os.getpid()}.log"


@pytest.fixture(scope="module")
def processes(bucket):  # noqa: ARG001 - processes inherit its environment
    return multiprocessing.get_context("spawn")


@pytest.fixture(scope="module")
def bucket():
    with run_s3("night", LOG) as given, pytest.MonkeyPatch.context() as patch:
        for name, value in given.items():
            patch.setenv(name, value)
        yield "s3://night"
    LOG.unlink()


@pytest.fixture(params=["obstore", pytest.param("s3fs alone", marks=pytest.mark.slow)])
def client(request, monkeypatch):
    """Each of the two clients: the second is what there is where obstore is not installed."""
    if request.param != "obstore":
        monkeypatch.setitem(sys.modules, "obstore.store", None)
    return request.param.replace(" ", "-")


def test_where_obstore_is_missing_s3fs_does_its_part(bucket, client):
    store = Store(f"{bucket}/client-{client}/data")
    store.write("work/one", b"0123456789")
    assert store.read("work/one", slice(2, 5)) == b"234" and store.read("work/one", slice(8, 20)) == b"89"
    assert store.describe("work/one").size == 10 and store.describe("work/two") is None
    store.move_all([("work/one", "work/two")])
    assert store.list("work") == ["work/two"]
    assert (store._objects is None) == (client != "obstore")


def test_stage_publish_scan_and_export(bucket, client, tmp_path):
    url = f"{bucket}/whole-{client}/data"
    local = str(tmp_path / "data")
    for each in (url, local):
        Dataset(each).publish(cases.stage_run(each, "old", 1))
        Dataset(each).publish(cases.stage_run(each, "new", 2), metadata={"recipe": {"seed": 7}})

    # The very bytes of a local dataset.
    assert cases.describe(url) == cases.describe(local)
    dataset = Dataset(url)
    assert dataset.counts() == Dataset(local).counts()
    assert {anchor.source for anchor in dataset.snapshot({"anchors": 1}).anchors()} == {"old"}
    assert not dataset.publish(cases.stage_run(url, "new", 2)).changed
    anchor = next(dataset.anchors())
    assert dataset.find_row(anchor.anchor_id[:10]) == anchor

    export(url, tmp_path / "s3", title="night")
    export(local, tmp_path / "local", title="night")
    for path in (tmp_path / "local").rglob("*.parquet"):
        assert (tmp_path / "s3" / path.relative_to(tmp_path / "local")).read_bytes() == path.read_bytes()


def test_another_address_in_the_environment_is_another_store(monkeypatch):
    addresses = ["http://127.0.0.1:1", "http://127.0.0.1:2"]
    asked = []
    for address in addresses:
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        asked.append(Store("s3://night").filesystem.endpoint_url)
    assert asked == addresses


def test_options_stand_in_for_the_environment(bucket, monkeypatch):
    endpoint = os.environ["AWS_ENDPOINT_URL"]
    for name in ("AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    options = {"key": "testing", "secret": "testing", "endpoint_url": endpoint}
    url = f"{bucket}/options/data"
    dataset = Dataset(url, options)
    dataset.publish(cases.stage_run(url, "one", 1, options))
    assert cases.find_mixture(dataset, shards=1) is None


def test_a_changed_object_is_found_and_made_again(bucket, caplog):
    url = f"{bucket}/changed/data"
    replacements = cases.stage_run(url, "one", 1)
    staged = StagedShards(url)
    key = replacements["anchors/domain=geometry"][0]
    file = staged.find(key).files["anchors/domain=geometry"]
    content = bytearray(staged.store.read(file.staged_path))
    content[file.first + 100] ^= 1
    staged.store.write(file.staged_path, bytes(content))
    with caplog.at_level(logging.WARNING):
        assert staged.find(key) is None
    assert "does not have its checksum" in caplog.text
    Dataset(url).publish(cases.stage_run(url, "one", 1))
    assert cases.find_mixture(Dataset(url), shards=1) is None


@pytest.mark.parametrize(
    "step, what",
    [
        pytest.param(4, "copied files", marks=pytest.mark.slow),
        pytest.param(6, "copied all files", marks=pytest.mark.slow),
        pytest.param(8, "withdrew contrasts", marks=pytest.mark.slow),
        (9, "replaced anchors"),
    ],
)
def test_a_publish_that_was_killed_is_finished(bucket, processes, step, what):
    url = f"{bucket}/killed{step}/data"
    Dataset(url).publish(cases.stage_run(url, "old", 1))
    process = processes.Process(target=cases.publish_and_die, args=(url, "new", step, True, 1))
    process.start()
    process.join(PATIENCE_S)
    assert process.exitcode == -9, what
    dataset = Dataset(url)
    assert cases.find_mixture(dataset, shards=1) is None
    assert {anchor.source for anchor in dataset.anchors()} == {"old"}

    # The dead process' lock is not waited for.
    published = dataset.publish(cases.stage_run(url, "new", 1), wait_s=0)

    assert bool(published.messages) == (step > 6)
    assert {anchor.source for anchor in dataset.anchors()} == {"new"}
    assert cases.find_mixture(dataset, shards=1) is None
    assert read_intent(dataset.store) is None


@pytest.mark.slow
def test_a_publish_that_was_killed_between_folding_manifests_and_removing_them_is_tidied_by_the_next(bucket, processes):
    url = f"{bucket}/folded-twice/data"
    Dataset(url).publish(cases.stage_run(url, "old", 1))
    process = processes.Process(target=cases.publish_and_die, args=(url, "new", 14, True, 1))
    process.start()
    process.join(PATIENCE_S)
    assert process.exitcode == -9
    wanted = cases.stage_run(url, "new", 1)
    assert {anchor.source for anchor in Dataset(url).anchors()} == {"new"}
    assert len(list_manifests(url)) == 2 and len(StagedShards(url).store.list_names("work/manifests")) == 2
    assert not Dataset(url).publish(wanted, wait_s=0).changed
    assert not list_manifests(url)
    assert all(StagedShards(url).find_all(list_shards(wanted)))


def test_a_lock_of_another_host_holds_until_its_lease_ends(bucket, monkeypatch):
    url = f"{bucket}/lease/data"
    replacements = cases.stage_run(url, "one", 1)
    dataset = Dataset(url)
    owner = {"host": "elsewhere", "pid": 7, "started": 0, "at": time.time()}
    assert dataset.store.create(locks.LOCK_PATH, json.dumps(owner).encode())
    assert not dataset.store.create(locks.LOCK_PATH, b"{}")
    with pytest.raises(ConflictError, match="published to by process 7 on elsewhere"):
        dataset.publish(replacements, wait_s=0.2)
    monkeypatch.setattr(locks, "LEASE_S", 0.0)
    assert dataset.publish(replacements, wait_s=5).changed
    assert dataset.store.size(locks.LOCK_PATH) is None


def test_a_lock_is_renewed_for_as_long_as_it_is_held(bucket, monkeypatch):
    monkeypatch.setattr(locks, "BEAT_S", 0.1)
    monkeypatch.setattr(locks, "LEASE_S", 0.8)
    store = Dataset(f"{bucket}/renewed/data").store
    with locks.hold_publish_lock(store):
        first = store.read(locks.LOCK_PATH)
        with (
            pytest.raises(ConflictError, match="is being published to by process"),
            locks.hold_publish_lock(Dataset(store.url).store, wait_s=2),
        ):
            pytest.fail("two hold the lock")
        assert store.read(locks.LOCK_PATH) != first
    assert store.size(locks.LOCK_PATH) is None


def test_of_those_that_wait_for_a_dead_lock_one_takes_it(bucket):
    store = Dataset(f"{bucket}/dead/data").store
    store.write(locks.LOCK_PATH, b"dead")
    tag = store.tag(locks.LOCK_PATH)
    taken = [store.exchange(locks.LOCK_PATH, b"dead", tag, name) for name in (b"left", b"right")]
    assert taken == [True, False]
    assert store.read(locks.LOCK_PATH) == b"left"
    store.remove(locks.LOCK_PATH)
    assert not store.exchange(locks.LOCK_PATH, b"dead", tag, b"late")


@pytest.mark.slow
def test_a_publisher_that_slept_through_anothers_publish_is_fenced_off(bucket, monkeypatch):
    url = f"{bucket}/slept/data"
    Dataset(url).publish(cases.stage_run(url, "old", 1))
    other = cases.stage_run(url, "other", 1)
    write_intent = counterfoil.storage.publish.write_intent

    def sleep_through(store, intent):
        monkeypatch.setattr("counterfoil.storage.dataset.write_intent", write_intent)
        store.remove(locks.LOCK_PATH)
        Dataset(url).publish(other)
        write_intent(store, intent)

    monkeypatch.setattr("counterfoil.storage.dataset.write_intent", sleep_through)
    with pytest.raises(ConflictError, match=r"another run published to .* since this one began"):
        Dataset(url).publish(cases.stage_run(url, "sleeper", 1))
    assert read_intent(Dataset(url).store) is None
    assert {anchor.source for anchor in Dataset(url).anchors()} == {"other"}


@pytest.mark.slow
def test_an_intent_that_a_sleeper_left_and_died_is_dropped(bucket, monkeypatch):
    url = f"{bucket}/void/data"
    dataset = Dataset(url)
    dataset.publish(cases.stage_run(url, "old", 1))
    written = []
    monkeypatch.setattr("counterfoil.storage.dataset.carry_out", lambda _, intent: written.append(intent) or {})
    dataset.publish(cases.stage_run(url, "sleeper", 1))
    monkeypatch.undo()
    dataset.store.remove("work/publish.json")
    dataset.publish(cases.stage_run(url, "other", 1))
    counterfoil.storage.publish.write_intent(dataset.store, written[0])

    published = dataset.publish(cases.stage_run(url, "other", 1))

    assert "was dropped: another had published since it began" in published.messages[0]
    assert {anchor.source for anchor in dataset.anchors()} == {"other"}
    assert cases.find_mixture(dataset, shards=1) is None


def test_ids_are_read_without_the_pictures_beside_them(bucket, monkeypatch):
    url = f"{bucket}/ids/data"
    monkeypatch.setattr("counterfoil.storage.staged.SMALL", 0)
    key = cases.stage_run(url, "one", 1)["anchors/domain=geometry"][0]
    shard = StagedShards(url).peek(key)
    assert not shard.files["anchors/domain=geometry"].in_manifest
    monkeypatch.setattr("counterfoil.storage.store.Store.read", lambda *_: pytest.fail("a whole file was read"))
    picked = shard.pick("anchors/domain=geometry", ["split"])
    assert picked.to_pydict() == {"split": ["train", "val", "train", "val"]}


class Requests:
    """What the server was asked since, by its own log: whichever client asks."""

    def __init__(self, log) -> None:
        self.log = log
        self.clear()

    def clear(self) -> None:
        self.begin = self.log.stat().st_size

    def list(self) -> list[str]:
        """Methods in order, delta-rs's own in its logs apart; a listing is told from the reading of an object."""
        found = re.findall(r'"([A-Z]+) (\S+) HTTP', self.log.read_bytes()[self.begin :].decode())
        return ["LIST" if "list-type=" in path else method for method, path in found if "_delta_log" not in path]

    def count(self, method: str) -> int:
        return self.list().count(method)


@pytest.fixture
def sent(bucket):  # noqa: ARG001 - whose log it is
    return Requests(LOG)


def test_staging_a_file_takes_one_request_and_its_tag_stands_for_its_bytes(bucket, sent, monkeypatch):
    url = f"{bucket}/staging/data"
    monkeypatch.setattr("counterfoil.storage.staged.SMALL", 0)
    sent.clear()
    anchors = cases.make_anchors("one", 0)
    shard = StagedShards(url).write("ab" * 8, {"anchors/domain=geometry": to_table(anchors, "anchors")})
    assert sent.list() == ["PUT", "PUT"], "the file and its manifest"
    (file,) = shard.files.values()
    assert file.tag == StagedShards(url).store.tag(file.staged_path)
    sent.clear()
    assert StagedShards(url).find("ab" * 8)
    assert (sent.count("GET"), sent.count("HEAD")) == (1, 1)


def list_manifests(url) -> list[str]:
    """The manifests that lie by themselves."""
    return [path for path in Store(url).list("work") if re.fullmatch(r"work/../[0-9a-f]{16,64}\.json", path)]


def list_shards(wanted) -> list[str]:
    """The fingerprints of a run's shards, each once."""
    return list(dict.fromkeys(key for keys in wanted.values() for key in keys))


def test_small_files_of_a_shard_are_staged_behind_its_manifest_and_read_from_there(bucket, client, sent):
    url = f"{bucket}/bundled-{client}/data"
    anchors = cases.make_anchors("one", 0)
    tables = {
        f"contrasts/family={each}": to_table(cases.make_contrasts(anchors, each), "contrasts") for each in FAMILIES
    }
    sent.clear()
    StagedShards(url).write("ab" * 8, {**tables, "rejects/family=none.kept": to_table([], "rejects")})
    assert sent.list() == ["PUT"] * 2, "the file without rows, and the manifest with the others"
    sent.clear()
    shard = StagedShards(url).find("ab" * 8)
    assert len({file.staged_path for file in shard.files.values()}) == 2
    assert (sent.count("HEAD"), sent.count("GET")) == (1, 1)
    for key, table in tables.items():
        assert shard.read(key).equals(table)
        assert shard.pick(key, ["rank"])["rank"].equals(table["rank"])


@pytest.mark.parametrize("how", ["changed", "cut short", "gone"])
def test_a_damaged_bundle_is_found_and_made_again(bucket, client, how, caplog):
    url = f"{bucket}/bundle-{client}-{how.replace(' ', '-')}/data"
    replacements = cases.stage_run(url, "one", 1)
    staged = StagedShards(url)
    key = replacements["contrasts/family=geometry.image"][0]
    file = staged.peek(key).files["contrasts/family=geometry.image"]
    content = bytearray(staged.store.read(file.staged_path))
    content[file.first + 100] ^= 1
    if how == "gone":
        staged.store.remove(file.staged_path)
    else:
        staged.store.write(file.staged_path, bytes(content if how == "changed" else content[: file.first + 50]))
    with pytest.raises(StorageError, match="run its stage first" if how == "gone" else "run again to make it anew"):
        Dataset(url).publish(replacements)
    with caplog.at_level(logging.WARNING):
        assert StagedShards(url).find(key) is None
    Dataset(url).publish(cases.stage_run(url, "one", 1))
    assert cases.find_mixture(Dataset(url), shards=1) is None


@pytest.mark.slow
def test_a_bundle_stays_until_all_of_its_families_are_seen(bucket):
    url = f"{bucket}/partly/data"
    wanted = cases.stage_run(url, "one", 1)
    (left,) = [key for key in wanted if key.endswith("image")]
    Dataset(url).publish({key: shards for key, shards in wanted.items() if key != left})
    assert len(list_manifests(url)) == 1
    Dataset(url).publish(wanted)
    assert not list_manifests(url)
    assert cases.find_mixture(Dataset(url), shards=1) is None


@pytest.mark.slow
def test_a_bundle_that_a_publish_died_before_removing_goes_with_the_next(bucket, monkeypatch):
    url = f"{bucket}/left/data"
    monkeypatch.setattr("counterfoil.storage.packing.TOGETHER", 2)
    wanted = cases.stage_run(url, "one", 3)
    with monkeypatch.context() as dying:
        dying.setattr("counterfoil.storage.dataset.fold_shards", lambda *_: [])
        Dataset(url).publish(wanted)
    seen = cases.describe(url)
    assert len(list_manifests(url)) == 6
    assert not Dataset(url).publish(wanted).changed
    assert not list_manifests(url)
    assert cases.describe(url) == seen
    assert all(StagedShards(url).find_all(list_shards(wanted)))


@pytest.mark.slow
def test_a_small_file_that_stays_by_itself_takes_one_request_and_a_part_of_others(bucket, sent):
    """It came with its manifest; others share what else there is."""
    url = f"{bucket}/requests/data"
    wanted = cases.stage_run(url, "one", 12)
    sent.clear()
    Dataset(url).publish(wanted)
    alone, manifests = 60, 24
    assert sent.count("PUT") < alone + 10
    assert sent.count("POST") == 1
    assert sent.count("HEAD") < 10
    assert sent.count("GET") < manifests + 10
    assert not [path for path in Store(url).list("work") if path.endswith(".parquet")]
    sent.clear()
    assert all(StagedShards(url).find_all(list_shards(wanted)))
    assert sent.count("HEAD") == alone and sent.count("GET") < 5


def test_a_shard_that_is_packed_takes_one_request_and_a_rerun_looks_at_packs_alone(
    bucket, client, tmp_path, monkeypatch, sent
):
    url, local = f"{bucket}/packed-{client}/data", str(tmp_path / "data")
    monkeypatch.setattr("counterfoil.storage.packing.TOGETHER", 12)
    wanted = cases.stage_run(url, "one", 12)
    Dataset(local).publish(cases.stage_run(local, "one", 12))
    sent.clear()
    Dataset(url).publish(wanted)
    manifests = 24
    assert sent.count("PUT") < 25, "packs, their records, the lock and the intent: nothing is copied"
    assert sent.count("POST") == 1
    packs = 5
    assert sent.count("GET") < manifests + 3 * packs
    sent.clear()
    assert all(StagedShards(url).find_all(list_shards(wanted)))
    assert sent.count("GET") <= packs + 2
    assert sent.count("HEAD") <= packs
    sent.clear()
    assert not Dataset(url).publish(wanted).changed
    assert sent.count("GET") <= packs + 8 and sent.count("POST") == 0
    assert cases.describe(url) == cases.describe(local)


def _publish_often(url, tag, outcomes):
    for i in range(ROUNDS):
        try:
            Dataset(url).publish(cases.stage_run(url, f"{tag}{i}", 1))
            outcomes.put("published")
        except ConflictError as error:
            outcomes.put(str(error))
    outcomes.put(None)


@pytest.mark.slow
def test_two_publishers_never_mix(bucket, processes):
    url = f"{bucket}/two/data"
    Dataset(url).publish(cases.stage_run(url, "start", 1))
    outcomes = processes.Queue()
    runs = [processes.Process(target=_publish_often, args=(url, tag, outcomes)) for tag in ("left", "right")]
    for run in runs:
        run.start()
    found = []
    while any(run.is_alive() for run in runs):
        found.append(cases.find_mixture(Dataset(url), shards=1))
    told = [outcomes.get(timeout=PATIENCE_S) for _ in range(2 * ROUNDS + 2)]
    for run in runs:
        run.join(PATIENCE_S)
        assert run.exitcode == 0
    assert set(found) == {None}
    assert told.count("published") == 2 * ROUNDS
    assert cases.find_mixture(Dataset(url), shards=1) is None


def test_a_url_of_an_unknown_kind_is_told():
    with pytest.raises(StorageError, match="cannot open gopher://x/y"):
        Dataset("gopher://x/y")


def test_a_dataset_in_a_bucket_has_one_identity_whoever_makes_it(bucket):
    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(lambda _: make_identity(Store(f"{bucket}/identity")), range(16)))
    assert len(made) == 1 and find_identity(Store(f"{bucket}/identity/")) in made
