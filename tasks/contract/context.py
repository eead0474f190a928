"""What a maker or verifier may use besides its row."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from counterfoil.renderers.results import ScriptRenderer
from counterfoil.tasks.contract.bounds import BOUNDS, Bounds
from counterfoil.tasks.contract.settings import DomainSettings

if TYPE_CHECKING:
    from counterfoil.tasks.llm.author import Author

S = TypeVar("S", bound=DomainSettings)


@dataclass(frozen=True)
class Context(Generic[S]):
    """One per worker process and stage. Tools that a domain needs are named fields."""

    settings: S
    seed: int
    renderer: ScriptRenderer
    llm: Author | None = None
    """The language-model author, or None for the procedural author."""
    prepared: Mapping[str, object] = field(default_factory=dict)
    """What the stage's preparation made of the whole corpus; makers reach it by `Preparation.of`."""
    bounds: Bounds = BOUNDS
    """What the making of one row may take."""
    code_version: str = ""
    """Package version and commit, for the rows' provenance."""

    def rng(self, family: str, anchor_id: str, rank: int = 0) -> np.random.Generator:
        """A generator that depends on (recipe seed, family, anchor_id, rank) and nothing else."""
        return generator(self.seed, family, anchor_id, rank)


def generator(*parts: int | str) -> np.random.Generator:
    """A generator seeded from the SHA-256 of ``parts``, the same on every machine.

    >>> int(generator(7, "geometry.rule", "a1", 0).integers(1000))
    522
    """
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "little")))
