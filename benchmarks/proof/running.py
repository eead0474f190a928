"""Making, packing, training and scoring; what is finished is found again by its fingerprint."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from benchmarks.proof.learnt import score_training_rows
from benchmarks.proof.suites import Data, Setting, Suite, write_charts
from counterfoil.storage.rows import fingerprint
from counterfoil.tasks.encoders import load_encoder
from counterfoil.tasks.evaluation.benchmark import Benchmark, Options
from counterfoil.tasks.evaluation.evaluate import MODEL, Entry, Sheet, evaluate
from counterfoil.tasks.evaluation.protocols import load_benchmark
from counterfoil.tasks.training.loop import MODEL as MODEL_FOLDER
from counterfoil.tasks.training.loop import RESULT, train
from counterfoil.tasks.training.packing.manifest import Manifest
from counterfoil.tasks.training.packing.pack import pack_dataset
from counterfoil.tasks.training.settings import TrainingSettings

DATA_SEED = 7
SECONDS = "seconds.json"
"""CPU seconds of a run's training, written at its end."""
TEXTS_ON_A_CPU: Mapping[str, Any] = {
    "towers": "texts",
    "precision": "bf16",
    "holdout": 0.02,
    "evaluate_rows": 16,
    "shard_rows": 4096,
    "shuffle_rows": 4096,
    "streams": 1,
    "device": "cpu",
}
"""Of `[training]`, what all studies of an encoder of texts share."""
_MEASURES = ("hit", "pairs", "R@1", "R@5", "R@10", "MRR")

Say = Callable[[str], None]


class ProofError(Exception):
    """A step of the proof that failed; what it said is on the terminal."""


@dataclass(frozen=True)
class Workshop:
    """Where a proof lies, and at which scale it is done."""

    folder: Path
    scale: float
    say: Say = print

    def dataset(self, data: Data) -> Path:
        """The folder of a dataset."""
        return self.folder / "data" / data.name

    def make(self, data: Data) -> str:
        """Make a dataset by `counterfoil run`; what is finished of it is reused. Its recipe lies beside it.

        Raises:
            ProofError: the run failed.
        """
        path = self.dataset(data)
        recipe = self.folder / "recipes" / f"{data.name}.toml"
        recipe.parent.mkdir(parents=True, exist_ok=True)
        recipe.write_text(self.describe(data), encoding="utf-8")
        done = path / "proof.txt"
        if not done.exists() or done.read_text(encoding="utf-8") != recipe.read_text(encoding="utf-8"):
            self.say(f"making {data.name}: {data.count(self.scale):,} source rows")
            if subprocess.run([sys.executable, "-m", "counterfoil", "run", str(recipe)], check=False).returncode:
                raise ProofError(f"`counterfoil run {recipe}` failed: see above")
            done.write_text(recipe.read_text(encoding="utf-8"), encoding="utf-8")
        return str(path)

    def describe(self, data: Data) -> str:
        """The recipe of a dataset, as TOML."""
        section = dict(data.section)
        rows = data.count(self.scale)
        if section["source"] == "charts":
            charts = self.folder / "recipes" / f"charts-{rows}.jsonl"
            if not charts.exists():
                write_charts(charts, rows, DATA_SEED)
            section["source"] = f"charts:{charts}"
        else:
            section["source"] = f"{section['source']}:{rows}"
        dataset = {"path": str(self.dataset(data)), "seed": DATA_SEED}
        audit = {"refine": True} if data.refine else {}
        parts = {"dataset": dataset, "audit": audit, data.domain: section}
        return "\n".join(_write_section(name, keys) for name, keys in parts.items() if keys)


def _write_section(name: str, keys: Mapping[str, Any]) -> str:
    # A JSON value of text, number, list or truth is a TOML value, too.
    return "\n".join([f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in keys.items()), ""])


