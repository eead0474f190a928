"""A LLaVA from parts: what it is built of, what it sees, saving and loading, and what it needs of memory."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from tests.needing import skip_without

skip_without("torch", reason="models need an extra: pip install 'counterfoil[sft]'")
skip_without("accelerate", reason="models need an extra: pip install 'counterfoil[sft]'")

import torch
import transformers

from counterfoil.tasks.encoders.stem import STEM, StemmedCLIP
from counterfoil.tasks.sft.errors import SftError
from counterfoil.tasks.sft.memory import Load, check_memory, estimate_memory
from counterfoil.tasks.sft.model import build_llava, configure_llava, generate, load_llava, prepare_picture
from tests.tasks.sft import tiny
from tests.tasks.sft.pictures import draw_png


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    return tiny.save_parts(tmp_path_factory.mktemp("parts"))


@pytest.fixture(scope="module")
def llava(parts):
    return build_llava(parts)


def test_the_parts_keep_their_weights(parts, llava):
    tower = transformers.CLIPVisionModel.from_pretrained(parts.vision)
    language = transformers.AutoModelForCausalLM.from_pretrained(parts.language)
    assert all(
        torch.equal(value, llava.model.model.vision_tower.state_dict()[name])
        for name, value in tower.state_dict().items()
    )
    words = language.get_input_embeddings().weight
    assert torch.equal(words, llava.model.get_input_embeddings().weight[: len(words)])
    assert llava.model.get_input_embeddings().num_embeddings == len(llava.processor.tokenizer)
    linear = [each for each in llava.model.model.multi_modal_projector.modules() if isinstance(each, torch.nn.Linear)]
    assert [(each.in_features, each.out_features) for each in linear] == [(32, 32), (32, 32)]
    assert not any(each.is_meta for each in llava.model.parameters())


@pytest.mark.parametrize("tower", ["clip", "siglip"])
def test_a_picture_takes_its_patches_and_no_class_token(tower, tmp_path):
    llava = tiny.build(tmp_path, tower)
    prompt = llava.write_prompt("What is it?", 1)
    shown = llava.processor(images=[llava.show(draw_png(1))], text=[prompt], return_tensors="pt")
    assert llava.count_picture_tokens(draw_png(1)) == 16
    assert (shown["input_ids"] == llava.model.config.image_token_id).sum() == 16
    assert torch.isfinite(llava.model(**shown).logits).all()


def test_the_features_are_those_of_the_layer_that_was_asked_for(parts):
    pixels = torch.rand(1, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    tower = transformers.CLIPVisionModel.from_pretrained(parts.vision)
    states = tower(pixels, output_hidden_states=True).hidden_states
    for layer in (-2, -1):
        llava = build_llava(replace(parts, feature_layer=layer))
        got = llava.model.get_image_features(pixels).pooler_output[0]
        assert torch.allclose(got, llava.model.model.multi_modal_projector(states[layer][:, 1:])[0], atol=1e-6)


def test_a_tower_with_a_stem_of_convolutions_keeps_its_weights_and_is_saved_and_loaded(parts, tmp_path):
    whole = StemmedCLIP(transformers.CLIPConfig.from_pretrained(parts.vision)).eval()
    setattr(whole.config, STEM, "convolutions")
    whole.save_pretrained(tmp_path / "clip")
    transformers.CLIPImageProcessorPil.from_pretrained(parts.vision).save_pretrained(tmp_path / "clip")
    llava = build_llava(replace(parts, vision=str(tmp_path / "clip")))
    pixels = torch.rand(2, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    states = whole.vision_model(pixels, output_hidden_states=True).hidden_states
    wanted = llava.model.model.multi_modal_projector(states[-2][:, 1:])
    got = torch.stack(tuple(llava.model.get_image_features(pixels).pooler_output))
    assert torch.allclose(got, wanted, atol=1e-6)
    llava.save(tmp_path / "llava")
    again = load_llava(str(tmp_path / "llava"), device="cpu")
    loaded = again.model.state_dict()
    assert all(torch.equal(value, loaded[name]) for name, value in llava.model.state_dict().items())


def test_a_saved_model_writes_what_it_wrote_before(llava, tmp_path):
    asked = (["What is it?", "How many?"], [[draw_png(1)], [draw_png(2), draw_png(3)]])
    before = generate(llava, *asked, most_tokens=8)
    llava.save(tmp_path / "model")
    again = load_llava(str(tmp_path / "model"), device="cpu")
    assert generate(again, *asked, most_tokens=8) == before
    assert [generate(again, [q], [p], most_tokens=8)[0] for q, p in zip(*asked, strict=True)] == before


def test_a_question_can_be_asked_without_a_picture(llava):
    assert len(generate(llava, ["What is it?"], [[]], most_tokens=4)) == 1


def test_a_wide_picture_is_shown_whole():
    shown = prepare_picture(draw_png(0, (40, 20)), 32)
    assert shown.size == (32, 32)
    assert shown.getpixel((0, 16)) == shown.getpixel((31, 16)) == (0, 0, 200)
    assert shown.getpixel((16, 0)) == shown.getpixel((16, 31)) == (255, 255, 255)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        # Folders, so that no hub is asked for them.
        ({"vision": "/nowhere/at/all"}, "vision tower '/nowhere/at/all' cannot be loaded"),
        ({"language": "/nowhere/at/all"}, "language model '/nowhere/at/all' cannot be loaded"),
        ({"feature_layer": -9}, "has 2 layers"),
    ],
)
def test_a_part_that_cannot_be_used_is_named(parts, change, message):
    with pytest.raises(SftError, match=message):
        build_llava(replace(parts, **change))


def test_with_tiles_a_picture_takes_tokens_by_its_proportions_and_a_saved_model_writes_the_same(parts, tmp_path):
    llava = build_llava(replace(parts, tiles=True))
    assert isinstance(llava.model, transformers.LlavaNextForConditionalGeneration)
    wide, square = draw_png(1, (64, 32)), draw_png(2, (48, 48))
    for picture in (wide, square):
        prompt = llava.write_prompt("What is it?", 1)
        shown = llava.processor(images=[llava.show(picture)], text=[prompt], return_tensors="pt")
        counted = (shown["input_ids"] == llava.model.config.image_token_id).sum()
        assert counted == llava.count_picture_tokens(picture) > 16
        assert torch.isfinite(llava.model(**shown).logits).all()
    assert llava.show(wide).size == (64, 32)
    asked = (["What is it?", "How many?"], [[wide], [square]])
    before = generate(llava, *asked, most_tokens=6)
    llava.save(tmp_path / "next")
    assert generate(load_llava(str(tmp_path / "next"), device="cpu"), *asked, most_tokens=6) == before


def test_a_language_model_is_no_tower(parts):
    with pytest.raises(SftError, match="vision tower"):
        build_llava(replace(parts, vision=parts.language))


def test_memory_is_told_before_anything_is_loaded(parts, llava):
    config = configure_llava(parts)
    config.text_config.vocab_size = len(llava.processor.tokenizer)
    total = sum(each.numel() for each in llava.model.parameters())
    adapter = sum(each.numel() for each in llava.model.model.multi_modal_projector.parameters())
    needed = estimate_memory(config, Load(trains_language=False, tokens=64))
    assert needed.weights == 4 * total and needed.gradients == 4 * adapter and needed.optimiser == 8 * adapter
    more = estimate_memory(config, Load(trains_language=True, tokens=64))
    lora = estimate_memory(config, Load(trains_language=True, lora_rank=4, tokens=64))
    assert needed.gradients < lora.gradients < more.gradients
    summed = estimate_memory(config, Load(trains_language=True, tokens=64, accumulate=2))
    assert summed.total - more.total == min(more.gradients, more.activations) > 0
    with pytest.raises(SftError, match=r"stage 2 needs about .* make batch_size"):
        check_memory(needed, needed.total - 1, "stage 2")


FREES = """
import ctypes, psutil
from counterfoil.tasks.sft.memory import Memory, save_memory
save_memory(Memory(0, 0, 0, 0), 0)
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
before = psutil.Process().memory_info().rss
for _ in range(3):
    held = []
    for _ in range(32):
        held += [libc.malloc(4 << 20), libc.malloc(1 << 10)]
        libc.memset(held[-2], 1, 4 << 20)
    for each in held[::2]:
        libc.free(each)
print(psutil.Process().memory_info().rss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's setting")
def test_where_little_is_free_large_blocks_go_back_as_they_are_freed():
    done = subprocess.run([sys.executable, "-c", FREES], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 16 << 20
