"""What makes vectors of texts and pictures: by a model of the hub or a folder, or with none at all."""

from __future__ import annotations

from tasks.encoders.base import Encoder, EncoderError, Modality, normalise
from tasks.encoders.load import HASHED, MINILM, load_encoder

__all__ = ["HASHED", "MINILM", "Encoder", "EncoderError", "Modality", "load_encoder", "normalise"]
