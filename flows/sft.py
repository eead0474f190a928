"""Tuning a LLaVA as a flow: each stage a task with checkpoints of its own, which goes on where it ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from prefect import flow, task

from flows.labels import list_tags, tagged
from flows.limits import GPU, limited_by
from flows.recipe import Recipe, RecipeError, load_recipe
from storage.dataset import Dataset
from tasks.sft.asking import Wanted
from tasks.sft.data import make_instructions
from tasks.sft.errors import SftError
from tasks.sft.rows import Instruction
from tasks.sft.settings import SftSettings, Stage

Progress = Callable[[str, int, int], None]


def read_sft(recipe: Recipe, where: str) -> tuple[SftSettings, Path]:
    """A recipe's `[sft]` section and the folder of its run.

    Raises:
        RecipeError: it has none.
    """
    if recipe.sft is None:
        raise RecipeError(f"{where} has no [sft] section: it needs at least vision and language; see docs/recipe.md")
    name = recipe.dataset.path.rstrip("/").rpartition("/")[2]
    return recipe.sft, Path(recipe.sft.path or f"models/{name}-lmm")


def list_rows(recipe: Recipe, settings: SftSettings, stage: Stage) -> list[Instruction]:
    """The rows that a stage learns from: captions for the adapter, the recipe's kinds for the tuning.

    Raises:
        SftError: there are none.
    """
    kinds = ("caption",) if stage == "adapter" else tuple(settings.kinds)
    wanted = Wanted(kinds, settings.most, settings.seed)
    made = make_instructions(Dataset(recipe.dataset.path).snapshot(), wanted)
    rows = [row for row in made if row.split == settings.split]
    if not rows:
        raise SftError(f"{recipe.dataset.path} has no rows of {', '.join(kinds)} in split {settings.split!r}")
    return rows


@flow(name="counterfoil sft", flow_run_name="sft {recipe}", validate_parameters=False)
def tune_model(recipe: str, overrides: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Train the adapter of a LLaVA on a dataset's captions, and tune it on instruction rows.

    Args:
        recipe: Recipe file (TOML) with an [sft] section, as the machine that runs it sees it.
        overrides: Recipe keys to override, each as section.key=value, such as sft.steps=500.
    """
    checked = load_recipe(recipe, overrides)
    settings, _ = read_sft(checked, recipe)
    told: list[dict[str, Any]] = []
    with tagged(list_tags(checked, recipe)), limited_by([GPU]):
        for stage in settings.stages:
            told.append(
                sft_stage.with_options(name=stage)(recipe, overrides, stage, told[-1]["model"] if told else None)
            )
    return told


@task(name="sft stage")
def sft_stage(recipe: str, overrides: Sequence[str], stage: Stage, before: str | None) -> dict[str, Any]:
    """One stage; what is finished of it is kept."""
    from tasks.sft.stages import run_stage

    checked = load_recipe(recipe, overrides)
    settings, folder = read_sft(checked, recipe)
    rows = list_rows(checked, settings, stage)
    return run_stage(stage, settings, rows, folder / stage, Path(before) if before else None, _find_progress())


_progress: Progress | None = None


def watch_progress(progress: Progress) -> None:
    """Let the flow of this process tell ``progress`` how far it is."""
    global _progress
    _progress = progress


def _find_progress() -> Progress:
    return _progress or (lambda *_: None)
