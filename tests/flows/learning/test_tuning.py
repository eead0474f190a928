"""`counterfoil answer` and what `counterfoil sft` says of a recipe, as they are used."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from counterfoil.flows.cli import app
from counterfoil.flows.learning.sft import list_rows
from counterfoil.flows.planning.recipe import check_recipe
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards
from tests.needing import skip_without

skip_without("accelerate", reason="models need an extra: pip install 'counterfoil[sft]'")

from tests.tasks.sft import tiny
from tests.tasks.sft.pictures import draw_png
from tests.tasks.sft.test_data import make_anchor


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)])


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("model")
    tiny.build(folder).save(folder / "whole")
    return str(folder / "whole")


@pytest.fixture
def questions(tmp_path) -> Path:
    (tmp_path / "a.png").write_bytes(draw_png(1))
    turns = [{"from": "human", "value": "<image>\nHow many?"}, {"from": "gpt", "value": "\\boxed{4}"}]
    rows = [{"id": n, "image": "a.png", "conversations": turns, "kind": "question"} for n in range(3)]
    (tmp_path / "q.json").write_text(json.dumps(rows))
    return tmp_path / "q.json"


def test_a_model_is_asked_with_and_without_pictures_and_its_answers_are_kept(model, questions, tmp_path):
    arguments = ["answer", model, "--on", f"llava:{questions}", "--to", tmp_path / "out", "--most-tokens", 4, "--json"]
    done = call(*arguments, "--device", "cpu")
    assert done.exit_code == 0, done.stderr
    (scores,) = json.loads(done.stdout)["on"].values()
    assert [(each["part"], each["condition"], each["items"]) for each in scores] == [
        ("", "with pictures", 3),
        ("", "blind", 3),
        ("question", "with pictures", 3),
        ("question", "blind", 3),
    ]
    assert len((tmp_path / "out" / "01-llava.answers.jsonl").read_text().splitlines()) == 6
    assert json.loads((tmp_path / "out" / "scores.json").read_text()) == json.loads(done.stdout)


def test_the_robust_conditions_stand_between_seen_and_blind(model, questions, tmp_path):
    asked = ["--on", f"llava:{questions}", "--to", tmp_path / "out", "--most-tokens", 2, "--robust", "--json"]
    done = call("answer", model, *asked, "--device", "cpu")
    (scores,) = json.loads(done.stdout)["on"].values()
    told = [each["condition"] for each in scores if not each["part"]]
    assert told == ["with pictures", "turned by 30 degrees", "at half size", "blind"]


@pytest.mark.parametrize(
    ("model_name", "on", "message"),
    [
        ("MODEL", None, "nothing to ask"),
        ("MODEL", "llava:nowhere.json", "nowhere.json"),
        ("/no/where", "llava:QUESTIONS", "model '/no/where' cannot be loaded"),
    ],
)
def test_what_cannot_be_asked_is_told_in_one_line(model, questions, tmp_path, model_name, on, message):
    asked = ["--on", on.replace("QUESTIONS", str(questions))] if on else []
    done = call("answer", model if model_name == "MODEL" else model_name, *asked, "--to", tmp_path / "out")
    assert done.exit_code == 2 and message in done.stderr and "Traceback" not in done.stderr


def test_a_recipe_says_which_parts_are_missing(tmp_path):
    (tmp_path / "r.toml").write_text('[dataset]\npath = "data"\n[sft]\nvision = "a"\n')
    done = call("sft", tmp_path / "r.toml")
    assert done.exit_code == 2 and "language" in done.stderr


def test_the_questions_of_a_test_are_left_out_before_the_training(tmp_path):
    anchors = [make_anchor(number) for number in range(4)]
    told = [replace(anchor, question=f"What is the length of {'ABCD'[i]}X?") for i, anchor in enumerate(anchors)]
    data = str(tmp_path / "data")
    StagedShards(data).write("ab" * 32, {"anchors/domain=flowchart": to_table(told, "anchors")})
    Dataset(data).publish({"anchors/domain=flowchart": ["ab" * 32]}, metadata={})
    (tmp_path / "a.png").write_bytes(draw_png(1))
    row = {"question": told[2].question, "solution": "\\boxed{5}", "file_name": "a.png"}
    (tmp_path / "test.json").write_text(json.dumps([row]))
    recipe = check_recipe(
        {
            "dataset": {"path": data},
            "flowchart": {"source": "procedural:1"},
            "sft": {"vision": "a", "language": "b", "tests": [f"mmmath:{tmp_path / 'test.json'}"]},
        },
        "r.toml",
    )
    rows = list_rows(recipe, recipe.sft, "adapter")
    assert {row.anchor_id for row in rows.kept} == {anchors[i].anchor_id for i in (0, 1, 3)}
    assert [why.partition(":")[0] for _, why in rows.rejected] == ["contaminated"]
