"""One publish at a time on a dataset.

Locally the lock is a ``flock``: it ends with the process that holds it, even one that is killed. On an object store
it is an object made by a conditional PUT, with a lease: one that its owner did not remove (a killed pod) is taken over
when the lease has run out. An owner that comes back after that meets Delta's version check and gets a
`ConflictError`, so the lease need not be exact.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

from storage.errors import ConflictError
from storage.owners import describe_owner, is_alive, name_owner
from storage.store import Store, explain_os_error

LOCK_PATH = "work/publish.lock"
LEASE_S = 900.0
WAIT_S = 60.0
_POLL_S = 0.05


@contextlib.contextmanager
def hold_publish_lock(store: Store, wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold the dataset's publish lock, waiting up to ``wait_s`` seconds for it.

    Raises:
        ConflictError: another run holds it all that time; the message names it.
    """
    with _hold_flock(store, store.folder, wait_s) if store.folder is not None else _hold_object(store, wait_s):
        yield


@contextlib.contextmanager
def _hold_flock(store: Store, folder: Path, wait_s: float) -> Iterator[None]:
    path = folder / LOCK_PATH
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise explain_os_error(error, "opening", str(path)) from error
    try:
        deadline = time.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise _conflict(store, os.pread(descriptor, 4096, 0)) from None
                time.sleep(_POLL_S)
        with contextlib.suppress(OSError):  # The owner's name is a courtesy; a full disk must not stop the lock.
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(describe_owner()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _hold_object(store: Store, wait_s: float) -> Iterator[None]:
    content = name_owner().encode()
    deadline = time.monotonic() + wait_s
    while not store.create(LOCK_PATH, content):
        try:
            held = store.read(LOCK_PATH)
        except FileNotFoundError:
            continue
        if _is_dead(held):
            store.remove(LOCK_PATH)
        elif time.monotonic() >= deadline:
            raise _conflict(store, held)
        else:
            time.sleep(_POLL_S)
    try:
        yield
    finally:
        with contextlib.suppress(FileNotFoundError):
            if store.read(LOCK_PATH) == content:
                store.remove(LOCK_PATH)


def _is_dead(held: bytes) -> bool:
    """Whether a lock object's owner is a process of this host that is gone, or its lease has run out."""
    return time.time() - json.loads(held)["at"] > LEASE_S or not is_alive(held)


def _conflict(store: Store, held: bytes) -> ConflictError:
    try:
        owner = json.loads(held)
        who = f"process {owner['pid']} on {owner['host']}, since {time.strftime('%F %T', time.gmtime(owner['at']))} UTC"
    except (ValueError, KeyError):
        who = "another process"
    return ConflictError(
        f"{store.url} is being published to by {who}. Nothing of this run is visible, and what it made is kept: "
        "run it again when the other is done"
    )
