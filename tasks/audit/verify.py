"""`counterfoil verify`: every row of every table checked again, from the stored bytes alone.

Each row goes through its domain's verifier, which re-renders code, measures drawings and parses texts; the tables'
own promises (ids, ranks, references) are checked beside them. Nothing of the run that made the rows is used but its
settings.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from storage.dataset import Dataset
from storage.errors import StorageError
from storage.reading import Snapshot
from storage.rows import Anchor, Contrast, contrast_id
from storage.schemas import TableName, from_table
from tasks.contract.context import Context
from tasks.contract.domain import Domain
from tasks.contract.family import Family
from tasks.contract.verdict import Verdict
from tasks.engine.groups import hash_picture, name_group
from tasks.engine.history import find_run
from tasks.engine.registry import DOMAIN_MODULES, load_domain
from tasks.engine.renderer import MemoRenderer
from tasks.engine.rows import reason_code
from tasks.engine.workers import WorkerPool
from tasks.tells.refine import TELL

BATCH = 64
"""Rows of one job: its anchors are loaded together."""


@dataclass(frozen=True)
class Failure:
    """A row that does not hold, and why."""

    table: str
    row_id: str
    reasons: tuple[str, ...]


@dataclass
class Verification:
    """What was checked and what failed."""

    rows: int = 0
    failures: list[Failure] = field(default_factory=list)
    by_code: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Chunk:
    """Rows of one partition for one worker."""

    url: str
    versions: Mapping[str, int]
    table: str
    partition: str
    settings: Mapping[str, Any]
    seed: int
    ids: tuple[str, ...]


def verify_dataset(
    url: str,
    *,
    workers: int = 0,
    on_start: Callable[[str, int], None] = lambda *_: None,
    on_rows: Callable[[str, int], None] = lambda *_: None,
) -> Verification:
    """Check all rows, in parallel.

    Raises:
        StorageError: the dataset cannot be read, or no run made it.
    """
    dataset = Dataset(url)
    if not dataset.exists():
        raise StorageError(f"{url} holds no dataset: make one with `counterfoil run RECIPE`")
    snapshot = dataset.snapshot()
    result = Verification()
    unfinished = dataset.unfinished()
    if unfinished:
        result.failures.append(Failure("dataset", url, (f"unfinished: {unfinished}",)))
    result.failures += _check_tables(snapshot, result)
    chunks = list(_cut_chunks(dataset, snapshot))
    for name, rows in _sum_by_partition(chunks).items():
        on_start(name, rows)
    with WorkerPool(workers) as pool:
        for chunk, failures in zip(chunks, pool.map(verify_chunk, chunks, "checking rows"), strict=True):
            result.failures += failures
            result.rows += len(chunk.ids)
            on_rows(chunk.partition, len(chunk.ids))
    result.failures.sort(key=lambda each: (each.table, each.row_id))
    result.by_code.update(reason_code(reason) for each in result.failures for reason in each.reasons)
    return result


def verify_chunk(chunk: Chunk) -> list[Failure]:
    """Check the rows of one chunk; runs in a worker process."""
    domain = load_domain(chunk.partition.partition(".")[0])
    context = _open_context(chunk, domain)
    snapshot = Dataset(chunk.url).snapshot(chunk.versions)
    if chunk.table == "anchors":
        verdicts = _verify_anchors(snapshot, domain, chunk, context)
    else:
        verdicts = _verify_contrasts(snapshot, domain, chunk, context)
    return [Failure(chunk.table, row_id, verdict.reasons) for row_id, verdict in verdicts if not verdict.passed]


def verify_contrast(domain: Domain[Any], contrast: Contrast, anchor: Anchor | None, context: Context[Any]) -> Verdict:
    """One contrast by its family's verifier, its id, and what the table promises of it."""
    reasons = []
    if anchor is None:
        return Verdict(reasons=(f"no_anchor: anchor {contrast.anchor_id} is not in the table",))
    if contrast_id(replace(contrast, contrast_id="")) != contrast.contrast_id:
        reasons.append("wrong_id: the id is not the hash of the row's content")
    family = domain.families[contrast.family]
    reasons += find_misfits(contrast, family, anchor)
    if not contrast.checks:
        reasons.append("unchecked: the row names no check that it passed")
    verdict = family.verify(contrast, anchor, context)
    if verdict.passed and contrast.grade not in (None, verdict.grade):  # None: a table of before there were grades
        reasons.append(f"wrong_grade: the row says {contrast.grade}, its checks show {verdict.grade}")
    if verdict.passed and contrast.witness != verdict.witness and contrast.grade is not None:
        reasons.append(f"wrong_witness: the row says {contrast.witness}, its checks show {verdict.witness}")
    return Verdict(verdict.checks, (*reasons, *verdict.reasons), verdict.grade, verdict.witness)


