"""Plans: counted from the prompts, priced from the table, told from the store; nothing is sent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from counterfoil.prompts import PromptError, load_prompt
from counterfoil.tasks.llm.plan import FamilyDemand, RequestPlan, plan_requests
from counterfoil.tasks.llm.settings import AuthorSettings

from .conftest import Open, ask_script
from .server import Server

IMAGE = FamilyDemand(
    "geometry.image", 100, ("geometry.negative_captions", "geometry.edit_script", "geometry.repair"), negatives=10
)
SETTINGS = AuthorSettings(kind="openai", model="gpt-4o")


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch, keys: dict[str, str]) -> None:
    for name in keys:
        monkeypatch.delenv(name)


def test_requests_by_prompt() -> None:
    plan = plan_requests(SETTINGS, [IMAGE, FamilyDemand("geometry.rule", 50, ("geometry.rule",), 10)])
    counts = {row.prompt_id: row.requests for row in plan.rows}
    assert counts == {
        "geometry.negative_captions": 100,
        "geometry.edit_script": 1000,
        "geometry.repair": 250,
        "geometry.rule": 50,
    }
    assert plan.requests == 1400
    assert {row.basis for row in plan.rows} == {"characters"}


def test_usd_by_the_price_table_and_half_in_a_batch() -> None:
    plan = plan_requests(SETTINGS, [IMAGE])
    by_hand = (plan.input_tokens * 2.5 + plan.output_tokens * 10) / 1e6
    assert plan.usd == pytest.approx(by_hand, rel=1e-6)
    batched = plan_requests(SETTINGS.model_copy(update={"batch": True}), [IMAGE])
    assert batched.usd == pytest.approx(by_hand / 2, rel=1e-6)
    assert batched.seconds is None and batched.limited_by.startswith("a batch")


def test_unknown_model_is_unknown_and_never_a_guess() -> None:
    plan = plan_requests(AuthorSettings(kind="openai", model="brand-new"), [IMAGE])
    assert plan.usd is None and {row.usd for row in plan.rows} == {None}
    assert plan.input_tokens > 0


def test_prices_that_the_user_edits(tmp_path: Path) -> None:
    table = tmp_path / "mine.toml"
    table.write_text('[openai."brand-new"]\ninput = 1.0\noutput = 0.0\n')
    plan = plan_requests(AuthorSettings(kind="openai", model="brand-new", prices=str(table)), [IMAGE])
    assert plan.usd == pytest.approx(plan.input_tokens / 1e6, rel=1e-6)


def test_time_at_the_configured_rate() -> None:
    plan = plan_requests(SETTINGS.model_copy(update={"requests_per_minute": 60.0}), [IMAGE])
    assert (plan.seconds, plan.limited_by) == (pytest.approx(plan.requests), "requests_per_minute")
    plan = plan_requests(SETTINGS.model_copy(update={"tokens_per_minute": 60_000.0}), [IMAGE])
    assert plan.limited_by == "tokens_per_minute"
    assert plan.seconds == pytest.approx((plan.input_tokens + plan.output_tokens) / 1000)
    assert plan_requests(SETTINGS, [IMAGE]).seconds is None


def test_past_answers_are_the_better_estimate(
    open_for: Open, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: dict[str, str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", keys["OPENAI_API_KEY"])
    author = open_for("openai")
    answers = [ask_script(author, f"p{i}") for i in range(6)]
    author.close()
    monkeypatch.delenv("OPENAI_API_KEY")
    arrived = server.arrived
    plan = plan_requests(author.settings, [FamilyDemand("geometry.anchor", 1000, ("geometry.script",))], work=tmp_path)
    row = plan.rows[0]
    assert row.basis == "answers"
    assert row.input_tokens == round(1000 * sum(a.usage.input_tokens for a in answers) / 6)
    assert plan.limited_by == "concurrency" and plan.seconds is not None
    assert (plan.stored, plan.requests) == (6, 1000)
    assert plan.spent_usd == pytest.approx(sum(a.cost_usd for a in answers))
    assert server.arrived == arrived


def test_tokenizer_of_the_users_choice(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    settings = SETTINGS.model_copy(update={"tokenizer": str(tmp_path / "tokenizer.json")})
    demand = FamilyDemand("geometry.look", 1, ("geometry.look",), 1, {"caption": "one two three"})
    row = plan_requests(settings, [demand]).rows[0]
    longer = FamilyDemand("geometry.look", 1, ("geometry.look",), 1, {"caption": "one two three four five"})
    assert row.basis == "tokenizer"
    assert plan_requests(settings, [longer]).rows[0].input_tokens == row.input_tokens + 2


def test_unknown_prompt_is_an_error() -> None:
    with pytest.raises(PromptError, match=r"geometry\.poem"):
        plan_requests(SETTINGS, [FamilyDemand("f", 1, ("geometry.poem",))])


def test_what_is_answered_is_not_planned_again_unless_its_prompt_or_model_changed(
    open_for: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: dict[str, str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", keys["OPENAI_API_KEY"])
    author = open_for("openai")
    for i in range(3):
        ask_script(author, f"p{i}")
    author.close()
    demand = [FamilyDemand("geometry.image", 10, ("geometry.script",))]
    assert plan_requests(author.settings, demand, work=tmp_path).requests == 7
    assert plan_requests(author.settings, demand, work=tmp_path, scope="another dataset").requests == 10
    warmer = author.settings.model_copy(update={"temperature": 1.0})
    assert plan_requests(warmer, demand, work=tmp_path).requests == 10
    monkeypatch.setattr(
        "counterfoil.tasks.llm.plan.load_prompt", lambda each: replace(load_prompt(each), sha256="0" * 64)
    )
    assert plan_requests(author.settings, demand, work=tmp_path).requests == 10


def test_reasoning_is_assumed_by_effort_until_answers_tell() -> None:
    def plan(**changes: object) -> RequestPlan:
        return plan_requests(SETTINGS.model_copy(update=changes), [IMAGE])

    plain, thinking, hard = plan(), plan(model="gpt-5"), plan(model="gpt-5", reasoning_effort="high")
    assert plain.reasoning_tokens == 0 and not plain.assumes_reasoning
    assert thinking.assumes_reasoning and thinking.reasoning_tokens == 2000 * thinking.requests
    assert thinking.output_tokens == plain.output_tokens + thinking.reasoning_tokens
    assert hard.reasoning_tokens == 6000 * hard.requests


def test_reasoning_of_stored_answers_is_planned_for_the_next(
    open_for: Open, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: dict[str, str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", keys["OPENAI_API_KEY"])
    server.reasoning_tokens = 333
    author = open_for("openai", model="gpt-5")
    for i in range(5):
        ask_script(author, f"p{i}")
    author.close()
    plan = plan_requests(author.settings, [FamilyDemand("other", 10, ("geometry.script",))], work=tmp_path)
    assert plan.reasoning_tokens == 3330 and not plan.assumes_reasoning


def test_answer_with_ten_negatives_is_planned_longer_than_one_with_two() -> None:
    def plan(negatives: int) -> int:
        demand = FamilyDemand("geometry.rule", 1, ("geometry.rule",), negatives)
        return plan_requests(SETTINGS, [demand]).output_tokens

    assert plan(10) - plan(2) == 8 * load_prompt("geometry.rule").typical_item_tokens > 0
