"""The Prefect server of a run: the one that is configured, or one of the run's own that ends with it.

The run's own server has a session of its own, so that a terminal's Ctrl-C does not reach it before the run; a home of
its own, so that no other run locks its database and none is needed in $HOME; and a shell above it that ends it when
this process ends, however that happens.
"""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

from flows.quiet import OWN_SERVER, has_server, silence_client

START_S = 120.0
DATABASE = "prefect.db"

GUARD = """
exec 3<&0
"$@" </dev/null &
server=$!
(read -r _ <&3; kill $server) &
watcher=$!
wait $server
code=$?
kill $watcher
exit $code
"""
"""Runs the server until it ends or the pipe from this process is closed, as it is however this process ends."""


class ServerError(Exception):
    """The Prefect server cannot be reached or started. The message says which, why, and what to do."""


@contextmanager
def open_server() -> Iterator[None]:
    """Run the block on the configured Prefect server, or on one of its own.

    Raises:
        ServerError: the configured server does not answer, or the own one does not start.
    """
    if has_server():
        silence_client()
        yield
        return
    home = Path(tempfile.mkdtemp(prefix="counterfoil-prefect-"))
    try:
        with _run_server(home) as url, _environment(OWN_SERVER | {"PREFECT_HOME": str(home), "PREFECT_API_URL": url}):
            from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

            # Nobody watches this server's heartbeats, and each flow that ends would wait up to a second for them.
            with temporary_settings(updates={PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
                yield
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def _run_server(home: Path) -> Iterator[str]:
    """Start a server with its database in ``home`` and give its API's address."""
    known = _copy_database(home)
    port = _find_port()
    url = f"http://127.0.0.1:{port}/api"
    command = [sys.executable, "-m", "uvicorn", "--factory", "prefect.server.api.server:create_app"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--log-level", "error", "--lifespan", "on"]
    environment = os.environ | OWN_SERVER | {"PREFECT_HOME": str(home), "PREFECT__SERVER_FINAL": "1"}
    environment.pop("PREFECT_API_DATABASE_CONNECTION_URL", None)
    log = home / "server.log"
    with log.open("wb") as said:
        guard = subprocess.Popen(
            ["/bin/sh", "-c", GUARD, "sh", *command],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    try:
        _await_server(url, guard, log)
        if not known:
            _keep_database(home)
        yield url
    finally:
        assert guard.stdin is not None
        guard.stdin.close()
        try:
            guard.wait(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(guard.pid, 9)
            guard.wait()


def _await_server(url: str, guard: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if guard.poll() is not None:
            lines = log.read_text(errors="replace").strip().splitlines() or ["no word"]
            raise ServerError(f"Prefect's own server ended as it started ({lines[-1].strip()})")
        with suppress(OSError), urllib.request.urlopen(f"{url}/health", timeout=5) as answer:
            if answer.status == 200:
                return
        time.sleep(0.05)
    raise ServerError(f"Prefect's own server did not answer within {START_S:.0f} s")


def _find_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


# An empty database takes the server four seconds of work to make, so one is kept in the user's cache.


def _locate_kept() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - a home may be missing
    return Path(cache) / "counterfoil" / f"prefect-{version('prefect')}.db"


def _copy_database(home: Path) -> bool:
    """Give the server an empty database, if one is kept; whether one was."""
    try:
        shutil.copyfile(_locate_kept(), home / DATABASE)
    except OSError:
        return False
    return True


def _keep_database(home: Path) -> None:
    """Keep the database of a server that has run nothing yet. Where there is no cache, the next run makes its own."""
    kept = _locate_kept()
    part = kept.with_name(f"{kept.name}.{os.getpid()}")
    with suppress(OSError, sqlite3.Error):
        kept.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(home / DATABASE)) as source, closing(sqlite3.connect(part)) as target:
            source.backup(target)
        part.replace(kept)
