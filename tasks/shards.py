"""The one stage runner: fingerprint, skip what is staged, run, stage the shard atomically.

A stage is a pure function from a shard of rows to accepted and rejected rows. The kinds: *sources* (read in
the parent), *anchors* (a source shard to anchors), *contrasts* (an anchor shard to the rows of the families that share
a maker) and, where a recipe asks for it, *looks* (what a model that sees says of them, see `tasks.looking`). What a
shard holds depends on its fingerprint's inputs alone, never on the worker, the order or the clock, so any process on
any machine that shares the dataset's ``work/`` folder may run any job.
"""

from __future__ import annotations

import json
import logging
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import pyarrow as pa

from storage.errors import StorageError
from storage.rows import Anchor, Contrast, Provenance, Reject, fingerprint
from storage.schemas import from_table, to_table
from storage.staged import StagedShard, StagedShards
from tasks.families import Context, Domain, Family, SourceRow, Verdict
from tasks.registry import load_domain

RUNNER_VERSION = 2
"""Bump when this module changes what a shard holds."""

Progress = Callable[[int], None]
"""Called with the number of input rows done since the last call."""

SOURCE_SCHEMA = pa.schema([(name, pa.string()) for name in ("source", "source_id", "split", "payload")])

log = logging.getLogger("counterfoil.shards")


@dataclass(frozen=True)
class StageJob:
    """One shard of one stage: everything that a worker needs, as references and plain data."""

    dataset: str
    domain: str
    families: tuple[str, ...]
    """The families that this job makes; empty for a job that makes anchors."""
    settings: Mapping[str, Any]
    author: Mapping[str, Any]
    seed: int
    upstream: str
    """Fingerprint of the staged shard that it reads."""
    fingerprint: str
    index: int
    sandbox: str | None = None
    workers: int = 1
    """Processes that share the author's rate limits."""
    contrasts: str = ""
    """Fingerprint of the staged contrasts that a model looks at; empty for a job that makes rows."""

    @property
    def stage(self) -> str:
        made = "+".join(self.families) if self.families else f"{self.domain}.anchors"
        return f"{made}.look" if self.contrasts else made


@dataclass(frozen=True)
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
    pictures: int = 0


class InternalError(Exception):
    """A maker or verifier failed on rows in a way that it should not have; the rows are in ``rejects``."""


# --------------------------------------------------------------------------------------------- fingerprints


def fingerprint_anchors(
    domain: Domain, settings: Mapping[str, Any], author: Mapping[str, Any], seed: int, upstream: str
) -> str:
    """Fingerprint of the shard of anchors that ``domain`` makes of the source shard ``upstream``."""
    prompts = domain.list_anchor_prompts(domain.settings_type.model_validate(dict(settings))) if _is_llm(author) else ()
    return fingerprint(
        "anchors",
        RUNNER_VERSION,
        domain.name,
        domain.version,
        {key: settings[key] for key in domain.anchor_uses},
        _hash_prompts(prompts),
        author if prompts else {"kind": "procedural"},
        seed,
        upstream,
    )


def fingerprint_contrasts(
    group: Sequence[Family],
    settings: Mapping[str, Any],
    author: Mapping[str, Any],
    seed: int,
    upstream: str,
) -> str:
    """Fingerprint of the shard of contrasts that ``group`` makes of the anchor shard ``upstream``."""
    llm = _is_llm(author) and group[0].make_llm is not None
    prompts = sorted({prompt for family in group for prompt in family.prompts}) if llm else []
    uses = {key for family in group for key in family.uses} or set(settings) - {"source", "families"}
    return fingerprint(
        "contrasts",
        RUNNER_VERSION,
        [(family.name, family.version) for family in group],
        {key: settings[key] for key in sorted(uses)},
        _hash_prompts(prompts),
        author if llm else {"kind": "procedural"},
        seed,
        upstream,
    )


def _is_llm(author: Mapping[str, Any]) -> bool:
    return author.get("kind", "procedural") != "procedural"


def _hash_prompts(ids: Sequence[str]) -> dict[str, str]:
    if not ids:
        return {}
    from prompts import load_prompt

    return {prompt: load_prompt(prompt).sha256 for prompt in ids}


# --------------------------------------------------------------------------------------------- sources


