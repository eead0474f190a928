"""Rotated and scaled pictures for an export (MMCLIP Table 7: 30 degrees clockwise; half size)."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from counterfoil.storage.errors import StorageError
from counterfoil.storage.rows import Image
from counterfoil.storage.schemas import IMAGE, add_digests

if TYPE_CHECKING:
    from PIL import Image as Pillow

WHITE = (255, 255, 255)


@dataclass(frozen=True)
class PictureChange:
    """What an export does to each picture: ``rotate`` in degrees clockwise, then ``scale`` as a factor of each side.

    A rotated picture grows so that no corner is lost; what it uncovers is white. The result is always PNG.
    """

    rotate: float | None = None
    scale: float | None = None

    def __post_init__(self) -> None:
        if self.rotate is not None and not -360 < self.rotate < 360:
            raise StorageError(f"rotate is {self.rotate}: give degrees clockwise between -360 and 360")
        if self.scale is not None and not 0.01 <= self.scale <= 10:
            raise StorageError(f"scale is {self.scale}: give a factor from 0.01 to 10, such as 0.5")

    @property
    def changes(self) -> bool:
        """Whether pictures change at all."""
        return bool(self.rotate) or self.scale not in (None, 1.0)

    def __str__(self) -> str:
        parts = [f"rotated by {self.rotate:g} degrees clockwise"] if self.rotate else []
        if self.scale not in (None, 1.0):
            parts.append(f"scaled by {self.scale:g}")
        return " and ".join(parts) or "as they were made"

    def apply(self, image: Image) -> Image:
        """The changed picture.

        Raises:
            StorageError: the bytes are no picture.
        """
        from PIL import Image as Pillow

        try:
            picture = open_picture(image.bytes)
        except StorageError as error:
            raise StorageError(f"{image.path}: {error}") from error
        if self.rotate:
            picture = picture.rotate(-self.rotate, Pillow.Resampling.BICUBIC, expand=True, fillcolor=WHITE)
        if self.scale not in (None, 1.0):
            size = (max(1, round(picture.width * self.scale)), max(1, round(picture.height * self.scale)))
            picture = picture.resize(size, Pillow.Resampling.LANCZOS)
        sink = BytesIO()
        picture.save(sink, "PNG", compress_level=6)
        stem = image.path.rpartition(".")[0] or image.path
        return Image(sink.getvalue(), f"{stem}.png")


def change_batch(batch: pa.RecordBatch, change: PictureChange, pool: Executor) -> pa.RecordBatch:
    """The batch with every picture changed; SVGs, which would show the unchanged ones, are dropped."""

    def change_all(values: list[dict[str, Any]] | None) -> list[dict[str, Any] | None] | None:
        return None if values is None else [change_image(value, change) for value in values]

    def change_one(value: dict[str, Any] | None) -> dict[str, Any] | None:
        return change_image(value, change)

    columns = {name: batch[name] for name in batch.schema.names}
    for column in batch.schema:
        if column.type in (IMAGE, pa.list_(IMAGE)):
            each = change_one if column.type == IMAGE else change_all
            columns[column.name] = pa.array(list(pool.map(each, batch[column.name].to_pylist())), column.type)
    if "vector" in columns:
        columns["vector"] = pa.nulls(batch.num_rows, pa.string())
    changed = pa.RecordBatch.from_arrays(list(columns.values()), schema=batch.schema)
    return add_digests(changed) if "digest" in columns else changed


def change_image(value: Mapping[str, Any] | None, change: PictureChange) -> dict[str, Any] | None:
    """A picture's column value changed; as it is where nothing is to change."""
    if value is None:
        return None
    if not change.changes:
        return dict(value)
    image = change.apply(Image(value["bytes"], value["path"]))
    return {"bytes": image.bytes, "path": image.path}


def open_picture(content: bytes) -> Pillow.Image:
    """An encoded picture as RGB on white.

    Raises:
        StorageError: the bytes are no picture.
    """
    from PIL import Image as Pillow

    try:
        with Pillow.open(BytesIO(content)) as opened:
            return flatten(opened)
    except OSError as error:
        raise StorageError(f"a picture cannot be read: {explain_unreadable(error)}") from error


def explain_unreadable(error: Exception) -> str:
    """Why Pillow cannot read a picture, in words that are the same in every process: its own may hold an address.

    >>> from PIL import Image
    >>> try: Image.open(BytesIO(b"no picture"))
    ... except OSError as error: explain_unreadable(error)
    'of no known format'
    """
    from PIL import UnidentifiedImageError

    return "of no known format" if isinstance(error, UnidentifiedImageError) else str(error)


def letterbox(picture: Pillow.Image, side: int) -> Pillow.Image:
    """The whole picture in a square of ``side`` pixels, in the middle, on white: nothing is cropped or stretched."""
    from PIL import Image as Pillow

    if picture.size == (side, side):
        return picture
    scale = side / max(picture.size)
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    small = picture if picture.size == size else picture.resize(size, Pillow.Resampling.BICUBIC)
    if size == (side, side):
        return small
    square = Pillow.new("RGB", (side, side), WHITE)
    square.paste(small, ((side - size[0]) // 2, (side - size[1]) // 2))
    return square


def flatten(picture: Pillow.Image) -> Pillow.Image:
    """RGB on white: a transparent corner must not turn black."""
    from PIL import Image as Pillow

    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        rgba = picture.convert("RGBA")
        ground = Pillow.new("RGBA", rgba.size, (*WHITE, 255))
        return Pillow.alpha_composite(ground, rgba).convert("RGB")
    return picture.convert("RGB")
