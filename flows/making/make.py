"""The Prefect flows: one parent, one stage per domain for anchors, one per family, whose task runs are shards.

They resolve the recipe, run its stages and publish. Prefect is the view, not the ledger: the staged shards are, so a
run that Prefect has forgotten resumes as well as one that it remembers. The text of a flow's arguments is what the form
of its deployment shows.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

from prefect import Flow, flow, tags

from flows.making.abandoned import end_abandoned
from flows.making.deployed import StageRuns, find_stage_runs, resume_parent
from flows.making.limits import limited_by, list_kinds
from flows.making.losing import foresee_losses, guard_regenerate, guard_run
from flows.making.nothing import keep_rejects
from flows.making.publishing import RunSummary, describe_run, finish_run
from flows.making.session import Session, current_session, open_session
from flows.making.stages import StageFailedError, stage_anchors, stage_family
from flows.planning.limiting import limit_recipe
from flows.planning.recipe import Recipe, apply_override, check_recipe, is_changed, load_recipe, load_unchanged
from flows.showing.labels import list_tags, tagged
from storage.dataset import Dataset
from tasks.engine.history import find_run
from tasks.engine.jobs import DomainRun
from tasks.engine.registry import group_families, load_domain, load_family


@flow(name="anchors", flow_run_name="{domain}.anchors", validate_parameters=False)
def make_anchors(
    domain: str,
    recipe: str | None = None,
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
    if recipe is None:
        return _stage_anchors(current_session(), domain, limit)
    checked = limit_recipe(load_unchanged(recipe, overrides, recipe_sha256), limit)
    with open_session(checked) as session, tagged(list_tags(session.recipe, recipe)):
        _probe_sandbox(session, [domain])
        made = _stage_anchors(session, domain, limit)
    resume_parent()
    return made


@flow(name="family", flow_run_name="{family}", validate_parameters=False)
def make_family(
    family: str,
    recipe: str | None = None,
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
    if recipe is None:
        return _stage_family(current_session(), family)
    domain, _ = load_family(family)
    checked = limit_recipe(load_unchanged(recipe, overrides, recipe_sha256), limit)
    with open_session(checked) as session, tagged(list_tags(session.recipe, recipe)):
        _probe_sandbox(session, [domain.name])
        with session.silently():
            stage_anchors(session, domain.name, limit)
        made = _stage_family(session, family)
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
    with open_session(checked) as session, tagged(list_tags(session.recipe, recipe)):
        if limit is not None:
            session.observer.say(f"--limit {limit}: the dataset of these rows is {checked.dataset.path}")
        foresee_losses(session, limit)
        _probe_sandbox(session, session.recipe.domains)
        stages = find_stage_runs(session.recipe)
        failed: list[StageFailedError] = []
        if stages is None:
            _make_inside(session, limit, failed)
        else:
            _make_by_runs(session, stages, recipe, overrides, limit, failed)
        made = finish_run(session, failed, guard_run(session), anchors=True)
    resume_parent()
    return made


def _make_inside(session: Session, limit: int | None, failed: list[StageFailedError]) -> None:
    """Make the stages as subflows of this run."""
    for domain in session.recipe.domains:
        if _try(session, make_anchors, domain, failed, limit=limit):
            for family in session.recipe.families(domain):
                _try(session, make_family, family, failed)


def _make_by_runs(
    session: Session,
    stages: StageRuns,
    recipe: str,
    overrides: Sequence[str],
    limit: int | None,
    failed: list[StageFailedError],
) -> None:
    """Let each stage be a run of its own deployment, which can be retried by itself; then gather what they staged.

    A recipe file that is changed meanwhile is for the next run: this one then makes what is left inside itself, by the
    recipe that it read as it began.
    """
    given = {"recipe": recipe, "overrides": [*overrides], "limit": limit, "recipe_sha256": session.recipe.text_sha256}
    for domain in session.recipe.domains:
        if stages.run(f"anchors/{domain}", {"domain": domain, **given}):
            for group in group_families(load_domain(domain), session.recipe.families(domain)):
                stages.run(f"family/{group[0].name}", {"family": group[0].name, **given})
        if is_changed(recipe, session.recipe.text_sha256):
            session.observer.say(f"{recipe} was changed since this run began: it goes on by the recipe as it was")
            _make_inside(session, limit, failed)
            return
    if stages.failed:
        raise StageFailedError(
            "\n".join(filter(None, [stages.describe_failures(), _keep_barren(session, stages, limit)]))
        )
    with session.silently():
        for domain in session.recipe.domains:
            stage_anchors(session, domain, limit)
            for family in session.recipe.families(domain):
                stage_family(session, family)


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
                    stage_anchors(session, domain, limit)
            except StageFailedError as error:
                barren.append(error.barren)
    return keep_rejects(session, [*filter(None, barren)], describe_run(session)) if any(barren) else ""


def _stage_anchors(session: Session, domain: str, limit: int | None) -> dict[str, Any]:
    with limited_by(list_kinds(session.recipe.author.kind, session.recipe.settings(domain))):
        return stage_anchors(session, domain, limit)


def _stage_family(session: Session, family: str) -> dict[str, Any]:
    domain = load_family(family)[0].name
    with limited_by(list_kinds(session.recipe.author.kind, session.recipe.settings(domain), family)):
        return stage_family(session, family)


@flow(name="counterfoil regenerate", flow_run_name="regenerate {family}", validate_parameters=False)
def regenerate_family(family: str, dataset: str, overrides: Sequence[str] = ()) -> RunSummary:
    """Make one family again for the anchors that the dataset has, and replace its partition in one commit.

    Args:
        family: The family to make again, such as geometry.rule.
        dataset: Folder or URL of the dataset, as the machine that runs it sees it.
        overrides: Recipe keys to override, each as section.key=value, such as geometry.negatives=5.
    """
    end_abandoned()
    domain, _ = load_family(family)
    recipe = recipe_of(dataset, domain.name, overrides)
    with open_session(recipe) as session, tagged(list_tags(recipe)):
        _probe_sandbox(session, session.recipe.domains)
        run = session.run_of(domain.name)
        session.pipeline.published_anchors(domain.name, run)
        failed: list[StageFailedError] = []
        _try(session, make_family, family, failed)
        return finish_run(session, failed, guard_regenerate(session, overrides), anchors=False)


def recipe_of(dataset: str, domain: str, overrides: Sequence[str]) -> Recipe:
    """The recipe that the dataset's ``domain`` was last made by, with overrides.

    Raises:
        StorageError: no run made it.
        RecipeError: an override is wrong.
    """
    data = copy.deepcopy(dict(find_run(Dataset(dataset), domain)["recipe"]))
    data["dataset"] |= {"path": dataset, "replace": False}
    for override in overrides:
        apply_override(data, override)
    return check_recipe(data, f"the recipe of {dataset}")


def _try(session: Session, stage: Flow[..., Any], name: str, failed: list[StageFailedError], **parameters: Any) -> bool:
    """Run a stage's subflow; one that fails is noted, so that the others' work is staged before the run fails.

    Raises:
        StageFailedError: the run was told to end during the stage.
    """
    try:
        with tags(f"family:{name}" if stage is make_family else f"domain:{name}"):
            stage(name, **parameters)
    except StageFailedError as error:
        if session.stopping:
            session.observer.say(f"{error.where} stopped, as the run was told to end")
            raise
        failed.append(error)
        session.observer.say(f"{error.where} failed")
        return False
    return True


def _probe_sandbox(session: Session, domains: Iterable[str]) -> None:
    """Open the sandbox, or fail at once for want of one, if any of these domains runs scripts."""
    if not any(load_domain(name).runs_scripts for name in domains):
        return
    session.sandbox_level = session.pool.probe(session.recipe.dataset.sandbox)
    session.observer.say(f"sandbox: level {session.sandbox_level}")
