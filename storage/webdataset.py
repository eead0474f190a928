"""Tar shards for WebDataset. Every sample of an export has the same keys: a picture, a text, and the other columns.

A contrast puts one of the two in its anchor's place. What it has none of is its anchor's: a negative caption comes with
the anchor's picture, and ``.json`` tells by ``picture_of`` and ``text_of`` whose the two are.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from counterfoil.storage.errors import StorageError
from counterfoil.storage.joining import Join
from counterfoil.storage.pictures import open_picture
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.schemas import SCHEMAS


def choose_ending(snapshot: Snapshot) -> str:
    """``jpg`` where every picture is a JPEG, else ``png``, as which all pictures are then written."""
    endings: set[str] = set()
    for table in ("anchors", "contrasts"):
        for batch in snapshot.scan(table, ["image"], batch_size=1024):
            for image in batch["image"]:
                if image.is_valid:
                    endings.add(name_ending(image["bytes"].as_buffer().slice(0, 12).to_pybytes()))
    return "jpg" if endings == {"jpg"} else "png"


def name_ending(content: bytes) -> str:
    """``png``, ``jpg``, or "" for other bytes."""
    if content.startswith(b"\x89PNG"):
        return "png"
    return "jpg" if content.startswith(b"\xff\xd8") else ""


def list_samples(
    snapshot: Snapshot, table: str, partition: str, without: Sequence[str], left_out: Counter[str]
) -> Iterator[dict[str, Any]]:
    """The rows of anchors or of one family as samples: all columns, with a picture and a text. Contrasts of the grades
    ``without`` are not among them, and are counted."""
    if table == "anchors":
        for batch in snapshot.scan("anchors", partition=partition):
            for row in batch.to_pylist():
                yield {**row, "text": row["caption"], "picture_of": "anchor", "text_of": "anchor"}
        return
    join = Join(snapshot, [partition], without=without)
    left_out.update({f"contrasts of grade {grade}": count for grade, count in join.passed_over.items()})
    columns = [name for name in SCHEMAS["contrasts"].names if name != "anchor_id"]
    for block in join.blocks:
        for joined in join.read(block, ["image", "caption", "split"], columns):
            for row in joined.contrasts:
                yield complete(row, joined.anchor)


def complete(row: Mapping[str, Any], anchor: Mapping[str, Any]) -> dict[str, Any]:
    """A contrast with its anchor's picture or caption where it has none of its own."""
    own_image, own_text = row["image"] is not None, row["text"] is not None
    return {
        **row,
        "image": row["image"] if own_image else anchor["image"],
        "text": row["text"] if own_text else anchor["caption"],
        "picture_of": "contrast" if own_image else "anchor",
        "text_of": "contrast" if own_text else "anchor",
        "split": anchor["split"],
    }


class TarFiles:
    """Numbered tar shards of one table, partition and split."""

    def __init__(self, folder: Path, split: str, ending: str, file_bytes: int) -> None:
        self.folder, self.split, self.ending, self.file_bytes = folder, split, ending, file_bytes
        self.number, self.written = 0, 0
        self.tar: tarfile.TarFile | None = None
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, row: dict[str, Any]) -> None:
        """Write one sample under the id of its row.

        Raises:
            StorageError: it has no picture, so its keys would not be those of the others.
        """
        if self.tar is None:
            path = self.folder / f"{self.split}-{self.number:06d}.tar"
            self.tar = tarfile.open(path, "w", format=tarfile.USTAR_FORMAT)  # noqa: SIM115 - closed by close()
        key = row.get("contrast_id") or row["anchor_id"]
        image, text = row["image"], row["text"]
        if image is None:
            raise StorageError(f"anchor {row['anchor_id']} has no picture: WebDataset samples need one; export as hf")
        others = {name: value for name, value in row.items() if name not in ("image", "text", "caption")}
        self._write_file(f"{key}.{self.ending}", self._encode(image["bytes"]))
        self._write_file(f"{key}.txt", (text or "").encode())
        self._write_file(f"{key}.json", json.dumps(others, ensure_ascii=False, sort_keys=True).encode())
        if self.written >= self.file_bytes:
            self.close()
            self.number += 1

    def close(self) -> None:
        """End the file that is being written."""
        if self.tar is not None:
            self.tar.close()
            self.tar, self.written = None, 0

    def _encode(self, content: bytes) -> bytes:
        if name_ending(content) == self.ending:
            return content
        sink = io.BytesIO()
        open_picture(content).save(sink, "PNG")
        return sink.getvalue()

    def _write_file(self, name: str, content: bytes) -> None:
        assert self.tar is not None
        member = tarfile.TarInfo(name)
        member.size = len(content)
        self.tar.addfile(member, io.BytesIO(content))
        self.written += len(content)
