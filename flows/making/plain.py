"""Runs from a terminal: a recipe file resolved, and the night (`counterfoil.tasks.engine.night`); where a server is
configured each is shown there, by requests alone (`flows.making.runs`), and Prefect is not imported.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.flows.making.runs import begin_later
from counterfoil.flows.making.session import call_stages, open_flow
from counterfoil.flows.planning.hiding import hide_overrides
from counterfoil.flows.planning.limiting import limit_recipe
from counterfoil.flows.planning.recipe import load_recipe, recipe_of
from counterfoil.flows.showing.labels import list_tags
from counterfoil.flows.showing.observing import choose_observers
from counterfoil.tasks.engine import night
from counterfoil.tasks.engine.observing import Observer
from counterfoil.tasks.engine.publishing import RunSummary
from counterfoil.tasks.engine.registry import load_family


def make_recipe(
    recipe: str,
    overrides: Sequence[str] = (),
    limit: int | None = None,
    observer: Observer | None = None,
    *,
    served: bool = False,
) -> RunSummary:
    """Make the dataset of a recipe file; see `counterfoil.tasks.engine.night.make_dataset`.

    ``served`` shows it on the configured Prefect server.
    """
    checked = limit_recipe(load_recipe(recipe, overrides), limit)
    heard, name = observer or Observer(), f"make {recipe}"
    if not served:
        return night.make_dataset(checked, choose_observers(heard), name, limit)
    shown = {"recipe": recipe, "overrides": hide_overrides(overrides), "limit": limit}
    with (
        begin_later("counterfoil", name, shown, list_tags(checked, recipe)) as run,
        open_flow(run, checked, heard) as session,
    ):
        return night.make_all(session, limit, call_stages(run))


def make_again(
    family: str, dataset: str, overrides: Sequence[str], observer: Observer | None = None, *, served: bool = False
) -> RunSummary:
    """Make one family of a dataset again; see `counterfoil.tasks.engine.night.regenerate_family`."""
    domain = load_family(family)[0].name
    recipe = recipe_of(dataset, domain, overrides)
    heard, name = observer or Observer(), f"regenerate {family}"
    if not served:
        return night.regenerate_family(family, recipe, overrides, choose_observers(heard), name)
    shown = {"family": family, "dataset": dataset, "overrides": hide_overrides(overrides)}
    with (
        begin_later("counterfoil regenerate", name, shown, list_tags(recipe)) as run,
        open_flow(run, recipe, heard, [domain]) as session,
    ):
        return night.make_again(session, family, overrides, call_stages(run))
