"""Tiny pictures for the tests."""

from __future__ import annotations

from io import BytesIO

from PIL import Image as Pillow


def draw_png(number: int, size: tuple[int, int] = (24, 16)) -> bytes:
    """A tiny picture that differs by ``number``."""
    sink = BytesIO()
    Pillow.new("RGB", size, (number % 256, number // 256 % 256, 200)).save(sink, "PNG")
    return sink.getvalue()
