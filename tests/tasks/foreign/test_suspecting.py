"""A model's score as a column beside what words show."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from counterfoil.tasks.encoders.load import MINILM
from counterfoil.tasks.foreign.check import Found, check_foreign
from counterfoil.tasks.foreign.errors import ForeignError
from counterfoil.tasks.foreign.groups import open_foreign
from counterfoil.tasks.foreign.suspecting import open_suspecting
from tests.tasks.encoders.tiny import save_clip, save_pair_scorer
from tests.tasks.foreign.test_reading import write

ROWS = [
    {
        "anchor": "A black dog lying on a mat.",
        "positive": "A dark animal is resting on the floor.",
        "negative_1": "A black dog lies on a mat.",
        "negative_2": "A train arrives at a platform.",
    },
    {"anchor": "A red bus.", "positive": "", "negative_1": "A red bus", "negative_2": "Two cats on a sofa."},
]


def check(path: Path, encoder: str = "", cross_encoder: str = "", keep: Path | None = None) -> list[Found]:
    suspecting = open_suspecting(encoder, cross_encoder)
    return list(check_foreign(open_foreign(str(path)), "caption", suspecting=suspecting, keep=keep))


def test_an_encoder_suspects_what_is_as_near_as_what_is_true(tmp_path: Path) -> None:
    found = check(write(tmp_path / "a.jsonl", ROWS), MINILM)
    assert [each.suspicion for each in found] == [1.0, 0.0, None, None]
    assert found[0].similarity is not None and found[0].similarity > 0.9
    assert found[1].similarity is not None and found[1].similarity < 0.3
    alone = check(tmp_path / "a.jsonl")
    assert [each.similarity for each in alone] == [None] * 4
    # No grade comes of it.
    assert [each.standing for each in alone] == [each.standing for each in found]


def test_clip_compares_texts_with_the_picture_where_there_is_one(tmp_path: Path) -> None:
    data = io.BytesIO()
    Image.new("RGB", (40, 40), "red").save(data, "png")
    (tmp_path / "bus.png").write_bytes(data.getvalue())
    (tmp_path / "torn.png").write_bytes(b"no picture")
    row = {"caption": "A red bus.", "negative": "A blue bus."}
    pictured = [{**row, "image": each} for each in ("bus.png", "torn.png", "missing.png")]
    model = save_clip(tmp_path / "clip")
    found = check(write(tmp_path / "a.jsonl", pictured), model)
    assert found[0].suspicion in (0.0, 1.0), "its caption is true of the picture"
    assert [each.suspicion for each in found[1:]] == [None, None]
    assert found[1].similarity == found[2].similarity != found[0].similarity


def test_a_cross_encoder_reads_both_texts(tmp_path: Path) -> None:
    found = check(write(tmp_path / "a.jsonl", ROWS), cross_encoder=save_pair_scorer(tmp_path / "judge"))
    assert [each.suspicion in (0.0, 1.0) for each in found[:2]] == [True, True]
    assert all(each.similarity is not None for each in found)


def test_findings_of_another_model_are_not_gone_on_with(tmp_path: Path) -> None:
    path, keep = write(tmp_path / "a.jsonl", ROWS), tmp_path / "found.jsonl"
    whole = check(path, MINILM, keep=keep)
    lines = keep.read_bytes()
    keep.write_bytes(lines[: lines.rindex(b"{")])
    assert check(path, MINILM, keep=keep) == whole and keep.read_bytes() == lines
    with pytest.raises(ForeignError, match="name another file"):
        check(path, keep=keep)
    with pytest.raises(ForeignError, match="name one of them"):
        open_suspecting(MINILM, "other")
