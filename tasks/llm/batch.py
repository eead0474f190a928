"""Batch mode: requests of many waiting rows are gathered, handed in together at the provider's batch price, and matched
back by custom id.

A batch is noted in the store before it is handed in and its id before anything waits for it, so ``kill -9`` at any
moment leaves a batch that the next run finds and waits for. A finished batch is never handed in again; what it did not
answer (expired, errored) is handed in once more, and after that asked one by one.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tasks.llm.errors import AuthorError, AuthorUnavailable, SendError
from tasks.llm.exchange import Completion, Request
from tasks.llm.limits import draw_backoff
from tasks.llm.providers.base import BatchItem, BatchProvider, HandedIn
from tasks.llm.settings import AuthorSettings
from tasks.llm.store.queue import StoreQueue
from tasks.llm.store.store import ResponseStore
from tasks.llm.store.tables import Asked, Stored

MAX_ITEMS = 10_000
MAX_BYTES = 64_000_000
"""Well under the providers' limits (OpenAI 50,000 and 200 MB, Anthropic 100,000 and 256 MB)."""

log = logging.getLogger("counterfoil.llm")

Put = Callable[[Any, Asked, Completion, float], Stored]
"""Keeps one batch answer: connection, request, completion, reserved USD."""


@dataclass
class _Waiting:
    """A request that someone waits for, and the job that holds it (None while it waits to be handed in)."""

    future: asyncio.Future[SendError | None]
    job: str | None = None


