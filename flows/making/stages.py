"""The stages of a run: the anchors of a domain, the contrasts of a family.

They hand jobs to the workers (`flows.making.dealing`) and show what came of them. Which run they are part of is
`flows.making.make`'s to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flows.making.dealing import run_jobs
from flows.making.nothing import describe_no_anchor
from flows.making.session import Session
from flows.showing.artifacts import Shown
from tasks.contract.family import Family
from tasks.engine.jobs import DomainRun, Refining
from tasks.engine.registry import group_families, load_family
from tasks.engine.shards import ShardResult, StageJob, Totals, settle


class StageFailedError(Exception):
    """Shards of a stage failed. What finished is staged; running the recipe again does only the rest."""

    where: str = ""
    """The stage, and how many of its shards failed."""
    causes: tuple[str, ...] = ()
    """Why, each cause once."""
    barren: str = ""
    """The domain of which all rows were judged and none became an anchor; "" where shards failed."""


def stage_anchors(session: Session, domain: str, limit: int | None) -> dict[str, Any]:
    """Make and verify the anchors of one domain.

    Raises:
        StageFailedError: shards failed, or no row became an anchor.
    """
    run = session.run_of(domain)
    run.anchors.clear()
    stage = f"{domain}.anchors"
    jobs = session.list_anchor_jobs(domain, limit)
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
                if session.totals[stage].made:
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
    """Drop the negatives that are spare or give themselves away; what is counted for ``stage`` is then what stays."""
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
    why = "are spare or give themselves away" if session.pipeline.refine else "are spare: others tell less"
    session.observer.say(f"{stage}: {dropped:,} of {before:,} {why}")
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


def _run_jobs(session: Session, stage: str, jobs: Sequence[StageJob]) -> tuple[Totals, list[ShardResult]]:
    totals, results, errors = run_jobs(session, stage, jobs)
    if errors:
        raise _fail_stage(f"{stage} ({len(errors)} of {len(jobs)} shards)", errors)
    return totals, results


def _fail_stage(where: str, causes: Sequence[str], barren: str = "") -> StageFailedError:
    told = tuple(dict.fromkeys(causes))[:3]
    error = StageFailedError("\n".join([f"{where} failed", *told]))
    error.where, error.causes, error.barren = where, told, barren
    return error


def _summarise(name: str, totals: Totals) -> str:
    rejected = totals.count_rejected(name) or totals.count_rejected(f"{name}.anchor")
    return f"{totals.accepted[name]:,} accepted, {rejected:,} rejected{_tell_reused(totals)}"


def _tell_reused(totals: Totals) -> str:
    return f", {totals.reused}/{totals.shards} shards reused" if totals.reused else ""
