"""The grammars that vLLM's engines build from our schemas admit what our answers hold: LaTeX, quotes and line breaks.

The engines are no dependency of ours: ``pip install llguidance xgrammar outlines_core``.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable
from typing import Any

import pytest

from prompts import list_prompts
from tasks.llm.answers import reduce_schema
from tasks.llm.exchange import Message, Request, Sampling
from tasks.llm.providers.openai_chat import OpenAIChat
from tasks.llm.providers.vllm_engine import VllmEngine
from tasks.llm.settings import AuthorSettings
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
    chat = OpenAIChat(AuthorSettings(kind="vllm", model="m", base_url="http://127.0.0.1:1/v1"), "none")
    return chat.build_body(build_request(schema))["extra_body"]["structured_outputs"]["json"]


def send_in_process(schema: dict[str, Any]) -> dict[str, Any]:
    """What vLLM's engine in this process is given."""
    engine = VllmEngine.__new__(VllmEngine)
    engine._structured = types.SimpleNamespace
    engine._vllm = types.SimpleNamespace(SamplingParams=types.SimpleNamespace)
    return engine._build_sampling(build_request(schema)).structured_outputs.json


def walk_xgrammar(schema: dict[str, Any], answer: bytes) -> bool:
    xgrammar = pytest.importorskip("xgrammar", reason="xgrammar is not installed: its grammars go unchecked")
    vocabulary = [bytes([byte]) for byte in range(256)] + [b"</s>"]
    info = xgrammar.TokenizerInfo(vocabulary, xgrammar.VocabType.RAW, stop_token_ids=[END])
    compiled = xgrammar.GrammarCompiler(info, max_threads=1).compile_json_schema(json.dumps(schema))
    matcher = xgrammar.GrammarMatcher(compiled)
    return all(matcher.accept_token(byte) for byte in answer) and matcher.accept_token(END)


def walk_llguidance(schema: dict[str, Any], answer: bytes) -> bool:
    llguidance = pytest.importorskip("llguidance", reason="llguidance is not installed: its grammars go unchecked")
    grammar = llguidance.LLMatcher.grammar_from_json_schema(json.dumps(schema))
    matcher = llguidance.LLMatcher(llguidance.LLTokenizer("byte"), grammar)
    return all(matcher.consume_token(byte) for byte in answer) and matcher.is_accepting()


def walk_outlines(schema: dict[str, Any], answer: bytes) -> bool:
    outlines = pytest.importorskip(
        "outlines_core.json_schema", reason="outlines_core is not installed: its grammars go unchecked"
    )
    return re.fullmatch(outlines.build_regex_from_schema(json.dumps(schema)), answer.decode()) is not None


ENGINES: dict[str, Callable[[dict[str, Any], bytes], bool]] = {
    "xgrammar": walk_xgrammar,
    "llguidance": walk_llguidance,
    "outlines_core": walk_outlines,
}
UNSAYABLE = {"outlines_core": "\n\t"}
"""What an engine's grammar admits in no text at all, whatever the schema: outlines knows no escapes but these two."""


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
    text = WORST.translate(dict.fromkeys(map(ord, UNSAYABLE.get(engine, ""))))
    assert ENGINES[engine](sent, json.dumps(fill(schema, text), ensure_ascii=False).encode())
