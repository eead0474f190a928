"""`counterfoil serve`: offer every flow and stage to the Prefect server: for schedules, the UI's forms and Retry."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from types import MappingProxyType
from typing import Any

import psutil

from flows.quiet import has_server, silence_client
from flows.server import FLOW, ServerError, check_server
from flows.signals import run_watched, stopped_by
from tasks.engine.registry import DOMAIN_MODULES, load_domain

POLL_S = 2
GPU = "gpu"
"""Tag of the deployments that want a GPU (in a work pool their queue has this name too: prefect.yaml)."""
GRACE_S, TELL_S = 10.0, 3.0
"""How long runs have to end once the service was told to, and the server to hear of it."""


def serve_deployments(recipe: Path, dataset: str, cron: str | None, limit: int, say: Callable[[str], None]) -> None:
    """Serve until interrupted, and ``say`` so; at most ``limit`` runs at once (a whole run and its stage are two).

    Raises:
        ServerError: no server is configured, or it cannot be used.
    """
    if not has_server():
        raise ServerError(
            "no Prefect server is configured: start one (`prefect server start`) and set PREFECT_API_URL to its address"
        )
    silence_client()
    os.environ.setdefault("PREFECT_RUNNER_POLL_FREQUENCY", str(POLL_S))
    check_server()
    from prefect import serve

    offered = [*list_deployments(str(recipe), dataset, cron)]
    say(f"{len(offered)} deployments are offered to {os.environ.get('PREFECT_API_URL', 'the Prefect server')}")

    def offer_all() -> None:
        serve(*offered, limit=limit, print_starting_message=False)

    with stopped_by(lambda: end_service([each.name for each in offered if each.schedules])):
        run_watched(offer_all)


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
            client.pause_deployment(client.read_deployment_by_name(f"{FLOW}/{name}").id)


def list_deployments(recipe: str, dataset: str, cron: str | None) -> Iterator[Any]:
    """Deployments of the whole run, regenerating, training and tuning, of each domain's anchors and of each family."""
    from flows.make import make_anchors, make_dataset, make_family, regenerate_family
    from flows.sft import tune_model
    from flows.training import train_model

    domains = {name: load_domain(name) for name in DOMAIN_MODULES}
    names = [family for domain in domains.values() for family in domain.families]
    yield offer(make_dataset, "make", {"recipe": recipe}, cron=cron, concurrency_limit=1)
    again = {"family": names[0], "dataset": dataset}
    yield offer(regenerate_family, "regenerate", again, {"family": names}, concurrency_limit=1)
    yield offer(train_model, "train", {"recipe": recipe}, concurrency_limit=1, tags=[GPU])
    yield offer(tune_model, "sft", {"recipe": recipe}, concurrency_limit=1, tags=[GPU])
    for name, domain in domains.items():
        yield offer(
            make_anchors,
            name,
            {"domain": name, "recipe": recipe},
            {"domain": [name]},
            description=f"The anchors of {name}, staged for a run of `make`.",
            tags=[f"domain:{name}"],
        )
        for family in domain.families.values():
            yield offer(
                make_family,
                family.name,
                {"family": family.name, "recipe": recipe},
                {"family": [family.name]},
                description=f"{family.how} ({family.paper}). Staged for a run of `make`.",
                tags=[f"family:{family.name}"],
            )


def offer(
    flow: Any,
    name: str,
    parameters: Mapping[str, Any],
    choices: Mapping[str, list[str]] = MappingProxyType({}),
    **more: Any,
) -> Any:
    """A deployment of ``flow`` whose form begins with ``parameters`` and offers ``choices`` where any text would do."""
    from prefect.types.entrypoint import EntrypointType

    # By module: by file, Prefect puts the folder `flows` on the search path of the run and of its workers, where a
    # module of ours can hide one of Python's own; and runs start in the folder of the command, wherever the code is.
    by_module = EntrypointType.MODULE_PATH
    deployment = flow.to_deployment(name, parameters=dict(parameters), entrypoint_type=by_module, **more)
    fields = deployment._parameter_openapi_schema.properties
    for parameter, values in choices.items():
        fields[parameter] = {**fields[parameter], "enum": values}
    return deployment
