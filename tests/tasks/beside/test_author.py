"""``*.unit`` by a language model, whose answers are scripted: what is accepted is verified like any other row."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from counterfoil.storage.rows import Contrast, Edit, Provenance, Reject, find_beside
from counterfoil.tasks.beside.author import PROMPTS, WRITTEN, check_written
from counterfoil.tasks.contract.verdict import CheckError, Checks
from counterfoil.tasks.contract.wording import exchange, list_captions
from counterfoil.tasks.engine.rows import make_contrasts
from counterfoil.tasks.llm.author import Author, open_author
from tests.needing import skip_without
from tests.tasks.beside.test_beside import CLOSED, judge, make
from tests.tasks.llm.server import Server, last_text

skip_without("spacy", reason="captions are parsed by an extra: pip install 'counterfoil[text]'")


class Model:
    """Exchanges what the domain itself would exchange; ``spoil`` may change the answer before it is sent."""

    def __init__(self) -> None:
        self.edits: Callable[[str], list[Edit]] = lambda _: []
        self.asked: list[str] = []
        self.spoil: Callable[[dict[str, Any]], dict[str, Any]] = lambda answer: answer

    def __call__(self, body: dict[str, Any]) -> str:
        text = last_text(body)
        self.asked.append(text)
        found = re.findall(r"^Write (\d+) replacements?(?: for \"(.*)\")?\. Statement: (.*)$", text, re.MULTILINE)
        if not found:  # its answer broke the schema and was sent back
            return "{}"
        _, fixed, statement = found[-1]
        places: dict[str, list[str]] = {}
        for edit in self.edits(statement):
            if edit.kind != "ends" and exchange(statement, edit):
                places.setdefault(edit.target, []).append(edit.replacement)
        target = fixed or max(places, key=lambda each: len(places[each]), default="nothing")
        return json.dumps(self.spoil({"target": target, "replacements": places.get(target, ["x"])[:12]}))


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def author(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Author]:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    with Server(model) as server:
        section = {"kind": "openai", "model": "gpt-4o", "base_url": server.openai_url, "repair_attempts": 2}
        opened = open_author(section, work=tmp_path)
        assert isinstance(opened, Author)
        yield opened
        opened.close()


def write(domain_name: str, model: Model, author: Author) -> tuple[list[Contrast], list[Reject], Any]:
    domain, context, anchors = make(domain_name, CLOSED[domain_name])
    asking = replace(context, llm=author)
    wording = domain.wording
    assert wording is not None
    kept: list[Contrast] = []
    refused: list[Reject] = []
    for anchor in anchors[:2]:
        model.edits = lambda statement, anchor=anchor: list(wording.list_edits(statement, anchor, asking))
        for each in make_contrasts([domain.families[f"{domain_name}.unit"]], anchor, asking):
            (kept if isinstance(each, Contrast) else refused).append(each)
    return kept, refused, {each.anchor_id: each for each in anchors}


@pytest.mark.parametrize("domain", CLOSED)
def test_foils_that_a_model_writes_are_proved_and_name_who_wrote_them(domain, model, author):
    rows, _, anchors = write(domain, model, author)
    wanted = make(domain, CLOSED[domain])[1].settings.statements
    # A chart of three nodes has few names to exchange.
    assert len(rows) >= (1 if domain == "flowchart" else wanted)
    for row in rows:
        assert row.edits[0].kind == WRITTEN and row.grade == "proved" and row.changes
        assert row.provenance.prompt_id == "beside.unit" and row.provenance.cost_usd
        assert judge(domain, anchors[row.anchor_id], row).passed
    places = {(row.anchor_id, find_beside(row.edits), row.edits[0].target) for row in rows}
    assert len(places) == len({row.anchor_id for row in rows})


def test_a_model_is_told_what_else_is_true_and_no_statement_twice(model, author):
    """Or it would write what the picture shows as well."""
    _, _, anchors = write("flowchart", model, author)
    said = [set(list_captions(anchor)) for anchor in anchors.values()]
    for text in model.asked:
        statement = re.findall(r"Statement: (.*)$", text, re.MULTILINE)[-1]
        told = re.search(r"What is true of the picture as well:\n+((?:- .*\n+)+)", text)
        others = set(re.findall(r"^- (.*)$", told[1], re.MULTILINE)) if told else set()
        assert others in [each - {statement} for each in said]


def test_foils_by_rule_may_not_call_themselves_a_model_s(model, author):
    rows, _, anchors = write("caption", model, author)
    row = replace(rows[0], provenance=Provenance())
    assert judge("caption", anchors[row.anchor_id], row).reasons[0].startswith("written_asked")
    much = Edit(WRITTEN, rows[0].edits[0].target, " ".join(["quixotic"] * 40))
    (false,) = exchange(find_beside(rows[0].edits) or "", much)[:1]
    long = replace(rows[0], text=false, edits=(much, Edit("beside", find_beside(rows[0].edits) or "", false)))
    assert judge("caption", anchors[row.anchor_id], long).reasons[0].startswith("one_expression")


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda a: {**a, "target": "a word of no statement"}, "edits_seen"),
        (lambda a: {**a, "replacements": [a["target"]]}, "another_text"),
        (lambda a: {**a, "replacements": a["replacements"][:1] * 2}, "duplicate"),
        (lambda a: {**a, "target": "arrow", "replacements": ["zebrafish"]}, "judged"),
    ],
)
def test_a_foil_that_is_not_shown_false_is_refused_and_told_why(spoil, reason, model, author):
    model.spoil = spoil
    _, refused, _ = write("flowchart", model, author)
    reasons = [each.reasons[0] for each in refused]
    assert any(each.startswith(reason) for each in reasons), reasons
    told = [text for text in model.asked if "These were tried and are refused." in text]
    assert told and any(reason in text for text in told)


@pytest.mark.parametrize(
    ("target", "replacement", "prompt", "reason"),
    [
        ("brown dog", "black cat", PROMPTS[0], ""),
        ("brown dog", "cat", "", "written_asked: no model was asked"),
        ("brown dog sleeps", "black cat sits", PROMPTS[0], "one_expression: "),
        ("dog sleeps", "dog with a long tail sleeps", PROMPTS[0], "one_expression: "),
    ],
)
def test_a_model_exchanges_half_of_a_statement_at_most(target, replacement, prompt, reason) -> None:
    true = "A brown dog sleeps."
    asked = Checks(), Edit(WRITTEN, target, replacement), true, true.replace(target, replacement), Provenance("x")
    try:
        check_written(*asked[:4], replace(asked[4], prompt_id=prompt))
    except CheckError as error:
        assert reason and str(error).startswith(reason)
    else:
        assert not reason
