"""The command that goes from a recipe's sources to models and their scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from counterfoil.flows.commands.making import Replace, Sets, gather_overrides
from counterfoil.flows.process.choosing import ByPrefect, choose_server
from counterfoil.flows.showing.terminal import AsJson, err, out, print_json, reported_errors


def pipeline(
    recipe: Annotated[Path, typer.Argument(help="Recipe file (TOML) with a [training] or [sft] section.")],
    sets: Sets = None,
    replace: Replace = False,
    prefect: ByPrefect = False,
    json: AsJson = False,
) -> None:
    """Make the dataset, train and tune on it, and score the models; each part goes on where it ended.

    Example: `counterfoil pipeline recipes/demo.toml`
    """
    with reported_errors():
        from counterfoil.flows.planning.checks import check_before
        from counterfoil.flows.planning.recipe import load_recipe
        from counterfoil.flows.process.signals import run_watched

        overrides = gather_overrides(sets, None, replace)
        check_before(load_recipe(recipe, overrides))
        with choose_server(prefect) as by_prefect:
            told = run_watched(lambda: _run(str(recipe), overrides, by_prefect))
        if json:
            print_json(told)
        else:
            _print_models(told)


def _run(recipe: str, sets: list[str], by_prefect: bool) -> dict[str, Any]:
    from counterfoil.flows.showing.progress import call_with_bars

    done: dict[str, Any]
    if by_prefect:
        from counterfoil.flows.nights.pipeline import run_pipeline
        from counterfoil.flows.planning.hiding import hide_overrides

        done = call_with_bars(err, lambda: run_pipeline(recipe, hide_overrides(sets)))
        return done
    from counterfoil.flows.learning.pipeline import walk_pipeline

    return call_with_bars(err, lambda: walk_pipeline(recipe, sets))


def _print_models(told: dict[str, Any]) -> None:
    lines = [f"dataset: {told['dataset']} ({told['version']})"]
    for section, name in (("training", "encoder"), ("sft", "language model")):
        for what, where in told.get(section, {}).items():
            lines += [f"{name}'s {what}: {where}"] if where is not None else []
    for line in lines:
        out.print(line, markup=False, highlight=False, soft_wrap=True)
