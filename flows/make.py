"""The Prefect flows: one parent, one subflow per domain for anchors, one per family, one task run per shard.

They resolve the recipe, hand jobs to the workers and show what came of them. Prefect is the view, not the ledger: the
staged shards are, so a run that Prefect has forgotten resumes as well as one that it remembers.
"""

from __future__ import annotations

import copy
import os
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from prefect import Flow, flow, task
from prefect.cache_policies import NO_CACHE
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from flows.artifacts import StageProgress, show_contact_sheet, show_counts
from flows.nothing import describe_no_anchor, keep_rejects
from flows.recipe import Recipe, apply_override, check_recipe, load_recipe
from flows.session import Session, current_session, find_pool, open_session
from storage.dataset import Dataset, Published
from tasks.contract.family import Family
from tasks.engine.history import find_code_version, find_last_run, find_run
from tasks.engine.jobs import DomainRun, Refining
from tasks.engine.process import close_here, find_work_folder, probe_here, run_here
from tasks.engine.registry import group_families, load_domain, load_family
from tasks.engine.shards import ShardResult, StageJob, Totals, settle
from tasks.llm.errors import NOT_ASKED, AuthorError
from tasks.llm.store.spending import read_spending


@dataclass
class RunSummary:
    """What a finished run made: counts per stage, what was published, and the sandbox level it ran under."""

    totals: dict[str, Totals]
    published: Published
    sandbox_level: str


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
    told, merged = session.pipeline.finish_anchors(domain, results, totals, run)
    session.observer.finish(stage, _summarise(domain, totals) + (f", {merged} merged" if merged else ""))
    session.observer.say(f"{domain}: {told}")
    show_counts(stage, totals)
    if not totals.accepted[domain]:
        raise _fail_stage(stage, [describe_no_anchor(session, run)], barren=domain)
    return {"anchors": totals.accepted[domain], "rejected": totals.count_rejected()}


@flow(name="family", flow_run_name="{family}", validate_parameters=False)
def make_family(family: str) -> dict[str, Any]:
    """Make and verify the contrasts of one family, and of those that it is made together with."""
    session = current_session()
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
        summary = "; ".join(_summarise(each.name, session.totals[stage]) for each in group)
        session.observer.finish(stage, summary)
        _look(session, finished, run)
    show_contact_sheet(session.pipeline.staged, family, finished)
    totals = session.totals[stage]
    show_counts(family, totals)
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
        session.observer.finish(parts[0].stage, f"{parts[0].stage} prepared{_tell_reused(totals)}")
    return last.fingerprint


def _refine(session: Session, stage: str, refining: Refining) -> list[StageJob]:
    """Drop the negatives that give themselves away; what is counted for ``stage`` is then what stays."""
    seen = refining.seen[0].stage
    if session.pipeline.staged.find(refining.chosen.fingerprint) is None:
        session.observer.start(seen, session.totals[stage].rows_in)
        _run_jobs(session, seen, refining.seen)
        _run_jobs(session, refining.chosen.stage, [refining.chosen])
        session.observer.finish(seen, "what tells is known")
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
    told = (f"{family} {counts['agreed']} of {counts['answered']} as we say" for family, counts in said.items())
    session.observer.finish(stage, "; ".join(told))


@task(name="publish", cache_policy=NO_CACHE, persist_result=False)
def publish(anchors: bool) -> Published:
    """Make everything that is staged visible to readers, one commit per table."""
    session = current_session()
    dataset = Dataset(session.recipe.dataset.path)
    replacements: dict[str, list[str]] = {}
    for run in session.runs.values():
        replacements |= run.list_partitions(anchors)
    metadata = _describe_run(session, dataset)
    published = dataset.publish(replacements, metadata=metadata, expect=session.began)
    if not published.changed and dataset.exists() and _is_news(metadata, dataset):
        published = replace(published, versions=dataset.note(metadata))
    return published


@flow(name="counterfoil", flow_run_name="make {recipe}", validate_parameters=False)
def make_dataset(recipe: str, overrides: Sequence[str] = (), limit: int | None = None) -> RunSummary:
    """Make the dataset of a recipe file: anchors, then each family, then one publish."""
    with open_session(load_recipe(recipe, overrides)) as session:
        _probe_sandbox(session)
        failed: list[StageFailedError] = []
        for domain in session.recipe.domains:
            if not _try(session, make_anchors, domain, failed, limit=limit):
                continue
            for family in session.recipe.families(domain):
                _try(session, make_family, family, failed)
        return _publish(session, failed, anchors=True)


@flow(name="counterfoil regenerate", flow_run_name="regenerate {family}", validate_parameters=False)
def regenerate_family(family: str, dataset: str, overrides: Sequence[str] = ()) -> RunSummary:
    """Make one family again for the anchors that the dataset has, and replace its partition."""
    domain, _ = load_family(family)
    with open_session(recipe_of(dataset, domain.name, overrides)) as session:
        _probe_sandbox(session)
        run = session.run_of(domain.name)
        session.pipeline.published_anchors(domain.name, run)
        failed: list[StageFailedError] = []
        _try(session, make_family, family, failed)
        return _publish(session, failed, anchors=False)


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


