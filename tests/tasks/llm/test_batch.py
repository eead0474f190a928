"""Batch mode: gathered, handed in once, matched by custom id, continued item by item."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from counterfoil.tasks.llm import AnswerRejected, AuthorError, AuthorUnavailable, BudgetExceeded
from counterfoil.tasks.llm.asking import Answer
from tests.patience import PATIENCE_S

from .conftest import Open, ask_look, ask_script, sum_spending
from .server import Server, last_text


def ask_all(author: Any, count: int) -> list[Any]:
    """Ask ``count`` questions at once; errors stand where their answers would."""

    def one(i: int) -> Any:
        try:
            return ask_script(author, f"problem {i}")
        except AuthorError as error:
            return error

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


def test_waiting_rows_become_one_batch_at_half_price(kind: str, open_for: Open, server: Server) -> None:
    server.reply = lambda body: f"```python\n# {re.findall('problem ([0-9]+)', last_text(body))[0]}\n```"
    batched = ask_all(open_for(kind, batch=True), 20)
    assert len(server.batches) == 1
    assert [int(answer.code.removeprefix("# ")) for answer in batched] == list(range(20))
    assert server.arrived == 0
    direct = ask_script(open_for(kind), "problem 00")
    assert batched[0].cost_usd == pytest.approx(direct.cost_usd / 2, rel=0.05)


def test_batch_and_direct_requests_are_the_same_request(kind: str, open_for: Open, server: Server) -> None:
    first = ask_script(open_for(kind, batch=True))
    assert ask_script(open_for(kind)) == first
    assert server.arrived == 0


@pytest.mark.parametrize("fault", ["expired", "errored", "missing"])
def test_items_without_an_answer_are_continued_one_by_one(
    kind: str, fault: str, open_for: Open, server: Server
) -> None:
    server.item_faults = {2: fault, 5: fault}
    server.expire_batch = fault == "expired"
    answers = ask_all(open_for(kind, batch=True), 8)
    assert all(answer.code for answer in answers)
    assert [len(batch.items) for batch in server.batches.values()] == [8, 2]
    assert set(server.count_answered().values()) == {1}


def test_item_that_fails_in_two_batches_is_asked_directly(kind: str, open_for: Open, server: Server) -> None:
    author = open_for(kind, batch=True)
    original = server._finish_if_due

    def always_failing(batch: Any) -> None:
        server.item_faults = {0: "errored"}
        original(batch)

    server._finish_if_due = always_failing
    assert ask_script(author).code
    assert len(server.batches) == 2
    assert server.arrived == 1


def test_item_that_is_refused_rejects_its_row_only(kind: str, open_for: Open, server: Server) -> None:
    server.item_faults = {1: "invalid"}
    answers = ask_all(open_for(kind, batch=True), 4)
    rejected = [answer for answer in answers if isinstance(answer, AnswerRejected)]
    assert len(rejected) == 1 and "scripted invalid" in rejected[0].reason
    assert len(server.batches) == 1


def test_batch_that_is_refused_as_a_whole_is_one_clear_line(open_for: Open, server: Server) -> None:
    server.fail_batch = "the file has too many tokens"
    author = open_for("openai", batch=True)
    with pytest.raises(AuthorUnavailable, match="the batch was refused: the file has too many tokens"):
        ask_script(author)


def test_line_separator_in_an_answer_ends_no_line(kind: str, open_for: Open, server: Server) -> None:
    server.reply = lambda body: f"```python\n# a\u2028b\x85c {last_text(body)[-20:]}\n```"
    answers = ask_all(open_for(kind, batch=True), 5)
    assert all("a\u2028b\x85c" in answer.code for answer in answers)
    assert len(server.batches) == 1


RESULTS = ("cut", "html", "gone", "empty", "short")
"""What comes in place of a batch's results: cut in the middle, a page, a 404, nothing, or without its last lines."""


