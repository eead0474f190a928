"""`counterfoil pipeline`: from a recipe's sources to scored models, each night's beside the last one's."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterfoil.flows.learning.pipeline import list_stages, place_models
from counterfoil.flows.learning.scoring import write_answers
from counterfoil.flows.planning.recipe import check_recipe
from tests.flows.served import FINAL, await_run, retry, serve_recipe, start
from tests.flows.served import list_stages as list_runs
from tests.tasks.training import tiny

RECIPE = """
[dataset]
path = "{folder}/data"
workers = 1
[flowchart]
source = "procedural:12"
families = ["caption"]
[training]
path = "{folder}/models"
{training}
[evaluation]
blind = false
"""
SECTIONS = {
    "dataset": {"path": "night"},
    "flowchart": {"source": "procedural:2"},
    "training": {"path": "models/clip"},
    "sft": {"vision": "models/clip/model", "language": "tiny", "path": "models/lmm"},
}


def write(folder: Path) -> Path:
    chosen = tiny.choose(steps=2, families=[], objective="negclip").model_dump(mode="json", exclude_defaults=True)
    lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in chosen.items())
    path = folder / "night.toml"
    path.write_text(RECIPE.format(folder=folder, training=lines))
    return path


def name_stages(**sections: object) -> list[str]:
    given = {name: SECTIONS[name] for name in ("dataset", "flowchart")} | sections
    return [stage.name for stage in list_stages(check_recipe(given, "night.toml"), "night.toml")]


def test_the_stages_are_those_that_the_recipe_has_sections_for():
    training, sft = {"training": SECTIONS["training"]}, {"sft": SECTIONS["sft"]}
    assert name_stages(**training) == ["make", "train", "evaluate"]
    assert name_stages(**sft) == ["make", "sft"], "there is nothing to score it by"
    assert name_stages(**sft, evaluation={"questions": ["mmmath:q.json"]}) == ["make", "sft", "evaluate"]
    assert name_stages(**training, **sft) == ["make", "train", "sft", "evaluate"]


def test_models_lie_by_the_versions_they_read_and_the_tower_is_the_encoder_of_the_same_night(tmp_path):
    anchors = tiny.make_anchors(4)
    data = tiny.publish(str(tmp_path / "data"), anchors, tiny.make_contrasts(anchors))
    recipe = check_recipe(SECTIONS | {"dataset": {"path": data}}, "night.toml")
    placed = place_models(recipe, "night.toml")
    assert placed.version == "anchors-1-contrasts-1"
    assert placed.overrides == [
        'sft.vision="models/clip/anchors-1-contrasts-1/model"',
        'training.path="models/clip/anchors-1-contrasts-1"',
        'sft.path="models/lmm/anchors-1-contrasts-1"',
    ]
    given = SECTIONS | {"dataset": {"path": data}, "sft": {"vision": "openai/clip", "language": "tiny"}}
    assert not any("vision" in each for each in place_models(check_recipe(given, "x"), "x").overrides)


def test_scores_of_questions_stand_in_a_table_with_their_intervals():
    row = {"part": "", "condition": "blind", "items": 1200, "accuracy": 0.5, "low": 0.25, "high": 0.75}
    assert write_answers({"mmmath:q.json": [row]}).splitlines()[2:] == [
        "| mmmath:q.json | all | blind | 1,200 | 50.0 (25.0 to 75.0) |"
    ]


def test_a_recipe_that_ends_with_its_dataset_is_told_in_one_line(counterfoil, tmp_path):
    bare = tmp_path / "bare.toml"
    bare.write_text('[dataset]\npath = "x"\n[geometry]\nsource = "procedural:1"\n')
    done = counterfoil("pipeline", bare, check=False)
    assert done.returncode == 2 and "neither a [training] nor an [sft] section" in done.stderr
    refused = counterfoil("evaluate", "--on", tmp_path / "nowhere", check=False)
    assert refused.returncode == 2 and "nowhere" in refused.stderr


@pytest.fixture
def served(prefect_server, tmp_path) -> Iterator[Path]:
    recipe = write(tmp_path)
    recipe.write_text(recipe.read_text() + f'on = ["{tmp_path / "second"}"]\n')
    with serve_recipe(tmp_path, prefect_server):
        yield tmp_path


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_stage_that_is_retried_lets_the_pipeline_go_on_and_later_nights_train_on_what_they_made(
    served, api, counterfoil
):
    parent = start(api, "counterfoil pipeline/pipeline-night@serve")
    runs = await_run(api, parent, lambda runs: runs["parent"] in FINAL)
    assert runs == {
        "parent": "FAILED",
        "make night.toml": "COMPLETED",
        "train night.toml": "COMPLETED",
        "evaluate night.toml": "FAILED",
    }
    shutil.copytree(served / "data", served / "second")
    failed = next(run for run in list_runs(api, parent) if run["name"] == "evaluate night.toml")
    retry(api, failed["id"])
    runs = await_run(api, parent, lambda runs: runs["parent"] in FINAL - {"FAILED"})
    assert set(runs.values()) == {"COMPLETED"} and len(runs) == 4
    models = served / "models"
    first = json.loads((models / "latest.json").read_text())
    assert first["training"]["model"] == str(models / first["version"] / "model")
    assert json.loads((Path(first["training"]["scores"]) / "results.json").read_text())
    log = (models / first["version"] / "log.jsonl").read_bytes()
    assert json.loads(counterfoil("pipeline", served / "night.toml", "--json").stdout) == first
    assert (models / first["version"] / "log.jsonl").read_bytes() == log, "no rows were made, and it was trained again"
    more = ["--set", "flowchart.source=procedural:14"]
    second = json.loads(counterfoil("pipeline", served / "night.toml", *more, "--json").stdout)
    assert second["version"] != first["version"]
    assert all((models / each["version"] / "model").is_dir() for each in (first, second))
