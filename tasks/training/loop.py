"""Training, from packed shards to an exported model: plain code, read from top to bottom.

The course of a run follows from its settings, its data and the number of its processes, and from nothing else: order
and draws from seed, epoch and anchor, other randomness from seed, step and rank. So a checkpoint holds tensors and
three numbers, and a run that was killed ends with the same bytes as one that was not.
"""

from __future__ import annotations

import copy
import json
import math
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from counterfoil.storage.rows import fingerprint
from counterfoil.tasks.training.batch import Batch
from counterfoil.tasks.training.checkpoints import (
    Checkpoint,
    list_checkpoints,
    load_checkpoint,
    restore_parameters,
    save_checkpoint,
)
from counterfoil.tasks.training.data import BatchMaker, iterate_batches, list_kinds
from counterfoil.tasks.training.distributed import World, add_gradients, close_world, open_world
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.logs import RunLog, read_log
from counterfoil.tasks.training.objectives import Objective, check_terms, measure_shares
from counterfoil.tasks.training.packing.manifest import Manifest, read_manifest
from counterfoil.tasks.training.packing.pack import open_tokens
from counterfoil.tasks.training.scoring import SPLIT, Score, score_split
from counterfoil.tasks.training.settings import TrainingSettings
from counterfoil.tasks.training.step import Learnt, add_batch_gradient
from counterfoil.tasks.training.towers import Towers, list_trained, open_towers

MODEL = "model"
"""Folder of the exported model, in the run's."""
RESULT = "result.json"
KEPT = 1 << 29
"""Bytes of packed rows and decoded pictures that a process and its loaders keep from epoch to epoch, at most."""
OF_TEXTS = frozenset({"mathleap", "in_batch", "clic", "units", "paraphrase"})
"""Terms that texts alone can learn by."""
_NOT_CONTENT = (
    "path",
    "workers",
    "wandb",
    "log_every",
    "checkpoint_every",
    "evaluate_every",
    "evaluate_rows",
    "device",
)
"""Settings that do not change what is learnt."""

Progress = Callable[[int, int, float], None]


@dataclass(frozen=True)
class Trained:
    """What a run came to."""

    model: str
    """Folder of the exported model."""
    steps: int
    dataset: str
    versions: dict[str, int]
    """Table of the dataset to the version that was trained on."""
    packed: str
    """Fingerprint of the shards."""
    before: dict[str, Any] | None
    """The held-out score before the first step; None where nothing is held out."""
    after: dict[str, Any] | None
    loss: float
    cpu_seconds: float
    """Of the process that leads, over all that went on from each other; not in `RESULT`, which a repetition equals."""


def train(shards: str, settings: TrainingSettings, folder: Path, progress: Progress = lambda *_: None) -> Trained:
    """Train on the shards at ``shards`` and export the model to ``folder``; a run that was killed goes on.

    Started by torchrun, all processes call it alike; the first writes.

    Args:
        progress: told of (steps done, steps in all, loss).

    Raises:
        TrainingError: the shards, the model or the settings do not fit together, memory is short, or the loss is no
            longer a number.
    """
    world = open_world(settings.device)
    try:
        return _Run(shards, settings, folder, world).go(progress)
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise _explain_memory(settings, error) from error
    except RuntimeError as error:
        if "allocate memory" not in str(error) and "out of memory" not in str(error):
            raise
        raise _explain_memory(settings, error) from error
    finally:
        close_world()


