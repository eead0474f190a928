"""What can go wrong outside our own code."""

from __future__ import annotations


class SftError(Exception):
    """A row, file or model cannot be used. The message says what, where and what to do."""
