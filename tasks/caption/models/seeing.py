"""How well captions fit a picture (CLIP), and how alike two pictures are in what they show (DINO)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from PIL import Image

from counterfoil.tasks.caption.models.loading import load_model


class Clip:
    """A CLIP model of transformers.

    Raises:
        ModelError: torch or transformers is missing, or the model cannot be loaded.
    """

    def __init__(self, name: str) -> None:
        loaded = load_model("clip", name, "AutoProcessor", "CLIPModel")
        self._torch, self._processor, self._model = loaded.torch, loaded.reader, loaded.model

    def score(self, pictures: Sequence[np.ndarray], texts: Sequence[str]) -> np.ndarray:
        """The cosines (pictures, texts) of pictures (height, width, 3), uint8, and texts."""
        shown = [Image.fromarray(each) for each in pictures]
        batch = self._processor(text=list(texts), images=shown, return_tensors="pt", padding=True, truncation=True).to(
            self._model.device
        )
        with self._torch.inference_mode():
            found = self._model(**batch)
        images, words = (
            self._torch.nn.functional.normalize(each.float(), dim=-1)
            for each in (found.image_embeds, found.text_embeds)
        )
        return np.asarray((images @ words.T).cpu())


class Dino:
    """DINOv2, or any other model of pictures that transformers knows: its first token stands for the whole picture.

    Raises:
        ModelError: torch or transformers is missing, or the model cannot be loaded.
    """

    def __init__(self, name: str) -> None:
        loaded = load_model("dino", name, "AutoImageProcessor", "AutoModel")
        self._torch, self._processor, self._model = loaded.torch, loaded.reader, loaded.model

    def compare(self, picture: np.ndarray, others: Sequence[np.ndarray]) -> list[float]:
        """The cosines of a picture (height, width, 3), uint8, and each of the others."""
        shown = [Image.fromarray(each) for each in (picture, *others)]
        batch = self._processor(images=shown, return_tensors="pt")
        with self._torch.inference_mode():
            tokens = self._model(**batch.to(self._model.device)).last_hidden_state[:, 0].float()
        vectors = self._torch.nn.functional.normalize(tokens, dim=-1)
        return [float(each) for each in (vectors[1:] @ vectors[0]).cpu()]


@lru_cache(maxsize=1)
def open_clip(name: str) -> Clip:
    """The model, loaded once per process."""
    return Clip(name)


@lru_cache(maxsize=1)
def open_dino(name: str) -> Dino:
    """The model, loaded once per process."""
    return Dino(name)
