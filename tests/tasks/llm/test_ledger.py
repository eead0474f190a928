"""What the provider charges never exceeds the budget, over all runs together, whatever goes wrong.

The server keeps books of its own: it charges for what it has worked on, whether or not anyone was there to read it.
"""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.tasks.llm import AnswerRejected, AuthorError, AuthorUnavailable, BudgetExceeded, open_author
from counterfoil.tasks.llm.asking import Answer
from counterfoil.tasks.llm.exchange import Usage
from counterfoil.tasks.llm.price import Price
from counterfoil.tasks.llm.store.store import ResponseStore

from .conftest import MODELS, Open, ask_script, reply
from .server import Fault, Refused, Server

PRICE = Price(input=2.0, output=40.0, cached_input=0.5, cache_write=2.5, batch=0.5)
MOST = 60
"""Output tokens that a request allows."""
LOST = ("reset", "truncate", "drip", "garbage", "slow", "gateway", "odd")
"""What goes wrong with a request after the server has worked on it."""
FREE = (429, 500, 503)


class Books:
    """A server that charges for every request that it works on: what it tells, and where it tells nothing, the most."""

    def __init__(self, server: Server, seed: int, faults: tuple[str | int, ...], share: float) -> None:
        self.server, self.random = server, random.Random(seed)
        self.faults, self.share, self.billed, self._arrived = faults, share, 0.0, 0
        self._answer = server._answer
        server._answer = self.answer
        server.random = random.Random(seed)
        server.reply = reply

    def answer(self, api: str, body: dict[str, Any], fault: Fault | None) -> dict[str, Any]:
        lost = self.random.choice(self.faults) if self.faults and self.random.random() < self.share else None
        if isinstance(lost, int):
            raise Refused("", Fault(status=lost))
        # A line of a batch is worked on without a request of its own having arrived.
        direct, self._arrived = self.server.arrived > self._arrived, self.server.arrived
        if lost is None:
            answer = self._answer(api, body, fault)
            told = answer["usage"]
            if api == "openai":
                cached = told["prompt_tokens_details"]["cached_tokens"]
                usage = Usage(told["prompt_tokens"], told["completion_tokens"], cached)
            else:
                cached = told["cache_read_input_tokens"]
                usage = Usage(told["input_tokens"] + cached, told["output_tokens"], cached)
            self.billed += PRICE.charge(usage, batch=not direct)
            return answer
        text = len(json.dumps([body.get("system", ""), body["messages"]]).encode()) // 3
        self.billed += PRICE.bound(text, body.get("max_tokens") or body["max_completion_tokens"], batch=not direct)
        if lost == "odd":
            raise Refused("", Fault("raw", text=json.dumps({"choices": [], "content": None, "usage": "lots"})))
        kinds = {"gateway": Fault(status=502), "drip": Fault("drip", seconds=0.3), "slow": Fault("hang", seconds=0.6)}
        raise Refused("", kinds.get(lost, Fault(lost)))


def ask_all(author: Any, questions: range) -> list[Answer | AuthorError]:
    def ask(index: int) -> Answer | AuthorError:
        try:
            return ask_script(author, f"problem {index}")
        except AuthorError as error:
            return error

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(ask, questions))


def open_at(server: Server, folder: Path, kind: str, **section: Any) -> Any:
    url = server.anthropic_url if kind == "anthropic" else server.openai_url
    author = open_author(
        {
            "kind": kind,
            "model": MODELS[kind],
            "base_url": url,
            "price": PRICE.model_dump(),
            "max_tokens": MOST,
            "timeout_s": 0.4,
            "schema_attempts": 0,
            "retries": 3,
            "concurrency": 4,
        }
        | section,
        work=folder,
    )
    assert author is not None
    return author


@settings(max_examples=12)
@given(
    kind=st.sampled_from(["openai", "anthropic"]),
    seed=st.integers(0, 10**6),
    faults=st.lists(st.sampled_from([*LOST, *FREE]), min_size=1, max_size=4),
    share=st.sampled_from([0.2, 0.5, 1.0]),
    budget=st.sampled_from([0.004, 0.02, 0.06]),
)
def test_no_more_is_charged_than_the_budget_under_any_fault(
    tmp_path_factory: pytest.TempPathFactory,
    kind: str,
    seed: int,
    faults: list[str | int],
    share: float,
    budget: float,
) -> None:
    folder = tmp_path_factory.mktemp("ledger")
    with Server() as server, pytest.MonkeyPatch.context() as patch:
        patch.setattr("counterfoil.tasks.llm.sending.draw_backoff", lambda *_: 0.005)
        books = Books(server, seed, tuple(faults), share)
        for _ in range(3):
            author = open_at(server, folder, kind, budget_usd=budget)
            ask_all(author, range(8))
            author.close()
            assert books.billed <= budget * (1 + 1e-6)


