"""What can go wrong in an audit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class AuditError(Exception):
    """A dataset that cannot be audited. The message says what to do."""

    fatal = True


@contextmanager
def explain_missing(what: str = "the audit needs", kind: type[Exception] = AuditError) -> Iterator[None]:
    """Turn a missing scikit-learn into a ``kind`` that says ``what`` needs it, and how to get it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "sklearn":
            raise
        raise kind(f"{what} scikit-learn, which is not installed: pip install 'counterfoil[audit]'") from error
