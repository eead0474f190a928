"""The anchors of all shards merged: each once, groups with an equal picture joined, one split for each group.

What is looked at of an anchor is its id, the hash of its picture, its group and its split, laid apart on disk where
there are many (`storage.spilling`): the driver's memory is that of one part and of what changes, whatever the number of
shards. Of a shard the footer and these columns are read, many shards at once; a shard that changes is read whole.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterfoil.storage.errors import StorageError
from counterfoil.storage.rows import fingerprint
from counterfoil.storage.schemas import ANCHORS, add_digests
from counterfoil.storage.spilling import SpilledRows, group_by_key
from counterfoil.storage.staged import WINDOW, StagedShard, StagedShards
from counterfoil.tasks.engine.groups import TIES, join_groups
from counterfoil.tasks.engine.shards import ShardResult
from counterfoil.tasks.engine.splits import settle_splits


@dataclass(frozen=True, slots=True)
class AnchorShard:
    """A finished shard of anchors with no anchor that an earlier shard has."""

    fingerprint: str
    made_by: str
    """Fingerprint of the job that made it; another one where anchors or groups were merged."""
    rows: int
    merged: int = 0


@dataclass(frozen=True)
class _Merge:
    """What changes: anchors are counted through all shards."""

    repeated: np.ndarray
    """The numbers of the anchors that an earlier shard has."""
    renamed: Mapping[str, str]
    """Group to the group that it joins."""
    settled: Mapping[str, str]
    """Group to its split, of the groups that had several."""
    changed: np.ndarray
    """The numbers of all anchors that go, or get another group or split."""


def merge_shards(staged: StagedShards, domain: str, results: Sequence[ShardResult]) -> Iterator[AnchorShard]:
    """Keep each anchor once, in the first shard that has it; join the groups of those with an equal picture, and give
    each group one split. Shards in which nothing changes are taken as they are.

    Raises:
        StorageError: a shard is gone.
    """
    key = f"anchors/domain={domain}"
    made = sorted(results, key=lambda each: each.index)
    starts = np.zeros(len(made) + 1, np.int64)
    with ExitStack() as stack:
        ids, pictures, groups = (stack.enter_context(SpilledRows()) for _ in range(3))
        for number, (tie, mark) in enumerate(_read_marks(staged, key, made)):
            start, rows = starts[number], tie.num_rows
            starts[number + 1] = start + rows
            numbers = pa.array(np.arange(start, start + rows))
            ids.add(pa.table({"anchor_id": tie["anchor_id"], "number": numbers}))
            shown = tie.select(["picture", "group"]).filter(pc.is_valid(tie["picture"]))
            pictures.add(shown)
            groups.add(pa.table({"group": tie["group"], "split": mark["split"], "number": numbers}))
        merge = _decide(ids, pictures, groups)
    touched = set((np.searchsorted(starts, merge.changed, side="right") - 1).tolist())
    for number, result in enumerate(made):
        start, rows = int(starts[number]), int(starts[number + 1] - starts[number])
        if number not in touched:
            yield AnchorShard(result.fingerprint, result.fingerprint, rows)
            continue
        gone = merge.repeated[(merge.repeated >= start) & (merge.repeated < start + rows)] - start
        yield _rewrite(staged, key, _find(staged, result.fingerprint), set(gone.tolist()), merge)


def _read_marks(staged: StagedShards, key: str, made: Sequence[ShardResult]) -> Iterator[tuple[pa.Table, pa.Table]]:
    """The ties of each shard, and its anchors' splits, in order."""

    def read(result: ShardResult) -> tuple[pa.Table, pa.Table]:
        shard = _find(staged, result.fingerprint)
        return shard.read(TIES), shard.pick(key, ["split"])

    rest = iter(made)
    while window := list(itertools.islice(rest, WINDOW)):
        yield from staged.store.map(read, window)


def _find(staged: StagedShards, key: str) -> StagedShard:
    shard = staged.peek(key)  # its job has just found or made it: files are not hashed again
    if shard is None:
        raise StorageError(f"the finished shard {key[:12]} is gone: run again to make it anew")
    return shard


