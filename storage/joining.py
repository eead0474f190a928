"""Anchors beside their contrasts, a block of anchors at a time: the join that triplets need, with little memory.

A family's files follow the anchors' files, but nothing promises it. So the ids alone are read first: they tell which
anchors have contrasts enough, and which files hold those of one file of anchors. Rows and pictures are then read block
by block, only the row groups that a block needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterfoil.storage.errors import StorageError
from counterfoil.storage.publish import TableFile
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.rows import UNVOUCHED
from counterfoil.storage.schemas import SCHEMAS, TableName

if TYPE_CHECKING:
    import pyarrow.dataset as pads

BLOCK_ANCHORS = 64
"""Anchors that are read together, with all their contrasts: what bounds a reader's memory."""
_KIND = ("role", "modality")


@dataclass(frozen=True)
class Block:
    """Anchors of one file, by their row numbers in it."""

    file: int
    rows: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    def slice(self, start: int, stop: int) -> Block:
        """The anchors from ``start`` to before ``stop``."""
        return Block(self.file, self.rows[start:stop])


@dataclass(frozen=True)
class Joined:
    """One anchor's columns, and those of its contrasts by family and rank."""

    anchor: Mapping[str, Any]
    contrasts: Sequence[Mapping[str, Any]]

    def find(self, role: str, modality: str) -> list[Mapping[str, Any]]:
        """The contrasts of one role and modality."""
        return [row for row in self.contrasts if (row["role"], row["modality"]) == (role, modality)]


