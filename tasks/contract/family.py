"""What a family is: one way of making contrasts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pydantic import BaseModel

from storage.rows import Anchor, Contrast, Modality, Reject, Role
from tasks.contract.context import Context
from tasks.contract.verdict import Verdict

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
