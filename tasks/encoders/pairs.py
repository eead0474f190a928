"""A cross-encoder: a model that reads two texts at once and scores how well they go together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from counterfoil.tasks.encoders.base import LOADING_ERRORS, EncoderError, choose_device
from counterfoil.tasks.packages import import_package

_DIGITS = 6
"""Beyond these a score depends on the machine."""


class PairScorer:
    """Any cross-encoder that sentence-transformers loads, by hub id or folder.

    Raises:
        EncoderError: a library is missing, the model cannot be loaded, or it sorts pairs instead of scoring them.
    """

    def __init__(self, name: str, device: str | None = None) -> None:
        self.name = name
        needed = ("sentence_transformers", "torch")
        library, torch = (import_package(each, "a model of pairs", "mining") for each in needed)
        try:
            self._model = library.CrossEncoder(name, device=choose_device(torch, device)).eval()
        except LOADING_ERRORS as error:
            raise EncoderError(
                f"cross-encoder {name!r} cannot be loaded: name a hub id or a folder of one ({error})"
            ) from error
        if self._model.num_labels != 1:
            raise EncoderError(
                f"cross-encoder {name!r} tells {self._model.num_labels} classes apart: name one with one "
                "score for a pair"
            )

    def score(self, text: str, others: Sequence[str]) -> np.ndarray:
        """How well ``text`` goes with each of ``others``, ``float64`` of shape (N,): by the model's own activation,
        mostly from 0 to 1."""
        if not others:
            return np.zeros(0)
        scores = self._model.predict([(text, other) for other in others], show_progress_bar=False)
        return np.asarray(scores, dtype=np.float64).reshape(-1).round(_DIGITS)


@lru_cache(maxsize=1)
def load_pair_scorer(name: str) -> PairScorer:
    """The cross-encoder called ``name``; loaded once per process.

    Raises:
        EncoderError: see `PairScorer`.
    """
    return PairScorer(name)
