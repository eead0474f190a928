"""What a busy database of Prefect's costs: two services make a small night each at once, on SQLite and on Postgres.

    python -m benchmarks.two_services sqlite postgres

Each service (`counterfoil serve`) offers a recipe of flowcharts, is asked for it at the same moment, and then for the
same again. It prints the seconds until both have ended, those of the same recipe without a server, and the lines of all
logs that say "locked".
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from benchmarks.cheap import write_recipe
from tests.serving import run_prefect_server
from tests.tasks.llm.postgres import run_postgres

NAMES = ("left", "right")
LONGEST_S = 900


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.two_services", description=__doc__)
    parser.add_argument("databases", nargs="+", choices=("sqlite", "postgres"))
    parser.add_argument("--charts", type=int, default=12)
    given = parser.parse_args()
    for database in given.databases:
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder), database, given.charts)


def measure(folder: Path, database: str, charts: int) -> None:
    """Print one database's figures."""
    home = folder / "prefect"
    home.mkdir()
    plain = os.environ | {"PREFECT_PROFILES_PATH": "/nowhere"}
    began = time.monotonic()
    recipe = _write(folder, "plain", charts)
    subprocess.run([sys.executable, "-m", "counterfoil", "-q", "run", recipe], env=plain, check=True)
    print(f"{database}: without a server {time.monotonic() - began:.0f} s", flush=True)
    with ExitStack() as stack:
        url = stack.enter_context(run_postgres("asyncpg") if database == "postgres" else nullcontext(""))
        settings = {"PREFECT_LOGGING_LEVEL": "INFO"} | ({"PREFECT_API_DATABASE_CONNECTION_URL": url} if url else {})
        environment = stack.enter_context(run_prefect_server(home, settings)) | {"PREFECT_LOGGING_LEVEL": "WARNING"}
        for name in NAMES:
            stack.enter_context(_serve(folder, _write(folder, name, charts), name, environment))
        offered = [_find(environment, name) for name in NAMES]
        for turn in ("first", "again"):
            began = time.monotonic()
            runs = [_ask(environment, f"/deployments/{each}/create_flow_run", {})["id"] for each in offered]
            states = [_wait(environment, run) for run in runs]
            print(f"{database}: {turn} {time.monotonic() - began:.0f} s, {', '.join(states)}", flush=True)
        time.sleep(5)  # the server writes events some seconds after they came
    said = [line for log in (home / "server.log", *folder.glob("*.log")) for line in log.read_text().splitlines()]
    print(f"{database}: {sum('locked' in line for line in said)} of {len(said)} lines say locked", flush=True)


def _write(folder: Path, name: str, charts: int) -> Path:
    path = folder / f"{name}.toml"
    path.write_text(write_recipe(str(folder / f"data-{name}"), charts, 2).replace("workers = 2", "workers = 1"))
    return path


@contextmanager
def _serve(folder: Path, recipe: Path, name: str, environment: dict[str, str]) -> Iterator[None]:
    command = [sys.executable, "-m", "counterfoil", "serve", "--recipe", str(recipe), "--name", name]
    with (
        (folder / f"{name}.log").open("wb") as log,
        subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder) as service,
    ):
        try:
            yield
        finally:
            service.terminate()


def _find(environment: dict[str, str], name: str) -> str:
    """The id of the deployment that makes the recipe of a service, once it is offered."""
    for _ in range(LONGEST_S):
        found = _ask(environment, "/deployments/filter", {})
        ids = [str(each["id"]) for each in found if each["name"] == f"make-{name}@{name}"]
        if ids:
            return ids[0]
        time.sleep(1)
    raise TimeoutError(f"the service {name} offers nothing")


def _wait(environment: dict[str, str], run: str) -> str:
    for _ in range(LONGEST_S):
        state = _ask(environment, f"/flow_runs/{run}")["state_type"]
        if state in ("COMPLETED", "FAILED", "CRASHED", "CANCELLED"):
            return str(state)
        time.sleep(1)
    return "unfinished"


def _ask(environment: dict[str, str], path: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(environment["PREFECT_API_URL"] + path, data, {"Content-Type": "application/json"})
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code != 503:  # the database is locked: Prefect's own clients ask again, too
                raise
            time.sleep(1)


if __name__ == "__main__":
    main()
