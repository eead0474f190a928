"""A folder in which the commands of help texts and hints run as they are printed: what they name is there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from benchmarks.plain_run import run_plainly
from tests.tasks.geometry.samples import ROWS

ROW = "3f9a1c"
"""What examples call a row; here a source row."""
DEMO = """
[dataset]
path = "data/demo"
workers = 1
replace = true
[geometry]
source = "geometry3k:problems.jsonl"
families = ["rule"]
negatives = {negatives}
[flowchart]
source = "procedural:2"
families = ["flip", "code", "image", "caption"]
[training]
path = "models/demo"
resolution = 32
patch = 16
width = 16
layers = 1
heads = 1
projection = 16
vocabulary = 520
holdout = 0.3
shard_rows = 16
group_rows = 8
objective = "ib+mm"
negative_texts = 1
negative_images = 1
batch_size = 4
steps = 4
warmup = 1
evaluate_every = 2
"""
FIGURE = "import matplotlib.pyplot as plt\nplt.plot([0, 1], [0, 1])\n"


def prepare(folder: Path) -> None:
    """Lay out a folder: recipes, two versions of a small dataset, copies of it, a figure's script, a triplet of others.

    The working directory must be the folder: recipes name their datasets from there.
    """
    (folder / "problems.jsonl").write_text("".join(json.dumps(row | {"problem_id": ROW}) + "\n" for row in ROWS[:1]))
    triplet = {"anchor": "A cat on a red mat.", "negative": "A cat on a mat."}
    (folder / "triplets.jsonl").write_text(json.dumps(triplet) + "\n")
    (folder / "recipes").mkdir()
    for negatives in (2, 3):
        (folder / "recipes" / "demo.toml").write_text(DEMO.format(negatives=negatives))
        run_plainly("recipes/demo.toml", here=True)
    for name in ("train", "test"):
        shutil.copytree("data/demo", folder / "data" / name)
    (folder / "figures").mkdir()
    (folder / "figures" / "line.py").write_text(FIGURE)
