"""Budgets, prices, spending and plans."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from counterfoil.tasks.llm import AuthorUnavailable, BudgetExceeded, list_unpriced, open_author
from counterfoil.tasks.llm.exchange import Usage
from counterfoil.tasks.llm.price import Price
from counterfoil.tasks.llm.prices import load_prices
from counterfoil.tasks.llm.settings import AuthorSettings

from .conftest import Open, ask_look, ask_script, sum_spending
from .server import Fault, Server


def ask_all(author: object, questions: range) -> tuple[int, int]:
    """How many of ``questions`` were answered, and how many ended at the budget."""
    answered = stopped = 0
    with ThreadPoolExecutor(8) as pool:
        for future in [pool.submit(ask_script, author, f"p{i}") for i in questions]:
            try:
                future.result()
                answered += 1
            except BudgetExceeded:
                stopped += 1
    return answered, stopped


def test_budget_of_requests_is_kept_exactly_and_resumed(open_for: Open, server: Server) -> None:
    server.delay_s = 0.02
    first = open_for("openai", budget_requests=7, concurrency=8)
    assert ask_all(first, range(20)) == (7, 13)
    assert server.arrived == 7
    first.close()
    same = open_for("openai", budget_requests=7)
    with pytest.raises(BudgetExceeded, match="raise the budget and run again"):
        ask_all_in_turn(same, range(20))
    same.close()
    assert server.arrived == 7
    assert ask_all(open_for("openai", budget_requests=100), range(20)) == (20, 0)
    assert server.arrived == 20


def ask_all_in_turn(author: object, questions: range) -> None:
    for i in questions:
        ask_script(author, f"p{i}")


def test_budget_in_usd_is_never_exceeded(kind: str, open_for: Open, server: Server) -> None:
    server.delay_s = 0.01
    author = open_for(kind, budget_usd=0.05, max_tokens=100, concurrency=8)
    answered, stopped = ask_all(author, range(40))
    spent = sum(each.cost_usd for each in sum_spending(author))
    assert answered > 3 and stopped > 3
    assert 0.025 < spent <= 0.05


def test_stored_answers_come_whatever_the_budget(open_for: Open) -> None:
    first = open_for("openai")
    answer = ask_script(first)
    first.close()
    assert ask_script(open_for("openai", budget_requests=0)) == answer


def test_failed_attempts_do_not_use_up_the_budget(open_for: Open, server: Server) -> None:
    server.script.extend([Fault(status=500), Fault("reset"), Fault(status=429)])
    assert ask_script(open_for("openai", budget_requests=1)).code


def test_answer_without_usage_counts_with_what_was_reserved(open_for: Open, server: Server) -> None:
    server.chance = [(1.0, Fault("no_usage"))]
    author = open_for("openai", budget_usd=0.02, max_tokens=100, concurrency=1)
    with pytest.raises(BudgetExceeded):
        ask_all_in_turn(author, range(40))
    assert 0 < server.arrived < 4


def test_unknown_price_with_a_budget_in_usd_is_one_clear_line(tmp_path: Path) -> None:
    section = {"kind": "openai", "model": "my-model", "budget_usd": 5}
    with pytest.raises(
        AuthorUnavailable,
        match=r"price of openai model 'my-model' is unknown: give it in USD .* or use budget_requests",
    ):
        open_author(section, work=tmp_path)


def test_unknown_price_leaves_costs_unknown(open_for: Open) -> None:
    author = open_for("openai", model="my-model")
    answer = ask_script(author)
    assert answer.cost_usd is None
    assert answer.provenance().cost_usd is None
    assert sum_spending(author)[0].unknown == 1


def test_spending_is_counted_by_family_and_prompt(open_for: Open) -> None:
    author = open_for("anthropic")
    ask_script(author, "a")
    ask_script(author, "b")
    ask_look(author)
    spent = {(each.family, each.prompt_id): each for each in sum_spending(author)}
    assert spent["geometry.image", "geometry.script"].requests == 2
    assert spent["geometry.look", "geometry.look"].requests == 1
    total = sum(each.cost_usd for each in spent.values())
    assert total == pytest.approx(
        sum(a.cost_usd for a in (ask_script(author, "a"), ask_script(author, "b"), ask_look(author)))
    )


def test_charge_with_cache_and_batch() -> None:
    price = Price(input=4.0, cached_input=1.0, cache_write=5.0, output=10.0, batch=0.5)
    usage = Usage(input_tokens=1_000_000, output_tokens=100_000, cached_tokens=400_000, cache_write_tokens=100_000)
    assert price.charge(usage) == 0.5 * 4 + 0.4 * 1 + 0.1 * 5 + 0.1 * 10
    assert price.charge(usage, batch=True) == price.charge(usage) / 2


def test_prices_by_exact_name_alias_and_star() -> None:
    table = load_prices()
    assert table.find("openai", "gpt-4o-2024-08-06") == table.find("openai", "gpt-4o")
    assert table.find("openai", "gpt-4o-2099-01-01") is None
    assert table.find("anthropic", "gpt-4o") is None
    own = table.find("vllm", "any/model")
    assert own is not None and own.charge(Usage(10**6, 10**6)) == 0


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[openai.m]\ninput = 1\n", "output: missing"),
        ("[openai.m]\ninput = -1\noutput = 1\n", "input: expected: 0.0 or more"),
        ("[openai.m]\ninput = 1\noutput = 1\ninputs = 2\n", "inputs: Extra inputs"),
        ("not toml", "price table .*prices.toml: "),
    ],
)
def test_price_table_that_is_wrong_is_one_clear_line(tmp_path: Path, text: str, line: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(AuthorUnavailable, match=line):
        load_prices(path)
    with pytest.raises(AuthorUnavailable, match="No such file"):
        load_prices(tmp_path / "absent.toml")


def test_price_of_the_recipe_stands_for_the_table(open_for: Open) -> None:
    answer = ask_script(open_for("openai", model="my-model", price={"input": 1.0, "output": 2.0}, budget_usd=1.0))
    assert answer.cost_usd == pytest.approx((answer.usage.input_tokens + 2 * answer.usage.output_tokens) / 1e6)


def test_models_without_a_price_are_listed() -> None:
    unknown = {"kind": "openai", "model": "my-model"}
    look = {"kind": "anthropic", "model": "my-eye"}
    told = list_unpriced(AuthorSettings(**unknown, look=look))
    assert len(told) == 2 and "'my-model'" in told[0] and "'my-eye'" in told[1]
    assert list_unpriced(AuthorSettings(kind="openai", model="gpt-4o")) == []
    assert list_unpriced(AuthorSettings()) == []
