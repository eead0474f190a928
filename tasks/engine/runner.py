"""The one stage runner: fingerprint, skip what is staged, run, stage the shard atomically.

A stage is a pure function from a shard of rows to accepted and rejected rows. The kinds: *sources* (read in
the parent), *anchors* (a source shard to anchors), *part* and *gather* (what families need of the whole corpus, see
`tasks.contract.prepare`), *contrasts* (an anchor shard to the rows of the families that share a maker) and, where a
recipe asks for it, *seen*, *chosen* and *sifted* (negatives that give themselves away are dropped, see
`tasks.engine.refine`) and *looks* (what a model that sees says of them, see `tasks.looks.stage`); at the end of a run
*gate* (how well blind judges tell a family's negatives, see `counterfoil.tasks.engine.gate`). What a
shard holds depends on its fingerprint's inputs alone, never on the worker, the order or the clock, so any process on
any machine that shares the dataset's ``work/`` folder may run any job.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

import pyarrow as pa

from counterfoil.storage.errors import StorageError
from counterfoil.storage.rows import Anchor, Contrast, Reject, fingerprint
from counterfoil.storage.schemas import from_table, to_table
from counterfoil.storage.staged import StagedShard, StagedShards
from counterfoil.storage.staged_rows import StagedRows
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import Domain, SourceRow
from counterfoil.tasks.engine.groups import TIES, tabulate_ties
from counterfoil.tasks.engine.prepare import PART, find_preparation, gather_parts
from counterfoil.tasks.engine.refine import (
    CHOSEN,
    SEEN,
    choose_rows,
    count_wanted,
    list_fluency,
    list_quotas,
    see_rows,
    sift_shard,
)
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.resuming import Parts, Progress, make_rows
from counterfoil.tasks.engine.rows import (
    count_rejects,
    list_unasked,
    make_anchors,
    make_contrasts,
    reason_code,
    tabulate_rejects,
)
from counterfoil.tasks.engine.shards import ShardResult, StageJob
from counterfoil.tasks.engine.sources import read_sources
from counterfoil.tasks.engine.stopping import check_stop
from counterfoil.tasks.llm.examples import asking_about, name_source
from counterfoil.tasks.tells.refine import TELL

T = TypeVar("T")
Made = tuple[dict[str, pa.Table], dict[str, Any]]
"""The tables of a shard by their key, and its counts."""


def run_job(
    job: StageJob, context: Context[Any], staged: StagedShards, progress: Progress = lambda _: None
) -> ShardResult:
    """Run one job, or find its finished shard.

    A shard with rows whose requests the author's provider never answered is staged, but not as finished: the next run
    makes it again, of the stored answers and those that were missing.

    Raises:
        counterfoil.storage.dataset.StorageError: the shard cannot be written (a full disk), or its input is gone.
        counterfoil.renderers.sandbox.SandboxError: no sandbox is available.
        counterfoil.tasks.llm.AuthorError: the author cannot be reached, or the budget is spent.
        StoppedError: the run was told to stop; the rows that were made are kept.
    """
    found = staged.find(job.fingerprint)
    if found is not None:
        result = describe_shard(job, found, reused=True)
        progress(result.rows_in)
        return result
    check_stop()
    started, cpu = time.perf_counter(), time.process_time()
    rendered, killed = getattr(context.renderer, "rendered", 0), getattr(context.renderer, "killed", 0)
    tables, meta = _STAGES[job.kind](job, load_domain(job.domain), context, staged, progress)
    meta |= {
        "code_version": job.code_version,
        "wall_s": round(time.perf_counter() - started, 3),
        "cpu_s": round(time.process_time() - cpu, 3),
        "pictures": getattr(context.renderer, "rendered", 0) - rendered,
        "kills": getattr(context.renderer, "killed", 0) - killed,
    }
    unasked = meta.get("unasked")
    key = fingerprint("unasked", job.fingerprint, unasked) if unasked else job.fingerprint
    shard = staged.write(key, tables, meta)
    if job.kind in ("anchors", "contrasts"):
        Parts(job, staged, job.kind).remove()
    return describe_shard(job, shard, reused=False)


def describe_shard(job: StageJob, shard: StagedShard, reused: bool) -> ShardResult:
    """What a job's finished shard counts."""
    meta = shard.meta
    return ShardResult(
        stage=job.stage,
        index=job.index,
        fingerprint=shard.fingerprint,
        rows_in=meta["rows_in"],
        accepted=meta["accepted"],
        rejected=meta["rejected"],
        reused=reused,
        wall_s=0.0 if reused else meta["wall_s"],
        cpu_s=0.0 if reused else meta["cpu_s"],
        took_s=meta.get("cpu_s", 0.0),
        pictures=0 if reused else meta["pictures"],
        kills=0 if reused else meta.get("kills", 0),
        code_version=meta.get("code_version", ""),
    )


