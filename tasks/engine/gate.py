"""The gate at the end of a run: blind judges see a sample of what is staged, before it is published.

A family's gate is one job, staged like any other shard, and what the last run found of the same rows is taken as it is:
a run that makes nothing new judges nothing. Figures decide no row; with ``fail_over`` they decide whether any is
published.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter

from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.session import Session, StageFailedError
from counterfoil.tasks.engine.shards import StageJob
from counterfoil.tasks.tells.gate import Gated, Size, describe_gate, keep_families, plan_gate, read_gate, tell_gate

STAGE = "gate"
_ADVICE = (
    "fail_over: nothing was published, and finished shards are kept. Mend the families, name them in accept_tell, or "
    "raise the limit, and run again"
)
BROKEN = "not judged, as "
COSTLY = (
    "not judged: that would have cost more than a tenth of the run; the next run judges it, or `counterfoil audit` now"
)
_GATED = TypeAdapter(Gated)


class GateError(Exception):
    """Negatives give themselves away, and the recipe wants none published that do."""

    exit_code = 1


def gate_run(session: Session) -> dict[str, Any]:
    """Judge the families of negatives that the run made; what its commit says of them, and of the dataset's others.

    Raises:
        GateError: one is over the limit and the recipe has ``fail_over``.
        StageFailedError: the run was told to end.
    """
    settings = session.recipe.audit
    before = read_gate(session.last.get(STAGE, {}))
    jobs = {job.families[0]: job for job in _list_jobs(session)}
    known = {
        name: each
        for name, each in before.items()
        if name in jobs and each.rows == jobs[name].fingerprint and not each.unjudged.startswith((BROKEN, COSTLY))
    }
    waiting = {
        name for name, each in before.items() if name in jobs and each.rows == jobs[name].fingerprint
    } - known.keys()
    found = known | _judge(session, [job for name, job in jobs.items() if name not in known], waiting)
    gate = describe_gate([*(before | found).values()], settings)
    told = tell_gate(keep_families(gate, found))
    over = [name for name in found if gate["families"][name]["verdict"] == "over"]
    broken = [name for name, each in found.items() if each.unjudged.startswith(BROKEN)]
    if settings.fail_over and (over or broken):
        raise GateError("\n".join([*told, _ADVICE]))
    session.observer.finish(STAGE, *told)
    return gate


def _list_jobs(session: Session) -> list[StageJob]:
    """A job for each family of negatives that the run made."""
    return [
        session.pipeline.gate_job(name, run, session.recipe.audit.language_model or "")
        for domain, run in session.runs.items()
        for name in run.contrasts
        if load_domain(domain).families[name].role == "negative"
    ]


def _judge(session: Session, jobs: list[StageJob], waiting: Collection[str]) -> dict[str, Gated]:
    """Judge what the run can afford, and of what an earlier run of the same rows could not, one at least."""
    sizes = {job.families[0]: _measure_size(session, job) for job in jobs}
    staged = session.pipeline.staged
    judged = {job.families[0]: job for job in jobs if staged.peek(job.fingerprint) is not None}
    left = {name: size for name, size in sizes.items() if name not in judged}
    planned = plan_gate(left, session.took_s)
    late = {name: size for name, size in left.items() if name in waiting}
    if not late.keys() & planned.keys():
        planned |= plan_gate(late, 0, fewest=1)
    judged |= {
        job.families[0]: replace(job, most=planned[job.families[0]]) for job in jobs if job.families[0] in planned
    }
    broken = ""
    if judged:
        session.observer.start(STAGE, sum(min(job.most, sizes[name].anchors) for name, job in judged.items()))
        try:
            session.run(STAGE, [replace(job, index=place) for place, job in enumerate(judged.values())])
        except StageFailedError as error:
            if session.stopping:
                raise
            broken = f"{BROKEN}{error.causes[0]}"
    found = {}
    for job in jobs:
        name = job.families[0]
        shard = staged.peek(job.fingerprint) if name in judged else None
        if shard is None:
            found[name] = Gated(name, job.fingerprint, unjudged=broken if name in judged else COSTLY)
        else:
            found[name] = _GATED.validate_python(shard.meta[STAGE])
    return found


def _measure_size(session: Session, job: StageJob) -> Size:
    family = load_domain(job.domain).families[job.families[0]]
    anchors = sum(shard.rows for shard in session.runs[job.domain].anchors)
    contrasts = sum(totals.accepted[family.name] for totals in session.totals.values())
    sources = sum(shard.rows for shard in session.runs[job.domain].sources) or None
    return Size(anchors, contrasts, family.modality == "image" or family.mixed, sources)