@settings(max_examples=5)
@given(
    kind=st.sampled_from(["openai", "anthropic"]),
    seed=st.integers(0, 10**6),
    lines=st.dictionaries(st.integers(0, 3), st.sampled_from(["expired", "errored", "invalid", "missing", "cut"])),
    results=st.sampled_from(["", "cut", "html", "gone", "empty", "short"]),
    lost=st.integers(0, 1),
    budget=st.sampled_from([0.004, 0.012, 0.06]),
)
def test_no_more_is_charged_than_the_budget_in_batches(
    tmp_path_factory: pytest.TempPathFactory,
    kind: str,
    seed: int,
    lines: dict[int, str],
    results: str,
    lost: int,
    budget: float,
) -> None:
    """Charged by the line, at the batch price; results that cannot be had in the first run are there in the next."""
    folder = tmp_path_factory.mktemp("ledger")
    with Server() as server, pytest.MonkeyPatch.context() as patch:
        patch.setattr("counterfoil.tasks.llm.sending.draw_backoff", lambda *_: 0.005)
        books = Books(server, seed, (), 0.0)
        server.item_faults, server.lose_confirmation = dict(lines), lost
        for run in range(3):
            server.break_results = (results, 10**9) if results and run == 0 else None
            section = {"batch": True, "batch_poll_s": 0.01, "batch_quiet_s": 0.1, "timeout_s": 10.0}
            author = open_at(server, folder, kind, budget_usd=budget, **section)
            ask_all(author, range(4))
            author.close()
            assert books.billed <= budget * (1 + 1e-6)
        assert max(server.count_answered().values(), default=1) == 1


@pytest.mark.parametrize("fault", LOST)
def test_attempt_that_was_not_read_keeps_its_reservation(fault: str, server: Server, tmp_path: Path) -> None:
    """Each of its attempts may be charged: with room for two of them a third is never sent, in no later run either."""
    books = Books(server, 0, (fault,), 1.0)
    one = PRICE.bound(8_000, MOST)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("counterfoil.tasks.llm.sending.draw_backoff", lambda *_: 0.005)
        for _ in range(3):
            author = open_at(server, tmp_path, "openai", budget_usd=2 * one, retries=9)
            with pytest.raises((BudgetExceeded, AnswerRejected)):
                ask_script(author)
            author.close()
    assert 1 <= server.arrived <= 4
    assert books.billed <= 2 * one


def test_budget_that_unread_attempts_hold_says_so(server: Server, tmp_path: Path) -> None:
    server.script.extend([Fault("reset")] * 50)
    author = open_at(server, tmp_path, "openai", budget_usd=0.06, retries=50)
    with (
        pytest.MonkeyPatch.context() as patch,
        pytest.raises(BudgetExceeded, match=r"sent and not read: \d+; they may be charged, and hold 0\.0"),
    ):
        patch.setattr("counterfoil.tasks.llm.sending.draw_backoff", lambda *_: 0.005)
        ask_script(author)
    author.close()


