"""Who holds a claim: a name for a process that tells others on the same host whether it still lives."""

from __future__ import annotations

import json
import os
import socket
from functools import cache


def name_owner() -> str:
    """A new name for this process: host, pid, when it started, and a random part."""
    return json.dumps([socket.gethostname(), os.getpid(), _started_at(os.getpid()), os.urandom(4).hex()])


def is_alive(owner: str) -> bool:
    """Whether an owner's process may still live. One on another host is taken to live until its claims run out."""
    host, pid, started, _ = json.loads(owner)
    if host != socket.gethostname():
        return True
    return _started_at(pid) == started


def _started_at(pid: int) -> float | None:
    return _own_start(pid) if pid == os.getpid() else _read_start(pid)


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
