"""Load: retries, limits, timeouts, and one clear line when it cannot go on."""

from __future__ import annotations

import asyncio
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from counterfoil.tasks.llm import AuthorError, AuthorUnavailable, open_author
from counterfoil.tasks.llm.limits import Limiter, draw_backoff
from counterfoil.tasks.llm.providers.faults import parse_retry_after
from counterfoil.tasks.llm.sending import BUSY_PATIENCE

from .conftest import Open, ask_script
from .server import Fault, Server

TRANSIENT = {
    "408": Fault(status=408),
    "409": Fault(status=409),
    "429": Fault(status=429),
    "429-retry-after": Fault(status=429, headers={"retry-after": "0.1"}),
    "500": Fault(status=500),
    "503": Fault(status=503),
    "529": Fault(status=529),
    "reset": Fault("reset"),
    "truncated": Fault("truncate"),
    "garbage": Fault("garbage"),
}


@pytest.mark.parametrize("fault", TRANSIENT.values(), ids=TRANSIENT.keys())
def test_transient_fault_is_retried(kind: str, fault: Fault, open_for: Open, server: Server) -> None:
    server.script.append(fault)
    assert ask_script(open_for(kind)).attempts == 1
    assert server.arrived == 2


def test_slow_drip_ends_at_the_timeout_and_is_retried(kind: str, open_for: Open, server: Server) -> None:
    server.script.append(Fault("drip", seconds=0.05))
    assert ask_script(open_for(kind, timeout_s=2)).code
    assert server.arrived == 2


def test_random_faults_lose_nothing(kind: str, open_for: Open, server: Server) -> None:
    kinds = ["reset", "truncate", "garbage"]
    statuses = [Fault(status=429, headers={"retry-after": "0.05"}), Fault(status=429), Fault(status=500)]
    server.chance = [(0.05, fault) for fault in [*map(Fault, kinds), *statuses]]
    author = open_for(kind, concurrency=16, retries=30)
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda i: ask_script(author, f"problem {i}"), range(60)))
    assert len({answer.request_sha256 for answer in answers}) == 60
    assert set(server.count_answered().values()) == {1}


def test_one_slow_request_holds_nobody_else(open_for: Open, server: Server) -> None:
    server.script.append(Fault("slow", until=lambda: sum(each.answered for each in server.log) == 39))
    author = open_for("openai", concurrency=4)
    with ThreadPoolExecutor(40) as pool:
        slow = pool.submit(ask_script, author, "slow")
        while not server.arrived:
            time.sleep(0.01)
        others = [pool.submit(ask_script, author, f"fast {i}") for i in range(39)]
        assert all(each.result().code for each in others)
        assert slow.result().code


def test_concurrency_limit_holds(open_for: Open, server: Server) -> None:
    server.delay_s = 0.02
    seen: list[int] = []
    reply = server.reply

    def count(body: dict) -> str:
        seen.append(server.arrived - sum(each.answered for each in server.log))
        return reply(body)

    server.reply = count
    author = open_for("openai", concurrency=3)
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda i: ask_script(author, f"p{i}"), range(24)))
    assert max(seen) <= 3


def test_rate_limit_of_the_server_is_learnt(open_for: Open, server: Server) -> None:
    """A server that takes 20 a second, asked by 16 at once: fewer are asked at once, and each is answered once."""
    server.limit_per_second = 20
    author = open_for("openai", concurrency=16, retries=30)
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda i: ask_script(author, f"p{i}"), range(80)))
    assert author._line.sender._limiter.allowed < 16
    assert server.arrived > 80, "the limit was reached"
    assert sorted(server.count_answered().values()) == [1] * 80


def test_server_that_never_answers_stops_the_run_in_one_line(kind: str, open_for: Open, server: Server) -> None:
    server.chance = [(1.0, Fault(status=500, text="overloaded"))]
    with pytest.raises(AuthorUnavailable, match=r"no answer after 2 attempts: .*500: overloaded"):
        ask_script(open_for(kind, retries=1))


def test_request_that_alone_keeps_failing_rejects_its_row(open_for: Open, server: Server) -> None:
    author = open_for("openai", retries=1)
    broken = {"on": True}
    good = server.reply

    def refuse_poison(body: dict) -> str:
        if "poison" in str(body) and broken["on"]:
            raise ConnectionResetError
        return good(body)

    server.reply = refuse_poison
    with ThreadPoolExecutor(2) as pool:
        poison = pool.submit(ask_script, author, "poison")
        time.sleep(0.1)
        ask_script(author, "fine")
        with pytest.raises(Exception, match=r"llm_request: 2 attempts failed while other requests were answered"):
            poison.result()


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        (Fault(status=401, text="bad key"), r"refused the key in \w+_API_KEY \(401\): bad key"),
        (Fault(status=404, text="no such model"), r"does not know model '.*' or the address \(404\): no such model"),
        (Fault(status=429, text="pay first", code="insufficient_quota"), r"no credit or quota left \(429\): pay first"),
        (
            Fault(status=400, text="Your credit balance is too low", code="invalid_request_error"),
            r"no credit or quota left \(400\): Your credit balance is too low",
        ),
        (
            Fault(status=400, text="You have reached your specified API usage limits.", code="invalid_request_error"),
            r"no credit or quota left \(400\): You have reached your specified API usage limits",
        ),
    ],
    ids=["key", "model", "quota", "credit", "usage"],
)
def test_what_no_retry_helps_is_said_at_once(
    kind: str, open_for: Open, server: Server, fault: Fault, line: str
) -> None:
    server.script.append(fault)
    with pytest.raises(AuthorUnavailable, match=line) as caught:
        ask_script(open_for(kind))
    assert "\n" not in str(caught.value)
    assert server.arrived == 1