def find_misfits(contrast: Contrast, family: Family[Any], anchor: Anchor) -> list[str]:
    """Where a row is not of its family or its anchor."""
    misfits = []
    if contrast.role != family.role or (contrast.modality != family.modality and not family.mixed):
        misfits.append(
            f"wrong_role: {contrast.role} {contrast.modality} in a family of {family.role} {family.modality}"
        )
    if contrast.anchor_id != anchor.anchor_id:
        misfits.append(f"wrong_anchor: the row names {contrast.anchor_id}")
    return misfits


def _verify_anchors(
    snapshot: Snapshot, domain: Domain[Any], chunk: Chunk, context: Context[Any]
) -> Iterator[tuple[str, Verdict]]:
    anchors = snapshot.get_anchors(chunk.ids, chunk.partition)
    for anchor_id in chunk.ids:
        yield anchor_id, domain.verify_anchor(anchors[anchor_id], context)


def _verify_contrasts(
    snapshot: Snapshot, domain: Domain[Any], chunk: Chunk, context: Context[Any]
) -> Iterator[tuple[str, Verdict]]:
    wanted = pc.field("contrast_id").isin(list(chunk.ids))
    contrasts = list(_read_contrasts(snapshot, chunk.partition, wanted))
    anchors = snapshot.get_anchors(sorted({each.anchor_id for each in contrasts}), domain.name)
    for contrast in sorted(contrasts, key=lambda each: (each.anchor_id, each.rank)):
        yield contrast.contrast_id, verify_contrast(domain, contrast, anchors.get(contrast.anchor_id), context)


def _read_contrasts(snapshot: Snapshot, family: str, wanted: Any) -> Iterator[Contrast]:
    for batch in snapshot.scan("contrasts", filter=wanted, partition=family):
        yield from from_table(pa.Table.from_batches([batch]), "contrasts")


def _cut_chunks(dataset: Dataset, snapshot: Snapshot) -> Iterator[Chunk]:
    columns: dict[TableName, str] = {"anchors": "anchor_id", "contrasts": "contrast_id"}
    for table, column in columns.items():
        for partition in snapshot.partitions(table):
            name = partition.partition(".")[0]
            if name not in DOMAIN_MODULES:
                continue  # `_check_tables` names it
            run = find_run(dataset, name)
            seed = run["recipe"]["dataset"]["seed"]
            ids: list[str] = []
            for batch in snapshot.scan(table, columns=[column], partition=partition):
                ids += batch[column].to_pylist()
                while len(ids) >= BATCH:
                    yield _chunk(dataset, snapshot, table, partition, run, seed, ids[:BATCH])
                    ids = ids[BATCH:]
            if ids:
                yield _chunk(dataset, snapshot, table, partition, run, seed, ids)


def _chunk(
    dataset: Dataset,
    snapshot: Snapshot,
    table: str,
    partition: str,
    run: Mapping[str, Any],
    seed: int,
    ids: Sequence[str],
) -> Chunk:
    settings = run["recipe"][partition.partition(".")[0]]
    return Chunk(dataset.store.url, snapshot.versions, table, partition, settings, seed, tuple(ids))


