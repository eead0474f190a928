from __future__ import annotations

import io
import zlib

import numpy as np
import pytest
from PIL import Image as Pillow
from PIL import ImageDraw, PngImagePlugin

from counterfoil.tasks.showing.pictures import SIDE, PictureError, encode_picture, open_picture, show_picture


def draw(colour: str = "black", size: tuple[int, int] = (320, 240)) -> Pillow.Image:
    picture = Pillow.new("RGB", size, "white")
    ImageDraw.Draw(picture).line((10, 200, 300, 30), fill=colour, width=2)
    return picture


def photograph(grey: bool) -> Pillow.Image:
    """Smooth shades and a little noise, as a camera gives them."""
    rows, columns = np.mgrid[0:480, 0:640]
    noise = np.random.default_rng(1).normal(0, 4, (480, 640))
    shades = [np.clip(rows / 2 + columns / 6 * part + noise, 0, 255) for part in ((1, 1, 1) if grey else (1, 0.6, 0.2))]
    return Pillow.fromarray(np.stack(shades, axis=-1).astype(np.uint8), "RGB")


@pytest.mark.parametrize("colour", ["black", "red"])
def test_line_art_keeps_its_pixels_and_stays_small(colour: str) -> None:
    encoded = encode_picture(draw(colour))
    decoded = Pillow.open(io.BytesIO(encoded)).convert("RGB")
    difference = np.abs(np.asarray(decoded).astype(int) - np.asarray(draw(colour)))
    assert len(encoded) < 1_000 and difference.max() <= 17


@pytest.mark.parametrize("grey", [False, True])
def test_photographs_keep_their_shades_and_shrink(grey: bool) -> None:
    shown = open_picture(encode_picture(photograph(grey)))
    assert shown.size == (SIDE, SIDE * 480 // 640)
    assert len(set(shown.getchannel(0).tobytes())) > 100
    assert len(encode_picture(photograph(grey))) < 20_000


def test_a_shown_picture_tells_its_size() -> None:
    shown = show_picture(draw(size=(1024, 256)))
    assert (shown.width, shown.height) == (SIDE, SIDE // 4)
    assert shown.uri.startswith("data:image/webp;base64,")


def test_nothing_of_a_file_but_its_pixels_is_shown() -> None:
    info = PngImagePlugin.PngInfo()
    info.add_text("family", "geometry.image")
    buffer = io.BytesIO()
    draw().save(buffer, "PNG", pnginfo=info)
    assert b"geometry.image" in buffer.getvalue()
    assert b"geometry" not in encode_picture(open_picture(buffer.getvalue()))


def test_transparency_is_seen_on_white() -> None:
    clear = Pillow.new("RGBA", (20, 20), (0, 0, 0, 0))
    buffer = io.BytesIO()
    clear.save(buffer, "PNG")
    assert open_picture(buffer.getvalue()).getpixel((5, 5)) == (255, 255, 255)


def test_bytes_that_are_no_picture_are_refused() -> None:
    with pytest.raises(PictureError, match="not a readable picture"):
        open_picture(b"<svg/>")


def test_a_picture_that_claims_gigabytes_is_refused_unread() -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    header = (40_000).to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
    bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    with pytest.raises(PictureError):
        open_picture(bomb)