def _find_input(job: StageJob, fingerprint: str, staged: StagedShards) -> StagedShard:
    shard = staged.find(fingerprint)
    if shard is None:
        raise StorageError(
            f"{job.stage}, shard {job.index}: its input {fingerprint[:12]} is not staged in {job.dataset}; "
            "run the recipe again to make it"
        )
    return shard


def _read_anchors(job: StageJob, staged: StagedShards) -> list[Anchor]:
    shards = [_find_input(job, each, staged) for each in job.upstream]
    return [row for shard in shards for row in from_table(shard.read(f"anchors/domain={job.domain}"), "anchors")]


def _run_anchors(
    job: StageJob, domain: Domain[Any], context: Context[Any], staged: StagedShards, progress: Progress
) -> Made:
    rows = read_sources(_find_input(job, job.upstream[0], staged))
    source, _ = domain.find_source(context.settings)
    threads = _count_threads(context, bool(source.prompts))
    parts = Parts(job, staged, "anchors")
    prompts = source.prompts if context.llm is not None else ()

    def make(row: SourceRow) -> list[Anchor | Reject]:
        with asking_about(name_source(row.source, row.source_id)):
            return _note(context, prompts, f"{row.source}\0{row.source_id}", make_anchors(domain, row, context))

    anchors, rejects = make_rows(parts, make, rows, threads, progress)
    kept = {f"anchors/domain={domain.name}": to_table(anchors, "anchors"), TIES: tabulate_ties(anchors)}
    return kept | tabulate_rejects(rejects), _count(len(rows), {domain.name: len(anchors)}, rejects)


def _run_part(
    job: StageJob, domain: Domain[Any], context: Context[Any], staged: StagedShards, progress: Progress
) -> Made:
    preparation = find_preparation(domain, job.families)
    assert preparation is not None
    counted = preparation.make_counted
    if counted is not None and not job.upstream:
        table = counted(job.index, context)
    else:
        table = preparation.make(job.index, _read_anchors(job, staged), context)
    progress(1)
    return {PART: table}, _count(1, {}, [])


def _run_gather(
    job: StageJob, domain: Domain[Any], context: Context[Any], staged: StagedShards, progress: Progress
) -> Made:
    preparation = find_preparation(domain, job.families)
    assert preparation is not None
    tables = gather_parts(preparation, job.upstream, staged, context)
    progress(1)
    return tables, _count(1, {}, [])


def _run_contrasts(
    job: StageJob, domain: Domain[Any], context: Context[Any], staged: StagedShards, progress: Progress
) -> Made:
    group = [domain.families[name] for name in job.families]
    anchors = _read_anchors(job, staged)
    if group[0].begin is not None:
        context = group[0].begin(anchors, context)
    threads = _count_threads(context, group[0].make_llm is not None)
    parts = Parts(job, staged, "contrasts")
    prompts = group[0].prompts if context.llm is not None and group[0].make_llm is not None else ()

    def make(anchor: Anchor) -> list[Contrast | Reject]:
        with asking_about(name_source(anchor.source, anchor.source_id)):
            return _note(context, prompts, anchor.anchor_id, make_contrasts(group, anchor, context))

    rows, rejects = make_rows(parts, make, anchors, threads, progress)
    contrasts = {name: [row for row in rows if row.family == name] for name in job.families}
    tables = {f"contrasts/family={name}": to_table(kept, "contrasts") for name, kept in contrasts.items()}
    accepted = {name: len(kept) for name, kept in contrasts.items()}
    return tables | tabulate_rejects(rejects), _count(len(anchors), accepted, rejects)


def _run_looks(
    job: StageJob, domain: Domain[Any], context: Context[Any], staged: StagedShards, progress: Progress
) -> Made:
    from counterfoil.tasks.looks.stage import run_looks

    contrasts = staged.find(job.contrasts)
    if contrasts is None:
        raise StorageError(f"{job.stage}, shard {job.index}: the contrasts that it looks at are gone; run again")
    group = [domain.families[name] for name in job.families]
    upstream = _find_input(job, job.upstream[0], staged)
    tables, meta = run_looks(group, upstream, contrasts, job.author["look"]["rows"], context)
    progress(meta["rows_in"])
    return tables, meta


