"""A small CLIP in a plain loop on the product's own towers and objectives: what studies of scenes and figures share.

A study has a start, trained in-batch, and settings that go on from it; each finished run is a line of JSON. Commands
stop by themselves once their CPU time is spent, and go on where they were.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from counterfoil.tasks.training.batch import Features, Layout
from counterfoil.tasks.training.objectives import Objective
from counterfoil.tasks.training.settings import TrainingSettings
from counterfoil.tasks.training.tokens import Tokens, load_tokens, train_tokenizer
from counterfoil.tasks.training.towers import Towers

Outcomes = list[tuple[int, float]]
"""Of each row its anchor, and what came out."""


@dataclass
class Clip:
    """The towers with their tokens."""

    towers: Towers
    tokens: Tokens
    bf16: bool = False
    """Whether it learns with products in bf16; it is judged in float32."""

    def show(self, pixels: np.ndarray, patches: bool = False) -> Tensor:
        """Features of pictures [N, S, S, 3] uint8, or [N, S, S] of grey ones."""
        if pixels.ndim == 3:
            pixels = np.repeat(pixels[..., None], 3, axis=3)
        shown = torch.from_numpy(np.ascontiguousarray(pixels.transpose(0, 3, 1, 2)))
        return self.towers.encode_patches(shown) if patches else self.towers.encode_pictures(shown)

    def say(self, texts: Sequence[str]) -> Tensor:
        """Features of texts, those of a like length together."""
        if not texts:
            return torch.zeros(0, self.towers.model.config.projection_dim)  # type: ignore[union-attr]
        once = sorted(set(texts), key=len)
        found: dict[str, Tensor] = {}
        for part in (once[start : start + 64] for start in range(0, len(once), 64)):
            found.update(zip(part, self.towers.encode_tokens(*self.tokens.encode(part)), strict=True))
        return torch.stack([found[each] for each in texts])


class Clock:
    """CPU seconds that a command may take."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def check(self) -> None:
        """End the process with status 3 where its time is spent."""
        if time.process_time() > self.seconds:
            sys.exit(3)


@dataclass(frozen=True)
class Shown:
    """A batch: pictures, anchors' first, and texts, captions first, as ``layout`` orders them."""

    pixels: np.ndarray
    texts: list[str]
    layout: Layout


def choose_small(objective: str, rate: float, seed: int, **sizes: int) -> TrainingSettings:
    """Towers of two layers with a stem of convolutions; ``sizes`` are keys of `[training]` that studies differ in."""
    shared = {"patch": 16, "stem": "convolutions", "layers": 2, "heads": 2, "device": "cpu"}
    own = {"objective": objective, "learning_rate": rate, "seed": seed}
    return TrainingSettings.model_validate({**shared, **own, **sizes})


def open_tokens(folder: Path, settings: TrainingSettings, list_texts: Callable[[], Sequence[str]]) -> Tokens:
    """The tokens that are kept in ``folder``, or others that are trained on texts."""
    kept = folder / "tokens"
    if not kept.exists():
        train_tokenizer(list_texts(), settings.vocabulary, settings.context).tokenizer.save_pretrained(kept)
    return load_tokens(kept, settings.context)


