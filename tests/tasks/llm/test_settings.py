"""The ``[author]`` section: what enters fingerprints, what is refused, and vLLM in-process."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from counterfoil.tasks.llm import AnswerRejected, AuthorUnavailable, open_author
from counterfoil.tasks.llm.asking import Ask
from counterfoil.tasks.llm.settings import AuthorSettings

BASE: dict[str, Any] = {"kind": "openai", "model": "m"}
CONTENT = {
    "kind": "anthropic",
    "model": "n",
    "base_url": "http://other/v1",
    "temperature": 0.0,
    "top_p": 0.5,
    "seed": 0,
    "max_tokens": 5,
    "reasoning_effort": "low",
    "structured": "prompt",
    "repair_attempts": 0,
    "schema_attempts": 0,
}
NEUTRAL = {
    "concurrency": 1,
    "requests_per_minute": 5,
    "tokens_per_minute": 5,
    "timeout_s": 5,
    "retries": 0,
    "batch": True,
    "flex": True,
    "cache": False,
    "batch_poll_s": 5,
    "batch_quiet_s": 1,
    "budget_usd": 5,
    "budget_requests": 5,
    "max_usd_per_row": 0.1,
    "store": "x.sqlite",
    "prices": "p.toml",
    "price": {"input": 1, "output": 2},
    "tokenizer": "t.json",
    "look": {"kind": "openai", "model": "eye"},
}


def identify(**changes: Any) -> dict[str, Any]:
    return AuthorSettings(**BASE | changes).identity()


@pytest.mark.parametrize("name", CONTENT)
def test_what_decides_content_is_in_the_identity(name: str) -> None:
    assert identify(**{name: CONTENT[name]}) != identify()


@pytest.mark.parametrize("name", NEUTRAL)
def test_what_cannot_change_content_is_not(name: str) -> None:
    assert identify(**{name: NEUTRAL[name]}) == identify()


def test_every_setting_is_on_one_side() -> None:
    # Those of examples decide it together (test_examples.py).
    assert set(CONTENT) | set(NEUTRAL) | {"engine", "examples", "examples_from"} == set(AuthorSettings.model_fields)


def test_address_is_normalised_so_that_a_slash_changes_nothing() -> None:
    assert identify(base_url="http://host/v1/") == identify(base_url="http://host/v1")
    assert identify(base_url="https://api.openai.com/v1") == identify()


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ({"kind": "openai"}, "needs a model"),
        ({"kind": "procedural", "model": "m"}, "takes no model"),
        (BASE | {"modell": "m"}, "modell: Extra inputs are not permitted"),
        (BASE | {"base_url": "host/v1"}, "base_url must start with http"),
        (BASE | {"temperature": 3}, "temperature"),
        ({"kind": "vllm", "model": "m", "batch": True}, "batch = true is for openai and anthropic"),
        (BASE | {"flex": True, "batch": True}, "flex = true is for openai, and a batch costs as little"),
        ({"kind": "anthropic", "model": "m", "flex": True}, "flex = true is for openai"),
        (BASE | {"price": {"input": 1}}, "price.output"),
        (BASE | {"engine": {"x": 1}}, "engine is for vllm in-process"),
        ({"kind": "gemini", "model": "m"}, "kind"),
    ],
)
def test_wrong_section_is_one_clear_line(section: dict[str, Any], line: str, tmp_path: Path) -> None:
    with pytest.raises(AuthorUnavailable, match=line) as caught:
        open_author(section, work=tmp_path)
    assert "\n" not in str(caught.value) and str(caught.value).startswith("author")
    with pytest.raises(ValidationError):
        AuthorSettings.model_validate(section)


def test_the_model_that_looks_shares_load_store_and_budget() -> None:
    look = {"kind": "anthropic", "model": "eye", "temperature": 0.0}
    settings = AuthorSettings(**BASE, look=look, concurrency=3, budget_usd=2, store="s", temperature=1.0, batch=True)
    looking = settings.for_looking()
    assert looking is not None
    assert (looking.kind, looking.model, looking.temperature) == ("anthropic", "eye", 0.0)
    assert (looking.concurrency, looking.budget_usd, looking.store, looking.batch) == (3, 2, "s", True)
    assert AuthorSettings(**BASE).for_looking() is None


def test_what_decides_a_look_is_its_own_identity() -> None:
    def identify_look(**changes: Any) -> dict[str, Any] | None:
        look = {"kind": "openai", "model": "eye"} | changes
        return AuthorSettings(**BASE, look=look).identify_look()

    assert identify_look() == identify_look(kind="openai")
    assert len({str(identify_look(**each)) for each in ({}, {"model": "other"}, {"rows": 3}, {"temperature": 0})}) == 4
    assert AuthorSettings(**BASE).identify_look() is None


@pytest.mark.skipif("vllm" in sys.modules, reason="vllm is installed")
def test_vllm_in_process_without_vllm_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(AuthorUnavailable, match=r"needs the vllm package .*; install it in an environment of its own"):
        open_author({"kind": "vllm", "model": "m"}, work=tmp_path)


class StandInEngine:
    """Has the part of ``vllm.LLM`` that is used; no GPU is needed to see that requests are gathered and matched."""

    calls: list[tuple[list[Any], list[Any]]] = []  # noqa: RUF012 - read by the test
    ended: list[str] = []  # noqa: RUF012 - read by the test

    def __init__(self, model: str, **options: Any) -> None:
        self.model, self.options = model, options
        self.llm_engine = SimpleNamespace(engine_core=SimpleNamespace(shutdown=lambda: self.ended.append(model)))

    def chat(self, messages: list[Any], sampling_params: list[Any], use_tqdm: bool) -> list[Any]:
        assert not use_tqdm and threading.current_thread().name.startswith("vllm")
        if any("too long" in each[-1]["content"] for each in messages):
            # As vLLM does: before it works on any, for all of them.
            raise ValueError("the prompt is longer than the maximum model length of 4096")
        type(self).calls.append((messages, sampling_params))
        return [self._answer(each) for each in messages]

    def _answer(self, messages: list[Any]) -> Any:
        text = f"```python\n# {messages[-1]['content'][-40:].split()[-1]}\n```"
        first = SimpleNamespace(text=text, token_ids=[1, 2, 3], finish_reason="stop")
        return SimpleNamespace(outputs=[first], prompt_token_ids=[1] * 10, num_cached_tokens=4)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> type[StandInEngine]:
    vllm, parameters = ModuleType("vllm"), ModuleType("vllm.sampling_params")
    monkeypatch.setattr(vllm, "LLM", StandInEngine, raising=False)
    monkeypatch.setattr(vllm, "SamplingParams", lambda **knobs: knobs, raising=False)
    monkeypatch.setattr(parameters, "StructuredOutputsParams", lambda json: {"json": json}, raising=False)
    monkeypatch.setitem(sys.modules, "vllm", vllm)
    monkeypatch.setitem(sys.modules, "vllm.sampling_params", parameters)
    StandInEngine.calls.clear()
    StandInEngine.ended.clear()
    return StandInEngine


def test_vllm_in_process_gathers_what_waits_into_one_call(tmp_path: Path, engine: type[StandInEngine]) -> None:
    section = {"kind": "vllm", "model": "m", "seed": 3, "concurrency": 64, "engine": {"max_model_len": 4096}}
    author = open_author(section, work=tmp_path)
    assert author is not None
    variables = [{"question": "q", "answer": f"a{i}", "markings": True} for i in range(20)]
    answers = author.ask_many([Ask("geometry.script", each, "f") for each in variables])
    author.close()
    assert [answer.code for answer in answers] == [f"# a{i}\n" for i in range(20)]
    assert len(engine.calls) <= 2
    assert engine.calls[0][1][0] == {"max_tokens": 8192, "seed": 3}
    assert answers[0].usage.input_tokens == 10 and answers[0].usage.cached_tokens == 4 and answers[0].cost_usd == 0
    assert engine.ended == ["m"], "the engine's own processes would keep this one from ending"


def test_prompt_that_vllm_in_process_does_not_take_refuses_itself_alone(
    tmp_path: Path, engine: type[StandInEngine]
) -> None:
    author = open_author({"kind": "vllm", "model": "m", "concurrency": 64}, work=tmp_path)
    assert author is not None
    rows = ["too long" if i in (3, 11) else f"a{i}" for i in range(20)]
    variables = [{"question": "q", "answer": f"{row} a{i}", "markings": True} for i, row in enumerate(rows)]
    answers = author.ask_many([Ask("geometry.script", each, "f") for each in variables])
    author.close()
    refused = [i for i, each in enumerate(answers) if isinstance(each, AnswerRejected)]
    assert refused == [3, 11]
    assert "longer than the maximum model length" in str(answers[3])
    assert sum(len(messages) for messages, _ in engine.calls) == 18, "nothing is worked on twice"


def test_dead_engine_in_process_stops_the_run(
    tmp_path: Path, engine: type[StandInEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    class EngineDeadError(Exception):
        pass

    def chat(*_: Any, **__: Any) -> None:
        raise EngineDeadError("the engine's core has died")

    monkeypatch.setattr(engine, "chat", chat)
    author = open_author({"kind": "vllm", "model": "m"}, work=tmp_path)
    assert author is not None
    with pytest.raises(AuthorUnavailable, match="vLLM: EngineDeadError: the engine's core has died"):
        author.ask("geometry.script", {"question": "q", "answer": "", "markings": True}, family="f")
    author.close()


@pytest.mark.parametrize(
    ("model", "effort", "limit"),
    [
        ("gpt-4o", None, 8192),
        ("gpt-5-mini", None, 32768),
        ("openai/o4-mini", None, 32768),
        ("gpt-5-mini", "none", 8192),
        ("claude-sonnet-4-5", None, 8192),
        ("claude-sonnet-4-5", "low", 32768),
        ("claude-opus-5", None, 32768),
        ("Qwen/Qwen3-32B", None, 32768),
        ("meta-llama/Llama-3.1-8B", None, 8192),
    ],
)
def test_model_that_reasons_is_left_room_for_it(model: str, effort: str | None, limit: int) -> None:
    settings = AuthorSettings(kind="openai", model=model, reasoning_effort=effort)
    assert settings.output_limit == limit
    assert settings.identity()["max_tokens"] == limit
    assert AuthorSettings(kind="openai", model=model, max_tokens=77).output_limit == 77


def test_flex_is_given_a_quarter_of_an_hour() -> None:
    assert AuthorSettings(**BASE).patience_s == 300
    assert AuthorSettings(**BASE, flex=True).patience_s == 900
    assert AuthorSettings(**BASE, flex=True, timeout_s=5).patience_s == 5


@pytest.mark.parametrize(
    ("model", "effort", "seconds"),
    [
        ("gpt-4o", None, 300),
        ("gpt-5-mini", None, 900),
        ("gpt-5-mini", "none", 300),
        ("gpt-5-mini", "high", 1800),
        ("claude-opus-5", "max", 3600),
        ("local/unknown", "low", 600),
    ],
)
def test_model_that_reasons_is_given_time_for_it(model: str, effort: str | None, seconds: float) -> None:
    section: dict[str, Any] = {"kind": "openai", "model": model, "reasoning_effort": effort}
    assert AuthorSettings(**section).patience_s == seconds
    assert AuthorSettings(**section, timeout_s=7).patience_s == 7
    assert AuthorSettings(**section, flex=True).patience_s == max(900, seconds)
