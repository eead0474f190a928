"""The versions of a dataset: which can still be read, what changed between two, which a vacuum keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from counterfoil.storage.errors import StorageError, explain_vacuumed
from counterfoil.storage.schemas import ID_COLUMN, TABLES, TableName, digest_row
from counterfoil.storage.staged import split_key

if TYPE_CHECKING:
    from counterfoil.storage.publish import TableFile
    from counterfoil.storage.reading import Snapshot
    from counterfoil.storage.store import Store


@dataclass(frozen=True)
class Commit:
    """One version of one table. ``metadata`` is what the run said of itself: recipe, sandbox level, counts, host."""

    table: str
    version: int
    timestamp_ms: int
    step: str
    metadata: Mapping[str, Any]
    partitions: tuple[str, ...] = ()
    rows_added: int = 0
    rows_removed: int = 0
    publish_id: str | None = None
    """What the commits of one publish share."""
    root: str | None = None
    """What stands for all of its files (`counterfoil.storage.roots`); None of one that changed none, or of before."""


@dataclass(frozen=True)
class Difference:
    """What a domain's or family's rows are in one version and not in another, by id, sorted.

    ``changed`` rows keep their id, which is of what a reader sees, and differ in a column that does not enter it: in
    their checks or their provenance.
    """

    table: str
    partition: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    kept: int

    @property
    def is_empty(self) -> bool:
        """Whether both versions hold the same rows."""
        return not (self.added or self.removed or self.changed)


def diff_snapshots(
    before: Snapshot, after: Snapshot, table: TableName, partition: str | None = None
) -> list[Difference]:
    """The differences of one table, partition by partition; of one ``partition`` alone where it is given.

    Files that both versions hold are not read, so two versions a family apart cost what that family costs.

    Raises:
        StorageError: neither version has such a partition, or one was vacuumed.
    """
    there = sorted({*before.partitions(table), *after.partitions(table)})
    if partition is not None and partition not in there:
        raise StorageError(f"{table} has no {partition} in either version: it has {', '.join(there) or 'no rows'}")
    return [_diff_partition(before, after, table, each) for each in ([partition] if partition else there)]


def _diff_partition(before: Snapshot, after: Snapshot, table: TableName, partition: str) -> Difference:
    files = [{file.path: file for file in snapshot.files(table, partition)} for snapshot in (before, after)]
    shared = files[0].keys() & files[1].keys()
    old, new = (
        _hash_rows(snapshot, table, [file for path, file in each.items() if path not in shared])
        for snapshot, each in zip((before, after), files, strict=True)
    )
    same = old.keys() & new.keys()
    changed = sorted(row_id for row_id in same if old[row_id] != new[row_id])
    return Difference(
        table,
        partition,
        tuple(sorted(new.keys() - same)),
        tuple(sorted(old.keys() - same)),
        tuple(changed),
        sum(files[1][path].rows for path in shared) + len(same) - len(changed),
    )


def _hash_rows(snapshot: Snapshot, table: TableName, files: Sequence[TableFile]) -> dict[str, str]:
    """Row id to the digest of all of the row's columns."""
    rows: dict[str, str] = {}
    for batch in snapshot.scan_files(table, files):
        rows |= {str(row[ID_COLUMN[table]]): digest_row(row) for row in batch.to_pylist()}
    return rows


def check_present(store: Store, table: str, version: int, files: Iterable[TableFile]) -> None:
    """Refuse a version some of whose files a vacuum removed.

    Raises:
        StorageError: files of the version are gone.
    """
    partitions: dict[str, list[TableFile]] = {}
    for file in files:
        partitions.setdefault(file.key, []).append(file)
    for key, wanted in partitions.items():
        names = set(store.list_names(key))
        if any(file.path.rpartition("/")[2] not in names for file in wanted):
            raise explain_vacuumed(store.url, table, version, split_key(key)[1])


@dataclass(frozen=True)
class State:
    """The tables' versions as readers saw them after a commit, or after all commits of one publish."""

    versions: Mapping[str, int]
    until_ms: int
    """When the last of them was made."""


def list_states(commits: Iterable[Commit]) -> list[State]:
    """Every state that readers saw, the oldest first. What a publish was on the way to is none.

    >>> one = [Commit(table, 0, 5, "create", {}) for table in TABLES]
    >>> two = [Commit(table, 1, 10, "publish", {}, publish_id="a") for table in TABLES]
    >>> [state.versions for state in list_states([*one, *two])][-1]
    {'anchors': 1, 'contrasts': 1, 'rejects': 1}
    """
    groups: dict[str, list[Commit]] = {}
    for commit in sorted(commits, key=lambda commit: (commit.timestamp_ms, commit.version)):
        groups.setdefault(commit.publish_id or f"{commit.table} {commit.version}", []).append(commit)
    states: list[State] = []
    versions: dict[str, int] = {}
    for group in groups.values():
        for commit in group:
            versions[commit.table] = max(commit.version, versions.get(commit.table, -1))
        if len(versions) == len(TABLES):
            states.append(State(dict(versions), group[-1].timestamp_ms))
    return states


def find_state(url: str, commits: Iterable[Commit], table: TableName, version: int) -> State:
    """The last state in which ``table`` had ``version``.

    Raises:
        StorageError: readers never saw that version.
    """
    states = list_states(commits)
    found = [state for state in states if state.versions[table] == version]
    if not found:
        seen = sorted({state.versions[table] for state in states})
        raise StorageError(f"readers of {url} never saw version {version} of {table}: they saw {list_numbers(seen)}")
    return found[-1]


def list_numbers(numbers: Sequence[int]) -> str:
    """Numbers in order, those that follow each other as one span.

    >>> list_numbers([3, 4, 5, 9])
    '3-5, 9'
    """
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and number == spans[-1][-1] + 1:
            spans[-1] = [spans[-1][0], number]
        else:
            spans.append([number])
    return ", ".join("-".join(map(str, span)) for span in spans)


def list_kept(commits: Iterable[Commit], keep: int) -> dict[str, list[int]]:
    """Table to the versions that readers saw after each of the ``keep`` newest publishes.

    What one publish withdrew on the way and then replaced counts for nothing; a publish that left a table alone keeps
    the version that the table had.

    >>> old = [Commit(table, 1, 10, "publish", {}, publish_id="a") for table in ("anchors", "contrasts")]
    >>> new = [Commit("contrasts", version, 20 + version, "publish", {}, publish_id="b") for version in (2, 3)]
    >>> list_kept([*old, *new], 1)
    {'anchors': [1], 'contrasts': [3], 'rejects': []}
    >>> list_kept([*old, *new], 2)
    {'anchors': [1], 'contrasts': [1, 3], 'rejects': []}
    """
    publishes: dict[str, list[Commit]] = {}
    for commit in sorted(commits, key=lambda commit: (commit.timestamp_ms, commit.version)):
        if commit.publish_id is not None:
            publishes.setdefault(commit.publish_id, []).append(commit)
    state: dict[str, int] = {}
    states = []
    for each in publishes.values():
        for commit in each:
            state[commit.table] = max(commit.version, state.get(commit.table, -1))
        states.append(dict(state))
    return {table: sorted({seen[table] for seen in states[-keep:] if table in seen}) for table in TABLES}
