"""Obtains answers to requests: from the response store, or by asking the provider within limits and budget.

It lives in one event loop: the author's own, or that of a process apart (`counterfoil.tasks.llm.courier`).
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable
from dataclasses import replace
from typing import Any, Protocol

from counterfoil.storage.owners import name_owner
from counterfoil.tasks.llm.account import Account, describe_budget
from counterfoil.tasks.llm.batch import BatchDesk
from counterfoil.tasks.llm.errors import AuthorError, AuthorUnavailable, BudgetExceeded, SendError
from counterfoil.tasks.llm.exchange import Completion, Request
from counterfoil.tasks.llm.masking import list_secrets, mask_secrets
from counterfoil.tasks.llm.models import bound_picture
from counterfoil.tasks.llm.price import Price
from counterfoil.tasks.llm.prices import find_price
from counterfoil.tasks.llm.providers.base import Provider
from counterfoil.tasks.llm.providers.open import open_provider
from counterfoil.tasks.llm.sending import Sender
from counterfoil.tasks.llm.settings import AuthorSettings
from counterfoil.tasks.llm.store.queue import StoreQueue
from counterfoil.tasks.llm.store.store import ResponseStore
from counterfoil.tasks.llm.store.tables import Asked, Budget, Stored
from counterfoil.tasks.llm.store.yields import list_yields, note_made
from counterfoil.tasks.llm.yields import ENOUGH, Made, tell_too_dear

RENEW_S = 10.0
FLUSH_S = 1.0
BATCH_TRIES = 2
TURN_TOKENS = 32
"""More than a chat template adds around a turn."""


class Line(Protocol):
    """The way from an author to its answers."""

    async def open(self) -> None:
        """Make ready.

        Raises:
            AuthorUnavailable: no key, no engine, no store, or ``budget_usd`` with a model of unknown price.
        """
        ...

    async def obtain(self, request: Request, asked: Asked) -> Stored:
        """The answer to ``request``, stored; those who ask the same at once share one asking.

        Raises:
            SendError: the provider refuses this request.
            AuthorError: the provider cannot be used, or the budget is spent.
        """
        ...

    async def expect(self, calls: int) -> None:
        """Say how many rows wait for answers: a batch need not wait for more than all of them."""
        ...

    async def note(self, made: Made) -> None:
        """Keep what came of a row; nothing more is sent once an accepted one costs too much."""
        ...

    async def close(self) -> None:
        """Send nothing more, and close."""
        ...


class Correspondent:
    """A `Line` to the provider itself."""

    def __init__(self, settings: AuthorSettings, location: str, *, workers: int, scope: str, seats: int) -> None:
        """``location`` is the response store; ``seats`` the rows that may wait at once."""
        self._settings, self._location, self._scope = settings, location, scope
        self._workers, self._seats = workers, seats
        self._budget = Budget(settings.budget_usd, settings.budget_requests)
        self._owner = name_owner()
        self._under_way: dict[str, asyncio.Task[Stored]] = {}
        self._calls = 0
        self._noted = self._look_at = 0
        self._desk: BatchDesk | None = None

    async def open(self) -> None:
        settings = self._settings
        self._price = find_price(settings)
        self._secrets = list_secrets(self._location)
        self.store = ResponseStore(self._location)
        try:
            self.provider: Provider = open_provider(settings)
        except BaseException:
            self.store.close()
            raise
        self.sender = Sender(self.provider, settings, self._workers)
        self._queue = StoreQueue(self.store)
        self._renewer = asyncio.create_task(self._renew_claims())
        await self._look_at_cost()
        # Batches that earlier runs left open are followed, whoever asked: what they answer is paid for.
        for job in await self._queue.run(
            lambda connection: self.store.list_open_jobs(connection, settings.kind, settings.address)
        ):
            self._open_desk().watch(job)

    async def obtain(self, request: Request, asked: Asked) -> Stored:
        task = self._under_way.get(request.sha256)
        if task is None:
            task = asyncio.create_task(self._obtain(request, asked))
            self._under_way[request.sha256] = task
            task.add_done_callback(lambda _: self._under_way.pop(request.sha256, None))
        return await asyncio.shield(task)

    async def expect(self, calls: int) -> None:
        self._calls = calls

    async def note(self, made: Made) -> None:
        await self._queue.run(lambda connection: note_made(connection, self._scope, made))
        self._noted += 1
        if self._noted >= self._look_at:
            # Summing up reads all answers: it is done again once a twentieth more rows are there.
            self._look_at = self._noted + 1 + self._noted // ENOUGH
            await self._look_at_cost()

    async def _look_at_cost(self) -> None:
        if self._settings.max_usd_per_row is not None:
            found = await self._queue.run(lambda connection: list_yields(connection, self._scope))
            if (said := tell_too_dear(found, self._settings)) is not None:
                self.sender.stop(BudgetExceeded(said))

    async def close(self) -> None:
        self.sender.stop(AuthorUnavailable("the author is closed"))
        if self._desk is not None:
            self._desk.cancel()
        tasks = [self._renewer, *self._under_way.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.provider.close()
        await self._queue.run(lambda connection: self.store.release_all(connection, self._owner))
        self._queue.close()
        self.store.close()

    async def drain(self) -> None:
        """Send nothing more, and wait until what is on the wire is answered and kept."""
        self.sender.stop(AuthorUnavailable("the run has ended"))
        if self._desk is not None:
            await self._desk.drain()
        sent = [task for sha256, task in self._under_way.items() if sha256 in self.sender.on_the_wire]
        if sent:
            await asyncio.wait(sent, timeout=self._settings.patience_s + FLUSH_S)

    def _all_wait(self, waiting: int) -> bool:
        """Whether every row at work waits for a batch, so that no request can come before one is answered."""
        return self._calls >= self._seats and waiting >= len(self._under_way)

    async def _renew_claims(self) -> None:
        last = time.monotonic()
        while True:
            await asyncio.sleep(FLUSH_S)
            await asyncio.to_thread(self.store.flush)
            if time.monotonic() - last >= RENEW_S:
                await self._queue.run(lambda connection: self.store.renew(connection, self._owner))
                last = time.monotonic()

    async def _obtain(self, request: Request, asked: Asked) -> Stored:
        batch = self._settings.batch
        reserve_usd = bound_cost(request, self._price, batch)
        delay_s, batch_tries = 0.05, 0
        while True:
            if self.sender.stopped is not None:
                return await self._find_or_stop(request.sha256, self.sender.stopped)
            entry = await self._queue.run(
                lambda connection: self.store.enter(
                    connection, request.sha256, self._owner, self._scope, reserve_usd, self._budget
                )
            )
            if entry.stored is not None:
                self.sender.note_stored()
                return entry.stored
            if entry.state == "spent":
                said = await describe_budget(self._queue, self._scope, self._budget)
                raise self.sender.stop(BudgetExceeded(said))
            if entry.state == "in_batch":
                assert entry.job is not None
                await self._await_batch(self._open_desk().join(request.sha256, entry.job))
            elif entry.state == "mine" and batch and batch_tries < BATCH_TRIES:
                batch_tries += await self._await_batch(self._open_desk().hand_in(request, asked))
            elif entry.state == "mine":
                return await self._ask_now(request, asked)
            else:
                # Another process asks the same, or requests under way hold the rest of the budget.
                await asyncio.sleep(delay_s)
                delay_s = min(1.0, delay_s * 2)

    async def _await_batch(self, outcome: Awaitable[SendError | None]) -> bool:
        """Wait for a batch to end; whether it took the request, answered or not.

        Raises:
            SendError: this request is refused.
            AuthorUnavailable: the provider cannot be used; nothing is sent any more.
        """
        try:
            failure = await outcome
        except AuthorUnavailable as error:
            raise self.sender.stop(error) from None
        if failure is not None and failure.kind == "refused":
            self.sender.note_refusal(failure)
            raise failure
        return failure is None or failure.kind != "busy"

    async def _find_or_stop(self, sha256: str, error: AuthorError) -> Stored:
        """A stored answer is given also when nothing may be sent any more."""
        stored = await self._queue.run(lambda connection: self.store.find(connection, sha256))
        if stored is None:
            raise error
        return stored

    async def _ask_now(self, request: Request, asked: Asked) -> Stored:
        # What was reserved for a batch is less than asking directly may cost.
        reserve_usd, reserved = bound_cost(request, self._price), not self._settings.batch
        account = Account(self.store, self._queue, asked, self._owner, self._scope, reserve_usd, self._budget, reserved)
        try:
            completion, seconds = await self.sender.send(request, account)
        except BaseException as error:
            if isinstance(error, BudgetExceeded):
                self.sender.stop(error)
            await self._queue.run(lambda connection: self.store.release(connection, request.sha256, self._owner))
            raise
        try:
            stored = await self._queue.run(
                lambda connection: self._put(
                    connection, asked, completion, account.attempt, reserve_usd, batch=False, seconds=seconds
                )
            )
        finally:
            self.sender.on_the_wire.discard(request.sha256)
        if completion.finish == "unreadable":
            self.sender.note_refusal(SendError("refused", f"an answer that cannot be read: {completion.details}"))
        return stored

    def _put(
        self,
        connection: Any,
        asked: Asked,
        completion: Completion,
        attempt: str,
        reserved_usd: float,
        batch: bool = True,
        seconds: float | None = None,
    ) -> Stored:
        flex = completion.tier == "flex"
        cost = self._price.charge(completion.usage, batch, flex) if self._price and completion.usage else None
        return self.store.put(
            connection,
            asked,
            mask_completion(completion, self._secrets),
            scope=self._scope,
            cost_usd=cost,
            charge_usd=reserved_usd if cost is None else cost,
            batch=batch,
            seconds=seconds,
            attempt=attempt,
        )

    def _open_desk(self) -> BatchDesk:
        if self._desk is None:
            provider: Any = self.provider
            self._desk = BatchDesk(
                provider,
                self.store,
                self._queue,
                self._settings,
                self._owner,
                self._scope,
                self._put,
                self._all_wait,
                self.sender.note_answer,
            )
        return self._desk


def mask_completion(completion: Completion, secrets: tuple[str, ...]) -> Completion:
    """An answer without any key of ours, which a server may echo."""
    text, details, model = (
        mask_secrets(each, secrets) for each in (completion.text, completion.details, completion.model)
    )
    return replace(completion, text=text, details=details, model=model)


def bound_cost(request: Request, price: Price | None, batch: bool = False) -> float:
    """USD that one attempt costs at most, so that budgets hold: a token is at least a byte of what is sent."""
    if price is None:
        return 0.0
    schema = len(json.dumps(request.schema)) if request.schema else 0
    turns = sum(len(message.text.encode("utf-8", "replace")) + TURN_TOKENS for message in request.messages)
    text = len(request.system.encode("utf-8", "replace")) + turns + schema + TURN_TOKENS
    return price.bound(text + bound_picture(request.model) * len(request.images), request.sampling.max_tokens, batch)
