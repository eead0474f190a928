"""The contract of the house: what a domain and a family are.

Adding a family is one function that makes contrasts of one anchor, one that verifies one contrast, and one
`Family` entry in the domain's registry. The stage runner (`tasks.shards`), the flows, the report, `verify`,
`explain` and `export` know nothing else of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from pydantic import BaseModel

from renderers.results import ScriptRenderer
from storage.rows import Anchor, Contrast, Modality, Reject, Role


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of the checks of one row: the checks that passed, and why it fails (``"code: details"``)."""

    checks: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.reasons


@dataclass(frozen=True)
class SourceRow:
    """One row of a domain's input, before anything is made of it. ``payload`` is plain JSON data."""

    source: str
    source_id: str
    split: str
    payload: Mapping[str, Any]


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


Candidate = tuple[Contrast, ...]
"""Contrasts that stand or fall together (a negative caption and its picture), at most one per family."""

Maker = Callable[[Anchor, Context], Iterator[Candidate | Reject]]
"""Yields candidates in order of preference. The runner verifies each with its family's verifier and stops pulling
when the family has its count; candidates that fail become rejects. A maker yields a `Reject` for what it could not
even form. It may check cheaply beforehand, but acceptance is the verifier's alone."""

Verifier = Callable[[Contrast, Anchor, Context], Verdict]
"""Re-checks one contrast from its stored bytes and its anchor's, knowing nothing of how it was made."""


@dataclass(frozen=True)
class Family:
    """One way of making contrasts. Families that share ``make`` are made together by one stage."""

    name: str
    role: Role
    modality: Modality
    paper: str
    how: str
    make: Maker
    verify: Verifier
    version: int = 1
    count: Callable[[BaseModel], int | None] = lambda settings: getattr(settings, "negatives", None)
    """How many accepted contrasts an anchor should have under these settings; None: all that the maker yields."""
    make_llm: Maker | None = None
    """The maker for a language-model author; None: ``make`` serves every author."""
    prompts: tuple[str, ...] = ()
    """Ids of the prompts that ``make_llm`` uses; their bytes enter the stage's fingerprint."""
    uses: tuple[str, ...] = ()
    """Settings keys that decide this family's content; empty: all of the section."""
    looked_at: bool = False
    """Whether a model that sees may be asked how its pictures and captions agree (the prompt geometry.look)."""


class Domain(Protocol):
    """A domain: reads sources, makes and verifies anchors, and lists its families."""

    name: str
    version: int
    settings_type: type[BaseModel]
    families: Mapping[str, Family]
    anchor_uses: tuple[str, ...]
    """Settings keys that decide the anchors' content (``families``, ``negatives`` never do)."""
    runs_scripts: bool
    """Whether it runs scripts in the sandbox: a run then probes one as it begins."""

    def list_anchor_prompts(self, settings: BaseModel) -> tuple[str, ...]:
        """Ids of the prompts that a language model answers for anchors; none where the source needs no author."""
        ...

    def read(self, settings: BaseModel, seed: int, limit: int | None) -> Iterator[SourceRow | Reject]:
        """Yield the source's rows, streaming; a row that cannot be read is a `Reject`.

        Raises:
            SourceError: the source itself cannot be read (what, where, what to do).
        """
        ...

    def make_anchors(self, row: SourceRow, context: Context) -> Iterator[Anchor | Reject]:
        """The anchors of one source row (one for a geometry problem, many for a granulated flowchart)."""
        ...

    def verify_anchor(self, anchor: Anchor, context: Context) -> Verdict:
        """Re-check an anchor from its stored bytes alone."""
        ...

    def describe_yield(self, rows: int, anchors: int, rejected: Mapping[str, int]) -> str:
        """A line for the user on what became of the source's ``rows``; ``rejected`` counts rows by reason code."""
        ...


class SourceError(Exception):
    """The input cannot be read. The message says what, where and what to do."""
