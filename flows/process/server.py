"""The Prefect server of a run: the one that is configured, or one of the run's own that ends with it.

The run's own server listens on the loopback interface alone, and answers nobody who does not bring the secret that it
was started with, and no page of another origin. It has a session of its own, so that a terminal's Ctrl-C does not reach
it before the run; a home of its own, so that no other run locks its database and none is needed in $HOME; and a shell
above it that ends it when this process ends, however that happens.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from threading import Event, Thread

from counterfoil.flows.process.api import ServerError, check_server, lose_server
from counterfoil.flows.process.quiet import OWN_SERVER, has_server, silence_client

START_S = 120.0
END_S = 5.0
"""How long the server has to end by itself."""
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


@contextmanager
def open_server() -> Iterator[None]:
    """Run the block on the configured Prefect server, or on one of its own.

    Raises:
        ServerError: the configured server does not answer, or the own one does not start.
    """
    if has_server():
        silence_client()
        check_server()
        with _explain_loss():
            yield
        return
    home = Path(tempfile.mkdtemp(prefix="counterfoil-prefect-"))
    try:
        port = _find_port()
        url = f"http://127.0.0.1:{port}/api"
        secret = f"counterfoil:{secrets.token_urlsafe(24)}"
        given = {"PREFECT_HOME": str(home), "PREFECT_API_URL": url, "PREFECT_API_AUTH_STRING": secret}
        with _environment(OWN_SERVER | given), _run_server(home, port, url, secret):
            from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

            # Nobody watches this server's heartbeats, and each flow that ends would wait up to a second for them.
            with temporary_settings(updates={PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}), _explain_loss():
                yield
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def _explain_loss() -> Iterator[None]:
    """Turn a server that went away during a run of Prefect's own flows into one line."""
    try:
        yield
    except Exception as error:
        if "prefect" not in sys.modules:
            raise
        import httpx
        from prefect.exceptions import PrefectException

        if not isinstance(error, httpx.HTTPError | PrefectException):
            raise
        raise lose_server(error) from error


@contextmanager
def _run_server(home: Path, port: int, url: str, secret: str) -> Iterator[None]:
    """Start a server with its database in ``home``, which answers at ``url`` those who know ``secret``."""
    known = _copy_database(home)
    command = [sys.executable, "-m", "uvicorn", "--factory", "prefect.server.api.server:create_app"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--log-level", "error", "--lifespan", "on"]
    own = {
        "PREFECT_HOME": str(home),
        "PREFECT__SERVER_FINAL": "1",
        "PREFECT_SERVER_API_AUTH_STRING": secret,
        # Its own origin, at which it serves no page; by itself Prefect's server lets every page read its answers.
        "PREFECT_SERVER_CORS_ALLOWED_ORIGINS": f"http://127.0.0.1:{port}",
    }
    environment = os.environ | OWN_SERVER | own
    for name in ("PREFECT_API_DATABASE_CONNECTION_URL", "PREFECT_API_URL"):
        environment.pop(name, None)
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
    ending = Event()
    try:
        # The client takes nearly as long to import as the server to start; in the main thread signals are heard.
        importing = Thread(target=_import_client, args=(ending,), daemon=True)
        importing.start()
        _await_server(url, guard, log)
        importing.join()
        if not known:
            _keep_database(home)
        yield
    finally:
        ending.set()
        assert guard.stdin is not None
        guard.stdin.close()
        if not _await_end(guard.pid):
            os.killpg(guard.pid, 9)
            _await_end(guard.pid)
        guard.poll()


def _import_client(ending: Event) -> None:
    """Import Prefect's client; where the run is ending meanwhile and takes its home away, what that says is no news."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import_module("prefect.flows")
        except Exception:
            if not ending.is_set():
                raise


def _await_server(url: str, guard: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if _has_ended(guard.pid):
            lines = log.read_text(errors="replace").strip().splitlines() or ["no word, as on a full disk"]
            raise ServerError(
                f"Prefect's own server in {log.parent} ended as it started ({lines[-1].strip()}): "
                "make room there, or set TMPDIR to another folder"
            )
        with suppress(OSError), urllib.request.urlopen(f"{url}/health", timeout=5) as answer:
            if answer.status == 200:
                return
        time.sleep(0.05)
    raise ServerError(f"Prefect's own server did not answer within {START_S:.0f} s")


def _await_end(pid: int) -> bool:
    """Wait until a child has ended, for a few seconds; whether it has."""
    deadline = time.monotonic() + END_S
    while not (ended := _has_ended(pid)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return ended


def _has_ended(pid: int) -> bool:
    """Whether a child has ended.

    `Popen.poll` takes a lock, and where a signal's handler raises just after it the lock is never given back: beside a
    busy thread 4 of 100 signals that met a loop of polls did that. Who waits for the process then waits for ever.
    """
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


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
