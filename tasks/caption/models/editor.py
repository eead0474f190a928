"""A photograph edited to match a caption, by an image-to-image diffusion model (Concrete Jungle, Sec. 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from counterfoil.tasks.caption.models.loading import choose_device, choose_precision, explain_loading
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.packages import import_package


class Editor:
    """SDXL-Turbo's image-to-image pipeline, or any other that diffusers knows; with masks its inpainting pipeline.

    Raises:
        ModelError: torch or diffusers is missing, or the model cannot be loaded.
    """

    def __init__(self, name: str, half: bool, compiled: bool, masked: bool) -> None:
        self._torch = import_package("torch", "[caption] editor", "edit")
        diffusers = import_package("diffusers", "[caption] editor", "edit")
        kind = diffusers.AutoPipelineForInpainting if masked else diffusers.AutoPipelineForImage2Image
        with explain_loading("editor", name):
            # Safetensors alone: a pickle runs what it likes.
            self._pipeline = kind.from_pretrained(
                name, dtype=choose_precision(self._torch, half), use_safetensors=True
            ).to(choose_device(self._torch))
        self._pipeline.set_progress_bar_config(disable=True)
        if compiled:
            self._pipeline.unet = self._torch.compile(self._pipeline.unet)

    def edit(
        self,
        pictures: Sequence[np.ndarray],
        texts: Sequence[str],
        seeds: Sequence[int],
        settings: CaptionSettings,
        masks: Sequence[np.ndarray] | None = None,
    ) -> list[np.ndarray]:
        """Each picture (height, width, 3), uint8, as its text says, in its own size; one batch.

        ``masks``: where each may change, (height, width), bool; elsewhere its pixels stay. None: everywhere.

        The noise of a row comes from its own seed, drawn on the processor, so that it is the same on every machine and
        in every batch.
        """
        side = settings.edit_side
        squares = [Image.fromarray(each).resize((side, side), Image.Resampling.LANCZOS) for each in pictures]
        places = [Image.fromarray(mask).convert("L").resize((side, side)) for mask in masks or ()]
        made = self._pipeline(
            prompt=list(texts),
            image=squares,
            strength=settings.edit_strength,
            num_inference_steps=settings.edit_steps,
            guidance_scale=settings.edit_guidance,
            generator=[self._torch.Generator("cpu").manual_seed(seed) for seed in seeds],
            output_type="np",
            **({"mask_image": places, "height": side, "width": side} if masks else {}),
        ).images
        edited = [_resize(new, old) for new, old in zip(made, pictures, strict=True)]
        if masks is None:
            return edited
        return [np.where(mask[..., None], new, old) for mask, new, old in zip(masks, edited, pictures, strict=True)]


@lru_cache(maxsize=1)
def open_editor(name: str, half: bool, compiled: bool, masked: bool = False) -> Editor:
    """The editor, loaded once per process."""
    return Editor(name, half, compiled, masked)


def _resize(new: Any, old: np.ndarray) -> np.ndarray:
    """A picture of numbers from 0 to 1 in the old one's size: another size would tell it."""
    pixels = Image.fromarray((np.clip(new, 0, 1) * 255).round().astype(np.uint8))
    return np.asarray(pixels.resize((old.shape[1], old.shape[0]), Image.Resampling.LANCZOS))
