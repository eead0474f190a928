"""What makers of texts beside texts share: all that is proposed of an anchor, or a reject that says why nothing is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.beside.statements import say_none
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft
from counterfoil.tasks.contract.verdict import Checks
from counterfoil.tasks.contract.wording import Wording


@dataclass(frozen=True)
class BesideMaker(ABC):
    """Maker and verifier of one domain."""

    name: str
    wording: Wording[Any]
    none: ClassVar[str]
    """Why nothing is proposed of an anchor."""

    def make(self, anchor: Anchor, context: Context[Any]) -> Iterator[Candidate | Reject]:
        """All that is proposed."""
        found = False
        for each in self._propose(anchor, context, context.rng(self.name, anchor.anchor_id)):
            found = True
            yield each
        if not found:
            yield say_none(self.name, anchor, self.none)

    def sample(self, anchor: Anchor, rng: np.random.Generator, count: int, context: Context[Any]) -> Sequence[Draft]:
        """The same, drawn anew."""
        return tuple(islice(self._propose(anchor, context, rng), count))

    @abstractmethod
    def verify(self, checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[Any]) -> None:
        """Shows both texts from the stored row.

        Raises:
            CheckError: a check failed.
        """

    @abstractmethod
    def _propose(self, anchor: Anchor, context: Context[Any], rng: np.random.Generator) -> Iterator[Draft]: ...
