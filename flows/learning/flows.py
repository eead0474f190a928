"""Training, tuning, scoring and ablations as Prefect flows: the same functions, within a server's limits, with what
came of them as artifacts.

Where the stages of a tuning are offered as deployments, each is a run of its own deployment, so that Prefect's Retry
works on the one that failed; else it is a subflow. The text of a flow's arguments is what the form of its deployment
shows.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from prefect import flow, task
from prefect.artifacts import create_image_artifact, create_markdown_artifact, create_table_artifact

from counterfoil.flows.learning.ablation import Steps, ablate_recipe, list_cells, read_ablation
from counterfoil.flows.learning.evaluating import MARKDOWN
from counterfoil.flows.learning.scoring import evaluate_recipe
from counterfoil.flows.learning.sft import foresee, read_result, read_sft, run_one_stage
from counterfoil.flows.learning.training import list_scores, pack_recipe, train_packed
from counterfoil.flows.making.abandoned import end_abandoned
from counterfoil.flows.making.deployed import StageRunError, find_runs, resume_parent
from counterfoil.flows.making.limits import GPU, limited_by
from counterfoil.flows.making.make import make_dataset
from counterfoil.flows.planning.recipe import load_recipe
from counterfoil.flows.process.steps import find_progress
from counterfoil.flows.showing.labels import list_tags, make_key, tagged
from counterfoil.tasks.sft.settings import Stage


@flow(name="counterfoil train", flow_run_name="train {recipe}", validate_parameters=False)
def train_model(recipe: str, overrides: Sequence[str] = (), processes: int = 1, make: bool = False) -> dict[str, Any]:
    """Train a model on a recipe's dataset: pack, train, score on what was held out, and note it beside the dataset.

    Args:
        recipe: Recipe file (TOML) with a [training] section, as the machine that runs it sees it.
        overrides: Recipe keys to override, each as section.key=value, such as training.steps=500.
        processes: Processes of this machine, one for each GPU.
        make: Make the dataset first; what is finished of it is reused.
    """
    end_abandoned()
    if make:
        make_dataset(recipe, overrides)
    checked = load_recipe(recipe, overrides)
    with tagged(list_tags(checked, recipe)):
        pack_stage(recipe, overrides)
        with limited_by([GPU]):
            trained = train_stage(recipe, overrides, processes)
        show_trained(checked.dataset.path, trained)
    resume_parent()
    return trained


@task(name="pack")
def pack_stage(recipe: str, overrides: Sequence[str]) -> None:
    """Pack the shards."""
    pack_recipe(load_recipe(recipe, overrides), recipe, find_progress())


@task(name="train")
def train_stage(recipe: str, overrides: Sequence[str], processes: int) -> dict[str, Any]:
    """Train, and note the model beside the dataset."""
    return train_packed(recipe, overrides, processes)


def show_trained(dataset: str, trained: Mapping[str, Any]) -> None:
    """The curves and the scores as artifacts of the run."""
    drawn = base64.b64encode(Path(trained["curves"]).read_bytes()).decode()
    create_image_artifact(
        image_url=f"data:image/png;base64,{drawn}",
        key=make_key(dataset, "train", "curves"),
        description=f"{trained['model']}: loss, held-out accuracy among hard negatives, the gradient's shares",
    )
    create_table_artifact(
        table=list_scores(dict(trained)),
        key=make_key(dataset, "train", "scores"),
        description=f"{trained['model']}: held-out accuracy among hard negatives, before and after",
    )


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
    checked = load_recipe(recipe, overrides)
    with tagged(list_tags(checked, recipe)):
        with limited_by([GPU]):
            told = run_one_stage(stage, recipe, overrides)
        if "overlap" in told:
            show_overlap(checked.dataset.path, stage, told)
    resume_parent()
    return told


def show_overlap(dataset: str, stage: str, told: Mapping[str, Any]) -> None:
    """The table of shares as an artifact of the run."""
    rows = [
        {"test questions below": limit, "before": round(before, 4), "after": round(after, 4)}
        for limit, before, after in told["below"]
    ]
    key = make_key(dataset, f"sft-{stage}", "overlap")
    create_table_artifact(table=rows, key=key, description=told["overlap"][0])


@flow(name="counterfoil evaluate", flow_run_name="evaluate {recipe}", validate_parameters=False)
def evaluate_models(recipe: str, overrides: Sequence[str] = ()) -> dict[str, str]:
    """Score the models that a recipe has trained and tuned, by its [evaluation] section; score sheets lie beside them.

    Args:
        recipe: Recipe file (TOML) with a [training] or [sft] section, as the machine that runs it sees it.
        overrides: Recipe keys to override, each as section.key=value, such as evaluation.pixels=true.
    """
    end_abandoned()
    checked = load_recipe(recipe, overrides)
    with tagged(list_tags(checked, recipe)):
        with limited_by([GPU]):
            told = evaluate_recipe(recipe, overrides)
        for what, folder in told.items():
            page = (Path(folder) / MARKDOWN).read_text(encoding="utf-8")
            create_markdown_artifact(page, key=make_key(checked.dataset.path, "evaluate", what), description=folder)
    resume_parent()
    return told


@flow(name="counterfoil ablate", flow_run_name="ablate {recipe}", validate_parameters=False)
def ablate_towers(recipe: str, overrides: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Train towers on different negatives, put each into the same language model, ask all the same, and make the table.

    Args:
        recipe: Recipe file (TOML) with [training], [sft] and [ablation] sections, as the machine that runs it sees it.
        overrides: Recipe keys to override, each as section.key=value, such as sft.steps=500.
    """
    end_abandoned()
    checked = load_recipe(recipe, overrides)
    read_ablation(checked, recipe)
    with tagged(list_tags(checked, recipe)):
        rows = ablate_recipe(recipe, overrides, Steps(train_model, tune_stage, lambda: limited_by([GPU])))
        table = [{"table": row["table"], "tower": row["tower"], **list_cells(row)} for row in rows]
        key = make_key(checked.dataset.path, "ablate", "table")
        create_table_artifact(table=table, key=key, description="right answers in percent, 95 % intervals")
    return rows
