"""What earlier runs left in a dataset's history: their recipes and how they went."""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from counterfoil.storage.dataset import Commit, Dataset, newest_first
from counterfoil.storage.errors import StorageError
from counterfoil.storage.schemas import TABLES

_log = logging.getLogger("counterfoil.history")


def find_run(dataset: Dataset, domain: str | None = None, tables: Sequence[str] = TABLES) -> Mapping[str, Any]:
    """The metadata of the newest commit whose recipe has a section for ``domain`` (or of any, for None).

    ``tables`` are those whose logs are read: any says it.

    Raises:
        StorageError: no run is in the dataset's history.
    """
    for metadata in list_runs(dataset, tables):
        recipe = metadata.get("recipe")
        if recipe and (domain is None or domain in recipe):
            return metadata
    what = f"no run that made {domain}" if domain else "no run"
    raise StorageError(f"{dataset.store.url} has {what} in its history: make it with `counterfoil run RECIPE`")


def find_last_run(dataset: Dataset) -> Mapping[str, Any]:
    """What the newest run said of itself; empty where none has published."""
    return next(list_runs(dataset), {})


def list_runs(dataset: Dataset, tables: Sequence[str] = TABLES) -> Iterator[Mapping[str, Any]]:
    """What the runs said of themselves that the rows of now come of, the newest first.

    Where an older version was restored, runs of after it count for nothing. A run says the same in every table, so one
    whose log is damaged is left out, with a warning, where another is whole.

    Raises:
        StorageError: the logs of all these tables are damaged.
    """
    until: int | None = None
    for commit in _list_commits(dataset, tables):
        if until is not None and commit.timestamp_ms > until:
            continue
        if "restored" in commit.metadata:
            until = commit.metadata["restored"]["until_ms"]
        elif commit.metadata:
            yield commit.metadata


def _list_commits(dataset: Dataset, tables: Sequence[str]) -> list[Commit]:
    commits: list[Commit] = []
    damaged: list[StorageError] = []
    for table in tables:
        try:
            commits += dataset.history([table])
        except StorageError as error:
            damaged.append(error)
    if damaged and not commits:
        raise damaged[0]
    for each in damaged:
        _log.warning("the history is read without a table: %s", each)
    return newest_first(commits)


@cache
def find_code_version() -> str:
    """The package's version and, in a git checkout, its commit: ``0.1.0+631e6f3``."""
    package = version("counterfoil")
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return package
    try:
        asked = subprocess.run(
            ["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return package  # no git here, or a checkout of somebody else's: the version alone is true
    return f"{package}+{asked.stdout.strip()}"
