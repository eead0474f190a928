"""Answers of another shape than the API's are one row's, whatever they hold, and pages in their place are named."""

from __future__ import annotations

import copy
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from counterfoil.tasks.llm import AnswerRejected, AuthorError, AuthorUnavailable
from counterfoil.tasks.llm.asking import Answer
from counterfoil.tasks.llm.store.queue import StoreQueue
from counterfoil.tasks.llm.store.store import ResponseStore

from .conftest import Open, ask_look, ask_script, sum_spending
from .server import Fault, Refused, Server

MESSAGE = {"role": "assistant", "content": "```python\nx = 1\n```", "refusal": None}
CHAT = {
    "id": "c",
    "model": "m",
    "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 1}},
}
ANTHROPIC = {
    "type": "message",
    "model": "m",
    "content": [{"type": "text", "text": "```python\nx = 1\n```"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 10, "output_tokens": 5},
}
ODD: list[Any] = ["lots", [1], {"a": 1}, True, -5, 10**30, float("nan"), float("inf"), 1.5, "\ud800"]


def put(body: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy of ``body`` with ``value`` at a path such as ``choices.0.message``."""
    changed = copy.deepcopy(body)
    node: Any = changed
    *way, last = (int(part) if part.isdigit() else part for part in path.split("."))
    for part in way:
        node = node[part]
    node[last] = value
    return changed


def list_bodies() -> list[tuple[str, dict[str, Any]]]:
    """Bodies of both APIs, each with one field that is not what it must be."""
    bodies: list[tuple[str, dict[str, Any]]] = []
    tokens = ("usage.prompt_tokens", "usage.completion_tokens", "usage.prompt_tokens_details.cached_tokens")
    bodies += [("openai", put(CHAT, path, value)) for path in tokens for value in ODD]
    for path in ("usage.input_tokens", "usage.output_tokens", "usage.cache_read_input_tokens"):
        bodies += [("anthropic", put(ANTHROPIC, path, value)) for value in ODD]
    values = ["text", 7, True, {"a": 1}]
    bodies += [("openai", put(CHAT, path, value)) for path in ("choices", "choices.0", "usage") for value in values[:3]]
    bodies += [("openai", put(CHAT, "choices.0.message", value)) for value in [*values[:3], None, [1]]]
    parts = [{"type": "text", "text": "```python\nx = 1\n```"}]
    for value in (parts, [], {"a": 1}, 7, True):
        bodies.append(("openai", put(CHAT, "choices.0.message.content", value)))
    bodies += [("openai", put(CHAT, "choices", value)) for value in ([], None, {}, [None], [[]])]
    bodies.append(("openai", dict.fromkeys(CHAT)))
    bodies.append(("openai", put(CHAT, "choices.0.finish_reason", 7)))
    bodies += [
        ("anthropic", put(ANTHROPIC, "content", value)) for value in ("text", None, 7, [None], ["a"], [{"a": 1}])
    ]
    bodies += [("anthropic", put(ANTHROPIC, "content.0.text", value)) for value in (None, 7, ["a"])]
    bodies += [("anthropic", put(ANTHROPIC, "usage", value)) for value in ("text", 7, [1])]
    bodies.append(("anthropic", put(ANTHROPIC, "stop_reason", ["end_turn"])))
    bodies.append(("anthropic", dict.fromkeys(ANTHROPIC)))
    return bodies


@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_unreadable_answer_is_one_row_s_and_takes_no_other_with_it(api: str, open_for: Open, server: Server) -> None:
    bodies = [body for each, body in list_bodies() if each == api]
    good = server.reply

    def reply(body: dict[str, Any]) -> str:
        for index, each in enumerate(bodies):
            if f"poison {index}!" in json.dumps(body):
                raise Refused("", Fault("raw", text=json.dumps(each)))
        return good(body)

    server.reply = reply
    author = open_for(api, schema_attempts=0, concurrency=16)
    rows = [row for index in range(len(bodies)) for row in (f"fine {index}!", f"poison {index}!")]

    def ask(row: str) -> Answer | AuthorError:
        try:
            return ask_script(author, row)
        except AuthorError as error:
            return error

    with ThreadPoolExecutor(16) as pool:
        outcomes = dict(zip(rows, pool.map(ask, rows), strict=True))
    assert all(isinstance(outcome, Answer) for row, outcome in outcomes.items() if row.startswith("fine"))
    for index, body in enumerate(bodies):
        outcome = outcomes[f"poison {index}!"]
        assert isinstance(outcome, AnswerRejected) and outcome.code == "llm_unreadable", body
        assert outcome.raw and outcome.details
    assert sum(each.cost_usd for each in sum_spending(author)) >= 0
    arrived = server.arrived
    assert all(type(ask(row)) is type(outcome) for row, outcome in outcomes.items()), "answered is answered"
    assert server.arrived == arrived


@pytest.mark.parametrize(
    "body", ["[]", "{}", "null", "7", '"text"', "[" * 100_000, '{"id": "c"', "", '{"a": ' + "9" * 5000]
)
def test_body_that_holds_no_answer_is_asked_for_again(kind: str, body: str, open_for: Open, server: Server) -> None:
    server.script.append(Fault("raw", text=body))
    assert ask_script(open_for(kind)).attempts == 1
    assert server.arrived == 2


def test_error_in_a_body_with_a_status_of_success_is_that_error(open_for: Open, server: Server) -> None:
    error = {"error": {"code": 402, "message": "Insufficient credits"}}
    server.script.append(Fault("raw", text=json.dumps(error)))
    with pytest.raises(AuthorUnavailable, match=r"no credit or quota left \(402\): Insufficient credits"):
        ask_script(open_for("openai"))


def test_unreadable_answer_is_asked_for_again_like_one_that_breaks_its_schema(open_for: Open, server: Server) -> None:
    server.script.append(Fault("raw", text=json.dumps(put(CHAT, "choices", []))))
    answer = ask_look(open_for("openai"))
    assert answer.attempts == 2
    assert [turn["role"] for turn in server.log[1].body["messages"]][-2:] == ["user", "user"]


def test_server_whose_answers_can_never_be_read_stops_the_run(open_for: Open, server: Server) -> None:
    server.chance = [(1.0, Fault("raw", text=json.dumps(put(CHAT, "choices", []))))]
    author = open_for("openai", schema_attempts=0, concurrency=1)
    outcomes = []
    for index in range(8):
        try:
            ask_script(author, f"p{index}")
        except AuthorError as error:
            outcomes.append(type(error).__name__)
    assert outcomes == ["AnswerRejected"] * 4 + ["AuthorUnavailable"] * 4
    assert server.arrived == 5


@pytest.mark.parametrize(
    ("status", "line"),
    [
        (200, r"no answer after 1 attempts: .* sent an HTML page \('Sign in to Wi-Fi'\) in place of an answer"),
        (403, r"sent \(403\) an HTML page \('Sign in to Wi-Fi'\) in place of an answer: is base_url right"),
        (404, r"sent \(404\) an HTML page"),
        (502, r"no answer after 1 attempts: .* 502: an HTML page"),
    ],
)
def test_page_in_place_of_an_answer_is_named(kind: str, status: int, line: str, open_for: Open, server: Server) -> None:
    page = "<!DOCTYPE html>\n<html><head><title>Sign in\n to Wi-Fi</title></head><body>billing, credits</body></html>"
    server.page = (status, page)
    with pytest.raises(AuthorUnavailable, match=line) as caught:
        ask_script(open_for(kind, retries=0))
    assert "key in" not in str(caught.value) and "credit or quota" not in str(caught.value)


def test_work_that_the_store_cannot_do_fails_alone(tmp_path: Any) -> None:
    import asyncio

    store = ResponseStore(tmp_path / "store.sqlite")
    queue = StoreQueue(store)

    async def run() -> list[Any]:
        insert = "INSERT INTO llm_ledger (scope, requests, spent_usd) VALUES (?, ?, 0)"
        works = [queue.run(lambda c, n=n: c.exec_driver_sql(insert, (str(n), n)).rowcount) for n in (1, 2**70, 3)]
        return await asyncio.gather(*works, return_exceptions=True)

    one, two, three = asyncio.run(run())
    assert (one, three) == (1, 1) and isinstance(two, AuthorUnavailable)
    with store.begin() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM llm_ledger").scalar_one() == 2
    queue.close()
    store.close()
