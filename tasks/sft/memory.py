"""How much memory a stage needs, before anything is loaded.

Weights, gradients and AdamW's two moments follow from counted parameters. Activations are estimated: per layer, token
and hidden unit 34 bytes in half precision (Korthikanti et al. 2022, Eq. 2 without the attention term, which fused
attention does not keep), doubled in single precision; with checkpointing 2 bytes (4) and one whole layer. Logits come
with their gradients in single precision. Activations go as gradients come, so that a step needs the more of both; where
batches are summed, the gradients of those before lie beside the activations.
"""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass
from typing import Any

from counterfoil.tasks.sft.errors import SftError
from counterfoil.tasks.sft.model import find_model_class

_BYTES = {"float32": 4, "bfloat16": 2}
_M_MMAP_THRESHOLD, _LARGE = -3, 1 << 20
"""glibc's number of the setting (malloc.h), and the bytes from which a block is given back as soon as it is freed."""
_ROOM = 2
"""So many times what a stage needs must be free for glibc to go on as it does."""
_BUFFERS = 50_000_000
"""Bytes that torch's libraries take for themselves in a first step on a CPU, whatever the model (measured)."""


@dataclass(frozen=True)
class Memory:
    """Bytes that a stage needs."""

    weights: int
    gradients: int
    optimiser: int
    activations: int
    summed: bool = False
    """Whether gradients of earlier batches lie beside the activations."""

    @property
    def total(self) -> int:
        """The most at once."""
        both = (self.gradients, self.activations)
        return self.weights + self.optimiser + (sum(both) if self.summed else max(both)) + _BUFFERS

    def __str__(self) -> str:
        parts = (("weights", self.weights), ("gradients", self.gradients))
        more = (("AdamW", self.optimiser), ("activations", self.activations))
        told = ", ".join(f"{name} {size / 1e9:.2f}" for name, size in (*parts, *more))
        return f"{self.total / 1e9:.2f} GB ({told})"


@dataclass(frozen=True)
class Load:
    """What a stage does at once: trainable parts, batch and longest row."""

    trains_language: bool
    trains_tower: bool = False
    lora_rank: int = 0
    batch: int = 1
    accumulate: int = 1
    tokens: int = 1024
    dtype: str = "float32"
    checkpointing: bool = False


def estimate_memory(config: Any, load: Load) -> Memory:
    """The memory of a stage of the model of this configuration (`configure_llava`)."""
    import torch

    with torch.device("meta"):
        model = find_model_class(config)(config)
    size = _BYTES[load.dtype]
    counted = {part: _count(module) for part, module in model.model.named_children()}
    head = 0 if config.tie_word_embeddings else _count(model.lm_head)
    trained = counted["multi_modal_projector"]
    if load.lora_rank:
        trained += sum(
            load.lora_rank * (each.in_features + each.out_features)
            for each in model.model.language_model.modules()
            if isinstance(each, torch.nn.Linear)
        )
    elif load.trains_language:
        trained += counted["language_model"] + head
    trained += counted["vision_tower"] if load.trains_tower else 0
    return Memory(
        weights=size * (sum(counted.values()) + head),
        gradients=size * trained,
        optimiser=2 * size * trained,
        activations=_estimate_activations(config, load, size),
        summed=load.accumulate > 1,
    )


def check_memory(needed: Memory, available: int, what: str) -> None:
    """Refuse a stage that does not fit.

    Raises:
        SftError: it needs more than the ``available`` bytes.
    """
    if needed.total > available:
        raise SftError(
            f"{what} needs about {needed}, and {available / 1e9:.2f} GB are free: make batch_size or max_length "
            "smaller, set precision to bf16, checkpointing or lora_rank, or take a smaller model"
        )


def save_memory(needed: Memory, available: int) -> None:
    """Where little is free, have glibc give back large blocks as they are freed, from here on in this process.

    By itself it keeps them: as blocks up to 32 MB are freed it raises the size from which it maps them apart, and a
    stage then takes up to 1.6 times what it needs. That is faster (a small model's steps by a tenth), so where there is
    room for it nothing is changed, nor where there is another libc.
    """
    if available < _ROOM * needed.total and sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(_M_MMAP_THRESHOLD, _LARGE)


def find_memory(device: str) -> int:
    """Bytes that are free on a device now."""
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.mem_get_info()[0])
    import psutil

    return int(psutil.virtual_memory().available)


def _count(module: Any) -> int:
    return sum(int(each.numel()) for each in module.parameters())


def _estimate_activations(config: Any, load: Load, size: int) -> int:
    text = config.text_config
    width, layers, words = int(text.hidden_size), int(text.num_hidden_layers), int(text.vocab_size)
    tokens = load.batch * load.tokens
    whole = 34 * tokens * width * size // 2
    kept = layers * tokens * width * size + whole if load.checkpointing else layers * whole
    return kept + 2 * 4 * tokens * words
