"""What the report says of a dataset, gathered from its tables in one pass over each.

Counts are over all rows; of rows only the ids of the sampled anchors and a few rejects are kept, so memory does not
grow with the dataset. `counterfoil.tasks.report.samples` reads the sampled rows, a page at a time.
"""

from __future__ import annotations

import heapq
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from counterfoil.storage.changes import ChangeTally
from counterfoil.storage.grades import OPEN, name_grade, order_grades
from counterfoil.storage.rows import Anchor, Contrast, Provenance, Reject, content_id, fingerprint
from counterfoil.tasks.audit.review.rates import Review
from counterfoil.tasks.engine.registry import find_domain
from counterfoil.tasks.looks.agreement import Agreement
from counterfoil.tasks.mining.retrieval import read_rank
from counterfoil.tasks.report.concreteness import ConcretenessTally, describe_concreteness
from counterfoil.tasks.report.facts import DomainCount, FamilyCount, RejectSample, ReportData, Spending
from counterfoil.tasks.report.likeness import NO_JUDGES, Judges, measure_likeness
from counterfoil.tasks.report.tallies import PerAnchorCounter, Tally, key_of
from counterfoil.tasks.report.words import split_words
from counterfoil.tasks.tells.gate import keep_families
from counterfoil.tasks.tells.measure import FamilyAudit

REJECTS_PER_REASON = 4
SHORTFALL = "shortfall"
"""The reason code by which the stage runner says that an anchor has fewer contrasts than were asked for."""

_SHORTFALL = re.compile(r"shortfall: (\d+) of (\d+) missing(?: after (.*))?", re.DOTALL)
T = TypeVar("T")

_SHORTFALL_CAUSE = re.compile(r"(\d+) (.+)")


class Tables(Protocol):
    """What is read of a dataset: its name, rows by table, and the metadata of its commits."""

    @property
    def name(self) -> str: ...

    def list_families(self) -> list[str]: ...

    def anchors(self) -> Iterator[Anchor]: ...

    def get_anchors(self, anchor_ids: Sequence[str]) -> Mapping[str, Anchor]: ...

    def contrasts(self, family: str, anchor_ids: Sequence[str] | None = None) -> Iterator[Contrast]:
        """The rows of a family, or those of these anchors."""
        ...

    def rejects(self) -> Iterator[Reject]: ...

    def read_review(self) -> Review | None:
        """What people judged of it."""
        ...

    def read_audits(self) -> Sequence[FamilyAudit]:
        """What its last audit measured of the rows as they are."""
        ...

    def describe_making(self) -> Mapping[str, Any]:
        """Sandbox level, recipe and whatever else the commits say of how the dataset was made."""
        ...


def collect(tables: Tables, sample: int = 60, seed: int = 0, judges: Judges = NO_JUDGES) -> ReportData:
    """Read every table once and keep the counts, and the ids of ``sample`` anchors; 0 stands for all.

    The sample is the anchors with the least hashes of (seed, anchor_id) in each domain, in equal parts where the
    domains have enough: the same dataset and seed give the same sample in whatever order the rows are stored.
    """
    return _Collector(sample, seed, judges).collect(tables)


@dataclass
class _FamilyTally:
    accepted: int = 0
    rejected: int = 0
    target: int = 0
    roles: Counter[str] = field(default_factory=Counter)
    shown: Counter[str] = field(default_factory=Counter)
    grades: Counter[str] = field(default_factory=Counter)
    modalities: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    changes: ChangeTally = field(default_factory=lambda: ChangeTally(""))
    written: Counter[tuple[str, bool]] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    shortfalls: Counter[str] = field(default_factory=Counter)
    short_anchors: int = 0
    per_anchor: PerAnchorCounter = field(default_factory=PerAnchorCounter)
    ranks: Tally = field(default_factory=lambda: Tally(1))
    cosines: Tally = field(default_factory=lambda: Tally(0.01))
    similarity: Tally = field(default_factory=lambda: Tally(0.005))


@dataclass
class _SpendingTally:
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0
    seen: set[int] = field(default_factory=set)


