"""What can go wrong with files that others made."""

from __future__ import annotations


class ForeignError(Exception):
    """A file that cannot be understood. The message says what was seen, and what to do."""

    fatal = True
