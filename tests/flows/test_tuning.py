"""`counterfoil answer` and what `counterfoil sft` says of a recipe, as they are used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from flows.cli import app

pytest.importorskip("accelerate", reason="models need an extra: pip install 'counterfoil[sft]'")

from tests.tasks.sft import tiny
from tests.tasks.sft.pictures import draw_png


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


@pytest.mark.parametrize(
    ("model_name", "on", "message"),
    [
        ("MODEL", None, "nothing to ask"),
        ("MODEL", "llava:nowhere.json", "nowhere.json"),
        ("nowhere", "llava:QUESTIONS", "model 'nowhere' cannot be loaded"),
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
