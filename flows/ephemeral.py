"""Prefect's own ephemeral server for a run that names no other, and no longer than that run."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from flows.quiet import has_server

GUARD = 'read -r _; kill "$0"'
"""Waits until the pipe from this process is closed, as it is however this process ends; then ends the server."""


@contextmanager
def ephemeral_server() -> Iterator[None]:
    """Run the block on Prefect's ephemeral server, unless one is configured. Call `configure_prefect` before.

    Prefect stops its server when Python exits in good order; one that outlives a killed run would stay for ever.
    Nobody watches an ephemeral server's heartbeats, and each flow that ends would wait up to a second for them.
    """
    if has_server():
        yield
        return
    from prefect.server.api.server import SubprocessASGIServer
    from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

    server = SubprocessASGIServer()
    server.start()
    assert server.server_process is not None
    guard = subprocess.Popen(
        ["/bin/sh", "-c", GUARD, str(server.server_process.pid)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        with temporary_settings(updates={PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
            yield
    finally:
        server.stop()
        guard.kill()
        guard.communicate()
