"""Runs that a worker took and that never began, as it died first: the next run of their deployment marks them Crashed.

Such a run beats not at all and would be Pending for good. The automation that waits for it (`flows.nights.watching`) is
not to be relied on: Prefect's server forgets waits now and then. Our deployments allow one run at a time, so where one
has begun another that is Pending has lost its slot, as nobody renewed its lease. (Prefect refuses one that begins
after all.) Past the bound that the automation has it is marked.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

NEVER_BEGUN = "counterfoil: runs that never began"
"""The automation that waits for runs to begin."""
LEAST_TO_BEGIN_S = 1200
"""How long a run that was taken may wait for its infrastructure, at least."""
MESSAGE_NEVER_BEGUN = (
    "Taken and never begun: its worker died, or found nowhere to run it. The next run makes what is due."
)


def end_abandoned() -> None:
    """From a deployment's run: mark other runs of this deployment Crashed that were taken and have not begun within the
    bound of the automation `NEVER_BEGUN` (20 minutes where there is none). Where that is switched off, none is.

    A run that has begun once and was retried is left alone. Where Prefect's server does not answer nothing is marked.
    """
    import httpx
    from prefect.client.orchestration import get_client
    from prefect.exceptions import PrefectException
    from prefect.logging import get_run_logger
    from prefect.runtime import deployment
    from prefect.states import Crashed

    if deployment.id is None:
        return
    # It is housekeeping: the run that it would stop has better things to do.
    with suppress(httpx.HTTPError, PrefectException), get_client(sync_client=True) as client:
        bound = read_bound(client)
        for run in find_abandoned(client, UUID(deployment.id), bound) if bound is not None else ():
            now = client.read_flow_run(run.id)
            if now.state is not None and now.state.id == run.state.id:
                client.set_flow_run_state(run.id, Crashed(message=MESSAGE_NEVER_BEGUN))
                _keep_slot(client, UUID(deployment.id))
                get_run_logger().warning(
                    "%s was taken at %s and never began: it is marked Crashed", run.name, f"{run.state.timestamp:%F %T}"
                )


def _keep_slot(client: Any, deployment_id: UUID) -> None:
    """Take this run's slot again. As a run is marked, Prefect 3.8 frees the slot that it had, though it was freed when
    its lease ended: so it frees that of the run under way, and another would begin beside it."""
    limit = client.read_deployment(deployment_id).global_concurrency_limit
    if limit is not None and limit.active_slots < 1:
        client.increment_concurrency_slots([limit.name], 1, "concurrency")


def read_bound(client: Any) -> timedelta | None:
    """How long a run that was taken may wait; None: for good, as the watch over such runs is switched off."""
    there = client.read_automations_by_name(NEVER_BEGUN)
    if not there:
        return timedelta(seconds=LEAST_TO_BEGIN_S)
    within: timedelta = there[0].trigger.within
    return within if there[0].enabled else None


def find_abandoned(client: Any, deployment_id: UUID, bound: timedelta) -> list[Any]:
    """Runs of the deployment that are Pending for longer than the bound and have never begun."""
    from prefect.client.schemas.filters import (
        DeploymentFilter,
        DeploymentFilterId,
        FlowRunFilter,
        FlowRunFilterStartTime,
        FlowRunFilterState,
        FlowRunFilterStateType,
    )
    from prefect.client.schemas.objects import StateType

    pending = FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.PENDING]))
    found = client.read_flow_runs(
        deployment_filter=DeploymentFilter(id=DeploymentFilterId(any_=[deployment_id])),
        flow_run_filter=FlowRunFilter(state=pending, start_time=FlowRunFilterStartTime(is_null_=True)),
    )
    return [run for run in found if run.state is not None and run.state.timestamp < datetime.now(UTC) - bound]
