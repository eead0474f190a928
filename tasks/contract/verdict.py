"""What the checks of a row come to: one way of checking for every domain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Concatenate, ParamSpec

from counterfoil.storage.rows import Grade

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of the checks of one row: the checks that passed, and why it fails (``"code: details"``)."""

    checks: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    grade: Grade = "proved"
    """How far the checks show a row that passed to be what its role says."""
    witness: str | None = None
    """Of what is refuted: what shows it false, in words."""
    changes: tuple[str, ...] | None = None
    """Of a negative that passed: what differs, by its family's measure; None where it has none."""

    @property
    def passed(self) -> bool:
        return not self.reasons


class CheckError(Exception):
    """A check failed; the message is the reason, ``"code: details"``."""


@dataclass
class Checks:
    """Collects passed checks; the first that fails ends the verdict, since later ones build on it.

    A check's name is snake_case and says what is so; the reason of one that fails begins with it.
    """

    passed: list[str] = field(default_factory=list)
    grade: Grade = "proved"
    """What a row comes to that passes them all; a verifier that shows less says so here."""
    witness: str | None = None
    """What shows it false, where it is refuted."""

    def require(self, name: str, holds: bool, reason: str | Callable[[], str]) -> None:
        """Note that ``name`` passed.

        Raises:
            CheckError: it does not hold; ``reason`` is asked for only then.
        """
        if not holds:
            raise CheckError(f"{name}: {reason if isinstance(reason, str) else reason()}")
        # A check that is made of several texts or pictures of one row stands once.
        if name not in self.passed:
            self.passed.append(name)


@dataclass(frozen=True, slots=True)
class Finding:
    """What is shown of a text beside an anchor: that it is false, that it is true, or neither."""

    false: bool | None
    why: str
    """What differs and why that decides it; of what is not decided, why not."""
    if_same: str = ""
    """Of what is not decided: what makes it false wherever it speaks of the same thing as the anchor."""


def checked(check: Callable[Concatenate[Checks, P], None]) -> Callable[P, Verdict]:
    """A verifier from a function that requires one check after another.

    The verdict has the checks that passed and, where one failed, its reason.
    """

    def decide(*args: P.args, **kwargs: P.kwargs) -> Verdict:
        checks = Checks()
        try:
            check(checks, *args, **kwargs)
        except CheckError as failed:
            return Verdict(tuple(checks.passed), (str(failed),))
        return Verdict(tuple(checks.passed), grade=checks.grade, witness=checks.witness)

    decide.__name__, decide.__doc__ = check.__name__, check.__doc__
    return decide
