"""Statements by a language model, whose answers are scripted: what is accepted is verified like any other row."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from counterfoil.prompts import load_prompt
from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.rows import make_contrasts
from counterfoil.tasks.llm.author import Author, open_author
from counterfoil.tasks.llm.errors import AnswerRejected
from counterfoil.tasks.theorem.domain import DOMAIN
from counterfoil.tasks.theorem.settings import TheoremSettings
from tests.prompts.examples import list_examples
from tests.tasks.llm.server import Server, last_text

STATEMENT = "Let $x$ and $y$ be real numbers such that $x > 2$ and $y > 3$. Show that $x + y > 5$."
REPHRASED = "Suppose that $u$ and $v$ are real numbers such that $u > 2$ and $v > 3$. Prove that $u + v > 5$."
FALSE = STATEMENT.replace("> 5", "> 6")
TRANSLATED = (
    "Prove that in the totally ordered monoid of the reals under addition translation is monotone, so that the sum of "
    "elements strictly above two and three lies strictly above five."
)
PARTS = {
    "hypotheses": ["$x$ and $y$ are real numbers", "$x > 2$", "$y > 3$"],
    "conclusions": ["$x + y > 5$"],
    "normalized_form": "If $x > 2$ and $y > 3$ are real then $x + y > 5$.",
}


class Model:
    """Answers each prompt by what its request ends with; keeps what was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {
            "theorem.decompose": PARTS,
            "theorem.rephrase": {"rephrasings": [{"statement": REPHRASED}]},
            "theorem.negative": {
                "negatives": [{"statement": FALSE, "kind": "number", "target": "> 5", "replacement": "> 6"}]
            },
            "theorem.translate": {
                "translations": [
                    {"statement": TRANSLATED, "from_field": "number theory", "to_field": "ring theory"},
                    {"statement": TRANSLATED, "from_field": "number theory", "to_field": "botany"},
                ]
            },
            "theorem.judge": {"valid": True, "equivalent": True, "dissimilar": True, "reason": "The same in order."},
        }
        self.asked: list[str] = []

    def __call__(self, body: dict[str, Any]) -> str:
        text = last_text(body)
        kind = next(name for name, mark in MARKS.items() if mark in text)
        self.asked.append(kind)
        return json.dumps(self.answers[kind])


MARKS = {
    "theorem.judge": "Second statement:",
    "theorem.translate": "Pairs of fields:",
    "theorem.negative": "false version",
    "theorem.rephrase": "It supposes:",
    "theorem.decompose": "The statement:",
}


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def asking(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context[TheoremSettings]]:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    with Server(model) as server:
        author = open_author({"kind": "openai", "model": "gpt-4o", "base_url": server.openai_url}, work=tmp_path)
        assert isinstance(author, Author)
        settings = TheoremSettings(source="procedural:1", negatives=1, rephrasings=1, fields=2)
        yield Context(settings, 7, None, author)  # type: ignore[arg-type]
        author.close()


Make = Callable[..., Anchor]


def make(family: str, anchor: Anchor, context: Context[Any]) -> tuple[list[Contrast], list[Reject]]:
    rows = list(make_contrasts((DOMAIN.families[family],), anchor, context))
    return [r for r in rows if isinstance(r, Contrast)], [r for r in rows if isinstance(r, Reject)]


@pytest.mark.parametrize(("family", "text"), [("theorem.rephrase", REPHRASED), ("theorem.negative", FALSE)])
def test_what_a_model_writes_is_a_row_once_its_text_passes(family, text, make_anchor: Make, asking, model):
    rows, rejects = make(family, make_anchor(STATEMENT), asking)
    assert [row.text for row in rows] == [text] and rejects == []
    assert rows[0].provenance.author == "openai" and rows[0].provenance.cost_usd
    assert model.asked == ["theorem.decompose", family]


def list_worked(prompt_id: str, key: str) -> list[tuple[str, list[dict[str, Any]]]]:
    """The statements of a prompt's worked examples, each with the entries of its answer."""
    task = load_prompt(prompt_id).task
    statements = re.findall(r'version[s]? of "(.*?)":', task)
    return list(zip(statements, (each[key] for each in list_examples(task)), strict=True))


@pytest.mark.parametrize(
    ("family", "key", "statement", "entry"),
    [
        (family, key, statement, entry)
        for family, key in (("theorem.rephrase", "rephrasings"), ("theorem.negative", "negatives"))
        for statement, entries in list_worked(family, key)
        for entry in entries
    ],
)
def test_every_worked_example_of_a_prompt_is_a_row(family, key, statement, entry, make_anchor: Make, asking, model):
    model.answers[family] = {key: [entry]}
    rows, rejects = make(family, make_anchor(statement), asking)
    assert [row.text for row in rows] == [entry["statement"]], rejects


def test_a_negative_that_stays_true_is_a_reject_with_its_cost(make_anchor: Make, asking, model):
    weaker = {"statement": STATEMENT.replace("> 5", "> 4"), "kind": "number", "target": "> 5", "replacement": "> 4"}
    model.answers["theorem.negative"] = {"negatives": [weaker]}
    rows, rejects = make("theorem.negative", make_anchor(STATEMENT), asking)
    assert rows == []
    assert rejects[0].reasons[0].startswith("not_weaker") and rejects[0].provenance.cost_usd


def test_a_translation_is_kept_if_its_fields_are_a_pair_and_the_judge_agrees(make_anchor: Make, asking, model):
    rows, rejects = make("theorem.translate", make_anchor(STATEMENT), asking)
    assert [row.text for row in rows] == [TRANSLATED]
    assert rows[0].edits[0].kind == "translate" and rows[0].edits[0].target == "number theory"
    assert [reject.reasons[0].partition(":")[0] for reject in rejects] == ["fields_paired"]
    assert model.asked == ["theorem.decompose", "theorem.translate", "theorem.judge"]


def test_a_translation_that_the_judge_doubts_is_a_reject(make_anchor: Make, asking, model):
    model.answers["theorem.judge"] |= {"equivalent": False, "reason": "It supposes less."}
    rows, rejects = make("theorem.translate", make_anchor(STATEMENT), asking)
    assert rows == []
    assert "judged_not_equivalent: It supposes less." in [reject.reasons[0] for reject in rejects]


def test_judgements_of_an_anchor_are_asked_for_together(make_anchor: Make, asking, model):
    listed = model.answers["theorem.translate"]["translations"]
    listed[1] = {**listed[0], "statement": TRANSLATED.replace("Prove", "Show"), "from_field": "order theory"}
    listed[1]["to_field"] = "topology"
    rounds: list[int] = []
    ask_many = asking.llm.ask_many

    def count(asks: Any) -> list[Any | AnswerRejected]:
        rounds.append(len(asks))
        return ask_many(asks)

    asking.llm.ask_many = count
    rows, _ = make("theorem.translate", make_anchor(STATEMENT), asking)
    assert (len(rows), rounds) == (2, [1, 1, 2])


def test_an_anchor_without_words_asks_nothing(make_anchor: Make, asking, model):
    anchor = make_anchor("", "theorem t (x : ℝ) (h₀ : x > 2) : x > 1")
    _, rejects = make("theorem.rephrase", anchor, asking)
    assert rejects[0].reasons[0].startswith("no_informal") and model.asked == []
