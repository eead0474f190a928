"""Whether a command runs by Prefect: where a server is configured, or where it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from counterfoil.flows.process.quiet import has_server

ByPrefect = Annotated[
    bool,
    typer.Option("--prefect", help="Run it as Prefect flows, on a server of its own where none is configured."),
]


@contextmanager
def choose_server(wanted: bool) -> Iterator[bool]:
    """Whether the block runs Prefect's flows: where a server is configured, or ``wanted``, for one of its own.

    Raises:
        flows.process.server.ServerError: the configured server does not answer, or the own one does not start.
    """
    if not wanted and not has_server():
        yield False
        return
    from counterfoil.flows.process.server import open_server

    with open_server():
        yield True
