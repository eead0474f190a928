"""Anchors that others made, each with its texts that are true of it and its negatives, from rows of any layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterfoil.tasks.foreign.columns import Layout, list_items, understand
from counterfoil.tasks.foreign.errors import ForeignError
from counterfoil.tasks.foreign.files import Broken, Row, list_files, read_rows

_LOOKED_AT = 200
"""Rows from which a file's layout is understood."""
_COMPARED = 2**20
"""Rows with which later ones are compared: some 70 MB."""
LONGEST = 20_000
"""Letters of a text; a longer one is no caption, statement or passage, and its row is left out."""


@dataclass(frozen=True, slots=True)
class Negative:
    """A negative and where it stands."""

    text: str
    column: str
    place: int | None
    """Its place in the column's list."""
    picture: bytes = b""


@dataclass(frozen=True, slots=True)
class Group:
    """What one row says of one anchor."""

    row: Row
    anchor: str
    positives: tuple[str, ...]
    negatives: tuple[Negative, ...]
    picture: bytes = b""
    kind: str = ""
    """Of what kind its negatives are, as the file says."""
    sharing: str = ""
    """What it has in common with other rows: a picture's name, or the anchor's own text."""


@dataclass
class Reading:
    """The groups of a file or folder, and what became of its rows as they are read."""

    target: Path
    files: list[Path]
    layouts: dict[Path, Layout]
    pictures: Path | None = None
    rows: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    """Rows that are left out, by reason."""
    first: dict[str, str] = field(default_factory=dict)
    """Of each reason the first row."""
    pictures_missing: int = 0
    repeated: int = 0
    """Rows whose anchor and negatives stand in an earlier row."""
    unread: Mapping[str, str] = field(default_factory=dict)
    """Files of a folder that could not be read or understood, and why."""

    def read(self, *, with_pictures: bool = False) -> Iterator[Group]:
        """The groups, in order; counts start anew."""
        self.rows = self.pictures_missing = self.repeated = 0
        self.left_out.clear()
        seen: set[int] = set()
        for path in self.files:
            for row in read_rows(path):
                self.rows += 1
                why = row.why if isinstance(row, Broken) else None
                if isinstance(row, Row):
                    group = _group(row, self.layouts[path])
                    why = group if isinstance(group, str) else None
                    if isinstance(group, Group):
                        same = hash((group.anchor, *(each.text for each in group.negatives)))
                        self.repeated += bool(group.negatives) and same in seen
                        if len(seen) < _COMPARED:
                            seen.add(same)
                        yield self._add_pictures(group) if with_pictures else group
                if why is not None:
                    reason = why.partition(":")[0]
                    self.left_out[reason] += 1
                    self.first.setdefault(reason, f"{path.name} row {row.number}")

    def _add_pictures(self, group: Group) -> Group:
        layout = self.layouts[group.row.file]
        own = self._open(group.row, layout.columns.get("picture", ()))
        others = self._open(group.row, layout.columns.get("negative_picture", ()))
        seen = [Negative("", "", None, picture) for picture in others]
        return Group(
            group.row,
            group.anchor,
            group.positives,
            (*group.negatives, *seen),
            own[0] if own else b"",
            group.kind,
            group.sharing,
        )

    def _open(self, row: Row, columns: tuple[str, ...]) -> list[bytes]:
        found = []
        for column in columns:
            for _, value in list_items(row.cells.get(column)):
                data = self._open_one(value, row.file.parent)
                if data:
                    found.append(data)
                elif value is not None:
                    self.pictures_missing += 1
        return found

    def _open_one(self, value: Any, beside: Path) -> bytes:
        if isinstance(value, bytes):
            return value
        if isinstance(value, Mapping):
            return self._open_one(value.get("bytes") or value.get("path"), beside)
        if not isinstance(value, str) or not value or "\0" in value:
            return b""
        for path in (Path(value), beside / value, *([self.pictures / value] if self.pictures else [])):
            if len(value) < 1024 and path.is_file():
                return path.read_bytes()
        return b""

    def name_file(self, path: Path) -> str:
        """A file's name in the folder that is read."""
        return path.name if path == self.target else path.relative_to(self.target).as_posix()

    def describe(self) -> list[str]:
        """What was understood: rows, columns, what was left out."""
        layouts = {each.describe(): each for each in self.layouts.values()}
        unused = dict.fromkeys(name for each in layouts.values() for name in each.left_out)
        reasons = "; ".join(f"{why}: {count:,} (first: {self.first[why]})" for why, count in self.left_out.items())
        files = f" of {len(self.files)} files" if len(self.files) > 1 else ""
        pictures = f"; pictures not found: {self.pictures_missing:,}" if self.pictures_missing else ""
        unread = "".join(f"; file {name}: {why}" for name, why in self.unread.items())
        repeated = f", {self.repeated:,} of them as an earlier one" if self.repeated else ""
        return [
            f"rows: {self.rows:,}{files}, {self.rows - sum(self.left_out.values()):,} read{repeated}",
            f"columns: {' | '.join(layouts)}; not used: {', '.join(unused) or 'none'}",
            f"left out: {reasons or 'none'}{pictures}{unread}",
        ]