class _Run:
    def __init__(self, shards: str, settings: TrainingSettings, folder: Path, world: World) -> None:
        self.began, self.spent = time.process_time(), 0.0
        self.shards, self.settings, self.folder, self.world = shards, settings, folder, world
        self.manifest = read_manifest(shards)
        _check_fit(self.manifest, settings, shards)
        self.tokens = open_tokens(self.manifest, shards, settings)
        self.towers = open_towers(settings, self.tokens).to(world.device)
        self.objective = Objective(settings, len(self.manifest.families)).to(world.device)
        # A tokenizer serves one thread: the loader's has one of its own.
        own = copy.deepcopy(self.tokens)
        memory = KEPT // max(1, settings.workers)
        self.maker = BatchMaker(shards, self.manifest, settings, own, "train", world.rank, world.ranks, memory)
        self.optimiser = open_optimiser(self.towers, self.objective, settings)
        self.average = {name: each.detach().clone() for name, each in list_trained(self.towers)} if settings.ema else {}
        kept = list_trained(self.towers) if settings.keep_start else ()
        self.start = {name: each.detach().clone() for name, each in kept}
        self.total = self._count_steps()
        self.key = _fingerprint(self.manifest, settings, world.ranks)
        self.step, self.epoch, self.batch = 0, 0, 0
        self.waited = 0.0
        """Seconds that the loop stood waiting for a batch."""

    def go(self, progress: Progress) -> Trained:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._resume()
        log = self._open_log() if self.world.leads else None
        if self.step == 0:
            self._score(log)
        self.towers.train()
        # Closed here, by this thread: a collector that came upon them might run in the very thread that makes them.
        with closing(self._iterate(log)) as batches:
            loss = self._climb(batches, log, progress)
        result = self._finish(log, loss)
        self.world.wait()
        return result

    def _climb(self, batches: Iterator[Batch], log: RunLog | None, progress: Progress) -> float:
        """All steps that are left; the last one's loss."""
        loss = self._find_last_loss()
        began, seen = time.perf_counter(), 0
        while self.step < self.total:
            torch.manual_seed(int(fingerprint(self.settings.seed, self.step, self.world.rank)[:15], 16))
            for group in self.optimiser.param_groups:
                group["lr"] = find_rate(self.step, self.total, self.settings)
            learnt = self._learn(batches)
            norm = self._move()
            self.step += 1
            loss = learnt.loss
            seen += self.settings.batch_size * self.settings.accumulate * self.world.ranks
            if log is not None and (self.step % self.settings.log_every == 0 or self.step == self.total):
                passed = max(time.perf_counter() - began, 1e-9)
                log.add("train", self.step, self._describe(learnt, norm, seen / passed, self.waited / passed))
            if self.settings.evaluate_every and self.step % self.settings.evaluate_every == 0 < self.total - self.step:
                self._score(log)
            if self.step % self.settings.checkpoint_every == 0 or self.step == self.total:
                self._save()
            progress(self.step, self.total, loss)
        return loss

    def _open_log(self) -> RunLog:
        told = self.settings.model_dump(mode="json")
        told = {**told, "dataset": self.manifest.dataset}
        ended = self.step >= self.total
        return RunLog(self.folder, self.step, self.settings.wandb, self.key, told, ended=ended)

    def _learn(self, batches: Iterator[Batch]) -> Learnt:
        """Add up the gradients of the step's batches."""
        self.optimiser.zero_grad(set_to_none=True)
        weight = 1.0 / self.settings.accumulate
        for _ in range(self.settings.accumulate):
            asked = time.perf_counter()
            batch, when = next(batches), f"stopped after step {self.step}"
            self.waited += time.perf_counter() - asked
            learnt = add_batch_gradient(self.towers, self.objective, batch, self.world, self.settings, weight, when)
            if not math.isfinite(learnt.loss):
                raise self._explain_nan(f"the loss is {learnt.loss}", learnt)
        return learnt

    def _move(self) -> float:
        """One step of the optimiser with everyone's gradient; its norm before it is clipped."""
        parameters = [each for _, each in self._list_parameters()]
        add_gradients(parameters, self.world)
        limit = self.settings.clip_norm or math.inf
        norm = float(nn.utils.clip_grad_norm_(parameters, limit))
        if not math.isfinite(norm):
            raise self._explain_nan(f"the gradient's norm is {norm}", None)
        self.optimiser.step()
        self.towers.settle()
        self.objective.settle()
        for name, each in list_trained(self.towers):
            if name in self.average:
                self.average[name].lerp_(each.detach(), 1 - self.settings.ema)
        return norm

    def _iterate(self, log: RunLog | None) -> Generator[Batch]:
        """Batches from the cursor on, epoch after epoch; the log is told what an epoch is."""
        count = (self.total - self.step) * self.settings.accumulate
        with closing(iterate_batches(self.maker, self.epoch, self.batch, self.settings.workers, count)) as batches:
            for batch in batches:
                if self.batch == self.maker.count_batches(self.epoch):
                    self.epoch, self.batch = self.epoch + 1, 0
                if log is not None and self.batch == 0:
                    told = {"epoch": self.epoch, **asdict(self.maker.deal), **self._count_epoch()}
                    log.add("epoch", self.step + 1, told)
                self.batch += 1
                yield batch

    def _count_epoch(self) -> dict[str, int]:
        deal = self.maker.deal
        return {"batches": deal.batches, "left_out": deal.left_out}

    def _count_steps(self) -> int:
        batches = self.maker.count_batches(0)
        if self.settings.steps is not None:
            return self.settings.steps
        return max(1, int(self.settings.epochs * batches / self.settings.accumulate))

    def _list_parameters(self) -> list[tuple[str, nn.Parameter]]:
        return [*list_trained(self.towers), *((f"objective.{n}", p) for n, p in self.objective.named_parameters())]

    def _resume(self) -> None:
        found = list_checkpoints(self.folder)
        if not found:
            return
        saved = load_checkpoint(found[-1], self.key)
        restore_parameters(self.towers, saved.parameters, str(found[-1]))
        self.objective.load_state_dict(saved.objective)
        self.optimiser.load_state_dict(saved.optimiser)
        for name, value in saved.average.items():
            self.average[name].copy_(value)
        self.step, self.epoch, self.batch = saved.step, saved.epoch, saved.batch
        self.spent = saved.cpu_seconds

    def _save(self) -> None:
        if not self.world.leads:
            return
        parameters = {name: each.detach().cpu() for name, each in list_trained(self.towers)}
        save_checkpoint(
            self.folder,
            Checkpoint(
                self.step,
                self.epoch,
                self.batch,
                self.key,
                parameters,
                self.objective.state_dict(),
                self.optimiser.state_dict(),
                self.average,
                self._count_seconds(),
            ),
        )

    def _count_seconds(self) -> float:
        """CPU seconds of this process, and of those whose last checkpoint it went on from."""
        return self.spent + time.process_time() - self.began

    def _score(self, log: RunLog | None) -> dict[str, Any] | None:
        """The scores now, by the process that leads: of held-out anchors, and (``seen_``) of as many it learnt from."""
        told: dict[str, Any] | None = None
        if self.world.leads and log is not None:
            held = self._score_split(SPLIT)
            if held is not None:
                # Before the first step none is seen.
                seen = self._score_split("train", held.anchors + held.without_positive) if self.step else None
                shares = {f"seen_{name}": getattr(seen, name, math.nan) for name in ("texts", "images", "both")}
                told = {**held.tell(), **shares}
                log.add("score", self.step, told)
        self.world.wait()
        return told

    def _score_split(self, split: str, most: int | None = None) -> Score | None:
        settings = self.settings if most is None else self.settings.model_copy(update={"evaluate_rows": most})
        return score_split(self.towers, self.manifest, self.shards, self.tokens, settings, self.world.device, split)

    def _finish(self, log: RunLog | None, loss: float) -> Trained:
        """Score and export: the averaged weights where an average is kept, and ``keep_start`` of those of the start.

        Wortsman et al., "Robust fine-tuning of zero-shot models" (WiSE-FT), 2022, Eq. 1.
        """
        with torch.no_grad():
            for name, each in list_trained(self.towers):
                if name in self.average:
                    each.copy_(self.average[name])
                if name in self.start:
                    each.lerp_(self.start[name], self.settings.keep_start)
        after = self._score(log)
        if self.world.leads:
            self.towers.eval()
            self.towers.export(self.folder / MODEL)
            if log is not None:
                log.close()
        result = Trained(
            str(self.folder / MODEL),
            self.step,
            self.manifest.dataset,
            dict(self.manifest.versions),
            self.manifest.fingerprint,
            self._find_first_score(),
            after,
            loss,
            self._count_seconds(),
        )
        if self.world.leads:
            kept = {name: value for name, value in asdict(result).items() if name != "cpu_seconds"}
            told = json.dumps(kept, indent=2, sort_keys=True)
            (self.folder / RESULT).write_text(told + "\n", encoding="utf-8")
        return result

    def _find_first_score(self) -> dict[str, Any] | None:
        for line in read_log(self.folder):
            if line["kind"] == "score" and line["step"] == 0:
                return {name: value for name, value in line.items() if name not in ("kind", "step")}
        return None

    def _find_last_loss(self) -> float:
        """Of a run that was ended after its last step, and has its result still to write."""
        losses = [line["loss"] for line in read_log(self.folder) if line["kind"] == "train"]
        return float(losses[-1]) if losses else math.nan

    def _describe(self, learnt: Learnt, norm: float, speed: float, waited: float) -> dict[str, Any]:
        pictured = learnt.features.layout.pictured
        shares = measure_shares(learnt.features, learnt.scale, self.settings) if pictured else {}
        return {
            "epoch": self.epoch,
            "loss": learnt.loss,
            **{f"term_{name}": value for name, value in learnt.terms.items()},
            "learning_rate": self.optimiser.param_groups[0]["lr"],
            "logit_scale": float(learnt.scale),
            "gradient_norm": norm,
            "anchors_per_s": speed,
            "waited": waited,
            **shares,
        }

    def _explain_nan(self, what: str, learnt: Learnt | None) -> TrainingError:
        scale = float(self.towers.logit_scale.detach().exp())
        terms = ", ".join(f"{name} {value:g}" for name, value in learnt.terms.items()) if learnt else "unknown"
        kept = list_checkpoints(self.folder)
        last = f"; the last checkpoint is {kept[-1]}" if kept else ""
        return TrainingError(
            f"stopped after step {self.step}: {what} (terms: {terms}; logit scale {scale:g}). "
            "Lower training.learning_rate, lengthen training.warmup"
            f"{', or train in float32' if self.settings.precision != 'float32' else ''}{last}"
        )