def _check_tables(snapshot: Snapshot, result: Verification) -> Iterator[Failure]:
    """What no single row can show: ids given twice, ranks with gaps, references to nothing, rejects without reasons."""
    anchors: set[str] = set()
    for batch in snapshot.scan("anchors", columns=["anchor_id", "domain"]):
        for anchor_id, domain in zip(batch["anchor_id"].to_pylist(), batch["domain"].to_pylist(), strict=True):
            if anchor_id in anchors:
                yield Failure("anchors", anchor_id, ("duplicate_id: the id stands twice",))
            if domain not in DOMAIN_MODULES:
                yield Failure("anchors", anchor_id, (f"unknown_domain: {domain}",))
            anchors.add(anchor_id)
    yield from _check_groups(snapshot)
    for family in snapshot.partitions("contrasts"):
        yield from _check_family(snapshot, family, anchors)
    for batch in snapshot.scan("rejects", columns=["family", "source_id", "reasons"]):
        result.rows += batch.num_rows
        for row in batch.to_pylist():
            if not row["reasons"]:
                yield Failure("rejects", row["source_id"] or "?", (f"no_reason: a reject of {row['family']} has none",))


def _check_groups(snapshot: Snapshot) -> Iterator[Failure]:
    """Anchors of a domain with an equal picture or equal facts share a group, and a group a split.

    Tables of before have no groups.
    """
    for domain in snapshot.partitions("anchors"):
        shown: dict[str, str] = {}
        splits: dict[str, str] = {}
        for anchor in snapshot.anchors(domain):
            if anchor.group is None:
                continue
            if splits.setdefault(anchor.group, anchor.split) != anchor.split:
                reason = f"split: another anchor of its group is in {splits[anchor.group]}, this one in {anchor.split}"
                yield Failure("anchors", anchor.anchor_id, (reason,))
            own = name_group(anchor).group
            for what, key in (("facts", own if anchor.facts else None), ("picture", hash_picture(anchor))):
                if key is not None and shown.setdefault(key, anchor.group) != anchor.group:
                    reason = f"group: an anchor of another group has the same {what}"
                    yield Failure("anchors", anchor.anchor_id, (reason,))


def _check_family(snapshot: Snapshot, family: str, anchors: set[str]) -> Iterator[Failure]:
    ranks: dict[str, list[int]] = {}
    seen: set[str] = set()
    for batch in snapshot.scan("contrasts", columns=["contrast_id", "anchor_id", "rank"], partition=family):
        for row in batch.to_pylist():
            if row["contrast_id"] in seen:
                yield Failure("contrasts", row["contrast_id"], (f"duplicate_id: stands twice in {family}",))
            if row["anchor_id"] not in anchors:
                reason = f"no_anchor: {family} refers to anchor {row['anchor_id']}, which is not in the table"
                yield Failure("contrasts", row["contrast_id"], (reason,))
            seen.add(row["contrast_id"])
            ranks.setdefault(row["anchor_id"], []).append(row["rank"])
    refined = _find_refined(snapshot, family)
    for anchor_id, given in ranks.items():
        whole = sorted([*given, *refined.get(anchor_id, ())])
        if whole != list(range(len(whole))):
            yield Failure("contrasts", anchor_id, (f"ranks: those of {family} are {sorted(given)}, not 0 upwards",))


def _find_refined(snapshot: Snapshot, family: str) -> Mapping[str, Sequence[int]]:
    """The ranks that refinement took out of each anchor's contrasts: they are among the rejects."""
    ranks: dict[str, list[int]] = {}
    for batch in snapshot.scan("rejects", columns=["anchor_id", "rank", "reasons"], partition=family):
        for row in batch.to_pylist():
            if row["rank"] is not None and any(reason_code(reason) == TELL for reason in row["reasons"]):
                ranks.setdefault(row["anchor_id"], []).append(row["rank"])
    return ranks


def _sum_by_partition(chunks: Sequence[Chunk]) -> Mapping[str, int]:
    sums: OrderedDict[str, int] = OrderedDict()
    for chunk in chunks:
        sums[chunk.partition] = sums.get(chunk.partition, 0) + len(chunk.ids)
    return sums


_contexts: dict[str, Context[Any]] = {}


def _open_context(chunk: Chunk, domain: Domain[Any]) -> Context[Any]:
    key = f"{domain.name}\0{chunk.seed}\0{chunk.settings}"
    if key not in _contexts:
        settings = domain.settings_type.model_validate(dict(chunk.settings))
        _contexts[key] = Context(settings=settings, seed=chunk.seed, renderer=MemoRenderer())
    return _contexts[key]
