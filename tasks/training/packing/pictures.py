"""Pictures at the training resolution: letterboxed on white, never cropped, kept without loss."""

from __future__ import annotations

from io import BytesIO
from typing import Literal

import numpy as np
from PIL import Image as Pillow

from counterfoil.storage.pictures import letterbox, open_picture

Encoding = Literal["webp", "raw"]


def pack_picture(content: bytes, resolution: int, encoding: Encoding) -> bytes:
    """An encoded picture as a square of ``resolution`` pixels, in lossless WebP or as its bytes.

    Raises:
        counterfoil.storage.errors.StorageError: the bytes are no picture.
    """
    square = letterbox(open_picture(content), resolution)
    if encoding == "raw":
        return square.tobytes()
    sink = BytesIO()
    square.save(sink, "WEBP", lossless=True, quality=50, method=1)
    return sink.getvalue()


def unpack_picture(content: bytes, resolution: int, encoding: Encoding) -> np.ndarray:
    """The pixels of a packed picture, uint8 [R, R, 3]."""
    if encoding == "raw":
        return np.frombuffer(content, np.uint8).reshape(resolution, resolution, 3)
    # Unasked, Pillow tries half a dozen formats on each picture.
    with Pillow.open(BytesIO(content), formats=("WEBP",)) as opened:
        return np.asarray(opened.convert("RGB"))
