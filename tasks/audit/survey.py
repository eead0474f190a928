"""What is looked at before single rows: whether every file can be read, and what no single row can show.

Ids are read, file by file, so that a file that is gone or damaged is named and the others are looked at all the same.
The rows that are left are cut into chunks: a few anchors with all of their contrasts, so that what is read of an anchor
serves every row of it, and only the row groups that a chunk needs are read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from counterfoil.storage.errors import StorageError
from counterfoil.storage.logs import find_torn_logs
from counterfoil.storage.parquet import UNREADABLE, read_columns, read_form
from counterfoil.storage.publish import TableFile
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.schemas import TABLES, TableName
from counterfoil.storage.staged import split_key
from counterfoil.storage.staged_files import list_stored
from counterfoil.tasks.engine.refine import SPARE
from counterfoil.tasks.engine.registry import list_domains
from counterfoil.tasks.engine.rows import reason_code
from counterfoil.tasks.tells.refine import TELL

_SHORTFALL = re.compile(r"shortfall: (\d+) of \d+ missing")
_OLDER = "columns: "
ANCHORS_AT_ONCE = 8
"""Anchors of one chunk."""


@dataclass(frozen=True)
class Failure:
    """A row that does not hold, or a file that cannot be read (``row_id`` is its path), and why."""

    table: str
    row_id: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Rows:
    """Rows of one file that follow each other."""

    table: TableName
    file: TableFile
    first: int
    count: int


@dataclass
class Chunk:
    """Anchors of one domain and all of their contrasts, for one worker."""

    domain: str
    anchors: list[Rows] = field(default_factory=list)
    contrasts: list[Rows] = field(default_factory=list)

    @property
    def count(self) -> int:
        """The rows to check."""
        return sum(rows.count for rows in [*self.anchors, *self.contrasts])


@dataclass
class Survey:
    """What was found, and the chunks that are to be checked row by row."""

    failures: list[Failure] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    rejects: int = 0
    readable: list[TableName] = field(default_factory=list)
    """The tables whose logs are whole; the others' rows are left out."""
    unread: set[str] = field(default_factory=set)
    """The partitions some of whose files cannot be read, such as ``contrasts/family=geometry.rule``."""
    shut: set[str] = field(default_factory=set)
    """Paths of the files that cannot be read."""
    older: set[str] = field(default_factory=set)
    """Paths of files that lack a column, as an older version made them."""
    held: dict[str, dict[str, int]] = field(default_factory=dict)
    """Family to anchor to how many contrasts it has, those counted that refinement took out for what they tell."""
    missing: dict[str, dict[str, int]] = field(default_factory=dict)
    """Family to anchor to how many it is said to lack."""
    anchors: dict[str, list[str]] = field(default_factory=dict)
    """Domain to the ids of its anchors."""
    repeated: Counter[str] = field(default_factory=Counter)
    """Domain or family to how many of its rows stand twice."""


def survey(snapshot: Snapshot) -> Survey:
    """Look at all files and at what ties the rows of all tables together."""
    found = Survey()
    found.failures, snapshot = survey_logs(snapshot)
    found.readable = [name for name in TABLES if snapshot.versions[name] >= 0]
    chunk_of: dict[str, Chunk] = {}
    known = list_domains()
    lost = {*known} if "anchors" not in found.readable else set()
    for file, table in _read_files(snapshot, "anchors", ["anchor_id"], found):
        domain = split_key(file.key)[1]
        if table is None:
            lost.add(domain)
            continue
        ids = table["anchor_id"].to_pylist()
        found.anchors.setdefault(domain, []).extend(filter(None, ids))
        for first in range(0, len(ids), ANCHORS_AT_ONCE):
            some = ids[first : first + ANCHORS_AT_ONCE]
            chunk = Chunk(domain, [Rows("anchors", file, first, len(some))])
            for number, anchor_id in enumerate(some, first):
                if not anchor_id:
                    found.failures.append(_tell_nameless("anchors", file, number, "anchor_id"))
                    continue
                if anchor_id in chunk_of:
                    found.failures.append(Failure("anchors", anchor_id, ("duplicate_id: the id stands twice",)))
                    found.repeated[domain] += 1
                if domain not in known:
                    found.failures.append(Failure("anchors", anchor_id, (f"unknown_domain: {domain}",)))
                chunk_of[anchor_id] = chunk
            if domain in known:
                found.chunks.append(chunk)
    refined = _survey_rejects(snapshot, found)
    for family in snapshot.partitions("contrasts"):
        hidden = family.partition(".")[0] in lost
        found.failures += _survey_family(snapshot, family, chunk_of, refined.get(family, {}), hidden, found)
    return found


