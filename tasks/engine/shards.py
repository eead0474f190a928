"""The values that pass between the flows and the workers: a job, what came of it, and sums of those."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from counterfoil.tasks.engine.rows import INTERNAL_ERROR

_NOTHING: Mapping[str, Any] = MappingProxyType({})

Kind = Literal["anchors", "part", "gather", "contrasts", "seen", "chosen", "sifted", "looks", "gate"]


@dataclass(frozen=True, slots=True)
class StageJob:
    """One shard of one stage: everything that a worker needs, as references and plain data."""

    kind: Kind
    dataset: str
    domain: str
    stage: str
    """What the user reads: ``geometry.anchors``, ``geometry.caption+geometry.image``."""
    settings: Mapping[str, Any]
    author: Mapping[str, Any]
    seed: int
    fingerprint: str
    index: int
    upstream: tuple[str, ...] = ()
    """Fingerprints of the staged shards that it reads."""
    families: tuple[str, ...] = ()
    """The families that it makes contrasts of or looks at; for a preparation those that need it."""
    prepared: str = ""
    """Fingerprint of what was prepared for these families."""
    contrasts: str = ""
    """Fingerprint of the staged contrasts that a model looks at, or that are seen and sifted."""
    chosen: str = ""
    """Fingerprint of what is sifted out of them."""
    refine: bool = False
    """Whether negatives that judges tell are dropped beyond the spare ones."""
    gated: tuple[str, ...] = ()
    """Fingerprints of the staged contrasts that the gate judges; ``upstream`` are their anchors'."""
    most: int = 0
    """Anchors that the gate reads at most."""
    language_model: str = ""
    """The one that judges texts in the gate."""
    sandbox: str | None = None
    workers: int = 1
    """Processes that share the author's rate limits."""
    run: str = ""
    """The run that it is part of, as logs name it."""
    code_version: str = ""


@dataclass(frozen=True, slots=True)
class ShardResult:
    """What came of a job, for counting and for the next stage. Rows stay on disk."""

    stage: str
    index: int
    fingerprint: str
    rows_in: int
    accepted: Mapping[str, int]
    rejected: Mapping[str, Mapping[str, int]]
    """Family to reason code to count."""
    reused: bool = False
    wall_s: float = 0.0
    cpu_s: float = 0.0
    took_s: float = 0.0
    """CPU seconds that the shard took, whenever it was made."""
    pictures: int = 0
    kills: int = 0
    """Scripts that the sandbox ended."""
    code_version: str = ""
    """Of the code that made it; unknown of shards of before it was noted."""

    def strip_counts(self) -> ShardResult:
        """The result once it is counted: a stage may have very many."""
        return replace(self, accepted=_NOTHING, rejected=_NOTHING)


def settle(jobs: Sequence[StageJob], results: Sequence[ShardResult]) -> list[StageJob]:
    """The jobs, each by the fingerprint under which its shard is found: another than its own where rows are unasked."""
    made = {result.index: result.fingerprint for result in results}
    return [replace(job, fingerprint=made[job.index]) for job in jobs]


@dataclass
class Totals:
    """Counts over results, for tables, artifacts and exit codes."""

    rows_in: int = 0
    accepted: Counter[str] = field(default_factory=Counter)
    rejected: dict[str, Counter[str]] = field(default_factory=dict)
    reused: int = 0
    shards: int = 0
    pictures: int = 0
    cpu_s: float = 0.0
    versions: set[str] = field(default_factory=set)
    """Of the code that made the shards."""

    def add(self, result: ShardResult) -> None:
        self.rows_in += result.rows_in
        self.accepted.update(result.accepted)
        self.shards += 1
        self.reused += result.reused
        self.pictures += result.pictures
        self.cpu_s += result.cpu_s
        self.versions.add(result.code_version)
        self.add_rejected(result.rejected)

    def add_rejected(self, rejected: Mapping[str, Mapping[str, int]]) -> None:
        """Count rejects by family and reason code."""
        for family, codes in rejected.items():
            self.rejected.setdefault(family, Counter()).update(codes)

    def count_rejected(self, family: str = "") -> int:
        """Rejects of one family, or of all."""
        chosen = [self.rejected.get(family, Counter())] if family else self.rejected.values()
        return sum(sum(codes.values()) for codes in chosen)

    @property
    def made(self) -> int:
        """Shards that were not there before."""
        return self.shards - self.reused

    @property
    def internal_errors(self) -> int:
        return sum(codes[INTERNAL_ERROR] for codes in self.rejected.values())
