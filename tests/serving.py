"""Services on loopback that tests and benchmarks share: each in a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.patience import PATIENCE_S

# S3 alone: moto's own server finds out for each request which of 200 services is meant, by looking at as many folders.
_SERVE_S3 = (
    "import sys; from threading import Thread; from werkzeug.serving import make_server;"
    "from moto.moto_server.werkzeug_app import MotoRequestHandler, create_backend_app;"
    "app = create_backend_app('s3');"
    "server = make_server('127.0.0.1', int(sys.argv[1]), app, threaded=True, request_handler=MotoRequestHandler);"
    "Thread(target=server.serve_forever, daemon=True).start();"
    "print('ready', flush=True); sys.stdin.read()"
)


def find_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def run_s3(bucket: str | None = None, log: Path | None = None) -> Iterator[dict[str, str]]:
    """An S3 server (moto), with an empty bucket where one is named; the variables that lead to it.

    In a process of its own, as delta-rs holds the interpreter's lock while it waits for an answer. ``log`` gets a line
    for each request.
    """
    import s3fs

    port = find_port()
    with (
        (log or Path("/dev/null")).open("wb") as said,
        subprocess.Popen(
            [sys.executable, "-c", _SERVE_S3, str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said
        ) as server,
    ):
        assert server.stdout is not None
        try:
            # Flask greets on the same stream, before or after.
            for line in server.stdout:
                if line.strip() == b"ready":
                    break
            given = {
                "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
                "AWS_ACCESS_KEY_ID": "testing",
                "AWS_SECRET_ACCESS_KEY": "testing",
                "AWS_REGION": "us-east-1",
                "AWS_DEFAULT_REGION": "us-east-1",
            }
            if bucket is not None:
                options = {"key": "testing", "secret": "testing", "endpoint_url": given["AWS_ENDPOINT_URL"]}
                s3fs.S3FileSystem(**options).mkdir(bucket)
            yield given
        finally:
            server.kill()


@contextmanager
def run_prefect_server(home: Path, settings: dict[str, str]) -> Iterator[dict[str, str]]:
    """Run a server with its home there; the environment that points at it."""
    port = find_port()
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
        server.wait(timeout=PATIENCE_S)


def _wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"the Prefect server ended: {log.read_text()[-2000:]}")
        try:
            with urllib.request.urlopen(url, timeout=60):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("the Prefect server did not answer in time")
