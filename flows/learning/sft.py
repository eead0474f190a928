"""Tuning a LLaVA: each stage a run with checkpoints of its own, which goes on where it ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.flows.datasets.overlap import find_vector_folder
from counterfoil.flows.planning.recipe import Recipe, RecipeError, load_recipe
from counterfoil.flows.process.steps import find_progress
from counterfoil.storage.dataset import Dataset
from counterfoil.tasks.evaluation.answers.items import strip_question
from counterfoil.tasks.mining.sides import Side
from counterfoil.tasks.sft.asking import Wanted
from counterfoil.tasks.sft.data import list_problems, make_instructions
from counterfoil.tasks.sft.decontamination import Overlap, find_near, list_reasons
from counterfoil.tasks.sft.errors import SftError
from counterfoil.tasks.sft.rows import Instruction
from counterfoil.tasks.sft.settings import SftSettings, Stage


def read_sft(recipe: Recipe, where: str) -> tuple[SftSettings, Path]:
    """A recipe's `[sft]` section and the folder of its run.

    Raises:
        RecipeError: it has none.
    """
    if recipe.sft is None:
        raise RecipeError(f"{where} has no [sft] section: it needs at least vision and language; see docs/recipe.md")
    name = recipe.dataset.path.rstrip("/").rpartition("/")[2]
    return recipe.sft, Path(recipe.sft.path or f"models/{name}-lmm")


@dataclass(frozen=True)
class Rows:
    """The rows of a stage, and those left out as a test has their question."""

    kept: list[Instruction]
    rejected: list[tuple[str, str]]
    overlap: Overlap | None


def list_rows(recipe: Recipe, settings: SftSettings, stage: Stage) -> Rows:
    """The rows that a stage learns from: captions for the adapter, the recipe's kinds for the tuning.

    Raises:
        SftError: there are none.
        EvaluationError: a file of test questions cannot be read.
    """
    kinds = ("caption",) if stage == "adapter" else tuple(settings.kinds)
    overlap = compare_questions(recipe, settings) if settings.tests else None
    reasons = list_reasons(overlap.dropped, overlap.near) if overlap else {}
    made = make_instructions(Dataset(recipe.dataset.path).snapshot(), Wanted(kinds, settings.most, settings.seed))
    rows = [row for row in made if row.split == settings.split]
    kept = [row for row in rows if row.anchor_id not in reasons]
    if not kept:
        raise SftError(f"{recipe.dataset.path} has no rows of {', '.join(kinds)} in split {settings.split!r}")
    return Rows(kept, [(row.row_id, reasons[row.anchor_id]) for row in rows if row.anchor_id in reasons], overlap)


def compare_questions(recipe: Recipe, settings: SftSettings) -> Overlap:
    """The problems of the split beside the questions of the recipe's tests."""
    from counterfoil.tasks.encoders import load_encoder
    from counterfoil.tasks.evaluation.answers.reading import read_items

    path = recipe.dataset.path
    test = list(dict.fromkeys(strip_question(item.prompt) for named in settings.tests for item in read_items(named)))
    problems = list_problems(Dataset(path).snapshot(), settings.split)
    folder = find_vector_folder(Side(path, path))
    return find_near(problems, test, load_encoder(settings.encoder), folder, settings.near)


def tune_recipe(recipe: str, overrides: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Train the adapter of a LLaVA on a dataset's captions, and tune it on instruction rows.

    Raises:
        RecipeError, SftError: the recipe, its dataset or this machine's memory does not allow it.
    """
    checked = load_recipe(recipe, overrides)
    settings, _ = read_sft(checked, recipe)
    foresee(checked, recipe)
    return [run_one_stage(stage, recipe, overrides) for stage in settings.stages]


def run_one_stage(stage: Stage, recipe: str, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """Run one stage of a recipe's LLaVA, or go on with it; what is finished of it is kept.

    Raises:
        RecipeError, SftError: the recipe or its dataset does not allow it, or the stage before is not there.
    """
    from counterfoil.tasks.sft.stages import MODEL, run_stage

    checked = load_recipe(recipe, overrides)
    settings, folder = read_sft(checked, recipe)
    before = folder / "adapter" / MODEL if stage == "tuning" and "adapter" in settings.stages else None
    if before is not None and not before.exists():
        raise SftError(f"{before} is not there: run the stage adapter first, or leave it out of sft.stages")
    rows = list_rows(checked, settings, stage)
    told = run_stage(stage, settings, rows.kept, folder / stage, before, find_progress(), rows.rejected)
    return told if rows.overlap is None else {**told, "overlap": rows.overlap.describe(), "below": rows.overlap.below}


def foresee(recipe: Recipe, where: str) -> list[str]:
    """What each stage will need of memory, a line each, before anything is loaded.

    Raises:
        SftError: a stage does not fit.
    """
    from counterfoil.tasks.sft.stages import foresee_memory

    return [str(each) for each in foresee_memory(read_sft(recipe, where)[0])]


def read_result(folder: Path) -> dict[str, Any]:
    """What a finished stage told."""
    import json

    from counterfoil.tasks.sft.stages import DONE

    told: dict[str, Any] = json.loads((folder / DONE).read_text(encoding="utf-8"))
    return told
