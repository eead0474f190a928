from __future__ import annotations

import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import CLIPModel

from counterfoil.tasks.training.checkpoints import list_checkpoints
from counterfoil.tasks.training.curves import draw_curves
from counterfoil.tasks.training.data import BatchMaker
from counterfoil.tasks.training.distributed import open_world
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.logs import read_log
from counterfoil.tasks.training.loop import train
from counterfoil.tasks.training.objectives import Objective
from counterfoil.tasks.training.packing.manifest import read_manifest
from counterfoil.tasks.training.packing.pack import open_tokens, pack_dataset
from counterfoil.tasks.training.settings import TrainingSettings
from counterfoil.tasks.training.step import add_batch_gradient
from counterfoil.tasks.training.towers import open_towers
from tests.tasks.training import tiny

RUN = """
import json, sys, torch
from pathlib import Path
from counterfoil.tasks.training.loop import train
from counterfoil.tasks.training.settings import TrainingSettings
torch.set_num_threads(1)
train(sys.argv[1], TrainingSettings(**json.loads(sys.argv[3])), Path(sys.argv[2]))
"""


def choose(**given: Any) -> TrainingSettings:
    return tiny.choose(**({"positives": ["geometry.mirror"], "objective": "ahnpl", "a_mode": "learned"} | given))


def read_weights(folder: Path) -> dict[str, torch.Tensor]:
    return CLIPModel.from_pretrained(folder / "model").state_dict()


def equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.fixture(scope="module")
def undisturbed(packed, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed")
    train(packed, choose(ema=0.5), folder)
    return folder


def test_a_run_learns_logs_scores_and_exports(undisturbed):
    told = json.loads((undisturbed / "result.json").read_text())
    assert told["steps"] == 6
    assert set(told["before"]) == set(told["after"]) >= {"texts", "images", "both", "seen_both", "anchors"}
    assert told["before"]["seen_both"] is None  # nothing has been seen
    assert 0 <= told["after"]["seen_both"] <= 1
    lines = [line for line in read_log(undisturbed) if line["kind"] == "train"]
    assert [line["step"] for line in lines] == list(range(1, 7))
    assert {"loss", "term_mhnl", "learning_rate", "gradient_norm", "hard_gradient_share"} <= set(lines[0])
    assert 0 < lines[0]["hard_gradient_share"] < 1
    assert draw_curves(undisturbed).startswith(b"\x89PNG")
    assert len(read_weights(undisturbed)) > 20


def test_a_share_of_the_weights_of_the_start_stays(packed, tmp_path):
    """Against the sum itself; a fifth of the way from what is learnt, and all of it."""
    weights = {}
    for share in (0.0, 0.2, 1.0):
        train(packed, choose(keep_start=share, steps=2, learning_rate=0.05), tmp_path / str(share))
        weights[share] = read_weights(tmp_path / str(share))
    assert not equal(weights[0.0], weights[1.0])
    for name, start in weights[1.0].items():
        expected = 0.2 * start + 0.8 * weights[0.0][name]
        torch.testing.assert_close(weights[0.2][name], expected.to(start.dtype))


def test_a_finished_run_that_is_asked_again_leaves_its_log_as_it_was(packed, undisturbed):
    log = (undisturbed / "log.jsonl").read_bytes()
    train(packed, choose(ema=0.5), undisturbed)
    assert (undisturbed / "log.jsonl").read_bytes() == log


@pytest.mark.slow
def test_a_run_that_is_killed_ends_with_the_same_bytes(packed, undisturbed, tmp_path):
    settings = choose(ema=0.5)
    command = [sys.executable, "-c", RUN, packed, str(tmp_path), settings.model_dump_json()]
    process = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(Path.cwd())}, stderr=subprocess.DEVNULL)
    while not list_checkpoints(tmp_path) and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    left = list_checkpoints(tmp_path)
    assert left
    assert not (tmp_path / "result.json").exists()
    train(packed, settings, tmp_path)
    assert equal(read_weights(tmp_path), read_weights(undisturbed))
    strip = ("anchors_per_s", "waited")
    logs = [
        [{k: v for k, v in line.items() if k not in strip} for line in read_log(f)] for f in (tmp_path, undisturbed)
    ]
    assert logs[0] == logs[1]


def test_a_run_that_was_ended_after_its_last_step_knows_its_last_loss(packed, tmp_path):
    settings = choose(steps=3)
    whole = train(packed, settings, tmp_path)
    (tmp_path / "result.json").unlink()
    assert train(packed, settings, tmp_path).loss == whole.loss
    assert math.isfinite(whole.loss)