@dataclass(frozen=True)
class SourceShard:
    """A staged batch of source rows, by the fingerprint of its content."""

    fingerprint: str
    index: int
    rows: int
    rejected: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def stage_sources(
    domain: Domain, settings: Any, seed: int, limit: int | None, shard_size: int, staged: StagedShards
) -> Iterator[SourceShard]:
    """Read the domain's source in batches of ``shard_size`` rows and stage each; memory holds one batch.

    Rows that cannot be read become rejects of ``<domain>.anchor``.

    Raises:
        tasks.families.SourceError: the source itself cannot be read.
    """
    rows = iter(domain.read(settings, seed, limit))
    index = 0
    while batch := list(islice(rows, shard_size)):
        read = [row for row in batch if isinstance(row, SourceRow)]
        rejects = [row for row in batch if isinstance(row, Reject)]
        table = pa.Table.from_pylist(
            [
                {
                    "source": row.source,
                    "source_id": row.source_id,
                    "split": row.split,
                    "payload": json.dumps(row.payload, sort_keys=True, ensure_ascii=False),
                }
                for row in read
            ],
            schema=SOURCE_SCHEMA,
        )
        tables = {"sources": table, **_reject_tables(rejects)}
        key = fingerprint("sources", RUNNER_VERSION, domain.name, table.to_pylist(), [str(each) for each in rejects])
        rejected = _count_rejects(rejects)
        if staged.find(key) is None:
            staged.write(key, tables, {"rejected": rejected})
        yield SourceShard(key, index, len(read), rejected)
        index += 1


# --------------------------------------------------------------------------------------------- jobs


def run_job(job: StageJob, context: Context, staged: StagedShards, progress: Progress = lambda _: None) -> ShardResult:
    """Run one job, or find its finished shard.

    Raises:
        storage.dataset.StorageError: the shard cannot be written (a full disk), or its input is gone.
        renderers.sandbox.SandboxError: no sandbox is available.
        tasks.llm.AuthorError: the author cannot be reached, or the budget is spent.
    """
    found = staged.find(job.fingerprint)
    if found is not None:
        result = _describe(job, found, reused=True)
        progress(result.rows_in)
        return result
    upstream = staged.find(job.upstream)
    if upstream is None:
        raise StorageError(
            f"{job.stage}, shard {job.index}: its input {job.upstream[:12]} is not staged in {job.dataset}; "
            "run the recipe again to make it"
        )
    started, cpu = time.perf_counter(), time.process_time()
    rendered = getattr(context.renderer, "rendered", 0)
    domain = load_domain(job.domain)
    if job.contrasts:
        tables, meta = _run_looks(job, domain, upstream, context, staged)
        progress(meta["rows_in"])
    elif job.families:
        group = [domain.families[name] for name in job.families]
        tables, meta = _run_contrasts(group, upstream, context, progress)
    else:
        tables, meta = _run_anchors(domain, upstream, context, progress)
    meta |= {
        "wall_s": round(time.perf_counter() - started, 3),
        "cpu_s": round(time.process_time() - cpu, 3),
        "pictures": getattr(context.renderer, "rendered", 0) - rendered,
    }
    return _describe(job, staged.write(job.fingerprint, tables, meta), reused=False)


def _describe(job: StageJob, shard: StagedShard, reused: bool) -> ShardResult:
    meta = shard.meta
    return ShardResult(
        stage=job.stage,
        index=job.index,
        fingerprint=job.fingerprint,
        rows_in=meta["rows_in"],
        accepted=meta["accepted"],
        rejected=meta["rejected"],
        reused=reused,
        wall_s=0.0 if reused else meta["wall_s"],
        cpu_s=0.0 if reused else meta["cpu_s"],
        pictures=0 if reused else meta["pictures"],
    )


def _run_anchors(
    domain: Domain, upstream: StagedShard, context: Context, progress: Progress
) -> tuple[dict[str, pa.Table], dict[str, Any]]:
    rows = [
        SourceRow(row["source"], row["source_id"], row["split"], json.loads(row["payload"]))
        for row in upstream.read("sources").to_pylist()
    ]
    anchors: list[Anchor] = []
    rejects: list[Reject] = []
    threads = _count_threads(context, bool(domain.list_anchor_prompts(context.settings)))
    for made in _map_rows(lambda row: make_anchors(domain, row, context), rows, threads, progress):
        for each in made:
            if isinstance(each, Reject):
                rejects.append(each)
            else:
                anchors.append(each)
    tables = {f"anchors/domain={domain.name}": to_table(anchors, "anchors"), **_reject_tables(rejects)}
    counts = {"rows_in": len(rows), "accepted": {domain.name: len(anchors)}, "rejected": _count_rejects(rejects)}
    return tables, counts


