"""Reading answers: fences, thinking, JSON and its schema."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from counterfoil.prompts import load_prompt
from counterfoil.tasks.llm.answers import Violation, parse_answer
from counterfoil.tasks.llm.exchange import Completion
from counterfoil.tasks.llm.tokens import estimate_tokens

from .conftest import ask_look

CODE = load_prompt("geometry.script")
LOOK = load_prompt("geometry.look")
SCHEMA = LOOK.render({"caption": ""}).schema
GOOD = {"observations": "o", "agrees": True, "disagreement": None}


def read_code(text: str, finish: str = "stop") -> str | None:
    return parse_answer(CODE, None, Completion(text, finish)).code


def read_json(text: str, finish: str = "stop") -> object:
    return parse_answer(LOOK, SCHEMA, Completion(text, finish)).data


@pytest.mark.parametrize(
    "text",
    [
        "```python\na = 1\n```",
        "Here it is:\n\n```python\na = 1\n```\nIt draws a line.",
        "```py\na = 1\n```",
        "```\na = 1\n```",
        "~~~python\na = 1\n~~~",
        "a = 1",
        "<think>```python\nb = 2\n```</think>\n```python\na = 1\n```",
        "First `a`:\n```bash\npip install matplotlib numpy sympy\n```\nThen\n```python\na = 1\n```",
        "```python\r\na = 1\r\n```".replace("\r", ""),
        "  ```python\na = 1\n  ```",
    ],
)
def test_code_is_found(text: str) -> None:
    assert read_code(text) == "a = 1\n"


def test_code_keeps_its_indentation_and_inner_backticks() -> None:
    assert read_code("````python\nif x:\n    s = '```'\n````") == "if x:\n    s = '```'\n"


@pytest.mark.parametrize(
    ("text", "code"), [("```python\na = 1", "llm_code"), ("", "llm_empty"), ("```python\n\n```", "llm_code")]
)
def test_code_that_is_not_there(text: str, code: str) -> None:
    with pytest.raises(Violation) as caught:
        read_code(text)
    assert caught.value.code == code


def test_code_that_is_cut_off_says_so() -> None:
    with pytest.raises(Violation) as caught:
        read_code("```python\na = 1", "length")
    assert caught.value.code == "llm_length"
    assert "cut off at the token limit" in caught.value.advice


@pytest.mark.parametrize("wrap", ["{}", "```json\n{}\n```", "Sure:\n```\n{}\n```", "<think>hm</think>{}"])
def test_json_is_found(wrap: str) -> None:
    assert read_json(wrap.replace("{}", json.dumps(GOOD))) == GOOD


@pytest.mark.parametrize(
    ("text", "details"),
    [
        ("no", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"observations": NaN, "agrees": true, "disagreement": null}', "NaN is not a JSON number"),
        (json.dumps(GOOD | {"agrees": 1}), "answer.agrees: 1 is not of type 'boolean'"),
        (json.dumps(GOOD | {"more": 1}), "answer: Additional properties"),
        (json.dumps(GOOD | {"observations": "x" * 3000}), "answer.observations: "),
    ],
)
def test_json_that_is_wrong_says_where(text: str, details: str) -> None:
    with pytest.raises(Violation) as caught:
        read_json(text)
    assert details in caught.value.details
    assert len(caught.value.advice) < 1000


def test_whole_answer_at_the_limit_is_still_an_answer() -> None:
    assert read_json(json.dumps(GOOD), "length") == GOOD


def test_token_estimate_is_near_what_tokenizers_count() -> None:
    """English prose is about four characters a token, code about three."""
    prose = LOOK.body
    assert len(prose) / 6 < estimate_tokens(prose) < len(prose) / 3.2
    assert estimate_tokens("") == 0
    assert estimate_tokens("三角形") > 1


EATEN = r"In \triangle ABC, AB \parallel CD, \angle A = 60^\circ, \tan A = \frac{1}{2}, \beta \neq \theta and \(x\)."


@pytest.mark.parametrize("fence", ["{}", "```json\n{}\n```"])
def test_backslashes_that_were_not_doubled_are_put_back(fence: str) -> None:
    text = fence.replace("{}", '{"observations": "' + EATEN + '", "agrees": true, "disagreement": null}')
    parsed = parse_answer(LOOK, SCHEMA, Completion(text))
    assert parsed.data["observations"] == EATEN
    assert {"\\triangle", "\\frac", "\\tan", "\\p"} <= set(parsed.mended)


@given(st.text())
def test_json_that_is_right_is_left_as_it_is(said: str) -> None:
    """What a model wrote with its backslashes doubled, line breaks and all, is read as JSON reads it."""
    commands = re.compile(r"[\b\f\n\r\t][a-z]")
    assume(not commands.search(said))
    parsed = parse_answer(LOOK, SCHEMA, Completion(json.dumps(GOOD | {"observations": said[:2000]})))
    assert parsed.data["observations"] == said[:2000]
    assert parsed.mended == ()


@pytest.mark.parametrize("said", ["one\ntwo", "a\tb", EATEN, "C:\\new\\table", "line\r\nend"])
def test_escapes_that_are_meant_stay(said: str) -> None:
    assert read_json(json.dumps(GOOD | {"observations": said})) == GOOD | {"observations": said}


def test_mended_answer_is_warned_of_once_a_prompt(open_for, server, caplog) -> None:
    server.reply = lambda _: '{"observations": "In \\triangle ABC", "agrees": true, "disagreement": null}'
    author = open_for("openai")
    for caption in ("one", "two"):
        assert ask_look(author, caption).data["observations"] == "In \\triangle ABC"
    told = [record.message for record in caplog.records if "backslash" in record.message]
    assert len(told) == 1
    assert "geometry.look" in told[0] and "\\triangle" in told[0]
