from __future__ import annotations

import json
from io import BytesIO

import numpy as np
import pytest
import torch
from PIL import Image as Pillow
from safetensors.torch import load_file

from counterfoil.tasks.training.openclip import CONFIG, WEIGHTS
from counterfoil.tasks.training.packing.pictures import pack_picture, unpack_picture
from counterfoil.tasks.training.tokens import Tokens, train_tokenizer
from counterfoil.tasks.training.towers import open_towers
from tests.tasks.training import tiny

TEXTS = [tiny.say(i % 6, i % 4, i) for i in range(40)]
BLOCK = {
    "ln_1.weight": (32,),
    "ln_1.bias": (32,),
    "attn.in_proj_weight": (96, 32),
    "attn.in_proj_bias": (96,),
    "attn.out_proj.weight": (32, 32),
    "attn.out_proj.bias": (32,),
    "ln_2.weight": (32,),
    "ln_2.bias": (32,),
    "mlp.c_fc.weight": (128, 32),
    "mlp.c_fc.bias": (128,),
    "mlp.c_proj.weight": (32, 128),
    "mlp.c_proj.bias": (32,),
}
OUTER = {
    "positional_embedding": (24, 32),
    "text_projection": (32, 16),
    "logit_scale": (),
    "token_embedding.weight": (558, 32),
    "ln_final.weight": (32,),
    "ln_final.bias": (32,),
    "visual.class_embedding": (32,),
    "visual.positional_embedding": (17, 32),
    "visual.proj": (32, 16),
    "visual.conv1.weight": (32, 3, 8, 8),
    "visual.ln_pre.weight": (32,),
    "visual.ln_pre.bias": (32,),
    "visual.ln_post.weight": (32,),
    "visual.ln_post.bias": (32,),
}
"""The state dictionary of open_clip 3.3.0's own model of this size, beside the blocks of its two towers."""


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    return train_tokenizer(TEXTS, 600, 24)


@pytest.fixture(scope="module")
def exported(tokens, tmp_path_factory):
    """Towers whose every weight was moved, and their folder."""
    towers = open_towers(tiny.choose(layers=2), tokens).eval()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for each in towers.parameters():
            each.add_(0.02 * torch.randn(each.shape, generator=generator))
    folder = tmp_path_factory.mktemp("out")
    towers.export(folder)
    return towers, folder


def test_names_and_shapes_are_open_clips(exported):
    _, folder = exported
    blocks = {
        f"{tower}.resblocks.{number}.{name}": shape
        for tower in ("transformer", "visual.transformer")
        for number in range(2)
        for name, shape in BLOCK.items()
    }
    found = {name: tuple(each.shape) for name, each in load_file(folder / WEIGHTS).items()}
    assert found == OUTER | blocks


def test_queries_keys_and_values_are_one_matrix_and_projections_stand_on_their_side(exported):
    towers, folder = exported
    ours, theirs = towers.model.state_dict(), load_file(folder / WEIGHTS)
    layer = "vision_model.encoder.layers.1.self_attn"
    joined = torch.cat([ours[f"{layer}.{each}_proj.weight"] for each in ("q", "k", "v")])
    assert torch.equal(theirs["visual.transformer.resblocks.1.attn.in_proj_weight"], joined)
    assert torch.equal(theirs["visual.proj"], ours["visual_projection.weight"].T)


def test_the_description_says_how_texts_end_and_pictures_are_prepared(exported):
    towers, folder = exported
    told = json.loads((folder / CONFIG).read_text())
    text = told["model_cfg"]["text_cfg"]
    assert (text["pool_type"], text["eos_id"]) == ("eos", towers.tokens.tokenizer.eos_token_id)
    assert told["model_cfg"]["quick_gelu"] is True
    assert (told["preprocess_cfg"]["resize_mode"], told["preprocess_cfg"]["fill_color"]) == ("longest", 255)


def test_a_stem_of_convolutions_is_not_written_for_open_clip(tokens, tmp_path):
    open_towers(tiny.choose(stem="convolutions"), tokens).eval().export(tmp_path)
    assert (tmp_path / "config.json").exists()
    assert not (tmp_path / CONFIG).exists()


def test_open_clip_loads_the_folder_and_sees_the_same(exported):
    open_clip = pytest.importorskip("open_clip")
    towers, folder = exported
    model, _, prepare = open_clip.create_model_and_transforms(f"local-dir:{folder}")
    tokenize = open_clip.get_tokenizer(f"local-dir:{folder}")
    contents = [tiny.draw(i, i, i, size) for i, size in enumerate([(24, 16), (16, 40), (32, 32)])]
    packed = [unpack_picture(pack_picture(each, 32, "raw"), 32, "raw") for each in contents]
    said = [*TEXTS[:5], "a red red disc " * 20]
    with torch.no_grad():
        theirs = model.eval().encode_image(
            torch.stack([prepare(Pillow.open(BytesIO(each))) for each in contents]), normalize=True
        )
        ours = towers.encode_pictures(torch.from_numpy(np.stack(packed).transpose(0, 3, 1, 2).copy()))
        assert torch.allclose(theirs, ours, atol=1e-5)
        words = model.encode_text(tokenize(said), normalize=True)
        assert torch.allclose(words, towers.encode_tokens(*towers.tokens.encode(said)), atol=1e-5)
    assert model.logit_scale.item() == towers.model.logit_scale.item()