def find_rate(step: int, total: int, settings: TrainingSettings) -> float:
    """The learning rate of a step, from 0: a linear rise over the warm-up, then a half cosine to 0, or no change.

    >>> settings = TrainingSettings(learning_rate=1.0, warmup=2, schedule="cosine")
    >>> [round(find_rate(step, 6, settings), 4) for step in range(6)]
    [0.5, 1.0, 1.0, 0.8536, 0.5, 0.1464]
    """
    if step < settings.warmup:
        return settings.learning_rate * (step + 1) / settings.warmup
    if settings.schedule == "constant":
        return settings.learning_rate
    done = (step - settings.warmup) / max(1, total - settings.warmup)
    return settings.learning_rate * (1 + math.cos(math.pi * min(done, 1.0))) / 2


def open_optimiser(towers: Towers, objective: Objective, settings: TrainingSettings) -> torch.optim.AdamW:
    """AdamW; matrices decay, and norms, biases, the logit scale and the objective's own do not."""
    trained = [each for _, each in list_trained(towers)]
    if not trained:
        raise TrainingError("training.freeze leaves no parameter to train")
    decayed = [each for each in trained if each.ndim >= 2]
    others = [each for each in trained if each.ndim < 2] + list(objective.parameters())
    groups = [{"params": decayed, "weight_decay": settings.weight_decay}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=settings.learning_rate, betas=(0.9, settings.beta2), eps=1e-6)


