"""Statements of theorems: does an encoder that was tuned on one source find its way in another? Question 1 of PLAN.md.

    python -m benchmarks.proof.statements PAIRS.jsonl   # rows {"source": "minif2f", "informal": …, "formal": …}

all-MiniLM-L6-v2 is tuned by the product's own trainer on views, rephrasings and proved near misses of one source and
asked about another, of which it has seen nothing: six directions over all statements, and statements among their near
misses. Two sources are real (minif2f, proofnet), one is our own author's. What is finished is kept, so a command
that was killed goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.lmm.towers import publish
from benchmarks.proof.running import TEXTS_ON_A_CPU, ProofError, keep_items
from benchmarks.proof.telling import tell_study
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import fingerprint
from counterfoil.tasks.encoders import load_encoder
from counterfoil.tasks.encoders.load import MINILM, find_minilm
from counterfoil.tasks.evaluation.benchmark import Options
from counterfoil.tasks.evaluation.evaluate import MODEL, Entry, evaluate
from counterfoil.tasks.evaluation.protocols import load_benchmark
from counterfoil.tasks.training.loop import MODEL as MODEL_FOLDER
from counterfoil.tasks.training.loop import train
from counterfoil.tasks.training.packing.pack import pack_dataset
from counterfoil.tasks.training.settings import TrainingSettings

REPHRASE, NEGATIVES = "theorem.rephrase", ("theorem.negative", "theorem.formal")
SHORT = {"statement": "words", "lean_signature": "signature", "lean_type": "type", REPHRASE: "other words"}
NEAR = {"theorem.negative": "near misses in words", "theorem.formal": "Lean near misses"}
DRAWN = (
    *(
        f"{a} to {b}, R@1"
        for a, b in [("words", "signature"), ("words", "type"), ("signature", "words"), ("type", "words")]
    ),
    *(f"{near}, pairs" for near in reversed(NEAR.values())),
)
SOURCES = ("minif2f", "proofnet")
OURS = "ours"
RECIPE = """[dataset]
path = {path}
seed = 7
workers = 1
shard_size = 64

[author]
kind = "procedural"

