"""What is sent to each provider, and what is read from its answers."""

from __future__ import annotations

import base64
import io
import json

import pytest
from PIL import Image

from counterfoil.prompts import load_prompt
from counterfoil.tasks.llm.answers import reduce_schema
from counterfoil.tasks.llm.asking import Ask
from counterfoil.tasks.llm.errors import AnswerRejected

from .conftest import KEYS, LOOK, Open, ask_look, ask_script, sum_spending
from .server import Fault, Server


def make_png() -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (4, 4), 255).save(buffer, "PNG")
    return buffer.getvalue()


def test_code_answer_and_usage(kind: str, open_for: Open) -> None:
    answer = ask_script(open_for(kind))
    assert answer.code == "import matplotlib.pyplot as plt\nplt.savefig('question.png')\n"
    assert answer.usage.input_tokens > 100 and answer.usage.cached_tokens > 0
    assert answer.cost_usd and answer.cost_usd > 0
    provenance = answer.provenance(seed=3)
    assert (provenance.author, provenance.seed, provenance.prompt_id) == (kind, 3, "geometry.script")
    assert provenance.request_sha256 == answer.request_sha256


def test_schema_answer_with_a_picture(kind: str, open_for: Open, server: Server) -> None:
    picture = make_png()
    answer = ask_look(open_for(kind), images=[picture])
    assert answer.data == LOOK
    sent = json.dumps(server.log[0].body)
    assert base64.b64encode(picture).decode() in sent
    assert "image/png" in sent


def test_schema_is_sent_without_what_hosted_modes_refuse(kind: str, open_for: Open, server: Server) -> None:
    ask_look(open_for(kind))
    body = server.log[0].body
    sent = body["response_format"]["json_schema"] if kind == "openai" else body["output_config"]["format"]
    assert sent.get("strict") is (True if kind == "openai" else None)
    schema = sent["schema"]
    assert schema["required"] == ["observations", "agrees", "disagreement"]
    assert "maxLength" not in json.dumps(schema)


def test_vllm_server_gets_its_own_structured_output_parameter(open_for: Open, server: Server) -> None:
    author = open_for("vllm", seed=5)
    ask_look(author, draw=2)
    body = server.log[0].body
    assert body["structured_outputs"]["json"] == reduce_schema(
        load_prompt("geometry.look").render({"caption": ""}).schema or {}
    )
    assert body["seed"] == 7
    assert "response_format" not in body


def test_prompt_only_structure_sends_no_schema(kind: str, open_for: Open, server: Server) -> None:
    assert ask_look(open_for(kind, structured="prompt")).data == LOOK
    assert not {"response_format", "output_config"} & server.log[0].body.keys()


def test_sampling_reaches_the_provider(kind: str, open_for: Open, server: Server) -> None:
    ask_script(open_for(kind, temperature=0.25, top_p=0.5, max_tokens=77, reasoning_effort="low", seed=1))
    body = server.log[0].body
    assert (body["temperature"], body["top_p"]) == (0.25, 0.5)
    named = {
        "openai": {"max_completion_tokens": 77, "reasoning_effort": "low", "seed": 1},
        "anthropic": {"max_tokens": 77, "output_config": {"effort": "low"}},
    }
    assert body.items() >= named[kind].items()


def test_knobs_that_are_not_set_are_not_sent(kind: str, open_for: Open, server: Server) -> None:
    ask_script(open_for(kind))
    assert not {"temperature", "top_p", "seed", "reasoning_effort", "output_config"} & server.log[0].body.keys()


def test_key_goes_into_the_header_and_nowhere_else(kind: str, open_for: Open, server: Server) -> None:
    ask_script(open_for(kind))
    key = KEYS[f"{kind.upper()}_API_KEY"]
    assert server.log[0].headers["authorization"] == f"Bearer {key}"
    assert key not in json.dumps(server.log[0].body)


