"""`counterfoil serve` in a folder, and the runs of its deployments as the server tells of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

FINAL = {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}


@contextmanager
def serve_recipe(folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """Serve the deployments of the recipe ``night.toml`` in the folder, from when all of them are there.

    An earlier one's of the same names may be there still, and are about to be written anew with their automations.
    """
    command = [sys.executable, "-m", "counterfoil", "serve", "--recipe", "night.toml", "--dataset", "data"]
    root = str(Path(__file__).parents[2])
    whole = {**environment, "PYTHONPATH": root, "PREFECT_LOGGING_LEVEL": "INFO"}
    with (folder / "serve.log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, env=whole, stdout=log, stderr=log, start_new_session=True)
    try:
        await_that(lambda: "deployments are offered" in (folder / "serve.log").read_text())
        yield
    finally:
        server.terminate()
        with suppress(subprocess.TimeoutExpired):
            server.wait(timeout=60)
        if server.poll() is None:
            os.killpg(server.pid, signal.SIGKILL)


def await_deployment(api: Callable[..., Any], name: str) -> dict[str, Any]:
    return await_that(lambda: find(api("/deployments/filter", {}), name.rpartition("/")[2]))


def find(deployments: list[dict[str, Any]], name: str) -> dict[str, Any] | None:
    return next((each for each in deployments if each["name"] == name and each["status"] == "READY"), None)


def list_stages(api: Callable[..., Any], parent: str) -> list[dict[str, Any]]:
    runs = api("/flow_runs/filter", {"flow_runs": {"parent_flow_run_id": {"any_": [parent]}}, "limit": 200})
    return sorted(runs, key=lambda run: run["created"])


def read_log(api: Callable[..., Any], run: str) -> str:
    lines = api("/logs/filter", {"logs": {"flow_run_id": {"any_": [run]}}, "limit": 200})
    return "\n".join(line["message"] for line in lines)


def retry(api: Callable[..., Any], run: str) -> None:
    """What the button Retry of the UI does."""
    again = {"state": {"type": "SCHEDULED", "name": "AwaitingRetry"}}
    assert api(f"/flow_runs/{run}/set_state", again)["status"] == "ACCEPT"


def start(api: Callable[..., Any], deployment: str) -> str:
    """Start a run of a deployment, once it is served; its id."""
    found = await_deployment(api, deployment)
    return str(api(f"/deployments/{found['id']}/create_flow_run", {"state": {"type": "SCHEDULED"}})["id"])


def await_run(api: Callable[..., Any], parent: str, condition: Callable[[dict[str, str]], bool]) -> dict[str, str]:
    """The states of the run and of its stages, by name, once the condition holds."""

    def look() -> dict[str, str] | None:
        states = {run["name"]: run["state_type"] for run in list_stages(api, parent)}
        states["parent"] = api(f"/flow_runs/{parent}")["state_type"]
        return states if condition(states) else None

    return await_that(look)


def await_that(look: Callable[[], Any], seconds: float = 560) -> Any:
    """What ``look`` finds, once it finds something."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.5)
    raise AssertionError("it did not come about")
