"""Who holds a lock or a claim: a process, described so that others on the same host can tell whether it still lives."""

from __future__ import annotations

import json
import os
import socket
import time
from functools import cache
from typing import Any


def describe_process() -> dict[str, Any]:
    """This process, and the time, for people. For locks and commit metadata, never for rows."""
    return {"host": socket.gethostname(), "pid": os.getpid(), "at": time.time()}


def describe_owner() -> dict[str, Any]:
    """`describe_process`, with what tells it from a later process of the same pid."""
    return describe_process() | {"started": _own_start(os.getpid())}


def name_owner() -> str:
    """A new name for this process: `describe_owner` with a random part, as JSON."""
    return json.dumps(describe_owner() | {"token": os.urandom(8).hex()})


def is_alive(name: str | bytes) -> bool:
    """Whether an owner's process may still live. One on another host is taken to live until its lease runs out."""
    owner = json.loads(name)
    if not isinstance(owner, dict):
        return False
    if owner["host"] != socket.gethostname():
        return True
    started = _own_start(owner["pid"]) if owner["pid"] == os.getpid() else _read_start(owner["pid"])
    # A pid is given to another process in time; when that began tells them apart.
    return started is not None and abs(started - owner["started"]) < 1


@cache
def _own_start(pid: int) -> float | None:
    return _read_start(pid)


def _read_start(pid: int) -> float | None:
    import psutil

    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process.create_time()
    except psutil.Error:
        return None
