"""What a report says of a dataset, as plain values: counts, sums of money, and the rows that it shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from counterfoil.storage.changes import ChangeTally
from counterfoil.storage.grades import order_grades
from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.audit.review.rates import Review
from counterfoil.tasks.looks.agreement import Agreement
from counterfoil.tasks.report.concreteness import FamilyConcreteness
from counterfoil.tasks.report.likeness import Judges, Likeness
from counterfoil.tasks.report.tallies import Histogram
from counterfoil.tasks.tells.measure import FamilyAudit


@dataclass(frozen=True)
class DomainCount:
    name: str
    anchors: int
    splits: Mapping[str, int]
    sources: Mapping[str, int]
    traits: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Trait to its values to anchors, as the domain names them."""


@dataclass(frozen=True)
class FamilyCount:
    """One family's rows: what was accepted, what is missing, and what was thrown away."""

    name: str
    roles: Mapping[str, int]
    shown: Mapping[str, int]
    """Role to the rows that are shown to have it: those of an open grade are not among them."""
    grades: Mapping[str, int]
    """Grade to rows, the surest first."""
    modalities: Mapping[str, int]
    accepted: int
    anchors: int
    """Anchors of the family's domain, those without a contrast included."""
    sizes: Mapping[int, int]
    """Number of contrasts to number of anchors that have so many."""
    target: int
    """How many contrasts an anchor should have: what the shortfalls say was asked for, else the most that one has."""
    kinds: Mapping[str, int]
    changes: ChangeTally
    """What its negatives change."""
    written: Mapping[str, tuple[int, int]]
    """Edit kind to the answers of a language model that were accepted and refused."""
    rejected: int
    """Rows thrown away; anchors that are merely short of contrasts are not among them."""
    reasons: Mapping[str, int]
    short_anchors: int
    shortfalls: Mapping[str, int]
    """Why anchors are short: reason code to failed candidates."""
    ranks: tuple[float, float, float] | None = None
    """Of rows that were found, among how many nearer neighbours: a tenth, the median, nine tenths."""
    cosines: tuple[float, float, float] | None = None
    """As ``ranks``, their cosines with the anchor, to two decimals."""
    similarity: tuple[float, float, float] | None = None
    """As ``ranks``, of all rows that state a similarity to their anchor."""

    @property
    def domain(self) -> str:
        return self.name.partition(".")[0]

    @property
    def mean(self) -> float:
        return self.accepted / self.anchors if self.anchors else 0.0

    @property
    def full_share(self) -> float:
        """Share of the anchors that have the full number."""
        full = sum(number for size, number in self.sizes.items() if size >= self.target)
        return full / self.anchors if self.anchors else 0.0


@dataclass(frozen=True)
class Spending:
    """What one family and prompt cost: by the run's own account of its requests, else summed up over the rows.

    Over rows, a request that several rows share is counted once, with the part that fell to the first of them.
    """

    family: str
    author: str
    model: str
    prompt_id: str
    requests: int
    input_tokens: int
    output_tokens: int
    usd: float
    unpriced: int
    """Requests whose price is unknown, which ``usd`` leaves out."""


@dataclass(frozen=True)
class Sample:
    """A sampled anchor with its contrasts, by family and rank."""

    anchor: Anchor
    contrasts: tuple[Contrast, ...]
    more: Mapping[str, int] = field(default_factory=dict)
    """Family to the number of contrasts that are not shown."""


@dataclass(frozen=True)
class RejectSample:
    reject: Reject
    anchor: Anchor | None


@dataclass(frozen=True)
class ReportData:
    """All that a report shows of a dataset."""

    name: str
    making: Mapping[str, Any]
    domains: tuple[DomainCount, ...]
    families: tuple[FamilyCount, ...]
    authors: Mapping[str, int]
    """Author and model to rows."""
    code_versions: tuple[str, ...]
    spending: tuple[Spending, ...]
    spending_by_rows: bool
    """Whether ``spending`` had to be summed up over the rows, which repairs and shared requests make inexact."""
    looks: tuple[Agreement, ...]
    review: Review | None
    """What people judged; None where nobody has."""
    gate: Mapping[str, Any]
    """What blind judges found as the run ended (`tasks.tells.gate.describe_gate`), of the families that are there."""
    audits: tuple[FamilyAudit, ...]
    """How well models that see one side tell contrasts from anchors; empty where none of these rows was audited."""
    concreteness: tuple[FamilyConcreteness, ...]
    """How concrete the exchanged words are, of the families whose rows say so."""
    likeness: tuple[Likeness, ...]
    """How alike their contrasts and anchors are by models; empty where none was named."""
    judges: Judges
    """Those models."""
    sampled: tuple[str, ...]
    """Ids of the anchors that are shown, in the order in which they are."""
    rejects: Mapping[str, tuple[RejectSample, ...]]
    """Reason code to a few of the rows that it threw away."""
    reject_reasons: Mapping[str, int]
    histograms: Mapping[str, Histogram]
    """``contrasts_per_anchor``, ``caption_words``, ``picture_bytes``, ``similarity``: over all rows, where present."""

    @property
    def anchors(self) -> int:
        return sum(domain.anchors for domain in self.domains)

    @property
    def contrasts(self) -> int:
        return sum(family.accepted for family in self.families)

    @property
    def grades(self) -> Mapping[str, int]:
        """Grade to rows of all families, the surest first."""
        return order_grades(sum((Counter(family.grades) for family in self.families), Counter()))

    @property
    def rejected(self) -> int:
        return sum(family.rejected for family in self.families)
