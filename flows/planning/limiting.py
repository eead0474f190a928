"""A run of a few rows has a dataset of its own: `run night.toml --limit 5` writes beside the whole one."""

from __future__ import annotations

from counterfoil.flows.planning.recipe import Recipe
from counterfoil.storage.identity import make_identity, share_identity
from counterfoil.storage.store import Store
from counterfoil.tasks.engine.process import find_answers_folder
from counterfoil.tasks.llm.store.spending import locate_store


def limit_path(path: str, limit: int) -> str:
    """Where the dataset of ``limit`` rows of each source goes.

    >>> limit_path("s3://bucket/night/", 5)
    's3://bucket/night-limit-5'
    """
    return f"{path.rstrip('/')}-limit-{limit}"


def limit_recipe(recipe: Recipe, limit: int | None) -> Recipe:
    """The recipe with a path of its own where a limit is given. What its author answers is kept, and counted as spent,
    where the whole run finds it: no answer is paid twice.

    Raises:
        StorageError: the identity that both share cannot be written.
    """
    if limit is None:
        return recipe
    whole = recipe.dataset.path
    path = limit_path(whole, limit)
    author = recipe.author
    if author.kind != "procedural":
        share_identity(Store(path), make_identity(Store(whole)))
        work = find_answers_folder(whole)
        if locate_store(author, None) is None and work is not None:
            author = author.model_copy(update={"store": locate_store(author, work)})
    dataset = recipe.dataset.model_copy(update={"path": path})
    return recipe.model_copy(update={"dataset": dataset, "author": author})
