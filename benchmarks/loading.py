"""How long a training step waits for its batch: our loader beside a plain torch one, by the number of loader processes.

`python -m benchmarks.loading RECIPE [--set KEY=VALUE]` packs the recipe's dataset, which has to be there, and takes
steps of its training with batches of our loader, and with those of a torch `DataLoader` as it is most often written:
each picture decoded and letterboxed from the tables' PNGs and each text cut into tokens in every epoch.
Both have as many pictures and texts in a step. One thread; waits are the wall's, what a batch costs is in CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from counterfoil.flows.learning.training import read_training
from counterfoil.flows.planning.recipe import load_recipe
from counterfoil.storage.pictures import letterbox, open_picture
from counterfoil.tasks.training.batch import Batch, Layout, list_contrasts
from counterfoil.tasks.training.data import BatchMaker, iterate_batches
from counterfoil.tasks.training.distributed import open_world
from counterfoil.tasks.training.loop import KEPT, open_optimiser
from counterfoil.tasks.training.objectives import Objective
from counterfoil.tasks.training.packing.gather import choose_families, open_join, open_snapshot
from counterfoil.tasks.training.packing.manifest import Manifest
from counterfoil.tasks.training.packing.pack import open_tokens, pack_dataset
from counterfoil.tasks.training.settings import TrainingSettings
from counterfoil.tasks.training.step import add_batch_gradient
from counterfoil.tasks.training.towers import open_towers

WORKERS = (0, 1, 2)


@dataclass(frozen=True)
class Row:
    """An anchor as the tables have it."""

    caption: str
    picture: bytes
    texts: tuple[str, ...]
    pictures: tuple[bytes, ...]


class Plain(Dataset[tuple[list[np.ndarray], list[str]]]):
    """Anchors with some of their negatives, decoded when they are asked for."""

    def __init__(self, rows: list[Row], settings: TrainingSettings) -> None:
        self.rows, self.settings = rows, settings

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> tuple[list[np.ndarray], list[str]]:
        row, settings = self.rows[place], self.settings
        rng = np.random.default_rng()
        texts = rng.permutation(len(row.texts))[: settings.negative_texts]
        pictures = rng.permutation(len(row.pictures))[: settings.negative_images]
        shown = [row.picture, *(row.pictures[each] for each in pictures)]
        pixels = [np.asarray(letterbox(open_picture(each), settings.resolution)) for each in shown]
        return pixels, [row.caption, *(row.texts[each] for each in texts)]


@dataclass(frozen=True)
class Collate:
    """The plain loader's batch."""

    tokenizer: Any
    limit: int

    def __call__(self, rows: list[tuple[list[np.ndarray], list[str]]]) -> Batch:
        """Anchors first, then negatives, each with its owner."""
        pixels = [own[0] for own, _ in rows] + [each for own, _ in rows for each in own[1:]]
        texts = [own[0] for _, own in rows] + [each for _, own in rows for each in own[1:]]
        done = self.tokenizer(texts, padding=True, truncation=True, max_length=self.limit, return_tensors="pt")
        owners = [[(owner, 0, 4.0, -1) for owner, row in enumerate(rows) for _ in row[part][1:]] for part in (0, 1)]
        layout = Layout(
            len(rows),
            True,
            torch.arange(len(rows)),
            list_contrasts(owners[0]),
            list_contrasts([]),
            list_contrasts(owners[1]),
            list_contrasts([]),
        )
        shown = torch.from_numpy(np.stack(pixels)).permute(0, 3, 1, 2).contiguous()
        return Batch(shown, done["input_ids"], done["attention_mask"], layout)


def read_rows(dataset: str, settings: TrainingSettings) -> list[Row]:
    """The anchors with a picture and a negative, from the tables."""
    snapshot = open_snapshot(dataset)
    join = open_join(snapshot, choose_families(snapshot, settings), settings)
    rows = []
    for block in join.blocks:
        for each in join.read(block, ["image", "caption"], ["text", "image"]):
            negatives = [contrast for contrast in each.contrasts if contrast["role"] == "negative"]
            texts = tuple(one["text"] for one in negatives if one["modality"] == "text")
            pictures = tuple(one["image"]["bytes"] for one in negatives if one["modality"] == "image")
            if each.anchor["image"] is not None:
                rows.append(Row(each.anchor["caption"], each.anchor["image"]["bytes"], texts, pictures))
    return rows


