"""Batch mode: requests of many waiting rows are gathered, handed in together at the provider's batch price, and matched
back by custom id.

A batch is noted in the store before it is handed in and its id before anything waits for it, so ``kill -9`` at any
moment leaves a batch that the next run finds and waits for. Where the confirmation was lost and the provider's batches
bear no name of ours, each that may be it is waited for and read: whatever a result answers that any open batch of ours
asked is kept. A finished batch is never handed in again; what it did not answer (expired, errored) is handed in once
more, and after that asked one by one. What it did answer, by the provider's own count, and what cannot be had (a page
in place of the results, a line cut short, no such file) is paid for: it is downloaded again, now and in later runs.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from counterfoil.tasks.llm.errors import AuthorError, AuthorUnavailable, SendError
from counterfoil.tasks.llm.exchange import Completion, Request
from counterfoil.tasks.llm.limits import draw_backoff
from counterfoil.tasks.llm.providers.base import BatchItem, BatchProvider, BatchState, Candidates, HandedIn
from counterfoil.tasks.llm.sending import BUSY_PATIENCE
from counterfoil.tasks.llm.settings import AuthorSettings
from counterfoil.tasks.llm.store.attempts import End, end_job_attempts, list_refused, name_line
from counterfoil.tasks.llm.store.queue import StoreQueue
from counterfoil.tasks.llm.store.store import ResponseStore
from counterfoil.tasks.llm.store.tables import Asked, BatchJob, Stored

MAX_ITEMS = 10_000
MAX_BYTES = 64_000_000
"""Well under the providers' limits (OpenAI 50,000 and 200 MB, Anthropic 100,000 and 256 MB)."""
SEEK_POLLS = 20
"""For how many polls a batch that the provider does not list is sought before it is taken to have never arrived."""
DOWNLOADS = 10
"""How often a run downloads results of which something is missing, once a poll."""
LONGEST_WAIT_POLLS = 20
"""The longest wait for a full queue, in polls."""

log = logging.getLogger("counterfoil.llm")

