"""`counterfoil serve`: offer every flow and stage to the Prefect server: for schedules, the UI's forms and Retry."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from flows.quiet import has_server, silence_client
from flows.server import ServerError, check_server
from tasks.engine.registry import DOMAIN_MODULES, load_domain

POLL_S = 2


def serve_deployments(recipe: Path, dataset: str, cron: str | None, limit: int) -> None:
    """Serve until interrupted; at most ``limit`` runs at once (a whole run and its stage are two).

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

    serve(*list_deployments(str(recipe), dataset, cron), limit=limit, print_starting_message=False)


def list_deployments(recipe: str, dataset: str, cron: str | None) -> Iterator[Any]:
    """Deployments of the whole run, of regenerating, of each domain's anchors and of each family."""
    from flows.make import make_anchors, make_dataset, make_family, regenerate_family

    domains = {name: load_domain(name) for name in DOMAIN_MODULES}
    names = [family for domain in domains.values() for family in domain.families]
    yield offer(make_dataset, "make", {"recipe": recipe}, cron=cron, concurrency_limit=1)
    again = {"family": names[0], "dataset": dataset}
    yield offer(regenerate_family, "regenerate", again, {"family": names}, concurrency_limit=1)
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
