"""The contrasts that others made without those that are true, in the format that they came in.

What goes and why stands in a file of findings beside them. Nothing is written over: the copy is made under another name
and takes its own when it is whole.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from counterfoil.storage.rows import content_id
from counterfoil.tasks.foreign.check import check_foreign, read_findings
from counterfoil.tasks.foreign.columns import OWN, Layout, list_items
from counterfoil.tasks.foreign.errors import ForeignError
from counterfoil.tasks.foreign.files import Row, find_delimiter, find_kind, read_rows
from counterfoil.tasks.foreign.groups import Reading
from counterfoil.tasks.tells.blocks import deal_folds
from counterfoil.tasks.tells.compare import CAPTION, CAPTIONS, CONTRAST, FEWEST_BLOCKS, Comparison, Shown, compare_all
from counterfoil.tasks.tells.judges import judge_ngrams, judge_numbers
from counterfoil.tasks.tells.refine import Side, choose_dropped
from counterfoil.tasks.tells.wording import list_ngrams, measure_text

STANDING, WHY = f"{OWN}standing", f"{OWN}why"
"""The columns that are added: of each negative that is left, in the columns' order."""
_TEXTS = pa.list_(pa.string())
_BATCH = 1024
_SEED = 0
_DIVISIONS = ((2, 1), (2, 2), (2, 3), (5, 4))
"""Into how many parts anchors are divided, and by which seed: half learns for half, and four fifths for a fifth."""
Cell = tuple[str, int, str, int | None]


@dataclass(frozen=True)
class Cleaned:
    """What became of the negatives of a file or folder."""

    to: Path
    findings: Path
    rows: int
    """Rows that were written."""
    rows_gone: int
    """Rows of which no negative was left."""
    negatives: int
    true: int
    """Negatives that went because they are true."""
    telling: int
    """Negatives that went because judges of one side tell them."""