def _publish(session: Session, failed: list[StageFailedError], anchors: bool) -> RunSummary:
    if failed:
        barren = [each.barren for each in failed if each.barren]
        advice = keep_rejects(session, barren, _describe_run(session, Dataset(session.recipe.dataset.path)))
        raise StageFailedError("\n".join(filter(None, [_describe_failures(failed), advice])))
    published = publish(anchors)
    for line in published.messages:
        session.observer.say(line)
    unasked = sum(codes[NOT_ASKED] for totals in session.totals.values() for codes in totals.rejected.values())
    if unasked:
        session.observer.say(
            f"{unasked} rows wait for answers that the author's provider refused: run again to ask again"
        )
    return RunSummary(session.totals, published, session.sandbox_level)


def _describe_failures(failed: list[StageFailedError]) -> str:
    """Each cause once, with the stages that it stopped: a spent budget stops many."""
    by_cause: dict[str, list[str]] = {}
    for each in failed:
        for cause in each.causes:
            by_cause.setdefault(cause, []).append(each.where)
    lines = [f"{cause}\n  in {', '.join(places)}" for cause, places in by_cause.items()]
    kept = "nothing was published: the tables are as they were, and finished shards are kept for the next run"
    return "\n".join([*lines, kept])


def _try(session: Session, stage: Flow[..., Any], name: str, failed: list[StageFailedError], **parameters: Any) -> bool:
    """Run a stage's subflow; one that fails is noted, so that the others' work is staged before the run fails."""
    try:
        stage.with_options(task_runner=_task_runner(session))(name, **parameters)
    except StageFailedError as error:
        failed.append(error)
        session.observer.say(f"{error.where} failed")
        return False
    return True


def _run_jobs(session: Session, stage: str, jobs: Iterable[StageJob]) -> tuple[Totals, list[ShardResult]]:
    totals = session.totals[stage] = Totals()
    results: list[ShardResult] = []
    errors: list[str] = []
    futures = [run_shard.submit(stage, job.index, job) for job in jobs]
    progress = StageProgress(stage, len(futures))
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


def _fail_stage(where: str, causes: Sequence[str], barren: str = "") -> StageFailedError:
    error = StageFailedError(f"{where} failed")
    error.where, error.barren = where, barren
    error.causes = tuple(dict.fromkeys(causes))[:3]
    return error


def _task_runner(session: Session) -> TaskRunner[Any]:
    if session.pool is not None:
        # One thread more than workers: the next job is queued while a finished one is being noted.
        return ThreadPoolTaskRunner(max_workers=session.pool.workers + 1)
    from prefect_ray import RayTaskRunner

    return RayTaskRunner(address=os.environ.get("RAY_ADDRESS"))


def _probe_sandbox(session: Session) -> None:
    if not any(load_domain(name).runs_scripts for name in session.recipe.domains):
        return
    wanted = session.recipe.dataset.sandbox
    if session.pool is not None:
        session.sandbox_level = session.pool.probe(wanted)
    else:
        session.sandbox_level = probe_here(wanted)
        close_here()
    session.observer.say(f"sandbox: level {session.sandbox_level}")


def _describe_run(session: Session, dataset: Dataset) -> dict[str, Any]:
    """What the commit says of the run. Spending and looks are the dataset's so far, not this run's alone."""
    path = session.recipe.dataset.path
    spending = read_spending(session.recipe.author, find_work_folder(path), path)
    made = {family for run in session.runs.values() for family in run.contrasts}
    before = find_last_run(dataset).get("looks", {})
    looks = {family: counts for family, counts in before.items() if family not in made}
    for run in session.runs.values():
        looks |= run.looks
    return {
        "recipe": session.recipe.dump(),
        "sandbox_level": session.sandbox_level,
        "code_version": find_code_version(),
        "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "host": socket.gethostname(),
        "counts": {stage: dict(totals.accepted) for stage, totals in session.totals.items() if totals.accepted},
        "spending": [asdict(each) for each in spending],
        "looks": dict(sorted(looks.items())),
    }


def _is_news(metadata: Mapping[str, Any], dataset: Dataset) -> bool:
    """Whether a run that changed no row has more to say than the last one: it looked, or paid for more."""
    last = find_last_run(dataset)
    return any(metadata[name] != (last.get(name) or type(metadata[name])()) for name in ("spending", "looks"))


def _summarise(name: str, totals: Totals) -> str:
    rejected = totals.count_rejected(name) or totals.count_rejected(f"{name}.anchor")
    return f"{name} {totals.accepted[name]} accepted, {rejected} rejected{_tell_reused(totals)}"


def _tell_reused(totals: Totals) -> str:
    return f", {totals.reused} of {totals.shards} shards reused" if totals.reused else ""
