"""The stages of a run: the anchors of a domain, the contrasts of a family, one Prefect task run per shard.

They hand jobs to the workers and show what came of them. Which run they are part of is `flows.make`'s to say.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from flows.artifacts import Shown, StageProgress
from flows.nothing import describe_no_anchor
from flows.session import Session, find_pool
from tasks.contract.family import Family
from tasks.engine.jobs import DomainRun, Refining
from tasks.engine.process import run_here
from tasks.engine.registry import group_families, load_family
from tasks.engine.runner import describe_shard
from tasks.engine.shards import ShardResult, StageJob, Totals, settle
from tasks.llm.errors import AuthorError


class StageFailedError(Exception):
    """Shards of a stage failed. What finished is staged; running the recipe again does only the rest."""

    where: str = ""
    """The stage, and how many of its shards failed."""
    causes: tuple[str, ...] = ()
    """Why, each cause once."""
    barren: str = ""
    """The domain of which all rows were judged and none became an anchor; "" where shards failed."""


@task(task_run_name="{stage}[{index:04d}]", cache_policy=NO_CACHE, persist_result=False)
def run_shard(stage: str, index: int, job: StageJob) -> ShardResult:  # noqa: ARG001 - stage and index name the task run
    """One shard of one stage, on this machine's workers or, under Ray, right here."""
    pool = find_pool()
    return pool.run(job) if pool is not None else run_here(job)


def stage_anchors(session: Session, domain: str, limit: int | None) -> dict[str, Any]:
    """Make and verify the anchors of one domain.

    Raises:
        StageFailedError: shards failed, or no row became an anchor.
    """
    run = session.run_of(domain)
    run.sources.clear()
    run.anchors.clear()
    stage = f"{domain}.anchors"
    jobs = list(session.pipeline.anchor_jobs(domain, limit, run))
    session.observer.start(stage, sum(shard.rows for shard in run.sources))
    totals, results = _run_jobs(session, stage, jobs)
    told, merged = session.pipeline.finish_anchors(domain, results, totals, run)
    said = _summarise(domain, totals) + (f", {merged} merged" if merged else "")
    session.observer.finish(stage, f"{domain}: {told}", f"{stage}: {said}")
    if session.shown:
        Shown(session.recipe.dataset.path).counts(stage, totals)
    if not totals.accepted[domain]:
        raise _fail_stage(stage, [describe_no_anchor(session, run)], barren=domain)
    return {"anchors": totals.accepted[domain], "rejected": totals.count_rejected()}


def stage_family(session: Session, family: str) -> dict[str, Any]:
    """Make and verify the contrasts of one family, and of those that it is made together with.

    Raises:
        StageFailedError: shards failed.
    """
    domain, entry = load_family(family)
    group = group_families(domain, [family])[0]
    run = session.run_of(domain.name)
    prepared = _prepare(session, domain.name, group, run)
    jobs = session.pipeline.contrast_jobs(domain.name, group, run, prepared)
    stage = jobs[0].stage if jobs else family
    if family in run.contrasts:
        session.observer.say(f"{entry.name}: made together with {group[0].name}")
        finished = [replace(job, fingerprint=key) for job, key in zip(jobs, run.contrasts[family], strict=True)]
    else:
        session.observer.start(stage, sum(shard.rows for shard in run.anchors))
        _, results = _run_jobs(session, stage, jobs)
        finished = settle(jobs, results)
        refining = session.pipeline.refine_jobs(finished)
        if refining is not None:
            finished = _refine(session, stage, refining)
        session.pipeline.finish_contrasts(finished, run)
        lines = [f"{each.name}: {_summarise(each.name, session.totals[stage])}" for each in group]
        session.observer.finish(stage, *lines)
        _look(session, finished, run)
        if session.shown:
            shown = Shown(session.recipe.dataset.path)
            for each in group:
                shown.samples(session.pipeline.staged, each.name, finished)
                shown.counts(each.name, session.totals[stage])
    totals = session.totals[stage]
    return {"accepted": totals.accepted[family], "rejected": totals.count_rejected(family)}


def _prepare(session: Session, domain: str, group: Sequence[Family[Any]], run: DomainRun) -> str:
    """Make what the families need of the whole corpus; its fingerprint, or "" where they need nothing."""
    parts = session.pipeline.part_jobs(domain, group, run)
    if not parts:
        return ""
    last = session.pipeline.gather_job(parts)
    if session.pipeline.staged.find(last.fingerprint) is None:
        session.observer.start(parts[0].stage, len(parts))
        totals, _ = _run_jobs(session, parts[0].stage, parts)
        _run_jobs(session, last.stage, [last])
        session.observer.finish(parts[0].stage, f"{parts[0].stage}: prepared{_tell_reused(totals)}")
    return last.fingerprint


