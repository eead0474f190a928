"""The one stage runner: fingerprint, skip what is staged, run, stage the shard atomically.

A stage is a pure function from a shard of rows to accepted and rejected rows. The kinds: *sources* (read in
the parent), *anchors* (a source shard to anchors), *contrasts* (an anchor shard to the rows of the families that share
a maker) and, where a recipe asks for it, *looks* (what a model that sees says of them, see `tasks.looks.stage`). What a
shard holds depends on its fingerprint's inputs alone, never on the worker, the order or the clock, so any process on
any machine that shares the dataset's ``work/`` folder may run any job.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from storage.errors import StorageError
from storage.rows import Anchor, Contrast, Reject
from storage.schemas import from_table, to_table
from storage.staged import StagedShard, StagedShards
from tasks.contract.context import Context
from tasks.contract.domain import Domain
from tasks.contract.family import Family
from tasks.engine.groups import TIES, tabulate_ties
from tasks.engine.registry import load_domain
from tasks.engine.rows import count_rejects, make_anchors, make_contrasts, tabulate_rejects
from tasks.engine.sources import read_sources

Progress = Callable[[int], None]
"""Called with the number of input rows done since the last call."""


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
    rows = read_sources(upstream)
    anchors: list[Anchor] = []
    rejects: list[Reject] = []
    threads = _count_threads(context, bool(domain.list_anchor_prompts(context.settings)))
    for made in _map_rows(lambda row: make_anchors(domain, row, context), rows, threads, progress):
        for each in made:
            if isinstance(each, Reject):
                rejects.append(each)
            else:
                anchors.append(each)
    kept = {f"anchors/domain={domain.name}": to_table(anchors, "anchors"), TIES: tabulate_ties(anchors)}
    tables = {**kept, **tabulate_rejects(rejects)}
    counts = {"rows_in": len(rows), "accepted": {domain.name: len(anchors)}, "rejected": count_rejects(rejects)}
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
    counts = {"rows_in": len(anchors), "accepted": accepted, "rejected": count_rejects(rejects)}
    return tables | tabulate_rejects(rejects), counts


def _run_looks(
    job: StageJob, domain: Domain, upstream: StagedShard, context: Context, staged: StagedShards
) -> tuple[dict[str, pa.Table], dict[str, Any]]:
    from tasks.looks.stage import run_looks

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