def _check_fit(manifest: Manifest, settings: TrainingSettings, shards: str) -> None:
    if settings.towers == "pictures" and manifest.resolution != settings.resolution:
        raise TrainingError(
            f"{shards} holds pictures of {manifest.resolution} px, and training.resolution is {settings.resolution}: "
            "pack again, or set it to theirs"
        )
    if settings.towers == "texts" and not set(settings.terms) <= OF_TEXTS:
        allowed = ", ".join(sorted(OF_TEXTS))
        raise TrainingError(f'training.towers = "texts" learns by objectives of these terms alone: {allowed}')
    from counterfoil.tasks.engine.registry import load_family

    there = dict(manifest.there)
    if settings.learn_from is not None:
        list_kinds(manifest, settings)
        chosen = [load_family(name)[1] for name in settings.learn_from]
        sorts = {f"{each.modality}s" if each.role == "negative" else "positives" for each in chosen}
        sorts |= {"linked"} if "images" in sorts else set()
        sorts |= {"beside"} if "texts" in sorts else set()
        sorts |= {"positive_texts"} if "positives" in sorts else set()
        sorts |= {"views"}
        there = {sort: count for sort, count in there.items() if sort in sorts}
    for family in set(manifest.sampled) & set(manifest.sampled if settings.learn_from is None else settings.learn_from):
        there[f"{load_family(family)[1].modality}s"] = there.get(f"{load_family(family)[1].modality}s", 0) + 1
    check_terms(settings.terms, there)


def _fingerprint(manifest: Manifest, settings: TrainingSettings, ranks: int) -> str:
    kept: dict[str, Any] = settings.model_dump(mode="json", exclude=set(_NOT_CONTENT))
    return fingerprint("train", manifest.fingerprint, kept, ranks)


def _explain_memory(settings: TrainingSettings, error: BaseException) -> TrainingError:
    half = max(1, (settings.chunk or settings.batch_size) // 4)
    precision = "" if settings.precision == "bf16" else ', or training.precision = "bf16"'
    return TrainingError(
        f"not enough memory for a step of {settings.batch_size} anchors ({str(error).partition(chr(10))[0][:120]}): "
        f"set training.chunk = {half}, which changes no gradient{precision}, or fewer training.negative_images"
    )
