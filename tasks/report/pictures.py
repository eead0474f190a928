"""Pictures as small data URIs, within a budget for the whole page."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass

from PIL import Image as Pillow
from PIL import ImageChops

from tasks.report.regions import open_picture

SIDES = (448, 384, 320, 256, 192)
"""Longest sides in pixels to try, from sharp to small, until all pictures fit the budget."""
_JUDGED = 24
_LINE_ART_COLOURS = 4_096
"""A picture with more colours (at a thumbnail's size) is a photograph."""
_COLOURS = 64
"""Colours that coloured line art is reduced to: a few hues with their smooth edges."""


@dataclass(frozen=True, slots=True)
class EncodedPicture:
    uri: str
    width: int
    height: int


class Album:
    """The pictures of a page. Encoded bytes go in as they come, and out together, so that all fit one budget."""

    def __init__(self) -> None:
        self._places: dict[bytes, int] = {}
        self._uses: list[int] = []

    def add(self, source: bytes) -> int:
        """The place of a picture in what `encode` returns; the same bytes have the same place.

        Each call stands for one use on the page, where the picture is written out each time.
        """
        place = self._places.setdefault(source, len(self._places))
        if place == len(self._uses):
            self._uses.append(0)
        self._uses[place] += 1
        return place

    def encode(self, budget: int) -> list[EncodedPicture]:
        """Encode all at the largest side of `SIDES` at which their uses should stay within ``budget`` characters.

        The size is judged by some of the pictures. At the smallest side the result is taken as it is.
        """
        judged = list(self._places)[:: max(1, len(self._places) // _JUDGED)]
        share = sum(self._uses[self._places[source]] for source in judged) / max(1, sum(self._uses))
        for side in SIDES:
            size = sum(
                len(encode_picture(open_picture(source), side).uri) * self._uses[self._places[source]]
                for source in judged
            )
            if size <= budget * share:
                break
        return [encode_picture(open_picture(source), side) for source in self._places]


def encode_picture(picture: Pillow.Image, side: int) -> EncodedPicture:
    """Scale an RGB picture down to ``side`` and encode it: line art as PNG of few colours, photographs as WebP."""
    scale = min(1.0, side / max(picture.size))
    if scale < 1:
        size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
        picture = picture.resize(size, Pillow.Resampling.LANCZOS)
    buffer = io.BytesIO()
    kind = "png"
    if _is_grey(picture):
        _reduce_greys(picture).save(buffer, "PNG", optimize=True, bits=4)
    elif _is_line_art(picture):
        picture.quantize(_COLOURS, method=Pillow.Quantize.FASTOCTREE, dither=Pillow.Dither.NONE).save(
            buffer, "PNG", optimize=True
        )
    else:
        kind = "webp"
        picture.save(buffer, "WEBP", quality=72, method=4)
    uri = f"data:image/{kind};base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
    return EncodedPicture(uri, picture.width, picture.height)


def _is_grey(picture: Pillow.Image) -> bool:
    red, green, blue = picture.split()
    return ImageChops.difference(red, green).getbbox() is None and ImageChops.difference(red, blue).getbbox() is None


def _is_line_art(picture: Pillow.Image) -> bool:
    thumbnail = picture.copy()
    thumbnail.thumbnail((128, 128), Pillow.Resampling.NEAREST)
    return thumbnail.getcolors(_LINE_ART_COLOURS) is not None


def _reduce_greys(picture: Pillow.Image) -> Pillow.Image:
    """Sixteen even greys: black on white keeps its smooth edges at a third of the bytes."""
    levels = picture.getchannel(0).point([round(grey / 17) for grey in range(256)])
    reduced = Pillow.frombytes("P", levels.size, levels.tobytes())
    reduced.putpalette([grey * 17 for grey in range(16) for _ in range(3)])
    return reduced
