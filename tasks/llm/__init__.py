"""Language-model authors: providers, structured answers, the response store, limits, budgets and batches.

`open_author` gives an `Author`; makers call `Author.ask`. SDKs are imported when an author is opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil.tasks.llm.errors import AnswerRejected, AuthorError, AuthorUnavailable, BudgetExceeded

if TYPE_CHECKING:
    from counterfoil.tasks.llm.author import Author
    from counterfoil.tasks.llm.settings import AuthorSettings

__all__ = [
    "AnswerRejected",
    "AuthorError",
    "AuthorUnavailable",
    "BudgetExceeded",
    "check_author",
    "list_unpriced",
    "open_author",
]


def check_author(settings: AuthorSettings) -> None:
    """As `counterfoil.tasks.llm.author.check_author`; an author that is procedural needs no import."""
    if settings.kind == "procedural" and settings.look is None:
        return
    from counterfoil.tasks.llm import author

    author.check_author(settings)


def list_unpriced(settings: AuthorSettings) -> list[str]:
    """As `counterfoil.tasks.llm.author.list_unpriced`; an author that is procedural needs no import."""
    if settings.kind == "procedural" and settings.look is None:
        return []
    from counterfoil.tasks.llm import author

    return author.list_unpriced(settings)


def open_author(
    settings: AuthorSettings | Mapping[str, Any],
    *,
    work: Path | str | None = None,
    workers: int = 1,
    scope: str = "",
    apart: bool = False,
) -> Author | None:
    """As `counterfoil.tasks.llm.author.open_author`, which is imported when called (SQLAlchemy is slow to import)."""
    from counterfoil.tasks.llm import author

    return author.open_author(settings, work=work, workers=workers, scope=scope, apart=apart)
