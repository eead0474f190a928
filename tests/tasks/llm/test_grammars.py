"""The grammars that vLLM's engines build from our schemas admit what our answers hold: LaTeX, quotes and line breaks.

The engines are no dependency of ours: ``pip install llguidance xgrammar outlines_core``.
"""

from __future__ import annotations

import json
import random
import re
import types
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from counterfoil.prompts import list_prompts, load_prompt
from counterfoil.tasks.llm.answers import reduce_schema
from counterfoil.tasks.llm.exchange import Message, Request, Sampling
from counterfoil.tasks.llm.settings import AuthorSettings
from tests.prompts.examples import list_examples
from tests.prompts.test_prompts import VALUES

WORST = 'In \\triangle ABC, "AB" \\perp {BC}\n\t\\frac{a}{b} — é 🙂 \\\\'
END = 256
SCHEMAS = {
    prompt.id: prompt.render({name: VALUES[name] for name in prompt.variables}).schema
    for prompt in list_prompts()
    if prompt.output == "json"
}


def fill(schema: dict[str, Any], text: str) -> Any:
    """An answer that satisfies ``schema``, each text of it ``text``."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: fill(each, text) for name, each in schema["properties"].items()}
    if kind == "array":
        return [fill(schema["items"], text) for _ in range(max(1, schema.get("minItems", 1)))]
    return {"string": text, "boolean": True, "integer": 1, "number": 1}.get(str(kind))


def build_request(schema: dict[str, Any]) -> Request:
    return Request("vllm", "http://x", "m", "", (Message("user", "?"),), Sampling(64), schema=schema)


def send_served(schema: dict[str, Any]) -> dict[str, Any]:
    """What a served vLLM is sent."""
    from counterfoil.tasks.llm.providers.openai_chat import OpenAIChat

    chat = OpenAIChat(AuthorSettings(kind="vllm", model="m", base_url="http://127.0.0.1:1/v1"), "none")
    return chat.build_body(build_request(schema))["extra_body"]["structured_outputs"]["json"]


def send_in_process(schema: dict[str, Any]) -> dict[str, Any]:
    """What vLLM's engine in this process is given."""
    from counterfoil.tasks.llm.providers.vllm_engine import VllmEngine

    engine = VllmEngine.__new__(VllmEngine)
    engine._structured = types.SimpleNamespace
    engine._vllm = types.SimpleNamespace(SamplingParams=types.SimpleNamespace)
    return engine._build_sampling(build_request(schema)).structured_outputs.json


Admits = Callable[[str], bool]


def compile_xgrammar(schema: dict[str, Any]) -> Admits:
    xgrammar = pytest.importorskip("xgrammar", reason="xgrammar is not installed: its grammars go unchecked")
    vocabulary = [bytes([byte]) for byte in range(256)] + [b"</s>"]
    info = xgrammar.TokenizerInfo(vocabulary, xgrammar.VocabType.RAW, stop_token_ids=[END])
    compiled = xgrammar.GrammarCompiler(info, max_threads=1).compile_json_schema(json.dumps(schema))

    def admits(answer: str) -> bool:
        matcher = xgrammar.GrammarMatcher(compiled)
        return all(matcher.accept_token(byte) for byte in answer.encode()) and matcher.accept_token(END)

    return admits


def compile_llguidance(schema: dict[str, Any]) -> Admits:
    llguidance = pytest.importorskip("llguidance", reason="llguidance is not installed: its grammars go unchecked")
    grammar = llguidance.LLMatcher.grammar_from_json_schema(json.dumps(schema))
    tokenizer = llguidance.LLTokenizer("byte")

    def admits(answer: str) -> bool:
        matcher = llguidance.LLMatcher(tokenizer, grammar)
        return all(matcher.consume_token(byte) for byte in answer.encode()) and matcher.is_accepting()

    return admits


def compile_outlines(schema: dict[str, Any]) -> Admits:
    outlines = pytest.importorskip(
        "outlines_core.json_schema", reason="outlines_core is not installed: its grammars go unchecked"
    )
    pattern = re.compile(outlines.build_regex_from_schema(json.dumps(schema)))
    return lambda answer: pattern.fullmatch(answer) is not None


