"""Anchors with their contrasts by row group: from packed shards, or from a dataset's tables as they are.

Both give rows in the layout of packed shards, so that one loader draws from either; `tasks.training.order` says which
row comes when.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import Counter, OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from PIL import Image as Pillow

from counterfoil.storage.joining import Join
from counterfoil.storage.pictures import open_picture
from counterfoil.storage.store import Store
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.order import Ref, Run, count_groups
from counterfoil.tasks.training.packing.manifest import Manifest, Shard
from counterfoil.tasks.training.packing.pictures import unpack_picture

Rows = list[dict[str, Any]]
_SPARE = 2
"""Row groups that a stream keeps beside its window's: of the window before, whose last rows its batch still has."""

_ROW_BYTES = 1 << 14
"""What an anchor's row takes in memory with some twenty contrasts, about."""
_OPEN = 32
"""Files that are open at once, at most."""


@dataclass(frozen=True)
class Tally:
    """What a packed anchor has, without its texts and pixels."""

    pictured: bool
    negatives: Mapping[tuple[int, bool], int]
    """Negatives by kind and whether they are pictures."""


class RowGroups(ABC):
    """Anchors by row group. Each stream keeps the groups of the window that it is at, and reads each of them once."""

    def __init__(self, keep: bool = False) -> None:
        self.keep = keep
        """Whether all that was read is kept, from epoch to epoch."""
        self._kept: dict[int, OrderedDict[tuple[int, int], tuple[Rows, list[Any]]]] = {}
        self._room: dict[int, int] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What another process begins with: nothing that was read."""
        return {**self.__dict__, "_kept": {}}

    @abstractmethod
    def load(self, shard: int, group: int) -> tuple[Rows, list[bytes]]:
        """The anchors of a row group (`tasks.training.packing.manifest.ROWS`), and the pictures that they number."""

    def make_room(self, stream: int, window: Sequence[Ref]) -> None:
        """Let a stream keep the row groups of ``window``."""
        self._room[stream] = max(self._room.get(stream, 0), count_groups(window) + _SPARE)

    def read(self, ref: Ref, stream: int = 0) -> tuple[dict[str, Any], list[Any]]:
        """An anchor's row, and the pictures of its row group: their bytes, or what was put in the place of them."""
        kept = self._kept.setdefault(0 if self.keep else stream, OrderedDict())
        key = (ref.shard, ref.group)
        if key not in kept:
            kept[key] = self.load(*key)
            while not self.keep and len(kept) > self._room.get(stream, _SPARE):
                kept.popitem(last=False)
        kept.move_to_end(key)
        rows, pictures = kept[key]
        return rows[ref.row], pictures


