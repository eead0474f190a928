"""Towers that learnt from other negatives, each in the same small LLaVA: by which does a language model see best?

A start, a CLIP that has learnt pairs alone, goes on for the same steps with the same anchors in three ways: without
negatives but the batch's, with unproved ones (the nearest other caption, by the start, and its picture), and with
ours. These three and the start itself are put into a language model that has read (`reader`), frozen, and the stages of
``[sft]`` follow: the adapter alone on captions, then adapter and language model on open questions (`asked`). All are
asked about scenes and figures that none has seen, and blind. What is finished is kept: a command that was killed goes
on.
"""

from __future__ import annotations

import json
import pickle
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np

from benchmarks.lmm.asked import PARTS, Course, make_course
from benchmarks.lmm.questions import read_rows
from benchmarks.lmm.reader import SMALL_LLAVA, save_reader
from benchmarks.proof.intervals import bound_over_seeds
from benchmarks.proof.suites import SMALL
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import Anchor, Contrast, fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.encoders import load_encoder
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.rows import make_anchors
from counterfoil.tasks.evaluation.answers.asking import BLIND, SEEN, Given, LocalModel, ask_items
from counterfoil.tasks.evaluation.answers.reading import read_items
from counterfoil.tasks.sft.formats import write_instructions
from counterfoil.tasks.sft.model import load_llava
from counterfoil.tasks.sft.settings import SftSettings
from counterfoil.tasks.sft.stages import run_stage
from counterfoil.tasks.training.loop import MODEL, train
from counterfoil.tasks.training.packing.pack import pack_dataset
from counterfoil.tasks.training.settings import TrainingSettings

OURS = ("caption.edit", "geometry.caption", "geometry.image")
UNPROVED = ("caption.mined", "geometry.mined")
TOWERS: Mapping[str, tuple[str, tuple[str, ...]] | None] = {
    "ours": ("tripletclip", OURS),
    "in-batch": ("clip", ()),
    "unproved": ("tripletclip", UNPROVED),
    "start": None,
}
"""How each goes on from the start, and from which families; the start does not."""
SEED = 7


