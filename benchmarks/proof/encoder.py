"""A real encoder on a public benchmark, and what a false negative costs it: questions 1 and 2 of PLAN.md.

    python -m benchmarks.proof.encoder COCO.jsonl SUGARCREPEPP        # rows {"image": …, "captions": […]}; a folder
    python -m benchmarks.proof.encoder COCO.jsonl SUGARCREPEPP --dose
    python -m benchmarks.proof.encoder COCO.jsonl SUGARCREPEPP --report

all-MiniLM-L6-v2 is tuned by the product's own trainer on one packed dataset, every setting with the same anchors in the
same order. Pictures that the benchmark shows are left out by their numbers, some are held out. What is finished
is found by its fingerprint, so a command that was killed goes on. Seeds come first: whatever stops
the work, settings stand beside each other with as many seeds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.torch import load_file, save_file

from benchmarks.others import change, mine, swap_words
from benchmarks.proof.running import TEXTS_ON_A_CPU, Bench, ProofError, keep_items
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import Anchor, Contrast, fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.caption.scenes.language.write import write_captions
from counterfoil.tasks.caption.scenes.sample import sample_scene
from counterfoil.tasks.contract.context import Context, generator
from counterfoil.tasks.encoders import load_encoder
from counterfoil.tasks.encoders.load import MINILM, find_minilm
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.evaluation.evaluate import MODEL, Entry, evaluate
from counterfoil.tasks.evaluation.protocols.sugarcrepepp import SPLITS
from counterfoil.tasks.training.loop import MODEL as MODEL_FOLDER
from counterfoil.tasks.training.loop import train
from counterfoil.tasks.training.packing.pack import pack_dataset
from counterfoil.tasks.training.packing.views import find_nearest
from counterfoil.tasks.training.settings import TrainingSettings

OURS = ("caption.near", "caption.swap")
UNPROVED, MINED = "caption.unproved", "caption.mined"
DOSES = (0, 5, 10, 20, 40)
HELD = "held-out near misses"
FOUND = "R@1 of captions"
KEPT = "neighbours kept"
RECIPE = """[dataset]
path = {path}
seed = 7
workers = 1
shard_size = 128

[author]
kind = "procedural"

