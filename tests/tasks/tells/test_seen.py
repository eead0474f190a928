"""What is measured of texts and pictures."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as Pillow

from counterfoil.tasks.tells.pictures import THUMBNAIL, list_names, see_picture
from counterfoil.tasks.tells.wording import NAMES, list_ngrams, measure_text


def encode(picture: Pillow.Image, kind: str = "PNG", **options) -> bytes:
    sink = io.BytesIO()
    picture.save(sink, kind, **options)
    return sink.getvalue()


@settings(max_examples=200)
@given(st.text())
def test_any_text_is_measured_in_finite_numbers(text):
    numbers = measure_text(text)
    assert numbers.shape == (len(NAMES),)
    assert np.isfinite(numbers).all()
    assert all(list_ngrams(text))


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("AB = 4. BA = 5.", "names that run backwards, share", 0.5),
        ("AB = 4. BA = 5.", "names said before in another order, share", 0.5),
        ("ACB and ABC", "names in no order, share", 0.5),
        ("It is 2.25 and 3", "numbers with decimals, share", 0.5),
        ("It is 2.25 and 3", "digits after the point", 2),
        ("One. Two three. Four", "sentences", 3),
        ("x² is ٣", "numbers", 1),
    ],
)
def test_counts_of_a_text(text, name, value):
    assert measure_text(text)[NAMES.index(name)] == value


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGB", "RGBA", "CMYK", "I;16"])
@pytest.mark.parametrize("size", [(1, 1), (40, 3), (500, 700)])
def test_any_picture_is_measured_in_finite_numbers(mode, size):
    kind = "TIFF" if mode == "CMYK" else "PNG"
    seen = see_picture(encode(Pillow.new(mode, size), kind))
    assert seen.numbers.shape == (len(list_names()),)
    assert np.isfinite(seen.numbers).all()
    assert seen.thumbnail.shape == (THUMBNAIL, THUMBNAIL)


def test_parts_and_holes_are_counted():
    picture = Pillow.new("L", (200, 200), "white")
    pixels = np.array(picture)
    pixels[20:60, 20:60] = 0
    pixels[30:50, 30:50] = 255
    pixels[100:104, 100:104] = 0
    seen = dict(zip(list_names(), see_picture(encode(Pillow.fromarray(pixels))).numbers, strict=True))
    assert seen["parts: number"] == 2
    assert seen["parts: small ones"] == 1
    assert seen["holes: number"] == 2
    assert seen["holes: second"] == pytest.approx(400 / 40_000)
    assert seen["ink: share"] == pytest.approx((1600 - 400 + 16) / 40_000)


def test_ink_is_what_differs_from_the_border_on_dark_paper_too():
    pixels = np.full((100, 100), 30, dtype=np.uint8)
    pixels[40:60, 40:60] = 240
    seen = dict(zip(list_names(), see_picture(encode(Pillow.fromarray(pixels))).numbers, strict=True))
    assert seen["ink: share"] == pytest.approx(0.04)
