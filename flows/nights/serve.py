"""`counterfoil serve`: offer every flow and stage to the Prefect server: for schedules, the UI's forms and Retry."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Thread

import psutil

from counterfoil.flows.making.limits import set_limits, warn_of_leases
from counterfoil.flows.nights.offers import Offered, drop_schedules, list_deployments
from counterfoil.flows.nights.watching import beat_environment, watch_heartbeats
from counterfoil.flows.process.api import ServerError, check_server
from counterfoil.flows.process.quiet import has_server, silence_client
from counterfoil.flows.process.signals import run_watched
from counterfoil.tasks.engine.stopping import stopped_by

POLL_S = 2
GRACE_S, TELL_S = 10.0, 3.0
"""How long runs have to end once the service was told to, and the server to hear of it."""


def serve_deployments(
    offered: Offered, limit: int, say: Callable[[str], None], silence_s: int, limits: Mapping[str, int]
) -> None:
    """Serve until interrupted, and ``say`` so; at most ``limit`` runs at once.

    A pipeline, its making and the stage of that are three runs. A run that is not heard of for ``silence_s`` seconds is
    marked Crashed; ``limits`` hold for stages of one kind.

    Raises:
        ServerError: no server is configured, or it cannot be used.
    """
    begin_offering()
    os.environ.setdefault("PREFECT_RUNNER_POLL_FREQUENCY", str(POLL_S))
    os.environ.update(beat_environment(silence_s))
    check_server()
    from prefect import serve

    watch_heartbeats(silence_s)
    set_limits(limits)
    warn_of_leases(say)
    deployments = [*list_deployments(offered)]
    drop_schedules(deployments)
    where = os.environ.get("PREFECT_API_URL", "the Prefect server")
    say(f"{len(deployments)} deployments are offered to {where}; Ctrl-C ends it")

    def offer_all() -> None:
        serve(*deployments, limit=limit, print_starting_message=False)

    with stopped_by(lambda: end_service([f"{each.flow_name}/{each.name}" for each in deployments if each.schedules])):
        run_watched(offer_all)


def begin_offering() -> None:
    """Make ready to speak to the configured server; before Prefect is imported.

    Raises:
        ServerError: no server is configured.
    """
    if not has_server():
        raise ServerError(
            "no Prefect server is configured: start one (`prefect server start`) and set PREFECT_API_URL to its address"
        )
    silence_client()


def end_service(scheduled: Sequence[str]) -> None:
    """Let the runs under way stage what they have, end them, and pause what would fire with nobody to serve it."""
    teller = Thread(target=_pause, args=(scheduled,), daemon=True)
    teller.start()
    runs = psutil.Process().children()
    for run in runs:
        run.terminate()
    _, lasting = psutil.wait_procs(runs, timeout=GRACE_S)
    for run in lasting:
        run.kill()  # its workers end with it
    teller.join(TELL_S)


def _pause(names: Sequence[str]) -> None:
    import httpx
    from prefect.client.orchestration import get_client
    from prefect.exceptions import PrefectException

    with suppress(httpx.HTTPError, PrefectException), get_client(sync_client=True) as client:
        for name in names:
            client.pause_deployment(client.read_deployment_by_name(name).id)
