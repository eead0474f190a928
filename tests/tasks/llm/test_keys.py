"""Keys come from the environment and are never seen again."""

from __future__ import annotations

import base64
import logging
import re
import traceback
from pathlib import Path
from urllib.parse import quote

import pytest

from counterfoil.tasks.llm import AnswerRejected, AuthorError, open_author

from .conftest import KEYS, MODELS, Open, ask_look, ask_script
from .server import Fault, Server


@pytest.mark.parametrize("value", [None, "", "  "])
def test_no_key_is_one_clear_line(
    kind: str, value: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = f"{kind.upper()}_API_KEY"
    monkeypatch.delenv(name) if value is None else monkeypatch.setenv(name, value)
    with pytest.raises(AuthorError, match=rf"^no key for {kind}: set the environment variable {name}$"):
        open_author({"kind": kind, "model": "m"}, work=tmp_path)


def test_key_with_a_line_break_is_refused_without_being_shown(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(f"{kind.upper()}_API_KEY", "sk-SECRET part two")
    with pytest.raises(AuthorError, match="is not a key") as caught:
        open_author({"kind": kind, "model": "m"}, work=tmp_path)
    assert "SECRET" not in str(caught.value)


def test_served_vllm_needs_no_key(open_for: Open) -> None:
    assert ask_script(open_for("vllm")).code


def test_key_never_appears(
    kind: str, open_for: Open, server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Not in logs at any level, not in errors or their tracebacks, not in the store, even if the server echoes it."""
    caplog.set_level(logging.DEBUG)
    key = KEYS[f"{kind.upper()}_API_KEY"]
    author = open_for(kind, retries=1)
    ask_look(author)
    seen = []
    faults = [Fault(status=status, text=f"invalid key {key}") for status in (400, 401)]
    for fault in [*faults, Fault(status=500, text=key)]:
        server.script.extend([fault, fault])
        try:
            ask_script(author, f"p{fault.status}")
        except AuthorError as error:
            seen.append("".join(traceback.format_exception(error)) + repr(error) + repr(vars(error)))
            author._line.sender.stopped = None
        server.script.clear()
    assert len(seen) == 3
    assert any("[key]" in text for text in seen)
    author.close()
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for place in [
        "".join(seen),
        caplog.text,
        stored.decode("latin-1"),
        repr(author),
        repr(author._line.provider.__dict__),
    ]:
        assert "SECRET" not in place


def test_settings_take_no_key(kind: str, tmp_path: Path) -> None:
    for extra in (
        {"api_key": "sk-x"},
        {"base_url": "https://user:sk-x@host/v1"},
        {"base_url": "https://h/v1?key=sk-x"},
    ):
        with pytest.raises(AuthorError) as caught:
            open_author({"kind": kind, "model": MODELS[kind]} | extra, work=tmp_path)
        assert "sk-x" not in str(caught.value)


def write_forms(key: str) -> list[str]:
    """A key in the forms in which servers give it back."""
    basic = base64.b64encode(f"user:{key}".encode()).decode()
    return [
        key,
        f"authorization: Bearer {key}",
        f"x-api-key: {key}",
        quote(f"key={key}/+", safe=""),
        base64.b64encode(key.encode()).decode(),
        f"Basic {basic}",
        base64.urlsafe_b64encode(f"Bearer {key} and more".encode()).decode(),
        key.encode().hex(),
        key.upper(),
        f"{key[:9]}\n{key[9:]}",
        f"{key[:8]}{'*' * 20}{key[-4:]}",
        f"{key[:10]}...{key[-4:]}",
        f"{'*' * 12}{key[-6:]}",
        f"cut short: {key[:16]}",
    ]


@pytest.mark.parametrize("form", range(len(write_forms(KEYS["OPENAI_API_KEY"]))))
def test_key_that_a_server_echoes_is_masked_in_answers_and_rejects(
    kind: str, form: int, open_for: Open, server: Server, tmp_path: Path
) -> None:
    key = KEYS[f"{kind.upper()}_API_KEY"]
    echo = write_forms(key)[form]
    telling = [part for part in re.split(r"[*.\s]+", echo) if len(part) >= 4 and part not in ("Basic", "cut", "short:")]
    telling = [part for part in telling if not part.startswith(("Bearer", "authorization", "x-api", "Basic"))]
    author = open_for(kind, schema_attempts=0)
    server.script.append(Fault("text", text=f"I was asked with {echo}, thanks"))
    with pytest.raises(AnswerRejected) as caught:
        ask_look(author)
    server.script.append(Fault("text", text=f"```python\n# {echo}\n```"))
    answer = ask_script(author, "with a key")
    server.script.append(Fault(status=400, text=f"not with {echo}"))
    with pytest.raises(AnswerRejected) as refused:
        ask_script(author, "refused")
    author.close()
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir()).decode("latin-1")
    assert "[key]" in caught.value.raw
    assert "[key]" in refused.value.reason
    for place in (caught.value.raw, caught.value.reason, answer.raw, str(answer.code), refused.value.reason, stored):
        assert not [part for part in telling if part in place], (telling, place[:200])


def test_key_in_the_results_of_a_batch_is_masked(
    kind: str, open_for: Open, server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    key = KEYS[f"{kind.upper()}_API_KEY"]
    server.reply = lambda _: f"```python\n# {key}\n```"
    author = open_for(kind, batch=True)
    assert "[key]" in ask_script(author).raw
    author.close()
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir()).decode("latin-1")
    assert key not in stored and key not in caplog.text


def test_word_that_is_no_secret_is_left_alone(open_for: Open, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """vLLM's servers take any key, EMPTY by custom: answers that hold the word stay as they are."""
    monkeypatch.setenv("VLLM_API_KEY", "EMPTY")
    server.reply = lambda _: "```python\n# EMPTY is xxx, 1...4\n```"
    assert ask_script(open_for("vllm")).code == "# EMPTY is xxx, 1...4\n"
