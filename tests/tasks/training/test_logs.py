from __future__ import annotations

import sys

import pytest

from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.logs import RunLog, read_log
from counterfoil.tasks.training.loop import train
from tests.tasks.training import tiny


def test_weights_and_biases_that_are_not_installed_are_told_before_a_step(packed, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb", None)
    settings = tiny.choose(wandb="counterfoil", positives=["geometry.mirror"])
    with pytest.raises(
        TrainingError, match=r"training.wandb = 'counterfoil' needs Weights & Biases: pip install wandb"
    ):
        train(packed, settings, tmp_path)
    assert [line for line in read_log(tmp_path) if line["kind"] == "train"] == []


def test_a_run_logs_to_weights_and_biases_offline(tmp_path, monkeypatch):
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    log = RunLog(tmp_path, 0, "counterfoil", "ab" * 32, {"objective": "clip"})
    log.add("train", 1, {"loss": 0.5})
    log.add("score", 1, {"texts": 0.25, "distances": {"image_caption": 0.125}})
    log.close()
    written = b"".join(path.read_bytes() for path in tmp_path.glob("wandb/offline-run-*-abababababababab/*.wandb"))
    assert all(name in written for name in (b"train/loss", b"score/texts", b"image_caption", b"objective"))


def test_weights_and_biases_that_refuse_are_told(tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb")

    def refuse(**_: object) -> None:
        raise wandb.errors.UsageError("api_key not configured (no-tty)")

    monkeypatch.setattr(wandb, "init", refuse)
    with pytest.raises(TrainingError, match=r"api_key not configured \(no-tty\). Log in with `wandb login`"):
        RunLog(tmp_path, 0, "counterfoil", "ab" * 32)
