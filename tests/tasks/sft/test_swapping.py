"""A LLaVA-NeXT in the layout of its release: its tower exchanged, the rest tuned by low-rank adapters (SaCLIP 4.5)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.needing import skip_without

skip_without("trl", reason="tuning needs an extra: pip install 'counterfoil[sft]'")

import torch
import transformers
from pydantic import ValidationError
from safetensors import safe_open

from counterfoil.tasks.sft.errors import SftError
from counterfoil.tasks.sft.model import Parts, generate, load_llava
from counterfoil.tasks.sft.settings import SftSettings
from counterfoil.tasks.sft.stages import foresee_memory, run_stage
from counterfoil.tasks.sft.swapping import keeps_adapter, make_llava
from tests.tasks.encoders import tiny as towers
from tests.tasks.sft import released, tiny
from tests.tasks.sft.pictures import draw_png
from tests.tasks.sft.test_stages import make_rows


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> str:
    return released.save_llava_next(tmp_path_factory.mktemp("released"))


@pytest.fixture(scope="module")
def ours(tmp_path_factory) -> str:
    """A tower as wide as the released one, which sees smaller pictures."""
    return towers.save_clip(tmp_path_factory.mktemp("ours"))


def choose(base: str, ours: str, **given: object) -> SftSettings:
    small = {"steps": 2, "batch_size": 2, "max_length": 400, "log_every": 1, "device": "cpu", "stages": ["tuning"]}
    chosen = {"lora_rank": 16, "lora_alpha": 32, "learning_rate": 4e-4}
    return SftSettings(base=base, vision=ours, **(small | chosen | given))


def list_parts(before: dict[str, torch.Tensor], after: dict[str, torch.Tensor]) -> set[str]:
    assert before.keys() == after.keys()
    return {name.split(".")[1] for name in before if not torch.equal(before[name], after[name])}


def test_the_release_has_the_names_that_the_hub_has(base):
    (file,) = Path(base).glob("*.safetensors")
    with safe_open(str(file), "pt") as saved:
        names = set(saved.keys())
    assert {
        "image_newline",
        "language_model.lm_head.weight",
        "language_model.model.embed_tokens.weight",
        "multi_modal_projector.linear_1.weight",
        "vision_tower.vision_model.embeddings.class_embedding",
    } <= names
    assert json.loads((Path(base) / "config.json").read_text())["architectures"] == [
        "LlavaNextForConditionalGeneration"
    ]


def test_the_tower_is_exchanged_and_all_else_kept(base, ours):
    whole, swapped = (make_llava(Parts(vision, "", base=base)) for vision in ("", ours))
    assert list_parts(whole.model.state_dict(), swapped.model.state_dict()) == {"vision_tower"}
    tower = transformers.CLIPVisionModel.from_pretrained(ours).state_dict()
    assert all(torch.equal(value, swapped.model.model.vision_tower.state_dict()[name]) for name, value in tower.items())
    assert (whole.side, swapped.side) == (48, 32) and keeps_adapter(Parts(ours, "", base=base))
    assert swapped.model.config.image_grid_pinpoints[0] == [32, 64]
    assert swapped.write_prompt("How many?", 1) == "<s>[INST] <image>\nHow many? [/INST]"


def test_tokens_of_a_picture_are_those_of_the_new_tower(base, ours):
    llava = make_llava(Parts(ours, "", base=base))
    for picture in (draw_png(1, (64, 32)), draw_png(2, (48, 48))):
        shown = llava.processor(
            images=[llava.show(picture)], text=[llava.write_prompt("What?", 1)], return_tensors="pt"
        )
        counted = (shown["input_ids"] == llava.model.config.image_token_id).sum()
        assert counted == llava.count_picture_tokens(picture)
        assert torch.isfinite(llava.model(**shown).logits).all()


def test_the_swapped_model_is_tuned_but_for_its_tower_saved_and_answers(base, ours, tmp_path):
    settings = choose(base, ours)
    (foreseen,) = foresee_memory(settings)
    assert foreseen.stage == "tuning"
    done = run_stage("tuning", settings, make_rows(2), tmp_path / "tuned")
    again = load_llava(done["model"], device="cpu")
    before = make_llava(settings.parts).model.state_dict()
    assert list_parts(before, again.model.state_dict()) == {"language_model", "multi_modal_projector"}
    asked = (["What is it?", "How many?"], [[draw_png(1, (64, 32))], []])
    answers = generate(again, *asked, most_tokens=4)
    assert len(answers) == 2 and answers == generate(load_llava(done["model"], device="cpu"), *asked, most_tokens=4)


def test_a_tower_of_another_width_gets_a_new_adapter(base, tmp_path):
    parts = Parts(released.save_wide_clip(tmp_path), "", base=base)
    llava = make_llava(parts)
    assert llava.model.model.multi_modal_projector.linear_1.in_features == 64 and not keeps_adapter(parts)


def test_what_is_no_llava_or_said_twice_is_told(base, ours, tmp_path):
    language = tiny.save_language(tmp_path / "language")
    with pytest.raises(SftError, match="is a llama, not a LLaVA"):
        make_llava(Parts(ours, "", base=language))
    with pytest.raises(SftError, match="base '/nowhere/at/all' cannot be loaded"):
        make_llava(Parts(ours, "", base="/nowhere/at/all"))
    with pytest.raises(ValidationError, match="base has its own language"):
        SftSettings(base=base, vision=ours, language=language)
    with pytest.raises(ValidationError, match="no vision and no language: name both, or a whole LLaVA as base"):
        SftSettings()