def survey_logs(snapshot: Snapshot) -> tuple[list[Failure], Snapshot]:
    """What is wrong with the tables' logs, and the tables that can be read: of the others the rows are unknown."""
    failures = {table: _survey_log(snapshot, table) for table in TABLES}
    versions: dict[str, int] = {table: -1 if failures[table] else snapshot.versions[table] for table in TABLES}
    return [each for some in failures.values() for each in some], Snapshot(snapshot.store, versions)


def _survey_log(snapshot: Snapshot, table: TableName) -> list[Failure]:
    if snapshot.versions[table] < 0:
        return [Failure(table, table, ("gone: the dataset has no such table",))]
    torn = find_torn_logs(snapshot.store, table)
    if torn:
        return [Failure(table, path, (f"damaged: {why}",)) for path, why in torn.items()]
    try:
        uncounted = [file.path for file in snapshot.files(table) if not isinstance(file.rows, int)]
        return [
            Failure(table, path, ("damaged: the table's log does not say how many rows it has",)) for path in uncounted
        ]
    except StorageError as error:
        return [Failure(table, f"{table}/_delta_log", (f"damaged: {error}",))]


def _survey_family(
    snapshot: Snapshot,
    family: str,
    chunk_of: Mapping[str, Chunk],
    refined: Mapping[str, Sequence[int]],
    hidden: bool,
    found: Survey,
) -> list[Failure]:
    """The family's rows go to their anchors' chunks. ``hidden``: some anchors of its domain cannot be read."""
    failures: list[Failure] = []
    ranks: dict[str, list[tuple[int, str]]] = {}
    seen: set[str] = set()
    columns = ["contrast_id", "anchor_id", "rank"]
    for file, table in _read_files(snapshot, "contrasts", columns, found, partition=family):
        if table is None:
            continue
        unread = 0
        for number, row in enumerate(table.to_pylist()):
            if lacks := [name for name in columns if row[name] in (None, "")]:
                failures.append(_tell_nameless("contrasts", file, number, ", ".join(lacks)))
                continue
            if row["contrast_id"] in seen:
                failures.append(Failure("contrasts", row["contrast_id"], (f"duplicate_id: stands twice in {family}",)))
                found.repeated[family] += 1
            seen.add(row["contrast_id"])
            ranks.setdefault(row["anchor_id"], []).append((row["rank"], row["contrast_id"]))
            chunk = chunk_of.get(row["anchor_id"])
            if chunk is not None:
                _add_row(chunk, file, number)
            elif hidden:
                unread += 1
            else:
                reason = f"no_anchor: {family} refers to anchor {row['anchor_id']}, which is not in the table"
                failures.append(Failure("contrasts", row["contrast_id"], (reason,)))
        if unread:
            reason = f"no_anchor: {unread} rows refer to anchors in files that cannot be read"
            failures.append(Failure("contrasts", file.path, (reason,)))
    held = found.held.setdefault(family, {})
    for anchor_id, rows in ranks.items():
        held[anchor_id] = held.get(anchor_id, 0) + len(rows)
    if f"contrasts/family={family}" in found.unread:
        return failures
    return failures + list_gaps(family, ranks, refined)


def _tell_nameless(table: str, file: TableFile, number: int, name: str) -> Failure:
    return Failure(table, f"{file.path}, row {number}", (f"no_value: the row has no {name}",))


def _add_row(chunk: Chunk, file: TableFile, number: int) -> None:
    last = chunk.contrasts[-1] if chunk.contrasts else None
    if last is not None and last.file is file and last.first + last.count == number:
        chunk.contrasts[-1] = Rows("contrasts", file, last.first, last.count + 1)
    else:
        chunk.contrasts.append(Rows("contrasts", file, number, 1))


def list_gaps(
    family: str, ranks: Mapping[str, Sequence[tuple[int, str]]], refined: Mapping[str, Sequence[int]]
) -> list[Failure]:
    """The rows whose rank does not follow on those before it, from 0; ``ranks`` are (rank, contrast id) by anchor.

    The ranks of what refinement took out count as there. Of an anchor all rows of a rank that stands twice are named,
    and of what follows on a gap the first.
    """
    failures = []
    for anchor_id, given in ranks.items():
        whole = sorted([*given, *((rank, "") for rank in refined.get(anchor_id, ()))])
        counts = Counter(rank for rank, _ in whole)
        odd = {row_id or anchor_id: f"rank {rank} stands twice" for rank, row_id in whole if counts[rank] > 1}
        for due, rank in enumerate(sorted(counts)):
            if rank != due:
                first = next(row_id for each, row_id in whole if each == rank)
                odd.setdefault(first or anchor_id, f"rank {due} is not there")
                break
        for row_id, why in odd.items():
            failures.append(Failure("contrasts", row_id, (f"ranks: of {family} of anchor {anchor_id} {why}",)))
    return failures


