"""Whether a small LLaVA learns from pictures what it cannot know blind: a seed after another, by the product's stages.

A tower that `counterfoil train` has aligned, frozen, and beside it one of the same shape with random weights; a small
language model that has read the training split's texts (`reader`). Then the stages as a recipe's ``[sft]`` runs them:
the adapter alone on captions, and tuning of adapter and language model on questions of yes and no beside the open ones
(`questions`). It is asked about pictures of the other splits, blind, with another's picture, and about some that it has
learnt from. What is finished is kept: a command that was killed goes on.
"""

from __future__ import annotations

import json
import pickle
import resource
import shutil
from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
import transformers

from benchmarks.lmm.questions import Lessons, make_lessons, read_rows
from benchmarks.lmm.reader import SMALL_LLAVA, save_reader
from counterfoil.tasks.encoders.stem import STEM, StemmedCLIP
from counterfoil.tasks.evaluation.answers.asking import BLIND, SEEN, LocalModel, Score, ask_items, score_answers
from counterfoil.tasks.evaluation.answers.reading import read_items
from counterfoil.tasks.sft.formats import write_instructions
from counterfoil.tasks.sft.model import load_llava
from counterfoil.tasks.sft.settings import SftSettings
from counterfoil.tasks.sft.stages import run_stage

ALIGNED, RANDOM = "aligned", "random"


@dataclass(frozen=True)
class Told:
    """What one model answered: questions by name and condition, of all and of each."""

    tower: str
    seed: int
    steps: int
    scores: Mapping[str, Score]


def learn(given: Namespace) -> None:
    """Make a language model for each seed, tune it on each tower, ask, and print a table."""
    lessons = find_lessons(given)
    questions = write_questions(lessons, given.to / "questions")
    pictures = len({row.anchor_id for row in lessons.tuning})
    print(f"{len(lessons.captions)} captions; {len(lessons.tuning)} questions about {pictures} pictures", flush=True)
    told = []
    for seed in range(given.seeds):
        texts = [f"{row.prompt} {row.response}" for row in (*lessons.captions, *lessons.tuning)]
        language = save_reader(given.to / f"reader-{seed}", texts, seed, given.read)
        for tower in given.towers:
            vision = given.vision if tower == ALIGNED else save_random(given.vision, given.to / f"random-{seed}", seed)
            settings = SftSettings(
                vision=vision,
                language=language,
                seed=seed,
                steps=given.steps,
                batch_size=given.batch,
                learning_rate=given.rate,
                checkpoint_every=100,
                **SMALL_LLAVA,
            )
            folder = given.to / f"{tower}-{seed}"
            before = run_stage(
                "adapter", settings.model_copy(update={"steps": given.captions}), lessons.captions, folder / "adapter"
            )
            for turn in range(given.rounds):
                # Each goes on from the weights of the one before, at the full rate again, in another order of rows.
                shuffled = settings.model_copy(update={"seed": seed + 1000 * turn})
                name = f"tuning-{turn + 1}" if turn else "tuning"
                before = run_stage("tuning", shuffled, lessons.tuning, folder / name, Path(before["model"]))
                describe_stage(before, folder / name)
                told.append(
                    Told(tower, seed, given.steps * (turn + 1), ask_all(before["model"], questions, folder, turn))
                )
    table = "\n".join(write_table(told))
    (given.to / "table.md").write_text(table + "\n", encoding="utf-8")
    print(table)


def find_lessons(given: Namespace) -> Lessons:
    """The rows, which a first call reads of the dataset and keeps."""
    kept = given.to / "lessons.pickle"
    if not kept.exists():
        side = int(transformers.AutoConfig.from_pretrained(given.vision).vision_config.image_size)
        lessons = make_lessons(read_rows(given.dataset, ("caption", "question"), 40, side), given.count)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps(lessons))
    return cast(Lessons, pickle.loads(kept.read_bytes()))


def write_questions(lessons: Lessons, folder: Path) -> dict[str, Path]:
    """The questions that are asked, as files of LLaVA's format, once."""
    for name, rows in lessons.asked.items():
        if not (folder / name).exists():
            write_instructions(rows, folder / name, "llava")
    return {name: next((folder / name).glob("*.json")) for name in lessons.asked}


def save_random(vision: str, folder: Path, seed: int) -> str:
    """A tower like that of ``vision``, processor and all, of random weights."""
    shutil.copytree(vision, folder, dirs_exist_ok=True)
    config = transformers.AutoConfig.from_pretrained(vision)
    torch.manual_seed(seed)
    made = StemmedCLIP if getattr(config, STEM, None) else transformers.AutoModel.from_config
    made(config).save_pretrained(folder)
    return str(folder)


def describe_stage(stage: Mapping[str, Any], folder: Path) -> None:
    """Print how the loss fell, and what this process has spent so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    losses = list(read_losses(folder))
    print(f"{folder}: {stage['steps']} steps, loss {losses[0]:.4f} to {losses[-1]:.4f}", flush=True)
    print(f"  {used.ru_utime + used.ru_stime:.0f} CPU s of this process so far", flush=True)


def ask_all(model: str, questions: Mapping[str, Path], folder: Path, turn: int) -> dict[str, Score]:
    """What a model answers, by file of questions and condition."""
    return {
        name: score
        for asked, file in questions.items()
        for name, score in ask(model, file, asked, folder / (f"{asked}-{turn + 1}.jsonl" if turn else f"{asked}.jsonl"))
    }


def read_losses(folder: Path) -> Iterator[float]:
    """The losses of a stage's log."""
    for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines():
        yield float(json.loads(line)["loss"])


def ask(model: str, file: Path, asked: str, answers: Path) -> Iterator[tuple[str, Score]]:
    """Scores of a file of questions; held-out ones are asked blind, too."""
    answerer = LocalModel(model, load_llava(model, device="cpu"), 4)
    conditions = (SEEN, BLIND) if asked == "held-out" else (SEEN,)
    given = ask_items(answerer, read_items(f"llava:{file}"), answers, conditions=conditions, batch=32)
    for score in score_answers(given):
        if not score.part:
            yield (f"{asked}, blind" if score.condition == BLIND else asked), score


def write_table(told: list[Told]) -> Iterator[str]:
    """A line a model: how many of each file's questions it answers rightly, in percent with 95 % intervals (Wilson)."""
    names = list(told[0].scores)
    yield f"| tower | seed | steps | {' | '.join(names)} |"
    yield f"| --- | ---: | ---: |{' ---: |' * len(names)}"
    for each in told:
        shares = " | ".join(describe(each.scores[name]) for name in names)
        yield f"| {each.tower} | {each.seed} | {each.steps} | {shares} |"


def describe(score: Any) -> str:
    """A share with its interval and the number that it is of."""
    share, low, high = (100 * value for value in (score.accuracy, score.low, score.high))
    return f"{share:.1f} ({low:.1f} to {high:.1f}; {score.items})"
