"""Training: pictures a second from packed shards beside decoding the tables' PNGs, and what each objective costs.

`python -m benchmarks.training DATASET` measures on a dataset that is there, with one thread, in CPU seconds, so that a
busy machine disturbs little. What is not measured here: a GPU, several processes, and open_clip's own training step.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator

import torch

from counterfoil.storage.pictures import letterbox, open_picture
from counterfoil.tasks.training.data import BatchMaker
from counterfoil.tasks.training.distributed import open_world
from counterfoil.tasks.training.objectives import Objective
from counterfoil.tasks.training.packing.gather import choose_families, open_join, open_snapshot
from counterfoil.tasks.training.packing.pack import open_tokens, pack_dataset
from counterfoil.tasks.training.settings import TrainingSettings
from counterfoil.tasks.training.step import add_batch_gradient
from counterfoil.tasks.training.towers import open_towers

DATASET = sys.argv[1] if len(sys.argv) > 1 else "data/demo"
RESOLUTION = 224
SECONDS = 6.0
OBJECTIVES = ("clip", "negclip", "tripletclip", "ceclip", "mmclip", "ib+mm", "saclip", "ahnpl", "cement")
SMALL = TrainingSettings(
    resolution=RESOLUTION, patch=32, width=64, layers=2, heads=2, projection=64, vocabulary=1000, batch_size=16
).model_copy(update={"shard_rows": 256, "group_rows": 32, "streams": 1, "holdout": 0.0, "device": "cpu"})


def count_per_second(rows: Iterator[int]) -> float:
    """How many a CPU second: ``rows`` yields how many came at once."""
    began, count = time.process_time(), 0
    for found in rows:
        count += found
        if time.process_time() - began > SECONDS:
            break
    return count / (time.process_time() - began)


def decode_sources(dataset: str) -> Iterator[int]:
    """The tables' own pictures: PNGs decoded and letterboxed, as a loader without packing does in every epoch."""
    snapshot = open_snapshot(dataset)
    join = open_join(snapshot, choose_families(snapshot, SMALL), SMALL)
    for block in join.blocks:
        for row in join.read(block, ["image"], ["image"]):
            pictures = [row.anchor["image"], *(each["image"] for each in row.contrasts if each["image"] is not None)]
            for picture in pictures:
                letterbox(open_picture(picture["bytes"]), RESOLUTION)
            yield len(pictures)


def read_packed(folder: str, settings: TrainingSettings) -> Iterator[int]:
    """Whole batches of the loader, tokens and all."""
    manifest = pack_dataset(DATASET, folder, settings, workers=2)
    maker = BatchMaker(folder, manifest, settings, open_tokens(manifest, folder, settings))
    maker.make(0, 0)
    for epoch in range(100):
        for number in range(maker.count_batches(epoch)):
            yield len(maker.make(epoch, number).pictures)


def time_step(folder: str, settings: TrainingSettings, steps: int = 3) -> float:
    """CPU seconds of the gradient of one batch."""
    manifest = pack_dataset(DATASET, folder, settings, workers=2)
    tokens = open_tokens(manifest, folder, settings)
    towers, objective = open_towers(settings, tokens), Objective(settings, len(manifest.families))
    batch = BatchMaker(folder, manifest, settings, tokens).make(0, 0)
    world = open_world("cpu")
    run: Callable[[], object] = lambda: add_batch_gradient(towers, objective, batch, world, settings)  # noqa: E731
    run()
    began = time.process_time()
    for _ in range(steps):
        run()
    return (time.process_time() - began) / steps


def main() -> None:
    torch.set_num_threads(1)
    print(f"pictures a CPU second at {RESOLUTION} px, with decoding of the tables' PNGs:", flush=True)
    print(f"  PNGs of the tables  {count_per_second(decode_sources(DATASET)):8.0f}", flush=True)
    for encoding in ("webp", "raw"):
        with tempfile.TemporaryDirectory() as folder:
            rows = read_packed(folder, SMALL.model_copy(update={"encoding": encoding}))
            next(rows)
            print(f"  packed, {encoding:10s}  {count_per_second(rows):8.0f}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        print("CPU seconds of a step of 16 anchors with 2 negative texts and 2 negative pictures:", flush=True)
        update = {"negative_texts": 2, "negative_images": 2}
        whole = SMALL.model_copy(update=update)
        plain = time_step(
            folder, whole.model_copy(update={"negative_texts": 0, "negative_images": 0, "objective": "clip"})
        )
        print(f"  clip, no negatives  {plain:6.2f}", flush=True)
        for objective in OBJECTIVES:
            taken = time_step(folder, whole.model_copy(update={"objective": objective}))
            print(f"  {objective:18s}  {taken:6.2f}  ({taken / plain:.1f} times)", flush=True)
        chunked = time_step(folder, whole.model_copy(update={"objective": "negclip", "chunk": 16}))
        print(f"  negclip in chunks of 16  {chunked:6.2f}", flush=True)


if __name__ == "__main__":
    main()
