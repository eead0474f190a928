"""From a model's raw text to what a prompt asked for: text, data that satisfies a schema, or a block of code."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from counterfoil.prompts import Prompt
from counterfoil.tasks.llm.backslashes import double_stray, restore_eaten
from counterfoil.tasks.llm.exchange import Completion

FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
OPEN_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*[\w+-]*[^\n]*\n", re.MULTILINE)
THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Parsed:
    """What an answer holds, by the prompt's output: ``text`` always, ``data`` for json, ``code`` for code."""

    text: str
    data: Any = None
    code: str | None = None
    mended: tuple[str, ...] = ()
    """Commands of which the model forgot to double the backslash."""


class Violation(Exception):  # noqa: N818 - it is sent back to the model, not raised to a user
    """The answer is not what the prompt asked for. ``advice`` is what the model is told."""

    def __init__(self, code: str, details: str, advice: str) -> None:
        super().__init__(details)
        self.code = code
        self.details = details
        self.advice = advice


def parse_answer(prompt: Prompt, schema: Mapping[str, Any] | None, completion: Completion) -> Parsed:
    """Read ``completion`` as the prompt's output.

    Raises:
        Violation: it cannot be read, is empty, cut off, without the code block, not JSON, or breaks the schema.
    """
    if completion.finish == "unreadable":
        raise Violation("llm_unreadable", completion.details, "Your answer did not arrive whole. Answer again in full.")
    text = THINKING.sub("", completion.text).strip()
    if not text:
        raise Violation("llm_empty", _cut("the answer is empty", completion), "Your answer was empty. Answer in full.")
    try:
        if prompt.output == "json":
            assert schema is not None
            return _read_json(text, schema)
        if prompt.output == "code":
            return Parsed(text, code=_read_code(text, prompt.language, completion.finish == "length"))
    except Violation as violation:
        if completion.finish != "length":
            raise
        advice = f"{violation.advice} Your answer was cut off at the token limit: be shorter."
        raise Violation("llm_length", _cut(violation.details, completion), advice) from None
    if completion.finish == "length":
        raise Violation(
            "llm_length", _cut("the text ends early", completion), "Your answer was cut off. Answer again, shorter."
        )
    return Parsed(text)


def _cut(details: str, completion: Completion) -> str:
    return f"{details} (cut off at the token limit)" if completion.finish == "length" else details


def _read_json(text: str, schema: Mapping[str, Any]) -> Parsed:
    fenced = FENCE.search(text)
    plain, stray = double_stray(fenced[3] if fenced and not text.startswith(("{", "[")) else text)
    try:
        data, eaten = restore_eaten(json.loads(plain, parse_constant=_no_constant))
    except (json.JSONDecodeError, RecursionError, ValueError) as error:
        details = f"not JSON: {error}" if not isinstance(error, RecursionError) else "not JSON: nested too deeply"
        raise Violation(
            "llm_schema", details, f"Your answer is {details}. Answer with the JSON object alone."
        ) from None
    errors = sorted(
        _validator(json.dumps(schema, sort_keys=True)).iter_errors(data), key=lambda each: list(map(str, each.path))
    )
    if not errors:
        return Parsed(text, data=data, mended=stray + eaten)
    lines = [f"{_locate(error.absolute_path)}: {_shorten(error.message)}" for error in errors[:5]]
    more = f" and {len(errors) - 5} more" if len(errors) > 5 else ""
    raise Violation(
        "llm_schema",
        lines[0] + (f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""),
        "Your answer breaks the schema:\n"
        + "\n".join(f"- {line}" for line in lines)
        + more
        + "\nAnswer again with the corrected JSON object alone.",
    )


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _locate(path: Any) -> str:
    return "answer" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)


def _shorten(message: str, limit: int = 300) -> str:
    return message if len(message) <= limit else f"{message[: limit // 2]} ... {message[-limit // 2 :]}"


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(schema))


def _read_code(text: str, language: str, cut_off: bool) -> str:
    """The code of an answer: its fenced block (of several the longest of the language), or all of it if unfenced."""
    blocks = [(match[2].lower(), match[3]) for match in FENCE.finditer(text)]
    if blocks:
        named = [code for tag, code in blocks if tag == language] or [code for _, code in blocks]
        code = max(named, key=len)
    elif cut_off or OPEN_FENCE.search(text):
        raise _without_code("its code block is not closed", language)
    else:
        code = text
    if not code.strip():
        raise _without_code("its code block is empty", language)
    return code.strip("\n") + "\n"


def _without_code(what: str, language: str) -> Violation:
    advice = f"Your answer cannot be used: {what}. Answer with one complete block fenced by ```{language} and ```."
    return Violation("llm_code", what, advice)


UNSUPPORTED = frozenset(
    {
        *("minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"),
        *("minLength", "maxLength", "pattern", "format"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    }
)
"""Keywords that are left out of what is sent and checked on the answer: hosted structured-output modes refuse them, and
the grammars of vLLM's engines make of a string with a length one without backslash and quote."""


def reduce_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without the keywords that structured-output modes refuse or take too narrowly."""
    reduced = copy.deepcopy(dict(schema))
    pending: list[Any] = [reduced]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(node)
        elif isinstance(node, dict):
            for name in UNSUPPORTED & node.keys():
                if not isinstance(node[name], dict):
                    del node[name]
            pending.extend(node.values())
    return reduced