[caption]
source = {source}
families = ["near", "swap"]
swaps = "any"
negatives = 5
each = 1
preferred = 1.0
"""
TRAINING: Mapping[str, Any] = {
    **TEXTS_ON_A_CPU,
    "max_tokens": 48,
    "batch_size": 16,
    "warmup": 8,
    "learning_rate": 2e-4,
    "weight_decay": 0.01,
    "freeze": ["0.model.embeddings"],
    "negative_texts": 1,
    "margin": 0.15,
    "grades": ["unjudged", "undecided"],
    "checkpoint_every": 20,
}


@dataclass(frozen=True)
class Way:
    """One way of tuning: an objective, and the families that it learns from."""

    name: str
    objective: str | dict[str, float]
    learn_from: tuple[str, ...]
    reworded: int = 0
    """Other wordings of each near miss and of the caption that it was made of."""
    kept: float = 0.0
    """Share of the untuned weights in the model that is asked, as `training.keep_start` has it."""


WAYS = (
    Way("in-batch", {"in_batch": 1.0}, ()),
    Way("swaps, unproved", "mathleap", (UNPROVED,)),
    Way("mined", "mathleap", (MINED,)),
    Way("ours, no positives", "margin", OURS),
    Way("ours", "margin", OURS, 5),
)
HALVED = tuple(replace(way, name=f"{way.name}, half kept", kept=0.5) for way in WAYS)
DOSED = tuple(
    Way(f"{dose} % {sort}", "margin", (f"caption.{sort}{dose:02d}",), 5)
    for dose in DOSES
    for sort in (("true", "trivial") if dose else ("true",))
)


@dataclass(frozen=True)
class Study:
    """Where all lies, and how much of it."""

    folder: Path
    captions: Path
    benchmark: Path
    pictures: int
    scenes: int
    """Scenes of our own, whose captions stand among the photographs': what is of which colour, and where."""
    steps: int
    rows: int
    """Rows of each of the benchmark's splits, at most."""
    held: int = 80
    """Pictures whose captions find each other, and near misses of each family that are asked."""

    @cached_property
    def bench(self) -> Bench:
        """The benchmark's rows that are asked: of each split those of the least hashes."""
        place = self.folder / f"sugarcrepepp-{self.rows}"
        place.mkdir(parents=True, exist_ok=True)
        for split in SPLITS:
            found = json.loads((self.benchmark / f"{split}.json").read_text(encoding="utf-8"))
            rows = found if isinstance(found, list) else list(found.values())
            rows.sort(key=lambda row: fingerprint(row["caption"], row["negative_caption"]))
            (place / f"{split}.json").write_text(json.dumps(rows[: self.rows]), encoding="utf-8")
        return Bench("sugarcrepepp", f"sugarcrepepp:{place}")

    @property
    def dataset(self) -> Path:
        """The folder of the dataset."""
        return self.folder / f"captions-{self.pictures}-{self.scenes}"

    def read_pictures(self) -> tuple[list[tuple[str, list[str]]], list[list[str]]]:
        """Pictures to train on, with their names, and the captions of those that are held out.

        Those whose number the benchmark's files name are in neither.
        """
        shown = {
            int(number)
            for path in self.benchmark.parent.rglob("*.json")
            for number in re.findall(r'"filename": "(\d+)\.jpg"', path.read_text(encoding="utf-8"))
        }
        rows = [json.loads(line) for line in self.captions.read_text(encoding="utf-8").splitlines()]
        kept = [row for row in rows if int(re.findall(r"(\d+)\.jpg", row["image"])[-1]) not in shown]
        said = [(row["image"], [each.strip() for each in row["captions"]]) for row in kept]
        return said[: self.pictures], [captions for _, captions in said[-self.held :]]

    def make(self) -> None:
        """Make the dataset by `counterfoil run`, and beside its families those that nobody proved."""
        done = self.folder / "made.txt"
        source, recipe = self.folder / "captions.jsonl", self.folder / "captions.toml"
        told = RECIPE.format(path=json.dumps(str(self.dataset)), source=json.dumps(f"pairs:{source}"))
        if done.exists() and done.read_text(encoding="utf-8") == told:
            return
        pictures = [*self.read_pictures()[0], *write_scenes(self.scenes)]
        lines = [json.dumps({"id": name, "captions": captions}) + "\n" for name, captions in pictures]
        source.write_text("".join(lines), encoding="utf-8")
        recipe.write_text(told, encoding="utf-8")
        if subprocess.run([sys.executable, "-m", "counterfoil", "run", str(recipe)], check=False).returncode:
            raise ProofError(f"`counterfoil run {recipe}` failed: see above")
        self._add_others()
        done.write_text(told, encoding="utf-8")

    def _add_others(self) -> None:
        snapshot = Dataset(str(self.dataset)).snapshot()
        anchors = [anchor for anchor in snapshot.anchors() if anchor.captions]
        said = [list(dict.fromkeys((anchor.caption or "", *anchor.captions))) for anchor in anchors]
        ours = [row for family in OURS for row in snapshot.contrasts(family)]
        rows = [
            *_name_rows(UNPROVED, anchors, said, change(said, swap_words)),
            *_name_rows(MINED, anchors, said, mine(said, 3)),
            *(row for way in DOSED for row in _dose(way.learn_from[0], ours, anchors)),
        ]
        families = sorted({row.family for row in rows})
        tables = {
            f"contrasts/family={name}": to_table([r for r in rows if r.family == name], "contrasts")
            for name in families
        }
        key = fingerprint("others", [row.contrast_id for row in rows])
        StagedShards(str(self.dataset)).write(key, tables)
        Dataset(str(self.dataset)).publish({name: [key] for name in tables})

    def choose(self, way: Way, seed: int) -> TrainingSettings:
        """The `[training]` section of a run. Every anchor has several captions, so all ways meet the same ones."""
        own = {"families": list(way.learn_from) or [OURS[0]]}
        none = {} if way.learn_from else {"learn_from": [], "negative_texts": 0}
        shared = {**TRAINING, "model": str(find_minilm()), "steps": self.steps, "seed": seed}
        more = {"reworded": way.reworded, "positive_texts": 2, "objective": way.objective}
        return TrainingSettings.model_validate({**shared, **own, **none, **more})

    def run(self, way: Way | None, seed: int, *, finished: bool) -> dict[str, Any] | None:
        """What a tuned model scores (None: the untuned one); with ``finished`` only if it was scored before."""
        folder = self.folder / "untuned" if way is None else self._find_run(way, seed)
        share = f"-kept{way.kept}" if way is not None and way.kept else ""
        told = folder / f"scores-{self.rows}{share}.json"
        if told.exists():
            found: dict[str, Any] = json.loads(told.read_text(encoding="utf-8"))
            return found
        if finished:
            return None
        seconds, model = 0.0, MINILM
        if way is not None:
            settings = self.choose(way, seed)
            # The order of anchors is one for all seeds: a run's own seed draws near misses and dropout.
            packed = str(self.folder / "packed" / fingerprint(way.learn_from, way.reworded)[:16])
            pack_dataset(str(self.dataset), packed, settings.model_copy(update={"seed": 7}), seed=7, workers=1)
            seconds, model = round(train(packed, settings, folder).cpu_seconds, 1), str(folder / MODEL_FOLDER)
            if way.kept:
                model = keep_share(model, way.kept, folder / f"kept{way.kept}")
        folder.mkdir(parents=True, exist_ok=True)
        found = {"seconds": seconds, **self.score(model)}
        told.write_text(json.dumps(found) + "\n", encoding="utf-8")
        return found

    def _find_run(self, way: Way, seed: int) -> Path:
        settings = self.choose(way, seed).model_dump(mode="json")
        return self.folder / "runs" / fingerprint("encoder", self.dataset.name, settings)[:16]

    def score(self, model: str) -> dict[str, Any]:
        """Items, blocks and values of each split of the benchmark and of our own held-out questions."""
        encoder = load_encoder(model)
        sheet = evaluate(self.bench.benchmark, [Entry(encoder, MODEL)], blind=False)
        kept = next(keep_items(table.rows[0]) for table in sheet.tables if table.task == "TOT")
        found: dict[str, Any] = {}
        for split in SPLITS:
            places = [n for n, name in enumerate(kept["items"]) if name.startswith(f"{split}/")]
            found[split] = [[kept["blocks"][n], kept["values"]["hit"][n]] for n in places]
        _, held = self.read_pictures()
        texts = [text for captions in held for text in captions]
        owner = np.array([n for n, captions in enumerate(held) for _ in captions])
        near = np.asarray(encoder.encode_texts(texts))
        nearest = _rank(near)
        found[FOUND] = [[str(own), float(owner[first] == own)] for own, first in zip(owner, nearest[:, 0], strict=True)]
        found[KEPT] = [
            [str(own), len(set(after[:10]) & set(before[:10])) / 10]
            for own, after, before in zip(owner, nearest.tolist(), self._untuned.tolist(), strict=True)
        ]
        triples = self._triples
        vectors = np.asarray(encoder.encode_texts([text for _, three in triples for text in three]))
        first, second, wrong = vectors.reshape(len(triples), 3, -1).transpose(1, 0, 2)
        same, one, other = ((a * b).sum(-1) for a, b in ((first, second), (first, wrong), (second, wrong)))
        found[HELD] = [
            [source, float(hit)] for (source, _), hit in zip(triples, (same > one) & (same > other), strict=True)
        ]
        return found

    @cached_property
    def _untuned(self) -> np.ndarray:
        texts = [text for captions in self.read_pictures()[1] for text in captions]
        return _rank(np.asarray(load_encoder(MINILM).encode_texts(texts)))

    @cached_property
    def _triples(self) -> list[tuple[str, tuple[str, str, str]]]:
        """Captions of our test split, each with its farthest other wording and a near miss."""
        path = self.folder / "held.json"
        if path.exists():
            return [(source, (a, b, c)) for source, (a, b, c) in json.loads(path.read_text(encoding="utf-8"))]
        snapshot = Dataset(str(self.dataset)).snapshot()
        anchors = {anchor.anchor_id: anchor for anchor in snapshot.anchors() if anchor.split == "test"}
        found = []
        for family in OURS:
            rows = [row for row in snapshot.contrasts(family) if row.anchor_id in anchors and row.text]
            for row in rows[: self.held]:
                anchor = anchors[row.anchor_id]
                caption = anchor.captions[find_nearest(row.text or "", anchor.captions)]
                same = reword(caption, anchor)
                if same:
                    found.append((row.anchor_id, (caption, same[0], row.text or "")))
        path.write_text(json.dumps(found), encoding="utf-8")
        return found


