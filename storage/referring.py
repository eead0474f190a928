"""Whether rows refer to anchors that are there, each once: a join on disk (`storage.spilling`), not one set of ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterfoil.storage.errors import ConflictError, StorageError
from counterfoil.storage.packing import Placed
from counterfoil.storage.parquet import read_columns
from counterfoil.storage.publish import TableFile, domain_of
from counterfoil.storage.spilling import SpilledRows
from counterfoil.storage.staged import WINDOW, StagedShards
from counterfoil.storage.staged_files import DamagedError, pick_columns

ANCHORS = 0
"""The number that marks an id as an anchor's own; others are of what refers to anchors."""


@dataclass
class Problem:
    """How many ids are wrong, and the least of them."""

    count: int = 0
    example: str = ""

    def add(self, ids: pa.Array | pa.ChunkedArray) -> None:
        """Further ids that are wrong."""
        if len(ids):
            least = str(pc.min(ids).as_py())
            self.example = least if not self.count else min(self.example, least)
            self.count += len(ids)


def count_problems(parts: Iterable[pa.Table], referring: int) -> list[Problem]:
    """Of parts of rows (anchor_id, of): the anchors that are there twice, and for each number of what refers to them
    (1 and on) the ids of no anchor.

    >>> rows = pa.table({"anchor_id": ["a", "b", "b", "c", "c"], "of": [0, 0, 0, 1, 1]})
    >>> count_problems([rows], 2)
    [Problem(count=1, example='b'), Problem(count=1, example='c'), Problem(count=0, example='')]
    """
    problems = [Problem() for _ in range(referring + 1)]
    for part in parts:
        kinds = part["of"].to_numpy()
        own = part["anchor_id"].filter(pa.array(kinds == ANCHORS))
        counts = own.value_counts()
        problems[ANCHORS].add(counts.field("values").filter(pc.greater(counts.field("counts"), 1)))
        known = pc.is_in(part["anchor_id"], value_set=own).to_numpy()
        for number in np.unique(kinds[~known]).tolist():
            lost = part["anchor_id"].filter(pa.array(~known & (kinds == number)))
            problems[number].add(pc.unique(lost))
    return problems


def check_rows(
    staged: StagedShards, current: Mapping[str, Sequence[TableFile]], want: Mapping[str, Sequence[Placed]]
) -> None:
    """Refuse anchors that would be there twice, and contrasts of anchors that will not be there.

    Ids alone are read, of packs where they lie already, and none where nothing comes or goes: what is there passed this
    check as it came.

    Raises:
        StorageError: an anchor is there twice, or a file is gone.
        ConflictError: contrasts refer to anchors that are not there (any more).
    """
    for domain in sorted({domain_of(key) for key in want if not key.startswith("rejects/")}):
        _check_domain(staged, domain, current, {key: each for key, each in want.items() if domain_of(key) == domain})


def _check_domain(
    staged: StagedShards,
    domain: str,
    current: Mapping[str, Sequence[TableFile]],
    want: Mapping[str, Sequence[Placed]],
) -> None:
    key = f"anchors/domain={domain}"
    there = [file for file in current["anchors"] if file.key == key]
    kept: Sequence[Placed | TableFile] = want.get(key, there)
    before, after = name_parts(staged, there), name_parts(staged, kept)
    families = {
        each: files if before - after else _select_new(staged, each, files, current["contrasts"])
        for each, files in want.items()
        if each.startswith("contrasts/")
    }
    referring = {each: files for each, files in families.items() if files}
    if after <= before and not referring:
        return
    with SpilledRows() as ids:
        for number, files in enumerate([kept, *referring.values()]):
            for found in _read_each(staged, files):
                ids.add(pa.table({"anchor_id": found, "of": pa.array([number] * len(found), pa.int32())}))
        problems = count_problems(ids.parts(), len(referring))
    if problems[0].count:
        twice = problems[0]
        raise StorageError(
            f"anchor {twice.example} and {twice.count - 1} others are in {key} twice: keep each anchor once"
        )
    for each, absent in zip(referring, problems[1:], strict=True):
        if absent.count:
            raise ConflictError(
                f"{absent.count} anchors that {each} refers to (such as {absent.example}) are not in "
                f"{staged.store.url}: another run replaced them since this one began. Run it again"
            )


def _select_new(
    staged: StagedShards, key: str, files: Sequence[Placed], current: Sequence[TableFile]
) -> Sequence[Placed]:
    """Those of a partition's files that hold rows which are not there yet."""
    there = name_parts(staged, [file for file in current if file.key == key])
    return [placed for placed in files if not placed.names <= there]


def name_parts(staged: StagedShards, files: Iterable[Placed | TableFile]) -> set[str]:
    """What the staged files are called that make up these files, and the packs: one that is damaged is known by its
    name alone."""
    names: set[str] = set()
    for file in files:
        names.add(file.path.rpartition("/")[2].removesuffix(".parquet"))
        names.update(file.names if isinstance(file, Placed) else staged.list_parts(file.path))
    return names


def _read_each(staged: StagedShards, files: Sequence[Placed | TableFile]) -> Iterator[pa.Array]:
    """The ids of each file, many files at once."""
    for start in range(0, len(files), WINDOW):
        yield from staged.store.map(lambda file: _read_ids(staged, file), files[start : start + WINDOW])


def _read_ids(staged: StagedShards, file: Placed | TableFile) -> pa.Array:
    """The distinct anchor ids of a contrasts file, or all ids of an anchors file."""
    try:
        if isinstance(file, TableFile):
            found = read_columns(staged.store, file.path, ["anchor_id"], file.size)
        elif file.is_pack:
            pack = staged.packs.get(file.path)
            found = read_columns(staged.store, file.path, ["anchor_id"], None if pack is None else pack.size)
        else:
            found = pick_columns(staged.packs, file.parts[0], ["anchor_id"], file.parts[0].size)
    except (FileNotFoundError, DamagedError) as error:
        raise StorageError(f"{file.path} is gone from {staged.store.url}: run again to make it anew") from error
    column = found["anchor_id"].combine_chunks()
    return column if file.path.startswith("anchors/") else pc.unique(column)