def test_schema_violation_is_sent_back_and_repaired(kind: str, open_for: Open, server: Server) -> None:
    wrong = json.dumps(LOOK | {"agrees": "yes"})
    server.script.append(Fault("text", text=wrong))
    answer = ask_look(open_for(kind))
    assert answer.data == LOOK
    assert answer.attempts == 2
    turns = [message for message in server.log[1].body["messages"] if message["role"] != "system"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    assert turns[1]["content"] == wrong
    assert "answer.agrees: 'yes' is not of type 'boolean'" in turns[2]["content"]


def test_answer_that_stays_wrong_is_rejected_with_its_raw_text(kind: str, open_for: Open, server: Server) -> None:
    server.script.extend(Fault("text", text=f"not json {i}") for i in range(3))
    with pytest.raises(AnswerRejected) as caught:
        ask_look(open_for(kind, schema_attempts=2))
    rejected = caught.value
    assert rejected.code == "llm_schema"
    assert rejected.reason.startswith("llm_schema: not JSON")
    assert rejected.raw == "not json 2"
    assert rejected.provenance.attempts == 3
    assert rejected.provenance.cost_usd and rejected.provenance.output_tokens > 0
    assert not rejected.fatal


@pytest.mark.parametrize(
    ("fault", "code"),
    [(Fault("refusal"), "llm_refusal"), (Fault("empty"), "llm_empty"), (Fault("length"), "llm_length")],
    ids=["refusal", "empty", "length"],
)
def test_unusable_answers_are_rejected(kind: str, open_for: Open, server: Server, fault: Fault, code: str) -> None:
    server.script.append(fault)
    with pytest.raises(AnswerRejected) as caught:
        ask_script(open_for(kind, schema_attempts=0))
    assert caught.value.code == code


def test_empty_answer_is_asked_again_without_an_empty_turn(kind: str, open_for: Open, server: Server) -> None:
    server.script.append(Fault("empty"))
    assert ask_script(open_for(kind)).attempts == 2
    assert all(message["content"] for message in server.log[1].body["messages"])


def test_missing_usage_leaves_the_cost_unknown(kind: str, open_for: Open, server: Server) -> None:
    server.script.append(Fault("no_usage"))
    author = open_for(kind)
    assert ask_script(author).cost_usd is None
    assert sum_spending(author)[0].unknown == 1


def test_request_that_the_server_refuses_rejects_the_row(kind: str, open_for: Open, server: Server) -> None:
    server.script.append(Fault(status=400, text="the prompt is too long"))
    with pytest.raises(AnswerRejected, match=r"llm_request: 400: the prompt is too long"):
        ask_script(open_for(kind))


def test_ask_many_keeps_the_order_and_rejects_one_by_one(open_for: Open, server: Server) -> None:

    server.reply = lambda body: json.dumps(LOOK | {"observations": body["messages"][-1]["content"][-4:]})
    asks = [Ask("geometry.look", {"caption": f"n{i:03}"}, "geometry.look") for i in range(40)]
    asks.append(Ask("geometry.script", {"question": "q", "answer": "", "markings": False}, "geometry.image"))
    server.chance = [(0.2, Fault(status=503))]
    answers = open_for("openai", retries=20).ask_many(asks)
    assert [answer.data["observations"] for answer in answers[:40]] == [f"n{i:03}" for i in range(40)]


def test_reduced_schema_keeps_properties_that_are_named_like_keywords() -> None:
    schema = {"type": "object", "properties": {"pattern": {"type": "string", "pattern": "a"}}, "minProperties": 1}
    assert reduce_schema(schema) == {"type": "object", "properties": {"pattern": {"type": "string"}}}


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4o", "max_completion_tokens"),
        ("openai/gpt-5-mini", "max_completion_tokens"),
        ("ft:gpt-4.1:us::1", "max_completion_tokens"),
        ("o4-mini", "max_completion_tokens"),
        ("openai/gpt-oss-20b", "max_tokens"),
        ("Qwen/Qwen3-8B", "max_tokens"),
    ],
)
def test_name_of_the_token_limit_goes_by_the_model(model: str, name: str, open_for: Open, server: Server) -> None:
    ask_script(open_for("openai", model=model, max_tokens=77))
    body = server.log[0].body
    assert body[name] == 77
    assert len({"max_tokens", "max_completion_tokens"} & body.keys()) == 1


@pytest.mark.parametrize(
    "refusal",
    [
        "Unsupported parameter: 'max_completion_tokens' is not supported here. Use 'max_tokens' instead.",
        "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens')}]",
    ],
)
@pytest.mark.parametrize("batch", [False, True])
def test_server_that_wants_the_other_name_of_the_limit_gets_it(
    refusal: str, batch: bool, open_for: Open, server: Server
) -> None:
    if batch:
        server.item_faults, server.item_message = {0: "invalid"}, refusal
    else:
        server.script.append(Fault(status=400, text=refusal))
    author = open_for("openai", batch=batch)
    assert ask_script(author).code
    assert ask_script(author, "another").code
    sent = [each.body for each in server.log]
    assert [("max_tokens" in body, "max_completion_tokens" in body) for body in sent] == [
        (False, True),
        (True, False),
        (True, False),
    ]


def test_flex_is_asked_for_and_costs_half(open_for: Open, server: Server) -> None:
    section = {"model": "gpt-5-mini"}
    flexed = ask_script(open_for("openai", **section, flex=True))
    assert server.log[0].body["service_tier"] == "flex"
    plain = ask_script(open_for("openai", **section), "Draw!")
    assert "service_tier" not in server.log[1].body
    assert flexed.cost_usd == pytest.approx(plain.cost_usd / 2, rel=0.02)


def test_reasoning_tokens_are_counted(kind: str, open_for: Open, server: Server) -> None:
    server.reasoning_tokens = 700
    author = open_for(kind)
    answer = ask_script(author)
    assert answer.usage.reasoning_tokens == 700 and answer.usage.output_tokens > 700
    assert sum_spending(author)[0].reasoning_tokens == 700


def test_what_all_rows_share_is_marked_for_the_cache(open_for: Open, server: Server) -> None:
    author = open_for("anthropic")
    ask_script(author, "one")
    ask_script(author, "two")
    ask_script(open_for("anthropic", cache=False), "three")
    first, second, without = (each.body for each in server.log)
    (block,) = first["system"]
    assert block["cache_control"] == {"type": "ephemeral"}
    assert second["system"] == first["system"] and second["messages"] != first["messages"]
    assert without["system"] == block["text"]
