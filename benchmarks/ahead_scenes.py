"""The objectives on a small CLIP of our own scenes: one start, then the same pictures, texts and steps for all.

    python -m benchmarks.ahead_scenes draw FOLDER [--scenes 1000] [--pairs 6000] [--seconds 240]
    counterfoil run TEST.toml
    python -m benchmarks.ahead_scenes start FOLDER [--seconds 240]
    python -m benchmarks.ahead_scenes compare FOLDER TEST [--seeds 3] [--seconds 240]
    python -m benchmarks.ahead_scenes tell FOLDER

Each command goes on where it was stopped; after ``--seconds`` of CPU it stops by itself, with status 3 if work is left.
``draw`` makes pictures and texts (`benchmarks.ahead_drawn`), ``start`` trains a CLIP on pairs alone, and ``compare``
goes on from it with each objective. TEST.toml has another seed, caption.source = "procedural:N" and the families
scene, unit, halftruth and negation. No setting sees a scene of TEST, nor the drawn scenes held out for retrieval.

Each line of FOLDER/compared.jsonl: setting, seed, and of each test the outcomes, by anchor. ``tell`` prints their means
with intervals of a bootstrap over anchors, and the differences from in-batch training.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor

import counterfoil
from benchmarks.ahead_drawn import Foils, Scene, draw, read
from counterfoil.storage.rows import find_beside
from counterfoil.tasks.caption.checks import draw_anew, read_scene_code
from counterfoil.tasks.caption.scenes.picture import paint
from counterfoil.tasks.training.batch import Features, Layout, list_contrasts
from counterfoil.tasks.training.objectives import Objective
from counterfoil.tasks.training.settings import TrainingSettings
from counterfoil.tasks.training.tokens import Tokens, load_tokens, train_tokenizer
from counterfoil.tasks.training.towers import Towers, open_towers

SIDE, HELD = 64, 300
BATCH, START_STEPS, START_RATE = 96, 320, 2e-3
TUNE_BATCH, TUNE_STEPS, TUNE_RATE = 48, 40, 5e-4
OBJECTIVES = {
    "in-batch": "clip",
    "softmax": "negclip",
    "margin": "margin",
    "clic": "clic",
    "cs": "cs",
    "c2lip": "c2lip",
    "ahnpl": "ahnpl",
    "cement": "cement",
}
SETTINGS = {
    **{name: (objective, False) for name, objective in OBJECTIVES.items()},
    **{f"{name}, unproved": (OBJECTIVES[name], True) for name in ("softmax", "margin", "clic", "cs")},
}
"""What each learns by, and whether its foils are unproved."""


def choose(objective: str, rate: float, seed: int) -> TrainingSettings:
    return TrainingSettings(
        resolution=SIDE,
        patch=16,
        stem="convolutions",
        width=64,
        layers=2,
        heads=2,
        projection=64,
        vocabulary=900,
        context=64,
        objective=objective,
        learning_rate=rate,
        seed=seed,
        device="cpu",
    )


@dataclass
class Clip:
    """The towers with their tokens, and batches of them."""

    towers: Towers
    tokens: Tokens
    known: dict[str, Tensor] = field(default_factory=dict)

    def show(self, pixels: np.ndarray, patches: bool = False) -> Tensor:
        shown = torch.from_numpy(np.ascontiguousarray(pixels.transpose(0, 3, 1, 2)))
        return self.towers.encode_patches(shown) if patches else self.towers.encode_pictures(shown)

    def say(self, texts: Sequence[str]) -> Tensor:
        """Features of texts, those of a like length together."""
        once = sorted(set(texts), key=len)
        found: dict[str, Tensor] = {}
        for part in (once[start : start + 64] for start in range(0, len(once), 64)):
            found.update(zip(part, self.towers.encode_tokens(*self.tokens.encode(part)), strict=True))
        return torch.stack([found[each] for each in texts])


class Clock:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def check(self) -> None:
        """End the process where its time is spent."""
        if time.process_time() > self.seconds:
            sys.exit(3)


def start(folder: Path, steps: int, clock: Clock) -> None:
    """Train the model that all settings begin with, in-batch."""
    pixels, scenes = _list_pairs(folder, held=False)
    shown, told_of = _list_pairs(folder, held=True)
    held = shown, [each.captions[0] for each in told_of]
    tokens = _open_tokens(folder, scenes)
    torch.manual_seed(0)
    clip = Clip(open_towers(choose("clip", START_RATE, 0), tokens), tokens)
    optimiser = torch.optim.AdamW(clip.towers.parameters(), lr=START_RATE, weight_decay=0.1, betas=(0.9, 0.98))
    saved, done, spent = folder / "start.pt", 0, 0.0
    if saved.exists():
        state = torch.load(saved)
        clip.towers.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        done, spent = state["step"], state["cpu_s"]
    objective = Objective(choose("clip", START_RATE, 0), 1)
    while done < steps:
        places = _take(len(scenes), done, BATCH, 0)
        rng = np.random.default_rng([1, done])
        said = [scenes[i].captions[int(rng.integers(2))] for i in places]
        loss = _step(clip, objective, optimiser, pixels[places], _lay_out(said), _rate(done, steps, START_RATE, 60))
        done += 1
        if done % 25 == 0 or done == steps:
            torch.save(
                {
                    "model": clip.towers.state_dict(),
                    "optimiser": optimiser.state_dict(),
                    "step": done,
                    "cpu_s": spent + time.process_time(),
                },
                saved,
            )
            told = find_ranks(clip, *held) if done % 100 == 0 or done == steps else {}
            means = {test: round(100 * float(np.mean([hit for _, hit in rows])), 1) for test, rows in told.items()}
            print(done, round(loss, 3), round(spent + time.process_time()), "CPU s", means, flush=True)
            if done < steps:
                clock.check()


def _open_tokens(folder: Path, scenes: Sequence[Scene]) -> Tokens:
    kept = folder / "tokens"
    if not kept.exists():
        settings = choose("clip", 1.0, 0)
        texts = [text for scene in scenes for text in scene.captions]
        texts += [foil.true for scene in read(folder / "drawn", "foils")[1] for foil in scene.foils]
        train_tokenizer(texts, settings.vocabulary, settings.context).tokenizer.save_pretrained(kept)
    return load_tokens(kept, choose("clip", 1.0, 0).context)


def _take(rows: int, step: int, batch: int, seed: int) -> np.ndarray:
    """The rows of a step: a new order for each epoch."""
    each = rows // batch
    order = np.random.default_rng([seed, step // each]).permutation(rows)
    at = step % each * batch
    return order[at : at + batch]


def _rate(step: int, steps: int, most: float, warmup: int) -> float:
    return most * min(1.0, (step + 1) / warmup) * (1 + math.cos(math.pi * step / steps)) / 2


@dataclass(frozen=True)
class _Texts:
    texts: list[str]
    layout: Layout


def _lay_out(
    captions: Sequence[str],
    foils: Sequence[Foils] = (),
    others: Sequence[str] = (),
    units: Sequence[tuple[int, Foils]] = (),
    unproved: bool = False,
) -> _Texts:
    """Captions with a foil and a text that says the same each, and units beside their foils."""
    count, none = len(captions), list_contrasts([])
    said = [each.unproved if unproved else each.proved for each in [*foils, *(unit for _, unit in units)]]
    rated = [math.nan if each.concreteness is None else each.concreteness for each in foils]
    owners = [owner for owner, _ in units]
    negative = [(i, 0, rating, -1) for i, rating in enumerate(rated)] + [(i, 1, math.nan, -1) for i in owners]
    true = [*others, *(unit.true for _, unit in units)]
    positive = [(i, 2, math.nan, -1) for i in range(len(others))]
    positive += [(owner, 1, math.nan, len(foils) + at) for at, owner in enumerate(owners)]
    layout = Layout(
        count,
        True,
        torch.arange(count),
        none,
        none,
        list_contrasts(negative, None, said),
        list_contrasts(positive, None, true),
    )
    return _Texts([*captions, *said, *true], layout)


def _step(
    clip: Clip,
    objective: Objective,
    optimiser: torch.optim.Optimizer,
    pixels: np.ndarray,
    texts: _Texts,
    rate: float,
) -> float:
    """One step of the optimiser; the loss before it."""
    layout, patches = texts.layout, "phrases" in objective.terms
    shown, said = clip.show(pixels, patches), clip.say(texts.texts)
    seen = shown[:, : said.shape[1]]
    captions, negative, positive = said.split(list(layout.text_sizes))
    held = shown[:, said.shape[1] :].unflatten(1, (-1, said.shape[1])) if patches else None
    features = Features(seen, seen[:0], seen[:0], captions, negative, positive, layout, held)
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


def tune(
    clip: Clip, pixels: np.ndarray, scenes: Sequence[Scene], name: str, seed: int, steps: int, rate: float
) -> float:
    """Go on from the start with one setting; the last loss. What is not of the objective is not encoded."""
    chosen, unproved = SETTINGS[name]
    objective = Objective(choose(chosen, rate, seed), 3)
    terms = set(objective.terms)
    with_foils = not terms <= {"clip", "sigmoid", "phrases"}
    with_others = bool(terms & {"clic", "paraphrase"})
    with_units = bool(terms & {"units", "phrases"})
    optimiser = torch.optim.AdamW(clip.towers.parameters(), lr=rate, weight_decay=0.1, betas=(0.9, 0.98))
    loss = math.nan
    for step in range(steps):
        places = _take(len(scenes), step, TUNE_BATCH, 100 + seed)
        batch = [scenes[i] for i in places]
        texts = _lay_out(
            [each.captions[0] for each in batch],
            [each.foils[0] for each in batch] if with_foils else (),
            [each.captions[1] for each in batch] if with_others else (),
            [(at, unit) for at, each in enumerate(batch) for unit in each.foils[1:]] if with_units else (),
            unproved,
        )
        loss = _step(clip, objective, optimiser, pixels[places], texts, _rate(step, steps, rate, 5))
    return loss


@dataclass(frozen=True)
class Tests:
    """What is judged: rows of the dataset by family, with pictures, and held-out scenes for retrieval."""

    pixels: np.ndarray
    rows: dict[str, list[tuple[int, str, str]]]
    """Of each family the anchor's place, the true text, the false one."""
    pairs: list[tuple[int, str, str, np.ndarray]]
    """The anchor's place, its caption, the caption of a negative picture, that picture."""
    held: np.ndarray
    captions: list[str]


