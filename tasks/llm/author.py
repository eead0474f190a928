"""The author: what makers ask. One per process; `Author.ask` blocks its thread, many threads may ask at once.

An ask goes: prompt filled -> full request hashed -> response store -> (claim) -> limiter -> provider, with retries ->
store -> validation; an answer that breaks its schema is sent back with what was wrong, as a further request of its own.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import threading
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from counterfoil.prompts import Prompt, RenderedPrompt, load_prompt
from counterfoil.storage.mistakes import word_mistake
from counterfoil.storage.rows import Provenance
from counterfoil.tasks.llm.answers import Violation, parse_answer
from counterfoil.tasks.llm.asking import Answer, Ask
from counterfoil.tasks.llm.correspondent import Correspondent, Line
from counterfoil.tasks.llm.courier import Courier, Errand
from counterfoil.tasks.llm.errors import NOT_ASKED, AnswerRejected, AuthorUnavailable, SendError
from counterfoil.tasks.llm.examples import find_source, read_pool
from counterfoil.tasks.llm.exchange import Message, Request, Sampling, Usage
from counterfoil.tasks.llm.prices import describe_unknown, find_price
from counterfoil.tasks.llm.providers.open import read_key
from counterfoil.tasks.llm.sending import share
from counterfoil.tasks.llm.settings import AuthorSettings
from counterfoil.tasks.llm.store.spending import require_store
from counterfoil.tasks.llm.store.tables import Asked
from counterfoil.tasks.llm.tokens import estimate_tokens
from counterfoil.tasks.llm.yields import Edition, Made, identify_asker

LEAST_CACHED = 512
"""Tokens that a shared beginning must have for any provider to keep it."""
SEATS = 256
"""Rows that may wait for answers at once in one process."""

log = logging.getLogger("counterfoil.llm")

T = TypeVar("T")


class Author:
    """A language model with its store, limits and budget. Thread-safe; close it at the end."""

    def __init__(self, settings: AuthorSettings, line: Line, seats: int) -> None:
        """Open the ``line`` to the answers; ``seats`` is how many rows may wait at once.

        Raises:
            AuthorUnavailable: no key, no engine, no store, or ``budget_usd`` with a model of unknown price.
        """
        self.settings = settings
        assert settings.model is not None
        self._model = settings.model
        self._line = line
        self.parallel_anchors = seats
        """Anchors that a stage should work on at once to keep this author busy."""
        self._calls = 0
        self._warned: set[str] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="llm-author")
        self._thread.start()
        try:
            self._call(line.open())
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
        ask = Ask(prompt_id, variables, family, tuple(images), draw)
        return self._call(self._count(self._converse(ask, find_source())))

    def ask_many(self, asks: Sequence[Ask]) -> list[Answer | AnswerRejected]:
        """Ask all at once and wait; answers in the order of ``asks``, rejected ones as the exception itself.

        Raises:
            AuthorError: as `ask`, except `AnswerRejected`.
        """

        source = find_source()

        async def gather() -> list[Any]:
            return await asyncio.gather(*(self._converse(ask, source) for ask in asks), return_exceptions=True)

        answers = self._call(self._count(gather()))
        for each in answers:
            if isinstance(each, BaseException) and not isinstance(each, AnswerRejected):
                raise each
        return answers

    def note_made(
        self,
        prompt_ids: Sequence[str],
        row: str,
        counts: Mapping[str, tuple[int, int]],
        reasons: Mapping[str, Sequence[str]],
    ) -> None:
        """Say what came of a row that these prompts were asked about: by family, accepted and rejected, and why."""
        self._call(self._line.note(Made(Edition.of(self.settings, prompt_ids), row, counts, reasons)))

    def close(self) -> None:
        """End what is asked, and close."""
        if self._loop.is_closed():
            return
        self._call(self._line.close())
        self._end_loop()

    def _call(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    async def _count(self, asking: Awaitable[T]) -> T:
        """Wait for the answer to a call, counting the calls that wait."""
        self._calls += 1
        await self._line.expect(self._calls)
        try:
            return await asking
        finally:
            self._calls -= 1
            await self._line.expect(self._calls)

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _show_examples(self, rendered: RenderedPrompt, ask: Ask, source: str) -> list[Message]:
        """Verified answers to the same prompt as turns before the question; none beside pictures."""
        settings = self.settings
        if not settings.examples_from or ask.images:
            return []
        pool = read_pool(settings.examples_from)
        drawn = pool.draw(ask.prompt_id, rendered.user, source, settings.examples, settings.seed)
        return [turn for each in drawn for turn in (Message("user", each.asked), Message("assistant", each.answer))]

    async def _converse(self, ask: Ask, source: str) -> Answer:
        """Ask, and send an answer that breaks its schema back with what was wrong."""
        rendered = load_prompt(ask.prompt_id).render(ask.variables)
        messages = [*self._show_examples(rendered, ask, source), Message("user", rendered.user)]
        usage, cost = Usage(), 0.0
        known = True
        for attempt in range(1, self.settings.schema_attempts + 2):
            request = self._build_request(rendered, tuple(messages), ask)
            try:
                asked_by = identify_asker(rendered.prompt.sha256, self.settings.identify_model())
                stored = await self._line.obtain(request, Asked.describe(request, ask.family, ask.prompt_id, asked_by))
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
                # Neither API takes an empty turn of the assistant, and a body that cannot be read is none.
                spoke = completion.text.strip() and completion.finish != "unreadable"
                said = [Message("assistant", completion.text)] if spoke else []
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
        each.identify_model()
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
    apart: bool = False,
) -> Author | None:
    """The author of a recipe's ``[author]`` section; None for the procedural one.

    ``work`` is the folder for the response store where the recipe names none. ``workers`` is the number of processes
    that share the recipe's concurrency and rates. Budgets count what ``scope`` has spent in the store: name the dataset
    where several share one. ``apart`` asks from a process of its own, so that answers on the wire outlive this one.

    Raises:
        AuthorUnavailable: the settings are wrong, or key, engine, store or price table cannot be had.
    """
    if not isinstance(settings, AuthorSettings):
        try:
            settings = AuthorSettings.model_validate(dict(settings))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(["author", *map(str, first["loc"])])
            raise AuthorUnavailable(f"{where}: {word_mistake(first)}") from None
    if settings.kind == "procedural":
        return None
    location = require_store(settings, work)
    seats = SEATS if settings.batch else min(share(settings.concurrency, workers), SEATS)
    in_process = settings.kind == "vllm" and settings.base_url is None
    if apart and not in_process:
        return Author(settings, Courier(Errand(settings, location, workers, scope, seats)), seats)
    return Author(settings, Correspondent(settings, location, workers=workers, scope=scope, seats=seats), seats)
