"""`verify` names what is broken, by file or row, and checks the rest; a run makes anew what it can."""

from __future__ import annotations

import resource
import shutil
import struct
import zlib
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.plain_run import run_plainly
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.errors import StorageError
from counterfoil.storage.rows import Image, Provenance, content_id, contrast_id
from counterfoil.storage.schemas import TABLES, from_table, to_table
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.audit.derived import find_origin
from counterfoil.tasks.audit.survey import survey
from counterfoil.tasks.audit.verify import Task, verify_chunk, verify_dataset

RECIPE = """
[dataset]
path = "{path}"
workers = 1
[flowchart]
source = "charts:{charts}"
families = ["flip", "code"]
granulate = false
"""
CHARTS = '{{"id": "c{0}", "mermaid": "flowchart TD\\n a{0}[Open {1}] --> b{0}[Close {1}]\\n b{0} --> c{0}[Pack {1}]"}}'
THINGS = ("boxes", "doors", "books")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verified")
    (folder / "charts.jsonl").write_text("\n".join(CHARTS.format(i, thing) for i, thing in enumerate(THINGS)) + "\n")
    write_recipe(folder, folder)
    run_plainly(folder / "r.toml", here=True)
    return folder


def write_recipe(folder, source) -> None:
    (folder / "r.toml").write_text(RECIPE.format(path=folder / "data", charts=source / "charts.jsonl"))


@pytest.fixture
def folder(made, tmp_path):
    shutil.copytree(made / "data", tmp_path / "data")
    write_recipe(tmp_path, made)
    return tmp_path


def check(folder):
    """Failures by row or file, and how many rows were checked, in this process."""
    found = verify_dataset(str(folder / "data"), workers=1)
    return {each.row_id: each.reasons for each in found.failures}, found.rows


def find_file(folder, table: str, family: str) -> Path:
    (path,) = (folder / "data" / table / family).glob("*.parquet")
    return path


def test_a_whole_dataset_has_no_failure_and_its_rows_are_told_as_they_are_checked(folder):
    told: list[tuple[str, int]] = []
    said: dict[str, int] = {}
    found = verify_dataset(
        str(folder / "data"), workers=1, on_start=said.__setitem__, on_rows=lambda *each: told.append(each)
    )
    assert not found.failures and found.rows >= 9
    assert said == {"rows": found.rows} and sum(count for _, count in told) == found.rows