def open_foreign(target: str, columns: Mapping[str, str] | None = None, pictures: Path | None = None) -> Reading:
    """The contrasts of a file or folder, by their shape.

    Args:
        columns: what columns are, where their names do not say (`counterfoil.tasks.foreign.columns.PARTS`).
        pictures: the folder that names of pictures are in, where it is not the file's own.

    Raises:
        ForeignError: there is none, it has no rows, or no columns that are an anchor's and a negative's.
    """
    files = list_files(Path(target))
    layouts: dict[Path, Layout] = {}
    unread: dict[str, str] = {}
    for path in files:
        try:
            layouts[path] = _look_at(path, columns)
        except ForeignError as error:
            if len(files) == 1:
                raise
            unread[path.relative_to(target).as_posix()] = str(error).removeprefix(f"{path}: ").removeprefix(f"{path} ")
    if not layouts:
        told = "; ".join(f"{name}: {why}" for name, why in list(unread.items())[:3])
        raise ForeignError(f"{target}: none of its {len(files)} files can be read: {told}")
    return Reading(Path(target), list(layouts), layouts, pictures, unread=unread)


def _look_at(path: Path, columns: Mapping[str, str] | None) -> Layout:
    """What the columns of one file are, by its first rows."""
    rows = []
    broken: Broken | None = None
    for row in read_rows(path):
        if isinstance(row, Row):
            rows.append(row)
        else:
            broken = broken or row
        if len(rows) == _LOOKED_AT:
            break
    if not rows:
        first = f": row {broken.number}: {broken.why}" if broken else ""
        raise ForeignError(f"{path} has no rows that can be read{first}")
    return understand(rows, columns)


def _group(row: Row, layout: Layout) -> Group | str:
    """The group of a row, or why there is none."""
    options = layout.list_texts(row.cells, "options")
    anchors = layout.list_texts(row.cells, "anchor") or options[:1]
    if not anchors:
        return "no text in the anchor's column"
    anchor = anchors[0][2]
    positives, negatives = _divide(row, layout)
    if not options:
        # COCO's captions of one picture are a list.
        positives = [*(text for _, _, text in anchors[1:]), *positives]
    negatives += [Negative(text, column, place) for column, place, text in options[1:]]
    if max(map(len, [anchor, *positives, *(each.text for each in negatives)])) > LONGEST:
        return f"a text of over {LONGEST:,} letters"
    if not negatives and "negative_picture" not in layout.columns and "label" not in layout.columns:
        return "no text in the negatives' columns"
    kinds = layout.list_texts(row.cells, "kind")
    names = [str(row.cells[name]) for name in layout.columns.get("sharing", ()) if row.cells.get(name) is not None]
    pictures = [text for _, _, text in layout.list_texts(row.cells, "picture")]
    sharing = (names or pictures or [anchor])[0]
    return Group(row, anchor, tuple(positives), tuple(negatives), kind=kinds[0][2] if kinds else "", sharing=sharing)


def _divide(row: Row, layout: Layout) -> tuple[list[str], list[Negative]]:
    """The positives and the negatives of a row, by their columns or by labels (1 is true, 0 is not)."""
    positives = layout.list_texts(row.cells, "positive")
    negatives = [Negative(text, column, place) for column, place, text in layout.list_texts(row.cells, "negative")]
    if "label" not in layout.columns:
        return [text for _, _, text in positives], negatives
    labels = [value for column in layout.columns["label"] for _, value in list_items(row.cells.get(column))]
    if len(labels) != len(positives):
        return [text for _, _, text in positives], negatives
    true = [text for (_, _, text), label in zip(positives, labels, strict=True) if _is_true(label)]
    false = [
        Negative(text, column, place)
        for (column, place, text), label in zip(positives, labels, strict=True)
        if not _is_true(label)
    ]
    return true, [*negatives, *false]


def _is_true(label: Any) -> bool:
    return str(label).strip().lower() not in ("0", "0.0", "false", "")


def check_some(reading: Reading, negatives: int) -> None:
    """
    Raises:
        ForeignError: nothing is left that could be judged.
    """
    if negatives:
        return
    seen = "; ".join(reading.describe())
    if any("negative_picture" in each.columns for each in reading.layouts.values()):
        why = "its negatives are pictures: check and clean read texts, and audit opens pictures that it finds"
        raise ForeignError(f"{reading.target}: no row has a text as its negative, but {why}. {seen}")
    raise ForeignError(f"{reading.target}: no row has an anchor and a negative. {seen}")
