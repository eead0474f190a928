"""Overlap of two sides: shares, separation, vectors that are kept, and files of texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from counterfoil.tasks.encoders import HASHED, load_encoder
from counterfoil.tasks.encoders.hashed import HashedEncoder
from counterfoil.tasks.mining.errors import MiningError
from counterfoil.tasks.mining.overlap import measure_overlap, separate_sides
from counterfoil.tasks.mining.sides import Side
from counterfoil.tasks.mining.vectors import VectorTable

TRAIN = ["In triangle ABC, AB = 8.", "A dog sits on the grass.", "Circle O has radius 5."]
TEST = ["In triangle ABC, AB = 8.", "Two cars stand in a street.", "Find the area of the square KLMN."]


class CountingEncoder(HashedEncoder):
    """The encoder without a model, that counts what it encodes."""

    def __init__(self) -> None:
        self.encoded = 0

    def encode_texts(self, texts: Sequence[str]) -> np.ndarray:
        self.encoded += len(texts)
        return super().encode_texts(texts)


def write(path: Path, lines: Sequence[str]) -> Side:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return Side.parse(str(path))


def test_each_row_of_a_finds_its_nearest_of_b(tmp_path: Path) -> None:
    a, b = write(tmp_path / "a.txt", TRAIN), write(tmp_path / "b.txt", TEST)
    found = measure_overlap(a, b, load_encoder(HASHED), "text", k=2, pairs=3, folder=tmp_path / "vectors")
    assert found.nearest.shape == (3, 2)
    assert found.share_over(0.995) == pytest.approx(1 / 3)
    assert found.list_over(0.995) == {"1"}
    assert (found.pairs[0].a.text, found.pairs[0].b.text) == (TRAIN[0], TEST[0])
    assert found.pairs[0].score == pytest.approx(1)
    assert found.rows_b == 3 and found.how == "plain, exact"


def test_a_side_is_not_compared_with_itself(tmp_path: Path) -> None:
    side = write(tmp_path / "a.txt", TRAIN)
    with pytest.raises(MiningError, match="compared with itself"):
        measure_overlap(side, side, load_encoder(HASHED), "text", folder=tmp_path)


def test_a_side_without_pictures_cannot_be_compared_by_them(tmp_path: Path) -> None:
    a, b = write(tmp_path / "a.txt", TRAIN), write(tmp_path / "b.txt", TEST)
    with pytest.raises(MiningError, match=r"a\.txt has no picture to compare"):
        measure_overlap(a, b, load_encoder(HASHED), "image", folder=tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("gone.txt", None, "no such file"),
        ("rows.jsonl", "{\n", r"rows\.jsonl, line 1: no JSON"),
        ("rows.jsonl", '{"caption": "a"}\n{"id": 1}\n', r"line 2: an object with one of text, caption"),
    ],
)
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, name: str, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(MiningError, match=message):
        list(Side.parse(str(tmp_path / name)).read("text"))


def test_what_is_no_dataset_is_told(tmp_path: Path) -> None:
    with pytest.raises(MiningError, match="holds no dataset"):
        Side.parse(str(tmp_path / "nothing"))


def test_fields_of_a_row_are_tried_in_order(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"caption": "a", "question": "b"}\n\n{"question": "c"}\n')
    assert [(item.row_id, item.text) for item in Side.parse(str(path)).read("text")] == [("1", "a"), ("3", "c")]


def test_sides_that_differ_are_told_apart_and_like_sides_are_not() -> None:
    rng = np.random.default_rng(0)
    one, other = rng.normal(0, 0.1, (60, 8)), rng.normal(0, 0.1, (90, 8))
    apart = separate_sides(one + np.eye(8)[0], other + np.eye(8)[1])
    mixed = separate_sides(one + np.eye(8)[0], other + np.eye(8)[0])
    assert apart is not None and mixed is not None
    assert apart.accuracy == apart.rand == 1 and apart.silhouette > 0.8
    assert mixed.accuracy < 0.65 and abs(mixed.rand) < 0.1 and abs(mixed.silhouette) < 0.1
    assert apart.places.shape == (120, 2) and apart.sides.sum() == 60


def test_a_handful_of_rows_is_not_told_apart() -> None:
    assert separate_sides(np.ones((2, 4)), np.ones((9, 4))) is None


def test_vectors_that_were_made_are_not_made_again(tmp_path: Path) -> None:
    first, again = CountingEncoder(), CountingEncoder()
    told: list[tuple[int, int]] = []
    made = VectorTable(tmp_path, first).encode("text", [*TRAIN, TRAIN[0]])
    found = VectorTable(tmp_path, again).encode("text", [TEST[1], *TRAIN], lambda *counts: told.append(counts))
    assert (first.encoded, again.encoded) == (3, 1)
    assert np.array_equal(found[1:], made[:3]) and np.array_equal(made[0], made[3])
    assert told == [(3, 4), (1, 4)]
    assert np.array_equal(found, first.encode_texts([TEST[1], *TRAIN]))
