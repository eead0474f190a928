"""The services of a night, each in processes of its own that can be killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from counterfoil.flows.making.limits import LEASE_STORAGE, ON_DISK
from tests.flows.asking import ask_server
from tests.serving import find_port

START_S = 180


@dataclass
class Prefect:
    """Prefect's server on a database that outlives it."""

    home: Path
    database: str
    port: int = 0

    def __post_init__(self) -> None:
        self.port = find_port()

    @property
    def api(self) -> str:
        """Its address, the same after each start."""
        return f"http://127.0.0.1:{self.port}/api"

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(self.port)]
        settings = {
            "PREFECT_API_DATABASE_CONNECTION_URL": self.database,
            "PREFECT_HOME": str(self.home),
            LEASE_STORAGE: ON_DISK,
        }
        self.process = start(command, self.home / "server.log", settings)
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and self.process.poll() is None:
            with suppress(OSError), urllib.request.urlopen(f"{self.api}/health", timeout=5):
                return
            time.sleep(0.5)
        raise SystemExit(f"Prefect's server did not start: {self.home / 'server.log'}")

    def ask(self, path: str, body: object = None) -> Any:
        """The answer of its API; asked again while there is none."""
        return ask_server(self.api + path, body)


def start(command: list[str], log: Path, more: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a command in a session of its own; what it says is added to the log."""
    environment = {**os.environ, **(more or {})}
    with log.open("ab") as said:
        return subprocess.Popen(command, env=environment, stdout=said, stderr=said, start_new_session=True)


def kill(process: subprocess.Popen[bytes]) -> None:
    """``kill -9`` of the process and of all below it: what a power cut does to a host."""
    with suppress(psutil.NoSuchProcess):
        below = psutil.Process(process.pid).children(recursive=True)
        for each in [process.pid, *(child.pid for child in below)]:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
    process.wait()


@contextmanager
def run_ray(nodes: int) -> Iterator[Any]:
    """A cluster of so many nodes with one CPU each, the first of which holds its books."""
    import ray
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": 80 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    for _ in range(nodes - 1):
        cluster.add_node(**node)
    os.environ["RAY_ADDRESS"] = cluster.address
    try:
        yield cluster
    finally:
        del os.environ["RAY_ADDRESS"]
        ray.shutdown()
        cluster.shutdown()