@cache
def _open_captions() -> tuple[Any, Any]:
    domain = load_domain("caption")
    return domain.reword, Context(domain.settings_type(source="pairs:1"), 0, MemoRenderer())


def reword(caption: str, anchor: Anchor) -> Sequence[str]:
    """The caption in other words, as the caption domain says."""
    put, context = _open_captions()
    found: Sequence[str] = put(caption, anchor, context)
    return found


def keep_share(tuned: str, kept: float, to: Path) -> str:
    """A model between the untuned one and one tuned from it: their weights' mean, ``kept`` of it untuned (WiSE-FT)."""
    shutil.copytree(tuned, to, dirs_exist_ok=True)
    for path in to.rglob("*.safetensors"):
        start = load_file(find_minilm() / path.relative_to(to))
        own = load_file(path)
        mixed = {name: kept * start[name] + (1 - kept) * each for name, each in own.items() if each.is_floating_point()}
        save_file({**own, **mixed}, path, {"format": "pt"})
    return str(to)


def write_scenes(count: int) -> Iterator[tuple[str, list[str]]]:
    """Scenes with five captions each, undrawn."""
    for number in range(count):
        rng = generator(7, "benchmarks.proof.encoder", number)
        yield f"scene-{number}", list(write_captions(sample_scene(rng), rng, 5))


