"""What can be known before a run starts anything: keys, sources, and the places that it writes to."""

from __future__ import annotations

from counterfoil.flows.planning.recipe import Recipe, RecipeError, check_sources
from counterfoil.storage.store import Store
from counterfoil.tasks.engine.process import find_answers_folder
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.llm import check_author
from counterfoil.tasks.llm.settings import KEYS


def list_authorless(recipe: Recipe) -> list[str]:
    """A line for each domain whose source a language model must draw or word, where the author is procedural."""
    if recipe.author.kind != "procedural":
        return []
    return [
        f"{name}.source = {section.source} is only words, which a language model must draw: set [author] kind "
        f"(openai, anthropic or vllm) and model, and its key in the environment ({', '.join(KEYS.values())})"
        for name, section in recipe.domains.items()
        if load_domain(name).find_source(section)[0].prompts
    ]


def check_before(recipe: Recipe) -> None:
    """Find what would stop the run later.

    Raises:
        counterfoil.tasks.llm.AuthorError: a key, a price or the response store cannot be had.
        counterfoil.tasks.contract.domain.SourceError: a source cannot be read.
        counterfoil.flows.planning.recipe.RecipeError: a source needs an author, and the recipe names none.
        counterfoil.storage.errors.StorageError: the dataset's place cannot be written.
    """
    check_author(recipe.author)
    for line in list_authorless(recipe):
        raise RecipeError(line)
    check_sources(recipe)
    Store(recipe.dataset.path).check_writable()
    if recipe.author.kind != "procedural":
        from counterfoil.tasks.llm.store.check import check_store

        check_store(recipe.author, find_answers_folder(recipe.dataset.path))
