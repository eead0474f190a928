"""What a maker or verifier may use besides its row."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pydantic import BaseModel

from renderers.results import ScriptRenderer


@dataclass(frozen=True)
class Context:
    """What a maker or verifier may use besides its row. One per worker process and stage.

    ``llm`` is the language-model author (`tasks.llm`), or None for the procedural author.
    """

    settings: BaseModel
    seed: int
    renderer: ScriptRenderer
    llm: Any = None
    scratch: dict[str, Any] = field(default_factory=dict)
    """Per-process memo for what is dear to build (an index, a model); never results."""

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
