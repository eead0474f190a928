"""The Prefect flows: one parent, one subflow per domain for anchors, one per family, one task run per shard.

They resolve the recipe, hand jobs to the workers and show what came of them. Prefect is the view, not the ledger: the
staged shards are, so a run that Prefect has forgotten resumes as well as one that it remembers.
"""

from __future__ import annotations

import copy
import os
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from prefect import Flow, flow, task
from prefect.cache_policies import NO_CACHE
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from flows.artifacts import show_contact_sheet, show_counts
from flows.recipe import Recipe, apply_override, check_recipe, load_recipe
from flows.session import Session, current_session, find_pool, open_session
from storage.dataset import Dataset, Published
from tasks.pipeline import Totals
from tasks.registry import group_families, load_domain, load_family
from tasks.rendering import MemoRenderer
from tasks.runs import find_run
from tasks.shards import ShardResult, StageJob
from tasks.workers import run_here


@dataclass
class RunSummary:
    """What a finished run made: counts per stage, what was published, and the sandbox level it ran under."""

    totals: dict[str, Totals]
    published: Published
    sandbox_level: str


class StageFailedError(Exception):
    """Shards of a stage failed. What finished is staged; running the recipe again does only the rest."""


@task(task_run_name="{stage}[{index:04d}]", cache_policy=NO_CACHE, persist_result=False)
def run_shard(stage: str, index: int, job: StageJob) -> ShardResult:  # noqa: ARG001 - stage and index name the task run
    """One shard of one stage, on this machine's workers or, under Ray, right here."""
    pool = find_pool()
    return pool.run(job) if pool is not None else run_here(job)


@flow(name="anchors", flow_run_name="{domain}.anchors", validate_parameters=False)
def make_anchors(domain: str, limit: int | None = None) -> dict[str, Any]:
    """Make and verify the anchors of one domain."""
    session = current_session()
    run = session.run_of(domain)
    run.sources.clear()
    run.anchors.clear()
    stage = f"{domain}.anchors"
    jobs = list(session.pipeline.anchor_jobs(domain, limit, run))
    session.observer.start(stage, sum(shard.rows for shard in run.sources))
    totals, results = _run_jobs(session, stage, jobs)
    for source in run.sources:
        for family, codes in source.rejected.items():
            totals.rejected.setdefault(family, type(totals.accepted)()).update(codes)
    session.pipeline.merge_anchors(domain, results, run)
    merged = sum(shard.merged for shard in run.anchors)
    totals.accepted[domain] -= merged
    session.observer.finish(stage, _summarise(domain, totals) + (f", {merged} merged" if merged else ""))
    show_counts(stage, totals)
    return {"anchors": totals.accepted[domain], "rejected": sum(map(_count, totals.rejected.values()))}


@flow(name="family", flow_run_name="{family}", validate_parameters=False)
def make_family(family: str) -> dict[str, Any]:
    """Make and verify the contrasts of one family, and of those that it is made together with."""
    session = current_session()
    domain, entry = load_family(family)
    group = group_families(domain, [family])[0]
    run = session.run_of(domain.name)
    jobs = session.pipeline.contrast_jobs(domain.name, group, run)
    stage = jobs[0].stage if jobs else family
    if family in run.contrasts:
        session.observer.say(f"{entry.name}: made together with {group[0].name}")
    else:
        session.observer.start(stage, sum(shard.rows for shard in run.anchors))
        _run_jobs(session, stage, jobs)
        session.pipeline.finish_contrasts(jobs, run)
        summary = "; ".join(_summarise(each.name, session.totals[stage]) for each in group)
        session.observer.finish(stage, summary)
    show_contact_sheet(session.pipeline.staged, family, jobs)
    totals = session.totals[stage]
    show_counts(family, totals)
    return {"accepted": totals.accepted[family], "rejected": _count(totals.rejected.get(family, {}))}


@task(name="publish", cache_policy=NO_CACHE, persist_result=False)
def publish(only: Sequence[str] | None = None) -> Published:
    """Make everything that is staged visible to readers, one commit per partition."""
    session = current_session()
    dataset = Dataset(session.recipe.dataset.path)
    replacements: dict[str, list[str]] = {}
    for name, run in session.runs.items():
        if only is None:
            replacements[f"anchors/domain={name}"] = [shard.fingerprint for shard in run.anchors]
            rejects = [shard.fingerprint for shard in run.sources] + [shard.made_by for shard in run.anchors]
            replacements[f"rejects/family={name}.anchor"] = rejects
        for family, shards in run.contrasts.items():
            replacements[f"contrasts/family={family}"] = shards
            replacements[f"rejects/family={family}"] = shards
    return dataset.publish(replacements, metadata=_describe_run(session), expect=session.began)


