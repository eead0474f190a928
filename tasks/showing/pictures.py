"""Pictures for a page: decoded with care, scaled, and encoded small."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass

from PIL import Image as Pillow
from PIL import ImageChops, UnidentifiedImageError

SIDE = 512
"""Longest side in pixels of a shown picture: our own pictures keep their size, photographs shrink."""
_MAX_PIXELS = 16_000_000
"""A picture with more pixels is refused: a few hundred bytes can claim gigabytes."""
_LINE_ART_COLOURS = 4_096
"""A picture with more colours (at a thumbnail's size) is a photograph."""
_GROUND = 0.3
"""Least share of the pixels that a drawing's ground has."""
_TO_SIXTEEN_LEVELS = [round(level / 17) * 17 for level in range(256)]
"""Of each channel of line art: white and black stay, smooth edges stay smooth, and half of the bytes go."""
_LOSSLESS = {"lossless": True, "quality": 50, "method": 3}
"""WebP's search effort: 30 % smaller than the best PNG in less time; more effort gains 3 % for forty times the time."""


class PictureError(Exception):
    """A picture of the dataset cannot be read. The message says why."""


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture as a data URI, with its size in pixels."""

    uri: str
    width: int
    height: int


def open_picture(data: bytes) -> Pillow.Image:
    """Decode an encoded picture onto white, as RGB.

    Raises:
        PictureError: the bytes are no picture, or one with too many pixels.
    """
    try:
        picture = Pillow.open(io.BytesIO(data))
        if picture.width * picture.height > _MAX_PIXELS:
            raise PictureError(f"picture of {picture.width} x {picture.height} pixels is too large to show")
        picture.load()
    except UnidentifiedImageError as error:  # its own message holds a memory address
        raise PictureError("not a readable picture: of no known format") from error
    except (OSError, ValueError, SyntaxError, Pillow.DecompressionBombError) as error:
        raise PictureError(f"not a readable picture: {error}") from error
    if picture.mode == "RGB":
        return picture
    rgba = picture.convert("RGBA")
    page = Pillow.new("RGB", rgba.size, "white")
    page.paste(rgba, mask=rgba.getchannel("A"))
    return page


def encode_picture(picture: Pillow.Image, side: int = SIDE) -> bytes:
    """An RGB picture as WebP, scaled down to ``side``: line art without loss in few levels, photographs with loss.

    Nothing of the stored file but its pixels comes through: no text chunk, no name.
    """
    scale = min(1.0, side / max(picture.size))
    if scale < 1:
        picture = picture.resize(_scale(picture, scale), Pillow.Resampling.LANCZOS)
    buffer = io.BytesIO()
    plain = picture.getchannel(0) if _is_grey(picture) else picture
    if _has_ground(plain) if plain.mode == "L" else _has_few_colours(plain):
        plain.point(_TO_SIXTEEN_LEVELS * len(plain.getbands())).save(buffer, "WEBP", **_LOSSLESS)
    else:
        picture.save(buffer, "WEBP", quality=72, method=4)
    return buffer.getvalue()


def show_picture(picture: Pillow.Image, side: int = SIDE) -> ShownPicture:
    """An RGB picture, as `open_picture` gives it, as a small data URI."""
    scale = min(1.0, side / max(picture.size))
    width, height = _scale(picture, scale)
    uri = "data:image/webp;base64," + base64.b64encode(encode_picture(picture, side)).decode("ascii")
    return ShownPicture(uri, width, height)


def _scale(picture: Pillow.Image, scale: float) -> tuple[int, int]:
    return max(1, round(picture.width * scale)), max(1, round(picture.height * scale))


def _is_grey(picture: Pillow.Image) -> bool:
    red, green, blue = picture.split()
    return ImageChops.difference(red, green).getbbox() is None and ImageChops.difference(red, blue).getbbox() is None


def _has_ground(grey: Pillow.Image) -> bool:
    """Whether a grey picture has a ground of one level, as drawings have and photographs have not."""
    return max(grey.histogram()) >= _GROUND * grey.width * grey.height


def _has_few_colours(picture: Pillow.Image) -> bool:
    thumbnail = picture.copy()
    thumbnail.thumbnail((128, 128), Pillow.Resampling.NEAREST)
    return thumbnail.getcolors(_LINE_ART_COLOURS) is not None
