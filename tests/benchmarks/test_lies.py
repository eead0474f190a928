"""Lies that are planted in a copy are those that are counted, and the dataset that was copied stays as it was."""

from __future__ import annotations

import random

import pytest

from benchmarks.lies.__main__ import measure
from benchmarks.lies.counting import show_outcomes
from benchmarks.lies.kinds import MODULES, list_kinds
from benchmarks.lies.planting import copy_dataset, plant_lies
from benchmarks.plain_run import run_plainly
from counterfoil.storage.dataset import Dataset

RECIPE = """
[dataset]
path = "{path}"
workers = 1
[theorem]
source = "procedural:10"
families = ["rephrase", "negative", "formal"]
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lied-about")
    (folder / "r.toml").write_text(RECIPE.format(path=folder / "data"))
    run_plainly(folder / "r.toml", here=True)
    return folder / "data"


@pytest.fixture(scope="module")
def outcome(made, tmp_path_factory):
    return measure(made, tmp_path_factory.mktemp("copy") / "dataset", 25, 3, ("theorem",), 1)


def test_every_lie_is_caught_or_missed_and_no_honest_row_is_refused(outcome):
    assert len(outcome.caught) + len(outcome.missed) == 25
    assert not outcome.refused["theorem"] and outcome.honest["theorem"] > 10
    assert not [lie for lie in outcome.missed if not lie.small]
    seen = sum(not lie.small for lie, _ in outcome.caught)
    assert f"| **all that a reader sees** | {seen} | {seen} |" in show_outcomes(outcome)


def test_what_was_copied_stays_as_it_was(made, tmp_path):
    before = {file.path: file.sha256 for file in Dataset(str(made)).active_files()}
    planted = plant_lies(made, tmp_path / "copy", 10, 0, ("theorem",))
    assert {file.path: file.sha256 for file in Dataset(str(made)).active_files()} == before
    assert len(planted.lies) == 10 and all(lie.names for lie in planted.lies)


def test_the_same_seed_plants_the_same_lies(made, tmp_path):
    first, second = (plant_lies(made, tmp_path / name, 15, 5, ("theorem",)).lies for name in ("a", "b"))
    assert [(lie.kind, lie.table, lie.changed) for lie in first] == [
        (lie.kind, lie.table, lie.changed) for lie in second
    ]


def test_a_copy_is_never_written_over(made, tmp_path):
    copy_dataset(made, tmp_path / "copy")
    with pytest.raises(SystemExit, match="is there already"):
        copy_dataset(made, tmp_path / "copy")


@pytest.mark.parametrize("domain", MODULES)
def test_there_are_a_dozen_kinds_of_lies_for_every_domain(domain):
    assert len(list_kinds(domain)) >= 12


def test_a_kind_changes_no_row_that_it_is_given(made):
    rng = random.Random(0)
    snapshot = Dataset(str(made)).snapshot()
    for table in ("anchors", "contrasts"):
        file = snapshot.files(table)[0]
        rows = snapshot.read_rows(table, file, 0, 2).to_pylist()
        for name, kind in list_kinds("theorem").items():
            given = {**rows[0], "table": table, "other": rows[1]}
            kind(given, rng)
            assert given == {**rows[0], "table": table, "other": rows[1]}, name