[theorem]
source = {source}
test_share = {share}
families = ["rephrase", "negative", "formal"]
rephrasings = 1
negatives = 3
"""
TRAINING: Mapping[str, Any] = {
    **TEXTS_ON_A_CPU,
    "families": list(NEGATIVES),
    "positives": [REPHRASE],
    "objective": "mathleap",
    "text_scale": 20.0,
    "max_tokens": 128,
    "batch_size": 16,
    "learning_rate": 1e-4,
    "warmup": 4,
    "schedule": "constant",
}


@dataclass(frozen=True)
class Way:
    """One way of tuning: the sources whose statements are seen, and whether their near misses are, too."""

    seen: tuple[str, ...]
    near: bool

    @property
    def name(self) -> str:
        """How the table calls it."""
        return f"{' and '.join(self.seen)}, {'near misses' if self.near else 'views alone'}"


def name_task(task: str) -> str:
    """A table's task in few words.

    >>> name_task("theorem: statement to lean_signature"), name_task("theorem.formal: statement to text")
    ('words to signature', 'Lean near misses')
    """
    family, _, direction = task.partition(": ")
    if family in NEAR:
        return NEAR[family]
    for word, short in SHORT.items():
        direction = direction.replace(word, short)
    return direction


def list_ways(asked: str) -> list[Way]:
    """Ways that have seen nothing of the source that is asked about."""
    other = next(each for each in SOURCES if each != asked)
    return [Way((OURS,), False), Way((OURS,), True), Way((other,), True), Way((OURS, other), True)]


@dataclass(frozen=True)
class Study:
    """Where all lies, and how much of it."""

    folder: Path
    pairs: Path
    count: int
    """Statements of our own author."""
    steps: int

    def make(self, source: str, *, asked: bool) -> str:
        """A source's dataset, all of its statements to train on or all to be asked about."""
        path = self.folder / "data" / f"{source}-{'asked' if asked else 'seen'}"
        if (path / "made.txt").exists():
            return str(path)
        path.mkdir(parents=True, exist_ok=True)
        recipe, rows = path / "recipe.toml", path / "pairs.jsonl"
        given = f"procedural:{self.count}"
        if source != OURS:
            lines = self.pairs.read_text(encoding="utf-8").splitlines(keepends=True)
            rows.write_text("".join(line for line in lines if json.loads(line)["source"] == source), encoding="utf-8")
            given = f"pairs:{rows}"
        named = {"path": str(path / "made"), "source": given}
        share = 1.0 if asked else 0.0
        recipe.write_text(
            RECIPE.format(share=share, **{name: json.dumps(value) for name, value in named.items()}), encoding="utf-8"
        )
        if subprocess.run([sys.executable, "-m", "counterfoil", "run", str(recipe)], check=False).returncode:
            raise ProofError(f"`counterfoil run {recipe}` failed: see above")
        (path / "made.txt").write_text("made\n", encoding="utf-8")
        return str(path)

    def join(self, sources: tuple[str, ...]) -> str:
        """One dataset of several sources' rows."""
        parts = [f"{self.make(source, asked=False)}/made" for source in sources]
        if len(parts) == 1:
            return parts[0]
        path = str(self.folder / "data" / "+".join(sources))
        if not Dataset(path).exists():
            snapshots = [Dataset(part).snapshot() for part in parts]
            rows = {
                f"contrasts/family={name}": [row for each in snapshots for row in each.contrasts(name)]
                for name in (REPHRASE, *NEGATIVES)
            }
            publish(path, {"anchors/domain=": [row for each in snapshots for row in each.anchors()], **rows})
        return path

    def run(self, way: Way | None, seed: int, asked: str) -> dict[str, Any]:
        """What a tuned model scores on a source (None: the untuned one)."""
        seconds, model, folder = 0.0, MINILM, self.folder / "untuned"
        if way is not None:
            learn = [REPHRASE, *(NEGATIVES if way.near else ())]
            own = {"model": str(find_minilm()), "steps": self.steps, "seed": seed, "learn_from": learn}
            negative = {"negative_texts": 2 if way.near else 0}
            settings = TrainingSettings.model_validate({**TRAINING, **own, **negative})
            folder = self.folder / "runs" / fingerprint(way.name, settings.model_dump(mode="json"), self.count)[:16]
            done = folder / "seconds.json"
            if not done.exists():
                packed = self.folder / "packed" / fingerprint(way.name, self.count)[:16]
                pack_dataset(
                    self.join(way.seen), str(packed), settings.model_copy(update={"seed": 7}), seed=7, workers=1
                )
                done.write_text(
                    json.dumps(round(train(str(packed), settings, folder).cpu_seconds, 1)), encoding="utf-8"
                )
            seconds, model = json.loads(done.read_text(encoding="utf-8")), str(folder / MODEL_FOLDER)
        told = folder / f"scores-{asked}.json"
        if not told.exists():
            folder.mkdir(parents=True, exist_ok=True)
            told.write_text(json.dumps(self.score(model, asked)) + "\n", encoding="utf-8")
        return {"seconds": seconds, **json.loads(told.read_text(encoding="utf-8"))}

    def score(self, model: str, asked: str) -> dict[str, Any]:
        """[source row, value] of each item: R@1 and MRR of the six directions, Hit@1 and near misses beaten."""
        benchmark = load_benchmark(f"own:{self.make(asked, asked=True)}/made", Options())
        sheet = evaluate(benchmark, [Entry(load_encoder(model), MODEL)], blind=False)
        found: dict[str, Any] = {}
        for table in sheet.tables:
            if table.task.endswith("by what changes"):
                continue
            kept = keep_items(table.rows[0])
            for measure, values in kept["values"].items():
                if measure in ("R@1", "MRR", "hit", "pairs"):
                    found[f"{name_task(table.task)}, {measure}"] = [
                        list(each) for each in zip(kept["blocks"], values, strict=True)
                    ]
        return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.proof.statements", description=__doc__)
    parser.add_argument("pairs", type=Path, help='JSONL of {"source": …, "informal": …, "formal": …}')
    parser.add_argument(
        "--to", type=Path, default=Path("proofs/statements"), help="folder of datasets, runs and findings"
    )
    parser.add_argument("--count", type=int, default=400, help="statements of our own author")
    parser.add_argument("--steps", type=int, default=36)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    given = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    study = Study(given.to.resolve(), given.pairs, given.count, given.steps)
    found: dict[str, dict[str, dict[int, dict[str, Any]]]] = {}
    for seed in given.seeds:
        for asked in SOURCES:
            for way in (None, *list_ways(asked)):
                name = "none" if way is None else way.name
                scores = study.run(way, seed, asked)
                found.setdefault(asked, {}).setdefault(name, {})[seed] = scores
                means = {
                    key: 100 * sum(value for _, value in own) / len(own)
                    for key, own in scores.items()
                    if key != "seconds"
                }
                told = ", ".join(f"{key} {value:.1f}" for key, value in means.items())
                print(f"{asked}, {name}, seed {seed}: {scores['seconds']} CPU s; {told}", flush=True)
    for asked, runs in found.items():
        tell_study(runs, study.folder / f"statements-{asked}", base="none", drawn=DRAWN)


if __name__ == "__main__":
    main()
