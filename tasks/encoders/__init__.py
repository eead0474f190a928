"""What makes vectors of texts and pictures: by a model of the hub or a folder, or with none at all."""

from __future__ import annotations

from counterfoil.tasks.encoders.base import Encoder, EncoderError, Modality, normalise
from counterfoil.tasks.encoders.load import HASHED, MINILM, load_encoder
from counterfoil.tasks.encoders.pairs import PairScorer, load_pair_scorer

__all__ = [
    "HASHED",
    "MINILM",
    "Encoder",
    "EncoderError",
    "Modality",
    "PairScorer",
    "load_encoder",
    "load_pair_scorer",
    "normalise",
]