@dataclass(frozen=True)
class Bench:
    """A dataset that models are scored on."""

    name: str
    place: str

    @cached_property
    def benchmark(self) -> Benchmark:
        """Its held-out rows."""
        return load_benchmark(self.place, Options())

    @cached_property
    def key(self) -> str:
        """What its held-out rows and their pictures are known by."""
        return self.benchmark.hash_data(pictures=True)[:16]


def choose_settings(suite: Suite, setting: Setting, seed: int, scale: float) -> TrainingSettings:
    """The `[training]` section of a run: all runs of a suite differ in objective, families and seed alone."""
    keys = _scale_steps(suite.training, scale)
    drawn = {} if setting.learn_from else {"negative_texts": 0, "negative_images": 0}
    own = {"objective": setting.objective, "learn_from": list(setting.learn_from), "seed": seed}
    return TrainingSettings.model_validate({**keys, **drawn, **own, **setting.more})


def _scale_steps(training: Mapping[str, Any], scale: float) -> dict[str, Any]:
    steps = max(20, round(training["steps"] * scale))
    return {**training, "steps": steps, "warmup": min(training["warmup"], steps // 4)}


def pretrain(shop: Workshop, suite: Suite) -> Path:
    """Train the suite's start under CLIP's objective, or find it; the folder of its run, with ``model`` in it."""
    assert suite.start is not None
    shop.make(suite.start.data)
    drawn = {"objective": "clip", "learn_from": [], "negative_texts": 0, "negative_images": 0, "seed": DATA_SEED}
    keys = {**_scale_steps({**suite.training, **suite.start.training}, shop.scale), **drawn}
    settings = TrainingSettings.model_validate(keys)
    packed = str(shop.folder / "packed" / suite.name / "start")
    manifest = pack_dataset(str(shop.dataset(suite.start.data)), packed, settings, seed=DATA_SEED, workers=1)
    key = fingerprint("start", manifest.fingerprint, settings.model_dump(mode="json"))
    folder = shop.folder / "starts" / key[:16]
    told = folder / SECONDS
    if not told.exists():
        shop.say(f"{suite.name}: the start, {settings.steps:,} steps on {manifest.count('train'):,} anchors")
        _write(told, round(train(packed, settings, folder).cpu_seconds, 1))
        _drop_checkpoints(folder)
    return folder


def go_on(suite: Suite, start: Path) -> Suite:
    """The suite with all settings beginning at the model of ``start``, a folder that `pretrain` told."""
    return replace(suite, training={**suite.training, "model": str(start / MODEL_FOLDER)})


def score_start(
    start: Path, settings: TrainingSettings, manifest: Manifest, packed: str, benches: Mapping[str, Bench]
) -> dict[str, Any]:
    """The start as a run of its own: what it scores before any setting goes on from it.

    Args:
        settings, manifest, packed: of a run that goes on from it, whose training rows it is asked for.
    """
    return _tell_run(start, settings, manifest, packed, benches)


def pack(shop: Workshop, suite: Suite, data: Data, roles: Mapping[str, str]) -> tuple[Manifest, str]:
    """Pack all families of a dataset once, for all settings of a suite: they meet the same anchors in the same order.

    Args:
        roles: family to `negative` or `positive`.
    """
    # A model that settings go on from has a tokenizer of its own, by which texts are measured.
    began = "" if suite.training.get("model", "scratch") == "scratch" else "-started"
    folder = str(shop.folder / "packed" / suite.name / f"{data.name}{began}")
    families = {role: [name for name, own in roles.items() if own == role] for role in ("negative", "positive")}
    keys = {**suite.training, "families": families["negative"], "positives": families["positive"]}
    settings = TrainingSettings.model_validate(keys)
    manifest = pack_dataset(str(shop.dataset(data)), folder, settings, seed=DATA_SEED, workers=1)
    return manifest, folder


def run_setting(
    shop: Workshop, settings: TrainingSettings, manifest: Manifest, packed: str, benches: Mapping[str, Bench]
) -> dict[str, Any]:
    """Train and score one setting with one seed, or read what came of it before.

    Returns:
        ``seconds`` of training, ``result`` of the loop, what was ``learnt`` of training rows, and for each dataset and
        task the items' values.
    """
    folder = find_run(shop, settings, manifest)
    told = folder / SECONDS
    if not told.exists():
        _write(told, round(train(packed, settings, folder).cpu_seconds, 1))
        _drop_checkpoints(folder)
    return _tell_run(folder, settings, manifest, packed, benches)


def find_run(shop: Workshop, settings: TrainingSettings, manifest: Manifest) -> Path:
    """The folder of a run, whether it is there or not: it is known by its settings and its packed rows."""
    key = fingerprint("proof", manifest.fingerprint, settings.model_dump(mode="json"))
    return shop.folder / "runs" / key[:16]


def is_finished(folder: Path) -> bool:
    """Whether a run, or a start, was trained to its end."""
    return (folder / SECONDS).exists()


def _tell_run(
    folder: Path, settings: TrainingSettings, manifest: Manifest, packed: str, benches: Mapping[str, Bench]
) -> dict[str, Any]:
    """What is known of a trained model; what was asked before is read."""
    model = folder / MODEL_FOLDER
    learnt = lambda: score_training_rows(model, packed, manifest, settings)  # noqa: E731
    return {
        "key": folder.name,
        "seconds": json.loads((folder / SECONDS).read_text(encoding="utf-8")),
        "result": json.loads((folder / RESULT).read_text(encoding="utf-8")),
        "learnt": _remember(folder / f"learnt-{manifest.fingerprint[:16]}.json", learnt),
        "scores": {
            name: _remember(folder / f"scores-{bench.key}.json", partial(score_model, str(model), bench))
            for name, bench in benches.items()
        },
    }


def _remember(path: Path, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    if not path.exists():
        _write(path, make())
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _drop_checkpoints(folder: Path) -> None:
    for checkpoint in folder.glob("checkpoints/*"):
        checkpoint.unlink() if checkpoint.is_file() else shutil.rmtree(checkpoint)


def score_model(model: str, bench: Bench) -> dict[str, Any]:
    """The items' values of a model on every task of a benchmark."""
    sheet = evaluate(bench.benchmark, [Entry(load_encoder(model), MODEL)], blind=False)
    return {table.task: keep_items(table.rows[0]) for table in sheet.tables}


def score_blind(shop: Workshop, bench: Bench) -> dict[str, Any]:
    """The strongest blind baseline of each task and chance, by the figures' names; kept beside the runs."""
    return _remember(shop.folder / "blind" / f"{bench.key}.json", partial(_ask_blind, bench))


def _ask_blind(bench: Bench) -> dict[str, Any]:
    sheet = evaluate(bench.benchmark, [], blind=True)
    return {table.task: _find_strongest(sheet, number) for number, table in enumerate(sheet.tables)}


def _find_strongest(sheet: Sheet, number: int) -> dict[str, Any]:
    table = sheet.tables[number]
    name = "Hit@1" if any(figure.name == "Hit@1" for row in table.rows for figure in row.figures) else "R@1"
    best: dict[str, Any] = {"figure": name, "system": None}
    for row in table.rows:
        for figure in row.figures:
            if figure.name != name:
                continue
            if row.kind == "chance":
                best["chance"] = figure.value
            elif best["system"] is None or figure.value > best["value"]:
                best |= {"system": row.system, "value": figure.value, "low": figure.low, "high": figure.high}
    return best


def keep_items(row: Any) -> dict[str, Any]:
    """What an analysis reads of a system on a task."""
    outcomes = row.outcomes
    columns = {
        name: [round(float(each), 6) for each in outcomes.values[:, place]]
        for place, name in enumerate(outcomes.measures)
        if name in _MEASURES
    }
    return {"items": list(outcomes.items), "blocks": list(outcomes.blocks), "values": columns}


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(value) + "\n", encoding="utf-8")
    part.replace(path)
