"""The objectives on a small CLIP of our own scenes: same pictures, same steps, from scratch.

    counterfoil run SCENES.toml
    python -m benchmarks.ahead_scenes DATASET FOLDER OUT.jsonl [--steps 120] [--seeds 1]

SCENES.toml has caption.source = "procedural:N" and the families scene, rephrase, unit, halftruth and negation. Whole
captions' negatives are `caption.scene`'s, hard positives `caption.rephrase`'s, units `caption.unit`'s. Judged by the
dataset's own test split: the share beaten of each family (a row that names the text it stands beside: against that
text), and R@1 both ways. A line of OUT holds all of a run's figures.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from pathlib import Path
from typing import Any

import torch

from counterfoil.tasks.encoders import load_encoder
from counterfoil.tasks.evaluation.benchmark import Options
from counterfoil.tasks.evaluation.evaluate import MODEL, Entry, evaluate
from counterfoil.tasks.evaluation.protocols import load_benchmark
from counterfoil.tasks.training.loop import train
from counterfoil.tasks.training.packing.pack import pack_dataset
from counterfoil.tasks.training.settings import TrainingSettings

WHOLE, UNITS = ["caption.scene", "caption.rephrase"], ["caption.unit", "caption.rephrase"]
SETTINGS: dict[str, tuple[str | dict[str, float], list[str]]] = {
    "in-batch": ("clip", WHOLE),
    "naive softmax": ("negclip", WHOLE),
    "margin": ("margin", WHOLE),
    "clic": ("clic", WHOLE),
    "cs": ("cs", [*WHOLE, "caption.unit"]),
    "c2lip": ("c2lip", UNITS),
    "ahnpl": ("ahnpl", WHOLE),
    "cement": ("cement", WHOLE),
}
"""Each objective and the families that it learns from."""


def choose(folder: Path, name: str, seed: int, steps: int) -> TrainingSettings:
    objective, learn_from = SETTINGS[name]
    return TrainingSettings(
        path=str(folder),
        resolution=64,
        patch=8,
        stem="convolutions",
        width=64,
        layers=2,
        heads=2,
        projection=64,
        vocabulary=800,
        context=64,
        families=["caption.scene", "caption.unit"],
        positives=["caption.rephrase"],
        learn_from=learn_from,
        holdout=0.0,
        shard_rows=128,
        group_rows=32,
        encoding="raw",
        objective=objective,
        negative_texts=2,
        batch_size=48,
        steps=steps,
        learning_rate=1e-3,
        seed=seed,
        device="cpu",
        checkpoint_every=10_000,
    )


def judge(dataset: str, model: Path) -> dict[str, float]:
    """Every figure of the dataset's own tasks."""
    sheet = evaluate(load_benchmark(dataset, Options()), [Entry(load_encoder(str(model), "cpu"), MODEL)], blind=False)
    return {
        f"{table.task}, {figure.name}": float(figure.value)
        for table in sheet.tables
        for figure in table.rows[0].figures
        if figure.value is not None
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--seeds", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(1)
    shards = given.folder / "packed"
    manifest = pack_dataset(given.dataset, str(shards), choose(given.folder, next(iter(SETTINGS)), 0, given.steps))
    print(manifest.told, dict(manifest.there), flush=True)
    with given.out.open("w", encoding="utf-8") as out:
        for seed in range(given.seeds):
            for name in SETTINGS:
                folder, began = given.folder / f"{name}-{seed}".replace(" ", "-"), time.process_time()
                shutil.rmtree(folder, ignore_errors=True)
                trained = train(str(shards), choose(folder, name, seed, given.steps), folder)
                told: dict[str, Any] = {"setting": name, "seed": seed, "steps": given.steps, "loss": trained.loss}
                told |= judge(given.dataset, Path(trained.model))
                told["cpu_s"] = round(time.process_time() - began, 1)
                out.write(json.dumps(told) + "\n")
                out.flush()
                print({key: round(x, 3) if isinstance(x, float) else x for key, x in told.items()}, flush=True)


if __name__ == "__main__":
    main()
