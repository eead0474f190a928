"""Figure 15 of MMGeoLM on figures of our own, at 112 pixels: which source of negatives helps which kind of change?

    python -m benchmarks.fig15 draw FOLDER [--figures 12000] [--seconds 600]
    counterfoil run FOLDER/sets.toml
    python -m benchmarks.fig15 start FOLDER [--steps 1300]
    python -m benchmarks.fig15 compare FOLDER [--seeds 3] [--steps 80]
    python -m benchmarks.fig15 tell FOLDER

``draw`` makes anchors with captions alone, and writes the recipe of anchors with negatives. ``start`` trains a CLIP on
captions alone, and ``compare`` goes on from it with each source of negatives at the same number of steps, on the same
anchors of the recipe. All is scored on its test anchors. What was done is kept; see `benchmarks.small_clip`.

Beside the sources of the paper stand negatives by what they change: numbers, letters and marks alone, which must be
read, or the figure itself.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image

import counterfoil
from benchmarks.small_clip import (
    Clip,
    Clock,
    Outcomes,
    Shown,
    choose_small,
    compute,
    find_ranks,
    find_rate,
    learn,
    open_optimiser,
    open_tokens,
    order_settings,
    run_settings,
    show_all,
    take,
    tell,
    train_start,
)
from counterfoil.storage.rows import Anchor
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.training.batch import Layout, list_contrasts
from counterfoil.tasks.training.objectives import Objective
from counterfoil.tasks.training.tokens import Tokens
from counterfoil.tasks.training.towers import open_towers

RECIPE = """[dataset]
path = {path}
seed = 152

[geometry]
source = "procedural:5000"
test_share = 0.2
families = ["image", "rule", "retrieval"]
negatives = 2
spare = 0.0
retrieval_negatives = 2
captions = 3
caption_style = "plain"
legible_at = 112