def _rank(vectors: np.ndarray) -> np.ndarray:
    near = vectors @ vectors.T
    np.fill_diagonal(near, -2)
    return np.argsort(-near, axis=1, kind="stable")[:, :10]


def _make_row(anchor_id: str, family: str, rank: int, text: str) -> Contrast:
    return Contrast(anchor_id, family, "negative", "text", text=text).accept(rank, (), "unjudged")


def _name_rows(
    family: str, anchors: Sequence[Anchor], said: Sequence[list[str]], rows: Iterable[Mapping[str, Any]]
) -> Iterator[Contrast]:
    """The rows that a maker of others' contrasts gives, as rows of the anchors that have the caption."""
    by_caption = {text: anchor.anchor_id for texts, anchor in zip(said, anchors, strict=True) for text in texts}
    ranks: Counter[str] = Counter()
    for row in rows:
        anchor_id = by_caption[row["anchor"]]
        for text in (value for name, value in row.items() if name.startswith("negative")):
            yield _make_row(anchor_id, family, ranks[anchor_id], text)
            ranks[anchor_id] += 1


def _dose(family: str, ours: Sequence[Contrast], anchors: Sequence[Anchor]) -> Iterator[Contrast]:
    """Our near misses, a share of them replaced by true texts, or by captions of other pictures; as many as before.

    Which are replaced grows with the share: who was replaced at 5 % is at 40 %.
    """
    sort, share = re.findall(r"\.([a-z]+)(\d+)$", family)[0]
    own = {anchor.anchor_id: anchor for anchor in anchors}
    everybody = sorted(own)
    ranks: dict[str, int] = {}
    for row in ours:
        rng, text = random.Random(row.contrast_id), row.text or ""
        drawn, other = rng.random(), rng.choice(everybody)
        if drawn < int(share) / 100:
            made_of = own[row.anchor_id].captions[find_nearest(text, own[row.anchor_id].captions)]
            rest = [each for each in own[row.anchor_id].captions if each != made_of] or [made_of]
            same = reword(made_of, own[row.anchor_id])[:5] if rng.random() < 0.5 else ()
            text = rng.choice(same or rest) if sort == "true" else rng.choice(own[other].captions)
        rank = ranks[row.anchor_id] = ranks.get(row.anchor_id, -1) + 1
        yield _make_row(row.anchor_id, family, rank, text)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.proof.encoder", description=__doc__)
    parser.add_argument("captions", type=Path, help='JSONL of {"image": "….jpg", "captions": […]}')
    parser.add_argument("benchmark", type=Path, help="folder of SugarCrepe++'s files")
    parser.add_argument("--to", type=Path, default=Path("proofs/encoder"), help="folder of datasets, runs and findings")
    parser.add_argument("--pictures", type=int, default=400)
    parser.add_argument("--scenes", type=int, default=200, help="scenes of our own among the pictures")
    parser.add_argument("--steps", type=int, default=80)
    parser.add_argument("--rows", type=int, default=2000, help="rows of each split of the benchmark, at most")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--only", nargs="+", default=[], help="ways to train, by name")
    parser.add_argument("--dose", action="store_true", help="question 2: true and trivial texts among the negatives")
    parser.add_argument("--report", action="store_true", help="tell what is finished; train nothing")
    given = parser.parse_args()
    import torch

    from benchmarks.proof.telling import tell_study

    torch.set_num_threads(1)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    folder = given.to.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    study = Study(folder, given.captions, given.benchmark, given.pictures, given.scenes, given.steps, given.rows)
    study.make()
    ways: list[Way | None] = [None, *(DOSED if given.dose else (*WAYS, *HALVED))]
    found: dict[str, dict[int, dict[str, Any]]] = {}
    for seed in given.seeds:
        for way in ways:
            name = "none" if way is None else way.name
            skipped = given.report or (bool(given.only) and name not in given.only)
            scores = study.run(way, seed, finished=skipped)
            if scores is not None:
                found.setdefault(name, {})[seed] = scores
                means = {key: 100 * np.mean([hit for _, hit in own]) for key, own in scores.items() if key != "seconds"}
                told = ", ".join(f"{key} {value:.1f}" for key, value in means.items())
                print(f"{name}, seed {seed}: {scores['seconds']} CPU s; {told}", flush=True)
    if given.dose:
        tell_study(found, folder / "dose", base="0 % true")
        return
    halved = {way.name for way in HALVED}
    tell_study({name: runs for name, runs in found.items() if name not in halved}, folder / "encoder", base="ours")
    kept = {name: runs for name, runs in found.items() if name in halved | {"none"}}
    tell_study(kept, folder / "encoder-kept", base="ours, half kept")


if __name__ == "__main__":
    main()
