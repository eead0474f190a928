"""The command line as a user runs it, a real Prefect server on loopback for tests of that, and small recipes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.flows.asking import ask_server
from tests.flows.warm import WarmCommand
from tests.serving import run_prefect_server

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
spare = 0
procedural = {{ constructions = [1, 1], steps = [1, 3] }}
[flowchart]
source = "procedural:1"
families = ["flip", "code", "codeswap"]
"""
"""Eighteen shards, of figures that are quickly drawn."""


NIGHTLY = """
[dataset]
path = "{path}"
workers = 1
[flowchart]
source = "procedural:3"
families = ["flip"]
"""
"""What schedules make: as little as can be."""


@pytest.fixture(scope="session")
def prefect_server(tmp_path_factory) -> Iterator[dict[str, str]]:
    """The environment that points at the server."""
    with run_prefect_server(tmp_path_factory.mktemp("prefect"), {}) as environment:
        yield environment


@pytest.fixture
def api(prefect_server) -> Callable[..., Any]:
    """Asks the server: a POST with a body, a GET without one."""

    def ask(path: str, body: object = None) -> Any:
        return ask_server(prefect_server["PREFECT_API_URL"] + path, body)

    return ask


@pytest.fixture(scope="session")
def plain() -> dict[str, str]:
    """The environment of a user who has configured no Prefect server."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return environment | {"PREFECT_PROFILES_PATH": "/nowhere", "NO_COLOR": "1", "COLUMNS": "200"}


@pytest.fixture(scope="session")
def warm(plain) -> Iterator[WarmCommand]:
    """The command line that need not be imported anew."""
    command = WarmCommand(plain)
    yield command
    command.close()


@pytest.fixture(scope="session")
def counterfoil(plain, warm) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line; returns the finished process with its output as text."""

    def call(*arguments: object, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
        done = warm.run(*map(str, arguments), environment=plain | environment)
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