@pytest.mark.parametrize("trouble", RESULTS)
def test_results_that_cannot_be_had_for_a_while_are_downloaded_again(
    kind: str, trouble: str, open_for: Open, server: Server
) -> None:
    server.break_results = (trouble, 3)
    outcomes = ask_all(open_for(kind, batch=True, batch_quiet_s=1.0, batch_poll_s=0.02), 6)
    assert all(isinstance(each, Answer) for each in outcomes)
    assert [len(batch.items) for batch in server.batches.values()] == [6]
    assert server.arrived == 0


@pytest.mark.parametrize("trouble", RESULTS)
def test_results_that_cannot_be_had_are_left_to_the_next_run_and_never_handed_in_again(
    kind: str, trouble: str, open_for: Open, server: Server
) -> None:
    server.break_results = (trouble, 10**9)
    first = open_for(kind, batch=True, batch_quiet_s=1.0, batch_poll_s=0.02)
    lost = [str(each) for each in ask_all(first, 6) if not isinstance(each, Answer)]
    assert lost and "has ended and is paid for" in lost[0] and "Nothing is handed in again" in lost[0]
    first.close()
    server.break_results = None
    assert all(isinstance(each, Answer) for each in ask_all(open_for(kind, batch=True), 6))
    assert [len(batch.items) for batch in server.batches.values()] == [6]
    assert server.arrived == 0


def test_line_that_stays_cut_costs_its_own_row_and_is_not_paid_again(kind: str, open_for: Open, server: Server) -> None:
    server.item_faults = {2: "cut"}
    first = open_for(kind, batch=True, batch_quiet_s=1.0, batch_poll_s=0.02)
    outcomes = ask_all(first, 6)
    (lost,) = (each for each in outcomes if not isinstance(each, Answer))
    assert isinstance(lost, AnswerRejected) and lost.code == "llm_request"
    first.close()
    again = ask_all(open_for(kind, batch=True, batch_poll_s=0.02), 6)
    assert [isinstance(each, Answer) for each in again] == [isinstance(each, Answer) for each in outcomes]
    assert [len(batch.items) for batch in server.batches.values()] == [6]


def test_half_failed_batch_is_read_line_by_line(kind: str, open_for: Open, server: Server) -> None:
    """More lines are refused than requests in a row may be: the others of the batch show that the recipe is right."""
    server.item_faults = dict.fromkeys(range(0, 48, 2), "invalid")
    outcomes = ask_all(open_for(kind, batch=True, batch_quiet_s=2.0), 48)
    assert sum(isinstance(each, Answer) for each in outcomes) == 24
    assert sum(isinstance(each, AnswerRejected) for each in outcomes) == 24
    assert len(server.batches) == 1


@pytest.mark.parametrize("skew_s", [-7200.0, 7200.0])
def test_lost_confirmation_is_found_whatever_the_provider_s_clock_says(
    kind: str, skew_s: float, open_for: Open, server: Server
) -> None:
    server.lose_confirmation = 1
    server.clock_skew_s = skew_s
    answers = ask_all(open_for(kind, batch=True, batch_quiet_s=1.0), 5)
    assert all(isinstance(each, Answer) for each in answers)
    assert len(server.batches) == 1


def test_batch_that_is_not_found_is_not_handed_in_again(kind: str, open_for: Open, server: Server) -> None:
    server.hide_batches = True
    first = open_for(kind, batch=True, batch_quiet_s=1.0, batch_poll_s=0.02)
    assert all(isinstance(each, AuthorUnavailable) for each in ask_all(first, 3))
    first.close()
    server.hide_batches = False
    assert all(isinstance(each, Answer) for each in ask_all(open_for(kind, batch=True), 3))
    assert len(server.batches) == 1


def test_full_queue_of_batches_is_waited_for(open_for: Open, server: Server) -> None:
    server.queue_limit = 3
    answers = ask_all(open_for("openai", batch=True, batch_quiet_s=1.0), 8)
    assert all(answer.code for answer in answers)
    taken = [len(batch.items) for batch in server.batches.values() if not batch.full]
    assert sum(taken) == 8 and max(taken) <= 3
    assert set(server.count_answered().values()) == {1}


