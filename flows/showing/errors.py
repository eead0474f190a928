"""Which errors a user can act on: those are told in one message, all others are bugs and keep their traceback."""

from __future__ import annotations

from counterfoil.tasks.packages import word_missing

_ACTIONABLE = ("counterfoil", "botocore")
"""Packages whose errors a user can act on; S3's client has no connection, or no credentials."""


def word_actionable(error: BaseException | None) -> str | None:
    """The message for the user; None for a bug."""
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else str(error)
    if isinstance(error, Exception) and type(error).__module__.partition(".")[0] in _ACTIONABLE:
        return str(error)
    if isinstance(error, ImportError):
        return word_missing(error)
    return None
