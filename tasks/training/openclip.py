"""A trained CLIP as open_clip loads it: `open_clip.create_model_and_transforms("local-dir:FOLDER")`.

The same weights under open_clip's names: queries, keys and values of a layer are one matrix there, projections stand
on their side, and the end of a text is found by its id. Pictures are letterboxed on white, as training did.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

CONFIG = "open_clip_config.json"
WEIGHTS = "open_clip_model.safetensors"
_OLD_END = 2
"""transformers' mark of OpenAI's own models, whose texts end at their highest id."""
_LAYER = {
    "self_attn.out_proj": "attn.out_proj",
    "layer_norm1": "ln_1",
    "layer_norm2": "ln_2",
    "mlp.fc1": "mlp.c_fc",
    "mlp.fc2": "mlp.c_proj",
}


def write_open_clip(model: nn.Module, folder: Path, mean: Sequence[float], std: Sequence[float]) -> None:
    """Write a `transformers.CLIPModel` for open_clip into ``folder``, where its tokenizer lies."""
    from safetensors.torch import save_file

    weights = rename_weights(model.state_dict())
    save_file({name: each.contiguous() for name, each in weights.items()}, folder / WEIGHTS, {"format": "pt"})
    told = describe_model(model.config.to_dict(), mean, std)  # type: ignore[union-attr, operator]
    (folder / CONFIG).write_text(json.dumps(told, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def rename_weights(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights of a `transformers.CLIPModel` by open_clip's names and in its shapes."""
    renamed = {
        "logit_scale": state["logit_scale"],
        "token_embedding.weight": state["text_model.embeddings.token_embedding.weight"],
        "positional_embedding": state["text_model.embeddings.position_embedding.weight"],
        "text_projection": state["text_projection.weight"].T,
        "visual.class_embedding": state["vision_model.embeddings.class_embedding"],
        "visual.positional_embedding": state["vision_model.embeddings.position_embedding.weight"],
        "visual.conv1.weight": state["vision_model.embeddings.patch_embedding.weight"],
        "visual.proj": state["visual_projection.weight"].T,
    }
    norms = {
        "text_model.final_layer_norm": "ln_final",
        "vision_model.pre_layrnorm": "visual.ln_pre",
        "vision_model.post_layernorm": "visual.ln_post",
    }
    for theirs, ours in norms.items():
        renamed |= {f"{ours}.{sort}": state[f"{theirs}.{sort}"] for sort in ("weight", "bias")}
    for tower, prefix in (("text_model", "transformer"), ("vision_model", "visual.transformer")):
        for number in range(_count_layers(state, tower)):
            layer, block = f"{tower}.encoder.layers.{number}", f"{prefix}.resblocks.{number}"
            for sort in ("weight", "bias"):
                parts = [state[f"{layer}.self_attn.{each}_proj.{sort}"] for each in ("q", "k", "v")]
                renamed[f"{block}.attn.in_proj_{sort}"] = torch.cat(parts)
                renamed |= {f"{block}.{ours}.{sort}": state[f"{layer}.{name}.{sort}"] for name, ours in _LAYER.items()}
    return renamed


def describe_model(config: Mapping[str, Any], mean: Sequence[float], std: Sequence[float]) -> dict[str, Any]:
    """open_clip's description of the model of this configuration of transformers, and how pictures are prepared."""
    text, vision = config["text_config"], config["vision_config"]
    old = text["eos_token_id"] == _OLD_END
    return {
        "model_cfg": {
            "embed_dim": config["projection_dim"],
            "quick_gelu": vision["hidden_act"] == "quick_gelu",
            "text_cfg": {
                "context_length": text["max_position_embeddings"],
                "vocab_size": text["vocab_size"],
                "width": text["hidden_size"],
                "heads": text["num_attention_heads"],
                "layers": text["num_hidden_layers"],
                "mlp_ratio": text["intermediate_size"] / text["hidden_size"],
                # open_clip reads the tokenizer of the folder whatever name stands here.
                "hf_tokenizer_name": "this folder",
                "pool_type": "argmax" if old else "eos",
                "eos_id": text["eos_token_id"],
            },
            "vision_cfg": {
                "image_size": vision["image_size"],
                "patch_size": vision["patch_size"],
                "width": vision["hidden_size"],
                "head_width": vision["hidden_size"] // vision["num_attention_heads"],
                "layers": vision["num_hidden_layers"],
                "mlp_ratio": vision["intermediate_size"] / vision["hidden_size"],
            },
        },
        "preprocess_cfg": {
            "size": vision["image_size"],
            "mean": list(mean),
            "std": list(std),
            "interpolation": "bicubic",
            "resize_mode": "longest",
            "fill_color": 255,
        },
    }


def _count_layers(state: Mapping[str, Tensor], tower: str) -> int:
    start = f"{tower}.encoder.layers."
    return len({name.removeprefix(start).partition(".")[0] for name in state if name.startswith(start)})
