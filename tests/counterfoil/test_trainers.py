"""Anyone's trainer: the page's examples run on the tables as they are, and the collators keep who owns what."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from counterfoil import Triplet, losses
from counterfoil.collate import collate_ragged
from tests.counterfoil.test_python import ROOT, list_snippets
from tests.patience import PATIENCE_S
from tests.tasks.encoders.tiny import save_clip, save_sentences


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    """The folder in which the page and open_clip's were run, with tiny models in the place of those that they name."""
    folder = tmp_path_factory.mktemp("trainers")
    script = "\n".join(map(list_snippets, ("docs/trainers.md", "docs/open-clip.md")))
    for name, own in (
        ("sentence-transformers/all-MiniLM-L6-v2", save_sentences(folder / "sentences")),
        ("openai/clip-vit-base-patch32", save_clip(folder / "clip")),
    ):
        assert name in script
        script = script.replace(name, own)
    (folder / "page.py").write_text(script)
    done = subprocess.run(
        [sys.executable, "page.py"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return folder


@pytest.mark.slow
def test_the_pages_examples_train_with_every_trainer(page):
    assert (page / "models" / "st").is_dir() and (page / "models" / "hf").is_dir()


@pytest.mark.slow
def test_open_clips_csv_names_anchors_and_negative_pictures_that_are_there(page):
    with (page / "data" / "pairs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows and all((page / row["filepath"]).is_file() and row["title"] for row in rows)
    assert len({row["title"] for row in rows}) > 4  # of the four charts' negative pictures too


def test_ragged_batches_keep_whose_each_negative_is():
    triplets = [Triplet("p", "a", ["b", "c"], []), Triplet("q", "d", [], ["r"]), Triplet("s", "e", ["f"], ["t"])]
    batch = collate_ragged(triplets)
    assert (batch.negative_captions, batch.caption_owner.tolist()) == (["b", "c", "f"], [0, 0, 2])
    assert (batch.negative_images, batch.image_owner.tolist()) == (["r", "t"], [1, 2])


def test_a_batch_without_negatives_collates():
    batch = collate_ragged([Triplet(torch.zeros(3, 2, 2), "a", [], [])])
    assert batch.images.shape == (1, 3, 2, 2) and batch.caption_owner.dtype == torch.int64
    assert not len(batch.caption_owner) and not len(batch.negative_images)


@pytest.mark.parametrize("name", [name for name in losses.__all__ if name.endswith("_loss")])
def test_every_public_loss_has_a_worked_example(name):
    assert ">>>" in (getattr(losses, name).__doc__ or "")
