"""A row of what was thrown away is named where it belies itself, or the dataset that it is in."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from benchmarks.plain_run import run_plainly
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.parquet import encode_table
from counterfoil.storage.schemas import add_digests, from_table, to_table
from counterfoil.tasks.audit.derived import find_origin
from counterfoil.tasks.audit.rejected import find_misrejected
from counterfoil.tasks.audit.survey import survey

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


def find(path):
    dataset = Dataset(str(path))
    found = survey(dataset.snapshot())
    return [*find_misrejected(dataset.snapshot(), found, {"theorem": find_origin(dataset, "theorem", found.readable)})]


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


def write(path, table):
    path.unlink()
    path.write_bytes(encode_table(table.drop_columns(["family"])))
