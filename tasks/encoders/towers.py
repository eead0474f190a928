"""Encoders of texts and pictures: CLIP, SigLIP, our trained ones, and what else has two towers in transformers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from counterfoil.storage.pictures import letterbox
from counterfoil.tasks.encoders.base import (
    LOADING_ERRORS,
    EncoderError,
    Modality,
    choose_device,
    encode_in_batches,
    identify_model,
    open_picture,
)
from counterfoil.tasks.packages import import_package

LETTERBOX = "counterfoil_letterbox"
"""What the image processor of a model that we trained says: pictures go whole into its square, on white."""


class TowerEncoder:
    """A model of transformers with ``get_text_features`` and ``get_image_features``.

    Texts are padded to the model's full length: SigLIP was trained so, to CLIP it makes no difference, and a text's
    vector then does not depend on the texts beside it.

    Raises:
        EncoderError: a library is missing, or the model cannot be loaded or has no two towers.
    """

    modalities: frozenset[Modality] = frozenset({"text", "image"})
    joint = True

    def __init__(self, name: str, device: str | None = None) -> None:
        self.name = name
        self._torch = import_package("torch", "an encoder", "mining")
        transformers = import_package("transformers", "an encoder", "mining")
        try:
            # torchvision is not asked for: the processors that use Pillow are always there.
            self._pictures = transformers.AutoImageProcessor.from_pretrained(name, backend="pil")
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(name)
            self._model = _find_class(transformers, name).from_pretrained(name, use_safetensors=True)
        except LOADING_ERRORS as error:
            raise EncoderError(
                f"encoder {name!r} cannot be loaded: give a hub id or a folder with a model of two towers and its "
                f"processor, such as CLIP or SigLIP ({error})"
            ) from error
        if not hasattr(self._model, "get_image_features"):
            raise EncoderError(f"encoder {name!r} has no tower for pictures ({type(self._model).__name__})")
        self._model = self._model.to(choose_device(self._torch, device)).eval()
        self._longest = int(self._model.config.text_config.max_position_embeddings)

    @cached_property
    def identity(self) -> str:
        tokens = sorted(self._tokenizer.get_vocab().items())
        return identify_model(self._model, repr(self._model), self._pictures.to_json_string(), repr(tokens))

    @cached_property
    def dimension(self) -> int:
        return int(self._forward_texts([""]).shape[1])

    def encode_texts(self, texts: Sequence[str]) -> np.ndarray:
        return encode_in_batches(
            [range(len(texts))],
            lambda rows: self._forward_texts([texts[row] for row in rows]),
            (len(texts), self.dimension),
        )

    def encode_images(self, images: Sequence[bytes]) -> np.ndarray:
        return encode_in_batches(
            [range(len(images))],
            lambda rows: self._forward_images([open_picture(images[row], row) for row in rows]),
            (len(images), self.dimension),
        )

    def _forward_texts(self, texts: Sequence[str]) -> np.ndarray:
        batch = self._tokenizer(
            list(texts), padding="max_length", max_length=self._longest, truncation=True, return_tensors="pt"
        )
        with self._torch.inference_mode():
            return _take(self._model.get_text_features(**batch.to(self._model.device)))

    def _forward_images(self, pictures: Sequence[Any]) -> np.ndarray:
        if getattr(self._pictures, LETTERBOX, False):
            pictures = [letterbox(picture, self._pictures.size["height"]) for picture in pictures]
        batch = self._pictures(images=list(pictures), return_tensors="pt")
        with self._torch.inference_mode():
            return _take(self._model.get_image_features(pixel_values=batch["pixel_values"].to(self._model.device)))


def _find_class(transformers: Any, name: str) -> Any:
    """The model's class: that of its kind, or ours where the configuration names our stem of convolutions."""
    config = transformers.AutoConfig.from_pretrained(name)
    if not getattr(config, "counterfoil_stem", None):
        return transformers.AutoModel
    from counterfoil.tasks.encoders.stem import StemmedCLIP

    return StemmedCLIP


def _take(found: Any) -> np.ndarray:
    # transformers 5 answers with all of a tower's outputs; models with code of their own may answer with a tensor.
    pooled = getattr(found, "pooler_output", found)
    return np.asarray(pooled.float().cpu().numpy())