def _run_contrasts(
    group: Sequence[Family], upstream: StagedShard, context: Context, progress: Progress
) -> tuple[dict[str, pa.Table], dict[str, Any]]:
    anchors = from_table(upstream.read(f"anchors/domain={group[0].name.partition('.')[0]}"), "anchors")
    contrasts: dict[str, list[Contrast]] = {family.name: [] for family in group}
    rejects: list[Reject] = []
    threads = _count_threads(context, group[0].make_llm is not None)
    for made in _map_rows(lambda anchor: make_contrasts(group, anchor, context), anchors, threads, progress):
        for each in made:
            if isinstance(each, Reject):
                rejects.append(each)
            else:
                contrasts[each.family].append(each)
    tables = {f"contrasts/family={name}": to_table(rows, "contrasts") for name, rows in contrasts.items()}
    accepted = {name: len(rows) for name, rows in contrasts.items()}
    counts = {"rows_in": len(anchors), "accepted": accepted, "rejected": _count_rejects(rejects)}
    return tables | _reject_tables(rejects), counts


def _run_looks(
    job: StageJob, domain: Domain, upstream: StagedShard, context: Context, staged: StagedShards
) -> tuple[dict[str, pa.Table], dict[str, Any]]:
    from tasks.looking import run_looks

    contrasts = staged.find(job.contrasts)
    if contrasts is None:
        raise StorageError(f"{job.stage}, shard {job.index}: the contrasts that it looks at are gone; run again")
    group = [domain.families[name] for name in job.families]
    return run_looks(group, upstream, contrasts, job.author["look"]["rows"], context)


def _count_threads(context: Context, asks: bool) -> int:
    """How many rows to work on at once: where a language model is asked, many wait for answers."""
    return context.llm.parallel_anchors if context.llm is not None and asks else 1


def _map_rows(
    make: Callable[[Any], list[Any]], rows: Sequence[Any], threads: int, progress: Progress
) -> Iterator[list[Any]]:
    """Apply ``make`` to each row, in order, in as many threads."""
    if threads == 1:
        for row in rows:
            yield make(row)
            progress(1)
        return
    with ThreadPoolExecutor(threads, thread_name_prefix="row") as pool:
        futures = [pool.submit(make, row) for row in rows]
        try:
            for future in futures:
                yield future.result()
                progress(1)
        finally:
            for future in futures:
                future.cancel()


# --------------------------------------------------------------------------------------------- rows


def make_anchors(domain: Domain, row: SourceRow, context: Context) -> list[Anchor | Reject]:
    """The verified anchors of one source row; what fails is a reject with its reasons."""
    made: list[Anchor | Reject] = []
    try:
        for anchor in domain.make_anchors(row, context):
            if isinstance(anchor, Reject):
                made.append(anchor)
                continue
            verdict = domain.verify_anchor(anchor, context)
            made.append(anchor if verdict.passed else _reject_row(domain, row, verdict.reasons, anchor))
    except Exception as error:
        # One row must not end the night's run: it is kept, counted and told. What is about the run goes on up.
        if _is_fatal(error):
            raise
        made.append(_reject_row(domain, row, (_describe_bug(error, row.source_id),)))
    return made


def make_contrasts(group: Sequence[Family], anchor: Anchor, context: Context) -> list[Contrast | Reject]:
    """The verified contrasts of one anchor for families that share a maker, ranked in the maker's order.

    Candidates that stand or fall together are accepted together. Where an anchor ends with fewer than the settings
    ask for, one reject per family says how many are missing and why; nothing else fills the gap.
    """
    families = {family.name: family for family in group}
    target = {name: family.count(context.settings) for name, family in families.items()}
    accepted: dict[str, list[Contrast]] = {name: [] for name in families}
    rejects: list[Reject] = []
    make = group[0].make_llm if context.llm is not None and group[0].make_llm is not None else group[0].make
    try:
        for candidate in make(anchor, context):
            if isinstance(candidate, Reject):
                rejects.append(candidate)
                continue
            verdicts = [_verify_new(families, accepted, contrast, anchor, context) for contrast in candidate]
            if all(verdict.passed for verdict in verdicts):
                for contrast, verdict in zip(candidate, verdicts, strict=True):
                    done = accepted[contrast.family]
                    done.append(contrast.accept(len(done), verdict.checks))
            else:
                rejects.extend(_reject_together(anchor, candidate, verdicts))
            if all(n is not None and len(accepted[name]) >= n for name, n in target.items()):
                break
    except Exception as error:
        if _is_fatal(error):
            raise
        rejects.append(_reject_bug(group[0].name, anchor, error))
    for name, wanted in target.items():
        if wanted is not None and len(accepted[name]) < wanted:
            rejects.append(_describe_shortfall(name, anchor, wanted, len(accepted[name]), rejects))
    return [*(contrast for rows in accepted.values() for contrast in rows), *rejects]


