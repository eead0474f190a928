"""A row of what was thrown away is named where it belies itself, or the dataset that it is in."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pyarrow as pa
import pytest

from benchmarks.plain_run import run_plainly
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.parquet import encode_table
from counterfoil.storage.rows import Contrast, Image
from counterfoil.storage.schemas import add_digests, from_table, to_table
from counterfoil.tasks.audit.derived import find_origin
from counterfoil.tasks.audit.rejected import find_misrejected
from counterfoil.tasks.audit.survey import survey
from counterfoil.tasks.audit.verify import verify_dataset
from tests.tasks.audit.test_bad_input import huge_picture

RECIPE = """
[dataset]
path = "{path}"
workers = 1
[theorem]
source = "procedural:6"
families = ["translate"]
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rejected")
    (folder / "r.toml").write_text(RECIPE.format(path=folder / "data"))
    run_plainly(folder / "r.toml", here=True)
    return folder / "data"


def find(path, **more):
    dataset = Dataset(str(path))
    found = survey(dataset.snapshot())
    return [
        *find_misrejected(
            dataset.snapshot(), found, {"theorem": find_origin(dataset, "theorem", found.readable)}, **more
        )
    ]


def test_honest_rejects_are_left_alone(made):
    assert sum(file.rows for file in Dataset(str(made)).snapshot().files("rejects"))
    assert not find(made)


@pytest.mark.parametrize(
    ("change", "anew", "told"),
    [
        ({"reasons": ("exhausted: it was dull",)}, False, "wrong_id"),
        ({"anchor_id": "0" * 32}, True, "no_anchor"),
        ({"source": "elsewhere"}, True, "wrong_source"),
        ({"provenance": {"seed": 9}}, True, "wrong_provenance"),
    ],
)
def test_a_reject_that_lies_is_named(made, tmp_path, change, anew, told):
    shutil.copytree(made, tmp_path / "data")
    snapshot = Dataset(str(tmp_path / "data")).snapshot()
    file = next(each for each in snapshot.files("rejects") if each.rows)
    table = snapshot.read_rows("rejects", file, 0, file.rows)
    first, *others = from_table(table, "rejects")
    if "provenance" in change:
        change = {"provenance": replace(first.provenance, **change["provenance"])}
    lying = to_table([replace(first, **change), *others], "rejects")
    if not anew:
        lying = add_digests(
            lying.set_column(
                lying.schema.get_field_index("reject_id"), "reject_id", table["reject_id"].combine_chunks()
            )
        )
    write(tmp_path / "data" / file.path, lying)
    (failure,) = find(tmp_path / "data")
    assert failure.table == "rejects" and failure.reasons[0].startswith(told)


def test_of_rejects_of_an_older_version_the_file_is_named_and_a_lying_row(made, tmp_path):
    path, (first, *others) = open_rejects(made, tmp_path)
    lying = to_table([replace(first, source="elsewhere"), *others], "rejects")
    write(tmp_path / "data" / path, lying.drop_columns(["witness"]))
    told = verify_dataset(str(tmp_path / "data"), workers=1).failures
    assert {each.row_id: each.reasons[0].partition(":")[0] for each in told} == {
        path: "columns",
        replace(first, source="elsewhere").reject_id: "wrong_source",
    }


def test_of_rejects_that_are_no_rows_each_is_named_by_its_place_and_the_others_are_checked(made, tmp_path):
    path, (first, second, *others) = open_rejects(made, tmp_path)
    row = Contrast(first.anchor_id, first.family, "positive", "text", text="so it is")
    told = [replace(first, contrast=row), replace(second, source="elsewhere"), *others]
    table = to_table(told, "rejects")
    at = table.schema.get_field_index("edits")
    edits = [None, *table["edits"].to_pylist()[1:]]
    write(
        tmp_path / "data" / path,
        table.set_column(at, table.schema.field(at), pa.array(edits, table.schema.field(at).type)),
    )
    failures = verify_dataset(str(tmp_path / "data"), workers=1).failures
    assert {each.row_id: each.reasons[0].partition(":")[0] for each in failures} == {
        f"{path}, row 0": "damaged",
        told[1].reject_id: "wrong_source",
    }


def test_a_reject_s_picture_of_2_to_the_62_pixels_is_named_and_never_unpacked(made, tmp_path):
    path, (first, *others) = open_rejects(made, tmp_path)
    picture = Image(huge_picture(), "a.png")
    lying = replace(first, contrast=Contrast(first.anchor_id, first.family, "positive", "image", image=picture))
    write(tmp_path / "data" / path, to_table([lying, *others], "rejects"))
    (failure,) = verify_dataset(str(tmp_path / "data"), workers=1).failures
    assert failure.row_id == lying.reject_id and "2147483647 x 2147483647 pixels" in failure.reasons[0]
    told = replace(lying, reasons=("picture_form: it is too large",))
    write(tmp_path / "data" / path, to_table([told, *others], "rejects"))
    assert not verify_dataset(str(tmp_path / "data"), workers=1).failures


def test_a_cut_file_of_rejects_is_named_and_the_others_are_checked(made, tmp_path):
    path, _ = open_rejects(made, tmp_path)
    whole = (tmp_path / "data" / path).read_bytes()
    (tmp_path / "data" / path).unlink()
    (tmp_path / "data" / path).write_bytes(whole[: len(whole) // 2])
    result = verify_dataset(str(tmp_path / "data"), workers=1)
    assert [(each.row_id, each.reasons[0].partition(":")[0]) for each in result.failures] == [(path, "damaged")]
    assert result.rows == 6  # all anchors


def test_a_reject_that_is_not_as_its_digest_says_is_named(made, tmp_path):
    path, (first, *others) = open_rejects(made, tmp_path)
    table = to_table([first, *others], "rejects")
    at = table.schema.get_field_index("raw")
    write(tmp_path / "data" / path, table.set_column(at, "raw", pa.array(["other"] * len(table))))
    assert not find(tmp_path / "data")
    told = find(tmp_path / "data", digests=True)
    assert {each.row_id for each in told} == {first.reject_id, *(each.reject_id for each in others)}
    assert all(each.reasons[0].startswith("wrong_digest") for each in told)


def open_rejects(made, tmp_path):
    """A copy's first file of rejects: its path there, and its rows."""
    shutil.copytree(made, tmp_path / "data")
    snapshot = Dataset(str(tmp_path / "data")).snapshot()
    file = next(each for each in snapshot.files("rejects") if each.rows > 1)
    return file.path, from_table(snapshot.read_rows("rejects", file, 0, file.rows), "rejects")


def write(path, table):
    path.unlink()
    path.write_bytes(encode_table(table.drop_columns(["family"])))