class Study:
    """One comparison in one folder."""

    def __init__(self, given: Namespace) -> None:
        self.given, self.folder, self.dataset = given, Path(given.to), str(given.dataset)

    @cached_property
    def wide(self) -> str:
        """The dataset's anchors with more scenes, of which there are no negatives: for pairs and for questions."""
        path = self.folder / "wide"
        if not Dataset(str(path)).exists():
            snapshot = Dataset(self.dataset).snapshot()
            anchors = [*snapshot.anchors(), *make_scenes(self.given.more)]
            # Training packs some family, though the start learns from none.
            rows = {f"contrasts/family={name}": [*snapshot.contrasts(name)] for name in OURS}
            publish(str(path), {"anchors/domain=": anchors, **rows})
        return str(path)

    def begin(self) -> Path:
        """The start."""
        drawn = {"objective": "clip", "learn_from": [], "negative_texts": 0, "negative_images": 0, "seed": SEED}
        settings = TrainingSettings.model_validate(
            {**SMALL, **drawn, "families": list(OURS), "steps": self.given.begin, "warmup": 40}
        )
        folder, packed = self.folder / "start", str(self.folder / "packed-start")
        if not (folder / MODEL).exists():
            pack_dataset(self.wide, packed, settings, seed=SEED, workers=1)
            train(packed, settings, folder)
        return folder / MODEL

    def go_on(self, name: str, seed: int) -> Path:
        """A tower of this name."""
        way = TOWERS[name]
        start = self.begin()
        if way is None:
            return start
        self.mine(start)
        objective, families = way
        drawn = {"negative_texts": 1, "negative_images": 1, "grades": ["unjudged"]}
        none = {} if families else {"negative_texts": 0, "negative_images": 0, "learn_from": []}
        own = {"objective": objective, "families": list(families or OURS), "steps": self.given.steps, "seed": seed}
        started = {"model": str(start), "learning_rate": 1e-3, "warmup": 10}
        settings = TrainingSettings.model_validate({**SMALL, **started, **drawn, **own, **none})
        # The same anchors in the same order, with the one's negatives or the other's.
        packed = str(self.folder / f"packed-{name}")
        pack_dataset(self.dataset, packed, settings, seed=SEED, workers=1)
        folder = self.folder / f"{name}-{seed}"
        if not (folder / MODEL).exists():
            train(packed, settings, folder)
        return folder / MODEL

    def mine(self, start: Path) -> None:
        """Beside the dataset's negatives as many that nobody proved: the nearest other caption, and its picture."""
        snapshot = Dataset(self.dataset).snapshot()
        if set(UNPROVED) <= set(snapshot.partitions("contrasts")):
            return
        having = {row.anchor_id for family in OURS for row in snapshot.contrasts(family)}
        encoder = load_encoder(str(start))
        rows: list[Contrast] = []
        for domain in ("caption", "geometry"):
            anchors = [each for each in snapshot.anchors(domain) if each.anchor_id in having and each.image]
            for split in {each.split for each in anchors}:
                rows += mine([each for each in anchors if each.split == split], encoder)
        publish(self.dataset, {f"contrasts/family={name}": [r for r in rows if r.family == name] for name in UNPROVED})

    @cached_property
    def course(self) -> Course:
        """The questions."""
        kept = self.folder / "course.pickle"
        if not kept.exists():
            made = make_course(read_rows(self.wide, ("caption", "question"), 40, SMALL["resolution"]), self.given.most)
            # Rows that no step would come to are not measured.
            captions, tuning = (32 * steps for steps in (self.given.captions, self.given.tuning))
            made = replace(made, captions=made.captions[:captions], tuning=made.tuning[:tuning])
            kept.write_bytes(pickle.dumps(made))
        return cast(Course, pickle.loads(kept.read_bytes()))

    def tune(self, name: str, seed: int) -> str:
        """The language model with this tower: its folder."""
        texts = [f"{row.prompt} {row.response}" for row in (*self.course.captions, *self.course.tuning)]
        settings = SftSettings(
            vision=str(self.go_on(name, seed)),
            language=save_reader(self.folder / f"reader-{seed}", texts, seed, self.given.read),
            seed=seed,
            steps=self.given.captions,
            batch_size=32,
            learning_rate=1e-3,
            checkpoint_every=50,
            **SMALL_LLAVA,
        )
        folder = self.folder / f"lmm-{name}-{seed}"
        before = run_stage("adapter", settings, self.course.captions, folder / "adapter")
        longer = settings.model_copy(update={"steps": self.given.tuning})
        return str(run_stage("tuning", longer, self.course.tuning, folder / "tuning", Path(before["model"]))["model"])

    def ask(self, name: str, seed: int) -> dict[str, list[Given]]:
        """What it answers, by part."""
        told = self.folder / f"answers-{name}-{seed}.pickle"
        if not told.exists():
            model = self.tune(name, seed)
            answerer = LocalModel(model, load_llava(model, device="cpu"), 4)
            scored = {}
            for part, rows in self.course.asked.items():
                file = self.folder / "questions" / part
                if not file.exists():
                    write_instructions(rows, file, "llava")
                items = read_items(f"llava:{next(file.glob('*.json'))}")
                answers = self.folder / f"answers-{name}-{seed}-{part}.jsonl"
                scored[part] = ask_items(answerer, items, answers, conditions=(SEEN, BLIND), batch=64)
            told.write_bytes(pickle.dumps(scored))
        return cast(dict[str, list[Given]], pickle.loads(told.read_bytes()))


def make_scenes(count: int) -> Iterator[Anchor]:
    """Verified scenes of another seed than the recipe's, a fifth of them held out."""
    domain = load_domain("caption")
    settings = domain.settings_type(source=f"procedural:{count}", captions=1, size=128)
    context: Context[Any] = Context(settings, SEED + 1, None)  # type: ignore[arg-type]
    for number, row in enumerate(domain.read(settings, SEED + 1, None)):
        for made in make_anchors(domain, cast(Any, row), context):
            if isinstance(made, Anchor):
                yield replace(made, split="test" if number % 5 == 0 else "train")


