"""`python -m flows.serve`: offer the flows to a Prefect server from this process, for schedules and the UI's buttons.

A scheduled night is one environment variable: ``COUNTERFOIL_CRON="0 2 * * *"`` with ``COUNTERFOIL_RECIPE``.
"""

from __future__ import annotations

import os
import sys
from typing import cast

from flows.quiet import has_server, silence_client


def main() -> None:
    """Serve until interrupted; exits 2 where no server is configured."""
    if not has_server():
        sys.exit("no Prefect server is configured: set PREFECT_API_URL (or start one with `prefect server start`)")
    silence_client()
    from prefect import serve
    from prefect.deployments.runner import EntrypointType, RunnerDeployment

    from flows.make import make_dataset, regenerate_family

    recipe = os.environ.get("COUNTERFOIL_RECIPE", "recipes/demo.toml")
    # By module: by file, Prefect puts the folder `flows` on the search path of the run and of its workers, where a
    # module of ours can hide one of Python's own.
    by_module = EntrypointType.MODULE_PATH
    nightly = make_dataset.to_deployment(
        "nightly",
        parameters={"recipe": recipe},
        cron=os.environ.get("COUNTERFOIL_CRON"),
        concurrency_limit=1,
        entrypoint_type=by_module,
    )
    again = regenerate_family.to_deployment(
        "regenerate",
        parameters={"family": "geometry.rule", "dataset": "data/demo"},
        concurrency_limit=1,
        entrypoint_type=by_module,
    )
    serve(cast(RunnerDeployment, nightly), cast(RunnerDeployment, again))


if __name__ == "__main__":
    main()
