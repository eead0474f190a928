"""A copy of one side of an overlap without the rows that are too near to the other: a dataset, or a file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import Anchor, Contrast, Reject, fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.engine.rows import reason_code
from counterfoil.tasks.mining.errors import MiningError
from counterfoil.tasks.mining.retrieval import read_other
from counterfoil.tasks.mining.sides import Side
from counterfoil.tasks.tells.refine import TELL

_ROWS = 1000
T = TypeVar("T")


def write_cleaned(side: Side, dropped: Collection[str], to: str, metadata: Mapping[str, Any]) -> int:
    """Write ``side`` without the rows of these ids to the new dataset (or file) ``to``.

    Of a dataset, an anchor goes with its contrasts, and with what was mined of it for others: that shows what it shows.
    Where the side is a family, its rows go and their anchors stay. The ranks of what stays are counted anew, so that
    `counterfoil verify` finds the copy whole.

    Args:
        metadata: what the run that made the dataset said of itself; the copy's history begins with it.

    Returns:
        How many rows (anchors, contrasts or lines) were left out, without those that go with an anchor.

    Raises:
        MiningError: ``to`` exists already.
        StorageError: it cannot be written.
    """
    if side.is_file():
        return _copy_file(Path(side.path), dropped, Path(to))
    source, target = Dataset(side.path).snapshot(), Dataset(to)
    if target.exists():
        raise MiningError(f"{to} holds a dataset already: name another place for the cleaned copy")
    staged = StagedShards(to)
    partitions: dict[str, list[str]] = defaultdict(list)
    left_out, kept, renumbered = 0, set[str](), {side.part}
    for domain in source.partitions("anchors"):
        for anchors in _cut(source.anchors(domain)):
            stay = [row for row in anchors if side.is_family() or row.anchor_id not in dropped]
            left_out += len(anchors) - len(stay)
            kept.update(row.anchor_id for row in stay)
            _stage(staged, partitions, f"anchors/domain={domain}", stay)
    for family in source.partitions("contrasts"):
        near = set(dropped) if side.part == family else set[str]()
        stays = (row for row in source.contrasts(family) if row.anchor_id in kept)
        mined = {row.contrast_id for row in stays if (read_other(row) or row.anchor_id) not in kept}
        if mined:
            renumbered.add(family)
        ranked = _Ranked((row for row in source.contrasts(family) if row.anchor_id in kept), near | mined)
        for contrasts in _cut(ranked):
            _stage(staged, partitions, f"contrasts/family={family}", contrasts)
        left_out += len(ranked.left_out & near)
    for family in source.partitions("rejects"):
        rows = (
            row
            for row in source.rejects(family)
            if (row.anchor_id is None or row.anchor_id in kept) and not (family in renumbered and _is_refined(row))
        )
        for rejects in _cut(rows):
            _stage(staged, partitions, f"rejects/family={family}", rejects)
    target.publish(partitions, metadata={**metadata, "cleaned": {"of": side.part, "left_out": left_out}})
    return left_out


def _cut(rows: Iterable[T]) -> Iterator[list[T]]:
    whole = iter(rows)
    while some := list(islice(whole, _ROWS)):
        yield some


def _is_refined(row: Reject) -> bool:
    """Whether a refinement took the row out of its anchor's ranks, which are counted anew now."""
    return any(reason_code(reason) == TELL for reason in row.reasons)


class _Ranked:
    """The contrasts that stay, each anchor's ranks from 0 on. Rows of an anchor stand together in their order."""

    def __init__(self, contrasts: Iterable[Contrast], dropped: Collection[str]) -> None:
        self.left_out: set[str] = set()
        self._contrasts, self._dropped = contrasts, dropped

    def __iter__(self) -> Iterator[Contrast]:
        ranks: dict[str, int] = defaultdict(int)
        for row in self._contrasts:
            if row.contrast_id in self._dropped:
                self.left_out.add(row.contrast_id)
                continue
            rank = ranks[row.anchor_id]
            ranks[row.anchor_id] += 1
            # Where nothing was left out the row stays as it was, also where a refinement left gaps in the ranks.
            yield row.accept(rank, row.checks, row.grade, row.witness, row.changes) if self._dropped else row


def _stage(
    staged: StagedShards,
    partitions: dict[str, list[str]],
    key: str,
    rows: Iterable[Anchor] | Iterable[Contrast] | Iterable[Reject],
) -> None:
    table = to_table(list(rows), key.partition("/")[0])  # type: ignore[arg-type]
    name = fingerprint("cleaned", key, len(partitions[key]), [str(each) for each in table[0].to_pylist()])
    staged.write(name, {key: table})
    partitions[key].append(name)


def _copy_file(source: Path, dropped: Collection[str], to: Path) -> int:
    if to.exists():
        raise MiningError(f"{to} exists already: name another place for the cleaned copy")
    with source.open(encoding="utf-8") as lines, to.open("w", encoding="utf-8") as out:
        for number, line in enumerate(lines, 1):
            if str(number) not in dropped:
                out.write(line)
    return len(dropped)
