"""What a dataset's requests have cost so far, by the response store's own sums.

Rows share requests and requests are repaired, so sums over rows can only approximate this; the store counts each
answered request once, with the provider's own token numbers.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tasks.llm.settings import AuthorSettings

if TYPE_CHECKING:
    from tasks.llm.store.tables import Spending

STORE_NAME = "answers.sqlite"


def locate_store(settings: AuthorSettings, work: Path | str | None) -> str | None:
    """Where the responses are, or would be: the recipe's ``store``, else a file in ``work``."""
    return settings.store or (str(Path(work) / STORE_NAME) if work is not None else None)


def read_spending(settings: AuthorSettings, work: Path | str | None, scope: str) -> list[Spending]:
    """What ``scope`` has spent, by family, prompt and model; nothing where no store was opened yet.

    Raises:
        AuthorUnavailable: the store cannot be read.
    """
    location = locate_store(settings, work)
    if location is None or ("://" not in location and not Path(location).is_file()):
        return []
    from tasks.llm.store.store import ResponseStore

    store = ResponseStore(location)
    try:
        with store.begin() as connection:
            return store.sum_spending(connection, scope)
    finally:
        store.close()
