"""What is measured of texts and pictures."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as Pillow

from counterfoil.tasks.tells.pictures import LARGEST, THUMBNAIL, list_names, see_picture
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


def test_a_text_is_counted():
    text = "AB = 10.5, BA = 4. So 15 is 15!"
    expected = {
        "characters": 31,
        "words": 4,
        "sentences": 2,
        "lines": 1,
        "mean word length": 2,
        "distinct words, share": 1,
        "capital letters, share": 5 / 31,
        "digits, share": 8 / 31,
        "punctuation, share": 6 / 31,
        "signs beyond ASCII, share": 0,
        "numbers": 4,
        "distinct numbers, share": 3 / 4,
        "numbers with decimals, share": 1 / 4,
        "largest number, log": np.log(16),
        "smallest number, log": np.log(5),
        "digits after the point": 1,
        "even numbers, share": 1 / 4,
        "multiples of five, share": 2 / 4,
        "names": 2,
        "the longest sentence, words": 7,
        "the shortest sentence, words": 4,
        "repeated pairs of words, share": 0,
        "equal neighbouring words": 0,
        "sentence lengths, spread": 1.5,
    }
    told = dict(zip(NAMES, measure_text(text), strict=True))
    assert {name: told[name] for name in expected} == pytest.approx(expected)
    again = dict(zip(NAMES, measure_text("AB AB AB"), strict=True))
    assert (again["repeated pairs of words, share"], again["equal neighbouring words"]) == (0.5, 2)


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


RECTANGLES = (
    (20, 10, 40, 20, (255, 0, 0)),
    (100, 50, 6, 4, (0, 0, 0)),
    (150, 80, 8, 2, (0, 0, 0)),
    (180, 5, 1, 1, (0, 0, 0)),
)
"""Left, top, width, height and colour, apart from each other on 200 x 100 pixels of white."""


@pytest.fixture(scope="module")
def seen() -> dict[str, float]:
    """What is measured of the rectangles."""
    pixels = np.full((100, 200, 3), 255, dtype=np.uint8)
    for left, top, wide, high, colour in RECTANGLES:
        pixels[top : top + high, left : left + wide] = colour
    return dict(zip(list_names(), see_picture(encode(Pillow.fromarray(pixels))).numbers, strict=True))


def test_parts_are_measured_by_their_sizes(seen):
    told = {name.partition(": ")[2]: value for name, value in seen.items() if name.startswith("parts")}
    assert told == pytest.approx(
        {
            "number": 4,
            "small ones": 3,
            "specks": 1,
            "largest, share of ink": 800 / 841,
            "second, share of ink": 24 / 841,
            "small, median height": 0.02,
            "small, largest height": 0.04,
            "small, smallest height": 0.01,
            "small, median width": 0.03,
            "largest, height": 0.2,
            "largest, width": 0.2,
        }
    )
    paper = 1 - 841 / 20_000
    assert [seen[f"holes: {name}"] for name in ("number", "tiny ones", "second", "third")] == [1, 0, 0, 0]
    assert (seen["holes: largest"], seen["holes: median"]) == pytest.approx((paper, paper))


def test_places_of_ink_are_measured_pixel_by_pixel(seen):
    inked = [
        (x + 0.5, y + 0.5)
        for left, top, wide, high, _ in RECTANGLES
        for x in range(left, left + wide)
        for y in range(top, top + high)
    ]
    across, down = (np.array(each) for each in zip(*inked, strict=True))
    expected = {
        "left margin": 0.1,
        "right margin": 19 / 200,
        "top margin": 0.05,
        "bottom margin": 0.18,
        "box, width over height": 161 / 77,
        "box, share": 161 * 77 / 20_000,
        "ink in the box": 841 / (161 * 77),
        "centre across": across.mean() / 200,
        "centre down": down.mean() / 100,
        "spread across": across.std() / 200,
        "spread down": down.std() / 100,
        "like its mirror image": 0,
        "like itself upside down": 0,
    }
    assert {name: seen[f"place: {name}"] for name in expected} == pytest.approx(expected)
    cells = [value for name, value in seen.items() if name.startswith("place: ink in cell")]
    assert len(cells) == 16 and sum(cells) == pytest.approx(16 * 841 / 20_000)
    assert seen["place: ink in cell 1, 1"] == pytest.approx(30 * 15 / 1250)
    assert seen["place: ink in cell 2, 2"] == pytest.approx(10 * 5 / 1250)


def test_ink_and_strokes_are_measured(seen):
    depths = [
        (wide - 2 * k) * (high - 2 * k) for *_, wide, high, _ in RECTANGLES for k in range((min(wide, high) + 1) // 2)
    ]
    expected = {
        "ink: share": 841 / 20_000,
        "ink: mass": 841 / 20_000,
        "ink: depth 5 of 6": 0,
        "ink: depth 6 of 6": 1,
        "ink: changes along a row": 2 * 27 / 100,
        "ink: rows without any": 0.73,
        "ink: columns without any": 145 / 200,
        "ink: fullest row": 0.2,
        "ink: fullest column": 0.2,
        "strokes: mean depth": sum(depths) / 841,
        "strokes: greatest depth": 10,
        "strokes: mean run across": 841 / 27,
        "strokes: longest run across": 0.2,
        "strokes: mean run down": 841 / 55,
        "strokes: longest run down": 0.2,
        "strokes: long runs across": 20,
        "strokes: long runs down": 40,
        "colours: number, log": np.log(3),
        "colours: mean": (3 * (20_000 - 841) + 800) / 60_000,
        "colours: coloured, share": 0.04,
        "colours: mean spread": 0.04,
        "colours: ink near #f00": 800 / 841,
        "colours: ink near #000": 41 / 841,
        "colours: ink near #888": 0,
        "file: bands": 3,
        "file: palette": 0,
        "width": 200,
        "height": 100,
        "width over height": 2,
    }
    assert {name: seen[name] for name in expected} == pytest.approx(expected)


def test_a_picture_that_is_large_one_way_is_made_smaller_before_its_ink_is_measured():
    pixels = np.full((40, 4 * LARGEST), 255, dtype=np.uint8)
    pixels[12:28, 4:-4] = 0
    seen = dict(zip(list_names(), see_picture(encode(Pillow.fromarray(pixels))).numbers, strict=True))
    assert seen["width"] == 4 * LARGEST
    assert seen["strokes: mean run across"] == LARGEST - 2
    assert seen["strokes: mean run down"] == 4


def test_edges_have_directions_and_blank_paper_has_none():
    upright = np.full((60, 60), 255, dtype=np.uint8)
    upright[:, 30:] = 0
    across, down, blank = (
        dict(zip(list_names(), see_picture(encode(Pillow.fromarray(each))).numbers, strict=True))
        for each in (upright, upright.T.copy(), np.full((60, 60), 255, dtype=np.uint8))
    )
    assert across["edges: at 0 degrees"] == down["edges: at 90 degrees"] == 1
    # Two columns of 60 pixels with a Sobel response of 4 x 255 each.
    assert across["edges: strength"] == down["edges: strength"] == pytest.approx(2 * 60 * 4 / 3600)
    assert across["edges: rough, mean"] == pytest.approx(2 * 60 * 255 / 3600)
    assert [value for name, value in blank.items() if name.startswith("edges")] == [0] * 14
    assert blank["parts: largest, height"] == blank["parts: largest, width"] == blank["parts: small, median width"] == 0
    assert blank["place: centre across"] == 0.5 and blank["place: spread down"] == 0
