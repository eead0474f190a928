"""Peak memory and time of a training step, whole and in chunks (cached gradients): `python -m benchmarks.caching`.

Each way is a process of its own, so that its peak is its own: the resident memory of a CLIP of four layers and width
128 on random pictures of 64 px (64 patches) and random tokens, less what the process held before the first step.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from multiprocessing.connection import Connection

import torch

from counterfoil.tasks.training.batch import Batch, Layout, list_contrasts
from counterfoil.tasks.training.distributed import open_world
from counterfoil.tasks.training.objectives import Objective
from counterfoil.tasks.training.settings import TrainingSettings
from counterfoil.tasks.training.step import add_batch_gradient
from counterfoil.tasks.training.tokens import train_tokenizer
from counterfoil.tasks.training.towers import open_towers

STEPS = 2


def make_batch(anchors: int, negatives: int, tokens: int, vocabulary: int) -> Batch:
    """Random pictures and texts: each anchor with negative texts."""
    generator = torch.Generator().manual_seed(0)
    owners = [(owner, 0, float("nan"), -1) for owner in range(anchors) for _ in range(negatives)]
    none = list_contrasts([])
    layout = Layout(anchors, True, torch.arange(anchors), none, none, list_contrasts(owners), none)
    count = anchors * (1 + negatives)
    return Batch(
        torch.randint(0, 256, (anchors, 3, 64, 64), dtype=torch.uint8, generator=generator),
        torch.randint(0, vocabulary, (count, tokens), generator=generator),
        torch.ones(count, tokens, dtype=torch.int64),
        layout,
    )


def measure(chunk: int, anchors: int, link: Connection) -> None:
    """Send (MiB at the peak over what was there before, CPU seconds of a step)."""
    torch.set_num_threads(1)
    settings = TrainingSettings(
        resolution=64, patch=8, width=128, layers=4, heads=4, objective="negclip", chunk=chunk, batch_size=anchors
    )
    tokens = train_tokenizer(["a red square on a blue disc"] * 8, 520, 32)
    towers, objective = open_towers(settings, tokens), Objective(settings, 1)
    batch, world = make_batch(anchors, 2, 32, 500), open_world("cpu")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    for _ in range(STEPS):
        towers.zero_grad()
        add_batch_gradient(towers, objective, batch, world, settings)
    taken = (time.process_time() - began) / STEPS
    link.send(((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, taken))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--anchors", type=int, default=128)
    parser.add_argument("--chunks", type=int, nargs="+", default=[0, 64, 16])
    given = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    for chunk in given.chunks:
        mine, theirs = context.Pipe()
        process = context.Process(target=measure, args=(chunk, given.anchors, theirs))
        process.start()
        memory, taken = mine.recv()
        process.join()
        way = f"chunks of {chunk}" if chunk else "whole"
        print(f"{given.anchors} anchors, {3 * given.anchors} texts, {way}: {memory:.0f} MiB, {taken:.2f} CPU s a step")


if __name__ == "__main__":
    main()
