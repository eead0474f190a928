"""The services of docker-compose.yml that are ours, started by hand as the file says, and a night made by them.

No container: commands, environment and health checks are the file's, with hosts, ports and folders of this machine in
place of the containers'. Postgres is real and asks for a password with every awkward sign; the S3 store is moto.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
import sqlalchemy as sa
import yaml

from counterfoil.storage.dataset import Dataset
from tests.flows.asking import ask_server
from tests.serving import find_port, run_s3
from tests.tasks.llm.postgres import run_postgres

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
GRACE_S = 10
PASSWORD = "p@ss/w:o r#d%?&$"
AUTH = "night:secret of the tests"
RECIPE = """
[dataset]
path = "s3://counterfoil/night"
workers = 1
[flowchart]
source = "procedural:2"
families = ["flip"]
"""


class Host:
    """This machine in place of the containers' network and folders."""

    def __init__(self, folder: Path, postgres: sa.URL, s3: str) -> None:
        self.services: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
        self.api, self.health = find_port(), find_port()
        self.postgres, self.s3, self.folder = postgres, s3, folder
        self.given = {
            "POSTGRES_PASSWORD": PASSWORD,
            "PREFECT_AUTH": AUTH,
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "COUNTERFOIL_CRON": "0 0 29 2 *",
        }

    def fill(self, text: str) -> str:
        """The text as compose would give it to a container, then with this machine's places."""
        text = re.sub(r"\$\{(\w+)(?::[-?]([^}]*))?\}", lambda it: self.given.get(it[1]) or it[2] or "", text)
        text = text.replace("//server:4200", f"//127.0.0.1:{self.api}").replace("http://s3:8333", self.s3)
        text = text.replace("127.0.0.1:4200", f"127.0.0.1:{self.api}").replace(
            "127.0.0.1:8080", f"127.0.0.1:{self.health}"
        )
        text = text.replace("counterfoil@postgres/", f"tester@127.0.0.1:{self.postgres.port}/")
        return re.sub(r"(?<![\w/])/(data|recipes)\b", rf"{self.folder}/\1", text)

    def environment(self, service: str) -> dict[str, str]:
        wanted = {name: self.fill(str(value)) for name, value in self.services[service]["environment"].items()}
        if "PREFECT_SERVER_DATABASE_HOST" in wanted:
            wanted["PREFECT_SERVER_DATABASE_HOST"] = "127.0.0.1"
            wanted["PREFECT_SERVER_DATABASE_PORT"] = str(self.postgres.port)
            wanted["PREFECT_SERVER_DATABASE_USER"] = "tester"
        places = {
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "PREFECT_HOME": str(self.folder / f"prefect-{service}"),
            "PREFECT_WORKER_WEBSERVER_PORT": str(self.health),
            "PREFECT_WORKER_QUERY_SECONDS": "2",
            "PYTHONPATH": str(ROOT),
        }
        return {name: value for name, value in os.environ.items() if "PREFECT" not in name} | wanted | places

    def command(self, service: str) -> list[str]:
        command = self.services[service]["command"]
        parts = shlex.split(command) if isinstance(command, str) else command
        filled = [self.fill(part) for part in parts]
        if service == "server":
            filled = ["127.0.0.1" if part == "0.0.0.0" else part for part in filled] + ["--port", str(self.api)]
        return filled

    def run(self, service: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(service),
            env=self.environment(service),
            cwd=self.folder / "data",
            capture_output=True,
            text=True,
            timeout=400,
        )

    @contextmanager
    def running(self, service: str) -> Iterator[None]:
        """Start a service and wait until its own health check says that it is well."""
        log = self.folder / f"{service}.log"
        with log.open("wb") as said:
            process = subprocess.Popen(
                self.command(service),
                env=self.environment(service),
                cwd=self.folder / "data",
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        check = [self.fill(part) for part in self.services[service]["healthcheck"]["test"][1:]]
        try:
            deadline = time.monotonic() + 280
            while subprocess.run(check, env=self.environment(service), capture_output=True).returncode:
                assert process.poll() is None and time.monotonic() < deadline, log.read_text()[-2000:]
                time.sleep(1)
            yield
        finally:
            below = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
            process.terminate()
            # As a container's runtime does: Prefect's worker can miss the signal while a run of it ends.
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=GRACE_S)
            process.kill()
            process.wait()
            for each in below:
                if each.is_running():
                    each.kill()


@pytest.fixture(scope="module")
def host(tmp_path_factory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("host")
    for name in ("data", "recipes", "bin"):
        (folder / name).mkdir()
    (folder / "recipes" / "night.toml").write_text(RECIPE)
    for name, module in {"counterfoil": "-m counterfoil", "prefect": "-m prefect", "python": ""}.items():
        script = folder / "bin" / name
        script.write_text(f'#!/bin/sh\nexec {sys.executable} {module} "$@"\n')
        script.chmod(0o755)
    with run_postgres("asyncpg", PASSWORD) as url, run_s3() as s3:
        made = Host(folder, sa.make_url(url), s3["AWS_ENDPOINT_URL"])
        create_database(url, "prefect")
        create_database(url, "answers")
        yield made


def create_database(url: str, name: str) -> None:
    import asyncio

    import asyncpg

    async def create() -> None:
        at = sa.make_url(url)
        connection = await asyncpg.connect(
            host="127.0.0.1", port=at.port, user="tester", password=PASSWORD, database="postgres"
        )
        await connection.execute(f"CREATE DATABASE {name}")
        await connection.close()

    asyncio.run(create())


def make_asker(host: Host) -> Callable[..., Any]:
    def ask(path: str, body: object = None) -> Any:
        return ask_server(f"http://127.0.0.1:{host.api}/api{path}", body, AUTH)

    return ask


@pytest.mark.timeout(900)
def test_the_services_started_by_hand_make_a_night(host, monkeypatch):
    with host.running("server"):
        done = host.run("setup")
        assert done.returncode == 0, done.stderr
        assert host.run("setup").returncode == 0, "setup runs at every `up`"
        ask = make_asker(host)
        night = ask("/deployments/name/counterfoil/make-night")
        assert [each["schedule"]["cron"] for each in night["schedules"]] == ["0 0 29 2 *"]
        with host.running("worker"):
            run = ask(f"/deployments/{night['id']}/create_flow_run", {})["id"]
            deadline = time.monotonic() + 400
            while (state := ask(f"/flow_runs/{run}")["state"])["type"] not in ("COMPLETED", "FAILED", "CRASHED"):
                assert time.monotonic() < deadline, state
                time.sleep(1)
    assert state["type"] == "COMPLETED", state["message"]
    for name in ("AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, host.environment("worker")[name])
    assert Dataset("s3://counterfoil/night").counts().contrasts["flowchart.flip"]


def test_the_workers_reach_the_store_of_answers_without_a_password_in_its_address(host, monkeypatch):
    pytest.importorskip("psycopg", reason="no Postgres driver: pip install 'counterfoil[postgres]'")
    from counterfoil.tasks.llm.store.store import ResponseStore

    environment = host.environment("worker")
    monkeypatch.setenv("PGPASSWORD", environment["PGPASSWORD"])
    assert PASSWORD not in environment["COUNTERFOIL_STORE"]
    store = ResponseStore(environment["COUNTERFOIL_STORE"])
    store.check_writable()
    store.close()
