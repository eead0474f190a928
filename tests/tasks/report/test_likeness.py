"""The table's columns by models: the real classes, tiny and of random weights, on rows that can be told by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow

from counterfoil.storage.rows import Anchor, Contrast, Edit, Image
from counterfoil.tasks.encoders import EncoderError
from counterfoil.tasks.report.collect import collect
from counterfoil.tasks.report.likeness import Judges, measure_likeness
from counterfoil.tasks.report.page import render_page
from counterfoil.tasks.report.parts import Shelved
from tests.needing import skip_without
from tests.tasks.report.sample import SampleTables, to_png

skip_without("torch", reason="models need an extra: pip install 'counterfoil[train]'")
skip_without("transformers", reason="models need an extra: pip install 'counterfoil[train]'")
skip_without("bert_score", reason="texts need an extra: pip install 'counterfoil[sft]'")

from tests.tasks.encoders.tiny import save_clip, save_dino, save_sentences

CAPTION = "a dog sits on a box"


@pytest.fixture(scope="module")
def judges(tmp_path_factory: pytest.TempPathFactory) -> Judges:
    folder = tmp_path_factory.mktemp("models")
    save_sentences(folder / "bert")
    return Judges(save_clip(folder / "clip"), save_dino(folder / "dino"), str(folder / "bert" / "inner"))


def draw(seed: int) -> Image:
    pixels = np.random.default_rng(seed).integers(0, 256, (40, 40, 3), np.uint8)
    return Image(to_png(Pillow.fromarray(pixels)), f"{seed}.png")


def make_tables(text: str, picture: Image | None) -> SampleTables:
    anchor = Anchor("a", "caption", "pairs", "1", "train", image=draw(0), caption=CAPTION, captions=(CAPTION,))
    family, modality = ("caption.edit", "image") if picture else ("caption.concrete", "text")
    row = Contrast(
        "a",
        family,
        "negative",
        modality,
        text=text,
        image=picture,
        edits=(Edit("replace_obj", "dog", "cat"),),
        concreteness=4.9,
        similarity=0.5 if picture else None,
    )
    return SampleTables([anchor], [row], [])


def test_what_is_equal_is_wholly_alike_and_what_differs_is_less(judges: Judges) -> None:
    equal = measure_likeness(make_tables("A dog sits on a box", draw(0)), ["caption.edit"], judges)[0]
    assert equal.dino == pytest.approx(1, abs=1e-5) and equal.clip_images == pytest.approx(1, abs=1e-5)
    # Neither is nearer than itself.
    assert equal.text_to_image == 0.0
    changed = measure_likeness(make_tables("a cat sits on a box", draw(1)), ["caption.edit"], judges)[0]
    assert changed.dino is not None and changed.dino < 1 - 1e-4
    assert changed.bert is not None and 0 < changed.bert < 1 - 1e-4
    assert changed.clip_texts is not None and changed.clip_texts < 1
    assert changed.image_to_text in (0.0, 1.0) and changed.text_to_image in (0.0, 1.0)


def test_of_texts_alone_no_picture_is_compared(judges: Judges) -> None:
    found = measure_likeness(make_tables("a cat sits on a box", None), ["caption.concrete"], judges)[0]
    assert found.dino is None and found.clip_images is None and found.text_to_image is None
    assert found.bert is not None and found.image_to_text is not None


def test_columns_without_a_model_are_left_out_and_said_so(judges: Judges) -> None:
    tables = make_tables("a cat sits on a box", None)
    none = render_page(collect(tables, 1), Shelved({}, ""), {}, {})
    assert "are left out: name models" in none and 'col">BERTScore</th>' not in none
    some = render_page(collect(tables, 1, judges=Judges(bert=judges.bert)), Shelved({}, ""), {}, {})
    assert 'col">BERTScore</th>' in some and 'col">CLIP-L</th>' not in some
    assert "Left out, as no model was named for them: I2T accuracy, T2I accuracy, CLIP-L, CLIP-V and DINOScore." in some


def test_without_judges_nothing_is_measured() -> None:
    assert measure_likeness(make_tables("a cat", None), ["caption.concrete"], Judges()) == ()


@pytest.mark.parametrize("kind", ["clip", "dino", "bert"])
def test_a_model_that_is_not_there_is_told(kind: str, tmp_path: Path) -> None:
    tables = make_tables("a cat sits on a box", None)
    with pytest.raises(EncoderError, match="nothing-here"):
        measure_likeness(tables, ["caption.concrete"], Judges(**{kind: str(tmp_path / "nothing-here")}))


def test_a_model_without_two_towers_is_refused_for_clip() -> None:
    tables = make_tables("a cat sits on a box", None)
    with pytest.raises(EncoderError, match="no two towers"):
        measure_likeness(tables, ["caption.concrete"], Judges(clip="hashed"))
