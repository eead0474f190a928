"""Pictures that are no edit of a photograph, made of it: what a judge must find worse than any edit that is kept."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO

import numpy as np
import scipy
from PIL import Image, ImageFilter

SHAPELESS = ("noise", "black", "white", "flat", "checkerboard", "shuffled")
"""Those that show nothing at all, of the photograph or of anything."""
_SQUARE = 14


def make_wrecks(picture: np.ndarray) -> Mapping[str, np.ndarray]:
    """Wrecks of a picture (height, width, 3), uint8, by name, in its size; always the same of the same picture."""
    height, width, _ = picture.shape
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 256, picture.shape, np.uint8)
    rows, columns = np.indices((height, width)) // _SQUARE
    squares = ((rows + columns) % 2 * 255).astype(np.uint8)
    half = np.arange(width)[None, :, None] < width // 2
    upper = np.arange(height)[:, None, None] < height // 2
    image = Image.fromarray(picture)
    middle = image.crop((width // 4, height // 4, width - width // 4, height - height // 4))
    return {
        "noise": noise,
        "black": np.zeros_like(picture),
        "white": np.full_like(picture, 255),
        "flat": np.broadcast_to(picture.mean(axis=(0, 1)).astype(np.uint8), picture.shape).copy(),
        "checkerboard": np.repeat(squares[..., None], 3, axis=2),
        "shuffled": rng.permutation(picture.reshape(-1, 3)).reshape(picture.shape),
        "unedited": picture,
        "negative": 255 - picture,
        "mirrored": picture[:, ::-1],
        "upside down": picture[::-1],
        "cropped": np.asarray(middle.resize(image.size, Image.Resampling.BICUBIC)),
        "blurred": np.asarray(image.filter(ImageFilter.GaussianBlur(max(width, height) / 40))),
        "recoloured": np.roll(picture, 1, axis=2),
        "gray": np.asarray(image.convert("L").convert("RGB")),
        "garbled": _garble(image),
        "half noise": np.where(half, noise, picture),
        "upper half noise": np.where(upper, noise, picture),
        "noisy": np.clip(picture + rng.normal(0, 60, picture.shape), 0, 255).astype(np.uint8),
        "smeared": scipy.ndimage.uniform_filter(picture, (1, max(width // 6, 1), 1)),
    }


def _garble(image: Image.Image) -> np.ndarray:
    sink = BytesIO()
    image.save(sink, "JPEG", quality=1)
    return np.asarray(Image.open(sink).convert("RGB"))