def _decide(ids: SpilledRows, pictures: SpilledRows, groups: SpilledRows) -> _Merge:
    repeated = _gather(_find_repeated(part) for part in ids.parts())
    renamed = join_groups(pair for part in pictures.parts() for pair in _list_shared(part))
    touched = {*renamed, *renamed.values()}
    members = [pair for part in groups.parts() for pair in _list_unsettled(part, touched)]
    settled = settle_splits((renamed.get(group, group), split) for group, split in members)
    moved = _gather(_find_moved(part, renamed, settled) for part in groups.parts())
    return _Merge(repeated, renamed, settled, np.union1d(repeated, moved))


def _gather(numbers: Iterable[np.ndarray]) -> np.ndarray:
    return np.sort(np.concatenate([np.empty(0, np.int64), *numbers]))


def _find_repeated(part: pa.Table) -> np.ndarray:
    rows, again = group_by_key(part)
    numbers: np.ndarray = rows["number"].to_numpy()[again]
    return numbers


def _list_shared(part: pa.Table) -> Iterator[tuple[str, str]]:
    """(group, picture) of the pictures that several groups have."""
    distinct = part.group_by(["picture", "group"]).aggregate([])
    rows, again = group_by_key(distinct.select(["picture", "group"]))
    shared = rows.filter(pa.array(_mark_runs(again)))
    yield from zip(shared["group"].to_pylist(), shared["picture"].to_pylist(), strict=True)


def _list_unsettled(part: pa.Table, touched: set[str]) -> Iterator[tuple[str, str]]:
    """(group, split) of the groups that have several splits, and of those that are joined with others."""
    distinct = part.group_by(["group", "split"]).aggregate([])
    rows, again = group_by_key(distinct.select(["group", "split"]))
    wanted = _mark_runs(again) | _is_among(rows["group"], touched)
    some = rows.filter(pa.array(wanted))
    yield from zip(some["group"].to_pylist(), some["split"].to_pylist(), strict=True)


def _find_moved(part: pa.Table, renamed: Mapping[str, str], settled: Mapping[str, str]) -> np.ndarray:
    """The numbers of the anchors that get another group or split."""
    some = part.filter(pa.array(_is_among(part["group"], {*renamed, *settled})))
    moved = [
        number
        for group, split, number in zip(*(some[name].to_pylist() for name in ("group", "split", "number")), strict=True)
        if group in renamed or settled[group] != split
    ]
    return np.array(moved, np.int64)


def _mark_runs(again: np.ndarray) -> np.ndarray:
    """Whether a row's key is another row's too.

    >>> _mark_runs(np.array([False, True, False])).tolist()
    [True, True, False]
    """
    runs: np.ndarray = again | np.append(again[1:], False)
    return runs


def _is_among(column: pa.ChunkedArray, values: set[str]) -> np.ndarray:
    found: np.ndarray = pc.is_in(column, value_set=pa.array(sorted(values), pa.string())).to_numpy()
    return found


def _rewrite(staged: StagedShards, key: str, shard: StagedShard, gone: set[int], merge: _Merge) -> AnchorShard:
    """The shard without the anchors that go, with their groups and splits as they are now."""
    marks = shard.pick(key, ["group", "split"])
    fresh = [row not in gone for row in range(marks.num_rows)]
    named = [merge.renamed.get(group, group) for group in marks["group"].to_pylist()]
    splits = [merge.settled.get(group, split) for group, split in zip(named, marks["split"].to_pylist(), strict=True)]
    merged, kept = fingerprint("merged anchors", shard.fingerprint, fresh, named, splits), sum(fresh)
    if staged.find(merged) is None:
        table = shard.read(key)
        columns: list[tuple[str, list[Any]]] = [("group", named), ("split", splits)]
        for column, values in columns:
            table = table.set_column(table.schema.get_field_index(column), ANCHORS.field(column), [values])
        staged.write(merged, {key: add_digests(table.filter(fresh))}, {"merged": len(fresh) - kept})
    return AnchorShard(merged, shard.fingerprint, kept, len(fresh) - kept)