def open_tests(dataset: str, folder: Path) -> Tests:
    """The tests of ``dataset``. A negative picture is the picture of a `caption.scene`'s own scene, as `caption.edit`
    has it."""
    data = counterfoil.open(dataset)
    anchors = data.anchors.select(["anchor_id", "source_id", "caption", "image"]).arrow().to_pylist()
    place = {each["anchor_id"]: at for at, each in enumerate(anchors)}
    rows: dict[str, list[tuple[int, str, str]]] = {}
    pairs = []
    for row in data.contrasts.rows():
        at, kind = place[row.anchor_id], row.family.partition(".")[2]
        if row.role != "negative" or row.text is None:
            continue
        caption = anchors[at]["caption"]
        rows.setdefault(kind, []).append((at, find_beside(row.edits) or caption, row.text))
        if kind == "scene":
            drawn = draw_anew(read_scene_code(row.code), anchors[at]["source_id"])
            pairs.append((at, caption, row.text, paint(drawn, SIDE)))
    held, scenes = _list_pairs(folder, held=True)
    captions = [each.captions[0] for each in scenes]
    return Tests(np.stack([_open(each["image"]["bytes"]) for each in anchors]), rows, pairs, held, captions)


def _list_pairs(folder: Path, held: bool) -> tuple[np.ndarray, list[Scene]]:
    """All pictures of the pairs that are learnt from, or one of each scene that is held out."""
    pixels, scenes = read(folder / "drawn", "pairs")
    last = max(each.number for each in scenes) - HELD
    numbers = [each.number for each in scenes]
    places = [at for at, number in enumerate(numbers) if number <= last]
    if held:
        places = [at for at, number in enumerate(numbers) if number > last and number != numbers[at - 1]]
    return pixels[places], [scenes[at] for at in places]


