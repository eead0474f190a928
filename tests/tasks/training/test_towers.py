from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from PIL import Image as Pillow

from counterfoil.tasks.encoders import load_encoder
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.packing.pictures import pack_picture, unpack_picture
from counterfoil.tasks.training.tokens import Tokens, load_tokens, train_tokenizer
from counterfoil.tasks.training.towers import list_trained, open_towers, write_processor
from tests.tasks.training import tiny

TEXTS = [tiny.say(i % 6, i % 4, i) for i in range(40)]
SMALL: dict[str, Any] = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    return train_tokenizer(TEXTS, 600, 24)


@pytest.fixture(scope="module")
def pictures() -> torch.Tensor:
    return torch.randint(0, 255, (3, 3, 32, 32), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))


def write_pretrained(kind: str, folder, tokens: Tokens) -> str:
    """A tiny random model of a kind with its processor and tokenizer, as a hub has it."""
    torch.manual_seed(3)
    text = SMALL | {"vocab_size": 700, "eos_token_id": 1, "pad_token_id": 1, "bos_token_id": 0}
    vision = SMALL | {"image_size": 32, "patch_size": 8}
    if kind == "clip":
        config = transformers.CLIPConfig(
            text_config=text | {"max_position_embeddings": 24, "projection_dim": 16},
            vision_config=vision | {"projection_dim": 16},
            projection_dim=16,
        )
        model: Any = transformers.CLIPModel(config)
    elif kind == "siglip":
        given = transformers.SiglipConfig(text_config=text | {"max_position_embeddings": 24}, vision_config=vision)
        model = transformers.SiglipModel(given)
    else:
        roberta = text | {"max_position_embeddings": 26, "project_dim": 32, "pad_token_id": 1}
        altclip = transformers.AltCLIPConfig(text_config=roberta, vision_config=vision, projection_dim=16)
        model = transformers.AltCLIPModel(altclip)
    model.save_pretrained(folder)
    tokens.tokenizer.save_pretrained(folder)
    write_processor(folder, kind, 32, torch.tensor([0.4, 0.5, 0.6]), torch.tensor([0.2, 0.3, 0.4]))
    return str(folder)


@pytest.mark.parametrize("kind", ["clip", "siglip", "altclip"])
def test_a_pretrained_model_goes_through_training_and_back_to_transformers(kind, tokens, pictures, tmp_path):
    settings = tiny.choose(model=write_pretrained(kind, tmp_path / "hub", tokens))
    towers = open_towers(settings)
    assert towers.kind == kind
    assert towers.tokens.limit == 24
    with torch.no_grad():
        for _, each in list_trained(towers):
            each.add_(0.01)
    towers.eval().export(tmp_path / "out")
    back = transformers.AutoModel.from_pretrained(tmp_path / "out").eval()
    processor = transformers.AutoImageProcessor.from_pretrained(tmp_path / "out", backend="pil")
    shown = [Pillow.fromarray(each.permute(1, 2, 0).numpy()) for each in pictures]
    pixels = processor(images=shown, return_tensors="pt")["pixel_values"]
    ids, mask = towers.tokens.encode(TEXTS[:3])
    with torch.no_grad():
        theirs = torch.nn.functional.normalize(back.get_image_features(pixel_values=pixels).pooler_output, dim=-1)
        said = {"input_ids": ids} if kind == "siglip" else {"input_ids": ids, "attention_mask": mask}
        words = torch.nn.functional.normalize(back.get_text_features(**said).pooler_output, dim=-1)
        assert torch.allclose(theirs, towers.encode_pictures(pictures), atol=2e-6)
        assert torch.allclose(words, towers.encode_tokens(ids, mask), atol=2e-6)
    assert torch.equal(back.logit_scale, towers.model.logit_scale)


def test_our_encoder_loads_an_exported_model_and_sees_what_training_saw(tokens, tmp_path):
    towers = open_towers(tiny.choose(), tokens).eval()
    towers.export(tmp_path / "out")
    encoder = load_encoder(str(tmp_path / "out"))
    contents = [tiny.draw(i, i, i, size) for i, size in enumerate([(24, 16), (16, 40), (32, 32)])]
    packed = [unpack_picture(pack_picture(each, 32, "webp"), 32, "webp") for each in contents]
    pixels = torch.from_numpy(np.stack(packed).transpose(0, 3, 1, 2).copy())
    with torch.no_grad():
        assert np.allclose(encoder.encode_images(contents), towers.encode_pictures(pixels).numpy(), atol=2e-6)
        ours = towers.encode_tokens(*towers.tokens.encode(TEXTS[:3])).numpy()
    assert np.allclose(encoder.encode_texts(TEXTS[:3]), ours, atol=2e-6)