@pytest.mark.parametrize("status", [429, 503, 529])
def test_busy_server_is_given_minutes_and_not_a_few_attempts(
    kind: str, status: int, open_for: Open, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("counterfoil.tasks.llm.sending.draw_backoff", lambda *_: 0.001)
    server.script.extend([Fault(status=status)] * 20)
    assert ask_script(open_for(kind, retries=6)).code
    assert server.arrived == 21


def test_patience_with_a_busy_server_is_a_quarter_of_an_hour() -> None:
    waits = [draw_backoff(attempt, None) for attempt in range(1, 6 * BUSY_PATIENCE + 1)]
    assert 12 * 60 < sum(waits) < 25 * 60


def test_row_of_refusals_after_answers_stops_the_run(open_for: Open, server: Server) -> None:
    author = open_for("anthropic", concurrency=1)
    assert ask_script(author, "fine").code
    server.chance = [(1.0, Fault(status=400, text="something new is wrong with this account"))]
    outcomes = []
    for i in range(30):
        try:
            ask_script(author, f"p{i}")
        except AuthorError as error:
            outcomes.append(type(error).__name__)
    assert outcomes.count("AnswerRejected") == 19
    assert server.arrived == 21


def test_recipe_that_the_server_refuses_stops_after_a_few(open_for: Open, server: Server) -> None:
    server.chance = [(1.0, Fault(status=400, text="temperature is not supported"))]
    author = open_for("anthropic", concurrency=1)
    outcomes = []
    for i in range(20):
        try:
            ask_script(author, f"p{i}")
        except AuthorError as error:
            outcomes.append(type(error).__name__)
    assert outcomes.count("AnswerRejected") == 4
    assert server.arrived == 5


def test_unreachable_address_is_one_clear_line(kind: str, tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    author = open_author({"kind": kind, "model": "m", "base_url": f"http://127.0.0.1:{port}/v1"}, work=tmp_path)
    assert author is not None
    with pytest.raises(AuthorUnavailable, match=rf"127\.0\.0\.1:{port}.*Connect"):
        ask_script(author)
    author.close()


def test_procedural_author_is_none(tmp_path: Path) -> None:
    assert open_author({"kind": "procedural"}, work=tmp_path) is None


def test_retry_after_in_all_its_forms() -> None:
    assert parse_retry_after({"retry-after-ms": "250"}) == 0.25
    assert parse_retry_after({"retry-after": "7"}) == 7
    assert parse_retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert parse_retry_after({"retry-after": "soon"}) is None
    assert parse_retry_after({"retry-after": "nan"}) is None
    assert parse_retry_after({}) is None


def test_backoff_waits_at_least_what_the_server_asked_for() -> None:
    assert all(draw_backoff(1, 2.0) >= 2.0 for _ in range(50))
    assert all(0.25 <= draw_backoff(1, None) <= 0.5 for _ in range(50))
    assert max(draw_backoff(50, None) for _ in range(50)) <= 60


class TestLimiter:
    """On a clock of its own, so that nothing here depends on the machine."""

    def run(self, requests: int, tokens: float, seconds: float, **limits: float) -> int:

        class Loop(asyncio.SelectorEventLoop):
            now = 0.0

            def time(self) -> float:
                return self.now

            def _run_once(self) -> None:
                if not self._ready and self._scheduled:
                    self.now = max(self.now, self._scheduled[0].when())
                super()._run_once()

        async def play() -> int:
            loop = asyncio.get_running_loop()
            limiter = Limiter(1000, clock=loop.time, **limits)
            started = []

            async def one() -> None:
                started.append(await limiter.start(tokens))

            tasks = [asyncio.create_task(one()) for _ in range(requests)]
            await asyncio.sleep(seconds)
            for task in tasks:
                task.cancel()
            return sum(when <= seconds for when in started)

        loop = Loop()
        try:
            return loop.run_until_complete(play())
        finally:
            loop.close()

    def test_requests_per_minute(self) -> None:
        assert self.run(1000, 0, 60.0, requests_per_minute=120) in range(120, 124)

    def test_tokens_per_minute(self) -> None:
        assert self.run(1000, 500, 60.0, tokens_per_minute=60_000) in range(120, 124)

    def test_request_larger_than_a_minute_still_starts(self) -> None:
        assert self.run(3, 100_000, 181.0, tokens_per_minute=60_000) == 2

    def test_429_burst_counts_once_and_recovers(self) -> None:
        now = [0.0]
        limiter = Limiter(100, clock=lambda: now[0])
        now[0] = 1.0
        for _ in range(50):
            limiter.report_busy(started=0.5, retry_after_s=None)
        assert limiter.allowed == 70
        for _ in range(5000):
            limiter.report_success()
        assert limiter.allowed == 100