def _verify_new(
    families: Mapping[str, Family],
    accepted: Mapping[str, list[Contrast]],
    contrast: Contrast,
    anchor: Anchor,
    context: Context,
) -> Verdict:
    shown = (contrast.text, contrast.image and contrast.image.bytes)
    if any(shown == (other.text, other.image and other.image.bytes) for other in accepted[contrast.family]):
        return Verdict(reasons=("duplicate: the anchor already has this contrast",))
    verdict = families[contrast.family].verify(contrast, anchor, context)
    if verdict.passed and not verdict.checks:
        return Verdict(reasons=("unchecked: the verifier named no check that it passed",))
    return verdict


def _reject_row(domain: Domain, row: SourceRow, reasons: tuple[str, ...], anchor: Anchor | None = None) -> Reject:
    return Reject(
        f"{domain.name}.anchor",
        reasons,
        source=row.source,
        source_id=row.source_id,
        anchor_id=anchor.anchor_id if anchor else None,
        source_row=json.dumps(row.payload, sort_keys=True, ensure_ascii=False),
        raw=anchor.code if anchor else None,
        provenance=anchor.provenance if anchor else Provenance(),
    )


def _reject_together(anchor: Anchor, candidate: Sequence[Contrast], verdicts: Sequence[Verdict]) -> Iterator[Reject]:
    for contrast, verdict in zip(candidate, verdicts, strict=True):
        reasons = verdict.reasons or ("partner: the contrast that it belongs with failed",)
        yield Reject(
            contrast.family,
            reasons,
            source=anchor.source,
            source_id=anchor.source_id,
            anchor_id=anchor.anchor_id,
            contrast=contrast,
            provenance=contrast.provenance,
        )


def _describe_shortfall(name: str, anchor: Anchor, wanted: int, got: int, rejects: Sequence[Reject]) -> Reject:
    why = Counter(reason_code(reason) for each in rejects if each.family == name for reason in each.reasons)
    after = ", ".join(f"{count} {code}" for code, count in why.most_common()) or "no more candidates"
    reason = f"shortfall: {wanted - got} of {wanted} missing after {after}"
    return Reject(name, (reason,), source=anchor.source, source_id=anchor.source_id, anchor_id=anchor.anchor_id)


def _reject_bug(family: str, anchor: Anchor, error: Exception) -> Reject:
    return Reject(
        family,
        (_describe_bug(error, anchor.anchor_id),),
        source=anchor.source,
        source_id=anchor.source_id,
        anchor_id=anchor.anchor_id,
    )


def _is_fatal(error: Exception) -> bool:
    """Whether an error is about the run (disk, sandbox, author, budget) and not about the row."""
    return bool(getattr(error, "fatal", False)) or isinstance(error, OSError)


def _describe_bug(error: Exception, row_id: str) -> str:
    log.error("unexpected error on row %s", row_id, exc_info=error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{INTERNAL_ERROR}: {type(error).__name__}: {error} ({frame.filename.rpartition('/')[2]}:{frame.lineno})"


INTERNAL_ERROR = "internal_error"


def reason_code(reason: str) -> str:
    """The code of a reason: what stands before its first colon.

    >>> reason_code("not_visible: the drawn angle differs by 2.1 degrees")
    'not_visible'
    """
    return reason.partition(":")[0]


def _count_rejects(rejects: Sequence[Reject]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for each in rejects:
        # A script that failed three times is one reject with one code, not three.
        counts.setdefault(each.family, Counter()).update({reason_code(reason) for reason in each.reasons})
    return {family: dict(sorted(codes.items())) for family, codes in sorted(counts.items())}


def _reject_tables(rejects: Sequence[Reject]) -> dict[str, pa.Table]:
    families = sorted({each.family for each in rejects})
    return {
        f"rejects/family={family}": to_table([each for each in rejects if each.family == family], "rejects")
        for family in families
    }