def _open(picture: bytes) -> np.ndarray:
    return np.asarray(Image.open(BytesIO(picture)).convert("RGB").resize((SIDE, SIDE), Image.Resampling.BOX))


@torch.no_grad()
def judge(clip: Clip, tests: Tests) -> dict[str, list[tuple[int, float]]]:
    """Of each test the anchor and the outcome of every row; of retrieval by rank, both ways."""
    shown, told = clip.show(tests.pixels), {}
    for kind, rows in tests.rows.items():
        true, false = (clip.say([row[at] for row in rows]) for at in (1, 2))
        own = shown[[row[0] for row in rows]]
        told[kind] = _list(rows, (own * true).sum(-1) > (own * false).sum(-1))
    own, other = shown[[row[0] for row in tests.pairs]], clip.show(np.stack([row[3] for row in tests.pairs]))
    says, says_other = (clip.say([row[at] for row in tests.pairs]) for at in (1, 2))
    to_text = (own * says).sum(-1) > (own * says_other).sum(-1)
    back_text = (other * says_other).sum(-1) > (other * says).sum(-1)
    to_picture = (own * says).sum(-1) > (other * says).sum(-1)
    back_picture = (other * says_other).sum(-1) > (own * says_other).sum(-1)
    told["text of picture"] = _list(tests.pairs, (to_text.float() + back_text.float()) / 2)
    told["picture of text"] = _list(tests.pairs, (to_picture.float() + back_picture.float()) / 2)
    told["group"] = _list(tests.pairs, to_text & back_text & to_picture & back_picture)
    return {**told, **find_ranks(clip, tests.held, tests.captions)}


