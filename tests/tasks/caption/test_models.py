"""The ways by models: real classes in tiny configurations with random weights, on photographs of scikit-learn."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow

from counterfoil.storage.rows import Anchor, Contrast, Edit, Image
from counterfoil.tasks.caption.checks import open_picture, write_png
from counterfoil.tasks.caption.domain import DOMAIN
from counterfoil.tasks.caption.families.likeness import measure_similarity
from counterfoil.tasks.caption.families.photographs import edit_shard
from counterfoil.tasks.caption.models.loading import ModelError
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Draft
from counterfoil.tasks.engine.rows import make_contrasts
from tests.needing import skip_without

skip_without("torch", reason="models need an extra: pip install 'counterfoil[edit,train]'")
skip_without("diffusers", reason="models need an extra: pip install 'counterfoil[edit,train]'")
skip_without("transformers", reason="models need an extra: pip install 'counterfoil[edit,train]'")
skip_without("spacy", reason="captions are parsed by an extra: pip install 'counterfoil[text]'")

from tests.tasks.caption import tiny

CAPTION = "A small dog sits on a red box."


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("models")
    return {
        "editor": tiny.save_editor(folder / "editor"),
        "masker": tiny.save_masker(folder / "masker"),
    }


@pytest.fixture(scope="module")
def photograph() -> np.ndarray:
    from sklearn.datasets import load_sample_image

    picture = Pillow.fromarray(load_sample_image("flower.jpg")).resize((160, 120))
    return np.asarray(picture)


def make_anchor(photograph: np.ndarray, number: int = 0) -> Anchor:
    sink = io.BytesIO()
    Pillow.fromarray(photograph).save(sink, "JPEG", quality=92)
    image = Image(sink.getvalue(), "a.jpg")
    captions = (CAPTION, "A dog.")
    return Anchor(f"a{number}", "caption", "pairs", "1", "train", image=image, caption=CAPTION, captions=captions)


def open_context(**settings: Any) -> Context[Any]:
    found = CaptionSettings(source="pairs:x", edit_side=64, edit_batch=2, **settings)
    return Context(found, 7, None)  # type: ignore[arg-type]


def draft(text: str) -> Draft:
    return Draft(text=text, edits=(Edit("replace_obj", "dog", "cat"),), concreteness=4.85)


@pytest.fixture(scope="module")
def edited(models: dict[str, str], photograph: np.ndarray) -> Iterator[list[np.ndarray]]:
    """Three photographs edited in batches of two."""
    context = open_context(editor=models["editor"])
    wanted = [(make_anchor(photograph, i), draft(CAPTION.replace("dog", "cat"))) for i in range(3)]
    made: Any = edit_shard(wanted, context).prepared["caption.edits"]
    yield list(made.values())


def test_photographs_are_edited_in_batches_and_keep_their_size(
    edited: list[np.ndarray], photograph: np.ndarray
) -> None:
    assert len(edited) == 3
    assert {picture.shape for picture in edited} == {photograph.shape}
    assert all(picture.dtype == np.uint8 for picture in edited)


def test_a_picture_depends_on_its_own_row_and_not_on_its_batch(
    edited: list[np.ndarray], models: dict[str, str], photograph: np.ndarray
) -> None:
    context = open_context(editor=models["editor"])
    alone: Any = edit_shard([(make_anchor(photograph, 1), draft(CAPTION.replace("dog", "cat")))], context).prepared[
        "caption.edits"
    ]
    (picture,) = alone.values()
    assert np.abs(picture.astype(int) - edited[1]).max() <= 1
    # Another row has other noise.
    assert np.abs(picture.astype(int) - edited[2]).max() > 8


def test_a_model_that_is_not_there_says_which_key_names_it(tmp_path: Path, photograph: np.ndarray) -> None:
    context = open_context(editor=str(tmp_path / "none"))
    with pytest.raises(ModelError, match=r"editor = .*hub id or a folder"):
        edit_shard([(make_anchor(photograph), draft("A cat."))], context)


def verify(contrast: Contrast, anchor: Anchor, **settings: Any) -> list[str]:
    return list(DOMAIN.families["caption.edit"].verify(contrast, anchor, open_context(**settings)).reasons)


def make_row(anchor: Anchor, picture: np.ndarray) -> Contrast:
    assert anchor.image is not None
    alike = measure_similarity(picture, open_picture(anchor.image.bytes))
    return Contrast(
        anchor.anchor_id,
        "caption.edit",
        "negative",
        "image",
        text=CAPTION.replace("dog", "cat"),
        image=Image(write_png(picture), "b.png"),
        edits=(Edit("replace_obj", "dog", "cat"),),
        concreteness=4.85,
        similarity=round(alike, 4),
    )


def paint_over(photograph: np.ndarray) -> np.ndarray:
    """A part of the photograph repainted, as an editor does."""
    changed = photograph.copy()
    changed[30:80, 40:100] = changed[30:80, 40:100, ::-1] // 2
    return changed


def test_a_changed_photograph_of_the_same_scene_passes_where_nobody_is_to_judge_it(photograph: np.ndarray) -> None:
    anchor = make_anchor(photograph)
    assert verify(make_row(anchor, paint_over(photograph)), anchor, edit_unjudged=True) == []


def test_what_is_no_edit_of_the_photograph_is_refused(photograph: np.ndarray) -> None:
    anchor = make_anchor(photograph)
    assert anchor.image is not None
    noise = np.random.default_rng(0).integers(0, 255, photograph.shape, np.uint8)
    good = make_row(anchor, paint_over(photograph))
    refused = {
        "change_visible": make_row(anchor, open_picture(anchor.image.bytes)),
        "same_scene": make_row(anchor, noise),
        "size_kept": make_row(anchor, paint_over(photograph)[:100]),
        "similarity_measured": replace(good, similarity=0.1),
        "picture_stored": replace(good, image=None),
        "only_named_words_changed": replace(good, text="A small cat sits on a blue box."),
    }
    for reason, row in refused.items():
        assert verify(row, anchor)[0].startswith(reason), (reason, verify(row, anchor))


def test_a_masked_model_refills_words_and_only_sound_ones_are_kept(models: dict[str, str]) -> None:
    anchor = Anchor("a", "caption", "pairs", "1", "train", caption=CAPTION, captions=(CAPTION, "A horse and a box."))
    context = open_context(masker=models["masker"], negatives=2)
    family = DOMAIN.families["caption.mask"]
    rows = make_contrasts([family], anchor, context)
    kept = [row for row in rows if isinstance(row, Contrast)]
    assert len(kept) == 2
    assert {(edit.target, edit.replacement) for row in kept for edit in row.edits} <= {
        ("dog", "cat"),
        ("red", "blue"),
        ("on", "under"),
    }
    # A puppy is a dog, and another caption tells of a horse.
    refused = {reason.partition(":")[0] for row in rows if not isinstance(row, Contrast) for reason in row.reasons}
    assert refused <= {
        "excludes_original",
        "unsaid_elsewhere",
        "part_of_speech_kept",
        "word_known",
        "told_by_sight",
        "unit_replaced",
        "parse_kept",
        "one_sentence",
        "exhausted",
        "shortfall",
        "said_once",
        "of_a_kind",
    }


def test_a_photograph_without_an_editor_is_a_reject_that_says_so(photograph: np.ndarray) -> None:
    (family,) = [each for name, each in DOMAIN.families.items() if name == "caption.edit"]
    rows = make_contrasts([family], make_anchor(photograph), open_context())
    assert any("no_model" in reason for row in rows if not isinstance(row, Contrast) for reason in row.reasons)


def test_less_than_one_step_of_painting_is_refused_in_the_recipe() -> None:
    with pytest.raises(ValueError, match="less than one step"):
        CaptionSettings(source="pairs:x", edit_strength=0.2, edit_steps=4)
