"""LLaVA-v1.6-Mistral as the hub has it, but for its size: its classes, names of tensors, tokens and template."""

from __future__ import annotations

from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import AddedToken

from tests.tasks.encoders import tiny as towers
from tests.tasks.sft import tiny

TEMPLATE = (
    "{{ '<s>' }}{% for message in messages %}{% if message['role'] == 'user' %}[INST] "
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}<image>\n{% else %}{{ part['text'] }}"
    "{% endif %}{% endfor %} [/INST]{% else %} {{ message['content'][0]['text'] }}</s>{% endif %}{% endfor %}"
)
SIDE = 48


def save_llava_next(folder: Path) -> str:
    """A folder with a LLaVA-NeXT of random weights whose tower sees 48 px in patches of 8."""
    language = tiny.save_language(folder / "language")
    tokenizer = transformers.AutoTokenizer.from_pretrained(language)
    tokenizer.add_tokens([AddedToken("<image>", special=True), AddedToken("<pad>", special=True)], special_tokens=True)
    tokenizer.pad_token = "<pad>"
    vision = _describe_vision(32)
    text = transformers.MistralConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        sliding_window=None,
    )
    grids = [[SIDE * rows, SIDE * columns] for rows, columns in ((1, 2), (2, 1), (2, 2), (3, 1), (1, 3))]
    config = transformers.LlavaNextConfig(
        vision_config=vision,
        text_config=text,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        image_grid_pinpoints=grids,
        image_seq_length=(SIDE // 8) ** 2,
    )
    torch.manual_seed(0)
    transformers.LlavaNextForConditionalGeneration(config).save_pretrained(folder / "whole")
    _name_as_released(folder / "whole" / "model.safetensors")
    images = transformers.LlavaNextImageProcessorPil(
        size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}, image_grid_pinpoints=grids
    )
    transformers.LlavaNextProcessor(
        images,
        tokenizer,
        patch_size=8,
        vision_feature_select_strategy="default",
        chat_template=TEMPLATE,
        num_additional_image_tokens=1,
    ).save_pretrained(folder / "whole")
    return str(folder / "whole")


def _name_as_released(file: Path) -> None:
    """The release was made by a transformers whose picture towers had one level more."""
    told = load_file(file)
    old, new = "vision_tower.", "vision_tower.vision_model."
    renamed = {f"{new}{name.removeprefix(old)}" if name.startswith(old) else name: each for name, each in told.items()}
    save_file(renamed, file, {"format": "pt"})


def save_wide_clip(folder: Path) -> str:
    """A CLIP whose picture tower is wider than that of the release."""
    clip = towers.save_clip(folder / "clip")
    config = transformers.CLIPConfig.from_pretrained(clip)
    config.vision_config.hidden_size = 64
    transformers.CLIPModel(config).save_pretrained(clip)
    return clip


def _describe_vision(width: int) -> transformers.CLIPVisionConfig:
    return transformers.CLIPVisionConfig(
        hidden_size=width,
        intermediate_size=37,
        num_hidden_layers=2,
        num_attention_heads=4,
        image_size=SIDE,
        patch_size=8,
        projection_dim=16,
    )
