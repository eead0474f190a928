"""What the checks of a row come to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of the checks of one row: the checks that passed, and why it fails (``"code: details"``)."""

    checks: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.reasons
