"""What can go wrong in an audit."""

from __future__ import annotations


class AuditError(Exception):
    """A dataset that cannot be audited. The message says what to do."""

    fatal = True
