"""A dataset's versions in the terminal: what was committed, what changed between two, what a vacuum took."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from counterfoil.storage.dataset import Dataset, Published, StorageError
from counterfoil.storage.schemas import TABLES, TableName

if TYPE_CHECKING:
    from counterfoil.storage.versions import Commit, Difference


def open_dataset(url: str) -> Dataset:
    """The dataset at a URL.

    Raises:
        StorageError: there is none.
    """
    dataset = Dataset(url)
    if not dataset.exists():
        raise StorageError(f"{url} holds no dataset: `counterfoil run RECIPE` makes one")
    return dataset


def check_table(name: str) -> TableName:
    """``name`` as a table's.

    Raises:
        StorageError: there is no such table.
    """
    if name not in TABLES:
        raise StorageError(f"there is no table '{name}': the tables are {', '.join(TABLES)}")
    return name


def list_commits(url: str, table: str | None, most: int) -> list[dict[str, Any]]:
    """The newest commits as plain data, each with whether its version can still be read."""
    dataset = open_dataset(url)
    wanted = {check_table(table)} if table is not None else set(TABLES)
    commits = [each for each in dataset.history() if each.table in wanted][:most]
    return [_describe_commit(each, dataset.is_readable(check_table(each.table), each.version)) for each in commits]


def _describe_commit(commit: Commit, readable: bool) -> dict[str, Any]:
    return asdict(commit) | {"readable": readable}


def print_commits(commits: list[dict[str, Any]], out: Console) -> None:
    """Print commits, newest first: the numbers are what `--from` and `--to` take."""
    table = Table("table", "version", "UTC", "step", "rows", "of", "", box=None, pad_edge=False)
    table.columns[2].no_wrap = True
    for each in commits:
        when = time.strftime("%F %T", time.gmtime(each["timestamp_ms"] / 1000))
        rows = f"+{each['rows_added']:,} -{each['rows_removed']:,}" if each["partitions"] else ""
        told = "" if each["readable"] else "vacuumed"
        table.add_row(
            each["table"], str(each["version"]), when, each["step"], rows, ", ".join(each["partitions"]), told
        )
    out.print(table)


def describe_restored(done: Published, before: Mapping[str, int]) -> dict[str, Any]:
    """What a restore did as plain data; ``before`` are the versions that it replaced."""
    return {"changed": done.changed, "versions": dict(done.versions), "before": dict(before)}


def print_restored(url: str, done: Published, before: Mapping[str, int], out: Console) -> None:
    """Print what readers see now, and the command that takes it back."""
    if not done.changed:
        out.print(f"{url} has these rows already: nothing changed", highlight=False, soft_wrap=True, markup=False)
        return
    rows = {table: sum(n for key, n in done.rows.items() if key.startswith(f"{table}/")) for table in TABLES}
    told = ", ".join(f"{table} {count:,}" for table, count in rows.items())
    undo = shlex.join(["counterfoil", "restore", url, str(before["contrasts"])])
    out.print(f"{url} has the rows of then: {told}", highlight=False, soft_wrap=True, markup=False)
    out.print(f"`{undo}` takes it back", highlight=False, soft_wrap=True, markup=False)


def describe_difference(found: Difference) -> dict[str, Any]:
    """A difference as plain data, with every id."""
    return asdict(found)


def print_differences(found: list[Difference], out: Console) -> None:
    """Print how many rows of each partition came, went, changed and stayed."""
    table = Table("", "added", "removed", "changed", "kept", box=None, pad_edge=False)
    table.columns[0].no_wrap = True
    for each in found:
        counts = (len(each.added), len(each.removed), len(each.changed), each.kept)
        table.add_row(each.partition, *(f"{count:,}" for count in counts))
    out.print(table)
    if all(each.is_empty for each in found):
        out.print("the same rows", highlight=False)
