"""The whole pipeline as a Prefect flow.

Where the stages are offered as deployments, each is a run of its own, so that Prefect's Retry works on the one that
failed; else they are subflows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from prefect import flow

from counterfoil.flows.learning.flows import evaluate_models, train_model, tune_model
from counterfoil.flows.learning.pipeline import PipelineStage, check_pipeline, list_stages, run_stages
from counterfoil.flows.making.abandoned import end_abandoned
from counterfoil.flows.making.deployed import StageRunError, find_runs
from counterfoil.flows.making.make import make_dataset
from counterfoil.flows.planning.recipe import load_recipe
from counterfoil.flows.showing.labels import list_tags, tagged

SUBFLOWS: Mapping[str, Callable[..., object]] = {
    "make": make_dataset,
    "train": train_model,
    "sft": tune_model,
    "evaluate": evaluate_models,
}


@flow(name="counterfoil pipeline", flow_run_name="pipeline {recipe}", validate_parameters=False)
def run_pipeline(recipe: str, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """Make a recipe's dataset, train on it, tune a language model and score both, as far as the recipe has sections.

    Args:
        recipe: Recipe file (TOML) with a [training] or [sft] section, as the machine that runs it sees it.
        overrides: Recipe keys to override, each as section.key=value, such as training.steps=500.
    """
    end_abandoned()
    checked = load_recipe(recipe, overrides)
    check_pipeline(checked, recipe)
    with tagged(list_tags(checked, recipe)):
        runs = find_runs([stage.deployment for stage in list_stages(checked, recipe)])

        def run(stage: PipelineStage, sets: Sequence[str]) -> None:
            if runs is None:
                SUBFLOWS[stage.name](recipe, sets)
            elif not runs.run(stage.deployment, {"recipe": recipe, "overrides": [*sets]}, f"stage:{stage.name}"):
                raise StageRunError(runs.describe_failures())

        return run_stages(checked, recipe, overrides, run)
