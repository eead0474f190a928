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
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor

import counterfoil
from benchmarks.ahead_drawn import Foils, Scene, draw, read
from benchmarks.small_clip import (
    Clip,
    Clock,
    Shown,
    choose_small,
    find_ranks,
    find_rate,
    learn,
    open_optimiser,
    open_tokens,
    order_settings,
    run_settings,
    take,
    tell,
    train_start,
)
from counterfoil.storage.rows import find_beside
from counterfoil.tasks.caption.checks import draw_anew, read_scene_code
from counterfoil.tasks.caption.scenes.picture import paint
from counterfoil.tasks.training.batch import Layout, list_contrasts
from counterfoil.tasks.training.objectives import Objective
from counterfoil.tasks.training.tokens import Tokens
from counterfoil.tasks.training.towers import open_towers

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


choose = partial(choose_small, resolution=SIDE, width=64, projection=64, vocabulary=900, context=64)


def start(folder: Path, steps: int, clock: Clock) -> None:
    """Train the model that all settings begin with, in-batch."""
    pixels, scenes = _list_pairs(folder, held=False)
    shown, told_of = _list_pairs(folder, held=True)
    held = shown, [each.captions[0] for each in told_of]
    tokens = _open_tokens(folder, scenes)
    torch.manual_seed(0)
    clip = Clip(open_towers(choose("clip", START_RATE, 0), tokens), tokens)

    def make(step: int) -> Shown:
        places = take(len(scenes), step, BATCH, 0)
        rng = np.random.default_rng([1, step])
        return _lay_out(pixels[places], [scenes[i].captions[int(rng.integers(2))] for i in places])

    objective = Objective(choose("clip", START_RATE, 0), 1)
    train_start(folder / "start.pt", clip, objective, steps, START_RATE, make, lambda: find_ranks(clip, *held), clock)


def _open_tokens(folder: Path, scenes: Sequence[Scene]) -> Tokens:
    def list_texts() -> list[str]:
        texts = [text for scene in scenes for text in scene.captions]
        return texts + [foil.true for scene in read(folder / "drawn", "foils")[1] for foil in scene.foils]

    return open_tokens(folder, choose("clip", 1.0, 0), list_texts)


def _lay_out(
    pixels: np.ndarray,
    captions: Sequence[str],
    foils: Sequence[Foils] = (),
    others: Sequence[str] = (),
    units: Sequence[tuple[int, Foils]] = (),
    unproved: bool = False,
) -> Shown:
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
    return Shown(pixels, [*captions, *said, *true], layout)


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
    optimiser = open_optimiser(clip, rate)
    loss = math.nan
    for step in range(steps):
        places = take(len(scenes), step, TUNE_BATCH, 100 + seed)
        batch = [scenes[i] for i in places]
        shown = _lay_out(
            pixels[places],
            [each.captions[0] for each in batch],
            [each.foils[0] for each in batch] if with_foils else (),
            [each.captions[1] for each in batch] if with_others else (),
            [(at, unit) for at, each in enumerate(batch) for unit in each.foils[1:]] if with_units else (),
            unproved,
        )
        loss = learn(clip, objective, optimiser, shown, find_rate(step, steps, rate, 5))
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


def _list(rows: Sequence[tuple[Any, ...]], outcomes: Tensor) -> list[tuple[int, float]]:
    return [(row[0], float(each)) for row, each in zip(rows, outcomes.tolist(), strict=True)]


def compare(folder: Path, dataset: str, seeds: int, steps: int, rate: float, only: Sequence[str], clock: Clock) -> None:
    """All settings that have no line yet, one seed after the other."""
    pixels, scenes = read(folder / "drawn", "foils")
    tests = open_tests(dataset, folder)
    own = [at for at, each in enumerate(scenes) if len(each.foils) > 1]
    pixels, scenes = pixels[own], [scenes[at] for at in own]
    tokens = _open_tokens(folder, scenes)
    open_start = lambda: Clip(open_towers(choose("clip", rate, 0), tokens), tokens)  # noqa: E731
    learnt = lambda clip, name, seed: tune(clip, pixels, scenes, name, seed, steps, rate)  # noqa: E731
    order, more = order_settings([*SETTINGS], seeds, only), {"steps": steps, "scenes": len(scenes)}
    run_settings(folder, order, open_start, learnt, lambda clip: judge(clip, tests), more, clock)


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
        tell(given.folder / "compared.jsonl")


if __name__ == "__main__":
    main()
