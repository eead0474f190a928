"""What can go wrong in mining."""

from __future__ import annotations


class MiningError(Exception):
    """The search cannot be done. The message says what to do."""

    fatal = True
