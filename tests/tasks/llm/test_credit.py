"""Refusals of credit and ordinary limits, in the words in which providers say them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from counterfoil.tasks.llm import AuthorUnavailable
from counterfoil.tasks.llm.providers.credit import says_no_credit

from .conftest import Open, ask_script
from .server import Fault, Server

WORDINGS = tomllib.loads(Path(__file__).with_name("refusals.toml").read_text())


@pytest.mark.parametrize(("status", "code", "said"), WORDINGS["no_credit"])
def test_refusal_of_credit_is_told_from_a_limit(status: int, code: str, said: str) -> None:
    assert says_no_credit(status, code, said)


@pytest.mark.parametrize(("status", "code", "said"), WORDINGS["ordinary"])
def test_ordinary_limit_or_refusal_is_none_of_credit(status: int, code: str, said: str) -> None:
    assert not says_no_credit(status, code, said)


@pytest.mark.parametrize(("status", "code", "said"), WORDINGS["no_credit"])
def test_refusal_of_credit_stops_the_run_in_one_line(
    status: int, code: str, said: str, open_for: Open, server: Server
) -> None:
    server.script.append(Fault(status=status, text=said, code=code))
    with pytest.raises(AuthorUnavailable) as caught:
        ask_script(open_for("openai"))
    assert f"no credit or quota left ({status}): {said[:40]}" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert server.arrived == 1


@pytest.mark.parametrize("said", [said for status, _, said in WORDINGS["ordinary"] if status in (429, 529)])
def test_ordinary_limit_is_waited_for(
    said: str, open_for: Open, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("counterfoil.tasks.llm.sending.draw_backoff", lambda *_: 0.001)
    server.script.extend([Fault(status=429, text=said)] * 3)
    assert ask_script(open_for("openai")).code
    assert server.arrived == 4