def take(rows: int, step: int, batch: int, seed: int) -> np.ndarray:
    """The rows of a step: a new order for each epoch."""
    each = rows // batch
    order = np.random.default_rng([seed, step // each]).permutation(rows)
    at = step % each * batch
    return order[at : at + batch]


def find_rate(step: int, steps: int, most: float, warmup: int) -> float:
    """A rise, then half of a cosine."""
    return most * min(1.0, (step + 1) / warmup) * (1 + math.cos(math.pi * step / steps)) / 2


def open_optimiser(clip: Clip, rate: float) -> torch.optim.Optimizer:
    return torch.optim.AdamW(clip.towers.parameters(), lr=rate, weight_decay=0.1, betas=(0.9, 0.98))


def learn(clip: Clip, objective: Objective, optimiser: torch.optim.Optimizer, batch: Shown, rate: float) -> float:
    """One step of the optimiser; the loss before it."""
    layout, patches = batch.layout, "phrases" in objective.terms
    with torch.autocast("cpu", torch.bfloat16, enabled=clip.bf16):
        shown, said = clip.show(batch.pixels, patches), clip.say(batch.texts)
    size = said.shape[1]
    seen, negative_images, positive_images = shown[:, :size].split(list(layout.picture_sizes))
    captions, negative, positive = said.split(list(layout.text_sizes))
    held = shown[: layout.anchors, size:].unflatten(1, (-1, size)) if patches else None
    features = Features(seen, negative_images, positive_images, captions, negative, positive, layout, held)
    loss, _ = objective(features, clip.towers.logit_scale.exp(), clip.towers.logit_bias)
    for group in optimiser.param_groups:
        group["lr"] = rate
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(clip.towers.parameters(), 1.0)
    optimiser.step()
    clip.towers.settle()
    objective.settle()
    return float(loss.detach())


def train_start(
    saved: Path,
    clip: Clip,
    objective: Objective,
    steps: int,
    rate: float,
    make: Callable[[int], Shown],
    tell_ranks: Callable[[], dict[str, Outcomes]],
    clock: Clock,
) -> None:
    """Train the model that all settings begin with, and keep it in ``saved``; ``make`` gives the batch of a step."""
    optimiser, done, spent = open_optimiser(clip, rate), 0, 0.0
    if saved.exists():
        state = torch.load(saved)
        clip.towers.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        done, spent = state["step"], state["cpu_s"]
    while done < steps:
        loss = learn(clip, objective, optimiser, make(done), find_rate(done, steps, rate, 60))
        done += 1
        if done % 25 == 0 or done == steps:
            state = {"model": clip.towers.state_dict(), "optimiser": optimiser.state_dict()}
            torch.save({**state, "step": done, "cpu_s": spent + time.process_time()}, saved)
            means = average(tell_ranks()) if done % 100 == 0 or done == steps else {}
            print(done, round(loss, 3), round(spent + time.process_time()), "CPU s", means, flush=True)
            if done < steps:
                clock.check()


def run_settings(
    folder: Path,
    order: Sequence[tuple[int, str]],
    open_start: Callable[[], Clip],
    tune: Callable[[Clip, str, int], float],
    judge: Callable[[Clip], dict[str, Outcomes]],
    more: dict[str, int],
    clock: Clock,
) -> None:
    """Go on from ``start.pt`` with each seed and setting of ``order`` that has no line yet, and judge it; ``tune``
    gives the last loss. The setting ``none`` is the start itself."""
    out = folder / "compared.jsonl"
    done = {(line["seed"], line["setting"]) for line in read_lines(out)}
    state = torch.load(folder / "start.pt")["model"]
    for seed, name in order:
        if (seed, name) in done:
            continue
        clock.check()
        torch.manual_seed(seed)
        clip, began = open_start(), time.process_time()
        clip.towers.load_state_dict(state)
        loss = math.nan if name == "none" else tune(clip, name, seed)
        learnt = time.process_time() - began
        told = judge(clip)
        line = {"setting": name, "seed": seed, **more, "loss": loss, "cpu_s": learnt, "told": told}
        with out.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(line) + "\n")
        print(name, seed, round(loss, 3), round(learnt), "CPU s", average(told), flush=True)


def order_settings(settings: Sequence[str], seeds: int, only: Sequence[str]) -> list[tuple[int, str]]:
    """The start, then one seed of all settings after the other; of ``only`` these, if there are any."""
    order = [(0, "none"), *((seed, name) for seed in range(seeds) for name in settings)]
    return [(seed, name) for seed, name in order if not only or name in only]


@torch.no_grad()
def find_ranks(clip: Clip, pixels: np.ndarray, captions: Sequence[str]) -> dict[str, Outcomes]:
    """Retrieval both ways: whether each picture's caption, and each caption's picture, is the first, or of ten."""
    likeness, told = show_all(clip, pixels) @ clip.say(captions).T, {}
    for way, scores in (("text", likeness), ("picture", likeness.T)):
        rank = (scores > scores.diagonal()[:, None]).sum(1)
        for most in (1, 10):
            told[f"R@{most} {way}"] = [(at, float(hit)) for at, hit in enumerate((rank < most).tolist())]
    return told


def show_all(clip: Clip, pixels: np.ndarray) -> Tensor:
    return torch.cat([clip.show(pixels[at : at + 250]) for at in range(0, len(pixels), 250)])


def average(told: dict[str, Outcomes]) -> dict[str, float]:
    """Percent of each test."""
    return {test: round(100 * float(np.mean([hit for _, hit in rows])), 1) for test, rows in told.items()}


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


@dataclass(frozen=True)
class Bounded:
    """Percent, or points, with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:5.1f} ({self.low:.1f} to {self.high:.1f})"


@dataclass(frozen=True)
class Told:
    """A setting on a test, over anchors and seeds, and its difference from the base."""

    rows: int
    level: Bounded
    gain: Bounded
    seeds: tuple[float, ...]


def compute(path: Path, base: str = "in-batch") -> dict[str, dict[str, Told]]:
    """Of each test and setting what its lines say, by bootstrap over anchors of the means over seeds."""
    found: dict[str, dict[str, list[Outcomes]]] = {}
    for line in read_lines(path):
        for test, rows in line["told"].items():
            found.setdefault(test, {}).setdefault(line["setting"], []).append(rows)
    told: dict[str, dict[str, Told]] = {}
    for test, settings in found.items():
        means = {name: _mean_by_anchor(runs) for name, runs in settings.items()}
        for name, (outcomes, weights) in means.items():
            seeds = tuple(100 * float(np.average([hit for _, hit in run])) for run in settings[name])
            level, gain = (_bootstrap(each, weights) for each in (outcomes, outcomes - means[base][0]))
            told.setdefault(test, {})[name] = Told(len(settings[base][0]), level, gain, seeds)
    return told


def tell(path: Path, base: str = "in-batch") -> None:
    """Print means over rows and seeds with 95 % intervals, and the differences from ``base`` with theirs."""
    for test, settings in compute(path, base).items():
        print(f"{test}: {settings[base].rows} rows")
        for name, told in settings.items():
            seeds = [round(each, 1) for each in told.seeds]
            print(f"  {name:20} {told.level}  over {base} {told.gain}  seeds {seeds}")


def _mean_by_anchor(runs: Sequence[Outcomes]) -> tuple[np.ndarray, np.ndarray]:
    """Of each anchor the mean outcome over its rows and all seeds, and its rows."""
    anchors = np.array([anchor for anchor, _ in runs[0]])
    outcomes = np.mean([[hit for _, hit in run] for run in runs], axis=0)
    rows = np.bincount(anchors)
    there = rows > 0
    return np.bincount(anchors, outcomes)[there] / rows[there], rows[there]


def _bootstrap(outcomes: np.ndarray, weights: np.ndarray) -> Bounded:
    rng = np.random.default_rng(0)
    drawn = rng.integers(len(outcomes), size=(2000, len(outcomes)))
    means = (outcomes[drawn] * weights[drawn]).sum(1) / weights[drawn].sum(1)
    low, high = 100 * np.percentile(means, [2.5, 97.5])
    return Bounded(100 * float(np.average(outcomes, weights=weights)), float(low), float(high))
