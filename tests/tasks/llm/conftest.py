"""A loopback server and authors that ask it. The SDKs are the real ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from counterfoil.tasks.llm.author import Author, open_author
from counterfoil.tasks.llm.store.spending import read_spending
from counterfoil.tasks.llm.store.tables import Spending

from .server import Server, last_text

# They end in letters no digest or time holds: four digits stand in a store by chance, once in some hundred runs.
KEYS = {"OPENAI_API_KEY": "sk-openai-SECRET-QZWX", "ANTHROPIC_API_KEY": "sk-ant-SECRET-QZWY"}
MODELS = {"openai": "gpt-4o", "anthropic": "claude-opus-5", "vllm": "local/model"}
SCRIPT = "```python\nimport matplotlib.pyplot as plt\nplt.savefig('question.png')\n```"
LOOK = {"observations": "A triangle.", "agrees": True, "disagreement": None}

Open = Callable[..., Author]


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Keys that must never be seen again outside the requests' headers."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("VLLM_API_KEY", raising=False)
    return KEYS


def reply(body: dict[str, Any]) -> str:
    """A right answer to geometry.look (asked by schema or about a description), a script to everything else."""
    text = body["messages"][0]["content"] if body["messages"][0]["role"] != "system" else body["messages"][1]["content"]
    if not isinstance(text, str):
        text = next(part["text"] for part in text if part["type"] == "text")
    return json.dumps(LOOK) if "Look at the picture" in text else SCRIPT + f"\n<!-- {last_text(body)[-20:]} -->"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(reply) as running:
        yield running


@pytest.fixture(params=["openai", "anthropic"])
def kind(request: pytest.FixtureRequest) -> str:
    """Both APIs."""
    return request.param


@pytest.fixture
def open_for(server: Server, tmp_path: Path) -> Iterator[Open]:
    """Opens authors that ask `server`; all are closed at the end."""
    opened: list[Author] = []

    def open_one(kind: str = "openai", **settings: Any) -> Author:
        url = server.anthropic_url if kind == "anthropic" else server.openai_url
        section = {"kind": kind, "model": MODELS[kind], "base_url": url, "timeout_s": 10.0}
        section |= {"store": str(tmp_path / "answers.sqlite")}
        section |= {"batch_poll_s": 0.05, "batch_quiet_s": 0.4} if settings.get("batch") else {}
        author = open_author(section | settings, work=tmp_path)
        assert author is not None
        opened.append(author)
        return author

    yield open_one
    for author in opened:
        author.close()


def sum_spending(author: Author) -> list[Spending]:
    """What an author's store has counted, by family, prompt and model."""
    return read_spending(author.settings, None, "")


def ask_script(author: Author, question: str = "Draw.", **options: Any) -> Any:
    """One code question."""
    variables = {"question": question, "answer": "1", "markings": True}
    return author.ask("geometry.script", variables, family="geometry.image", **options)


def ask_look(author: Author, caption: str = "AB = 8", **options: Any) -> Any:
    """One question whose answer is data."""
    return author.ask("geometry.look", {"caption": caption}, family="geometry.look", **options)