ENGINES: dict[str, Callable[[dict[str, Any]], Admits]] = {
    "xgrammar": compile_xgrammar,
    "llguidance": compile_llguidance,
    "outlines_core": compile_outlines,
}
UNSAYABLE = {"outlines_core": "\n\t"}
"""What an engine's grammar admits in no text at all, whatever the schema: outlines knows no escapes but these two."""


def drop_unsayable(text: str, engine: str) -> str:
    return text.translate(dict.fromkeys(map(ord, UNSAYABLE.get(engine, ""))))


@pytest.mark.parametrize("prompt", SCHEMAS)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("send", [send_served, send_in_process])
def test_grammar_of_a_prompt_admits_latex_quotes_and_line_breaks(
    send: Callable[[dict[str, Any]], dict[str, Any]], engine: str, prompt: str
) -> None:
    schema = SCHEMAS[prompt]
    assert schema is not None
    sent = send(schema)
    assert sent == reduce_schema(schema)
    answer = fill(schema, drop_unsayable(WORST, engine))
    assert ENGINES[engine](sent)(json.dumps(answer, ensure_ascii=False))


def draw_answer(schema: dict[str, Any], rng: random.Random, engine: str) -> Any:
    """An answer that should pass: of drawn texts and lengths, within the whole schema."""
    if "enum" in schema:
        return rng.choice(schema["enum"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    kind = rng.choice(kinds)
    if kind == "object":
        return {name: draw_answer(each, rng, engine) for name, each in schema["properties"].items()}
    if kind == "array":
        count = rng.randint(schema.get("minItems", 0), min(schema.get("maxItems", 4), 4))
        return [draw_answer(schema["items"], rng, engine) for _ in range(count)]
    if kind == "string":
        words = [drop_unsayable(word, engine) for word in rng.choices(WORST.split(" "), k=rng.randint(2, 8))]
        return " ".join([*words, "with a few words"])[: schema.get("maxLength")]
    return {"boolean": rng.random() < 0.5, "null": None}[kind]


@pytest.mark.parametrize("prompt", SCHEMAS)
@pytest.mark.parametrize("engine", ENGINES)
def test_grammar_of_a_prompt_admits_its_worked_examples_and_fifty_answers_and_no_other_form(
    engine: str, prompt: str
) -> None:
    schema = SCHEMAS[prompt]
    assert schema is not None
    admits = ENGINES[engine](reduce_schema(schema))
    loaded = load_prompt(prompt)
    rendered = loaded.render({name: VALUES[name] for name in loaded.variables})
    rng = random.Random(prompt)
    answers = [draw_answer(schema, rng, engine) for _ in range(50)]
    for answer in [*list_examples(f"{rendered.system}\n{rendered.user}"), *answers]:
        Draft202012Validator(schema).validate(answer)
        assert admits(json.dumps(answer, ensure_ascii=False)), answer
    assert not admits(json.dumps({**answers[0], "more": 1}))
    assert not admits(json.dumps(dict(list(answers[0].items())[1:])))


STRICT = {"type", "properties", "required", "additionalProperties", "items", "enum"}
"""The keywords of ours that OpenAI's strict mode and Anthropic's structured outputs both take."""


def list_nodes(schema: Any, depth: int = 0) -> list[tuple[dict[str, Any], int]]:
    """A schema's nodes, each with how many objects it lies in."""
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    deeper = depth + ("properties" in schema)
    return [(schema, depth), *(node for each in inner for node in list_nodes(each, deeper))]


@pytest.mark.parametrize("prompt", SCHEMAS)
def test_schema_that_is_sent_keeps_to_what_openai_and_anthropic_take(prompt: str) -> None:
    """Documented limits: objects closed and all properties required, 5 levels, 100 properties, 500 values of enums."""
    nodes = list_nodes(reduce_schema(SCHEMAS[prompt] or {}))
    assert nodes[0][0]["type"] == "object" and max(depth for _, depth in nodes) <= 5
    assert set().union(*(node for node, _ in nodes)) <= STRICT
    objects = [node for node, _ in nodes if "properties" in node]
    assert all(node["additionalProperties"] is False and node["required"] == [*node["properties"]] for node in objects)
    assert sum(len(node["properties"]) for node in objects) <= 100
    assert sum(len(node.get("enum", ())) for node, _ in nodes) <= 500
