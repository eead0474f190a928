"""Keys come from the environment and are never seen again."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path

import pytest

from tasks.llm import AuthorError, open_author

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
