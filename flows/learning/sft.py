"""Tuning a LLaVA as a flow: each stage a run with checkpoints of its own, which goes on where it ended.

Where the stages are offered as deployments, each is a run of its own deployment, so that Prefect's Retry works on the
one that failed; else it is a subflow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prefect import flow

from flows.datasets.overlap import find_vector_folder
from flows.making.abandoned import end_abandoned
from flows.making.deployed import StageRunError, find_runs, resume_parent
from flows.making.limits import GPU, limited_by
from flows.planning.recipe import Recipe, RecipeError, load_recipe
from flows.process.steps import find_progress
from flows.showing.labels import list_tags, make_key, tagged
from storage.dataset import Dataset
from tasks.evaluation.answers.items import strip_question
from tasks.mining.sides import Side
from tasks.sft.asking import Wanted
from tasks.sft.data import list_problems, make_instructions
from tasks.sft.decontamination import Overlap, find_near, list_reasons
from tasks.sft.errors import SftError
from tasks.sft.rows import Instruction
from tasks.sft.settings import SftSettings, Stage


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
    from tasks.encoders import load_encoder
    from tasks.evaluation.answers.reading import read_items

    path = recipe.dataset.path
    test = list(dict.fromkeys(strip_question(item.prompt) for named in settings.tests for item in read_items(named)))
    problems = list_problems(Dataset(path).snapshot(), settings.split)
    folder = find_vector_folder(Side(path, path))
    return find_near(problems, test, load_encoder(settings.encoder), folder, settings.near)


@flow(name="counterfoil sft", flow_run_name="sft {recipe}", validate_parameters=False)
def tune_model(recipe: str, overrides: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Train the adapter of a LLaVA on a dataset's captions, and tune it on instruction rows.

    Args:
        recipe: Recipe file (TOML) with an [sft] section, as the machine that runs it sees it.
        overrides: Recipe keys to override, each as section.key=value, such as sft.steps=500.
    """
    end_abandoned()
    checked = load_recipe(recipe, overrides)
    settings, folder = read_sft(checked, recipe)
    foresee(checked, recipe)
    with tagged(list_tags(checked, recipe)):
        runs = find_runs([f"sft stage/sft.{stage}" for stage in settings.stages])
        if runs is None:
            return [tune_stage(stage, recipe, overrides) for stage in settings.stages]
        for stage in settings.stages:
            given = {"stage": stage, "recipe": recipe, "overrides": [*overrides]}
            if not runs.run(f"sft stage/sft.{stage}", given, f"stage:{stage}"):
                raise StageRunError(runs.describe_failures())
    resume_parent()
    return [read_result(folder / stage) for stage in settings.stages]


@flow(name="sft stage", flow_run_name="sft.{stage}", validate_parameters=False)
def tune_stage(stage: Stage, recipe: str, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """Run one stage of a recipe's LLaVA, or go on with it; what is finished of it is kept.

    Args:
        stage: adapter (alone, on captions) or tuning (on instruction rows, after the adapter where both are wanted).
        recipe: Recipe file (TOML) with an [sft] section, as the machine that runs it sees it.
        overrides: Recipe keys to override, each as section.key=value, such as sft.steps=500.
    """
    from tasks.sft.stages import MODEL, run_stage

    checked = load_recipe(recipe, overrides)
    settings, folder = read_sft(checked, recipe)
    with tagged(list_tags(checked, recipe)):
        before = folder / "adapter" / MODEL if stage == "tuning" and "adapter" in settings.stages else None
        if before is not None and not before.exists():
            raise SftError(f"{before} is not there: run the stage adapter first, or leave it out of sft.stages")
        rows = list_rows(checked, settings, stage)
        with limited_by([GPU]):
            told = run_stage(stage, settings, rows.kept, folder / stage, before, find_progress(), rows.rejected)
        if rows.overlap is not None:
            told = {**told, "overlap": rows.overlap.describe()}
            show_overlap(checked, stage, rows.overlap)
    resume_parent()
    return told


def foresee(recipe: Recipe, where: str) -> list[str]:
    """What each stage will need of memory, a line each, before anything is loaded.

    Raises:
        SftError: a stage does not fit.
    """
    from tasks.sft.stages import foresee_memory

    return [str(each) for each in foresee_memory(read_sft(recipe, where)[0])]


def read_result(folder: Path) -> dict[str, Any]:
    """What a finished stage told."""
    import json

    from tasks.sft.stages import DONE

    told: dict[str, Any] = json.loads((folder / DONE).read_text(encoding="utf-8"))
    return told


def show_overlap(recipe: Recipe, stage: str, overlap: Overlap) -> None:
    """The table of shares as an artifact of the run."""
    from prefect.artifacts import create_table_artifact

    rows = [
        {"test questions below": limit, "before": round(before, 4), "after": round(after, 4)}
        for limit, before, after in overlap.below
    ]
    key = make_key(recipe.dataset.path, f"sft-{stage}", "overlap")
    create_table_artifact(table=rows, key=key, description=overlap.describe()[0])
