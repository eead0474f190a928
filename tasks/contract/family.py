"""What a family is: one way of making contrasts.

Adding a family is one file with a function that makes contrasts of one anchor, one that verifies one contrast, and one
`Family` entry, which the domain lists. The stage runner, the flows, the report, `verify`, `explain` and `export` know
nothing else of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast, Edit, Modality, Provenance, Reject, Role
from counterfoil.tasks.contract.context import Context, S
from counterfoil.tasks.contract.prepare import Preparation
from counterfoil.tasks.contract.quotas import Quota
from counterfoil.tasks.contract.verdict import Verdict

NOBODY = Provenance()


@dataclass(frozen=True, slots=True)
class Draft:
    """What a maker says of a contrast. The runner stamps ids, role, modality, rank, checks, seed and code version."""

    text: str | None = None
    image: bytes | None = None
    """PNG."""
    vector: str | None = None
    code: str | None = None
    edits: tuple[Edit, ...] = ()
    concreteness: float | None = None
    similarity: float | None = None
    provenance: Provenance = NOBODY
    family: str = ""
    """Only where a maker serves several families: the one that this is of."""
    modality: Modality | None = None
    """Only where the family is ``mixed``."""


Candidate = Draft | tuple[Draft, ...]
"""A draft, or drafts of several families that stand or fall together (a negative caption and its picture)."""

Maker = Callable[[Anchor, Context[S]], Iterator[Candidate | Reject]]
"""Yields candidates in order of preference. The runner verifies each with its family's verifier and stops pulling
when the family has its count; candidates that fail become rejects. A maker yields a `Reject` for what it could not
even form. It may check cheaply beforehand, but acceptance is the verifier's alone."""

Verifier = Callable[[Contrast, Anchor, Context[S]], Verdict]
"""Re-checks one contrast from its stored bytes and its anchor's, knowing nothing of how it was made."""

Measure = Callable[[Contrast, Anchor, Context[S]], Iterable[str]]
"""What differs between a negative and its anchor: kinds of its domain (`storage.changes.KINDS`), in any order, measured
on what the two rows show and never by what their edits are called. It is asked of rows that passed their verifier, when
they are made and when they are verified, and must say the same both times. Of a row that is not proved it may raise
`counterfoil.tasks.contract.verdict.CheckError`: what nobody can read is not measured."""

Sampler = Callable[[Anchor, np.random.Generator, int, Context[S]], Sequence[Draft]]
"""At most so many contrasts of an anchor, made on the fly for training: drawn as the table's are and under the same
checks of graph and text, without those of the finished picture. Pictures are painted. The generator is the loader's."""


@dataclass(frozen=True)
class Family(Generic[S]):
    """One way of making contrasts. Families that share ``make`` are made together by one stage."""

    name: str
    role: Role
    modality: Modality
    paper: str
    how: str
    make: Maker[S]
    verify: Verifier[S]
    count: Callable[[S], int | None]
    """How many accepted contrasts an anchor should have under these settings; None: all that the maker yields."""
    spare: Callable[[S], int] = lambda _: 0
    """How many more than ``count`` rules make of an anchor, all verified: those stay that tell least over the corpus.
    What a language model writes is paid for, and none is spare."""
    fluency: Callable[[S], Sequence[str]] = lambda _: ()
    """Language models (`tasks.encoders.fluency`) that have a say in which spare texts stay."""
    quotas: Callable[[S], Sequence[Quota]] = lambda _: ()
    """What shares of what they change those keep that stay where some are spare."""
    version: int = 1
    make_llm: Maker[S] | None = None
    """The maker for a language-model author; None: ``make`` serves every author."""
    prompts: tuple[str, ...] = ()
    """Ids of the prompts that ``make_llm`` uses; their bytes enter the stage's fingerprint."""
    uses: tuple[str, ...] = ()
    """Settings keys that decide this family's content; empty: all of the section."""
    view: str = ""
    """The anchor's view whose near misses its texts are, by name; empty: the caption."""
    looked_at: bool = False
    """Whether a model that sees may be asked how its pictures and captions agree (the prompt geometry.look)."""
    mixed: bool = False
    """Whether its drafts may state another modality than the family's (retrieval finds texts and pictures)."""
    rates: tuple[str, ...] = ()
    """Which of ``concreteness`` and ``similarity`` its rows have; the others are null."""
    changes: Measure[S] | None = None
    """What its negatives change; None: by the domain's measure, where it has one."""
    prepare: Preparation[S, Any] | None = None
    """What must be made of the whole corpus before this family."""
    begin: Callable[[Sequence[Anchor], Context[S]], Context[S]] | None = None
    """Called once for a shard before its anchors' makers, which get the context that it returns: for what a model makes
    of many anchors in one batch."""
    networks: tuple[str, ...] = ()
    """Settings keys that name a network which the maker runs: where one is set, its shards ask a cluster for a GPU."""
    asked: bool = False
    """Whether it is made only where a recipe names it, and not with all the others of its domain."""
    sample: Sampler[S] | None = None
    """Makes contrasts on the fly for training; None: they come from the table alone."""
    sample_prepare: Preparation[S, Any] | None = None
    """What ``sample`` needs of all anchors that are trained on: made when they are packed, of ``gather`` alone."""


def list_families(families: Iterable[Family[S]]) -> Mapping[str, Family[S]]:
    """The families by name, in order."""
    return {family.name: family for family in families}
