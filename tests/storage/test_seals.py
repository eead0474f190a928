"""Bits that flip in the tables' logs are found and named by file; tables that are whole are still read."""

from __future__ import annotations

import json
import random
import shutil

import pytest
import storage_cases as cases

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.seals import SEAL_PATH, find_unsealed, seal_logs
from counterfoil.tasks.audit.verify import verify_dataset


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    url = str(tmp_path_factory.mktemp("sealed") / "data")
    for seed in (1, 2):
        Dataset(url).publish(cases.stage_run(url, f"run {seed}"), metadata={"recipe": {"seed": seed}})
    return url


@pytest.fixture
def data(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "data")
    return tmp_path / "data"


def look(folder):
    return verify_dataset(str(folder), hashes=True, rows=False)


def test_whatever_bit_flips_in_a_log_its_file_is_named(data):
    files = sorted(data.glob("*/_delta_log/*.json"))
    assert len(files) > 4 and not look(data).failures
    rng = random.Random(5)
    for _ in range(40):
        path = rng.choice(files)
        before = path.read_bytes()
        at = rng.randrange(len(before))
        path.write_bytes(before[:at] + bytes([before[at] ^ (1 << rng.randrange(8))]) + before[at + 1 :])
        named = str(path.relative_to(data))
        assert any(each.row_id.startswith(named) for each in look(data).failures), (named, at)
        path.write_bytes(before)


@pytest.mark.parametrize("table", ["anchors", "contrasts", "rejects"])
def test_of_a_table_that_is_gone_or_written_by_a_newer_protocol_the_others_are_read(data, table):
    log = data / table / "_delta_log" / f"{0:020d}.json"
    rows = Dataset(str(data)).snapshot().count_rows(*({"anchors", "contrasts", "rejects"} - {table}))
    log.write_text(log.read_text().replace('"minReaderVersion":', '"minReaderVersion":9'))
    found = look(data)
    assert found.rows == rows and {each.table for each in found.failures} == {table}
    shutil.rmtree(data / table)
    found = look(data)
    assert found.rows == rows and (table, "gone: the dataset has no such table") in [
        (each.row_id, each.reasons[0]) for each in found.failures
    ]


def test_a_note_stays_while_its_file_is_there_and_goes_with_it(data):
    store = Dataset(str(data)).store
    noted = json.loads(store.read(SEAL_PATH))
    path = f"rejects/_delta_log/{0:020d}.json"
    (data / path).write_text((data / path).read_text().replace("Ignore", "ignore"))
    seal_logs(store)
    assert json.loads(store.read(SEAL_PATH)) == noted
    assert [(where, why[:11]) for where, why in find_unsealed(store)] == [(path, "wrong_hash:")]
    (data / path).unlink()
    assert [(where, why[:5]) for where, why in find_unsealed(store)] == [(path, "gone:")]
    seal_logs(store)
    assert not list(find_unsealed(store))


def test_notes_that_are_gone_or_damaged_are_told_and_written_anew(data):
    store = Dataset(str(data)).store
    before = store.read(SEAL_PATH)
    store.write(SEAL_PATH, before[:-30])
    assert [(where, why[:8]) for where, why in find_unsealed(store)] == [(SEAL_PATH, "damaged:")]
    store.remove(SEAL_PATH)
    assert [(where, why[:8]) for where, why in find_unsealed(store)] == [(SEAL_PATH, "no_seal:")]
    seal_logs(store)
    assert store.read(SEAL_PATH) == before


def test_every_commit_of_the_package_is_noted(data):
    dataset = Dataset(str(data))
    dataset.note({"remark": "nothing new"})
    dataset.restore(0)
    logs = {str(path.relative_to(data)) for path in data.glob("*/_delta_log/*.json")}
    assert set(json.loads(dataset.store.read(SEAL_PATH))) == logs and not list(find_unsealed(dataset.store))
