"""What can go wrong in an evaluation."""

from __future__ import annotations

from contextlib import AbstractContextManager

from tasks.tells import errors


class EvaluationError(Exception):
    """A benchmark's files, or a model, that cannot be evaluated. The message says what, where and what to do."""

    fatal = True


def explain_missing() -> AbstractContextManager[None]:
    """Turn a missing scikit-learn into a message that says how to get it."""
    return errors.explain_missing("blind baselines and probes need", EvaluationError)