def test_a_checkpoint_in_the_middle_of_an_epoch_and_of_an_accumulation_is_gone_on_from(packed, tmp_path):
    settings = choose(accumulate=2, batch_size=4, steps=8, checkpoint_every=1, objective="negclip", a_mode="fixed")
    train(packed, settings, tmp_path / "whole")

    def stop(*told: float) -> None:
        if told[0] == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(packed, settings, tmp_path / "cut", stop)
    train(packed, settings, tmp_path / "cut")
    assert equal(read_weights(tmp_path / "cut"), read_weights(tmp_path / "whole"))


def test_a_run_that_goes_on_counts_the_cpu_seconds_of_what_it_goes_on_from(packed, tmp_path):
    settings = choose(steps=3, checkpoint_every=1)

    def stop(*told: float) -> None:
        if told[0] == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(packed, settings, tmp_path, stop)
    last = list_checkpoints(tmp_path)[-1]
    saved = torch.load(last, weights_only=True)
    assert 0 < saved["cpu_seconds"] < 100
    torch.save(saved | {"cpu_seconds": 1000.0}, last)
    assert 1000 < train(packed, settings, tmp_path).cpu_seconds < 1100
    # A repetition of the run writes the same result.
    assert "cpu_seconds" not in json.loads((tmp_path / "result.json").read_text())


def test_adapters_and_the_logit_scale_are_in_a_checkpoint(packed, tmp_path):
    settings = choose(lora_rank=2, steps=2, objective="negclip", a_mode="fixed")
    train(packed, settings, tmp_path)
    saved = torch.load(list_checkpoints(tmp_path)[-1], weights_only=True)["parameters"]
    assert "model.logit_scale" in saved
    assert all("lora" in name for name in saved if name != "model.logit_scale")


def test_accumulated_batches_move_the_scale_as_their_mean(packed):
    """Two batches of a step are averaged: open_clip's accumulation doubles the logit scale's gradient."""
    settings = choose(objective="clip", a_mode="fixed")
    manifest = read_manifest(packed)
    tokens = open_tokens(manifest, packed, settings)
    maker = BatchMaker(packed, manifest, settings, tokens)
    towers, objective = open_towers(settings, tokens).double(), Objective(settings, 2).double()
    single = []
    for number in range(2):
        towers.zero_grad()
        add_batch_gradient(towers, objective, maker.make(0, number), open_world("cpu"), settings)
        single.append(towers.model.logit_scale.grad.item())
    towers.zero_grad()
    for number in range(2):
        add_batch_gradient(towers, objective, maker.make(0, number), open_world("cpu"), settings, 0.5)
    assert towers.model.logit_scale.grad.item() == pytest.approx(sum(single) / 2, rel=1e-12)


def test_a_loss_that_is_no_number_stops_the_run_and_says_what_to_do(packed, tmp_path):
    with pytest.raises(TrainingError, match=r"stopped after step \d+: the .* is nan .*Lower training\.learning_rate"):
        train(packed, choose(learning_rate=1e30, objective="clip", a_mode="fixed"), tmp_path)


def test_a_checkpoint_of_other_settings_is_told(packed, undisturbed):
    with pytest.raises(TrainingError, match="is of a run with other settings or other data"):
        train(packed, choose(ema=0.5, learning_rate=0.1), undisturbed)


def test_a_checkpoint_that_is_not_whole_is_told(packed, tmp_path):
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "step-00000002.pt").write_bytes(b"half")
    with pytest.raises(TrainingError, match="is no checkpoint of ours"):
        train(packed, choose(), tmp_path)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"resolution": 64}, r"holds pictures of 32 px, and training\.resolution is 64: pack again"),
        ({"batch_size": 80}, r"fewer than training\.batch_size = 80 anchors"),
        ({"objective": "mathleap"}, "the term mathleap learns from positive texts, and the packed data has none"),
        (
            {"freeze": ["logit_scale", "text_model", "vision_model", "text_projection", "visual_projection"]},
            "leaves no",
        ),
        (
            {"objective": "tripletclip", "learn_from": ["geometry.caption"]},
            "tripletclip learns from negative pictures with",
        ),
        ({"towers": "texts"}, "learns by objectives of these terms alone: clic, in_batch, mathleap"),
    ],
)
def test_what_cannot_be_trained_is_told(packed, tmp_path, given, said):
    with pytest.raises(TrainingError, match=said):
        train(packed, choose(**({"objective": "clip", "a_mode": "fixed"} | given)), tmp_path)