class BatchDesk:
    """Takes requests whose claim this process holds, and waits for the jobs that hold them."""

    def __init__(
        self,
        provider: BatchProvider,
        store: ResponseStore,
        queue: StoreQueue,
        settings: AuthorSettings,
        owner: str,
        seats: int,
        put: Put,
    ) -> None:
        self._provider, self._store, self._queue = provider, store, queue
        self._settings, self._owner, self._seats, self._put = settings, owner, seats, put
        self._fresh: dict[str, tuple[Request, Asked]] = {}
        self._last_came = 0.0
        self._waiting: dict[str, _Waiting] = {}
        self._watchers: dict[str, asyncio.Task[None]] = {}
        self._gatherer: asyncio.Task[None] | None = None

    async def hand_in(self, request: Request, asked: Asked) -> SendError | None:
        """Send ``request`` with the next batch and wait until that has ended.

        Returns None when the store should be looked into again, else why this request has no answer.

        Raises:
            AuthorUnavailable: the provider refused the batch as a whole.
        """
        waiting = self._wait_for(request.sha256, None)
        self._fresh[request.sha256] = (request, asked)
        self._last_came = time.monotonic()
        if self._gatherer is None or self._gatherer.done():
            self._gatherer = asyncio.create_task(self._gather())
        return await waiting.future

    async def join(self, sha256: str, job: str) -> SendError | None:
        """Wait for a job that holds ``sha256`` already, handed in before or by another process."""
        waiting = self._wait_for(sha256, job)
        self._watch(job)
        return await waiting.future

    def cancel(self) -> None:
        """Stop gathering and polling. Jobs stay open in the store for the next run."""
        for task in [*self._watchers.values(), self._gatherer]:
            if task is not None:
                task.cancel()

    def _wait_for(self, sha256: str, job: str | None) -> _Waiting:
        waiting = _Waiting(asyncio.get_running_loop().create_future(), job)
        self._waiting[sha256] = waiting
        return waiting

    def _watch(self, job: str) -> None:
        if job not in self._watchers or self._watchers[job].done():
            self._watchers[job] = asyncio.create_task(self._follow(job))

    # ------------------------------------------------------------------------------------------- handing in

    async def _gather(self) -> None:
        """Hand in what has come once every seat waits, or when nothing has come for the quiet period."""
        while self._fresh:
            quiet_s = time.monotonic() - self._last_came
            if len(self._waiting) < self._seats and quiet_s < self._settings.batch_quiet_s:
                await asyncio.sleep(min(0.1, self._settings.batch_quiet_s - quiet_s))
                continue
            fresh, self._fresh = list(self._fresh.values()), {}
            for items in _split(fresh):
                await self._submit(items)

    async def _submit(self, items: list[tuple[Request, Asked]]) -> None:
        job = f"counterfoil-{uuid.uuid4().hex}"
        asked = [each for _, each in items]
        for each in asked:
            self._waiting[each.sha256].job = job
        try:
            await self._queue.run(
                lambda connection: self._store.open_job(connection, job, self._owner, self._settings.address, asked)
            )
            batch_id = await self._send_until_taken(job, [request for request, _ in items])
            await self._queue.run(lambda connection: self._store.confirm_job(connection, job, batch_id))
        except AuthorError as error:
            await self._queue.run(lambda connection: self._store.end_job(connection, job))
            self._resolve(job, error)
            return
        log.info("batch %s handed in: %d requests", batch_id, len(items))
        self._watch(job)

    async def _send_until_taken(self, job: str, requests: list[Request]) -> str:
        made_at, attempt = time.time(), 0
        while True:
            attempt += 1
            try:
                return await self._provider.submit_batch(job, requests)
            except SendError as error:
                if error.kind in ("refused", "unavailable"):
                    raise AuthorUnavailable(f"the batch was refused: {error}") from None
                failure = error
            await asyncio.sleep(draw_backoff(attempt, failure.retry_after_s))
            # The answer was lost; the batch may have arrived all the same.
            found = await self._find(job, len(requests), made_at)
            if found is not None:
                return found
            if attempt > self._settings.retries:
                raise AuthorUnavailable(f"the batch could not be handed in after {attempt} attempts: {failure}")

    async def _find(self, job: str, requests: int, made_at: float) -> str | None:
        known = await self._queue.run(self._store.list_batch_ids)
        try:
            return await self._provider.find_batch(HandedIn(job, requests, made_at, known))
        except SendError as error:
            if error.kind == "unavailable":
                raise AuthorUnavailable(str(error)) from None
            log.warning("the list of batches cannot be read: %s", error)
            return None

    # ------------------------------------------------------------------------------------------- following

    async def _follow(self, job: str) -> None:
        """Poll a job until it has ended, keep what it answered, and tell everyone who waits for it."""
        try:
            while not await self._look_after(job):
                await asyncio.sleep(self._settings.batch_poll_s)
        except AuthorError as error:
            self._resolve(job, error)

    async def _look_after(self, job: str) -> bool:
        """Ask once where ``job`` stands; True when it has ended."""
        record = await self._queue.run(lambda connection: self._store.take_job(connection, job, self._owner))
        if record is None:
            # Another process saw it end: whoever waits here looks into the store again.
            self._resolve(job, None)
            return True
        batch_id = record.batch_id
        if batch_id is None:
            if record.owner != self._owner:
                return False
            batch_id = await self._find(job, record.requests, record.made_at)
            if batch_id is None:
                await self._keep(job, ())
                return True
            confirmed = batch_id
            await self._queue.run(lambda connection: self._store.confirm_job(connection, job, confirmed))
        try:
            state = await self._provider.poll_batch(batch_id)
        except SendError as error:
            if error.status == 404:
                log.warning("batch %s is gone; its requests are asked again", batch_id)
                await self._keep(job, ())
                return True
            if error.kind == "unavailable":
                raise AuthorUnavailable(str(error)) from None
            log.warning("batch %s: %s", batch_id, error)
            return False
        if state.failure:
            await self._queue.run(lambda connection: self._store.end_job(connection, job))
            raise AuthorUnavailable(f"the batch was refused: {state.failure}")
        if state.ended:
            await self._keep(job, state.items)
        return state.ended

    async def _keep(self, job: str, items: tuple[BatchItem, ...]) -> None:
        """Store the answers of an ended batch and free the rest, in one transaction; then tell those who wait."""
        by_sha = {item.sha256: item for item in items}

        def work(connection: Any) -> None:
            for sha256, (asked, reserved_usd) in self._store.list_items(connection, job).items():
                item = by_sha.get(sha256)
                if item is not None and item.completion is not None:
                    self._put(connection, asked, item.completion, reserved_usd)
            self._store.end_job(connection, job)

        await self._queue.run(work)
        missing = SendError("transient", "the batch ended without an answer to this request")
        for sha256, waiting in list(self._waiting.items()):
            if waiting.job == job:
                item = by_sha.get(sha256)
                answered = item is not None and item.completion is not None
                self._tell(sha256, None if answered else ((item.error if item else None) or missing))

    def _resolve(self, job: str, outcome: AuthorError | None) -> None:
        for sha256, waiting in list(self._waiting.items()):
            if waiting.job == job:
                self._tell(sha256, outcome)

    def _tell(self, sha256: str, outcome: SendError | AuthorError | None) -> None:
        future = self._waiting.pop(sha256).future
        if future.done():
            return
        if isinstance(outcome, AuthorError):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)


def _split(fresh: list[tuple[Request, Asked]]) -> Iterator[list[tuple[Request, Asked]]]:
    """Batches within the size limits, in the order of coming."""
    batch: list[tuple[Request, Asked]] = []
    size = 0
    for request, asked in fresh:
        bulk = len(request.text) + sum(len(image) * 4 // 3 for image in request.images)
        if batch and (len(batch) == MAX_ITEMS or size + bulk > MAX_BYTES):
            yield batch
            batch, size = [], 0
        batch.append((request, asked))
        size += bulk
    if batch:
        yield batch
