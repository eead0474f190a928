"""Runs as Prefect's UI shows them, told to the server in a request each: a run, its stages, a worker's share of one.

Prefect's own engine tells of a task run by three events, which the server keeps with their resources (20 KB); what is
told here of it is a row and two states. Whoever retries a run retries its deployment's, which Prefect's engine began
(`flows.making.make`); its stages inside it, and a terminal's runs, begin here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any
from uuid import uuid4

from counterfoil.flows.process.api import ServerError, ask
from counterfoil.flows.process.quiet import read_setting
from counterfoil.storage.plain import first_line
from counterfoil.tasks.showing.secrets import hide_in_text

BEAT_S = 180
"""How often a run says that it lives, where ``PREFECT_FLOWS_HEARTBEAT_FREQUENCY`` does not say."""


@dataclass
class Run:
    """A flow run."""

    id: str
    name: str
    tags: Sequence[str]
    flow: str = ""
    """Its flow's id; "" of a run that Prefect's own engine began, and ends."""
    cancelled: bool = False
    told: bool = False
    """Whether the server has heard that it was cancelled."""

    def cancel(self) -> None:
        """Tell the server that the run was interrupted; its own clean-up then ends the stages below it."""
        self.cancelled = True
        self.tell_cancelled()

    def tell_cancelled(self) -> None:
        """Tell it where it has not heard yet: a busy server may have missed it the first time."""
        if not self.told:
            with suppress(ServerError):
                _set_state("flow_runs", self.id, "Cancelled", "interrupted in the terminal", retries=0)
                self.told = True

    def begin(self) -> Run:
        """Itself, as it has begun: see `LaterRun`."""
        return self


@dataclass
class LaterRun:
    """A flow run of which the server hears once there is something to show."""

    id: str
    """As logs name the run, and its key on the server, which gives it an id of its own."""
    name: str
    _open: Callable[[], Run]
    _run: Run | None = None
    _cancelled: bool = False
    asked: bool = False
    """Whether the server was asked to begin it; it may have, without an answer."""

    def begin(self) -> Run:
        """The run, begun by the first call.

        Raises:
            counterfoil.flows.process.api.ServerError: the server does not take it.
        """
        if self._run is None:
            self.asked = True
            self._run = self._open()
            if self._cancelled:
                self._run.cancel()
        return self._run

    def cancel(self) -> None:
        """As `Run.cancel`; where it has not begun, once it does."""
        self._cancelled = True
        if self._run is not None:
            self._run.cancel()


@contextmanager
def begin_later(flow: str, name: str, parameters: Mapping[str, Any], tags: Sequence[str]) -> Iterator[LaterRun]:
    """A flow run that begins by `LaterRun.begin`, or where the block fails, which shows; it ends with the block."""
    key = str(uuid4())
    with ExitStack() as stack:
        later = LaterRun(key, name, lambda: stack.enter_context(begin_run(flow, name, parameters, tags, key=key)))
        try:
            yield later
        except BaseException as error:
            if later.asked or isinstance(error, Exception):
                with suppress(ServerError):
                    later.begin()
            raise


@contextmanager
def begin_run(
    flow: str, name: str, parameters: Mapping[str, Any], tags: Sequence[str], parent: Run | None = None, key: str = ""
) -> Iterator[Run]:
    """A flow run from here to the block's end; below ``parent``, whose tags it has too, it is a stage of that.

    ``key`` tells it from all others on the server; left out: a new one.

    Raises:
        counterfoil.flows.process.api.ServerError: the server does not take it.
    """
    flow_id = _register(read_setting("PREFECT_API_URL"), flow)
    body: dict[str, Any] = {"flow_id": flow_id, "name": name, "parameters": dict(parameters)}
    body |= {"state": _describe_state("Running"), "idempotency_key": key or str(uuid4()), "tags": [*tags]}
    if parent is not None:
        body["tags"] = [*parent.tags, *tags]
        body["parent_task_run_id"] = _create_task_run(parent.id, flow, name)
    run = Run(ask("POST", "/flow_runs/", body)["id"], name, body["tags"], flow_id)
    ended = threading.Event()
    threading.Thread(target=_beat, args=(run, flow, ended), daemon=True, name="heartbeat").start()
    try:
        yield run
    except Exception as error:
        if not run.cancelled:
            with suppress(ServerError):
                _set_state("flow_runs", run.id, "Failed", f"{type(error).__name__}: {error}")
        raise
    except BaseException:
        if not run.cancelled:
            with suppress(ServerError):
                _set_state("flow_runs", run.id, "Crashed", "ended from outside", retries=0)
        raise
    else:
        if not run.cancelled:
            _set_state("flow_runs", run.id, "Completed")
    finally:
        ended.set()
        if run.cancelled:
            run.tell_cancelled()


@contextmanager
def begin_task_run(run: Run, key: str, name: str) -> Iterator[list[str]]:
    """A task run of ``run`` from here to the block's end; what the block puts into the list is its state's message.

    Raises:
        counterfoil.flows.process.api.ServerError: the server does not take it.
    """
    task_run = _create_task_run(run.id, key, name)
    said: list[str] = []
    try:
        yield said
    except Exception as error:
        with suppress(ServerError):
            _set_state("task_runs", task_run, "Failed", f"{type(error).__name__}: {first_line(error)}")
        raise
    _set_state("task_runs", task_run, "Completed", ", ".join(said) or None)


@cache
def _register(server: str, flow: str) -> str:  # noqa: ARG001 - another server gives another id
    return str(ask("POST", "/flows/", {"name": flow})["id"])


def _create_task_run(run: str, key: str, name: str) -> str:
    body = {"flow_run_id": run, "task_key": key, "dynamic_key": str(uuid4()), "name": name}
    return str(ask("POST", "/task_runs/", body | {"state": _describe_state("Running")})["id"])


def _set_state(kind: str, run: str, name: str, message: str | None = None, retries: int | None = None) -> None:
    body = {"state": _describe_state(name, message), "force": name == "Cancelled"}
    ask("POST", f"/{kind}/{run}/set_state", body, retries)


def _describe_state(name: str, message: str | None = None) -> dict[str, str | None]:
    return {"type": name.upper(), "name": name, "message": message and hide_in_text(message)}


def _beat(run: Run, flow: str, ended: threading.Event) -> None:
    """Say now and then that the run lives: the automation of `flows.nights.watching` ends one that is silent."""
    resource = {"prefect.resource.id": f"prefect.flow-run.{run.id}", "prefect.resource.name": run.name}
    role = {"prefect.resource.role": "flow", "prefect.resource.name": flow}
    related = [{"prefect.resource.id": f"prefect.flow.{run.flow}", **role}]
    while not ended.wait(float(read_setting("PREFECT_FLOWS_HEARTBEAT_FREQUENCY") or BEAT_S)):
        event = {"event": "prefect.flow-run.heartbeat", "resource": resource, "related": related}
        with suppress(ServerError):
            ask("POST", "/events", [event | {"id": str(uuid4()), "occurred": _now()}])


def _now() -> str:
    return datetime.now(UTC).isoformat()
