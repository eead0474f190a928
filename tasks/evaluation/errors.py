"""What can go wrong in an evaluation."""

from __future__ import annotations


class EvaluationError(Exception):
    """A benchmark's files, or a model, that cannot be evaluated. The message says what, where and what to do."""

    fatal = True
