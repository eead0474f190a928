"""A run never takes published rows away in silence: it says which and why, and stops unless it was told to replace."""

from __future__ import annotations

import shutil

import pytest

from counterfoil.storage.dataset import Dataset
from counterfoil.tasks.engine.history import find_run
from counterfoil.tasks.engine.inputs import compare_inputs

RECIPE = """
[dataset]
path = "{path}"
seed = 7
workers = 1
shard_size = 2
[theorem]
source = "procedural:4"
families = ["rephrase", "negative"]
negatives = 2
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory, counterfoil):
    folder = tmp_path_factory.mktemp("losing")
    recipe = folder / "r.toml"
    recipe.write_text(RECIPE.format(path=folder / "data"))
    counterfoil("run", recipe)
    return recipe, folder / "data"


@pytest.fixture
def copied(made, tmp_path):
    """The recipe and a copy of its dataset."""
    shutil.copytree(made[1], tmp_path / "data")
    recipe = tmp_path / "r.toml"
    recipe.write_text(RECIPE.format(path=tmp_path / "data"))
    return recipe, tmp_path / "data"


def rows_of(dataset):
    opened = Dataset(str(dataset))
    return {row.anchor_id for row in opened.anchors()} | {row.contrast_id for row in opened.contrasts()}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("theorem.source=procedural:3", "anchors  theorem: 1 of 4 rows, because their source rows are not in"),
        ("theorem.negatives=1", "contrasts  theorem.negative: all"),
        ("dataset.seed=8", "anchors  theorem: all 4 rows, because dataset.seed is 8, was 7"),
    ],
)
def test_a_run_that_would_take_rows_away_says_which_and_why_and_stops_before_it_makes_any(
    counterfoil, made, given, said
):
    recipe, dataset = made
    before = rows_of(dataset), Dataset(str(dataset)).versions()
    done = counterfoil("run", recipe, "--set", given, check=False)
    assert done.returncode == 3, done.stdout + done.stderr
    assert said in done.stderr and "--replace" in done.stderr and "accepted" not in done.stderr
    assert (rows_of(dataset), Dataset(str(dataset)).versions()) == before


def test_a_source_that_has_grown_asks_nothing_and_a_limit_goes_to_a_path_of_its_own(counterfoil, copied):
    recipe, dataset = copied
    before = rows_of(dataset)
    done = counterfoil("run", recipe, "--limit", 2)
    assert f"the dataset of these rows is {dataset}-limit-2" in done.stderr
    assert f"dataset: {dataset}-limit-2" in done.stdout
    assert rows_of(dataset) == before and len([*Dataset(f"{dataset}-limit-2").anchors()]) == 2
    counterfoil("run", recipe, "--set", "theorem.source=procedural:8")
    assert len([*Dataset(str(dataset)).anchors()]) == 8 and len(rows_of(dataset)) > len(before)


def test_what_is_left_out_of_the_list_stays_and_is_told(counterfoil, copied):
    recipe, dataset = copied
    before = rows_of(dataset)
    done = counterfoil("run", recipe, "--set", 'theorem.families=["negative"]')
    assert "kept, though this recipe does not name it: theorem.rephrase (" in done.stderr
    assert rows_of(dataset) == before


def test_replaced_rows_are_told_and_restore_brings_them_back(counterfoil, copied):
    recipe, dataset = copied
    before, version = rows_of(dataset), Dataset(str(dataset)).versions()["contrasts"]
    recipe.write_text(recipe.read_text().replace("seed = 7", "seed = 7\nreplace = true"))
    done = counterfoil("run", recipe, "--set", "theorem.source=procedural:3")
    assert "replaced, as was asked for:" in done.stderr and "anchors  theorem: 1 of 4 rows go" in done.stderr
    smaller = rows_of(dataset)
    assert len([*Dataset(str(dataset)).anchors()]) == 3

    done = counterfoil("restore", dataset, version)
    assert rows_of(dataset) == before
    assert find_run(Dataset(str(dataset)), "theorem")["recipe"]["theorem"]["source"] == "procedural:4"
    undo = done.stdout.partition("`counterfoil ")[2].partition("`")[0].split()
    counterfoil(*undo)
    assert rows_of(dataset) == smaller


def test_what_one_family_was_made_of_is_remembered_by_itself(counterfoil, copied):
    recipe, dataset = copied
    words = ("regenerate", "theorem.negative", "--dataset", dataset)
    before = rows_of(dataset)
    counterfoil(*words, "--set", "theorem.negatives=1")
    fewer = rows_of(dataset)
    assert len(fewer) < len(before)
    # Its recipe says otherwise, and some of the rows that it would bring back take the place of others.
    assert "theorem.negatives is 2, was 1" in counterfoil("run", recipe, check=False).stderr
    counterfoil("run", recipe, "--replace")
    assert rows_of(dataset) == before


def test_rows_of_a_family_that_is_not_named_go_with_their_anchors_and_are_told(counterfoil, tmp_path):
    recipe = tmp_path / "r.toml"
    recipe.write_text(
        f'[dataset]\npath = "{tmp_path / "data"}"\nworkers = 1\n'
        '[flowchart]\nsource = "procedural:1"\nfamilies = ["flip", "code"]\n'
    )
    counterfoil("run", recipe)
    before = rows_of(tmp_path / "data")
    changed = ("--set", 'flowchart.families=["flip"]', "--set", "flowchart.source=procedural:2")
    done = counterfoil("run", recipe, *changed, check=False)
    assert "Traceback" not in done.stderr and done.returncode in (0, 3), done.stderr
    assert done.returncode == 0 or ("flowchart.code" in done.stderr and rows_of(tmp_path / "data") == before)


def test_what_can_only_add_is_told_from_what_cannot():
    before = {"seed": 1, "settings": {"negatives": 3, "kinds": ["a"], "mark": False}, "versions": {"x.y": 2}}
    now = {"seed": 1, "settings": {"negatives": 4, "kinds": ["b", "a"], "mark": True, "new": 1}, "versions": {"x.y": 3}}
    found = {each.text: each.may_add for each in compare_inputs("x", before, now)}
    assert found == {
        "x.kinds is ['b', 'a'], was ['a']": True,
        "x.mark is true, was false": False,
        "x.negatives is 4, was 3": True,
        "what makes x.y is version 3, was 2": False,
    }
