"""One request, sent as often as it takes: limits, retries with jitter, and when to give up."""

from __future__ import annotations

import asyncio
import time

from counterfoil.tasks.llm.account import Account, Past
from counterfoil.tasks.llm.errors import AuthorError, AuthorUnavailable, SendError
from counterfoil.tasks.llm.exchange import Completion, Request
from counterfoil.tasks.llm.limits import Limiter, draw_backoff
from counterfoil.tasks.llm.providers.base import Provider
from counterfoil.tasks.llm.settings import AuthorSettings
from counterfoil.tasks.llm.tokens import IMAGE_TOKENS

REFUSALS_BEFORE_STOP = 5
"""Refused requests after which, with not one ever answered and none that still may be, the recipe is wrong rather than
the rows."""
REFUSALS_IN_A_ROW = 20
"""Refused requests in a row after which something has gone wrong since the last answer."""
UNREACHABLE_RETRIES = 2
"""Attempts at an address that has never answered."""
BUSY_PATIENCE = 5
"""How many times as many 429s, 503s and 529s as other failures a request may meet: a busy server is not a broken one,
and with six retries this is a quarter of an hour."""


def share(total: int, workers: int) -> int:
    """What of the recipe's concurrency one of ``workers`` processes has."""
    return max(1, total // workers)


class Sender:
    """Sends requests of one process within its share of the recipe's limits."""

    def __init__(self, provider: Provider, settings: AuthorSettings, workers: int) -> None:
        rates = (settings.requests_per_minute, settings.tokens_per_minute)
        requests_per_minute, tokens_per_minute = (rate / workers if rate else None for rate in rates)
        self._provider = provider
        self._retries = settings.retries
        self._limiter = Limiter(share(settings.concurrency, workers), requests_per_minute, tokens_per_minute)
        self._answered = 0
        self._ever_answered = False
        """Whether requests of this recipe were answered, now or in an earlier run."""
        self._refused = 0
        """Requests refused since the last answer."""
        self._typical_output = min(settings.output_limit, 1000.0)
        self.stopped: AuthorError | None = None
        """Why nothing is sent any more."""
        self.on_the_wire: set[str] = set()
        """Requests, by SHA-256, that were sent and are not answered yet."""

    def stop(self, error: AuthorError) -> AuthorError:
        """From now on nothing is sent: every request ends with the first error given here."""
        self.stopped = self.stopped or error
        return error

    async def send(self, request: Request, account: Account) -> tuple[Completion, float]:
        """Send until there is an answer; also gives the seconds that the answering attempt took.

        The answer ends ``account.attempt``; those before it are ended here.

        Raises:
            SendError: this request alone fails (kind ``refused``).
            AuthorUnavailable: the provider cannot be used, or answers nobody.
            BudgetExceeded: a further attempt could exceed the budget.
        """
        answered_before, failures, busy = self._answered, 0, 0
        while True:
            if self.stopped is not None:
                raise self.stopped
            await account.reserve()
            estimate = self._estimate(request)
            started = await self._limiter.start(estimate)
            try:
                if self.stopped is not None:
                    raise self.stopped
                self.on_the_wire.add(request.sha256)
                await account.open()
                clock = time.monotonic()
                completion = await self._provider.send(request)
            except SendError as error:
                failure = error
            except BaseException:
                self.on_the_wire.discard(request.sha256)
                raise
            else:
                # It stays on the wire until it is kept.
                self._note_success(completion, estimate)
                return completion, round(time.monotonic() - clock, 3)
            finally:
                self._limiter.finish()
            past = await account.end(failure)
            self.on_the_wire.discard(request.sha256)
            if failure.kind == "busy":
                busy += 1
                self._limiter.report_busy(started, failure.retry_after_s)
            else:
                failures += 1
            self._give_up_if_hopeless(failure, failures, busy, self._answered > answered_before, past)
            await asyncio.sleep(draw_backoff(failures + busy, failure.retry_after_s))

    def note_answer(self) -> None:
        """A request was answered, here or in a batch."""
        self._answered += 1
        self._ever_answered = True
        self._refused = 0

    def note_stored(self) -> None:
        """A request was answered before."""
        self._ever_answered = True

    def note_refusal(self, failure: SendError, past: Past = Past()) -> None:  # noqa: B008 - it is frozen
        """A request was refused, or its answer cannot be read, here or in a batch.

        One that was refused to an earlier run already tells nothing new, where others of its kind are answered.

        Raises:
            AuthorUnavailable: so many were that it is no longer about the rows.
        """
        self._ever_answered = self._ever_answered or past.answered_before
        if failure.alone or (self._ever_answered and past.refused_before):
            return
        self._refused += 1
        few = not self._ever_answered and not self.on_the_wire
        if self._refused >= (REFUSALS_BEFORE_STOP if few else REFUSALS_IN_A_ROW):
            which = "last" if self._ever_answered else "first"
            said = f"the {which} {self._refused} requests were all refused; the last: {failure}"
            raise self.stop(AuthorUnavailable(said))

    def _note_success(self, completion: Completion, estimate: float) -> None:
        if completion.finish != "unreadable":
            self.note_answer()
        self._limiter.report_success()
        if completion.usage:
            used = completion.usage.input_tokens + completion.usage.output_tokens
            self._limiter.settle(estimate, used)
            self._typical_output += 0.05 * (completion.usage.output_tokens - self._typical_output)

    def _give_up_if_hopeless(
        self, failure: SendError, failures: int, busy: int, others_answered: bool, past: Past
    ) -> None:
        if failure.kind == "unavailable":
            raise self.stop(AuthorUnavailable(str(failure)))
        if failure.kind == "refused":
            self.note_refusal(failure, past)
            raise failure
        retries = self._retries
        if failure.kind == "unreachable" and not self._answered:
            retries = min(retries, UNREACHABLE_RETRIES)
        if failures <= retries and busy <= retries * BUSY_PATIENCE:
            return
        attempts = failures + busy
        if others_answered:
            said = f"{attempts} attempts failed while other requests were answered; the last: {failure}"
            raise SendError("refused", said)
        raise self.stop(AuthorUnavailable(f"no answer after {attempts} attempts: {failure}"))

    def _estimate(self, request: Request) -> float:
        text = len(request.system) + sum(len(message.text) for message in request.messages)
        return text / 3.5 + IMAGE_TOKENS * len(request.images) + self._typical_output