class PackedRows(RowGroups):
    """The anchors of some packed shards, numbered in their order.

    Args of the constructor: ``memory`` is how many bytes may stay in it from epoch to epoch, with pictures decoded: all
    of the shards, or where they are more nothing but the row groups that a stream is at.

    Raises:
        TrainingError: a file is gone or broken.
    """

    def __init__(
        self,
        url: str,
        manifest: Manifest,
        shards: Sequence[Shard],
        options: Mapping[str, Any] | None = None,
        memory: int = 0,
    ) -> None:
        pixels = sum(shard.pictures for shard in shards) * 3 * manifest.resolution**2
        super().__init__(keep=pixels + sum(shard.rows for shard in shards) * _ROW_BYTES <= memory)
        self.url, self.manifest, self.store = url, manifest, Store(url, options or {})
        self.shards: dict[int, Shard] = dict(enumerate(shards))
        self._files: OrderedDict[str, pq.ParquetFile] = OrderedDict()
        self._process = os.getpid()
        self._groups: dict[int, list[np.ndarray]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What another process opens anew: no open file."""
        return {**super().__getstate__(), "_files": OrderedDict()}

    def load(self, shard: int, group: int) -> tuple[Rows, list[bytes]]:
        """See `RowGroups.load`."""
        named = self.shards[shard]
        rows = self._read(named.rows_path, group).to_pylist()
        return rows, self._read(named.pictures_path, group)["bytes"].to_pylist()

    def unpack(self, content: bytes) -> np.ndarray:
        """The pixels of a picture, uint8 [R, R, 3]."""
        return unpack_picture(content, self.manifest.resolution, self.manifest.encoding)  # type: ignore[arg-type]

    def show(self, pictures: list[Any], place: int) -> np.ndarray:
        """The pixels of one of the ``pictures`` that `read` gave; what is kept is decoded once."""
        if not isinstance(pictures[place], bytes):
            return pictures[place]
        shown = self.unpack(pictures[place])
        if self.keep:
            pictures[place] = shown
        return shown

    def open(self, content: bytes) -> Pillow.Image:
        """A picture as an RGB image of Pillow."""
        return Pillow.fromarray(self.unpack(content))

    def list_groups(self, number: int) -> list[np.ndarray]:
        """The groups' numbers of a shard's anchors, by row group."""
        if number not in self._groups:
            path, count = self.shards[number].rows_path, len(self.shards[number].groups)
            found = [self._read(path, group, ["group"])["group"].to_numpy() for group in range(count)]
            if not self.keep:
                return found
            self._groups[number] = found
        return self._groups[number]

    def tally(self, number: int, group: int) -> list[Tally]:
        """What each anchor of a row group has. No text is read."""
        columns = ["image", *(f"contrasts.list.element.{name}" for name in ("kind", "positive", "image"))]
        rows = self._read(self.shards[number].rows_path, group, columns).to_pylist()
        return [
            Tally(
                row["image"] >= 0,
                Counter((each["kind"], each["image"] >= 0) for each in row["contrasts"] if not each["positive"]),
            )
            for row in rows
        ]

    def _read(self, path: str, group: int, columns: list[str] | None = None) -> Any:
        if self._process != os.getpid():
            # After a fork both processes would move one place in each open file.
            self._files, self._process = OrderedDict(), os.getpid()
            self.store = replace(self.store)  # s3fs's clients do not outlive a fork
        try:
            if path not in self._files:
                self._files[path] = pq.ParquetFile(self.store.open(path))
                while len(self._files) > _OPEN:
                    self._files.popitem(last=False)
            self._files.move_to_end(path)
            return self._files[path].read_row_group(group, columns=columns)
        except (OSError, ValueError) as error:
            raise TrainingError(f"{self.url}/{path} cannot be read ({error}): pack again") from error


@dataclass
class TableRows(RowGroups):
    """The anchors of a dataset's own tables, by the blocks of their join with contrasts; pictures in full size.

    A contrast's ``kind`` is the place of its family in the join's.

    Raises:
        counterfoil.storage.errors.StorageError: a file is gone or broken.
    """

    join: Join
    runs: list[Run] = field(init=False)

    def __post_init__(self) -> None:
        super().__init__()
        self.runs = [Run(block.file, at, np.arange(len(block))) for at, block in enumerate(self.join.blocks)]

    def load(self, shard: int, group: int) -> tuple[Rows, list[bytes]]:
        """See `RowGroups.load`."""
        del shard
        rows: Rows = []
        pictures: list[bytes] = []

        def add(image: Mapping[str, Any] | None) -> int:
            if image is None:
                return -1
            pictures.append(image["bytes"])
            return len(pictures) - 1

        for row in self.join.read(self.join.blocks[group], ["image", "caption"], ["text", "image"]):
            contrasts = [
                {
                    "kind": self.join.families.index(each["family"]),
                    "positive": each["role"] == "positive",
                    "text": each["text"],
                    "image": add(each["image"]) if each["modality"] == "image" else -1,
                }
                for each in row.contrasts
            ]
            rows.append({**row.anchor, "image": add(row.anchor["image"]), "contrasts": contrasts})
        return rows, pictures

    def open(self, content: bytes) -> Pillow.Image:
        """A picture as an RGB image of Pillow."""
        return open_picture(content)


def open_generator(seed: int, epoch: int, anchor_id: str) -> np.random.Generator:
    """What an anchor's negatives of an epoch are drawn with."""
    return np.random.default_rng([seed, epoch, int(anchor_id[:15], 16)])


def draw_negatives(
    row: Mapping[str, Any], kinds: Collection[int], texts: int | None, images: int | None, rng: np.random.Generator
) -> tuple[Rows, Rows]:
    """At most ``texts`` negative texts and ``images`` negative pictures of an anchor (None: all), in their order."""
    negatives = [each for each in row["contrasts"] if each["kind"] in kinds and not each["positive"]]
    said = _choose([each for each in negatives if each["image"] < 0], texts, rng)
    return said, _choose([each for each in negatives if each["image"] >= 0], images, rng)


def draw_positives(positives: Rows, negatives: Rows, view: int, most: int, rng: np.random.Generator) -> Rows:
    """At most ``most`` positive texts of an anchor, pictures apart: first those that a near miss is asked beside.

    Of each negative text in turn the view that it was made of (where that is not the anchor's caption, whose kind is
    ``view``) and one text that says this view in other words; then others, drawn. The order of ``positives`` stays.
    """
    texts = [place for place, each in enumerate(positives) if each["image"] < 0]
    order = [texts[place] for place in rng.permutation(len(texts))]
    wanted: list[int] = []
    for negative in negatives:
        made_of = negative.get("view", -1)
        of = [place for place in order if positives[place].get("view", -1) == made_of]
        wanted += [place for place in of if positives[place]["kind"] == made_of != view][:1]
        wanted += [place for place in of if positives[place]["kind"] != made_of][:1]
    kept = set(list(dict.fromkeys([*wanted, *order]))[:most])
    return [each for place, each in enumerate(positives) if each["image"] >= 0 or place in kept]


def _choose(rows: Rows, most: int | None, rng: np.random.Generator) -> Rows:
    if most is None or len(rows) <= most:
        return rows
    return [rows[place] for place in sorted(rng.choice(len(rows), most, replace=False))]
