"""The encoder without a model: near is what shares words, letters, strokes and colours."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image as Pillow
from PIL import ImageDraw

from counterfoil.storage.rows import fingerprint
from counterfoil.tasks.encoders import HASHED, EncoderError, load_encoder
from counterfoil.tasks.encoders.hashed import HashedEncoder

ENCODER = load_encoder(HASHED)
TEXTS = ("In triangle ABC, AB = 8.", "In triangle ABC, AB = 6.", "A dog sits on the grass.")


def draw(line: tuple[int, int, int, int], ink: str = "black", paper: str = "white", mode: str = "RGB") -> bytes:
    picture = Pillow.new("RGB", (120, 120), paper)
    ImageDraw.Draw(picture).line(line, fill=ink, width=3)
    sink = BytesIO()
    picture.convert(mode).save(sink, "PNG")
    return sink.getvalue()


def test_vectors_have_the_length_one() -> None:
    texts, pictures = ENCODER.encode_texts(TEXTS), ENCODER.encode_images([draw((10, 10, 100, 100))])
    assert texts.shape == (3, ENCODER.dimension)
    assert texts.dtype == pictures.dtype == np.float32
    assert np.allclose(np.linalg.norm(np.vstack([texts, pictures]), axis=1), 1)


def test_no_text_is_a_vector_of_zeros() -> None:
    assert not ENCODER.encode_texts([""]).any()
    assert ENCODER.encode_texts([]).shape == ENCODER.encode_images([]).shape == (0, ENCODER.dimension)


def test_texts_that_share_words_are_near() -> None:
    first, second, third = ENCODER.encode_texts(TEXTS)
    assert first @ second > 0.7
    assert first @ second > first @ third + 0.4


def test_letters_of_points_keep_their_case() -> None:
    first, second = ENCODER.encode_texts(["AB", "ab"])
    assert first @ second < 0.5


def test_pictures_whose_strokes_lie_alike_are_near() -> None:
    one, near, far = ENCODER.encode_images([draw((10, 10, 100, 100)), draw((14, 8, 104, 98)), draw((10, 100, 100, 10))])
    assert one @ near > 0.8
    assert one @ near > one @ far + 0.2


def test_pictures_of_other_colours_are_further_than_equal_ones() -> None:
    line = (10, 60, 110, 60)
    black, red, again = ENCODER.encode_images([draw(line), draw(line, "red"), draw(line)])
    assert black @ again == pytest.approx(1)
    assert black @ red < 0.95


def test_a_blank_picture_has_a_vector_too() -> None:
    (vector,) = ENCODER.encode_images([draw((0, 0, 0, 0), ink="white")])
    assert not vector.any()


def test_what_is_no_picture_is_named_by_its_place() -> None:
    with pytest.raises(EncoderError, match="picture 1 of those to encode cannot be read \\(of no known format\\)"):
        ENCODER.encode_images([draw((1, 1, 9, 9)), b"no picture"])


def test_a_vector_does_not_depend_on_its_company() -> None:
    assert np.array_equal(ENCODER.encode_texts(TEXTS)[1], ENCODER.encode_texts(TEXTS[1:2])[0])


def test_vectors_are_those_of_the_identity() -> None:
    vectors = ENCODER.encode_texts(TEXTS), ENCODER.encode_images([draw((10, 10, 100, 100), "navy", "ivory")])
    digest = fingerprint(*(np.round(each, 5).tobytes() for each in vectors))[:16]
    assert (HashedEncoder.identity, digest) == ("hashed-1", "86553c1e6b4aa06d"), (
        "vectors changed: raise the number of the identity"
    )