def test_refusals_and_connections_that_were_never_made_cost_nothing(server: Server, tmp_path: Path) -> None:
    author = open_at(server, tmp_path, "openai", budget_usd=0.03, retries=60, timeout_s=10.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("counterfoil.tasks.llm.sending.draw_backoff", lambda *_: 0.005)
        server.script.extend([Fault(status=status) for status in (429, 500, 503) * 10])
        assert ask_script(author).code
    author.close()


def test_ledger_keeps_every_attempt_and_what_it_cost(server: Server, tmp_path: Path) -> None:
    server.script.extend([Fault("reset"), Fault(status=500)])
    author = open_at(server, tmp_path, "openai", timeout_s=10.0)
    answer = ask_script(author)
    author.close()
    with ResponseStore(tmp_path / "answers.sqlite").begin() as connection:
        rows = connection.exec_driver_sql(
            "SELECT state, reserved_usd, billed_usd FROM llm_attempts ORDER BY sent_at"
        ).all()
        (spent,) = connection.exec_driver_sql("SELECT spent_usd FROM llm_ledger").one()
    assert [row[0] for row in rows] == ["unread", "free", "read"]
    assert [row[2] for row in rows] == [None, 0.0, answer.cost_usd]
    assert spent == pytest.approx(rows[0][1] + answer.cost_usd)


@pytest.mark.parametrize("trouble", ["cut", "html", "gone", "short"])
def test_batches_are_charged_by_the_line_and_hold_what_is_not_read(
    kind: str, trouble: str, server: Server, tmp_path: Path
) -> None:
    """Lines that expired or were refused are free; the results of the others cannot be had in the first run."""
    batch = {"batch": True, "batch_poll_s": 0.02, "batch_quiet_s": 0.4}
    server.item_faults = {0: "expired", 1: "errored"}
    server.break_results = (trouble, 10**9)
    first = open_at(server, tmp_path, kind, budget_usd=1.0, **batch)
    ask_all(first, range(6))
    first.close()
    with ResponseStore(tmp_path / "answers.sqlite").begin() as connection:
        (held,) = connection.exec_driver_sql("SELECT spent_usd FROM llm_ledger").one()
    server.break_results = None
    second = open_at(server, tmp_path, kind, budget_usd=1.0, **batch)
    answers = ask_all(second, range(6))
    second.close()
    assert all(isinstance(each, Answer) for each in answers)
    with ResponseStore(tmp_path / "answers.sqlite").begin() as connection:
        (spent,) = connection.exec_driver_sql("SELECT spent_usd FROM llm_ledger").one()
    known = sum(each.cost_usd or 0.0 for each in answers if isinstance(each, Answer))
    assert spent == pytest.approx(known)
    assert held >= 4 * spent / 6
    taken = [sorted(item["custom_id"][:4] for item in batch.items) for batch in server.batches.values()]
    assert max(server.count_answered().values()) == 1, (taken, server.arrived)


def test_rows_that_are_refused_for_good_fail_no_rerun(kind: str, open_for: Open, server: Server) -> None:
    """Thirty of sixty rows, the first of all among them: what was answered and refused before tells nothing new."""
    good = server.reply

    def answer(body: dict[str, Any]) -> str:
        if any(f"problem {index}." in json.dumps(body) for index in range(0, 60, 2)):
            raise Refused("the prompt is not allowed here")
        return good(body)

    server.reply = answer
    for run in range(3):
        author = open_for(kind, concurrency=1)
        outcomes = []
        # In later runs the refused rows come first, one after the other.
        order = range(60) if run == 0 else [*range(0, 60, 2), *range(1, 60, 2)]
        for index in order:
            try:
                outcomes.append(ask_script(author, f"problem {index}."))
            except AnswerRejected as error:
                outcomes.append(error)
        assert sum(isinstance(each, Answer) for each in outcomes) == 30
        author.close()


def test_quick_refusals_wait_for_the_answers_that_are_under_way(open_for: Open, server: Server) -> None:
    good = server.reply

    def answer(body: dict[str, Any]) -> str:
        if "poison" in json.dumps(body):
            raise Refused("the prompt is not allowed here")
        return good(body)

    server.reply = answer
    server.script.extend([Fault("slow", seconds=1.0)] + [None] * 20)
    author = open_for("openai", concurrency=16)
    with ThreadPoolExecutor(16) as pool:
        slow = pool.submit(ask_script, author, "fine")
        refused = [pool.submit(ask_script, author, f"poison {index}") for index in range(8)]
        assert slow.result().code
        assert all(isinstance(each.exception(), AnswerRejected) for each in refused)


def test_account_that_refuses_everything_after_answers_still_stops_the_run(open_for: Open, server: Server) -> None:
    assert ask_script(open_for("openai"), "before").code
    server.chance = [(1.0, Fault(status=400, text="something new is wrong with this account"))]
    author = open_for("openai", concurrency=1)
    assert ask_script(author, "before").code
    outcomes = []
    for index in range(25):
        try:
            ask_script(author, f"p{index}")
        except AuthorError as error:
            outcomes.append(type(error))
    assert outcomes == [AnswerRejected] * 19 + [AuthorUnavailable] * 6
