"""How many requests may be in flight and how fast they may start, adapting to what the server bears.

One `Limiter` per process. It grants starts in order of asking; it never knows which request is slow, so a slow one
holds its own place and nobody else's.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable

SHRINK = 0.7
"""What a 429 leaves of the concurrency and of the rates."""
RECOVER = 0.02
"""What each answer gives back of the rates' share."""
MIN_SHARE = 0.05
BURST_S = 1.0
"""Seconds' worth of starts that may come at once after a pause."""


class _Bucket:
    """Tokens that accrue at ``per_minute`` and may be overdrawn by one large request, which is paid off by waiting."""

    def __init__(self, per_minute: float, now: float) -> None:
        self.per_second = per_minute / 60.0
        self.capacity = max(1.0, self.per_second * BURST_S)
        self.level = self.capacity
        self.updated = now

    def wait_for(self, amount: float, share: float, now: float) -> float:
        """Seconds until ``amount`` may be taken; a larger amount than the capacity waits for a full bucket."""
        rate = self.per_second * share
        self.level = min(self.capacity, self.level + (now - self.updated) * rate)
        self.updated = now
        missing = min(amount, self.capacity) - self.level
        return max(0.0, missing / rate) if missing > 1e-9 else 0.0


class Limiter:
    """Concurrency, requests per minute and tokens per minute, with additive increase and multiplicative decrease."""

    def __init__(
        self,
        concurrency: int,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._ceiling = float(concurrency)
        self._allowed = float(concurrency)
        self._share = 1.0
        self._in_flight = 0
        self._paused_until = 0.0
        self._shrunk_at = -1.0
        self._queue: deque[tuple[float, asyncio.Future[float]]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        now = clock()
        self._requests = _Bucket(requests_per_minute, now) if requests_per_minute else None
        self._tokens = _Bucket(tokens_per_minute, now) if tokens_per_minute else None

    @property
    def allowed(self) -> int:
        """Requests that may be in flight at present."""
        return max(1, int(self._allowed))

    async def start(self, tokens: float) -> float:
        """Wait for a place for a request of about ``tokens`` tokens; returns the time of its start.

        Every start is ended by exactly one `finish`.
        """
        future: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._queue.append((tokens, future))
        self._grant()
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self.finish()
            raise

    def finish(self) -> None:
        """Give the place back."""
        self._in_flight -= 1
        self._grant()

    def settle(self, estimated: float, actual: float) -> None:
        """Correct the tokens-per-minute account once the provider has counted."""
        if self._tokens:
            self._tokens.level = min(self._tokens.capacity, self._tokens.level + estimated - actual)

    def report_success(self) -> None:
        """An answer came: allow a little more again."""
        self._allowed = min(self._ceiling, self._allowed + 1.0 / max(self._allowed, 1.0))
        self._share = min(1.0, self._share + RECOVER)

    def report_busy(self, started: float, retry_after_s: float | None) -> None:
        """A 429 came for a request that started at ``started``: pause as told, and go slower.

        A burst of 429s for requests that were under way together counts once.
        """
        now = self._clock()
        if retry_after_s:
            self._paused_until = max(self._paused_until, now + retry_after_s)
        if started > self._shrunk_at:
            self._shrunk_at = now
            self._allowed = max(1.0, self._allowed * SHRINK)
            self._share = max(MIN_SHARE, self._share * SHRINK)

    def _grant(self) -> None:
        while self._queue:
            tokens, future = self._queue[0]
            if future.done():
                self._queue.popleft()
                continue
            if self._in_flight >= self.allowed:
                return
            now = self._clock()
            wait = max(
                self._paused_until - now,
                self._requests.wait_for(1.0, self._share, now) if self._requests else 0.0,
                self._tokens.wait_for(tokens, self._share, now) if self._tokens else 0.0,
            )
            if wait > 0:
                self._wake_in(wait)
                return
            self._queue.popleft()
            if self._requests:
                self._requests.level -= 1.0
            if self._tokens:
                self._tokens.level -= tokens
            self._in_flight += 1
            future.set_result(now)

    def _wake_in(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._grant)


def draw_backoff(attempt: int, retry_after_s: float | None, base_s: float = 0.5, ceiling_s: float = 60.0) -> float:
    """Seconds before attempt ``attempt`` + 1: what the server asked for, or exponential; with jitter, so that the
    requests that failed together do not come back together. Timing decides no row, so its randomness is its own."""
    if retry_after_s is not None:
        return retry_after_s + random.uniform(0, min(1.0, 0.1 + retry_after_s * 0.1))
    return random.uniform(0.5, 1.0) * min(ceiling_s, base_s * 2.0 ** (attempt - 1))