@torch.no_grad()
def find_ranks(clip: Clip, pixels: np.ndarray, captions: Sequence[str]) -> dict[str, list[tuple[int, float]]]:
    """Retrieval both ways: whether each picture's caption, and each caption's picture, is the first, or of ten."""
    pictures = torch.cat([clip.show(pixels[at : at + 250]) for at in range(0, len(pixels), 250)])
    likeness, told = pictures @ clip.say(captions).T, {}
    for way, scores in (("text", likeness), ("picture", likeness.T)):
        rank = (scores > scores.diagonal()[:, None]).sum(1)
        for most in (1, 10):
            told[f"R@{most} {way}"] = [(at, float(hit)) for at, hit in enumerate((rank < most).tolist())]
    return told


def _list(rows: Sequence[tuple[Any, ...]], outcomes: Tensor) -> list[tuple[int, float]]:
    return [(row[0], float(each)) for row, each in zip(rows, outcomes.tolist(), strict=True)]


def compare(folder: Path, dataset: str, seeds: int, steps: int, rate: float, only: Sequence[str], clock: Clock) -> None:
    """All settings that have no line yet, one seed after the other."""
    pixels, scenes = read(folder / "drawn", "foils")
    tests = open_tests(dataset, folder)
    own = [at for at, each in enumerate(scenes) if len(each.foils) > 1]
    pixels, scenes = pixels[own], [scenes[at] for at in own]
    tokens, out = _open_tokens(folder, scenes), folder / "compared.jsonl"
    done = {(line["setting"], line["seed"]) for line in _read_lines(out)}
    state = torch.load(folder / "start.pt")["model"]
    for seed, name in [(0, "none"), *((seed, name) for seed in range(seeds) for name in SETTINGS)]:
        if (name, seed) in done or (only and name not in only):
            continue
        clock.check()
        torch.manual_seed(seed)
        clip, began, loss = Clip(open_towers(choose("clip", rate, 0), tokens), tokens), time.process_time(), math.nan
        clip.towers.load_state_dict(state)
        if name != "none":
            loss = tune(clip, pixels, scenes, name, seed, steps, rate)
        learnt = time.process_time() - began
        told = judge(clip, tests)
        line = {"setting": name, "seed": seed, "steps": steps, "scenes": len(scenes), "loss": loss, "cpu_s": learnt}
        with out.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({**line, "told": told}) + "\n")
        means = {test: round(100 * float(np.mean([hit for _, hit in rows])), 1) for test, rows in told.items()}
        print(name, seed, round(loss, 3), round(learnt), "CPU s", means, flush=True)


