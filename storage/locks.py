"""One publish at a time on a dataset.

Locally the lock is a ``flock``: it ends with the process that holds it, even one that is killed. On an object store
it is an object made by a conditional PUT, with a lease of half a minute that its holder renews for as long as it
publishes. One whose lease ran out (a killed pod) is taken over by a conditional PUT on what was there, so of several
that wait one gets it.

The lease keeps publishers apart; it is not what makes them safe. A holder that was stopped for longer than its lease
and comes back is fenced off by the tables' logs: see `counterfoil.storage.publish.check_fence`.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterfoil.storage.errors import ConflictError
from counterfoil.storage.owners import describe_process, is_alive, name_owner
from counterfoil.storage.store import Store, explain_os_error

log = logging.getLogger("counterfoil.storage")

LOCK_PATH = "work/publish.lock"
LEASE_S = 30.0
BEAT_S = 5.0
WAIT_S = 60.0
SKEW_S = 300.0
"""A lock that was last renewed so long ago by the clocks is dead, however wrong the clocks of two hosts are."""
_POLL_S = 0.05
_POLL_OBJECT_S = 0.5


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
            os.pwrite(descriptor, json.dumps(describe_process()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


@dataclass
class _Lease:
    """The lock object as its holder last wrote it."""

    store: Store
    owner: dict[str, Any]
    content: bytes
    tag: str | None = None
    ended: threading.Event = field(default_factory=threading.Event)

    def keep(self) -> None:
        """Renew the lease until it is ended or another has taken it."""
        while not self.ended.wait(BEAT_S):
            content = json.dumps(self.owner | {"at": time.time()}).encode()
            try:
                self.store.exchange(LOCK_PATH, self.content, self.tag, content)
                if not self.recall():
                    return
            except OSError as error:  # The store is away for a moment; the next beat may reach it.
                log.warning("%s: the publish lock was not renewed: %s", self.store.url, error)

    def recall(self) -> bool:
        """Read back what the lock holds; whether it is this lease still."""
        try:
            self.tag = self.store.tag(LOCK_PATH)
            self.content = self.store.read(LOCK_PATH)
        except FileNotFoundError:
            return False
        return bool(json.loads(self.content).get("token") == self.owner["token"])

    def release(self) -> None:
        """Remove the lock, unless another has taken it."""
        if self.recall():
            self.store.remove(LOCK_PATH)


@contextlib.contextmanager
def _hold_object(store: Store, wait_s: float) -> Iterator[None]:
    lease = _take_lease(store, wait_s)
    renewing = threading.Thread(target=lease.keep, name="publish-lock", daemon=True)
    renewing.start()
    try:
        yield
    finally:
        lease.ended.set()
        renewing.join()
        lease.release()


def _take_lease(store: Store, wait_s: float) -> _Lease:
    owner = json.loads(name_owner())
    lease = _Lease(store, owner, json.dumps(owner).encode())
    deadline = time.monotonic() + wait_s
    seen, since = b"", time.monotonic()
    while not store.create(LOCK_PATH, lease.content):
        try:
            tag = store.tag(LOCK_PATH)
            held = store.read(LOCK_PATH)
        except FileNotFoundError:
            continue
        if held != seen:
            seen, since = held, time.monotonic()
        if _is_dead(held, time.monotonic() - since):
            if store.exchange(LOCK_PATH, held, tag, lease.content):
                break
        elif time.monotonic() >= deadline:
            raise _conflict(store, held)
        else:
            time.sleep(_POLL_OBJECT_S)
    lease.recall()
    return lease


def _is_dead(held: bytes, unchanged_s: float) -> bool:
    """Whether a lock's owner is a process of this host that is gone, or did not renew it for as long as it should.

    The wait is measured by this host's own clock, so the clocks of two hosts need not agree.
    """
    if not is_alive(held):
        return True
    return unchanged_s > LEASE_S or time.time() - json.loads(held)["at"] > LEASE_S + SKEW_S


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