Put = Callable[[Any, Asked, Completion, str, float], Stored]
"""Keeps one batch answer: connection, request, completion, its attempt, and what its claim reserves."""
Outcome = SendError | AuthorError | None
"""What someone who waits is told: look into the store again (None), why there is no answer, or that nothing goes on."""


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
        scope: str,
        put: Put,
        all_wait: Callable[[int], bool],
        note_answer: Callable[[], None],
    ) -> None:
        """``all_wait`` tells, given how many requests wait here, whether none can come before one is answered."""
        self._provider, self._store, self._queue = provider, store, queue
        self._settings, self._owner, self._scope = settings, owner, scope
        self._put, self._all_wait, self._note_answer = put, all_wait, note_answer
        self._fresh: dict[str, tuple[Request, Asked]] = {}
        self._last_came = 0.0
        self._waiting: dict[str, _Waiting] = {}
        self._watchers: dict[str, asyncio.Task[None]] = {}
        self._gatherer: asyncio.Task[None] | None = None
        self._sought_since: dict[str, float] = {}
        self._read: set[str] = set()
        """Batches that may have been a lost one, have ended and are read."""
        self._downloads: dict[str, int] = {}
        """Batch to how often its results were downloaded and were not whole."""
        self._most = MAX_ITEMS
        """Requests in a batch: fewer while the provider's queue is full."""
        self._refusals = 0
        self._not_before = 0.0
        self._handing_in = self._draining = False
        self._lost = 0
        """Batches in a row of which no answer told whether they were taken."""

    async def hand_in(self, request: Request, asked: Asked) -> SendError | None:
        """Send ``request`` with the next batch and wait until that has ended.

        Returns None when the store should be looked into again, else why this request has no answer: ``busy`` if it
        was never taken.

        Raises:
            AuthorUnavailable: the provider cannot be used.
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
        self.watch(job)
        return await waiting.future

    def watch(self, job: str) -> None:
        """Follow a job to its end, whether or not someone waits for it: what it answers is paid for."""
        if job not in self._watchers or self._watchers[job].done():
            self._watchers[job] = asyncio.create_task(self._follow(job))

    async def drain(self) -> None:
        """Hand in nothing more, and wait for the word on what is being handed in."""
        self._draining = True
        if self._handing_in and self._gatherer is not None:
            await asyncio.wait([self._gatherer], timeout=self._settings.patience_s)

    def cancel(self) -> None:
        """Stop gathering and polling. Jobs stay open in the store for the next run."""
        for task in [*self._watchers.values(), self._gatherer]:
            if task is not None:
                task.cancel()

    def _wait_for(self, sha256: str, job: str | None) -> _Waiting:
        waiting = _Waiting(asyncio.get_running_loop().create_future(), job)
        self._waiting[sha256] = waiting
        return waiting

    async def _gather(self) -> None:
        """Hand in what has come once everyone waits, or when nothing has come for the quiet period."""
        while self._fresh:
            quiet_s = time.monotonic() - self._last_came
            if not self._all_wait(len(self._waiting)) and quiet_s < self._settings.batch_quiet_s:
                await asyncio.sleep(min(0.1, self._settings.batch_quiet_s - quiet_s))
                continue
            await self._wait_for_room()
            fresh = list(self._fresh.values())
            batches = list(_split(fresh, self._most))
            if self._refusals:
                batches = batches[:1]
            for items in batches:
                for request, _ in items:
                    del self._fresh[request.sha256]
            for items in batches:
                if self._draining:
                    return
                self._handing_in = True
                await self._submit(items)
                self._handing_in = False

    async def _wait_for_room(self) -> None:
        """While the provider's queue is full: wait until a batch has gone through, or for the time that is due."""
        wait_s = self._not_before - time.monotonic()
        busy = [task for task in self._watchers.values() if not task.done()]
        if self._refusals and wait_s > 0:
            waits = [*busy, asyncio.create_task(asyncio.sleep(wait_s))]
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)

    async def _submit(self, items: list[tuple[Request, Asked]]) -> None:
        job = f"counterfoil-{uuid.uuid4().hex}"
        asked = [each for _, each in items]
        for each in asked:
            self._waiting[each.sha256].job = job
        try:
            await self._queue.run(
                lambda connection: self._store.open_job(
                    connection, job, self._owner, self._scope, self._settings.address, asked
                )
            )
            batch_id = await self._send_until_taken(job, [request for request, _ in items])
            if batch_id is not None:
                await self._confirm(job, batch_id)
                log.info("batch %s handed in: %d requests", batch_id, len(items))
        except AuthorError as error:
            await self._queue.run(lambda connection: self._store.end_job(connection, job))
            self._resolve(job, error)
            return
        self.watch(job)

    async def _send_until_taken(self, job: str, requests: list[Request]) -> str | None:
        """The provider's id of the batch, or None if it may have been taken though no answer came."""
        attempt = 0
        while True:
            attempt += 1
            try:
                batch_id = await self._provider.submit_batch(job, requests)
            except SendError as error:
                failure = error
            else:
                self._lost = 0
                return batch_id
            if failure.kind in ("refused", "unavailable"):
                raise AuthorUnavailable(f"the batch was refused: {failure}")
            if failure.kind == "transient":
                self._lost += 1
                if self._lost <= self._settings.retries:
                    return None
            elif self._draining:
                raise AuthorUnavailable(f"the run has ended; the batch was not handed in: {failure}")
            elif attempt <= self._settings.retries * (BUSY_PATIENCE if failure.kind == "busy" else 1):
                await asyncio.sleep(draw_backoff(attempt, failure.retry_after_s))
                continue
            attempts = max(attempt, self._lost)
            raise AuthorUnavailable(f"the batch could not be handed in after {attempts} attempts: {failure}")

    async def _confirm(self, job: str, batch_id: str) -> None:
        await self._queue.run(lambda connection: self._store.confirm_job(connection, job, batch_id))

    async def _follow(self, job: str) -> None:
        """Poll a job until it has ended, keep what it answered, and tell everyone who waits for it."""
        try:
            while not await self._look_after(job):
                await asyncio.sleep(self._settings.batch_poll_s)
        except AuthorError as error:
            self._resolve(job, error)
        except Exception as error:
            # A fault of ours: whoever waits must not wait for ever.
            self._resolve(job, AuthorUnavailable(f"batch {job}: {type(error).__name__}: {error}"))
            raise

    async def _look_after(self, job: str) -> bool:
        """Ask once where ``job`` stands; True when it has ended."""
        record = await self._queue.run(lambda connection: self._store.take_job(connection, job, self._owner))
        if record is None:
            # Another process saw it end: whoever waits here looks into the store again.
            self._resolve(job, None)
            return True
        if record.batch_id is None:
            return record.owner == self._owner and await self._seek(record)
        state = await self._poll(record.batch_id)
        if state is None or not state.ended:
            return False
        if state.missing:
            return await self._keep_what_came(job, record, state)
        if state.failure is not None:
            await self._give_back(job, record, state.failure)
        else:
            self._widen()
            await self._finish(job, state.items)
        return True

    async def _poll(self, batch_id: str) -> BatchState | None:
        """Where a batch stands; None if the provider could not say. A batch that is not found is paid all the same."""
        try:
            return await self._provider.poll_batch(batch_id)
        except SendError as error:
            if error.status == 404:
                return BatchState(ended=True, missing=error.message)
            if error.kind == "unavailable":
                raise AuthorUnavailable(str(error)) from None
            log.warning("batch %s: %s", batch_id, error)
            return None

    async def _keep_what_came(self, job: str, record: BatchJob, state: BatchState) -> bool:
        """Keep what could be had of results that are not whole; True when this run downloads them no more.

        The batch stays open then, so that nothing of it is handed in again and the next run downloads it again.
        """
        batch_id = str(record.batch_id)
        await self._keep(state.items)
        await self._free_failed(job, state.items)
        left = await self._queue.run(lambda connection: self._store.count_unanswered(connection, job))
        if not left:
            await self._finish(job, ())
            return True
        said = f"batch {batch_id} has ended and is paid for, but {state.missing}"
        if self._count_download(batch_id) < DOWNLOADS:
            log.warning("%s: it is downloaded again", said)
            return False
        said = f"{said}, after {DOWNLOADS} downloads: {left} answers are missing. Nothing is handed in again: run again"
        log.warning("%s", said)
        await self._queue.run(lambda connection: end_job_attempts(connection, job, "unread"))
        some = left < record.requests
        self._resolve(job, SendError("refused", said, alone=True) if some else AuthorUnavailable(said))
        return True

    def _count_download(self, batch_id: str) -> int:
        self._downloads[batch_id] = self._downloads.get(batch_id, 0) + 1
        return self._downloads[batch_id]

    async def _free_failed(self, job: str, items: Iterable[BatchItem]) -> None:
        """Free those requests of a batch that have an error of their own: they are not charged."""
        errors = {item.sha256: item.error for item in items if item.error is not None}
        ends: dict[str, End] = {sha256: _name_end(error) for sha256, error in errors.items()}
        await self._queue.run(lambda connection: self._store.free_lines(connection, job, ends))
        for sha256, error in errors.items():
            self._tell(sha256, error)

    async def _seek(self, record: BatchJob) -> bool:
        """Look for a batch whose confirmation was lost; True when all of it is answered, or it never arrived."""
        since = self._sought_since.setdefault(record.job, time.monotonic())
        found = await self._find(record)
        if found is None:
            return False
        if found.certain:
            await self._confirm(record.job, found.ids[0])
            return await self._look_after(record.job)
        pending = False
        for batch_id in found.ids:
            if batch_id in self._read:
                continue
            state = await self._poll(batch_id)
            if state is None or not state.ended:
                pending = True
                continue
            if record.job in await self._keep(state.items):
                await self._confirm(record.job, batch_id)
                return await self._look_after(record.job)
            if not state.missing:
                self._read.add(batch_id)
            elif self._count_download(batch_id) < DOWNLOADS:
                pending = True
            else:
                said = (
                    f"batch {batch_id} may be one of ours whose confirmation was lost, but {state.missing}: run again"
                )
                raise AuthorUnavailable(said)
        if not await self._queue.run(lambda connection: self._store.count_unanswered(connection, record.job)):
            await self._finish(record.job, ())
            return True
        if pending or time.monotonic() < since + SEEK_POLLS * self._settings.batch_poll_s:
            return False
        await self._end(record.job, SendError("busy", "the batch never arrived"))
        return True

    async def _find(self, record: BatchJob) -> Candidates | None:
        known = await self._queue.run(self._store.list_batch_ids)
        try:
            return await self._provider.find_batches(HandedIn(record.job, record.requests, record.made_at, known))
        except SendError as error:
            if error.kind == "unavailable":
                raise AuthorUnavailable(str(error)) from None
            log.warning("the list of batches cannot be read: %s", error)
            return None

    async def _give_back(self, job: str, record: BatchJob, failure: SendError) -> None:
        """Free the requests of a batch that was refused as a whole: for later if the queue was full, else for good."""
        if failure.kind != "busy":
            await self._end(job, AuthorUnavailable(f"the batch was refused: {failure}"))
            return
        alone = all(task.done() for name, task in self._watchers.items() if name != job)
        self._most = max(1, min(self._most, record.requests) // 2) if alone else self._most
        polls = min(LONGEST_WAIT_POLLS, 2**self._refusals)
        self._refusals += 1
        self._not_before = time.monotonic() + polls * self._settings.batch_poll_s
        log.warning("the provider's queue of batches is full, %d requests wait: %s", record.requests, failure)
        await self._end(job, SendError("busy", str(failure)))

    def _widen(self) -> None:
        """A batch went through: allow larger ones again."""
        self._most = min(MAX_ITEMS, self._most * 2)
        self._refusals = 0 if self._most == MAX_ITEMS else min(1, self._refusals)

    async def _keep(self, items: Iterable[BatchItem]) -> set[str]:
        """Store every answer to a request of any open batch, each in a transaction of its own, and tell those who wait
        for it; gives the batches that asked."""
        answers = {item.sha256: item.completion for item in items if item.completion is not None}
        claimed = await self._queue.run(lambda connection: self._store.list_claimed(connection, list(answers)))
        kept = [self._keep_one(answers[sha256], *each) for sha256, each in claimed.items()]
        await asyncio.gather(*kept)
        for sha256 in answers:
            self._tell(sha256, None)
        return {job for _, job, _ in claimed.values()}

    async def _keep_one(self, completion: Completion, asked: Asked, job: str, reserved_usd: float) -> None:
        attempt = name_line(job, asked.sha256)
        await self._queue.run(lambda connection: self._put(connection, asked, completion, attempt, reserved_usd))
        if completion.finish != "unreadable":
            self._note_answer()

    async def _finish(self, job: str, items: tuple[BatchItem, ...]) -> None:
        """Keep the answers of a batch that has ended and free what it left unanswered."""
        await self._keep(items)
        answered = any(item.completion is not None for item in items)
        errors = {item.sha256: item.error for item in items if item.error is not None}
        hopeless = next((error for error in errors.values() if error.kind == "unavailable"), None)
        if hopeless is not None:
            await self._end(job, AuthorUnavailable(str(hopeless)))
            return
        refused = {sha256: error for sha256, error in errors.items() if error.kind == "refused"}
        known = await self._queue.run(lambda connection: list_refused(connection, refused, self._owner))
        for sha256, error in refused.items():
            error.alone = answered or sha256 in known
        ends: dict[str, End] = dict.fromkeys(refused, "refused")
        await self._queue.run(lambda connection: self._store.free_lines(connection, job, ends))
        missing = SendError("transient", "the batch ended without an answer to this request")
        await self._end(job, missing, errors)

    async def _end(self, job: str, outcome: Outcome, errors: Mapping[str, SendError] | None = None) -> None:
        await self._queue.run(lambda connection: self._store.end_job(connection, job))
        self._resolve(job, outcome, errors)

    def _resolve(self, job: str, outcome: Outcome, errors: Mapping[str, SendError] | None = None) -> None:
        """Tell everyone who waits for ``job``: their own error, or the ``outcome`` of all."""
        for sha256, waiting in list(self._waiting.items()):
            if waiting.job == job:
                self._tell(sha256, (errors or {}).get(sha256, outcome))

    def _tell(self, sha256: str, outcome: Outcome) -> None:
        waiting = self._waiting.pop(sha256, None)
        if waiting is None or waiting.future.done():
            return
        if isinstance(outcome, SendError) and outcome.kind == "unavailable":
            outcome = AuthorUnavailable(str(outcome))
        if isinstance(outcome, AuthorError):
            waiting.future.set_exception(outcome)
        else:
            waiting.future.set_result(outcome)


def _name_end(error: SendError) -> End:
    """How an attempt in a batch ended that came to ``error``."""
    return "refused" if error.kind == "refused" else "free"


def _split(fresh: list[tuple[Request, Asked]], most: int) -> Iterator[list[tuple[Request, Asked]]]:
    """Batches of at most ``most`` requests within the size limit, in the order of coming."""
    batch: list[tuple[Request, Asked]] = []
    size = 0
    for request, asked in fresh:
        bulk = len(request.text) + sum(len(image) * 4 // 3 for image in request.images)
        if batch and (len(batch) == most or size + bulk > MAX_BYTES):
            yield batch
            batch, size = [], 0
        batch.append((request, asked))
        size += bulk
    if batch:
        yield batch
