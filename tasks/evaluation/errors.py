"""What can go wrong in an evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class EvaluationError(Exception):
    """A benchmark's files, or a model, that cannot be evaluated. The message says what, where and what to do."""

    fatal = True


@contextmanager
def explain_missing() -> Iterator[None]:
    """Turn a missing scikit-learn into a message that says how to get it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "sklearn":
            raise
        raise EvaluationError(
            "blind baselines and probes need scikit-learn, which is not installed: pip install 'counterfoil[audit]'"
        ) from error
