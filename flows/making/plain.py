"""Runs in this process, without Prefect: a recipe file resolved, and the night (`counterfoil.tasks.engine.night`)."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.flows.planning.limiting import limit_recipe
from counterfoil.flows.planning.recipe import load_recipe, recipe_of
from counterfoil.flows.showing.observing import choose_observers
from counterfoil.tasks.engine.night import make_dataset, regenerate_family
from counterfoil.tasks.engine.observing import Observer
from counterfoil.tasks.engine.publishing import RunSummary
from counterfoil.tasks.engine.registry import load_family


def make_recipe(
    recipe: str, overrides: Sequence[str] = (), limit: int | None = None, observer: Observer | None = None
) -> RunSummary:
    """Make the dataset of a recipe file; see `counterfoil.tasks.engine.night.make_dataset`."""
    checked = limit_recipe(load_recipe(recipe, overrides), limit)
    return make_dataset(checked, choose_observers(observer or Observer()), f"make {recipe}", limit)


def make_again(family: str, dataset: str, overrides: Sequence[str], observer: Observer | None = None) -> RunSummary:
    """Make one family of a dataset again; see `counterfoil.tasks.engine.night.regenerate_family`."""
    recipe = recipe_of(dataset, load_family(family)[0].name, overrides)
    heard = choose_observers(observer or Observer())
    return regenerate_family(family, recipe, overrides, heard, f"regenerate {family}")
