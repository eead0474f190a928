"""Where in a photograph a thing is that a word names (CLIPSeg: Lüddecke and Ecker 2022)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy
from PIL import Image

from counterfoil.tasks.caption.models.loading import load_model

LEAST_SURE = 0.4
"""Probability from which a pixel shows the thing."""
_GROWN = 0.02
"""Of the shorter side, by how much a mask reaches beyond the thing: another thing has another outline."""
_LEAST = 0.0008
"""Share of a picture that a thing has at least, to be counted."""


class Finder:
    """A CLIPSeg model of transformers.

    Raises:
        ModelError: torch or transformers is missing, or the model cannot be loaded.
    """

    def __init__(self, name: str) -> None:
        loaded = load_model("edit_finder", name, "AutoProcessor", "CLIPSegForImageSegmentation")
        self._torch, self._processor, self._model = loaded.torch, loaded.reader, loaded.model

    def see(self, picture: np.ndarray, words: str) -> np.ndarray:
        """How sure it is at each pixel of a picture (height, width, 3), uint8, that the words name what it shows: from
        0 to 1, (height, width)."""
        batch = self._processor(text=[words], images=[Image.fromarray(picture)], return_tensors="pt")
        with self._torch.inference_mode():
            logits = self._model(**batch.to(self._model.device)).logits.float()
        sure = self._torch.sigmoid(logits.reshape(logits.shape[-2:])).cpu().numpy()
        size = picture.shape[1], picture.shape[0]
        return np.asarray(Image.fromarray(sure.astype(np.float32)).resize(size, Image.Resampling.BILINEAR))


def find_mask(sure: np.ndarray) -> np.ndarray:
    """What is to be painted anew: where the thing is, and a little around it. Shape (height, width), bool."""
    reach = max(1, round(_GROWN * min(sure.shape)))
    return np.asarray(scipy.ndimage.binary_dilation(sure >= LEAST_SURE, iterations=reach))


def count_things(sure: np.ndarray) -> int:
    """How many there are apart from each other.

    >>> sure = np.zeros((100, 100))
    >>> sure[10:30, 10:30] = sure[10:30, 60:80] = 0.9
    >>> count_things(sure)
    2
    """
    labels, count = scipy.ndimage.label(sure >= LEAST_SURE)
    sizes = np.bincount(labels.ravel(), minlength=count + 1)[1:]
    return int((sizes >= _LEAST * sure.size).sum())


@lru_cache(maxsize=1)
def open_finder(name: str) -> Finder:
    """The model, loaded once per process."""
    return Finder(name)
