"""The Prefect flows of deployments: one parent, one stage per domain for anchors, one per group of families, whose task
runs are workers' shares of shards.

They resolve the recipe and run the night (`tasks.engine.night`), with each stage as a run that Prefect shows. Prefect
is the view, not the ledger: the staged shards are, so a run that Prefect has forgotten resumes as well as one that it
remembers. The text of a flow's arguments is what the form of its deployment shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from prefect import flow
from prefect.runtime import flow_run

from counterfoil.flows.making.abandoned import end_abandoned
from counterfoil.flows.making.artifacts import LoggingObserver
from counterfoil.flows.making.deployed import StageRunError, StageRuns, find_stage_runs, resume_parent
from counterfoil.flows.making.runs import Run
from counterfoil.flows.making.session import call_stages, open_flow, show_stage
from counterfoil.flows.planning.limiting import limit_recipe
from counterfoil.flows.planning.recipe import is_changed, load_recipe, load_unchanged, recipe_of
from counterfoil.flows.showing.labels import list_tags, tagged
from counterfoil.tasks.engine import night
from counterfoil.tasks.engine.jobs import DomainRun
from counterfoil.tasks.engine.losing import guard_run
from counterfoil.tasks.engine.night import Calls, begin_making, make_again, make_stages
from counterfoil.tasks.engine.nothing import keep_rejects
from counterfoil.tasks.engine.publishing import RunSummary, describe_run, finish_run
from counterfoil.tasks.engine.recipe import MakingRecipe
from counterfoil.tasks.engine.registry import group_families, load_domain, load_family
from counterfoil.tasks.engine.session import Session, StageFailedError


@flow(name="anchors", flow_run_name="{domain}.anchors", validate_parameters=False)
def make_anchors(
    domain: str,
    recipe: str,
    overrides: Sequence[str] = (),
    limit: int | None = None,
    recipe_sha256: str | None = None,
) -> dict[str, Any]:
    """Make and verify the anchors of one domain. They are staged; the run that this is part of publishes them.

    Args:
        domain: The domain, such as geometry.
        recipe: Recipe file (TOML), as the machine that runs it sees it.
        overrides: Recipe keys to override, each as section.key=value, such as geometry.negatives=5.
        limit: Take this many source rows; empty for all.
        recipe_sha256: Of the recipe file as the run began that this is part of; empty for the file as it is.
    """
    checked = limit_recipe(load_unchanged(recipe, overrides, recipe_sha256), limit)
    with _open(checked, recipe, [domain]) as (run, session), show_stage(session, run, domain):
        made = night.make_anchors(session, domain, limit)
    resume_parent()
    return made


@flow(name="family", flow_run_name="{family}", validate_parameters=False)
def make_family(
    family: str,
    recipe: str,
    overrides: Sequence[str] = (),
    limit: int | None = None,
    recipe_sha256: str | None = None,
) -> dict[str, Any]:
    """Make and verify the contrasts of one family, and of those that it is made together with, for a recipe's anchors.

    They are staged; the run that this is part of publishes them. (`regenerate` makes and publishes one family alone.)

    Args:
        family: The family, such as geometry.rule.
        recipe: Recipe file (TOML), as the machine that runs it sees it.
        overrides: Recipe keys to override, each as section.key=value, such as geometry.negatives=5.
        limit: Take this many source rows of the domain; empty for all.
        recipe_sha256: Of the recipe file as the run began that this is part of; empty for the file as it is.
    """
    domain = load_family(family)[0].name
    checked = limit_recipe(load_unchanged(recipe, overrides, recipe_sha256), limit)
    with _open(checked, recipe, [domain]) as (run, session):
        with session.silently():
            night.make_anchors(session, domain, limit)
        with show_stage(session, run, domain, family):
            made = night.make_family(session, family)
    resume_parent()
    return made


@flow(name="counterfoil", flow_run_name="make {recipe}", validate_parameters=False)
def make_dataset(recipe: str, overrides: Sequence[str] = (), limit: int | None = None) -> RunSummary:
    """Make the dataset of a recipe file: anchors, then each family, then one publish. What is finished is reused.

    Args:
        recipe: Recipe file (TOML), as the machine that runs it sees it.
        overrides: Recipe keys to override, each as section.key=value, such as geometry.negatives=5.
        limit: Take this many source rows of each domain, for a dataset beside the whole one; empty for all.
    """
    end_abandoned()
    checked = limit_recipe(load_recipe(recipe, overrides), limit)
    with _open(checked, recipe) as (run, session):
        begin_making(session, limit)
        calls = call_stages(run)
        stages = find_stage_runs(checked)
        if stages is None:
            failed = make_stages(session, limit, calls)
        else:
            failed = _make_by_runs(session, stages, recipe, overrides, limit, checked.text_sha256, calls)
        made = finish_run(session, failed, guard_run(session), anchors=True, publish=calls.publish)
    resume_parent()
    return made


def _make_by_runs(
    session: Session,
    stages: StageRuns,
    recipe: str,
    overrides: Sequence[str],
    limit: int | None,
    text_sha256: str,
    calls: Calls,
) -> list[StageFailedError]:
    """Let each stage be a run of its own deployment, which can be retried by itself; then gather what they staged.

    A recipe file that is changed meanwhile is for the next run: this one then makes what is left inside itself, by the
    recipe that it read as it began.
    """
    given = {"recipe": recipe, "overrides": [*overrides], "limit": limit, "recipe_sha256": text_sha256}
    for domain in session.recipe.domains:
        found = session.finds(night.make_anchors, domain, limit)
        if not found and stages.run(f"anchors/{domain}", {"domain": domain, **given}):
            with session.silently():
                night.make_anchors(session, domain, limit)
            found = True
        for group in group_families(load_domain(domain), session.recipe.families(domain)) if found else ():
            if not session.finds(night.make_family, group[0].name):
                stages.run(f"family/{group[0].name}", {"family": group[0].name, **given})
        if is_changed(recipe, text_sha256):
            session.observer.say(f"{recipe} was changed since this run began: it goes on by the recipe as it was")
            return make_stages(session, limit, calls)
    if stages.failed:
        raise StageRunError("\n".join(filter(None, [stages.describe_failures(), _keep_barren(session, stages, limit)])))
    with session.silently():
        return make_stages(session, limit)


def _keep_barren(session: Session, stages: StageRuns, limit: int | None) -> str:
    """Show the rejects of domains whose anchors failed though every shard is staged: none became an anchor."""
    barren = []
    for domain in session.recipe.domains:
        if f"anchors/{domain}" not in stages.failed:
            continue
        jobs = session.pipeline.anchor_jobs(domain, limit, DomainRun(domain))
        if all(session.pipeline.staged.find_all(job.fingerprint for job in jobs)):
            try:
                with session.silently():
                    night.make_anchors(session, domain, limit)
            except StageFailedError as error:
                barren.append(error.barren)
    return keep_rejects(session, [*filter(None, barren)], describe_run(session)) if any(barren) else ""


@flow(name="counterfoil regenerate", flow_run_name="regenerate {family}", validate_parameters=False)
def regenerate_family(family: str, dataset: str, overrides: Sequence[str] = ()) -> RunSummary:
    """Make one family again for the anchors that the dataset has, and replace its partition in one commit.

    Args:
        family: The family to make again, such as geometry.rule.
        dataset: Folder or URL of the dataset, as the machine that runs it sees it.
        overrides: Recipe keys to override, each as section.key=value, such as geometry.negatives=5.
    """
    end_abandoned()
    domain = load_family(family)[0].name
    with _open(recipe_of(dataset, domain, overrides), domains=[domain]) as (run, session):
        return make_again(session, family, overrides, call_stages(run))


@contextmanager
def _open(recipe: MakingRecipe, file: str = "", domains: Sequence[str] = ()) -> Iterator[tuple[Run, Session]]:
    """Begin making ``recipe``, read from ``file``, in the flow run that Prefect has begun."""
    tags = list_tags(recipe, file)
    run = Run(str(flow_run.id), flow_run.name, sorted({*flow_run.tags, *tags}))
    with tagged(tags), open_flow(run, recipe, LoggingObserver(), domains) as session:
        yield run, session
