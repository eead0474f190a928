"""How a model that looks compares with our own verdicts: counted by the stage, shown by the report."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Agreement:
    """How a model that sees agrees with our own verdicts on some pairs of picture and caption of one family."""

    family: str
    pairs: int
    answered: int
    agreed: int
    """Pairs on which the model and we say the same."""
    missed: int
    """Pairs that we say differ and the model says agree."""
    doubted: int
    """Pairs that we say agree and the model says differ."""

    @property
    def unclear(self) -> int:
        """Pairs of which the model gave no usable answer."""
        return self.pairs - self.answered

    @property
    def share(self) -> float | None:
        """Agreed over answered; None if nothing was answered."""
        return self.agreed / self.answered if self.answered else None
