"""What storage raises. Messages say what, where and what to do."""

from __future__ import annotations


class StorageError(Exception):
    """Data cannot be written, found or trusted: a full disk, a damaged file, rows that do not fit their table."""

    fatal = True
    """About the run and not about one row: the run stops, and what is finished is kept."""


class ConflictError(StorageError):
    """Another run publishes to, or has changed, what this run was about to publish. Nothing of ours is visible."""


def explain_vacuumed(url: str, table: str, version: int, partition: str) -> StorageError:
    """The error of a reader that finds a file of a table's version gone."""
    return StorageError(
        f"version {version} of {table} in {url} was vacuumed: files of {partition} are gone. "
        f"`counterfoil history {url}` lists the versions that can be read"
    )