def _count_written(tally: _FamilyTally, contrast: Contrast, by: Provenance, accepted: bool) -> None:
    """By kind of edit, what a language model wrote."""
    if by.model is not None:
        tally.written.update((kind, accepted) for kind in {edit.kind for edit in contrast.edits})


class _Collector:
    def __init__(self, sample: int, seed: int, judges: Judges) -> None:
        self.judges = judges
        self.sample, self.seed = sample or sys.maxsize, seed
        self.families: defaultdict[str, _FamilyTally] = defaultdict(_FamilyTally)
        self.domains: Counter[str] = Counter()
        self.splits: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.sources: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.traits: defaultdict[str, defaultdict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        self.authors: Counter[str] = Counter()
        self.versions: set[str] = set()
        self.spending: defaultdict[tuple[str, str, str, str], _SpendingTally] = defaultdict(_SpendingTally)
        self.reject_reasons: Counter[str] = Counter()
        self.concreteness: defaultdict[str, ConcretenessTally] = defaultdict(ConcretenessTally)
        self.tallies = {
            "contrasts_per_anchor": Tally(1),
            "caption_words": Tally(1),
            "picture_bytes": Tally(64),
            "similarity": Tally(0.005),
        }

    def collect(self, tables: Tables) -> ReportData:
        rejects = self._read_rejects(tables)
        sampled = self._read_anchors(tables)
        for family in tables.list_families():
            for contrast in tables.contrasts(family):
                self._count_contrast(family, contrast)
        kept = tables.get_anchors(
            sorted({each.anchor_id for rows in rejects.values() for each in rows if each.anchor_id})
        )
        making = tables.describe_making()
        account = making.get("spending")
        concreteness = describe_concreteness(self.concreteness)
        return ReportData(
            name=tables.name,
            making=making,
            domains=tuple(
                DomainCount(
                    name,
                    self.domains[name],
                    _order(self.splits[name]),
                    _order(self.sources[name]),
                    {trait: _order(counts) for trait, counts in self.traits[name].items()},
                )
                for name in sorted(self.domains)
            ),
            families=self._describe_families(),
            authors=_order(self.authors),
            code_versions=tuple(sorted(self.versions)),
            spending=_read_account(account) if account else self._describe_spending(),
            spending_by_rows=not account,
            looks=tuple(Agreement(family, **counts) for family, counts in (making.get("looks") or {}).items()),
            review=tables.read_review(),
            gate=keep_families(making.get("gate") or {}, tables.list_families()),
            audits=tuple(tables.read_audits()),
            concreteness=concreteness,
            likeness=measure_likeness(tables, [each.family for each in concreteness], self.judges),
            judges=self.judges,
            sampled=sampled,
            rejects={
                code: tuple(RejectSample(each, kept.get(each.anchor_id or "")) for each in rows)
                for code, rows in rejects.items()
            },
            reject_reasons=_order(self.reject_reasons),
            histograms={name: made for name, tally in self.tallies.items() if (made := tally.bin()) is not None},
        )

    def _read_rejects(self, tables: Tables) -> dict[str, list[Reject]]:
        """Count the rejects and keep a few per reason, those with the least hashes."""
        heaps: dict[str, _Least[Reject]] = defaultdict(lambda: _Least(REJECTS_PER_REASON))
        for reject in tables.rejects():
            tally = self.families[reject.family]
            codes = {_reason_code(reason) for reason in reject.reasons}
            self._count_spending(reject.family, reject.provenance)
            if SHORTFALL in codes:
                self._count_shortfall(tally, reject)
                continue
            tally.rejected += 1
            if reject.contrast is not None:
                _count_written(tally, reject.contrast, reject.provenance, accepted=False)
            tally.reasons.update(codes)
            self.reject_reasons.update(codes)
            for code in codes:
                heaps[code].offer(self._hash_reject(reject), reject)
        return {code: heaps[code].sorted() for code, _ in _order(self.reject_reasons).items()}

    def _count_shortfall(self, tally: _FamilyTally, reject: Reject) -> None:
        tally.short_anchors += 1
        for reason in reject.reasons:
            found = _SHORTFALL.match(reason)
            if found is None:
                continue
            tally.target = max(tally.target, int(found[2]))
            for cause in (found[3] or "").split(", "):
                counted = _SHORTFALL_CAUSE.fullmatch(cause)
                tally.shortfalls[counted[2] if counted else cause or "no more candidates"] += (
                    int(counted[1]) if counted else 1
                )

    def _hash_reject(self, reject: Reject) -> str:
        text = reject.contrast.text if reject.contrast else None
        return fingerprint(self.seed, reject.family, reject.reasons, reject.source_id, reject.anchor_id, text)

    def _read_anchors(self, tables: Tables) -> tuple[str, ...]:
        """Count the anchors; returns the ids of the sample."""
        heaps: dict[str, _Least[str]] = defaultdict(lambda: _Least(self.sample))
        for anchor in tables.anchors():
            self.domains[anchor.domain] += 1
            self.splits[anchor.domain][anchor.split] += 1
            self.sources[anchor.domain][anchor.source] += 1
            here = find_domain(anchor.domain)
            for trait, value in (here.traits(anchor) if here is not None else {}).items():
                self.traits[anchor.domain][trait][value] += 1
            self._count_spending(f"{anchor.domain}.anchor", anchor.provenance)
            self._count_author(anchor.provenance)
            if anchor.caption:
                self.tallies["caption_words"].add(len(split_words(anchor.caption)))
            if anchor.image:
                self.tallies["picture_bytes"].add(len(anchor.image.bytes))
            heaps[anchor.domain].offer(content_id(self.seed, anchor.anchor_id), anchor.anchor_id)
        shares = share_out(self.sample, {domain: heap.size for domain, heap in heaps.items()})
        return _take_turns([heaps[domain].sorted()[: shares[domain]] for domain in sorted(heaps, reverse=True)])

    def _count_contrast(self, family: str, contrast: Contrast) -> None:
        tally = self.families[family]
        tally.accepted += 1
        tally.roles[contrast.role] += 1
        grade = name_grade(contrast.grade)
        tally.grades[grade] += 1
        tally.shown[contrast.role] += grade not in OPEN
        tally.modalities[contrast.modality] += 1
        tally.kinds.update({edit.kind for edit in contrast.edits})
        _count_written(tally, contrast, contrast.provenance, accepted=True)
        tally.changes.domain = family.partition(".")[0]
        tally.changes.add(contrast.role, contrast.changes)
        tally.per_anchor.add(contrast.anchor_id)
        rank = read_rank(contrast)
        if rank is not None and contrast.similarity is not None:
            tally.ranks.add(rank)
            tally.cosines.add(contrast.similarity)
        self._count_spending(family, contrast.provenance)
        self._count_author(contrast.provenance)
        if contrast.image:
            self.tallies["picture_bytes"].add(len(contrast.image.bytes))
        self.concreteness[family].add(contrast)
        if contrast.similarity is not None:
            self.tallies["similarity"].add(contrast.similarity)
            tally.similarity.add(contrast.similarity)

    def _count_author(self, provenance: Provenance) -> None:
        self.authors[f"{provenance.author} {provenance.model}" if provenance.model else provenance.author] += 1
        if provenance.code_version:
            self.versions.add(provenance.code_version)

    def _count_spending(self, family: str, provenance: Provenance) -> None:
        if provenance.model is None and provenance.request_sha256 is None:
            return
        key = (family, provenance.author, provenance.model or "", provenance.prompt_id or "")
        tally = self.spending[key]
        if provenance.request_sha256 is not None:
            request = key_of(provenance.request_sha256)
            if request in tally.seen:
                return
            tally.seen.add(request)
        tally.requests += 1
        tally.input_tokens += provenance.input_tokens
        tally.output_tokens += provenance.output_tokens
        if provenance.cost_usd is None:
            tally.unpriced += 1
        else:
            tally.usd += provenance.cost_usd

    def _describe_families(self) -> tuple[FamilyCount, ...]:
        everything: dict[str, PerAnchorCounter] = defaultdict(PerAnchorCounter)
        described = []
        for name in sorted(
            self.families, key=lambda name: (name.partition(".")[0], not name.endswith(".anchor"), name)
        ):
            tally, domain = self.families[name], name.partition(".")[0]
            made_anchors = name == f"{domain}.anchor"
            anchors = self.domains[domain]
            sizes = {} if made_anchors else tally.per_anchor.count_sizes(anchors)
            if not made_anchors:
                everything[domain].extend(tally.per_anchor)
            described.append(
                FamilyCount(
                    name=name,
                    roles=_order(tally.roles),
                    shown=tally.shown,
                    grades=order_grades(tally.grades),
                    modalities=_order(tally.modalities),
                    accepted=tally.accepted,
                    anchors=anchors,
                    sizes=sizes,
                    target=tally.target or max(sizes, default=0),
                    kinds=_order(tally.kinds),
                    changes=tally.changes,
                    written={
                        kind: (tally.written[kind, True], tally.written[kind, False])
                        for kind in sorted({kind for kind, _ in tally.written})
                    },
                    rejected=tally.rejected,
                    reasons=_order(tally.reasons),
                    short_anchors=tally.short_anchors,
                    shortfalls=_order(tally.shortfalls),
                    ranks=tally.ranks.find_tenths(),
                    cosines=tally.cosines.find_tenths(),
                    similarity=tally.similarity.find_tenths(),
                )
            )
        for domain, counter in everything.items():
            for size, number in counter.count_sizes(self.domains[domain]).items():
                self.tallies["contrasts_per_anchor"].add(size, number)
        return tuple(described)

    def _describe_spending(self) -> tuple[Spending, ...]:
        return tuple(
            Spending(*key, tally.requests, tally.input_tokens, tally.output_tokens, tally.usd, tally.unpriced)
            for key, tally in sorted(self.spending.items())
        )


class _Least(Generic[T]):
    """The ``most`` items with the least keys of a stream."""

    def __init__(self, most: int) -> None:
        self.most, self._heap = most, list[tuple[int, int, T]]()
        self._offered = 0

    @property
    def size(self) -> int:
        return len(self._heap)

    def offer(self, key: str, item: T) -> None:
        # Python's heap gives up its least item, so keys are negated; the counter keeps items out of comparisons.
        self._offered += 1
        entry = (-int(key, 16), -self._offered, item)
        if len(self._heap) < self.most:
            heapq.heappush(self._heap, entry)
        elif self.most:
            heapq.heappushpop(self._heap, entry)

    def sorted(self) -> list[T]:
        return [item for _, _, item in sorted(self._heap, key=lambda entry: entry[:2], reverse=True)]


def _read_account(account: Sequence[Mapping[str, Any]]) -> tuple[Spending, ...]:
    """What the response store counted, as the commit holds it (`counterfoil.tasks.llm.store.tables.Spending`)."""
    return tuple(
        Spending(
            family=each["family"],
            author=each["provider"],
            model=each["model"],
            prompt_id=each["prompt_id"],
            requests=each["requests"],
            input_tokens=each["input_tokens"],
            output_tokens=each["output_tokens"],
            usd=each["cost_usd"],
            unpriced=each["unknown"],
        )
        for each in account
    )


def share_out(total: int, available: Mapping[str, int]) -> dict[str, int]:
    """Share ``total`` places equally; what a stratum cannot fill goes to the others, in the order of their names.

    >>> share_out(10, {"geometry": 100, "flowchart": 3})
    {'flowchart': 3, 'geometry': 7}
    """
    shares = dict.fromkeys(sorted(available), 0)
    left = min(total, sum(available.values()))
    while left:
        for name in shares:
            if left and shares[name] < available[name]:
                shares[name] += 1
                left -= 1
    return shares


def _take_turns(lists: list[list[str]]) -> tuple[str, ...]:
    """One of each list after the other, so that the first screen shows every domain."""
    turns = range(max(map(len, lists), default=0))
    return tuple(each[turn] for turn in turns for each in lists if turn < len(each))


def _reason_code(reason: str) -> str:
    return reason.partition(":")[0].strip()


def _order(counts: Mapping[str, int]) -> dict[str, int]:
    """By count, then by name."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