def clean_foreign(
    reading: Reading,
    to: Path,
    domain: str = "",
    *,
    refine: bool = False,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Cleaned:
    """Write the rows again without the negatives that are true, with what was found of each of the others.

    ``refine`` also drops those that give most away, until judges that learn from half of the anchors and are tried on
    the other half, and back, are right no more often than wrong: it holds all texts in memory. What is found is kept in
    ``TO.findings.jsonl``; the same call goes on with it after an interruption.

    Raises:
        ForeignError: ``to`` exists, or the contrasts cannot be read.
    """
    if to.exists():
        raise ForeignError(f"{to} exists, and nothing is written over: name another")
    if to.resolve() == reading.target.resolve():
        raise ForeignError(f"{to} is what is read: name another")
    source = reading.target
    if source.is_file() and (find_kind(to), to.suffix == ".gz") != (find_kind(source), source.suffix == ".gz"):
        raise ForeignError(f"{to}: rows are written in the format that they came in: name a file like {source.name}")
    to.parent.mkdir(parents=True, exist_ok=True)
    kept = to.with_name(f"{to.name}.findings.jsonl")
    negatives = 0
    gone: dict[Cell, str] = {}
    for each in check_foreign(reading, domain, keep=kept, progress=progress):
        negatives += 1
        if each.standing == "true":
            gone[each.where] = each.why
    true = len(gone)
    if refine:
        gone |= _find_telling(reading, gone)
    part = to.with_name(f"{to.name}.part")
    shutil.rmtree(part, ignore_errors=True) if part.is_dir() else part.unlink(missing_ok=True)
    rows = rows_gone = 0
    of_rows = groupby(read_findings(kept), key=lambda each: (each.file, each.row))
    following = next(of_rows, None)
    for path in reading.files:
        name = reading.name_file(path)
        target = part if path == reading.target else part / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with _open_writer(path, target) as write:
            for row in read_rows(path):
                if not isinstance(row, Row):
                    continue
                said: dict[Cell, tuple[str, str]] = {}
                if following is not None and following[0] == (name, row.number):
                    said = {each.where: (each.standing, each.why) for each in following[1]}
                    following = next(of_rows, None)
                left = _clean_row(row, name, reading.layouts[path], said, gone)
                rows, rows_gone = rows + (left is not None), rows_gone + (left is None)
                if left is not None:
                    write(replace(row, cells=left))
    _copy_state(reading.target, part)
    part.replace(to)
    return Cleaned(to, kept, rows, rows_gone, negatives, true, len(gone) - true)


def _clean_row(
    row: Row, file: str, layout: Layout, said: Mapping[Cell, tuple[str, str]], gone: Mapping[Cell, str]
) -> dict[str, Any] | None:
    """The row's cells without the negatives that go, and what is known of the others; None where none is left."""
    cells = dict(row.cells)
    columns = [name for part in ("negative", "options", "positive") for name in layout.columns.get(part, ())]
    own = {name: [place for place, _ in list_items(cells.get(name))] for name in columns}
    where = {(name, place): (file, row.number, name, place) for name in columns for place in own[name]}
    leaving = {key for key, cell in where.items() if cell in gone}
    staying = [said[cell] for key, cell in where.items() if cell in said and key not in leaving]
    if leaving and not staying and not any(cells.get(name) for name in layout.columns.get("negative_picture", ())):
        return None
    for name in columns:
        places = {place for each, place in leaving if each == name}
        if None in places:
            cells[name] = None
        elif places:
            _drop_items(cells, name, places)
            if name in layout.columns.get("positive", ()):
                for label in layout.columns.get("label", ()):
                    _drop_items(cells, label, places)
    _close_ranks(cells, layout.columns.get("negative", ()))
    cells[STANDING], cells[WHY] = [each for each, _ in staying], [each for _, each in staying]
    return cells


def _drop_items(cells: dict[str, Any], name: str, places: set[int | None]) -> None:
    left = [item for place, item in list_items(cells[name]) if place not in places]
    cells[name] = repr(left) if isinstance(cells[name], str) else left


def _close_ranks(cells: dict[str, Any], names: Sequence[str]) -> None:
    """Of ``negative_1`` to ``negative_n`` the empty ones last."""
    values = [cells.get(name) for name in names]
    for name, value in zip(names, sorted(values, key=lambda each: each is None), strict=True):
        cells[name] = value


@contextmanager
def _open_writer(source: Path, target: Path) -> Iterator[Callable[[Row], None]]:
    """Writes rows in the format of ``source``."""
    kind = find_kind(source)
    if kind in ("parquet", "arrow"):
        with _open_arrow(source, target) as write:
            yield write
    elif kind in ("csv", "tsv"):
        with _open_text(source, target) as file:
            yield _write_table(csv.writer(file, delimiter=find_delimiter(source)))
    elif kind == "json":
        rows: list[Row] = []
        yield rows.append
        keyed = any(row.key is not None for row in rows)
        whole: Any = {row.key: row.cells for row in rows} if keyed else [row.cells for row in rows]
        with _open_text(source, target) as file:
            json.dump(whole, file, ensure_ascii=False, indent=1)
    else:
        with _open_text(source, target) as file:
            yield lambda row: print(json.dumps(row.cells, ensure_ascii=False), file=file)


@contextmanager
def _open_text(source: Path, target: Path) -> Iterator[IO[str]]:
    """Packed where the source is."""
    with target.open("wb") as raw, ExitStack() as stack:
        packed = source.suffix.lower() == ".gz"
        # No name and no time: the same rows are the same bytes.
        binary = stack.enter_context(gzip.GzipFile("", "wb", fileobj=raw, mtime=0)) if packed else raw
        yield stack.enter_context(io.TextIOWrapper(binary, encoding="utf-8", newline=""))


def _write_table(writer: Any) -> Callable[[Row], None]:
    named: list[str] = []

    def write(row: Row) -> None:
        if not named:
            named.extend(row.cells)
            writer.writerow(named)
        cells = [row.cells[name] for name in named]
        writer.writerow(["" if each is None else repr(each) if isinstance(each, list) else each for each in cells])

    return write


@contextmanager
def _open_arrow(source: Path, target: Path) -> Iterator[Callable[[Row], None]]:
    schema = _read_schema(source).append(pa.field(STANDING, _TEXTS)).append(pa.field(WHY, _TEXTS))
    # What `datasets` notes of the columns would no longer be so.
    schema = schema.with_metadata({k: v for k, v in (schema.metadata or {}).items() if k != b"huggingface"})
    held: list[dict[str, Any]] = []
    parquet = find_kind(source) == "parquet"
    with pa.parquet.ParquetWriter(target, schema) if parquet else pa.ipc.new_stream(str(target), schema) as writer:

        def flush() -> None:
            if held:
                writer.write_table(pa.Table.from_pylist(held, schema))
                held.clear()

        def write(row: Row) -> None:
            held.append(row.cells)
            if len(held) == _BATCH:
                flush()

        yield write
        flush()


def _read_schema(path: Path) -> pa.Schema:
    if find_kind(path) == "parquet":
        return pa.parquet.read_schema(path)
    with pa.memory_map(str(path)) as source:
        try:
            return pa.ipc.open_stream(source).schema
        except pa.ArrowInvalid:
            return pa.ipc.open_file(source).schema


def _copy_state(source: Path, target: Path) -> None:
    """What `datasets` needs to open a folder of its own, but the columns that were."""
    if not source.is_dir():
        return
    for path in source.rglob("*.json"):
        if path.name in ("state.json", "dataset_dict.json"):
            shutil.copy(path, target / path.relative_to(source))
        elif path.name == "dataset_info.json":
            (target / path.relative_to(source)).write_text("{}")


def _find_telling(reading: Reading, gone: Mapping[Cell, str]) -> dict[Cell, str]:
    """The negatives that judges of texts alone tell from their anchors, and why each goes."""
    shown: list[Shown] = []
    cells: dict[str, Cell] = {}
    keys: dict[str, list[str]] = {}
    said: dict[str, set[str]] = {}
    ranks: Counter[str] = Counter()
    for group in reading.read():
        name = content_id("foreign", group.anchor)
        if name not in keys:
            shown.append(Shown(name, name, CAPTION, text=group.anchor))
        keys.setdefault(name, []).append(group.sharing)
        # An audit judges beside the anchor alone and beside all that is true of it.
        for text in dict.fromkeys((group.anchor, *group.positives)):
            if text not in said.setdefault(name, set()):
                said[name].add(text)
                shown.append(Shown(name, name, CAPTIONS, text=text))
        for negative in group.negatives:
            cell = (reading.name_file(group.row.file), group.row.number, negative.column, negative.place)
            if cell not in gone:
                row = content_id("cell", *cell)
                cells[row] = cell
                shown.append(Shown(name, row, CONTRAST, ranks[name], text=negative.text))
                ranks[name] += 1
    compared = [each for each in compare_all(shown, keys, _SEED) if _has_blocks(each)]
    # What one division of the anchors hides another shows.
    sides = [_open_side(each, *parts) for each in compared for parts in _DIVISIONS]
    return {cells[row]: why for row, why in choose_dropped(sides).items()}


def _has_blocks(comparison: Comparison) -> bool:
    return len(set(comparison.items.blocks.tolist())) >= FEWEST_BLOCKS


def _open_side(comparison: Comparison, folds: int, seed: int) -> Side:
    """Judges that learn from some of the anchors and are tried on the others, each part in turn."""
    items = comparison.items
    owners = list(dict.fromkeys(row.anchor_id for row in comparison.rows))
    halved = replace(comparison, items=replace(items, folds=deal_folds(items.blocks, owners, folds, seed)))
    texts = [row.text for row in comparison.rows]
    judges = (
        judge_ngrams([list_ngrams(text) for text in texts]),
        judge_numbers(np.stack([measure_text(text) for text in texts])),
    )
    return Side(comparison.beside, halved, judges)
