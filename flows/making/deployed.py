"""Stages as runs of deployments of their own, so that Prefect's Retry works on the stage that failed.

Prefect retries what has a deployment: not a subflow that was called. Where the run itself came from a deployment and
every stage is offered too (`counterfoil serve`, prefect.yaml), the parent starts its stages as deployment runs, each
under a key of its own: a parent that is retried finds the runs that it started before and makes no second set. A stage
that was retried with success has its parent go on.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from counterfoil.flows.making.names import name_like
from counterfoil.tasks.engine.recipe import MakingRecipe
from counterfoil.tasks.engine.registry import group_families, load_domain

POLL_S = 1.0


class StageRunError(Exception):
    """A stage that is a run of its own failed; the message says which, and what to do."""


def find_stage_runs(recipe: MakingRecipe) -> StageRuns | None:
    """How to run the recipe's stages as runs of their own; None where they are not offered."""
    return find_runs(list_stages(recipe))


def find_runs(stages: Sequence[str]) -> StageRuns | None:
    """How to run stages as runs of their deployments; None where this is no deployment's run, or one is not offered."""
    from prefect.client.orchestration import get_client
    from prefect.exceptions import ObjectNotFound
    from prefect.runtime import deployment, flow_run

    if deployment.id is None:
        return None
    with get_client(sync_client=True) as client:
        for stage in stages:
            try:
                client.read_deployment_by_name(name_like(deployment.name, stage))
            except ObjectNotFound:
                return None
    return StageRuns(UUID(flow_run.id), deployment.name, [*flow_run.tags])


def list_stages(recipe: MakingRecipe) -> list[str]:
    """The deployments of a recipe's stages, in order: families that are made together are one stage."""
    stages = []
    for name in recipe.domains:
        stages.append(f"anchors/{name}")
        stages += [f"family/{group[0].name}" for group in group_families(load_domain(name), recipe.families(name))]
    return stages


@dataclass
class StageRuns:
    """The stages' runs of one parent run."""

    parent: UUID
    deployment: str
    """The name of the parent's deployment: its stages' are of the same work pool, or the same `counterfoil serve`."""
    tags: list[str]
    failed: dict[str, str] = field(default_factory=dict)
    """Stage to the state that its run ended in."""

    def run(self, stage: str, parameters: Mapping[str, Any], tag: str | None = None) -> bool:
        """Start the run of a stage, or go on with the one that the parent started before; whether it succeeded."""
        from prefect.client.orchestration import get_client
        from prefect.deployments import run_deployment
        from prefect.states import AwaitingRetry, Cancelling

        kind, _, name = stage.partition("/")
        tag = tag or (f"domain:{name}" if kind == "anchors" else f"family:{name}")
        run: Any = run_deployment(
            name_like(self.deployment, stage),
            parameters=dict(parameters),
            timeout=0,
            idempotency_key=f"{self.parent}/{stage}",
            tags=[*self.tags, tag],
        )
        with get_client(sync_client=True) as client:
            if run.state.is_final() and not run.state.is_completed():
                client.set_flow_run_state(run.id, AwaitingRetry(message="its parent was retried"))
            try:
                while not (state := client.read_flow_run(run.id).state) or not state.is_final():
                    time.sleep(POLL_S)
            except Exception:
                raise
            except BaseException:
                client.set_flow_run_state(run.id, Cancelling(message="its parent was ended"))
                raise
        if not state.is_completed():
            self.failed[stage] = f"{state.name}: {state.message or 'see its run'}"
        return state.is_completed()

    def describe_failures(self) -> str:
        """What failed, and what to do."""
        lines = [f"{stage} {why}" for stage, why in self.failed.items()]
        return "\n".join([*lines, "Retry the run of the stage: when it succeeds, this run goes on by itself"])


def resume_parent() -> None:
    """After a stage was retried with success: let the run that it is part of go on, if that has failed for it."""
    from prefect.client.orchestration import get_client
    from prefect.runtime import flow_run
    from prefect.states import AwaitingRetry

    if not flow_run.parent_flow_run_id or flow_run.run_count < 2:
        return
    with get_client(sync_client=True) as client:
        parent = client.read_flow_run(UUID(flow_run.parent_flow_run_id))
        if parent.state is not None and parent.state.is_final() and not parent.state.is_completed():
            client.set_flow_run_state(parent.id, AwaitingRetry(message=f"{flow_run.name} was retried with success"))