def iterate_plain(rows: list[Row], settings: TrainingSettings, collate: Collate, workers: int) -> Iterator[Batch]:
    """Epoch after epoch of the plain loader."""
    while True:
        yield from DataLoader(
            Plain(rows, settings),
            batch_size=settings.batch_size,
            shuffle=True,
            drop_last=True,
            num_workers=workers,
            collate_fn=collate,
            multiprocessing_context="spawn" if workers else None,
        )


def take_steps(batches: Iterator[Batch], settings: TrainingSettings, tokens: Any, families: int, steps: int) -> Any:
    """Learn from ``steps`` batches; milliseconds of each one's wait by the wall, and of a whole step by the wall."""
    towers, objective, world = open_towers(settings, tokens), Objective(settings, families), open_world("cpu")
    optimiser = open_optimiser(towers, objective, settings)
    waits, whole, pictures = [], [], []
    for _ in range(steps):
        began = time.perf_counter()
        batch = next(batches)
        waits.append(time.perf_counter() - began)
        optimiser.zero_grad(set_to_none=True)
        add_batch_gradient(towers, objective, batch, world, settings)
        optimiser.step()
        whole.append(time.perf_counter() - began)
        pictures.append(len(batch.pictures))
    return {
        "waited_share": round(sum(waits) / sum(whole), 3),
        "wait_ms_mean": round(1000 * sum(waits) / steps, 1),
        "wait_ms_median": round(1000 * median(waits), 1),
        "step_ms_mean": round(1000 * sum(whole) / steps, 1),
        "pictures": round(sum(pictures) / steps, 1),
    }


def cost_batches(batches: Iterator[Batch], count: int) -> float:
    """Mean CPU milliseconds of a batch that is made here."""
    began = time.process_time()
    for _ in range(count):
        next(batches)
    return round(1000 * (time.process_time() - began) / count, 1)


def measure(dataset: str, settings: TrainingSettings, steps: int, workers: tuple[int, ...]) -> dict[str, Any]:
    """The loaders' costs and waits on one dataset."""
    with tempfile.TemporaryDirectory() as folder:
        manifest: Manifest = pack_dataset(dataset, folder, settings, workers=1)
        tokens = open_tokens(manifest, folder, settings)
        rows, collate = read_rows(dataset, settings), Collate(tokens.tokenizer, tokens.limit)
        families = len(manifest.families)
        per_epoch = manifest.count("train") // settings.batch_size

        def open_ours(processes: int, count: int) -> Iterator[Batch]:
            memory = KEPT // max(1, processes)
            maker = BatchMaker(folder, manifest, settings, open_tokens(manifest, folder, settings), memory=memory)
            return iterate_batches(maker, 0, 0, processes, count)

        def open_plain(processes: int, count: int) -> Iterator[Batch]:
            del count
            return iterate_plain(rows, settings, collate, processes)

        told: dict[str, Any] = {"anchors": manifest.count("train"), "batches_an_epoch": per_epoch}
        for name, opened in (("ours", open_ours), ("plain", open_plain)):
            first = cost_batches(opened(0, per_epoch), per_epoch)
            both = cost_batches(opened(0, 3 * per_epoch), 3 * per_epoch)
            told[name] = {"batch_cpu_ms": {"first_epoch": first, "later": round((3 * both - first) / 2, 1)}}
            for processes in workers:
                taken = take_steps(opened(processes, steps), settings, tokens, families, steps)
                told[name][f"workers_{processes}"] = taken
                print(f"{name}, workers = {processes}: {json.dumps(taken)}", flush=True)
        return told


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.loading", description=__doc__)
    parser.add_argument("recipe")
    parser.add_argument("--set", dest="sets", action="append", default=[], help="KEY=VALUE")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--workers", type=int, nargs="*", default=WORKERS)
    given = parser.parse_args()
    torch.set_num_threads(1)
    recipe = load_recipe(given.recipe, given.sets)
    settings = read_training(recipe, given.recipe)[0].model_copy(update={"device": "cpu"})
    print(json.dumps(measure(recipe.dataset.path, settings, given.steps, tuple(given.workers)), indent=1))


if __name__ == "__main__":
    main()