def _read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def tell(folder: Path) -> None:
    """Means over rows and seeds with 95 % intervals, and the differences from in-batch training with theirs."""
    found: dict[str, dict[str, list[list[tuple[int, float]]]]] = {}
    for line in _read_lines(folder / "compared.jsonl"):
        for test, rows in line["told"].items():
            found.setdefault(test, {}).setdefault(line["setting"], []).append(rows)
    for test, settings in found.items():
        print(f"{test}: {len(settings['none'][0])} rows")
        means = {name: _mean_by_anchor(runs) for name, runs in settings.items()}
        for name, (outcomes, weights) in means.items():
            spread = [100 * float(np.average([hit for _, hit in run])) for run in settings[name]]
            base = means["in-batch"][0]
            value, over = (_bootstrap(each, weights) for each in (outcomes, outcomes - base))
            print(f"  {name:20} {value}  over in-batch {over}  seeds {[round(each, 1) for each in spread]}")


def _mean_by_anchor(runs: Sequence[Sequence[tuple[int, float]]]) -> tuple[np.ndarray, np.ndarray]:
    """Of each anchor the mean outcome over its rows and all seeds, and its rows."""
    anchors = np.array([anchor for anchor, _ in runs[0]])
    outcomes = np.mean([[hit for _, hit in run] for run in runs], axis=0)
    rows = np.bincount(anchors)
    there = rows > 0
    return np.bincount(anchors, outcomes)[there] / rows[there], rows[there]


def _bootstrap(outcomes: np.ndarray, weights: np.ndarray) -> str:
    rng = np.random.default_rng(0)
    drawn = rng.integers(len(outcomes), size=(2000, len(outcomes)))
    means = (outcomes[drawn] * weights[drawn]).sum(1) / weights[drawn].sum(1)
    low, high = 100 * np.percentile(means, [2.5, 97.5])
    return f"{100 * np.average(outcomes, weights=weights):5.1f} ({low:.1f} to {high:.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("draw", "start", "compare", "tell"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("test", nargs="?", default="")
    parser.add_argument("--scenes", type=int, default=1000, help="with foils")
    parser.add_argument("--pairs", type=int, default=6000, help="scenes of pairs alone, of three pictures each")
    parser.add_argument("--seconds", type=float, default=240.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--start-steps", type=int, default=START_STEPS)
    parser.add_argument("--steps", type=int, default=TUNE_STEPS)
    parser.add_argument("--rate", type=float, default=TUNE_RATE)
    parser.add_argument("--only", nargs="*", default=[])
    given = parser.parse_args()
    torch.set_num_threads(1)
    clock = Clock(given.seconds)
    if given.what == "draw":
        for done in draw(given.folder / "drawn", given.scenes, given.pairs, SIDE):
            print(done, round(time.process_time()), "CPU s", flush=True)
            clock.check()
    elif given.what == "start":
        start(given.folder, given.start_steps, clock)
    elif given.what == "compare":
        compare(given.folder, given.test, given.seeds, given.steps, given.rate, given.only, clock)
    else:
        tell(given.folder)


if __name__ == "__main__":
    main()
