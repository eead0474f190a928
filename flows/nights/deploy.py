"""`counterfoil deploy`: a work pool with all that a night needs: deployments, a queue for GPUs, limits, the watch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from counterfoil.flows.making.limits import GPU, set_limits, warn_of_leases
from counterfoil.flows.nights.offers import Offered, OfferError, drop_schedules, list_deployments
from counterfoil.flows.nights.serve import begin_offering
from counterfoil.flows.nights.watching import beat_environment, watch_heartbeats
from counterfoil.flows.process.api import check_server


def deploy_to_pool(
    offered: Offered,
    pool: str,
    folder: str | None,
    silence_s: int,
    limits: Mapping[str, int],
    say: Callable[[str], None],
) -> None:
    """Make the pool (of processes, where there is none of this name) and its queue, and deploy everything to it.

    To repeat it changes only what is different. No deployment has a pull step: workers have the package installed, and
    runs start in ``folder`` of the worker's machine (of the image, in a pool of containers).

    Raises:
        OfferError: a path is relative in a pool of processes, and no folder says to what.
        ServerError: no server is configured, or it cannot be used.
    """
    begin_offering()
    check_server()
    kind = _make_pool(pool)
    variables: dict[str, Any] = {"env": beat_environment(silence_s)}
    if kind == "process" and folder is None:
        # Prefect starts such runs in an empty folder that it removes.
        _check_absolute([*offered.recipes, offered.dataset])
    elif kind == "process":
        variables["working_dir"] = folder
    watch_heartbeats(silence_s)
    set_limits(limits)
    warn_of_leases(say)
    deployments = [*list_deployments(offered)]
    drop_schedules(deployments)
    for each in deployments:
        each.work_pool_name = pool
        each.work_queue_name = GPU if GPU in each.tags else None
        each.job_variables = variables
        each.apply()
    say(f"{len(deployments)} deployments are in the work pool {pool}: `prefect worker start --pool {pool}` runs them")


def _check_absolute(paths: Sequence[str]) -> None:
    for path in paths:
        if "://" not in path and not PurePath(path).is_absolute():
            raise OfferError(
                f"{path} is relative: say by --folder to which folder of the workers' machines, or give all of it"
            )


def _make_pool(pool: str) -> str:
    """The kind of the pool."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import WorkPoolCreate
    from prefect.exceptions import ObjectNotFound
    from prefect.workers.process import ProcessWorker

    with get_client(sync_client=True) as client:
        try:
            kind = client.read_work_pool(pool).type
        except ObjectNotFound:
            template: dict[str, Any] = ProcessWorker.get_default_base_job_template()
            client.create_work_pool(WorkPoolCreate(name=pool, type="process", base_job_template=template))
            kind = "process"
        queues = {each.name for each in client.read_work_queues(work_pool_name=pool)}
        if GPU not in queues:
            client.create_work_queue(GPU, work_pool_name=pool, description="runs that want a GPU")
    return kind