[geometry.procedural]
constructions = [1, 3]
"""
SEED, SIDE, PART = 151, 112, 250
HELD = 500
"""Drawn figures that the start does not learn from."""
BATCH, START_STEPS, START_RATE = 64, 1300, 1.5e-3
TUNE_BATCH, TUNE_RATE = 32, 3e-4
READING = frozenset(("number", "letter", "mark"))
CAPTION, IMAGE, RULE, FOUND = "caption", "image", "rule", "retrieval"
PLOTTED = (
    *("rule", "caption", "image", "retrieval"),
    *(f"{where}: {kind}" for where in ("text", "picture") for kind in ("reading", "figure")),
    *("R@10 text", "R@10 picture"),
)
"""The tests of the plot."""


@dataclass(frozen=True)
class Setting:
    """Of each family how many negatives an anchor has in a step."""

    families: Mapping[str, int]
    reading: bool | None = None
    """Those alone that change nothing but what is to be read, or nothing of that."""


SETTINGS = {
    "in-batch": Setting({}),
    "retrieval": Setting({FOUND: 2}),
    "rule": Setting({RULE: 2}),
    "image": Setting({IMAGE: 2}),
    "all": Setting({FOUND: 2, RULE: 2, IMAGE: 2}),
    "reading": Setting({CAPTION: 1, RULE: 1, IMAGE: 1}, reading=True),
    "figure": Setting({CAPTION: 1, RULE: 1, IMAGE: 1}, reading=False),
}


@dataclass(frozen=True)
class Negative:
    """A false caption of an anchor, or the picture that a false one describes."""

    text: str | None
    pixels: np.ndarray | None
    changes: frozenset[str]

    def is_reading(self) -> bool | None:
        """Whether it changes only what is to be read; None where it changes that and more."""
        if self.changes <= READING:
            return True
        return None if self.changes & READING else False


@dataclass
class Figure:
    """An anchor: its picture [112, 112] uint8, its captions, and its negatives by family."""

    pixels: np.ndarray
    captions: list[str]
    negatives: dict[str, list[Negative]] = field(default_factory=dict)

    def find(self, family: str, reading: bool | None) -> list[Negative]:
        found = self.negatives.get(family, [])
        return found if reading is None else [each for each in found if each.is_reading() is reading]


def draw(folder: Path, figures: int) -> Iterator[str]:
    """Draw parts of ``figures`` problems that are not there yet, each anchor seen to be what it says, and name each."""
    folder.mkdir(parents=True, exist_ok=True)
    recipe = RECIPE.format(path=json.dumps(str((folder.parent / "sets").resolve())))
    (folder.parent / "sets.toml").write_text(recipe, encoding="utf-8")
    domain = load_domain("geometry")
    settings = domain.settings_type(
        source="procedural:1",
        captions=3,
        caption_style="plain",
        legible_at=SIDE,
        procedural={"constructions": [1, 3]},
    )
    source, _ = domain.find_source(settings)
    context: Context[Any] = Context(settings, SEED, MemoRenderer())
    read = source.number
    assert read is not None
    for start in range(0, figures, PART):
        path = folder / f"figures-{start:06d}.npz"
        if path.exists():
            continue
        made = [
            each
            for number in range(start, start + PART)
            for each in source.make_anchors(read(str(number), settings, SEED), context)
            if isinstance(each, Anchor)
        ]
        partial = path.with_suffix(".part")
        with partial.open("wb") as out:
            pixels = np.stack([_open(each.image.bytes) for each in made if each.image is not None])
            np.savez(out, pixels=pixels, captions=json.dumps([each.captions for each in made]))
        partial.rename(path)
        yield path.stem


def _open(picture: bytes) -> np.ndarray:
    grey = Image.open(BytesIO(picture)).convert("L")
    return np.asarray(grey.resize((SIDE, SIDE), Image.Resampling.BOX))


def read_drawn(folder: Path) -> list[Figure]:
    """What `draw` made."""
    found = []
    for path in sorted(folder.glob("figures-*.npz")):
        with np.load(path) as part:
            captions = json.loads(str(part["captions"]))
            found += [Figure(pixels, own) for pixels, own in zip(part["pixels"], captions, strict=True)]
    return found


@dataclass(frozen=True)
class Sets:
    """The anchors with negatives, by split."""

    place: Path

    @cached_property
    def splits(self) -> dict[str, list[Figure]]:
        data = counterfoil.open(str(self.place))
        rows = data.anchors.select(["anchor_id", "captions", "split", "image"]).arrow().to_pylist()
        figures = {row["anchor_id"]: Figure(_open(row["image"]["bytes"]), list(row["captions"])) for row in rows}
        for row in data.contrasts.rows():
            if row.role != "negative":
                continue
            family = row.family.partition(".")[2]
            pixels = None if row.image is None or family != IMAGE else _open(row.image.bytes)
            negative = Negative(row.text, pixels, frozenset(row.changes or ()))
            figures[row.anchor_id].negatives.setdefault(family, []).append(negative)
        splits: dict[str, list[Figure]] = {}
        for row in rows:
            splits.setdefault(row["split"], []).append(figures[row["anchor_id"]])
        return splits


choose = partial(choose_small, resolution=SIDE, width=128, projection=128, vocabulary=1200, context=96)


def open_clip(tokens: Tokens, seed: int) -> Clip:
    """Two towers of 0.6 M weights each. A deeper one, of 3.6 M, learnt nothing in 350 such steps."""
    return Clip(open_towers(choose("clip", START_RATE, seed), tokens), tokens, bf16=True)


def _open_tokens(folder: Path, figures: Sequence[Figure]) -> Tokens:
    settings = choose("clip", 1.0, 0)
    return open_tokens(folder, settings, lambda: [text for each in figures for text in each.captions])


def lay_out(figures: Sequence[Figure], rng: np.random.Generator, setting: Setting) -> Shown:
    """Each figure with one of its captions and the negatives that the setting asks for, at most."""
    captions = [each.captions[int(rng.integers(len(each.captions)))] for each in figures]
    texts: list[tuple[int, Negative]] = []
    images: list[tuple[int, Negative]] = []
    for at, figure in enumerate(figures):
        for family, count in setting.families.items():
            found = figure.find(family, setting.reading)
            drawn = [found[int(i)] for i in rng.permutation(len(found))[:count]]
            (images if family == IMAGE else texts).extend((at, each) for each in drawn)
    none = list_contrasts([])
    said = [each.text or "" for _, each in texts]
    layout = Layout(
        len(figures),
        True,
        torch.arange(len(figures)),
        list_contrasts([(at, 1, math.nan, -1) for at, _ in images]),
        none,
        list_contrasts([(at, 0, math.nan, -1) for at, _ in texts], None, said),
        none,
    )
    pixels = [each.pixels for each in figures] + [each.pixels for _, each in images if each.pixels is not None]
    return Shown(np.stack(pixels), captions + said, layout)


def start(folder: Path, steps: int, clock: Clock) -> None:
    """Train on captions alone, all drawn figures but the last, which retrieval is measured on."""
    drawn = read_drawn(folder / "drawn")
    figures, held = drawn[:-HELD], drawn[-HELD:]
    tokens = _open_tokens(folder, figures)
    torch.manual_seed(0)
    clip, objective = open_clip(tokens, 0), Objective(choose("clip", START_RATE, 0), 1)
    print(len(figures), "figures,", round(BATCH * steps / len(figures), 1), "views each", flush=True)

    def make(step: int) -> Shown:
        batch = [figures[i] for i in take(len(figures), step, BATCH, 0)]
        return lay_out(batch, np.random.default_rng([1, step]), SETTINGS["in-batch"])

    ranks = lambda: find_ranks(clip, *_list_pairs(held))  # noqa: E731
    train_start(folder / "start.pt", clip, objective, steps, START_RATE, make, ranks, clock)


def _list_pairs(figures: Sequence[Figure]) -> tuple[np.ndarray, list[str]]:
    return np.stack([each.pixels for each in figures]), [each.captions[0] for each in figures]


def compare(folder: Path, sets: Sets, seeds: int, steps: int, rate: float, only: Sequence[str], clock: Clock) -> None:
    """All settings that have no line yet, one seed after the other."""
    train = sets.splits["train"]
    # Anchors that have what every setting asks for, so that all learn from the same.
    families = (CAPTION, IMAGE, RULE, FOUND)
    figures = [each for each in train if all(each.find(family, None) for family in families)]
    tokens = _open_tokens(folder, read_drawn(folder / "drawn")[:-HELD])
    tune = lambda clip, name, seed: _tune(clip, figures, name, seed, steps, rate)  # noqa: E731
    order, more = order_settings([*SETTINGS], seeds, only), {"steps": steps, "figures": len(figures)}
    run_settings(folder, order, lambda: open_clip(tokens, 0), tune, lambda clip: judge(clip, sets), more, clock)


def _tune(clip: Clip, figures: Sequence[Figure], name: str, seed: int, steps: int, rate: float) -> float:
    setting = SETTINGS[name]
    objective = Objective(choose("ib+mm" if setting.families else "clip", rate, seed), 2)
    optimiser, loss = open_optimiser(clip, rate), math.nan
    for step in range(steps):
        batch = [figures[i] for i in take(len(figures), step, TUNE_BATCH, 100 + seed)]
        shown = lay_out(batch, np.random.default_rng([2, seed, step]), setting)
        loss = learn(clip, objective, optimiser, shown, find_rate(step, steps, rate, 5))
    return loss


@torch.no_grad()
def judge(clip: Clip, sets: Sets) -> dict[str, Outcomes]:
    """Whether an anchor's own caption or picture is nearer than a negative: by family, by kind of change, and by
    whether it is to be read or to be seen; whether it is the nearest of its set; retrieval by rank."""
    held = sets.splits["test"]
    own, captions = show_all(clip, np.stack([each.pixels for each in held])), [each.captions[0] for each in held]
    said = clip.say(captions)
    right = (own * said).sum(-1)
    told: dict[str, Outcomes] = {}
    for family in (CAPTION, IMAGE, RULE, FOUND):
        rows = [(at, each) for at, figure in enumerate(held) for each in figure.negatives.get(family, [])]
        if not rows:
            continue
        owners = torch.tensor([at for at, _ in rows])
        if family == IMAGE:
            shown = show_all(clip, np.stack([each.pixels for _, each in rows if each.pixels is not None]))
            wrong = (shown * said[owners]).sum(-1)
        else:
            wrong = (own[owners] * clip.say([each.text or "" for _, each in rows])).sum(-1)
        hits = (right[owners] > wrong).tolist()
        best: dict[int, bool] = {}
        for (at, each), hit in zip(rows, hits, strict=True):
            told.setdefault(family, []).append((at, float(hit)))
            best[at] = best.get(at, True) and hit
            if family == FOUND:
                continue
            where = "picture" if family == IMAGE else "text"
            if each.is_reading() is not None:
                told.setdefault(f"{where}: {'reading' if each.is_reading() else 'figure'}", []).append((at, float(hit)))
            for kind in each.changes if len(each.changes) == 1 else ():
                told.setdefault(f"{where}: {kind}", []).append((at, float(hit)))
        told[f"{family}, sets"] = [(at, float(hit)) for at, hit in best.items()]
    return {**told, **find_ranks(clip, *_list_pairs(held))}


def plot(lines: Path, out: Path) -> None:
    """Points over in-batch training of each setting on each test, with intervals."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    told = compute(lines)
    tests = [test for test in PLOTTED if test in told]
    figure, axes = pyplot.subplots(figsize=(9.0, 0.55 * len(tests) + 1.2), dpi=110, layout="constrained")
    shown = [name for name in SETTINGS if name != "in-batch"]
    for place, name in enumerate(shown):
        gains = [told[test][name].gain if name in told[test] else None for test in tests]
        at = [row + 0.8 * (place / (len(shown) - 1) - 0.5) for row, gain in enumerate(gains) if gain]
        values = [gain.value for gain in gains if gain]
        spread = np.array([[gain.value - gain.low, gain.high - gain.value] for gain in gains if gain]).T
        axes.errorbar(values, at, xerr=spread, fmt="o", markersize=4, linewidth=1.2, label=name)
    axes.axvline(0, color="0.6", linewidth=0.8)
    axes.set_yticks(range(len(tests)), [f"{test}\n{told[test]['in-batch'].level.value:.0f} %" for test in tests])
    axes.set_xlabel("points over in-batch training, whose percent stands under each test")
    axes.invert_yaxis()
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    figure.savefig(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("draw", "start", "compare", "tell"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--figures", type=int, default=12_000, help="problems that are drawn")
    parser.add_argument("--seconds", type=float, default=600.0, help="CPU seconds after which the command ends")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--rate", type=float, default=TUNE_RATE)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    clock = Clock(given.seconds)
    if given.what == "draw":
        for done in draw(given.folder / "drawn", given.figures):
            print(done, round(time.process_time()), "CPU s", flush=True)
            clock.check()
    elif given.what == "start":
        start(given.folder, given.steps or START_STEPS, clock)
    elif given.what == "compare":
        compare(
            given.folder, Sets(given.folder / "sets"), given.seeds, given.steps or 80, given.rate, given.only, clock
        )
    else:
        tell(given.folder / "compared.jsonl")
        plot(given.folder / "compared.jsonl", given.folder / "kinds.png")


if __name__ == "__main__":
    main()
