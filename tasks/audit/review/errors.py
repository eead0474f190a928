"""What can go wrong with a review."""

from __future__ import annotations


class ReviewError(Exception):
    """The review cannot be held or read. The message says what, where and what to do."""