def test_a_broken_picture_is_one_failure_by_its_row_and_the_others_are_checked(folder):
    dataset = Dataset(str(folder / "data"))
    rows = sorted(dataset.contrasts("flowchart.flip"), key=lambda row: row.anchor_id)
    rows[0] = replace(rows[0], image=Image(b"\x89PNG\r\n\x1a\nnot a picture", "a.png"))
    rows[1] = replace(rows[1], image=Image(rows[1].image.bytes[: len(rows[1].image.bytes) // 2], "b.png"))
    publish(folder, "contrasts/family=flowchart.flip", to_table(rows, "contrasts"))
    failures, checked = check(folder)
    assert set(failures) == {rows[0].contrast_id, rows[1].contrast_id}
    assert checked >= 9


def publish(folder, key, table) -> None:
    fingerprint = content_id(key, table.num_rows) * 2
    StagedShards(str(folder / "data")).write(fingerprint, {key: table})
    last = Dataset(str(folder / "data")).history()[0].metadata
    Dataset(str(folder / "data")).publish({key: [fingerprint]}, metadata=last)


def test_a_verifier_that_trips_costs_its_row_alone(folder, monkeypatch):
    dataset = Dataset(str(folder / "data"))
    snapshot = dataset.snapshot()
    (chunk,) = survey(snapshot).chunks
    recipe = dataset.history()[0].metadata["recipe"]

    def trip(*_):
        raise OSError("cannot identify image file")

    monkeypatch.setattr("counterfoil.tasks.flowchart.families.flip.check_pair", trip)
    origin = find_origin(dataset, "flowchart", TABLES)
    done = verify_chunk(Task(str(folder / "data"), snapshot.versions, recipe["flowchart"], 0, origin, chunk))
    flips = {row.contrast_id for row in dataset.contrasts("flowchart.flip")}
    assert {each.row_id for each in done.failures} == flips
    assert all(each.reasons[0].startswith("cannot_check: OSError: cannot identify") for each in done.failures)


def test_of_a_sample_the_drawn_anchors_and_their_contrasts_are_checked_and_no_other(folder, monkeypatch):
    monkeypatch.setattr("counterfoil.tasks.audit.survey.ANCHORS_AT_ONCE", 1)
    draws = iter([0.7, 0.2, 0.9])
    monkeypatch.setattr("counterfoil.tasks.audit.verify._DRAWING.random", lambda: next(draws))
    surveyed = survey(Dataset(str(folder / "data")).snapshot())
    assert len(surveyed.chunks) == 3
    found = verify_dataset(str(folder / "data"), workers=1, sample=0.5)
    assert found.rows == surveyed.chunks[1].count + surveyed.rejects
    assert found.failures == []


@pytest.mark.parametrize("fault", ["cut", "gone", "empty", "flipped"])
def test_a_file_that_cannot_be_read_is_named_and_a_run_heals_it(folder, fault):
    path = find_file(folder, "contrasts", "family=flowchart.flip")
    whole = path.read_bytes()
    if fault == "gone":
        path.unlink()
    else:
        middle = len(whole) // 2
        flipped = whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :]
        path.write_bytes({"cut": whole[:middle], "empty": b"", "flipped": flipped}[fault])
    failures, checked = check(folder)
    assert any(path.name in row_id for row_id in failures), failures
    assert not any(row.contrast_id in failures for row in Dataset(str(folder / "data")).contrasts("flowchart.code"))
    assert checked >= 6
    assert ("gone:" if fault == "gone" else "damaged:") in str(failures)
    if fault == "gone":
        with pytest.raises(StorageError, match="the newest version of contrasts has it"):
            list(Dataset(str(folder / "data")).contrasts("flowchart.flip"))
    run_plainly(folder / "r.toml", here=True)
    assert path.read_bytes() == whole
    assert check(folder)[0] == {}


def test_anchors_that_cannot_be_read_are_told_once_for_each_file_that_refers_to_them(folder):
    path = find_file(folder, "anchors", "domain=flowchart")
    path.write_bytes(path.read_bytes()[:-40])
    failures, _ = check(folder)
    assert len(failures) == 3 and any(path.name in row_id for row_id in failures)
    assert sum("3 rows refer to anchors in files that cannot be read" in str(each) for each in failures.values()) == 2


@pytest.mark.parametrize("table", ["anchors", "contrasts", "rejects"])
@pytest.mark.parametrize("keep", [0, 0.5])
def test_a_cut_log_is_named_without_frames_and_the_other_tables_are_checked(folder, table, keep):
    log = max((folder / "data" / table / "_delta_log").glob("*.json"))
    content = log.read_bytes()
    log.write_bytes(content[: int(len(content) * keep)])
    failures, _ = check(folder)
    (path,) = (row_id for row_id in failures if row_id.endswith(".json"))
    assert path == f"{table}/_delta_log/{log.name}"
    assert "unknown>" not in str(failures) and "nptl" not in str(failures)
    run_plainly(folder / "r.toml", here=True)
    assert check(folder)[0] == {}


@pytest.mark.parametrize("table", ["anchors", "contrasts"])
def test_a_log_that_is_gone_is_told_by_the_others(folder, table):
    log = max((folder / "data" / table / "_delta_log").glob("*.json"))
    log.unlink()
    told = str(check(folder)[0])
    assert f"{table}/_delta_log/{log.name}" in told and "Run the recipe again" in told
    run_plainly(folder / "r.toml", here=True)
    assert check(folder)[0] == {}


def test_rows_of_before_a_column_came_are_named_and_checked(folder):
    path = find_file(folder, "contrasts", "family=flowchart.code")
    rows = from_table(pq.read_table(path).append_column("family", [["flowchart.code"] * 3]), "contrasts")
    older = to_table([replace(row, grade=None) for row in rows], "contrasts").drop_columns(["family", "grade"])
    pq.write_table(older, path)
    (named,) = check(folder)[0].items()
    assert named[0].endswith(path.name) and named[1][0].startswith("columns: rows 0 to 2 have no grade: an older")


def test_a_column_that_no_row_has_is_named(folder):
    path = find_file(folder, "contrasts", "family=flowchart.code")
    pq.write_table(pq.read_table(path, partitioning=None).append_column("note", [["A is the answer"] * 3]), path)
    told = [reasons[0] for where, reasons in check(folder)[0].items() if where.endswith(path.name)]
    assert any(each.startswith("unknown_columns: it has note") for each in told)


@pytest.mark.parametrize("column", ["provenance", "checks", "rank", "edits", "facts", "split", "captions", "source_id"])
def test_a_column_of_nothing_is_told_by_file_or_row_and_the_rest_is_checked(folder, column):
    table, part = ("anchors", "domain=flowchart"), ("contrasts", "family=flowchart.code")
    path = find_file(folder, *(part if column in ("checks", "rank", "edits") else table))
    rows = pq.read_table(path, partitioning=None)
    at = rows.schema.get_field_index(column)
    pq.write_table(rows.set_column(at, rows.schema.field(at), pa.nulls(3, rows.schema.field(at).type)), path)
    failures, checked = check(folder)
    # A row without its rank cannot be found again: it is told, and counted among none.
    assert failures and checked == (6 if column == "rank" else 9)


def test_a_file_without_ids_is_named_and_the_others_are_checked(folder):
    path = find_file(folder, "contrasts", "family=flowchart.code")
    pq.write_table(pq.read_table(path).drop_columns(["contrast_id"]), path)
    failures, checked = check(folder)
    assert [reasons[0].partition(":")[0] for reasons in failures.values()] == ["columns"] and checked >= 6


def test_a_row_that_is_deleted_is_told_by_its_file_and_by_its_anchor(folder):
    rows = list(Dataset(str(folder / "data")).contrasts("flowchart.code"))
    path = find_file(folder, "contrasts", "family=flowchart.code")
    pq.write_table(to_table(rows[1:], "contrasts").drop_columns(["family"]), path)
    failures, _ = check(folder)
    assert "counts: it has 2 rows, and the table's log says 3" in str(failures)
    publish(folder, "contrasts/family=flowchart.code", to_table(rows[1:], "contrasts"))
    failures, _ = check(folder)
    assert failures[rows[0].anchor_id][0].startswith("counts: of flowchart.code 1 of 1 contrasts are not there")
    assert "contrasts/family=flowchart.code" in failures


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"checks": ("graph_kept", "human_reviewed")}, "wrong_checks"),
        ({"provenance": Provenance(seed=99)}, "wrong_provenance"),
        ({"provenance": Provenance(author="openai")}, "wrong_provenance"),
        ({"provenance": Provenance(output_tokens=5)}, "wrong_provenance"),
        ({"grade": "undecided"}, "wrong_grade"),
        ({"grade": None}, "wrong_grade"),
        ({"changes": ("label",)}, "wrong_changes"),
        ({"role": "negative"}, "wrong_role"),
    ],
)
def test_what_a_contrast_says_of_itself_is_worked_out_anew(folder, change, code):
    rows = list(Dataset(str(folder / "data")).contrasts("flowchart.code"))
    changed = replace(rows[0], **change)
    rows[0] = replace(changed, contrast_id=contrast_id(replace(changed, contrast_id="")))
    publish(folder, "contrasts/family=flowchart.code", to_table(rows, "contrasts"))
    failures, _ = check(folder)
    assert [*failures] == [rows[0].contrast_id] and code in {
        reason.partition(":")[0] for reason in failures[rows[0].contrast_id]
    }


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"anchor_id": "0" * 32}, "wrong_id"),
        ({"group": "0" * 32}, "group"),
        ({"split": "elsewhere"}, "split"),
    ],
)
def test_what_an_anchor_says_of_itself_is_worked_out_anew(folder, change, code):
    rows = list(Dataset(str(folder / "data")).anchors("flowchart"))
    before, rows[0] = rows[0].anchor_id, replace(rows[0], **change)
    path = find_file(folder, "anchors", "domain=flowchart")
    pq.write_table(to_table(rows, "anchors").drop_columns(["domain"]), path)
    failed = verify_dataset(str(folder / "data"), workers=1).failures
    reasons = [reason for each in failed if each.row_id == rows[0].anchor_id for reason in each.reasons]
    assert any(reason.startswith(f"{code}:") for reason in reasons)
    assert {each.row_id for each in failed} <= {rows[0].anchor_id, before} | {
        row.contrast_id for row in Dataset(str(folder / "data")).contrasts() if row.anchor_id == before
    }


def test_a_picture_of_2_to_the_31_pixels_is_named_and_never_unpacked(folder):
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 65536, 32768, 8, 2, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 4096))
    rows = list(Dataset(str(folder / "data")).contrasts("flowchart.flip"))
    rows[0] = replace(rows[0], image=Image(png + chunk(b"IEND", b""), "a.png"))
    rows[0] = replace(rows[0], contrast_id=contrast_id(replace(rows[0], contrast_id="")))
    publish(folder, "contrasts/family=flowchart.flip", to_table(rows, "contrasts"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    failures, checked = check(folder)
    assert [*failures] == [rows[0].contrast_id] and checked >= 9
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 20
