"""A run on one page: the anchors of each domain, the contrasts of each of its families, one publish.

A stage is a list of jobs, each a shard (`tasks.engine.jobs`); what is staged of them is found again, and the workers
make the rest (`Session.run`). `calls` are how a run calls its stages: plainly here, and in `flows.making` as Prefect's
flows, which show them and retry them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from counterfoil.tasks.contract.family import Family
from counterfoil.tasks.engine.jobs import DomainRun, Refining
from counterfoil.tasks.engine.lanes import run_lanes
from counterfoil.tasks.engine.losing import Guard, foresee_losses, guard_regenerate, guard_run
from counterfoil.tasks.engine.nothing import describe_no_anchor
from counterfoil.tasks.engine.observing import Observer
from counterfoil.tasks.engine.publishing import RunSummary, finish_run, publish
from counterfoil.tasks.engine.recipe import MakingRecipe
from counterfoil.tasks.engine.registry import group_families, load_domain, load_family
from counterfoil.tasks.engine.session import Session, StageFailedError, open_session
from counterfoil.tasks.engine.shards import StageJob, Totals, settle


def make_dataset(recipe: MakingRecipe, observer: Observer, name: str, limit: int | None = None) -> RunSummary:
    """Make what a recipe describes and publish it; what is finished already is not made again.

    Args:
        observer: hears of it.
        name: of the run, in logs.
        limit: source rows of each domain, at most.

    Raises:
        RunFailedError: stages failed; what finished is staged, and nothing was published.
        counterfoil.tasks.engine.losing.LossError: published rows would go, and nobody said that they may.
        counterfoil.tasks.contract.domain.SourceError: a source cannot be read.
    """
    with open_session(recipe, observer, name) as session:
        return make_all(session, limit)


def regenerate_family(
    family: str, recipe: MakingRecipe, overrides: Sequence[str], observer: Observer, name: str
) -> RunSummary:
    """Make one family again, and those made together with it, for the anchors that the recipe's dataset has.

    ``overrides`` of the recipe that it was last made by say why rows may be fewer.

    Raises:
        RunFailedError, LossError: as `make_dataset` says.
        counterfoil.storage.errors.StorageError: the dataset has no such anchors.
    """
    domain = load_family(family)[0].name
    with open_session(recipe, observer, name, domains=[domain]) as session:
        return make_again(session, family, overrides)


def begin_making(session: Session, limit: int | None) -> None:
    """Say where a part of the rows goes, and stop a run that would take published rows away before it makes any.

    Raises:
        counterfoil.tasks.engine.losing.LossError: it would.
        counterfoil.tasks.contract.domain.SourceError: a source cannot be read.
    """
    if limit is not None:
        session.observer.say(f"--limit {limit}: the dataset of these rows is {session.recipe.dataset.path}")
    foresee_losses(session, limit)


def make_stages(session: Session, limit: int | None, calls: Calls | None = None) -> list[StageFailedError]:
    """All stages of a recipe, a domain's one after another; those that failed, so that the others' work is staged all
    the same.

    Domains go on side by side, so that workers who wait for the last shard of one have the other's to make. They take
    turns where an author is asked, whose budget is then spent in the recipe's order, and where `Calls` show each stage.
    """
    calls = calls or Calls()
    found: dict[str, list[StageFailedError]] = {name: [] for name in session.recipe.domains}

    def make(domain: str) -> None:
        if _attempt(session, found[domain], calls.anchors, domain, limit):
            for group in group_families(load_domain(domain), session.recipe.families(domain)):
                _attempt(session, found[domain], calls.family, group[0].name)
        session.observer.through(domain)

    session.order(found)
    run_lanes(make, [*found], calls.side_by_side and session.recipe.author.kind == "procedural", session.abandon)
    session.order(found)
    return [each for domain in found.values() for each in domain]


def make_all(session: Session, limit: int | None, calls: Calls | None = None) -> RunSummary:
    """All stages of the recipe, and the publish of what they made."""
    calls = calls or Calls()
    begin_making(session, limit)
    failed = make_stages(session, limit, calls)
    return finish_run(session, failed, guard_run(session), anchors=True, publish=calls.publish)


def make_again(session: Session, family: str, overrides: Sequence[str], calls: Calls | None = None) -> RunSummary:
    """One family for the published anchors, and the publish of its partition."""
    calls = calls or Calls()
    domain = load_family(family)[0].name
    session.pipeline.published_anchors(domain, session.run_of(domain))
    failed: list[StageFailedError] = []
    _attempt(session, failed, calls.family, family)
    session.observer.through(domain)
    return finish_run(session, failed, guard_regenerate(session, overrides), anchors=False, publish=calls.publish)


def make_anchors(session: Session, domain: str, limit: int | None) -> dict[str, Any]:
    """Make and verify the anchors of one domain; counts.

    Raises:
        StageFailedError: shards failed, or no row became an anchor.
    """
    run = session.run_of(domain)
    run.anchors.clear()
    stage = f"{domain}.anchors"
    jobs = session.list_anchor_jobs(domain, limit)
    rows = sum(shard.rows for shard in run.sources)
    session.observer.start(stage, rows)
    totals, results = session.run(stage, jobs, rows)
    told, merged = session.pipeline.finish_anchors(domain, results, totals, run)
    said = _summarise(domain, totals) + (f", {merged} merged" if merged else "")
    session.observer.finish(stage, f"{domain}: {told}", f"{stage}: {said}")
    session.observer.made(stage, totals, session.pipeline.staged, ())
    if not totals.accepted[domain]:
        raise StageFailedError(stage, [describe_no_anchor(session, run)], barren=domain)
    return {"anchors": totals.accepted[domain], "rejected": totals.count_rejected()}


def make_family(session: Session, family: str) -> dict[str, Any]:
    """Make and verify the contrasts of one family, and of those that it is made together with; counts.

    First what the group needs of the whole corpus, then its contrasts, then those are dropped that are spare or give
    themselves away, then a model looks at some of them.

    Raises:
        StageFailedError: shards failed.
    """
    domain, _ = load_family(family)
    group = group_families(domain, [family])[0]
    run = session.run_of(domain.name)
    prepared = _prepare(session, domain.name, group, run)
    jobs = session.pipeline.contrast_jobs(domain.name, group, run, prepared)
    stage = "+".join(each.name for each in group)
    rows = sum(shard.rows for shard in run.anchors)
    session.observer.start(stage, rows)
    totals, results = session.run(stage, jobs, rows)
    made = settle(jobs, results)
    refining = session.pipeline.refine_jobs(made)
    if refining is not None:
        totals, made = _refine(session, stage, totals, refining)
    session.pipeline.finish_contrasts(made, run)
    session.observer.finish(stage, *(f"{each.name}: {_summarise(each.name, totals)}" for each in group))
    _look(session, made, run)
    for each in group:
        session.observer.made(each.name, totals, session.pipeline.staged, made)
    return {"accepted": totals.accepted[family], "rejected": totals.count_rejected(family)}


@dataclass(frozen=True)
class Calls:
    """How a run calls its stages."""

    anchors: Callable[[Session, str, int | None], object] = make_anchors
    family: Callable[[Session, str], object] = make_family
    publish: Callable[[Session, bool, Guard], Any] = publish
    side_by_side: bool = True
    """Whether they may be called from several threads, a domain each."""


def _attempt(session: Session, failed: list[StageFailedError], stage: Callable[..., object], *given: object) -> bool:
    """Call a stage; one that fails is noted, so that the others' work is staged before the run fails.

    Raises:
        StageFailedError: the run was told to end during the stage.
    """
    try:
        stage(session, *given)
    except StageFailedError as error:
        if session.abandoned:
            raise
        if session.stopping:
            session.observer.say(f"{error.where} stopped, because the run was interrupted")
            raise
        failed.append(error)
        session.observer.say(f"{error.where} failed")
        return False
    return True


def _prepare(session: Session, domain: str, group: Sequence[Family[Any]], run: DomainRun) -> str:
    """Make what the families need of the whole corpus; its fingerprint, or "" where they need nothing."""
    parts = session.pipeline.part_jobs(domain, group, run)
    if not parts:
        return ""
    last = session.pipeline.gather_job(parts)
    if session.pipeline.staged.find(last.fingerprint) is None:
        session.observer.start(parts[0].stage, len(parts))
        totals, _ = session.run(parts[0].stage, parts)
        session.run(last.stage, [last])
        session.observer.finish(parts[0].stage, f"{parts[0].stage}: ready{_tell_reused(totals)}")
    return last.fingerprint


def _refine(session: Session, stage: str, totals: Totals, refining: Refining) -> tuple[Totals, list[StageJob]]:
    """Drop the negatives that are spare or give themselves away; what is counted for ``stage`` is then what stays."""
    seen = refining.seen[0].stage
    if session.pipeline.staged.find(refining.chosen.fingerprint) is None:
        session.observer.start(seen, totals.rows_in)
        session.run(seen, refining.seen)
        session.run(refining.chosen.stage, [refining.chosen])
        session.observer.finish(seen)
    sifted = refining.sifted[0].stage
    kept, results = session.run(sifted, refining.sifted)
    session.totals[stage] = session.totals.pop(sifted)
    return kept, settle(refining.sifted, results)


def _look(session: Session, jobs: list[StageJob], run: DomainRun) -> None:
    """Let the model that looks, if the recipe names one, see some of the rows; it decides nothing."""
    looks = session.pipeline.look_jobs(jobs)
    if not looks:
        return
    stage = looks[0].stage
    session.observer.start(stage, sum(shard.rows for shard in run.anchors))
    _, results = session.run(stage, looks)
    said = session.pipeline.finish_looks(settle(looks, results), run)
    told = (f"{family}: {counts['agreed']} of {counts['answered']} seen as we say" for family, counts in said.items())
    session.observer.finish(stage, *told)


def _summarise(name: str, totals: Totals) -> str:
    rejected = totals.count_rejected(name) or totals.count_rejected(f"{name}.anchor")
    return f"{totals.accepted[name]:,} accepted, {rejected:,} rejected{_tell_reused(totals)}"


def _tell_reused(totals: Totals) -> str:
    return f", {totals.reused}/{totals.shards} shards reused" if totals.reused else ""