def _survey_rejects(snapshot: Snapshot, found: Survey) -> Mapping[str, Mapping[str, Sequence[int]]]:
    """The ranks that refinement took out of each anchor's contrasts, by family: they are among the rejects."""
    refined: dict[str, dict[str, list[int]]] = {}
    columns = ["source_id", "anchor_id", "rank", "reasons"]
    for file, table in _read_files(snapshot, "rejects", columns, found):
        family = split_key(file.key)[1]
        found.rejects += table.num_rows if table is not None else 0
        for number, row in enumerate(table.to_pylist() if table is not None else ()):
            if not row["reasons"] or not all(row["reasons"]):
                reason = f"no_reason: a reject of {family} has none, or one that says nothing"
                found.failures.append(Failure("rejects", f"{file.path}, row {number}", (reason,)))
                continue
            _note_reject(found, family, row, refined)
    return refined


def _note_reject(found: Survey, family: str, row: Mapping[str, Any], refined: dict[str, dict[str, list[int]]]) -> None:
    """What a reject says of the rows that its anchor has."""
    anchor_id = row["anchor_id"]
    if row["rank"] is not None and any(reason_code(reason) == TELL for reason in row["reasons"]):
        refined.setdefault(family, {}).setdefault(anchor_id, []).append(row["rank"])
        if SPARE not in row["reasons"]:
            held = found.held.setdefault(family, {})
            held[anchor_id] = held.get(anchor_id, 0) + 1
    for told in filter(None, map(_SHORTFALL.match, row["reasons"])):
        missing = found.missing.setdefault(family, {})
        missing[anchor_id] = missing.get(anchor_id, 0) + int(told[1])


def _read_files(
    snapshot: Snapshot, table: TableName, columns: list[str], found: Survey, partition: str | None = None
) -> Iterator[tuple[TableFile, pa.Table | None]]:
    """Each file with its columns; None, and a failure, where it cannot be read."""
    for file in snapshot.files(table, partition):
        rows, problem = _read_file(snapshot, table, file, columns)
        if problem:
            found.failures.append(Failure(table, file.path, (problem,)))
        if rows is None:
            found.unread.add(file.key)
            found.shut.add(file.path)
        if problem.startswith(_OLDER):
            found.older.add(file.path)
        yield file, rows


def _read_file(
    snapshot: Snapshot, table: TableName, file: TableFile, columns: list[str]
) -> tuple[pa.Table | None, str]:
    """Some columns of a file, and what is wrong with the whole of it."""
    stored = list_stored(table)
    try:
        held = read_form(snapshot.store, file.path)
        lacking = [name for name in stored.names if name not in held.names]
        if gone := [name for name in columns if name in lacking]:
            return None, f"{_OLDER}its {file.rows} rows have no {', '.join(gone)}, without which none can be told"
        if twice := [name for name in columns if held.names.count(name) > 1]:
            return None, f"columns: its {file.rows} rows have {', '.join(twice)} more than once, so none can be told"
        unknown = [name for name in held.names if name not in stored.names or held.names.count(name) > 1]
        others = [each for each in held if each.name not in unknown and each.type != stored.field(each.name).type]
        mistyped = ", ".join(f"{each.name} of type {str(each.type)[:60]}" for each in others)
        if not {each.name for each in others}.isdisjoint(columns):
            return None, f"types: its {file.rows} rows have {mistyped}, without which none can be told"
        rows = read_columns(snapshot.store, file.path, columns)
        rows.validate(full=True)
    except FileNotFoundError:
        return None, f"gone: its {file.rows} rows are in the table's log alone"
    except UNREADABLE as error:
        return None, f"damaged: {word_error(error)}"
    if rows.num_rows != file.rows:
        return rows, f"counts: it has {rows.num_rows} rows, and the table's log says {file.rows}"
    if mistyped:
        return rows, f"types: its {file.rows} rows have {mistyped}"
    if lacking:
        last = file.rows - 1
        return rows, f"{_OLDER}rows 0 to {last} have no {', '.join(lacking)}: an older version made them; run again"
    if unknown:
        return rows, f"unknown_columns: it has {', '.join(unknown)}, which no row of this version has, or not twice"
    return rows, ""


def word_error(error: BaseException) -> str:
    """An error of a library in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
