"""Prompt files: every one loads, renders for a row, and is pinned by its bytes."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from counterfoil import prompts
from counterfoil.prompts import PromptError, list_prompts, load_prompt, parse_prompt

from .examples import list_examples

VALUES: dict[str, Any] = {
    "question": "In triangle ABC, {{ AB = 8 }}.",
    "answer": "8",
    "markings": True,
    "script": "plt.plot([0, 1])",
    "wordings": ["AB = 8", "ABCD is a square"],
    "failures": ["AB = 9 is not drawn"],
    "taken": ["AB = 5"],
    "earlier": "AB = 9",
    "caption": "AB = 8",
    "negative_caption": "AB = 6",
    "count": 10,
    "letters": ["A", "B"],
    "problem": "NameError: x",
    "line": 3,
    "source_line": "x",
    "log": "end",
    "description": "Read, then decide.",
    "direction": "LR",
    "keyword": "dog",
    "kind": "object",
    "others": ["A dog at rest."],
    "statement": "Let $n$ be odd. Show that $8$ divides $n^2 - 1$.",
    "hypotheses": ["$n$ is odd"],
    "conclusions": ["$8$ divides $n^2 - 1$"],
    "pairs": [["group theory", "topology"]],
    "first": "Every group is a group.",
    "second": "Every ring is a ring.",
}
IDS = [prompt.id for prompt in list_prompts()]
IN_JSON = [prompt.id for prompt in list_prompts() if prompt.output == "json"]
HEAD = b'+++\nversion = 1\ntitle = "t"\nsource = "s"\noutput = "text"\nvariables = ["a"]\n+++\n'
FILE = HEAD + b"You say.\n+++\nSay {{ a }}.\n"


def test_the_papers_six_prompts_are_there() -> None:
    figures = {
        prompt.source.split("Fig. ")[1]: prompt.id for prompt in list_prompts() if "MMCLIP Fig. " in prompt.source
    }
    assert figures == {
        "6": "geometry.script",
        "7": "geometry.caption",
        "8": "geometry.negative_captions",
        "9": "geometry.edit_script",
        "10": "geometry.repair",
        "11": "geometry.rule",
    }


@pytest.mark.parametrize("prompt_id", IDS)
def test_prompt_renders_with_every_value_in_it(prompt_id: str) -> None:
    prompt = load_prompt(prompt_id)
    rendered = prompt.render({name: VALUES[name] for name in prompt.variables})
    for name in set(prompt.variables) - {
        "wordings",
        "failures",
        "taken",
        "letters",
        "count",
        "line",
        "markings",
        "kind",
        "others",
        "pairs",
        "hypotheses",
        "conclusions",
    }:
        assert str(VALUES[name]) in rendered.user
    assert "{%" not in rendered.user + rendered.system
    if prompt.output == "json":
        Draft202012Validator.check_schema(rendered.schema)


@pytest.mark.parametrize("prompt_id", IDS)
def test_what_is_the_rows_own_is_in_no_text_that_rows_share(prompt_id: str) -> None:
    """Providers keep and charge less for a beginning that many requests share: nothing in it may differ."""
    prompt = load_prompt(prompt_id)
    for_all_rows = {"wordings", "markings"}
    values = {name: VALUES[name] for name in prompt.variables}
    other = {name: value if name in for_all_rows else _change(value) for name, value in values.items()}
    assert prompt.render(values).system == prompt.render(other).system
    assert prompt.render(values).user != prompt.render(other).user


def _change(value: Any) -> Any:
    return [] if isinstance(value, list) else value + 1 if isinstance(value, int) else f"another {value}"


@pytest.mark.parametrize("prompt_id", IN_JSON)
def test_prompt_of_data_has_two_or_three_worked_examples_of_its_schema(prompt_id: str) -> None:
    prompt = load_prompt(prompt_id)
    rendered = prompt.render({name: VALUES[name] for name in prompt.variables})
    examples = list_examples(f"{rendered.system}\n{rendered.user}")
    assert 2 <= len(examples) <= 3
    for each in examples:
        Draft202012Validator(rendered.schema).validate(each)


@pytest.mark.parametrize("prompt_id", sorted({*IDS} - {*IN_JSON}))
def test_prompt_of_code_has_two_worked_examples(prompt_id: str) -> None:
    task = load_prompt(prompt_id).task
    assert "\nFirst example" in task and "\nSecond example" in task


@pytest.mark.parametrize("prompt_id", IN_JSON)
def test_schema_suits_strict_modes(prompt_id: str) -> None:
    """Every object lists all its properties as required and allows no others."""
    prompt = load_prompt(prompt_id)
    pending: list[Any] = [prompt.render({name: VALUES[name] for name in prompt.variables}).schema]
    objects: list[dict[str, Any]] = []
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            objects.append(node)
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)
    closed = [node for node in objects if "properties" in node]
    assert all(node["additionalProperties"] is False for node in closed)
    assert all(set(node["required"]) == set(node["properties"]) for node in closed)


def test_sentences_that_are_read_reach_the_text() -> None:
    prompt = load_prompt("geometry.caption")
    rendered = prompt.render({name: VALUES[name] for name in prompt.variables})
    assert "`AB = 8`, `ABCD is a square`." in rendered.system


def test_a_rows_braces_are_text_and_not_a_template() -> None:
    assert (
        "{{ AB = 8 }}"
        in load_prompt("geometry.script")
        .render({**dict.fromkeys(["answer"], ""), "question": VALUES["question"], "markings": False})
        .user
    )


def test_fingerprint_is_that_of_the_bytes() -> None:
    one, other = parse_prompt("x", FILE), parse_prompt("x", FILE.replace(b"Say", b"Tell"))
    assert one.sha256 != other.sha256
    assert one == parse_prompt("x", FILE)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ((b"Say {{ a }}", b"Say {{ b }}"), r"declares \['a'\] but uses \['b'\]"),
        ((b'"text"', b'"poem"'), "output is 'poem'; allowed: text, json, code"),
        ((b'"text"', b'"json"'), "a json answer needs a schema"),
        ((b'"text"', b'"code"'), "a code answer needs a language"),
        ((b"version = 1", b"version = "), "front matter"),
        ((b"version = 1", b"verzion = 1"), "verzion"),
        ((b"Say {{ a }}.\n", b"   \n"), r"the task, \+\+\+, and the row's part"),
        ((b"You say.\n+++\n", b""), r"the task, \+\+\+, and the row's part"),
        ((b"{{ a }}", b"{{ a }"), "prompt x: "),
        ((b"Say", b"\xff\xfe"), "prompt x: front matter"),
    ],
)
def test_malformed_file_is_one_clear_line(change: tuple[bytes, bytes], line: str) -> None:
    with pytest.raises(PromptError, match=line):
        parse_prompt("x", FILE.replace(*change))


def test_missing_and_unknown_variables_are_named() -> None:
    with pytest.raises(PromptError, match="missing caption; unknown picture"):
        load_prompt("geometry.look").render({"picture": 1})


def test_unknown_prompt_lists_the_known() -> None:
    with pytest.raises(
        PromptError,
        match=r"there is no prompt 'geometry\.poem'; known: beside\.unit, caption\.concrete, flowchart\.from_text, ",
    ):
        prompts.load_prompt("geometry.poem")
