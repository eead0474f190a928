"""The recipes that come with the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterfoil.flows.planning.recipe import check_recipe, load_recipe
from counterfoil.tasks.engine.registry import DOMAIN_MODULES

RECIPES = sorted((Path(__file__).parents[3] / "recipes").glob("*.toml"))


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_a_recipe_is_sound_and_says_the_same_when_written_out(path: Path) -> None:
    recipe = load_recipe(path)
    again = check_recipe(recipe.dump(), str(path))
    assert again.dump() == recipe.dump()


def test_the_demo_makes_every_domain_with_material_of_its_own() -> None:
    recipe = load_recipe(next(path for path in RECIPES if path.name == "demo.toml"))
    assert {*recipe.domains, "composite"} == set(DOMAIN_MODULES)
