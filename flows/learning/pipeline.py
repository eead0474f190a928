"""The whole pipeline: from a recipe's sources to models that are trained, tuned and scored.

What follows the making of a dataset lies in a folder of that dataset's version, so that a night which made rows trains
on them and one that made none trains nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.flows.learning.scoring import ANSWERS, MODEL, SCORES, evaluate_recipe, has_scores
from counterfoil.flows.learning.sft import read_sft, tune_recipe
from counterfoil.flows.learning.training import read_training, train_recipe
from counterfoil.flows.making.names import name_recipe
from counterfoil.flows.making.plain import make_recipe
from counterfoil.flows.planning.recipe import Recipe, RecipeError, load_recipe
from counterfoil.storage.dataset import Dataset

LATEST = "latest.json"
PLAIN: Mapping[str, Callable[[str, Sequence[str]], object]] = {
    "make": make_recipe,
    "train": train_recipe,
    "sft": tune_recipe,
    "evaluate": evaluate_recipe,
}
"""What runs each stage in this process."""


def walk_pipeline(recipe: str, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """Make a recipe's dataset, train on it, tune a language model and score both, as far as the recipe has sections.

    Raises:
        RecipeError: it has no section for a model.
        Exception: what a stage raised; the stages before are done.
    """
    checked = load_recipe(recipe, overrides)
    check_pipeline(checked, recipe)
    return run_stages(checked, recipe, overrides, lambda stage, sets: PLAIN[stage.name](recipe, sets))


def run_stages(
    recipe: Recipe, where: str, overrides: Sequence[str], run: Callable[[PipelineStage, Sequence[str]], object]
) -> dict[str, Any]:
    """The stages one after another, the later ones with folders of the dataset's version; where the models are."""
    stages = list_stages(recipe, where)
    run(stages[0], overrides)
    lasting = place_models(recipe, where)
    for stage in stages[1:]:
        run(stage, [*overrides, *lasting.overrides])
    return note_latest(recipe, lasting)


@dataclass(frozen=True)
class PipelineStage:
    """A part of the pipeline, and its deployment as ``flow/deployment``."""

    name: str
    deployment: str


def check_pipeline(recipe: Recipe, where: str) -> None:
    """Refuse a recipe that ends with its dataset.

    Raises:
        RecipeError: it has neither a [training] nor an [sft] section.
    """
    if recipe.training is None and recipe.sft is None:
        raise RecipeError(
            f"{where} has neither a [training] nor an [sft] section: `counterfoil run` makes its dataset, and no more "
            "is to be done"
        )


def list_stages(recipe: Recipe, where: str) -> list[PipelineStage]:
    """The stages that a recipe has sections for, in order.

    A language model comes after the encoder, which may be its tower; scores come last.
    """
    stages = [PipelineStage("make", f"counterfoil/make-{name_recipe(where)}")]
    if recipe.training is not None:
        stages.append(PipelineStage("train", "counterfoil train/train"))
    if recipe.sft is not None:
        stages.append(PipelineStage("sft", "counterfoil sft/sft"))
    if has_scores(recipe):
        stages.append(PipelineStage("evaluate", "counterfoil evaluate/evaluate"))
    return stages


@dataclass(frozen=True)
class Placed:
    """Where tonight's models go."""

    version: str
    """Of the dataset, as the folder is called."""
    models: dict[str, tuple[Path, Path]]
    """Section (training, sft) to its model and the folder of its scores."""
    overrides: list[str]
    """The same as keys of the recipe."""


def place_models(recipe: Recipe, where: str) -> Placed:
    """A folder for each section's run, under its own, by the versions of the tables that it reads.

    Where ``sft.vision`` is the encoder that the recipe trains, it is the one of the same version.
    """
    versions = Dataset(recipe.dataset.path).snapshot().versions
    version = name_version(versions["anchors"], versions["contrasts"])
    models: dict[str, tuple[Path, Path]] = {}
    sets: list[str] = []
    if recipe.training is not None:
        base = read_training(recipe, where)[1]
        folder = base / version
        models["training"] = folder / MODEL, folder / SCORES
        if recipe.sft is not None and Path(recipe.sft.vision) == base / MODEL:
            sets.append(f"sft.vision={json.dumps(str(folder / MODEL))}")
        sets.append(f"training.path={json.dumps(str(folder))}")
    if recipe.sft is not None:
        tuned, base = read_sft(recipe, where)
        folder = base / version
        models["sft"] = folder / tuned.stages[-1] / MODEL, folder / ANSWERS
        sets.append(f"sft.path={json.dumps(str(folder))}")
    return Placed(version, models, sets)


def name_version(anchors: int, contrasts: int) -> str:
    """The folder of a dataset's version: those of its tables.

    >>> name_version(3, 5)
    'anchors-3-contrasts-5'
    """
    return f"anchors-{anchors}-contrasts-{contrasts}"


def note_latest(recipe: Recipe, placed: Placed) -> dict[str, Any]:
    """Write ``latest.json`` beside the versions' folders, in one step: what a consumer of the newest model reads."""
    told: dict[str, Any] = {"dataset": recipe.dataset.path, "version": placed.version}
    for section, (model, scores) in placed.models.items():
        told[section] = {"model": str(model), "scores": str(scores) if scores.exists() else None}
    for _, scores in placed.models.values():
        latest = scores.parents[1] / LATEST
        part = latest.with_name(f".{LATEST}.part")
        part.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        part.replace(latest)
    return told
