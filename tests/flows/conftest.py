"""A real Prefect server on loopback for all tests of the command line, and recipes small enough to run often."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.flows.asking import ask_server

RECIPE = """
[dataset]
path = "{path}"
seed = {seed}
shard_size = 3
workers = 2
[geometry]
source = "procedural:4"
families = ["caption", "image", "rule"]
negatives = 2
[flowchart]
source = "procedural:1"
families = ["flip", "code", "codeswap"]
"""
"""Eighteen shards: Prefect takes longer over each one's task run than its rows take to make."""


@pytest.fixture(scope="session")
def prefect_server(tmp_path_factory) -> Iterator[dict[str, str]]:
    """The environment that points at the server."""
    with run_prefect_server(tmp_path_factory.mktemp("prefect"), {}) as environment:
        yield environment


@contextmanager
def run_prefect_server(home: Path, settings: dict[str, str]) -> Iterator[dict[str, str]]:
    """Run a server with its home there; the environment that points at it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = os.environ | {
        "PREFECT_HOME": str(home),
        "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
        "PREFECT_LOGGING_LEVEL": "ERROR",
        "DO_NOT_TRACK": "1",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "NO_COLOR": "1",
        "COLUMNS": "200",
    }
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    with (home / "server.log").open("wb") as log:
        server = subprocess.Popen(command, env=environment | settings, stdout=log, stderr=log, start_new_session=True)
    try:
        _wait_for(f"http://127.0.0.1:{port}/api/health", server, home / "server.log")
        yield environment
    finally:
        os.killpg(server.pid, 15)
        server.wait(timeout=30)


@pytest.fixture
def api(prefect_server) -> Callable[..., Any]:
    """Asks the server: a POST with a body, a GET without one."""

    def ask(path: str, body: object = None) -> Any:
        return ask_server(prefect_server["PREFECT_API_URL"] + path, body)

    return ask


@pytest.fixture
def counterfoil(prefect_server) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line; returns the finished process with its output as text."""

    def call(*arguments: object, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "flows.cli", *map(str, arguments)],
            env=prefect_server | environment,
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    return call


@pytest.fixture(scope="session")
def write_recipe() -> Callable[..., Path]:
    """Write the small recipe for a dataset folder beside it."""

    def write(folder: Path, name: str = "data", seed: int = 7) -> Path:
        path = folder / f"{name}.toml"
        path.write_text(RECIPE.format(path=folder / name, seed=seed))
        return path

    return write


def _wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        if server.poll() is not None:
            pytest.fail(f"the Prefect server ended: {log.read_text()[-2000:]}")
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail("the Prefect server did not answer within two minutes")
