"""What is looked at before single rows: whether every file can be read, and what no single row can show.

Ids are read, file by file, so that a file that is gone or damaged is named and the others are looked at all the same.
The rows that are left are cut into chunks: a few anchors with all of their contrasts, so that what is read of an anchor
serves every row of it, and only the row groups that a chunk needs are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from storage.errors import StorageError
from storage.logs import find_torn_logs
from storage.parquet import read_columns
from storage.publish import TableFile
from storage.reading import Snapshot
from storage.rows import Anchor
from storage.schemas import TABLES, TableName
from storage.staged import split_key
from tasks.engine.groups import hash_picture, name_group
from tasks.engine.registry import list_domains
from tasks.engine.rows import reason_code
from tasks.tells.refine import TELL

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


@dataclass(frozen=True)
class Tie:
    """What ties an anchor to others: its group and split, and the names that its facts and picture give it."""

    domain: str
    anchor_id: str
    group: str
    split: str
    said: str | None
    shown: str | None


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


def survey(snapshot: Snapshot) -> Survey:
    """Look at all files and at what ties the rows of all tables together."""
    found = Survey()
    for name in TABLES:
        broken = _survey_log(snapshot, name)
        found.failures += broken
        if not broken:
            found.readable.append(name)
    chunk_of: dict[str, Chunk] = {}
    known = list_domains()
    lost = {*known} if "anchors" not in found.readable else set()
    snapshot = _leave_out(snapshot, found.readable)
    for file, table in _read_files(snapshot, "anchors", ["anchor_id"], found.failures):
        domain = split_key(file.key)[1]
        if table is None:
            lost.add(domain)
            continue
        ids = table["anchor_id"].to_pylist()
        for first in range(0, len(ids), ANCHORS_AT_ONCE):
            some = ids[first : first + ANCHORS_AT_ONCE]
            chunk = Chunk(domain, [Rows("anchors", file, first, len(some))])
            for anchor_id in some:
                if anchor_id in chunk_of:
                    found.failures.append(Failure("anchors", anchor_id, ("duplicate_id: the id stands twice",)))
                if domain not in known:
                    found.failures.append(Failure("anchors", anchor_id, (f"unknown_domain: {domain}",)))
                chunk_of[anchor_id] = chunk
            if domain in known:
                found.chunks.append(chunk)
    refined = _survey_rejects(snapshot, found)
    for family in snapshot.partitions("contrasts"):
        hidden = family.partition(".")[0] in lost
        found.failures += _survey_family(snapshot, family, chunk_of, refined.get(family, {}), hidden)
    return found


def _survey_log(snapshot: Snapshot, table: TableName) -> list[Failure]:
    """What is wrong with a table's log: with one that cannot be read its rows are unknown."""
    torn = find_torn_logs(snapshot.store, table)
    if torn:
        return [Failure(table, path, (f"damaged: {why}",)) for path, why in torn.items()]
    try:
        snapshot.files(table)
    except StorageError as error:
        return [Failure(table, f"{table}/_delta_log", (f"damaged: {error}",))]
    return []


def _leave_out(snapshot: Snapshot, readable: Sequence[TableName]) -> Snapshot:
    return Snapshot(snapshot.store, {table: snapshot.versions[table] if table in readable else -1 for table in TABLES})


def _survey_family(
    snapshot: Snapshot,
    family: str,
    chunk_of: Mapping[str, Chunk],
    refined: Mapping[str, Sequence[int]],
    hidden: bool,
) -> list[Failure]:
    """The family's rows go to their anchors' chunks. ``hidden``: some anchors of its domain cannot be read."""
    failures: list[Failure] = []
    ranks: dict[str, list[int]] = {}
    seen: set[str] = set()
    whole = True
    for file, table in _read_files(
        snapshot, "contrasts", ["contrast_id", "anchor_id", "rank"], failures, partition=family
    ):
        if table is None:
            whole = False
            continue
        unread = 0
        for number, row in enumerate(table.to_pylist()):
            if row["contrast_id"] in seen:
                failures.append(Failure("contrasts", row["contrast_id"], (f"duplicate_id: stands twice in {family}",)))
            seen.add(row["contrast_id"])
            ranks.setdefault(row["anchor_id"], []).append(row["rank"])
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
    return failures + (list_gaps(family, ranks, refined) if whole else [])


