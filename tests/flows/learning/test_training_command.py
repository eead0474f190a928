"""`counterfoil pack` and `counterfoil train`, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterfoil.flows.learning.training import describe_packed, list_scores, read_training
from counterfoil.flows.planning.recipe import RecipeError, load_recipe
from counterfoil.tasks.training.packing.pack import pack_dataset
from tests.tasks.training import tiny

RECIPE = """
[dataset]
path = "{data}"
[geometry]
source = "procedural:4"
[training]
path = "{run}"
"""


@pytest.fixture(scope="module")
def recipe(tmp_path_factory) -> Path:
    """A recipe for a small dataset, with a run of seconds."""
    folder = tmp_path_factory.mktemp("run")
    anchors = tiny.make_anchors(60)
    data = tiny.publish(str(folder / "data"), anchors, tiny.make_contrasts(anchors))
    chosen = tiny.choose(objective="tripletclip").model_dump(mode="json", exclude_defaults=True)
    lines = [f"{name} = {json.dumps(value)}" for name, value in chosen.items()]
    path = folder / "run.toml"
    path.write_text(RECIPE.format(data=data, run=folder / "model") + "\n".join(lines) + "\n")
    return path


def test_a_model_is_trained_from_a_recipe_with_curves_and_a_note_beside_the_dataset(counterfoil, recipe):
    done = counterfoil("train", recipe, "--json")
    told = json.loads(done.stdout)
    assert told["steps"] == 6
    assert (Path(told["model"]) / "model.safetensors").exists()
    assert Path(told["curves"]).read_bytes().startswith(b"\x89PNG")
    note = json.loads(Path(told["note"]).read_text())
    assert note["versions"]["anchors"] >= 0
    assert note["settings"]["objective"] == "tripletclip"


def test_a_recipe_without_the_section_and_a_wrong_key_are_told_in_one_line(counterfoil, recipe, tmp_path):
    bare = tmp_path / "bare.toml"
    bare.write_text('[dataset]\npath = "x"\n[geometry]\nsource = "procedural:1"\n')
    refused = counterfoil("pack", bare, check=False)
    assert refused.returncode == 2
    assert "has no [training] section" in refused.stderr
    wrong = counterfoil("pack", recipe, "--set", "training.objective=nceclip", check=False)
    assert wrong.returncode == 2
    assert "no objective 'nceclip'; allowed: clip" in wrong.stderr


def test_the_folder_of_a_run_is_named_by_its_dataset_where_the_recipe_names_none(recipe):
    checked = load_recipe(recipe, ['training.path=""', "dataset.path=s3://bucket/night"])
    assert read_training(checked, "x")[1] == Path("models/night")
    with pytest.raises(RecipeError, match="has no \\[training\\] section"):
        read_training(checked.model_copy(update={"training": None}), "x.toml")


def test_what_was_packed_is_told_with_what_is_over_the_limit(tmp_path):
    anchors = tiny.make_anchors(20)
    data = tiny.publish(str(tmp_path / "data"), anchors, tiny.make_contrasts(anchors))
    manifest = pack_dataset(data, str(tmp_path / "packed"), tiny.choose(context=8, holdout=0))
    said = "\n".join(describe_packed(manifest, tmp_path))
    assert "20 anchors (train 20) at 32 px" in said
    assert "20 of 20 captions (100.0 %) are over 8 tokens" in said


def test_scores_that_no_anchor_has_are_left_out():
    after = {"texts": 0.5, "seen_texts": 0.75, "images": float("nan"), "anchors": 8}
    (row,) = list_scores({"before": {"texts": 0.25}, "after": after})
    assert row["anchor first"] == "among its negative texts"
    assert (row["before"], row["after"], row["after, of training anchors"], row["anchors"]) == (0.25, 0.5, 0.75, 8)