def _run_seen(
    job: StageJob, domain: Domain[Any], context: Context[Any], staged: StagedShards, progress: Progress
) -> Made:
    del domain, context
    made = _find_input(job, job.contrasts, staged)
    contrasts = [row for each in job.families for row in from_table(made.read(f"contrasts/family={each}"), "contrasts")]
    anchors = _read_anchors(job, staged)
    return {SEEN: see_rows(anchors, contrasts, progress, pictures=job.refine)}, _count(len(anchors), {}, [])


def _run_chosen(
    job: StageJob, domain: Domain[Any], context: Context[Any], staged: StagedShards, progress: Progress
) -> Made:
    group = [domain.families[name] for name in job.families]
    wanted, quotas = count_wanted(group, context.settings, job.author), list_quotas(group, context.settings)
    seen = (_find_input(job, each, staged).read(SEEN) for each in job.upstream)
    table = choose_rows(
        seen,
        context.seed,
        wanted=wanted,
        refine=job.refine,
        quotas=quotas,
        fluency=list_fluency(group, context.settings),
    )
    progress(1)
    return {CHOSEN: table}, _count(1, {}, [])


def _run_sifted(
    job: StageJob, domain: Domain[Any], context: Context[Any], staged: StagedShards, progress: Progress
) -> Made:
    del context
    made = _find_input(job, job.contrasts, staged)
    columns = ["anchor_id", "source", "source_id"]
    anchors = _find_input(job, job.upstream[0], staged).read(f"anchors/domain={domain.name}", columns)
    sifted = sift_shard(job.families, made, anchors, _find_input(job, job.chosen, staged).read(CHOSEN))
    rejected = {family: dict(codes) for family, codes in made.meta["rejected"].items()}
    for family, count in sifted.dropped.items():
        if count:
            rejected[family] = {**rejected.get(family, {}), TELL: count}
    progress(made.meta["rows_in"])
    return dict(sifted.tables), {"rows_in": made.meta["rows_in"], "accepted": sifted.accepted, "rejected": rejected}


def _run_gate(
    job: StageJob, domain: Domain[Any], context: Context[Any], staged: StagedShards, progress: Progress
) -> Made:
    from counterfoil.tasks.tells.gate import gate_family

    del context
    (family,) = job.families
    rows = StagedRows(staged, {f"anchors/domain={domain.name}": job.upstream, f"contrasts/family={family}": job.gated})
    found = gate_family(rows, family, job.most, job.fingerprint, job.language_model or None)
    read = max((look.anchors for look in found.looks), default=0)
    progress(read)
    return {}, _count(read, {}, []) | {"gate": asdict(found)}


_STAGES = {
    "anchors": _run_anchors,
    "part": _run_part,
    "gather": _run_gather,
    "contrasts": _run_contrasts,
    "seen": _run_seen,
    "chosen": _run_chosen,
    "sifted": _run_sifted,
    "looks": _run_looks,
    "gate": _run_gate,
}


def _count(rows_in: int, accepted: Mapping[str, int], rejects: Sequence[Reject]) -> dict[str, Any]:
    counts = {"rows_in": rows_in, "accepted": dict(accepted), "rejected": count_rejects(rejects)}
    unasked = list_unasked(rejects)
    return counts | {"unasked": unasked} if unasked else counts


def _note(context: Context[Any], prompts: Sequence[str], row: str, made: list[T]) -> list[T]:
    """Let the author know what came of its answers about one row."""
    if context.llm is not None and prompts:
        counts: dict[str, tuple[int, int]] = {}
        reasons: dict[str, list[str]] = {}
        for each in made:
            family = f"{each.domain}.anchor" if isinstance(each, Anchor) else str(getattr(each, "family", ""))
            # A row that no answer stands behind is none of the author's: one that tells how many are missing.
            judged = not isinstance(each, Reject) or each.provenance.request_sha256 is not None
            accepted, rejected = counts.get(family, (0, 0))
            counts[family] = (accepted, rejected + judged) if isinstance(each, Reject) else (accepted + 1, rejected)
            if isinstance(each, Reject) and judged:
                reasons.setdefault(family, []).extend(map(reason_code, each.reasons))
        context.llm.note_made(prompts, row, counts, reasons)
    return made


def _count_threads(context: Context[Any], asks: bool) -> int:
    """How many rows to work on at once: where a language model is asked, many wait for answers."""
    return context.llm.parallel_anchors if context.llm is not None and asks else 1
