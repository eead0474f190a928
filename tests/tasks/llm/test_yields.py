"""What an accepted row costs: by family, edition of the prompts and model; told, planned and limited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from counterfoil.prompts import load_prompt
from counterfoil.tasks.engine.forecast import Forecast
from counterfoil.tasks.llm import BudgetExceeded, open_author
from counterfoil.tasks.llm.author import Author
from counterfoil.tasks.llm.plan import FamilyDemand, plan_requests
from counterfoil.tasks.llm.store.spending import read_yields
from counterfoil.tasks.llm.yields import Yield

from .conftest import MODELS, Open, ask_script
from .server import Server

FAMILY = "geometry.image"
PROMPTS = ("geometry.script", "geometry.repair")


def make(author: Author, row: int, accepted: int = 1, rejected: int = 0, reasons: Sequence[str] = ()) -> Any:
    """Ask about a row, and say what came of it."""
    answer = ask_script(author, f"problem {row}")
    author.note_made(PROMPTS, f"row {row}", {FAMILY: (accepted, rejected)}, {FAMILY: reasons})
    return answer


def read(author: Author) -> list[Yield]:
    return read_yields(author.settings, None, "")


def test_accepted_rows_and_what_was_paid_for_them(kind: str, open_for: Open) -> None:
    author = open_for(kind)
    answers = [make(author, row, 2, 1) for row in range(3)]
    (found,) = read(author)
    assert (found.family, found.model, found.rows, found.accepted, found.rejected) == (FAMILY, MODELS[kind], 3, 6, 3)
    assert found.prompts == tuple(f"{each} {load_prompt(each).version}" for each in sorted(PROMPTS))
    assert found.usd_per_row == pytest.approx(sum(each.cost_usd for each in answers) / 6)
    assert found.tokens_per_row == sum(each.usage.input_tokens + each.usage.output_tokens for each in answers) / 6


def test_row_that_is_made_again_counts_once_as_it_came_out_last(open_for: Open) -> None:
    author = open_for("openai")
    make(author, 1, 0, 4)
    (before,) = read(author)
    make(author, 1, 3, 1)
    (found,) = read(author)
    assert (found.rows, found.accepted, found.rejected) == (1, 3, 1)
    assert found.cost_usd == before.cost_usd and before.usd_per_row is None


def test_another_version_of_a_prompt_or_model_is_counted_apart(open_for: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    first = open_for("openai")
    make(first, 1)
    make(open_for("openai", temperature=0.5), 1)
    changed = {each: replace(load_prompt(each), sha256=each[::-1], version=99) for each in PROMPTS}
    for place in ("counterfoil.tasks.llm.author", "counterfoil.tasks.llm.yields"):
        monkeypatch.setattr(f"{place}.load_prompt", changed.get)
    make(open_for("openai", seed=4), 1)
    found = read(first)
    assert [each.rows for each in found] == [1, 1, 1] and all(each.cost_usd for each in found)
    assert sum("geometry.script 99" in each.prompts for each in found) == 1


def test_rows_that_cost_too_much_stop_the_run_and_the_next_one_before_it_asks(open_for: Open, server: Server) -> None:
    def make_all(author: Author, rows: range) -> int:
        for row in rows:
            make(author, row, int(row % 5 == 0), 1, ["claims_read", *["no_renaming"] * 2][: 1 + 2 * (row % 4 == 0)])
        return len(rows)

    author = open_for("openai", max_usd_per_row=1e-6)
    with pytest.raises(BudgetExceeded, match=r"costs 0\.\d+ USD, and max_usd_per_row = 1e-06: ") as stopped:
        make_all(author, range(40))
    told = "20 source rows gave 4 accepted rows and 20 rejects (claims_read in 20 source rows, no_renaming in 5);"
    assert told in str(stopped.value)
    assert server.arrived == 20
    with pytest.raises(BudgetExceeded, match="costs"):
        make(open_for("openai", max_usd_per_row=1e-6), 30)
    assert server.arrived == 20
    assert make_all(open_for("openai", max_usd_per_row=10.0), range(40)) == 40


def test_rows_none_of_which_is_accepted_stop_the_run_too(open_for: Open, server: Server) -> None:
    author = open_for("openai", max_usd_per_row=1e-6)
    with pytest.raises(BudgetExceeded, match="costs more than"):
        for row in range(40):
            make(author, row, 0, 2)
    assert server.arrived == 20


def test_changed_settings_of_the_model_may_go_on(open_for: Open) -> None:
    author = open_for("openai", max_usd_per_row=1e-6)
    for row in range(20):
        make(author, row)
    assert make(open_for("openai", max_usd_per_row=1e-6, temperature=0.1), 30)
    with pytest.raises(BudgetExceeded):
        make(open_for("openai", max_usd_per_row=1e-6), 30)


def test_courier_keeps_what_came_of_rows(server: Server, tmp_path: Path) -> None:
    section = {"kind": "openai", "model": "gpt-4o", "base_url": server.openai_url}
    author = open_author(section, work=tmp_path, apart=True)
    assert isinstance(author, Author)
    make(author, 1)
    ask_script(author, "what is noted before is kept by then")
    author.close()
    (found,) = read_yields(author.settings, tmp_path, "")
    assert (found.rows, found.accepted) == (1, 1)


def test_plan_tells_what_an_accepted_row_costs(open_for: Open, tmp_path: Path) -> None:
    author = open_for("openai")
    demand = FamilyDemand(FAMILY, 10, PROMPTS, 2)
    (assumed,) = plan_requests(author.settings, [demand], work=tmp_path).costs
    whole = plan_requests(author.settings, [demand], work=tmp_path)
    assert assumed.accepted is None and assumed.usd == pytest.approx((whole.usd or 0.0) / 20, rel=1e-3)
    for row in range(3):
        make(author, row, 2, 1)
    (known,) = plan_requests(author.settings, [demand], work=tmp_path).costs
    (found,) = read(author)
    assert (known.accepted, known.rejected, known.usd) == (6, 3, found.usd_per_row)
    others = open_for("openai", temperature=0.5)
    asked_before, not_asked = plan_requests(others.settings, [demand], work=tmp_path).costs
    assert asked_before == known and not_asked.accepted is None
    make(others, 4, 0, 2)
    (none,) = (each for each in plan_requests(others.settings, [demand], work=tmp_path).costs if not each.accepted)
    (spent,) = (each for each in read(others) if not each.accepted)
    assert (none.accepted, none.rejected, none.usd) == (0, 2, spent.cost_usd)
    assert none.tokens == spent.input_tokens + spent.output_tokens


def test_rest_of_a_stage_is_foreseen_at_the_yield_of_its_own_rows() -> None:
    told: list[str] = []
    before = Yield(FAMILY, (), "m", 100, 0, 0, 100, 0, 0, 50.0, 0, "e")
    now = [before]
    forecast = Forecast([FAMILY], 60, lambda: now, told.append)
    now[0] = Yield(FAMILY, (), "m", 119, 30, 8, 119, 3000, 0, 50.19, 0, "e")
    forecast.advance(19)
    assert told == []
    now[0] = Yield(FAMILY, (), "m", 120, 40, 10, 120, 4000, 0, 50.2, 0, "e")
    forecast.advance(1)
    forecast.advance(5)
    assert told == [
        f"{FAMILY}: 20 source rows gave 40 accepted rows (100 tokens and 0.005 USD each) and 10 rejects; "
        "40 source rows more will cost about 0.4 USD"
    ]