@flow(name="counterfoil", flow_run_name="make {recipe}", validate_parameters=False)
def make_dataset(recipe: str, overrides: Sequence[str] = (), limit: int | None = None) -> RunSummary:
    """Make the dataset of a recipe file: anchors, then each family, then one publish."""
    with open_session(load_recipe(recipe, overrides)) as session:
        _probe_sandbox(session)
        failed: list[str] = []
        for domain in session.recipe.domains:
            if not _try(session, make_anchors, domain, failed, limit=limit):
                continue
            for family in session.recipe.families(domain):
                _try(session, make_family, family, failed)
        return _publish(session, failed, None)


@flow(name="counterfoil regenerate", flow_run_name="regenerate {family}", validate_parameters=False)
def regenerate_family(family: str, dataset: str, overrides: Sequence[str] = ()) -> RunSummary:
    """Make one family again for the anchors that the dataset has, and replace its partition."""
    domain, _ = load_family(family)
    with open_session(recipe_of(dataset, domain.name, overrides)) as session:
        _probe_sandbox(session)
        run = session.run_of(domain.name)
        session.pipeline.published_anchors(domain.name, run)
        failed: list[str] = []
        _try(session, make_family, family, failed)
        return _publish(session, failed, list(run.contrasts))


def recipe_of(dataset: str, domain: str, overrides: Sequence[str]) -> Recipe:
    """The recipe that the dataset's ``domain`` was last made by, with overrides.

    Raises:
        StorageError: no run made it.
        RecipeError: an override is wrong.
    """
    data = copy.deepcopy(dict(find_run(Dataset(dataset), domain)["recipe"]))
    data["dataset"]["path"] = dataset
    for override in overrides:
        apply_override(data, override)
    return check_recipe(data, f"the recipe of {dataset}")


def _publish(session: Session, failed: list[str], only: list[str] | None) -> RunSummary:
    if failed:
        raise StageFailedError(
            "nothing was published, and the tables are as they were; finished shards are kept, so run the same "
            "command again for the rest. Failed:\n" + "\n".join(failed)
        )
    published = publish(only)
    for line in published.messages:
        session.observer.say(line)
    return RunSummary(session.totals, published, session.sandbox_level)


def _try(session: Session, stage: Flow[..., Any], name: str, failed: list[str], **parameters: Any) -> bool:
    """Run a stage's subflow; one that fails is noted, so that the others' work is staged before the run fails."""
    try:
        stage.with_options(task_runner=_task_runner(session))(name, **parameters)
    except StageFailedError as error:
        failed.append(str(error))
        session.observer.say(str(error))
        return False
    return True


def _run_jobs(session: Session, stage: str, jobs: Iterable[StageJob]) -> tuple[Totals, list[ShardResult]]:
    totals = session.totals[stage] = Totals()
    results: list[ShardResult] = []
    errors: list[str] = []
    futures = [run_shard.submit(stage, job.index, job) for job in jobs]
    for future in futures:
        result = future.result(raise_on_failure=False)
        if isinstance(result, ShardResult):
            results.append(result)
            totals.add(result)
        else:
            errors.append(f"{type(result).__name__}: {result}")
    if errors:
        distinct = list(dict.fromkeys(errors))
        raise StageFailedError(f"{stage}: {len(errors)} of {len(futures)} shards failed: " + "; ".join(distinct[:3]))
    return totals, results


def _task_runner(session: Session) -> TaskRunner[Any]:
    if session.pool is not None:
        # One thread more than workers: the next job is queued while a finished one is being noted.
        return ThreadPoolTaskRunner(max_workers=session.pool.workers + 1)
    from prefect_ray import RayTaskRunner

    return RayTaskRunner(address=os.environ.get("RAY_ADDRESS"))


def _probe_sandbox(session: Session) -> None:
    if not any(load_domain(name).runs_scripts for name in session.recipe.domains):
        return
    renderer = MemoRenderer(session.recipe.dataset.sandbox)
    try:
        session.sandbox_level = renderer.level
    finally:
        renderer.close()
    session.observer.say(f"sandbox: level {session.sandbox_level}")


def _describe_run(session: Session) -> dict[str, Any]:
    return {
        "recipe": session.recipe.dump(),
        "sandbox_level": session.sandbox_level,
        "code_version": version("counterfoil"),
        "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "host": socket.gethostname(),
        "counts": {stage: dict(totals.accepted) for stage, totals in session.totals.items()},
    }


def _summarise(name: str, totals: Totals) -> str:
    rejected = _count(totals.rejected.get(name, {})) or _count(totals.rejected.get(f"{name}.anchor", {}))
    reused = f", {totals.reused} of {totals.shards} shards reused" if totals.reused else ""
    return f"{name} {totals.accepted[name]} accepted, {rejected} rejected{reused}"


def _count(codes: Any) -> int:
    return sum(codes.values())
