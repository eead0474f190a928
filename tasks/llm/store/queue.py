"""The response store behind an event loop: one thread, and one transaction for all that waits.

Grouping costs one commit for as many answers as came in while the last one was being made, and still nobody goes on
before his own write is committed. Where one of a group fails each is done in a transaction of its own, so that no
answer is lost with another.
"""

from __future__ import annotations

import asyncio
import queue
import random
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy.exc import OperationalError

from counterfoil.tasks.llm.errors import AuthorUnavailable
from counterfoil.tasks.llm.store.store import ResponseStore

GROUP = 256
ATTEMPTS = 5

T = TypeVar("T")
Work = Callable[[Any], Any]


class StoreQueue:
    """Runs work on the store in its own thread. Close it to end the thread; what is queued is done first."""

    def __init__(self, store: ResponseStore) -> None:
        self._store = store
        self._queue: queue.SimpleQueue[tuple[Work, asyncio.Future[Any], asyncio.AbstractEventLoop] | None] = (
            queue.SimpleQueue()
        )
        self._thread = threading.Thread(target=self._serve, daemon=True, name="llm-store")
        self._thread.start()

    async def run(self, work: Callable[[Any], T]) -> T:
        """Do ``work(connection)`` in a transaction and return its result once that is committed.

        Raises:
            AuthorUnavailable: the database failed.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._queue.put((work, future, loop))
        return await future

    def close(self) -> None:
        """Finish what is queued and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _serve(self) -> None:
        while True:
            item = self._queue.get()
            group = []
            while item is not None:
                group.append(item)
                if len(group) == GROUP or self._queue.empty():
                    break
                item = self._queue.get()
            if group:
                self._commit(group)
            if item is None:
                return

    def _commit(self, group: list[tuple[Work, asyncio.Future[Any], asyncio.AbstractEventLoop]]) -> None:
        try:
            results = self._do([work for work, _, _ in group])
        except Exception as error:  # noqa: BLE001 - handed to whoever's work it was
            if len(group) > 1:
                for each in group:
                    self._commit([each])
                return
            ((_, future, loop),) = group
            said = (str(getattr(error, "orig", None) or error).splitlines() or [type(error).__name__])[0]
            failure = AuthorUnavailable(f"response store {self._store.place}: {said}")
            loop.call_soon_threadsafe(_resolve, future, failure, None)
            return
        for (_, future, loop), result in zip(group, results, strict=True):
            loop.call_soon_threadsafe(_resolve, future, None, result)

    def _do(self, works: list[Work]) -> list[Any]:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self._store.begin() as connection:
                    return [work(connection) for work in works]
            except OperationalError:
                # Two processes' groups may touch the same rows in another order: Postgres ends one of them.
                if attempt == ATTEMPTS:
                    raise
                time.sleep(random.uniform(0.01, 0.1) * attempt)
        raise AssertionError("unreachable")


def _resolve(future: asyncio.Future[Any], failure: Exception | None, result: Any) -> None:
    if future.done():
        return
    if failure is not None:
        future.set_exception(failure)
    else:
        future.set_result(result)
