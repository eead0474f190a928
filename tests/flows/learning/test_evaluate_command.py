"""`counterfoil evaluate` as it is used: a tiny CLIP of random weights, small benchmarks in the authors' formats."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import Result
from typer.testing import CliRunner

from counterfoil.flows.cli import app
from tests.needing import skip_without

skip_without("torch", reason="models need an extra: pip install 'counterfoil[mining]'")

from tests.tasks.encoders import tiny
from tests.tasks.evaluation import folders

LONG = "a red lamp beside a green box, " * 5
"""155 letters: the tiny model's tokenizer has a token for each, and reads 77."""


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["evaluate", *map(str, arguments)])


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny.save_clip(tmp_path_factory.mktemp("models") / "clip")


@pytest.fixture(scope="module")
def crepe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = folders.sugarcrepe(tmp_path_factory.mktemp("crepe"), {"swap_att": 30, "replace_obj": 30})
    rows = json.loads((folder / "swap_att.json").read_text())
    rows["0"] |= {"caption": LONG + "lit", "negative_caption": LONG + "dark"}
    return folders.write(folder / "swap_att.json", rows).parent


def test_a_model_is_scored_beside_a_zero_shot_model_blind_baselines_and_chance(clip, crepe, tmp_path):
    done = call(clip, "--on", f"sugarcrepe:{crepe}", "--zero-shot", clip, "--to", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.stderr
    (sheet,) = json.loads(done.stdout)
    assert sheet == json.loads((tmp_path / "out" / "results.json").read_text())[0]
    rows = sheet["tasks"][0]["systems"]
    assert {row["kind"] for row in rows} == {"model", "zero-shot", "gain", "blind", "chance"}
    assert {"text only: n-grams", "text only: trees", "text only: longest"} <= {row["system"] for row in rows}
    (gain,) = [row for row in rows if row["kind"] == "gain"]
    low, value, high = (gain["figures"][0][bound] for bound in ("low", "value", "high"))
    # Sixty items on which two models agree do not show that they agree on all.
    assert value == 0 and -0.1 < low < 0 < high == -low
    assert len(sheet["data_sha256"]) == 64 and sheet["models"][0]["identity"] == sheet["models"][1]["identity"]
    assert [file["name"] for file in sheet["files"]] == ["replace_obj.json", "swap_att.json"]
    assert (tmp_path / "out" / "results.md").read_text().startswith("## SugarCrepe\n")
    assert (tmp_path / "out" / "01-sugarcrepe.png").stat().st_size > 5000


def test_a_near_miss_beyond_the_tokenizers_limit_ties_with_its_caption_and_is_lost(clip, crepe, tmp_path):
    assert call(clip, "--on", f"sugarcrepe:{crepe}", "--to", tmp_path, "--no-blind").exit_code == 0
    items = pq.read_table(tmp_path / "01-sugarcrepe.items.parquet").to_pylist()
    hits = {row["item"]: row for row in items if row["measure"] == "hit"}
    assert len(hits) == 60
    assert hits["swap_att/0"]["tied"] and hits["swap_att/0"]["value"] == 0
    assert sum(row["tied"] for row in hits.values()) == 1


def test_without_a_model_blind_baselines_are_tried_and_pictures_are_not_needed(crepe, tmp_path):
    for split in ("swap_att", "replace_obj"):
        (tmp_path / f"{split}.json").write_bytes((crepe / f"{split}.json").read_bytes())
    done = call("--on", f"sugarcrepe:{tmp_path}")
    assert done.exit_code == 0, done.stderr
    assert "text only: n-grams" in done.stdout and "chance" in done.stdout


def test_missing_pictures_are_all_named_in_a_file(clip, crepe, tmp_path):
    (tmp_path / "swap_att.json").write_bytes((crepe / "swap_att.json").read_bytes())
    done = call(clip, "--on", f"sugarcrepe:{tmp_path}", "--to", tmp_path / "out")
    assert done.exit_code == 2
    assert "30 of 30 pictures are not there" in done.stderr and "and 25 more" in done.stderr
    assert len((tmp_path / "out" / "missing-sugarcrepe.txt").read_text().splitlines()) == 30


def test_a_picture_that_cannot_be_read_is_named(clip, tmp_path):
    folder = folders.sugarcrepe(tmp_path, {"swap_att": 3})
    (folder / "val2017" / "000000000001.jpg").write_bytes(b"no picture")
    done = call(clip, "--on", f"sugarcrepe:{folder}", "--no-blind")
    assert done.exit_code == 2
    assert "val2017/000000000001.jpg is no picture that can be read" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["MODEL"], "name a benchmark by --on"),
        (["MODEL", "--on", "sugarcrep:x"], "there is no protocol 'sugarcrep'"),
        (["MODEL", "--on", "sugarcrepe:"], "name the folder too"),
        (["MODEL", "--on", "nowhere"], "nowhere holds no dataset"),
        (["--on", "CREPE", "--no-blind"], "name the MODEL"),
        (["hashed", "--on", "CREPE"], "cannot compare texts with pictures: give a model of two towers"),
        (["nowhere", "--on", "CREPE", "--images", "nowhere"], "--images nowhere is no folder"),
    ],
)
def test_what_cannot_be_evaluated_is_told_in_one_line(clip, crepe, arguments, message):
    known = {"MODEL": clip, "CREPE": f"sugarcrepe:{crepe}"}
    done = call(*(known.get(each, each) for each in arguments))
    assert done.exit_code == 2
    assert message in done.stderr and "Traceback" not in done.stderr


def test_the_protocols_are_listed():
    done = call("--protocols")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0].startswith("sugarcrepe ") and len(done.stdout.splitlines()) == 25
