"""The author: what makers ask. One per process; `Author.ask` blocks its thread, many threads may ask at once.

An ask goes: prompt filled -> full request hashed -> response store -> (claim) -> limiter -> provider, with retries ->
store -> validation; an answer that breaks its schema is sent back with what was wrong, as a further request of its own.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import threading
import time
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from prompts import Prompt, RenderedPrompt, load_prompt
from storage.rows import Provenance
from tasks.llm.answers import Violation, parse_answer
from tasks.llm.asking import Answer, Ask
from tasks.llm.batch import BatchDesk
from tasks.llm.errors import NOT_ASKED, AnswerRejected, AuthorError, AuthorUnavailable, BudgetExceeded, SendError
from tasks.llm.exchange import Completion, Message, Request, Sampling, Usage
from tasks.llm.prices import describe_unknown, find_price
from tasks.llm.providers.base import Provider
from tasks.llm.providers.open import open_provider, read_key
from tasks.llm.sending import Sender, share
from tasks.llm.settings import AuthorSettings
from tasks.llm.store.owners import name_owner
from tasks.llm.store.queue import StoreQueue
from tasks.llm.store.spending import locate_store
from tasks.llm.store.store import ResponseStore
from tasks.llm.store.tables import Asked, Budget, Spending, Stored, identify_asker
from tasks.llm.tokens import IMAGE_TOKENS, estimate_tokens

RENEW_S = 10.0
FLUSH_S = 1.0
LEAST_CACHED = 512
"""Tokens that a shared beginning must have for any provider to keep it."""
BATCH_SEATS = 256
BATCH_TRIES = 2

log = logging.getLogger("counterfoil.llm")

T = TypeVar("T")


class Author:
    """A language model with its store, limits and budget. Thread-safe; close it at the end."""

    def __init__(self, settings: AuthorSettings, store: ResponseStore, *, workers: int = 1, scope: str = "") -> None:
        """Open the provider.

        Raises:
            AuthorUnavailable: no key, no engine, no price table, or ``budget_usd`` with a model of unknown price.
        """
        self.settings = settings
        self.store = store
        self.scope = scope
        assert settings.model is not None
        self._model = settings.model
        self._price = find_price(settings)
        self._budget = Budget(settings.budget_usd, settings.budget_requests)
        self._workers = workers
        self.parallel_anchors = (
            BATCH_SEATS if settings.batch else min(share(settings.concurrency, workers), BATCH_SEATS)
        )
        """Anchors that a stage should work on at once to keep this author busy."""
        self._owner = name_owner()
        self._under_way: dict[str, asyncio.Task[Stored]] = {}
        self._calls = 0
        self._warned: set[str] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="llm-author")
        self._thread.start()
        try:
            self._call(self._open())
        except BaseException:
            self._end_loop()
            raise

    def ask(
        self,
        prompt_id: str,
        variables: Mapping[str, Any],
        *,
        family: str,
        images: Sequence[bytes] = (),
        draw: int = 0,
    ) -> Answer:
        """Ask and wait. An answer that is stored comes at once and costs nothing.

        ``family`` is who pays in the report. ``draw`` asks the same question again for another answer.

        Raises:
            AnswerRejected: this answer is refused, empty, cut off or breaks its schema, also when asked again.
            BudgetExceeded: the budget would be exceeded; nothing was sent.
            AuthorUnavailable: the provider cannot be used.
            prompts.PromptError: the prompt or its variables are wrong.
        """
        return self._call(self._count(self._converse(Ask(prompt_id, variables, family, tuple(images), draw))))

    def ask_many(self, asks: Sequence[Ask]) -> list[Answer | AnswerRejected]:
        """Ask all at once and wait; answers in the order of ``asks``, rejected ones as the exception itself.

        Raises:
            AuthorError: as `ask`, except `AnswerRejected`.
        """

        async def gather() -> list[Any]:
            return await asyncio.gather(*map(self._converse, asks), return_exceptions=True)

        answers = self._call(self._count(gather()))
        for each in answers:
            if isinstance(each, BaseException) and not isinstance(each, AnswerRejected):
                raise each
        return answers

    def sum_spending(self) -> list[Spending]:
        """What this scope has spent so far, by family, prompt and model."""
        with self.store.begin() as connection:
            return self.store.sum_spending(connection, self.scope)

    def close(self) -> None:
        """End requests under way, drop their claims and close provider and store."""
        if self._loop.is_closed():
            return
        self._sender.stop(AuthorUnavailable("the author is closed"))
        self._call(self._shut())
        self._end_loop()
        self._queue.close()
        with self.store.begin() as connection:
            self.store.release_all(connection, self._owner)
        self.store.close()

    def _call(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    async def _count(self, asking: Awaitable[T]) -> T:
        """Wait for the answer to a call, counting the calls that wait."""
        self._calls += 1
        try:
            return await asking
        finally:
            self._calls -= 1

    def _all_wait(self, waiting: int) -> bool:
        """Whether every row at work waits for a batch, so that no request can come before one is answered."""
        return self._calls >= self.parallel_anchors and waiting >= len(self._under_way)

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _open(self) -> None:
        self._provider: Provider = open_provider(self.settings)
        self._sender = Sender(self._provider, self.settings, self._workers)
        self._queue = StoreQueue(self.store)
        self._desk: BatchDesk | None = None
        self._renewer = asyncio.create_task(self._renew_claims())
        await self._resume_batches()

    async def _resume_batches(self) -> None:
        """Follow the batches that earlier runs left open, whoever asked: what they answer is paid for."""
        settings = self.settings
        jobs = await self._queue.run(
            lambda connection: self.store.list_open_jobs(connection, settings.kind, settings.address)
        )
        for job in jobs:
            self._open_desk().watch(job)

    async def _shut(self) -> None:
        tasks = [self._renewer, *self._under_way.values()]
        if self._desk is not None:
            self._desk.cancel()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._provider.close()

    async def _renew_claims(self) -> None:
        last = time.monotonic()
        while True:
            await asyncio.sleep(FLUSH_S)
            await asyncio.to_thread(self.store.flush)
            if time.monotonic() - last >= RENEW_S:
                await self._queue.run(lambda connection: self.store.renew(connection, self._owner))
                last = time.monotonic()

    async def _converse(self, ask: Ask) -> Answer:
        """Ask, and send an answer that breaks its schema back with what was wrong."""
        rendered = load_prompt(ask.prompt_id).render(ask.variables)
        messages = [Message("user", rendered.user)]
        usage, cost = Usage(), 0.0
        known = True
        for attempt in range(1, self.settings.schema_attempts + 2):
            request = self._build_request(rendered, tuple(messages), ask)
            try:
                asked_by = identify_asker(rendered.prompt.sha256, self.settings.identify_model())
                stored = await self._complete(request, Asked.describe(request, ask.family, ask.prompt_id, asked_by))
            except SendError as error:
                provenance = self._attribute(rendered.prompt, request, usage, cost if known else None, attempt)
                raise AnswerRejected(NOT_ASKED, str(error), "", provenance) from None
            completion = stored.completion
            usage += completion.usage or Usage()
            cost, known = round(cost + (stored.cost_usd or 0.0), 9), known and stored.cost_usd is not None
            provenance = self._attribute(rendered.prompt, request, usage, cost if known else None, attempt)
            if completion.finish == "refusal":
                raise AnswerRejected(
                    "llm_refusal", completion.details or "the model refused", completion.text, provenance
                )
            try:
                parsed = parse_answer(rendered.prompt, rendered.schema, completion)
            except Violation as violation:
                failed = AnswerRejected(violation.code, violation.details, completion.text, provenance)
                # Neither API takes an empty turn of the assistant.
                said = [Message("assistant", completion.text)] if completion.text.strip() else []
                messages += [*said, Message("user", violation.advice)]
                continue
            self._warn_of_mended(rendered.prompt.id, parsed.mended)
            return Answer(
                text=parsed.text,
                data=parsed.data,
                code=parsed.code,
                raw=completion.text,
                usage=usage,
                cost_usd=cost if known else None,
                request_sha256=request.sha256,
                prompt_id=rendered.prompt.id,
                prompt_sha256=rendered.prompt.sha256,
                attempts=attempt,
                author=self.settings.kind,
                model=self._model,
            )
        raise failed

    def _warn_of_mended(self, prompt_id: str, mended: tuple[str, ...]) -> None:
        """Tell once for each prompt that its answers hold single backslashes."""
        if mended and prompt_id not in self._warned:
            self._warned.add(prompt_id)
            named = ", ".join(dict.fromkeys(mended[:5]))
            log.warning(
                "%s: %s did not double its backslashes in JSON; they were put back (%s), here and in answers to come",
                prompt_id,
                self._model,
                named,
            )

    def _build_request(self, rendered: RenderedPrompt, messages: tuple[Message, ...], ask: Ask) -> Request:
        settings = self.settings
        return Request(
            provider=settings.kind,
            base_url=settings.address,
            model=self._model,
            system=rendered.system,
            messages=messages,
            sampling=Sampling(
                max_tokens=settings.output_limit,
                temperature=settings.temperature,
                top_p=settings.top_p,
                seed=settings.seed,
                reasoning_effort=settings.reasoning_effort,
            ),
            images=ask.images,
            schema=rendered.schema,
            send_schema=settings.structured == "schema",
            draw=ask.draw,
            cache_key=name_cache(rendered) if settings.cache else "",
        )

    def _attribute(
        self, prompt: Prompt, request: Request, usage: Usage, cost_usd: float | None, attempts: int
    ) -> Provenance:
        return Provenance(
            author=self.settings.kind,
            model=self._model,
            prompt_id=prompt.id,
            prompt_sha256=prompt.sha256,
            request_sha256=request.sha256,
            attempts=attempts,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost_usd=cost_usd,
        )

    async def _complete(self, request: Request, asked: Asked) -> Stored:
        """The stored answer to ``request``; threads that ask the same share one asking."""
        task = self._under_way.get(request.sha256)
        if task is None:
            task = asyncio.create_task(self._obtain(request, asked))
            self._under_way[request.sha256] = task
            task.add_done_callback(lambda _: self._under_way.pop(request.sha256, None))
        return await asyncio.shield(task)

    async def _obtain(self, request: Request, asked: Asked) -> Stored:
        reserve_usd = self._price.charge(self._bound_usage(request), self.settings.batch) if self._price else 0.0
        delay_s, batch_tries = 0.05, 0
        while True:
            if self._sender.stopped is not None:
                return await self._find_or_stop(request.sha256, self._sender.stopped)
            entry = await self._queue.run(
                lambda connection: self.store.enter(
                    connection, request.sha256, self._owner, self.scope, reserve_usd, self._budget
                )
            )
            if entry.stored is not None:
                if batch_tries:
                    self._sender.note_answer()
                return entry.stored
            if entry.state == "spent":
                raise self._sender.stop(BudgetExceeded(self._describe_budget()))
            if entry.state == "in_batch":
                assert entry.job is not None
                await self._await_batch(self._open_desk().join(request.sha256, entry.job))
            elif entry.state == "mine" and self.settings.batch and batch_tries < BATCH_TRIES:
                batch_tries += await self._await_batch(self._open_desk().hand_in(request, asked))
            elif entry.state == "mine":
                return await self._ask_now(request, asked, reserve_usd)
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
            raise self._sender.stop(error) from None
        if failure is not None and failure.kind == "refused":
            self._sender.note_refusal(failure)
            raise failure
        return failure is None or failure.kind != "busy"

    async def _find_or_stop(self, sha256: str, error: AuthorError) -> Stored:
        """A stored answer is given also when nothing may be sent any more."""
        stored = await self._queue.run(lambda connection: self.store.find(connection, sha256))
        if stored is None:
            raise error
        return stored

    async def _ask_now(self, request: Request, asked: Asked, reserve_usd: float) -> Stored:
        try:
            completion, seconds = await self._sender.send(request)
        except BaseException:
            await self._queue.run(lambda connection: self.store.release(connection, request.sha256, self._owner))
            raise
        return await self._queue.run(
            lambda connection: self._put(connection, asked, completion, reserve_usd, False, seconds)
        )

    def _put(
        self,
        connection: Any,
        asked: Asked,
        completion: Completion,
        reserved_usd: float,
        batch: bool = True,
        seconds: float | None = None,
    ) -> Stored:
        flex = completion.tier == "flex"
        cost = self._price.charge(completion.usage, batch, flex) if self._price and completion.usage else None
        return self.store.put(
            connection,
            asked,
            completion,
            scope=self.scope,
            cost_usd=cost,
            charge_usd=reserved_usd if cost is None else cost,
            batch=batch,
            seconds=seconds,
        )

    def _open_desk(self) -> BatchDesk:
        if self._desk is None:
            provider: Any = self._provider
            self._desk = BatchDesk(
                provider, self.store, self._queue, self.settings, self._owner, self._put, self._all_wait
            )
        return self._desk

    def _bound_usage(self, request: Request) -> Usage:
        """More tokens than the request can cost, so that budgets hold."""
        schema = len(str(request.schema)) if request.schema else 0
        text = sum(len(message.text.encode("utf-8", "replace")) for message in request.messages)
        tokens = (text + schema + len(request.system)) // 2 + 64 + 2 * IMAGE_TOKENS * len(request.images)
        return Usage(tokens, request.sampling.max_tokens)

    def _describe_budget(self) -> str:
        with_usd = f"budget_usd = {self._budget.usd:g}" if self._budget.usd is not None else ""
        with_requests = f"budget_requests = {self._budget.requests}" if self._budget.requests is not None else ""
        limits = " and ".join(filter(None, [with_usd, with_requests]))
        return (
            f"the next request could exceed {limits}; what was answered is kept: "
            "raise the budget and run again to go on"
        )


def name_cache(rendered: RenderedPrompt) -> str:
    """Names what every request of a prompt shares, or is empty where keeping it saves nothing: a prompt that is asked
    now and then, or one shorter than any provider keeps."""
    if rendered.prompt.per == "failure" or estimate_tokens(rendered.system) < LEAST_CACHED:
        return ""
    return f"{rendered.prompt.id}-{hashlib.sha256(rendered.system.encode()).hexdigest()[:16]}"


def check_author(settings: AuthorSettings) -> None:
    """Find what would stop a run at its first request, before anything runs: keys, prices and budget.

    Raises:
        AuthorUnavailable: what is missing, in one line.
    """
    for each in filter(None, (settings, settings.for_looking())):
        if each.kind == "procedural":
            continue
        if each.kind != "vllm" or each.base_url is not None:
            read_key(each.kind)
        find_price(each)


def list_unpriced(settings: AuthorSettings) -> list[str]:
    """What a run could not count in USD, one line for each model whose price is unknown.

    Raises:
        AuthorUnavailable: a price table is missing or malformed.
    """
    asked = [each for each in (settings, settings.for_looking()) if each is not None and each.kind != "procedural"]
    return [describe_unknown(each) for each in asked if find_price(each) is None]


def open_author(
    settings: AuthorSettings | Mapping[str, Any],
    *,
    work: Path | str | None = None,
    workers: int = 1,
    scope: str = "",
) -> Author | None:
    """The author of a recipe's ``[author]`` section; None for the procedural one.

    ``work`` is the folder for the response store where the recipe names none. ``workers`` is the number of processes
    that share the recipe's concurrency and rates. Budgets count what ``scope`` has spent in the store: name the dataset
    where several share one.

    Raises:
        AuthorUnavailable: the settings are wrong, or key, engine, store or price table cannot be had.
    """
    if not isinstance(settings, AuthorSettings):
        try:
            settings = AuthorSettings.model_validate(dict(settings))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(["author", *map(str, first["loc"])])
            raise AuthorUnavailable(f"{where}: {first['msg']}") from None
    if settings.kind == "procedural":
        return None
    location = locate_store(settings, work)
    if location is None:
        raise AuthorUnavailable("the author needs a place for its answers: set [author] store, or give a work folder")
    store = ResponseStore(location)
    try:
        return Author(settings, store, workers=workers, scope=scope)
    except BaseException:
        store.close()
        raise