def test_adapters_learn_beside_the_logit_scale_and_are_merged_on_export(tokens, pictures, tmp_path):
    settings = tiny.choose(lora_rank=4, lora_alpha=8, lora_targets=["q_proj", "visual_projection"])
    towers = open_towers(settings, tokens)
    names = [name for name, _ in list_trained(towers)]
    assert "model.logit_scale" in names
    assert all("lora_" in name for name in names if name != "model.logit_scale")
    assert len(names) == 1 + 2 * 3
    with torch.no_grad():
        for _, each in list_trained(towers):
            each.add_(0.1)
    towers.eval().export(tmp_path)
    back = transformers.CLIPModel.from_pretrained(tmp_path).eval()
    assert not any("lora" in name for name, _ in back.named_parameters())
    assert back.logit_scale.item() == pytest.approx(towers.logit_scale.item())
    with torch.no_grad():
        pixels = (pictures / 255 - towers.mean) / towers.std
        theirs = torch.nn.functional.normalize(back.get_image_features(pixel_values=pixels).pooler_output, dim=-1)
        plain = open_towers(tiny.choose(), tokens).eval()
        assert torch.allclose(theirs, towers.encode_pictures(pictures), atol=2e-6)
        assert not torch.allclose(theirs, plain.encode_pictures(pictures), atol=1e-3)


def test_frozen_parts_do_not_learn(tokens):
    towers = open_towers(tiny.choose(freeze=["text_model", "logit_scale"]), tokens)
    names = [name for name, _ in list_trained(towers)]
    assert names
    assert not any(name.startswith(("model.text_model", "model.logit_scale")) for name in names)


def test_the_seed_decides_the_weights_from_scratch(tokens):
    def weights(seed: int) -> torch.Tensor:
        return open_towers(tiny.choose(seed=seed), tokens).model.text_projection.weight

    assert torch.equal(weights(1), weights(1))
    assert not torch.equal(weights(1), weights(2))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"freeze": ["text_modle"]}, "no parameter begins with 'text_modle'; there are text_model"),
        ({"patch": 7}, r"training\.resolution = 32 is no multiple of training\.patch = 7"),
        ({"heads": 3}, r"training\.width = 32 is no multiple of training\.heads = 3"),
        ({"lora_rank": 2, "lora_targets": ["nothing"]}, "no linear layer that learns ends in nothing"),
        ({"model": "/nowhere"}, r"training\.model = '/nowhere' cannot be had"),
    ],
)
def test_settings_that_do_not_fit_a_model_are_told(tokens, given, said):
    with pytest.raises(TrainingError, match=said):
        open_towers(tiny.choose(**given), tokens)


def test_a_model_of_another_resolution_or_kind_is_told(tokens, tmp_path):
    folder = write_pretrained("clip", tmp_path, tokens)
    with pytest.raises(TrainingError, match=r"reads pictures of 32 px: set training\.resolution = 32 and pack again"):
        open_towers(tiny.choose(model=folder, resolution=64))
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"model_type": "bert"}))
    with pytest.raises(TrainingError, match="is a bert; towers of pictures are clip, siglip, altclip"):
        open_towers(tiny.choose(model=folder))


def test_the_logit_scale_stays_at_or_under_a_hundred(tokens):
    towers = open_towers(tiny.choose(), tokens)
    with torch.no_grad():
        towers.model.logit_scale.fill_(9.0)
    towers.settle()
    assert towers.logit_scale.exp().item() == pytest.approx(100.0)


def test_the_limit_of_a_model_of_the_hub_is_its_positions(tokens, tmp_path):
    assert load_tokens(write_pretrained("altclip", tmp_path, tokens)).limit == 24


def test_two_trainings_of_a_tokenizer_are_equal_and_every_letter_is_known(tokens):
    assert train_tokenizer(TEXTS, 600, 24).digest == tokens.digest
    back = tokens.tokenizer.decode(tokens.tokenizer("∠ABC = 60°, 蛇")["input_ids"], skip_special_tokens=True)
    assert back.replace(" ", "") == "∠abc=60°,蛇"


def test_a_picture_is_seen_whole():
    sink = BytesIO()
    Pillow.new("RGB", (64, 16), "black").save(sink, "PNG")
    pixels = unpack_picture(pack_picture(sink.getvalue(), 32, "webp"), 32, "webp")
    assert (pixels[12:20] == 0).all()
    assert (pixels[:12] == 255).all()


def test_a_stem_of_convolutions_is_exported_and_sees_pictures_alike(tokens, pictures, tmp_path):
    towers = open_towers(tiny.choose(stem="convolutions", patch=8), tokens).eval()
    towers.export(tmp_path)
    stored = []
    for each in pictures:
        sink = BytesIO()
        Pillow.fromarray(each.permute(1, 2, 0).numpy()).save(sink, "PNG")
        stored.append(sink.getvalue())
    found = load_encoder(str(tmp_path), "cpu").encode_images(stored)
    with torch.no_grad():
        wanted = towers.encode_pictures(pictures).numpy()
    assert np.abs(found - wanted).max() < 1e-5


def test_training_goes_on_from_a_model_with_a_stem_of_convolutions(tokens, pictures, tmp_path):
    towers = open_towers(tiny.choose(stem="convolutions", patch=8), tokens).eval()
    towers.export(tmp_path)
    back = open_towers(tiny.choose(model=str(tmp_path))).eval()
    with torch.no_grad():
        assert torch.allclose(back.encode_pictures(pictures), towers.encode_pictures(pictures), atol=2e-6)


def test_a_stem_of_convolutions_halves_and_so_wants_a_power_of_two(tokens):
    with pytest.raises(TrainingError, match=r"training\.patch = 12 is no power of 2"):
        open_towers(tiny.choose(stem="convolutions", resolution=36, patch=12), tokens)
