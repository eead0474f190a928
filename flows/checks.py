"""What can be known before a run starts anything: keys, sources, and the places that it writes to."""

from __future__ import annotations

from flows.recipe import Recipe, check_sources
from storage.store import Store
from tasks.engine.process import find_work_folder
from tasks.llm import check_author


def check_before(recipe: Recipe) -> None:
    """Find what would stop the run later.

    Raises:
        tasks.llm.AuthorError: a key, a price or the response store cannot be had.
        tasks.contract.domain.SourceError: a source cannot be read.
        storage.errors.StorageError: the dataset's place cannot be written.
    """
    check_author(recipe.author)
    check_sources(recipe)
    Store(recipe.dataset.path).check_writable()
    if recipe.author.kind != "procedural":
        from tasks.llm.store.check import check_store

        check_store(recipe.author, find_work_folder(recipe.dataset.path))
