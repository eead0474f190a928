"""Whether the response store can be used, found out in seconds."""

from __future__ import annotations

from pathlib import Path

from counterfoil.tasks.llm.settings import AuthorSettings
from counterfoil.tasks.llm.store.spending import require_store
from counterfoil.tasks.llm.store.store import ResponseStore

PATIENCE_S = 5.0
"""A run that writes holds the store for milliseconds; a process that hangs, or a backup, for as long as it likes."""


def check_store(settings: AuthorSettings, work: Path | None) -> None:
    """Open the store and write to it what leaves no trace.

    Raises:
        AuthorUnavailable: it cannot be opened or written, or another process holds it.
    """
    store = ResponseStore(require_store(settings, work), patience_s=PATIENCE_S)
    try:
        store.check_writable()
    finally:
        store.close()
