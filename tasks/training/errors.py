"""What a user of training can act on."""

from __future__ import annotations


class TrainingError(Exception):
    """Packing or training cannot go on. The message says what, where and what to do."""
