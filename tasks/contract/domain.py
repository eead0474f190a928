"""What a domain is: it reads sources, makes and verifies anchors, and lists its families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel

from storage.rows import Anchor, Reject
from tasks.contract.context import Context
from tasks.contract.family import Family
from tasks.contract.verdict import Verdict


@dataclass(frozen=True)
class SourceRow:
    """One row of a domain's input, before anything is made of it. ``payload`` is plain JSON data."""

    source: str
    source_id: str
    split: str
    payload: Mapping[str, Any]


class SourceError(Exception):
    """The input cannot be read. The message says what, where and what to do."""


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
