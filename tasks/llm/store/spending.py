"""What a dataset's requests have cost so far, by the response store's own sums.

Rows share requests and requests are repaired, so sums over rows can only approximate this; the store counts each
answered request once, with the provider's own token numbers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from counterfoil.tasks.llm.errors import AuthorUnavailable
from counterfoil.tasks.llm.settings import AuthorSettings

if TYPE_CHECKING:
    from counterfoil.tasks.llm.store.store import ResponseStore
    from counterfoil.tasks.llm.store.tables import Spending
    from counterfoil.tasks.llm.yields import Yield

T = TypeVar("T")

STORE_NAME = "answers.sqlite"
STORE_KEY = "COUNTERFOIL_STORE"
"""The environment variable that names the response store where the recipe names none: with its password it does not
belong into a recipe, and every host of a cluster has its own way to it."""


def locate_store(settings: AuthorSettings, work: Path | str | None) -> str | None:
    """Where the responses are, or would be: the recipe's ``store``, else COUNTERFOIL_STORE, else a file in ``work``."""
    return settings.store or os.environ.get(STORE_KEY) or (str(Path(work) / STORE_NAME) if work is not None else None)


def require_store(settings: AuthorSettings, work: Path | str | None) -> str:
    """`locate_store`, where there must be one.

    Raises:
        AuthorUnavailable: nothing says where; what to do.
    """
    location = locate_store(settings, work)
    if location is None:
        raise AuthorUnavailable(
            "the author's answers need a place that lasts, which a dataset in an object store does not give them: on "
            "this machine's disk the next host would pay for them again. Set COUNTERFOIL_STORE, or [author] store, to "
            "a Postgres that all hosts reach (postgresql+psycopg://user@host/answers, its password in PGPASSWORD), or, "
            "where one machine does it all, to a file"
        )
    return location


def read_spending(settings: AuthorSettings, work: Path | str | None, scope: str) -> list[Spending]:
    """What ``scope`` has spent, by family, prompt and model; nothing where no store was opened yet.

    Raises:
        AuthorUnavailable: the store cannot be read.
    """
    return _read(settings, work, lambda store, connection: store.sum_spending(connection, scope))


def read_yields(settings: AuthorSettings, work: Path | str | None, scope: str) -> list[Yield]:
    """What came of the rows of ``scope`` that an author was asked about; nothing where no store was opened yet.

    Raises:
        AuthorUnavailable: the store cannot be read.
    """

    def read(_: ResponseStore, connection: Any) -> list[Yield]:
        from counterfoil.tasks.llm.store.yields import list_yields  # it imports SQLAlchemy

        return list_yields(connection, scope)

    return _read(settings, work, read)


def read_asked(
    settings: AuthorSettings, work: Path | str | None, sha256s: Sequence[str]
) -> list[tuple[str, str, str, str]]:
    """Of stored requests: their hash, prompt, canonical text and answer; those that are not stored are left out.

    Raises:
        AuthorUnavailable: the store cannot be read.
    """
    return _read(settings, work, lambda store, connection: store.list_asked(connection, sha256s))


def _read(settings: AuthorSettings, work: Path | str | None, read: Callable[[ResponseStore, Any], list[T]]) -> list[T]:
    location = locate_store(settings, work)
    if location is None or ("://" not in location and not Path(location).is_file()):
        return []
    from counterfoil.tasks.llm.store.store import ResponseStore

    store = ResponseStore(location)
    try:
        with store.begin() as connection:
            return read(store, connection)
    finally:
        store.close()