def _add_row(chunk: Chunk, file: TableFile, number: int) -> None:
    last = chunk.contrasts[-1] if chunk.contrasts else None
    if last is not None and last.file is file and last.first + last.count == number:
        chunk.contrasts[-1] = Rows("contrasts", file, last.first, last.count + 1)
    else:
        chunk.contrasts.append(Rows("contrasts", file, number, 1))


def list_gaps(family: str, ranks: Mapping[str, Sequence[int]], refined: Mapping[str, Sequence[int]]) -> list[Failure]:
    """The anchors whose contrasts of a family are not ranked 0 upwards, those counted that refinement took out."""
    failures = []
    for anchor_id, given in ranks.items():
        whole = sorted([*given, *refined.get(anchor_id, ())])
        if whole != list(range(len(whole))):
            reason = f"ranks: those of {family} are {sorted(given)}, not 0 upwards"
            failures.append(Failure("contrasts", anchor_id, (reason,)))
    return failures


def _survey_rejects(snapshot: Snapshot, found: Survey) -> Mapping[str, Mapping[str, Sequence[int]]]:
    """The ranks that refinement took out of each anchor's contrasts, by family: they are among the rejects."""
    refined: dict[str, dict[str, list[int]]] = {}
    columns = ["source_id", "anchor_id", "rank", "reasons"]
    for file, table in _read_files(snapshot, "rejects", columns, found.failures):
        family = split_key(file.key)[1]
        found.rejects += table.num_rows if table is not None else 0
        for row in table.to_pylist() if table is not None else ():
            if not row["reasons"]:
                reason = f"no_reason: a reject of {family} has none"
                found.failures.append(Failure("rejects", row["source_id"] or "?", (reason,)))
            if row["rank"] is not None and any(reason_code(reason) == TELL for reason in row["reasons"]):
                refined.setdefault(family, {}).setdefault(row["anchor_id"], []).append(row["rank"])
    return refined


def _read_files(
    snapshot: Snapshot, table: TableName, columns: list[str], failures: list[Failure], partition: str | None = None
) -> Iterator[tuple[TableFile, pa.Table | None]]:
    """Each file with its columns; None, and a failure, where it cannot be read."""
    for file in snapshot.files(table, partition):
        try:
            found = read_columns(snapshot.store, file.path, columns)
        except FileNotFoundError:
            failures.append(Failure(table, file.path, (f"gone: its {file.rows} rows are in the table's log alone",)))
            yield file, None
        except (OSError, pa.ArrowException) as error:
            failures.append(Failure(table, file.path, (f"damaged: {word_error(error)}",)))
            yield file, None
        else:
            yield file, found


def word_error(error: BaseException) -> str:
    """An error of a library in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def tie_anchor(anchor: Anchor) -> Tie | None:
    """What ties an anchor to others; None in tables of before there were groups."""
    if anchor.group is None:
        return None
    said = name_group(anchor).group if anchor.facts else None
    return Tie(anchor.domain, anchor.anchor_id, anchor.group, anchor.split, said, hash_picture(anchor))


def find_torn(ties: Iterable[Tie]) -> Iterator[Failure]:
    """Anchors of a domain with an equal picture or equal facts share a group, and a group a split."""
    shown: dict[tuple[Any, ...], str] = {}
    splits: dict[tuple[str, str], str] = {}
    for tie in ties:
        split = splits.setdefault((tie.domain, tie.group), tie.split)
        if split != tie.split:
            reason = f"split: another anchor of its group is in {split}, this one in {tie.split}"
            yield Failure("anchors", tie.anchor_id, (reason,))
        for what, key in (("facts", tie.said), ("picture", tie.shown)):
            if key is not None and shown.setdefault((tie.domain, what, key), tie.group) != tie.group:
                reason = f"group: an anchor of another group has the same {what}"
                yield Failure("anchors", tie.anchor_id, (reason,))
