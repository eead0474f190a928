"""A released LLaVA whose vision tower is another's: LLaVA-v1.6-Mistral with a tower of ours (SaCLIP Sec. 4.5).

Language model, adapter, chat template and special tokens stay those of the release; the tower, its size of picture and
its colours are the new one's. The adapter is kept where the new tower's features are as wide as the old one's, as in
the paper; else there is a new one, which has to be trained.
"""

from __future__ import annotations

from typing import Any

from counterfoil.storage.plain import first_line
from counterfoil.tasks.sft.conversation import choose_template
from counterfoil.tasks.sft.errors import SftError
from counterfoil.tasks.sft.model import (
    NEXT,
    Llava,
    Parts,
    build_llava,
    configure_llava,
    configure_tower,
    count_picture_tokens,
    find_model_class,
    has_class_token,
    load_tower,
    make_processor,
)


def make_llava(parts: Parts) -> Llava:
    """A LLaVA of its parts, or the released one of ``parts.base``, with its tower exchanged where one is named.

    Raises:
        SftError: a part cannot be loaded or is of another kind; the message says which.
    """
    return swap_tower(parts) if parts.base else build_llava(parts)


def configure(parts: Parts) -> Any:
    """The configuration of the model that `make_llava` would make; no weights are loaded.

    Raises:
        SftError: a part cannot be loaded or is of another kind.
    """
    if not parts.base:
        return configure_llava(parts)
    config = _read_base(parts.base)
    return _reconfigure(config, parts)[0] if parts.vision else config


def keeps_adapter(parts: Parts) -> bool:
    """Whether the adapter between tower and language model is a released one, not a new one.

    Raises:
        SftError: a part cannot be loaded or is of another kind.
    """
    return bool(parts.base) and _width(configure(parts)) == _width(_read_base(parts.base))


def swap_tower(parts: Parts) -> Llava:
    """The LLaVA or LLaVA-NeXT of ``parts.base`` with the tower of ``parts.vision``; its own where none is named.

    Raises:
        SftError: it or the tower cannot be loaded, or is of another kind.
    """
    import torch
    from transformers import AutoProcessor

    dtype = getattr(torch, parts.dtype)
    config = _read_base(parts.base)
    try:
        model: Any = find_model_class(config).from_pretrained(parts.base, dtype=dtype)
        processor: Any = AutoProcessor.from_pretrained(parts.base)
    except (OSError, ValueError) as error:
        raise SftError(f"base {parts.base!r} cannot be loaded as a LLaVA: {first_line(error)}") from error
    if processor.chat_template is None:
        processor.chat_template = choose_template(processor.tokenizer)
    if processor.tokenizer.pad_token is None:
        processor.tokenizer.pad_token = processor.tokenizer.eos_token
    if not parts.vision:
        return Llava(model, processor)
    before = _width(model.config)
    changed, images = _reconfigure(model.config, parts)
    model.model.vision_tower = load_tower(parts.vision, changed.vision_config, dtype)
    if _width(changed) != before:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(parts.seed)
            model.model.multi_modal_projector = type(model.model.multi_modal_projector)(changed).to(dtype)
    token = str(processor.image_token)
    return Llava(model, make_processor(changed, images, processor.tokenizer, processor.chat_template, token))


def _read_base(base: str) -> Any:
    """The configuration of a released LLaVA."""
    from transformers import AutoConfig

    from counterfoil.tasks.encoders.stem import register_stem

    register_stem()
    try:
        config = AutoConfig.from_pretrained(base)
    except (OSError, ValueError) as error:
        raise SftError(f"base {base!r} cannot be loaded as a LLaVA: {first_line(error)}") from error
    if config.model_type not in ("llava", NEXT):
        raise SftError(
            f"base {base!r} is a {config.model_type}, not a LLaVA: name its parts with vision and language instead"
        )
    return config


def _reconfigure(config: Any, parts: Parts) -> tuple[Any, Any]:
    """``config`` changed in place to see with the tower of ``parts.vision``; and that tower's image processor."""
    layer = config.vision_feature_layer
    if not isinstance(layer, int):
        raise SftError(f"base {parts.base!r} reads features of several layers, {layer}: no tower of ours can stand in")
    vision, images = configure_tower(parts.vision, layer)
    old, side = int(config.vision_config.image_size), int(vision.image_size)
    if config.model_type == NEXT:
        config.image_grid_pinpoints = [[size // old * side for size in grid] for grid in config.image_grid_pinpoints]
    if has_class_token(vision) != has_class_token(config.vision_config):
        config.vision_feature_select_strategy = "default" if has_class_token(vision) else "full"
    config.vision_config = vision
    config.image_seq_length = count_picture_tokens(config)
    return config, images


def _width(config: Any) -> int:
    return int(config.vision_config.hidden_size)