def test_an_objective_that_is_unknown_is_told_with_those_that_are_known():
    with pytest.raises(ValueError, match="no objective 'nceclip'; allowed: clip, mutual, negclip"):
        TrainingSettings(objective="nceclip")
    with pytest.raises(ValueError, match="no term hard; allowed: clip"):
        TrainingSettings(objective={"hard": 1.0})
    assert TrainingSettings(objective={"clip": 1.0, "sc": 0.1}).terms == TrainingSettings(objective="saclip").terms


def test_short_memory_is_told_with_the_knob(packed, tmp_path, monkeypatch):
    def run_short(*_):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")

    monkeypatch.setattr("counterfoil.tasks.training.loop.add_batch_gradient", run_short)
    with pytest.raises(TrainingError, match=r"not enough memory for a step of 8 anchors .* set training\.chunk = 2"):
        train(packed, choose(), tmp_path)


def break_model(folder: Path, value: float) -> str:
    """A model one of whose weights is no finite number."""
    model = CLIPModel.from_pretrained(folder / "model")
    with torch.no_grad():
        model.text_projection.weight[0, 0] = value
    model.save_pretrained(folder / "broken")
    for path in (folder / "model").iterdir():
        if not (folder / "broken" / path.name).exists():
            shutil.copy(path, folder / "broken")
    return str(folder / "broken")


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("holdout", [0.2, 0.0])
def test_a_model_whose_features_are_no_numbers_ends_the_run_with_its_name_and_the_row(
    undisturbed, dataset, tmp_path, value, holdout
):
    """Before the first step where something is held out to be scored, else in it."""
    settings = choose(model=break_model(undisturbed, value), holdout=holdout)
    pack_dataset(dataset, str(tmp_path / "packed"), settings)
    with pytest.raises(TrainingError) as told:
        train(str(tmp_path / "packed"), settings, tmp_path)
    said = str(told.value)
    assert settings.model in said
    assert "the features of the caption of anchor " in said
    assert ("scoring val" if holdout else "stopped after step 0") in said
    assert "text_projection.weight holds values that are none" in said


def test_the_log_tells_what_each_epoch_is(packed, tmp_path):
    train(packed, choose(steps=None, epochs=2, batch_size=16), tmp_path)
    lines = [line for line in read_log(tmp_path) if line["kind"] == "epoch"]
    assert [(line["epoch"], line["step"]) for line in lines] == [(0, 1), (1, 5)]
    assert {(line["anchors"], line["batches"], line["batch"], line["left_out"]) for line in lines} == {(68, 4, 16, 4)}


def test_the_do_term_is_refused_with_what_to_take_in_its_place():
    with pytest.raises(ValueError, match=r"the term do is 0 on unit vectors, always .*: use orth"):
        TrainingSettings(objective={"clip": 1.0, "do": 0.1})


def test_saclips_term_draws_the_original_in_too_unless_told_not_to(packed):
    manifest = read_manifest(packed)
    values = {}
    for which in ("original", "hard"):
        settings = choose(objective="saclip", a_mode="fixed", sc_positives=which)
        tokens = open_tokens(manifest, packed, settings)
        towers, objective = open_towers(settings, tokens), Objective(settings, len(manifest.families))
        batch = BatchMaker(packed, manifest, settings, tokens).make(0, 0)
        learnt = add_batch_gradient(towers, objective, batch, open_world("cpu"), settings)
        values[which] = learnt.terms["sc"]
    features, scale = learnt.features, learnt.scale
    of, sums = features.layout, {"original": 0.0, "hard": 0.0}
    for anchor in range(of.anchors):
        image, text = features.images[anchor], features.texts[anchor]
        negatives = sum(
            (
                torch.exp(scale * (rows[own.owner == anchor] @ each)).mean()
                for rows, own in (
                    (features.negative_images, of.negative_images),
                    (features.negative_texts, of.negative_texts),
                )
                for each in (image, text)
            ),
        )
        (hard,) = features.positive_images[of.positive_images.owner == anchor]
        drawn = {"hard": [[hard @ image], [hard @ text]]}
        drawn["original"] = [[hard @ image, image @ image], [hard @ text, image @ text], [text @ text], [text @ image]]
        for which, kinds in drawn.items():
            positives = sum(torch.exp(scale * torch.stack(kind)).mean() for kind in kinds)
            sums[which] += float(-torch.log(positives / (positives + negatives))) / of.anchors
    assert values == pytest.approx(sums, rel=1e-4)
    assert TrainingSettings().sc_positives == "original"
