"""`verify --hashes` names the file and the rows of every flipped byte, and a table with other files than its root."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.plain_run import run_plainly
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.parquet import decode_table
from counterfoil.storage.publish import TableFile
from counterfoil.storage.roots import merkle_root, root_of
from counterfoil.storage.schemas import to_table
from counterfoil.storage.seals import SEAL_PATH
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.audit.verify import verify_dataset

RECIPE = """
[dataset]
path = "{path}"
workers = 1
[theorem]
source = "procedural:8"
families = ["rephrase", "negative"]
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hashed")
    (folder / "r.toml").write_text(RECIPE.format(path=folder / "data"))
    run_plainly(folder / "r.toml", here=True)
    return folder / "data"


@pytest.fixture
def data(made, tmp_path):
    shutil.copytree(made, tmp_path / "data")
    return tmp_path / "data"


def check(data):
    return verify_dataset(str(data), hashes=True, rows=False)


def test_a_whole_dataset_has_its_hashes_and_all_rows_are_counted(data):
    found = check(data)
    assert not found.failures and found.rows == Dataset(str(data)).snapshot().count_rows()


@pytest.mark.parametrize("times", [20, pytest.param(60, marks=pytest.mark.slow)])
def test_every_flipped_bit_is_found_and_named_by_its_file_and_rows(data, times):
    rng = random.Random(4)
    files = [file for table in ("anchors", "contrasts") for file in Dataset(str(data)).snapshot().files(table)]
    for _ in range(times):
        file = rng.choice(files)
        path = data / file.path
        whole = path.read_bytes()
        at = rng.randrange(len(whole))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << rng.randrange(8))]) + whole[at + 1 :])
        failures = check(data).failures
        assert failures and all(each.row_id.startswith(f"{file.path}, rows ") for each in failures), at
        path.write_bytes(whole)
    assert not check(data).failures


def test_a_file_that_is_gone_is_told(data):
    file = Dataset(str(data)).snapshot().files("contrasts")[0]
    (data / file.path).unlink()
    (failure,) = check(data).failures
    assert failure.row_id == file.path and failure.reasons[0].startswith("gone: ")


def test_a_commit_whose_root_is_of_other_files_is_told(data):
    log = sorted((data / "contrasts" / "_delta_log").glob("*.json"))[-1]
    root = root_of(Dataset(str(data)).snapshot().files("contrasts"))
    assert root in log.read_text()
    log.write_text(log.read_text().replace(root, root[::-1]))
    failure, changed = check(data).failures
    assert failure.row_id == "contrasts/_delta_log" and failure.reasons[0].startswith("wrong_root: ")
    assert changed.row_id == str(log.relative_to(data)) and changed.reasons[0].startswith("wrong_hash: ")


def test_a_dataset_without_roots_is_told_to_be_of_an_older_version(data):
    for log in (data / "contrasts" / "_delta_log").glob("*.json"):
        log.write_text(log.read_text().replace('"root"', '"other"'))
    (data / SEAL_PATH).unlink()
    assert {each.reasons[0].partition(":")[0] for each in check(data).failures} == {"no_root", "no_seal"}


def test_a_root_is_of_names_sizes_and_rows_in_any_order():
    files = [TableFile(f"contrasts/family=a/{i}.parquet", 10 + i, i) for i in range(5)]
    assert root_of(files) == root_of(files[::-1])
    assert len({root_of(files), root_of(files[:4]), root_of([*files[:4], TableFile(files[4].path, 14, 5)])}) == 3
    assert merkle_root([b"a", b"b"]) != merkle_root([b"b", b"a"])


def test_a_page_that_can_be_read_tells_the_rows_that_are_damaged_in_it(data):
    file = Dataset(str(data)).snapshot().files("contrasts")[0]
    table = decode_table((data / file.path).read_bytes())
    whole = pq.ParquetFile(data / file.path, page_checksum_verification=True)
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(
        sink, table.schema, compression="NONE", use_dictionary=False, write_page_checksum=True
    ) as out:
        out.write_table(table)
    content = bytes(sink.getvalue())
    text = table["text"][2].as_py().encode()
    at = content.index(text)
    (data / file.path).write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    assert whole.metadata.num_rows == table.num_rows
    (failure,) = [each for each in check(data).failures if each.table == "contrasts"]
    assert failure.row_id == f"{file.path}, rows 2 to 2" and failure.reasons == ("wrong_hash: damaged in text",)


def test_a_row_that_was_changed_and_its_digest_not_is_named_by_its_id_unless_hashes_are_left_out(data):
    key = "contrasts/family=theorem.negative"
    rows = [*Dataset(str(data)).contrasts("theorem.negative")]
    row = rows[0]
    digests = to_table(rows, "contrasts")["digest"]
    rows[0] = replace(row, provenance=replace(row.provenance, code_version="9.9"))
    changed = to_table(rows, "contrasts")
    changed = changed.set_column(changed.num_columns - 1, changed.schema.field("digest"), digests)
    StagedShards(str(data)).write("ab" * 16, {key: changed})
    last = Dataset(str(data)).history()[0].metadata
    Dataset(str(data)).publish({key: ["ab" * 16]}, metadata=last)
    found = [each for each in verify_dataset(str(data), workers=1, hashes=True).failures if "digest" in each.reasons[0]]
    assert [(each.row_id, each.reasons[0][:14]) for each in found] == [(row.contrast_id, "wrong_digest: ")]
    assert not verify_dataset(str(data), workers=1).by_code["wrong_digest"]