@dataclass
class Join:
    """The anchors that have contrasts of ``families``; each is read with those of them.

    ``splits`` keeps anchors of these splits alone, ``without`` passes contrasts of these grades over; `passed_over`
    counts them by grade. ``least`` is how many contrasts of a (role, modality) an anchor must have, ``pictured`` and
    ``captioned`` that it has a picture and a caption; with ``viewed`` an anchor of several views or captions needs
    no contrast.
    `left_out` counts by reason the anchors that have not what they must.

    Raises:
        StorageError: a family is not in the dataset, or a file cannot be read.
    """

    snapshot: Snapshot
    families: Sequence[str]
    splits: Sequence[str] | None = None
    least: Mapping[tuple[str, str], int] = field(default_factory=dict)
    pictured: bool = False
    captioned: bool = False
    without: Sequence[str] = UNVOUCHED
    viewed: bool = False
    passed_over: dict[str, int] = field(default_factory=dict, init=False)
    left_out: dict[str, int] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        there = self.snapshot.partitions("contrasts")
        for family in self.families:
            if family not in there:
                raise StorageError(f"{self.snapshot.store.url} has no family {family}: it has {', '.join(there)}")
        self.domains = sorted({family.partition(".")[0] for family in self.families})
        self.files = [file for domain in self.domains for file in self.snapshot.files("anchors", domain)]
        self.blocks: list[Block] = []
        self._linked: list[list[TableFile]] = [[] for _ in self.files]
        self._remembered: dict[str, tuple[pads.ParquetFileFragment, list[pa.Array]]] = {}
        self._index()

    def __len__(self) -> int:
        return sum(map(len, self.blocks))

    def read(self, block: Block, anchor_columns: Sequence[str], contrast_columns: Sequence[str]) -> Iterator[Joined]:
        """The block's anchors with these columns, in its order, each with its contrasts by family and rank."""
        anchors = self._read_anchors(block, anchor_columns)
        wanted = pa.array([row["anchor_id"] for row in anchors], pa.string())
        found: dict[str, list[dict[str, Any]]] = {row["anchor_id"]: [] for row in anchors}
        columns = list(dict.fromkeys(["anchor_id", "family", "rank", *_KIND, *contrast_columns]))
        linked = self._linked[block.file]
        self._remembered = {path: kept for path, kept in self._remembered.items() if path in {f.path for f in linked}}
        for file in linked:
            for row in self._read_contrasts(file, wanted, columns):
                found[row["anchor_id"]].append(row)
        for anchor in anchors:
            yield Joined(anchor, sorted(found[anchor["anchor_id"]], key=lambda row: (row["family"], row["rank"])))

    def _index(self) -> None:
        """Read the ids: which anchors are taken, and which files of contrasts go with which file of anchors."""
        numbers: dict[str, int] = {}
        file_of: list[int] = []
        usable: list[np.ndarray] = []
        content: list[np.ndarray] = []
        for number, file in enumerate(self.files):
            ids, fit, enough = self._judge_anchors(file)
            usable.append(fit)
            content.append(enough)
            for anchor_id in ids:
                numbers[anchor_id] = len(numbers)
            file_of += [number] * len(ids)
        owner = np.array(file_of, np.int32)
        counts: dict[tuple[str, str], np.ndarray] = {}
        for family in self.families:
            for file in self.snapshot.files("contrasts", family):
                self._link(file, numbers, owner, counts)
        self._choose(usable, content, counts)

    def _judge_anchors(self, file: TableFile) -> tuple[list[str], np.ndarray, np.ndarray]:
        """The ids of a file of anchors; which rows have the split, picture and caption that are asked; which need no
        contrast.
        """
        picture, caption = pc.field("image", "path").is_valid(), pc.field("caption").is_valid()
        columns = {"anchor_id": pc.field("anchor_id"), "split": pc.field("split"), "p": picture, "c": caption}
        if self.viewed:
            columns["views"] = pc.list_value_length(pc.field("views"))
            columns["captions"] = pc.list_value_length(pc.field("captions"))
        table = self._scan_whole("anchors", file, columns)
        fit = np.ones(table.num_rows, bool)
        asked = (
            ("of another split", self.splits is not None, pc.is_in(table["split"], pa.array(self.splits or [""]))),
            ("without a picture", self.pictured, table["p"]),
            ("without a caption", self.captioned, table["c"]),
        )
        for reason, applies, holds in asked:
            if applies:
                self._leave_out(reason, fit, np.asarray(holds))
        said = [np.asarray(pc.fill_null(table[name], 0)) > 1 for name in ("views", "captions") if self.viewed]
        return table["anchor_id"].to_pylist(), fit, np.any(said, axis=0) if said else np.zeros(len(fit), bool)

    def _leave_out(self, reason: str, fit: np.ndarray, holds: np.ndarray) -> None:
        missing = int(np.count_nonzero(fit & ~holds))
        if missing:
            self.left_out[reason] = self.left_out.get(reason, 0) + missing
        fit &= holds

    def _link(
        self,
        file: TableFile,
        numbers: Mapping[str, int],
        owner: np.ndarray,
        counts: dict[tuple[str, str], np.ndarray],
    ) -> None:
        table = self._scan_whole("contrasts", file, ["anchor_id", "grade", *_KIND])
        for grade in self.without:
            graded = int(pc.sum(pc.equal(table["grade"], grade)).as_py() or 0)
            if graded:
                self.passed_over[grade] = self.passed_over.get(grade, 0) + graded
        table = self._pass_over(table)
        summed = table.group_by(["anchor_id", *_KIND]).aggregate([([], "count_all")])
        met: set[int] = set()
        for row in summed.to_pylist():
            number = numbers.get(row["anchor_id"])
            if number is None:
                raise StorageError(f"{file.path} refers to anchor {row['anchor_id']}, which is not in the table")
            kind = (row["role"], row["modality"])
            counts.setdefault(kind, np.zeros(len(owner), np.int32))[number] += row["count_all"]
            met.add(int(owner[number]))
        for each in met:
            self._linked[each].append(file)

    def _pass_over(self, contrasts: pa.Table) -> pa.Table:
        """The contrasts without those of the grades that are not wanted; what has no grade stays."""
        if not self.without:
            return contrasts
        return contrasts.filter(pc.invert(pc.is_in(contrasts["grade"], pa.array(self.without, pa.string()))))

    def _choose(
        self, usable: Sequence[np.ndarray], content: Sequence[np.ndarray], counts: Mapping[tuple[str, str], np.ndarray]
    ) -> None:
        start = 0
        for number, (fit, enough) in enumerate(zip(usable, content, strict=True)):
            rows = slice(start, start + len(fit))
            start += len(fit)
            total = sum((each[rows] for each in counts.values()), np.zeros(len(fit), np.int32))
            self._leave_out("without a contrast", fit, enough | (total > 0))
            for kind, least in self.least.items():
                there = counts[kind][rows] if kind in counts else np.zeros(len(fit), np.int32)
                self._leave_out(f"with fewer than {least} {kind[0]} {kind[1]}s", fit, there >= least)
            chosen = np.flatnonzero(fit).astype(np.int32)
            self.blocks += [
                Block(number, chosen[at : at + BLOCK_ANCHORS]) for at in range(0, len(chosen), BLOCK_ANCHORS)
            ]

    def _read_anchors(self, block: Block, columns: Sequence[str]) -> list[dict[str, Any]]:
        fragment = self.snapshot.fragment("anchors", self.files[block.file])
        with self.snapshot.explain_absence("anchors"):
            fragment.ensure_complete_metadata()
        ends = np.cumsum([group.num_rows for group in fragment.row_groups])
        groups = np.unique(np.searchsorted(ends, block.rows, side="right"))
        first = np.concatenate([[0], ends])
        kept = np.concatenate([np.arange(first[each], ends[each]) for each in groups])
        places = np.searchsorted(kept, block.rows)
        names = list(dict.fromkeys(["anchor_id", *columns]))
        rows: list[dict[str, Any]] = self._scan(fragment, "anchors", groups, names).take(pa.array(places)).to_pylist()
        return rows

    def _read_contrasts(self, file: TableFile, wanted: pa.Array, columns: list[str]) -> list[dict[str, Any]]:
        fragment, ids = self._recall_ids(file)
        groups = [number for number, group in enumerate(ids) if pc.any(pc.is_in(group, wanted)).as_py()]
        if not groups:
            return []
        graded = ["grade"] if self.without and "grade" not in columns else []
        table = self._pass_over(self._scan(fragment, "contrasts", groups, [*columns, *graded])).select(columns)
        rows: list[dict[str, Any]] = table.filter(pc.is_in(table["anchor_id"], wanted)).to_pylist()
        return rows

    def _recall_ids(self, file: TableFile) -> tuple[pads.ParquetFileFragment, list[pa.Array]]:
        """The anchor ids of each row group; remembered while the same file of anchors is read."""
        if file.path not in self._remembered:
            fragment = self.snapshot.fragment("contrasts", file)
            with self.snapshot.explain_absence("contrasts"):
                fragment.ensure_complete_metadata()
            ids = [
                self._scan(fragment, "contrasts", [group.id], ["anchor_id"])["anchor_id"]
                for group in fragment.row_groups
            ]
            self._remembered[file.path] = (fragment, ids)
        return self._remembered[file.path]

    def _scan_whole(self, table: TableName, file: TableFile, columns: Any) -> pa.Table:
        fragment = self.snapshot.fragment(table, file)
        with self.snapshot.explain_absence(table):
            return fragment.to_table(schema=SCHEMAS[table], columns=columns, use_threads=False)

    def _scan(
        self, fragment: pads.ParquetFileFragment, table: TableName, groups: Iterable[int], columns: Sequence[str]
    ) -> pa.Table:
        part = fragment.subset(row_group_ids=[int(each) for each in groups])
        with self.snapshot.explain_absence(table):
            return part.to_table(schema=SCHEMAS[table], columns=list(columns), use_threads=False)