def test_no_credit_in_a_batch_stops_the_run_and_keeps_what_was_answered(
    kind: str, open_for: Open, server: Server
) -> None:
    server.item_faults = {3: "credit", 4: "credit"}
    first = open_for(kind, batch=True, batch_quiet_s=1.0)
    outcomes = ask_all(first, 6)
    assert sum(isinstance(each, Answer) for each in outcomes) == 4
    assert all(isinstance(each, Answer) or "no credit or quota left" in str(each) for each in outcomes)
    assert all(isinstance(each, Answer | AuthorUnavailable) for each in outcomes)
    with pytest.raises(AuthorUnavailable, match="no credit"):
        ask_script(first, "another")
    first.close()
    assert all(each.code for each in ask_all(open_for(kind, batch=True), 6))
    assert set(server.count_answered().values()) == {1}


def test_batch_that_nobody_asks_for_any_more_is_fetched_all_the_same(kind: str, open_for: Open, server: Server) -> None:
    """Its prompt was changed after a kill, say: what was handed in is paid for and counts as spent."""
    server.polls_until_done = 10**9
    first = open_for(kind, batch=True)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(ask_script, first, "the old question")
        wait_until(lambda: any(batch.polls for batch in server.batches.values()))
        first.close()
        assert future.exception(10)
    server.polls_until_done = 1
    second = open_for(kind, budget_requests=2)
    wait_until(lambda: sum(each.requests for each in sum_spending(second)) == 1)
    assert ask_script(second, "the new question").code
    with pytest.raises(BudgetExceeded):
        ask_script(second, "a third")


def test_confirmation_that_is_lost_does_not_hand_the_batch_in_twice(kind: str, open_for: Open, server: Server) -> None:
    server.lose_confirmation = 1
    answers = ask_all(open_for(kind, batch=True), 5)
    assert all(answer.code for answer in answers)
    assert len(server.batches) == 1


def test_schema_violation_is_repaired_in_a_second_batch(kind: str, open_for: Open, server: Server) -> None:
    good = server.reply
    server.reply = lambda body: good(body) if len(body["messages"]) > 2 else "{}"
    answer = ask_look(open_for(kind, batch=True))
    assert (answer.attempts, len(server.batches)) == (2, 2)


def test_closing_leaves_the_batch_for_the_next_author(kind: str, open_for: Open, server: Server) -> None:
    server.polls_until_done = 10**9
    first = open_for(kind, batch=True)
    pool = ThreadPoolExecutor(5)
    futures = [pool.submit(ask_script, first, f"problem {i}") for i in range(5)]
    wait_until(lambda: any(batch.polls for batch in server.batches.values()))
    first.close()
    assert all(future.exception(10) for future in futures)
    server.polls_until_done = 1
    answers = ask_all(open_for(kind, batch=True), 5)
    assert all(answer.code for answer in answers)
    assert len(server.batches) == 1
    pool.shutdown()


def test_author_without_batch_mode_waits_for_an_open_batch(kind: str, open_for: Open, server: Server) -> None:
    server.polls_until_done = 10**9
    first = open_for(kind, batch=True)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(ask_script, first, "problem 0")
        wait_until(lambda: any(batch.polls for batch in server.batches.values()))
        first.close()
        assert future.exception(10)
    server.polls_until_done = 1
    assert ask_script(open_for(kind), "problem 0").code
    assert server.arrived == 0


def test_poll_that_fails_is_repeated(kind: str, open_for: Open, server: Server) -> None:
    original, failures = server._finish_if_due, [0]

    def fail_twice(batch: Any) -> None:
        failures[0] += 1
        if failures[0] <= 2:
            raise ConnectionResetError
        original(batch)

    server._finish_if_due = fail_twice
    assert ask_script(open_for(kind, batch=True)).code
    assert len(server.batches) == 1


def test_budget_of_requests_holds_in_a_batch(open_for: Open, server: Server) -> None:
    answers = ask_all(open_for("openai", batch=True, budget_requests=3), 9)
    assert sum(isinstance(answer, Answer) for answer in answers) == 3
    assert sum(isinstance(answer, BudgetExceeded) for answer in answers) == 6
    assert sum(len(batch.items) for batch in server.batches.values()) == 3


def wait_until(condition: Any) -> None:
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)