def mine(anchors: Sequence[Anchor], encoder: Any) -> Iterator[Contrast]:
    """Of each anchor the one whose caption is nearest, by the cosine of an encoder's features."""
    features = np.asarray(encoder.encode_texts([each.caption or "" for each in anchors]))
    near = features @ features.T
    np.fill_diagonal(near, -2)
    for anchor, place in zip(anchors, near.argmax(axis=1).tolist(), strict=True):
        other = anchors[place]
        row = Contrast(
            anchor.anchor_id, f"{anchor.domain}.mined", "negative", "image", text=other.caption, image=other.image
        )
        yield row.accept(0, (), "unjudged")


def publish(dataset: str, rows: Mapping[str, Sequence[Any]]) -> None:
    """Put rows into a dataset's tables, anchors by their domains."""
    tables = {}
    for name, of in rows.items():
        if name.startswith("contrasts"):
            tables[name] = to_table(of, "contrasts")
            continue
        for domain in sorted({each.domain for each in of}):
            tables[f"{name}{domain}"] = to_table([each for each in of if each.domain == domain], "anchors")
    key = fingerprint("towers", sorted(tables), [table.num_rows for table in tables.values()])
    StagedShards(dataset).write(key, tables)
    Dataset(dataset).publish({name: [key] for name in tables})


def compare(given: Namespace) -> None:
    """Do what is not done, seed after seed, and print the table of what is finished."""
    study = Study(given)
    study.folder.mkdir(parents=True, exist_ok=True)
    told: dict[str, list[dict[str, list[Given]]]] = {}
    for seed in range(given.seeds):
        for name in given.towers:
            told.setdefault(name, []).append(study.ask(name, seed))
            print(f"{name}, seed {seed}: {tell_shares(told[name][-1])}", flush=True)
            lines = list(write_table(told))
            (study.folder / "table.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def tell_shares(answers: Mapping[str, Sequence[Given]]) -> str:
    """Percent right by part, with pictures and blind."""
    told = {name: [mark(of, condition) for condition in (SEEN, BLIND)] for name, of in answers.items()}
    return json.dumps({name: [round(100 * float(each.mean()), 1) for each in both] for name, both in told.items()})


def mark(given: Sequence[Given], condition: str) -> np.ndarray:
    """1.0 for each right answer under a condition."""
    return np.array([float(each.right) for each in given if each.condition == condition])


def write_table(told: Mapping[str, Sequence[Mapping[str, Sequence[Given]]]]) -> Iterator[str]:
    """A line a tower, one without pictures, and the differences from ours, with 95 % intervals over seeds and rows."""
    rows = {name: (of, SEEN) for name, of in told.items()}
    first = next(iter(told))
    rows["without pictures"] = ([each for of in told.values() for each in of], BLIND)
    yield f"| tower | {' | '.join(PARTS)} |"
    yield f"| --- |{' ---: |' * len(PARTS)}"
    for name, (of, condition) in rows.items():
        shares = [tell_mean([mark(each[part], condition) for each in of], of[0][part], condition) for part in PARTS]
        yield f"| {name} | {' | '.join(shares)} |"
    for name in [each for each in told if each != first]:
        pairs = list(zip(told[name], told[first], strict=False))
        shares = [
            tell_mean([mark(one[part], SEEN) - mark(two[part], SEEN) for one, two in pairs], pairs[0][0][part], SEEN)
            for part in PARTS
        ]
        yield f"| {name} less {first} | {' | '.join(shares)} |"


def tell_mean(seeds: Sequence[np.ndarray], given: Sequence[Given], condition: str) -> str:
    """A mean over seeds in percent, with its interval."""
    values = np.stack(seeds)
    blocks = [each.item_id for each in given if each.condition == condition]
    low, high = bound_over_seeds(values, blocks, [(range(values.shape[1]), 1.0)])
    return f"{100 * values.mean():.1f} ({100 * low:.1f} to {100 * high:.1f})"