def _refine(session: Session, stage: str, refining: Refining) -> list[StageJob]:
    """Drop the negatives that give themselves away; what is counted for ``stage`` is then what stays."""
    seen = refining.seen[0].stage
    if session.pipeline.staged.find(refining.chosen.fingerprint) is None:
        session.observer.start(seen, session.totals[stage].rows_in)
        _run_jobs(session, seen, refining.seen)
        _run_jobs(session, refining.chosen.stage, [refining.chosen])
        session.observer.finish(seen, f"{seen}: what tells is known")
    before = session.totals[stage].accepted.total()
    sifted = refining.sifted[0].stage
    _, results = _run_jobs(session, sifted, refining.sifted)
    session.totals[stage] = session.totals.pop(sifted)
    dropped = before - session.totals[stage].accepted.total()
    session.observer.say(f"{stage}: {dropped:,} of {before:,} give themselves away and are dropped")
    return settle(refining.sifted, results)


def _look(session: Session, jobs: list[StageJob], run: DomainRun) -> None:
    """Let the model that looks, if the recipe names one, see some of the rows; it decides nothing."""
    looks = session.pipeline.look_jobs(jobs)
    if not looks:
        return
    stage = looks[0].stage
    session.observer.start(stage, sum(shard.rows for shard in run.anchors))
    _, results = _run_jobs(session, stage, looks)
    said = session.pipeline.finish_looks(settle(looks, results), run)
    told = (f"{family}: {counts['agreed']} of {counts['answered']} seen as we say" for family, counts in said.items())
    session.observer.finish(stage, *told)


def _run_jobs(session: Session, stage: str, jobs: Iterable[StageJob]) -> tuple[Totals, list[ShardResult]]:
    totals = session.totals[stage] = Totals()
    results: list[ShardResult] = []
    if not session.shown:
        for job in jobs:
            results.append(_find_or_run(session, job))
            totals.add(results[-1])
        return totals, results
    errors: list[str] = []
    futures = [run_shard.submit(stage, job.index, job) for job in jobs]
    progress = StageProgress(session.recipe.dataset.path, stage, len(futures))
    for future in futures:
        with session.heeding_end():
            result = future.result(raise_on_failure=False)
        progress.advance()
        if isinstance(result, ShardResult):
            results.append(result)
            totals.add(result)
        else:
            # An author's message is made to be read alone; others need their kind.
            author = isinstance(result, AuthorError)
            errors.append(str(result) if author else f"{type(result).__name__}: {result}")
    if errors:
        raise _fail_stage(f"{stage} ({len(errors)} of {len(futures)} shards)", errors)
    return totals, results


def _find_or_run(session: Session, job: StageJob) -> ShardResult:
    """What an earlier run of the stage has staged; a shard that is gone is made again."""
    shard = session.pipeline.staged.find(job.fingerprint)
    if shard is not None:
        return describe_shard(job, shard, reused=True)
    return session.pool.run(job) if session.pool is not None else run_here(job)


def _fail_stage(where: str, causes: Sequence[str], barren: str = "") -> StageFailedError:
    told = tuple(dict.fromkeys(causes))[:3]
    error = StageFailedError("\n".join([f"{where} failed", *told]))
    error.where, error.causes, error.barren = where, told, barren
    return error


def choose_task_runner(session: Session) -> TaskRunner[Any]:
    """Threads that wait for this machine's workers, or Ray."""
    if session.pool is not None:
        # One thread more than workers: the next job is queued while a finished one is being noted.
        return ThreadPoolTaskRunner(max_workers=session.pool.workers + 1)
    from prefect_ray import RayTaskRunner

    return RayTaskRunner(address=os.environ.get("RAY_ADDRESS"))


def _summarise(name: str, totals: Totals) -> str:
    rejected = totals.count_rejected(name) or totals.count_rejected(f"{name}.anchor")
    return f"{totals.accepted[name]:,} accepted, {rejected:,} rejected{_tell_reused(totals)}"


def _tell_reused(totals: Totals) -> str:
    return f", {totals.reused}/{totals.shards} shards reused" if totals.reused else ""
