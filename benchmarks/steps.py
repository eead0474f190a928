"""A training step beside open_clip's own, and what each objective costs over CLIP's beside the FLOPs that it adds.

`python -m benchmarks.steps` measures objectives; with `--open-clip` the same tower is exported, loaded by open_clip
and trained there as its own script does (`open_clip_train.train`: the model's forward pass, `ClipLoss`, backward,
AdamW, the clamp of the logit scale). open_clip wants an environment of its own with a torchvision that fits torch. Both
take turns on the same batch in float32, with one thread and in CPU seconds.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import torch
from torch.utils.flop_counter import FlopCounterMode

from counterfoil.tasks.training.batch import Batch, Layout, list_contrasts
from counterfoil.tasks.training.distributed import open_world
from counterfoil.tasks.training.loop import open_optimiser
from counterfoil.tasks.training.objectives import Objective
from counterfoil.tasks.training.settings import TrainingSettings
from counterfoil.tasks.training.step import add_batch_gradient
from counterfoil.tasks.training.tokens import Tokens, train_tokenizer
from counterfoil.tasks.training.towers import open_towers

OBJECTIVES = ("clip", "negclip", "tripletclip", "ceclip", "mmclip", "ib+mm", "saclip", "ahnpl", "cement")
TOKENS = 32
SETTINGS = TrainingSettings(
    resolution=64, patch=8, width=128, layers=4, heads=4, projection=128, vocabulary=520, batch_size=32, device="cpu"
)


def make_batch(anchors: int, contrasts: int, tokens: Tokens) -> Batch:
    """Random pictures and texts; each anchor with negative texts, linked negative pictures and positives, or bare."""
    generator = torch.Generator().manual_seed(0)
    owners = [(owner, 0, 4.0, -1) for owner in range(anchors) for _ in range(contrasts)]
    linked = [(owner, 1, 4.0, place) for place, (owner, *_) in enumerate(owners)]
    layout = Layout(
        anchors,
        True,
        torch.arange(anchors),
        list_contrasts(linked),
        list_contrasts([]),
        list_contrasts(owners),
        list_contrasts(owners[: anchors if contrasts else 0]),
    )
    ids = torch.randint(2, 500, (sum(layout.text_sizes), TOKENS), generator=generator)
    ids[:, -1] = tokens.tokenizer.eos_token_id
    pictures = torch.randint(0, 256, (sum(layout.picture_sizes), 3, 64, 64), dtype=torch.uint8, generator=generator)
    return Batch(pictures, ids, torch.ones_like(ids), layout)


def make_step(settings: TrainingSettings, tokens: Tokens, batch: Batch) -> Callable[[], None]:
    """A step of ours: gradient, optimiser, the clamp of the logit scale."""
    towers, objective, world = open_towers(settings, tokens), Objective(settings, 2), open_world("cpu")
    optimiser = open_optimiser(towers, objective, settings)

    def step() -> None:
        optimiser.zero_grad(set_to_none=True)
        add_batch_gradient(towers, objective, batch, world, settings)
        optimiser.step()
        towers.settle()

    return step


def make_open_clip_step(settings: TrainingSettings, tokens: Tokens, batch: Batch) -> Callable[[], None]:
    """A step of open_clip's training script with the same tower and batch."""
    import open_clip
    from open_clip.loss import ClipLoss

    towers = open_towers(settings, tokens)
    with tempfile.TemporaryDirectory() as folder:
        towers.export(folder)
        model = open_clip.create_model(f"local-dir:{Path(folder)}")
    model.train()
    loss = ClipLoss()
    bare = [each for each in model.parameters() if each.ndim < 2]
    matrices = [each for each in model.parameters() if each.ndim >= 2]
    groups = [{"params": bare, "weight_decay": 0.0}, {"params": matrices, "weight_decay": settings.weight_decay}]
    optimiser = torch.optim.AdamW(groups, lr=settings.learning_rate, betas=(0.9, settings.beta2), eps=1e-6)
    images = (batch.pictures / 255 - towers.mean) / towers.std

    def step() -> None:
        optimiser.zero_grad()
        image, text, scale = model(images, batch.tokens)[:3]
        loss(image, text, scale).backward()
        optimiser.step()
        with torch.no_grad():
            model.logit_scale.clamp_(0, math.log(100))

    return step


def time_steps(steps: dict[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """The median CPU seconds of each kind of step; the kinds take turns, so that load falls on all alike."""
    taken: dict[str, list[float]] = {name: [] for name in steps}
    for number in range(rounds + 1):
        for name, step in steps.items():
            began = time.process_time()
            step()
            if number:
                taken[name].append(time.process_time() - began)
    return {name: median(found) for name, found in taken.items()}


def count_flops(step: Callable[[], None]) -> int:
    """Floating-point operations of a step's products of matrices."""
    with FlopCounterMode(display=False) as counter:
        step()
    return int(counter.get_total_flops())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--open-clip", action="store_true")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    torch.set_num_threads(1)
    tokens = train_tokenizer(["a red square on a blue disc"] * 8, SETTINGS.vocabulary, TOKENS)
    bare = make_batch(SETTINGS.batch_size, 0, tokens)
    clip = SETTINGS.model_copy(update={"objective": "clip"})
    if given.open_clip:
        both = {"ours": make_step(clip, tokens, bare), "open_clip": make_open_clip_step(clip, tokens, bare)}
        taken = time_steps(both, given.rounds)
        print(f"CLIP, {SETTINGS.batch_size} pairs, float32: " + ", ".join(f"{n} {s:.3f} s" for n, s in taken.items()))
        print(f"steps a CPU second, ours to open_clip's: {taken['open_clip'] / taken['ours']:.2f}")
        return
    full = make_batch(SETTINGS.batch_size, 1, tokens)
    steps = {"clip, bare": make_step(clip, tokens, bare)}
    for name in OBJECTIVES:
        steps[name] = make_step(SETTINGS.model_copy(update={"objective": name}), tokens, full)
    flops = {name: count_flops(step) for name, step in steps.items()}
    taken = time_steps(steps, given.rounds)
    for name in steps:
        times, work = taken[name] / taken["clip, bare"], flops[name] / flops["clip, bare"]
        print(f"{name:12s} {taken[name]:.3f} CPU s ({times:.2f} of CLIP's), {flops[name] / 1e9:.2f} GFLOP ({work:.2f})")


if __name__ == "__main__":
    main()
