"""The rows that an overlap compares: of a dataset's anchors, of a family, or of a file of texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.plain import parse_json
from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.encoders import Modality
from counterfoil.tasks.mining.errors import MiningError

_FIELDS = ("text", "caption", "question", "problem", "statement")
"""Fields of a JSONL row, in order, of which the first that is there is its text."""


@dataclass(frozen=True)
class Item:
    """One row: its id, its text and its encoded picture, where it has them."""

    row_id: str
    text: str | None
    image: bytes | None


@dataclass(frozen=True)
class Side:
    """What one side of an overlap is."""

    name: str
    """As the user wrote it."""
    path: str
    part: str = ""
    """A domain (its anchors) or a family (its contrasts) of a dataset; "": all anchors."""

    @classmethod
    def parse(cls, name: str) -> Side:
        """From ``DATASET``, ``DATASET#geometry``, ``DATASET#geometry.rule``, or a file ``.jsonl`` or ``.txt``.

        Raises:
            MiningError: there is no such dataset or file, or it has no such part.
        """
        path, _, part = name.partition("#")
        side = cls(name, path, part)
        if side.is_file():
            if not Path(path).is_file():
                raise MiningError(f"{path}: no such file")
            if part:
                raise MiningError(f"{name}: a file has no parts; leave out #{part}")
            return side
        dataset = Dataset(path)
        if not dataset.exists():
            raise MiningError(f"{path} holds no dataset; give one, or a .jsonl or .txt file")
        snapshot = dataset.snapshot()
        known = [*snapshot.partitions("anchors"), *snapshot.partitions("contrasts")]
        if part and part not in known:
            raise MiningError(f"{path} has no {part!r}; after # stands one of: {', '.join(known)}")
        return side

    def is_file(self) -> bool:
        return self.path.endswith((".jsonl", ".txt"))

    def is_family(self) -> bool:
        return "." in self.part

    def read(self, kind: Modality) -> Iterator[Item]:
        """The rows that have a text (or a picture), in their order.

        Raises:
            MiningError: a line of a file cannot be read; the message names it.
        """
        for item in self._read_all():
            if (item.text if kind == "text" else item.image) is not None:
                yield item

    def _read_all(self) -> Iterator[Item]:
        if self.is_file():
            yield from read_file(Path(self.path))
            return
        snapshot = Dataset(self.path).snapshot()
        rows: Iterator[Anchor | Contrast]
        rows = snapshot.contrasts(self.part) if self.is_family() else snapshot.anchors(self.part or None)
        for row in rows:
            text = row.text if isinstance(row, Contrast) else row.caption
            row_id = row.contrast_id if isinstance(row, Contrast) else row.anchor_id
            yield Item(row_id, text or None, row.image.bytes if row.image is not None else None)


def read_file(path: Path) -> Iterator[Item]:
    """The texts of a file, a line each, or of the JSON object that is on it; a row's id is its line's number."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield Item(str(number), _find_text(path, number, line), None)


def _find_text(path: Path, number: int, line: str) -> str:
    if path.suffix == ".txt":
        return line.strip()
    try:
        row = parse_json(line)
    except ValueError as error:
        raise MiningError(f"{path}, line {number}: no JSON ({error})") from error
    found = next((row[key] for key in _FIELDS if isinstance(row, dict) and isinstance(row.get(key), str)), None)
    if found is None:
        raise MiningError(f"{path}, line {number}: an object with one of {', '.join(_FIELDS)} is needed")
    return found
