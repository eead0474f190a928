"""Geometry by a language model, whose answers are scripted: what is accepted is verified like any other row."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from counterfoil.storage.rows import Anchor, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.contract.family import Draft
from counterfoil.tasks.contract.verdict import Verdict
from counterfoil.tasks.engine.rows import form_contrast
from counterfoil.tasks.geometry.anchors import verify_anchor
from counterfoil.tasks.geometry.author.anchors import make_anchors
from counterfoil.tasks.geometry.author.proposals import share_out
from counterfoil.tasks.geometry.domain import DOMAIN
from counterfoil.tasks.geometry.families.perturb import write_perturbed
from counterfoil.tasks.geometry.families.rule import write_rule
from counterfoil.tasks.geometry.settings import GeometrySettings
from counterfoil.tasks.llm.asking import Ask
from counterfoil.tasks.llm.author import Author, open_author
from counterfoil.tasks.llm.store.spending import read_spending
from tests.tasks.llm.server import Server, last_text

SCRIPT = """
import matplotlib.pyplot as plt

points = {"A": (0, 0), "B": (BASE, 0), "C": (0, 3)}
fig, ax = plt.subplots(figsize=(5, 5))
for p, q in ("AB", "BC", "CA"):
    ax.plot(*zip(points[p], points[q]), color="black", linewidth=1.5)
ax.plot([0.3, 0.3, 0], [0, 0.3, 0.3], color="black", linewidth=1)
for name, (dx, dy) in {"A": (-0.3, -0.35), "B": (0.3, -0.35), "C": (-0.3, 0.3)}.items():
    x, y = points[name]
    ax.text(x + dx, y + dy, name, ha="center", va="center", fontsize=14, color="black")
ax.text(BASE / 2, -0.35, "BASE", ha="center", va="center", fontsize=12, color="black")
ax.text(-0.35, 1.5, "3", ha="center", va="center", fontsize=12, color="black")
ax.set_xlim(-1, BASE + 1)
ax.set_ylim(-1, 4)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
"""
QUESTION = "In triangle ABC the angle at A is right, AB = 4 and AC = 3. Find BC."
CAPTION = r"In \triangle ABC, AB \perp AC, AB = 4 and AC = 3."


def draw(base: float) -> str:
    return f"```python{SCRIPT.replace('BASE', f'{base:g}')}```"


def propose(base: str, edits: list[tuple[str, str, str]] | None = None) -> dict[str, Any]:
    """A negative caption with another length of AB."""
    named = edits or [("number", "AB = 4", f"AB = {base}")]
    return {
        "caption": CAPTION.replace("AB = 4", f"AB = {base}"),
        "edits": [dict(zip(("kind", "target", "replacement"), edit, strict=True)) for edit in named],
    }


def edit(text: str) -> str:
    """The script of a negative caption: with its length of AB."""
    return draw(float(re.findall(r"AB = (\d+)", text.partition("Second caption:")[2])[0]))


class Model:
    """Answers each prompt with the next of its scripted answers, the last one for ever; one may be a function of what
    is asked."""

    def __init__(self) -> None:
        self.answers: dict[str, list[str | Callable[[str], str]]] = {
            "Draw the figure of this problem": [draw(4)],
            "The script below was run and failed": [draw(4)],
            "Describe the figure that this script draws": [json.dumps({"caption": CAPTION})],
            ". The figure's letters are": [json.dumps({"negatives": [propose("6"), propose("2")]})],
            "Change this script so that it draws": [edit],
            " of this caption that ": [json.dumps({"negatives": [propose("6"), propose("9")]})],
        }
        self.asked: list[tuple[str, str]] = []

    def __call__(self, body: dict[str, Any]) -> str:
        text = last_text(body)
        kind = next(kind for kind in self.answers if kind in text)
        self.asked.append((kind, text))
        script = self.answers[kind]
        answer = script.pop(0) if len(script) > 1 else script[0]
        return answer if isinstance(answer, str) else answer(text)

    def count(self, kind: str) -> int:
        return sum(asked == kind for asked, _ in self.asked)


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def context(model: Model, renderer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    with Server(model) as server:
        section = {"kind": "openai", "model": "gpt-4o", "base_url": server.openai_url, "repair_attempts": 1}
        author = open_author(section, work=tmp_path)
        assert isinstance(author, Author)
        settings = GeometrySettings(source="problems:x.jsonl", negatives=2)
        yield Context(settings, 7, renderer, author)
        author.close()


ROW = SourceRow("problems", "p1", "train", {"id": "p1", "question": QUESTION, "answer": "5"})


def make_anchor(context: Context) -> Anchor:
    (anchor,) = make_anchors(ROW, context)
    assert isinstance(anchor, Anchor), anchor
    return anchor


def verify(draft: Draft, anchor: Anchor, context: Context) -> Verdict:
    family = DOMAIN.families[draft.family]
    return family.verify(form_contrast(draft, family, anchor), anchor, context)


def test_problem_becomes_a_verified_anchor(context: Context) -> None:
    anchor = make_anchor(context)
    verdict = verify_anchor(anchor, context)
    assert verdict.passed, verdict.reasons
    assert anchor.caption == CAPTION and anchor.image is not None
    assert {fact.predicate for fact in anchor.facts} >= {"point", "segment", "mark_length", "perpendicular"}
    assert anchor.provenance.author == "openai" and anchor.provenance.attempts == 2
    assert anchor.provenance.cost_usd


def test_script_that_fails_is_repaired_and_then_rejected_with_its_cost(context: Context, model: Model) -> None:
    model.answers["Draw the figure of this problem"] = [draw(4).replace("plt.subplots", "plt.subplotz")]
    assert isinstance(make_anchor(context), Anchor)
    assert "AttributeError" in model.asked[1][1] and "in line 4" in model.asked[1][1]
    model.answers["The script below was run and failed"] = [draw(4).replace('axis("off")', "oops()")]
    model.answers["Draw the figure of this problem"] = [draw(4).replace("plt.subplots", "plt.other_name")]
    row = SourceRow(ROW.source, "p2", "train", {**ROW.payload, "question": "Another: " + QUESTION})
    (reject,) = make_anchors(row, context)
    assert isinstance(reject, Reject)
    assert [reason.split(":")[0] for reason in reject.reasons] == ["script_exception"] * 2
    assert reject.raw and "oops" in reject.raw and reject.provenance.cost_usd
    assert json.loads(reject.source_row or "")["id"] == "p1"


def test_picture_that_states_what_it_does_not_show_is_sent_back(context: Context, model: Model) -> None:
    model.answers["Draw the figure of this problem"] = [draw(4).replace('"3", ha', '"8", ha')]
    make_anchor(context)
    assert "the picture states what its lines do not show" in model.asked[1][1]


def test_caption_that_fails_is_sent_back_with_what_failed(context: Context, model: Model) -> None:
    wrong = {"caption": CAPTION.replace("AC = 3", "BC = 9 and ABCD is a square")}
    model.answers["Describe the figure that this script draws"].insert(0, json.dumps(wrong))
    make_anchor(context)
    sent = model.asked[-1][1]
    assert f"failed:\n{wrong['caption']}\n" in sent
    assert "length(B, C) = 9 is not shown by the picture" in sent
    assert "square(A, B, C, D) names what is not in the picture" in sent


def test_caption_that_stays_wrong_rejects_the_row(context: Context, model: Model) -> None:
    wrong = {"caption": r"\triangle ABC is equilateral."}
    model.answers["Describe the figure that this script draws"] = [json.dumps(wrong)]
    (reject,) = make_anchors(ROW, context)
    assert isinstance(reject, Reject)
    assert reject.reasons == ("caption: equilateral(A, B, C) is not shown by the picture",) * 2
    assert reject.provenance.attempts == 3


def test_pairs_of_negative_caption_and_picture_verify(context: Context, model: Model) -> None:
    anchor = make_anchor(context)
    pairs = write_perturbed(anchor, context)
    for base in ("6", "2"):
        pair = next(pairs)
        assert isinstance(pair, tuple), pair
        for draft in pair:
            verdict = verify(draft, anchor, context)
            assert verdict.passed, verdict.reasons
        _, image = pair
        assert f"AB = {base}" in (image.text or "") and image.image is not None
        assert image.provenance.prompt_id == "geometry.edit_script"
    assert model.count(". The figure's letters are") == 1


@pytest.mark.parametrize(
    ("proposal", "reason"),
    [
        (propose("4"), "no_renaming"),
        (propose("7", [("number", "AB = 9", "AB = 7")]), "edits_true"),
        (propose("6") | {"caption": r"In \triangle ABD, AB \perp AD."}, "letters_of_figure"),
        (propose("6") | {"caption": "AB = 6 is nice to look at."}, "claims_read"),
    ],
)
def test_bad_negative_captions_never_reach_the_script(
    context: Context, model: Model, proposal: dict[str, Any], reason: str
) -> None:
    anchor = make_anchor(context)
    model.answers[". The figure's letters are"] = [
        json.dumps({"negatives": [proposal, propose("6")]}),
        json.dumps({"negatives": [propose("6"), propose("9")]}),
    ]
    made = list(write_perturbed(anchor, context))
    rejects = [each for each in made if isinstance(each, Reject)]
    assert rejects[0].reasons[0].startswith(reason)
    assert rejects[0].raw and rejects[0].provenance.request_sha256
    assert model.count("Change this script so that it draws") == 1
    # The second round asks for the one that is missing, and says what failed and what is there.
    rounds = [text for kind, text in model.asked if kind == ". The figure's letters are"]
    assert len(rounds) == 2
    assert "Write 1 negative caption." in rounds[1] and reason in rounds[1]
    assert f"These are there already; say other things than they do:\n- {propose('6')['caption']}\n" in rounds[1]
    # What goes beyond the one that was asked for is left out.
    assert [each.reasons[0].split(":")[0] for each in rejects[1:]] == ["repeated"]


def test_pictures_of_an_anchor_are_asked_for_together(context: Context, model: Model) -> None:
    """Ten pictures take as many rounds as one: captions, scripts, and a repair of those that failed."""
    context = replace(context, settings=GeometrySettings(source="problems:x.jsonl", negatives=4))
    anchor = make_anchor(context)
    model.answers[". The figure's letters are"] = [
        json.dumps({"negatives": [propose(base) for base in ("4", "6", "2", "7")]}),
        json.dumps({"negatives": [propose("8")]}),
    ]
    model.answers["Change this script so that it draws"] = [
        lambda text: draw(4) if "AB = 6" in text.partition("Second caption:")[2] else edit(text)
    ]
    model.answers["The script below was run and failed"] = [draw(6)]
    model.asked.clear()
    rounds: list[list[str]] = []
    ask_many = context.llm.ask_many

    def count(asks: Sequence[Ask]) -> Any:
        rounds.append([ask.prompt_id.removeprefix("geometry.") for ask in asks])
        return ask_many(asks)

    context.llm.ask_many = count
    pairs = [each for each in write_perturbed(anchor, context) if isinstance(each, tuple)]
    assert sorted(image.text.partition("AB = ")[2][0] for _, image in pairs) == ["2", "6", "7", "8"]
    assert rounds == [
        ["negative_captions"],
        ["negative_captions", "edit_script", "edit_script", "edit_script"],
        ["repair", "edit_script"],
    ]


def test_rounds_of_an_anchor_are_bounded(context: Context, model: Model) -> None:
    """However often captions and scripts fail, there are two rounds more than repairs."""
    context = replace(context, settings=GeometrySettings(source="problems:x.jsonl", negatives=3))
    anchor = make_anchor(context)
    model.answers[". The figure's letters are"] = [
        json.dumps({"negatives": [propose("4"), propose("4"), propose("6")]}),
        json.dumps({"negatives": [propose("4"), propose("2")]}),
    ]
    model.answers["Change this script so that it draws"] = [draw(4)]
    model.answers["The script below was run and failed"] = [draw(4)]
    rounds = []
    ask_many = context.llm.ask_many
    context.llm.ask_many = lambda asks: rounds.append(len(asks)) or ask_many(asks)
    made = list(write_perturbed(anchor, context))
    assert all(isinstance(each, Reject) for each in made)
    assert len(rounds) == context.llm.settings.repair_attempts + 2
    assert sum(each.family == "geometry.image" for each in made) == 2


def test_picture_with_a_letter_of_its_own_is_sent_back(context: Context, model: Model) -> None:
    """Its caption is true of it, but a letter that only one side has would give the answer away."""
    anchor = make_anchor(context)
    further = 'ax.plot([0, 3], [0, 1.5], color="black")\nax.text(3.3, 1.8, "D", fontsize=14, ha="center")\nax.set_xlim'
    model.answers["Change this script so that it draws"] = [
        lambda text: edit(text).replace("ax.set_xlim", further) if "AB = 6" in text else edit(text)
    ]
    model.answers["The script below was run and failed"] = [draw(6)]
    assert len([each for each in write_perturbed(anchor, context) if isinstance(each, tuple)]) == 2
    (repair,) = [text for kind, text in model.asked if kind == "The script below was run and failed"]
    assert "the drawing has not the letters of the first figure: missing none, extra D" in repair


def test_picture_that_does_not_show_its_caption_is_sent_back_and_rejected(context: Context, model: Model) -> None:
    anchor = make_anchor(context)
    model.answers[". The figure's letters are"] = [json.dumps({"negatives": [propose("6"), propose("2")]})]
    model.answers["Change this script so that it draws"] = [draw(4)]
    first = next(write_perturbed(anchor, context))
    assert isinstance(first, Reject)
    assert all(reason.startswith("own_claims_shown: ") for reason in first.reasons) and len(first.reasons) == 2
    assert first.family == "geometry.image"


def test_rule_negatives_verify(context: Context) -> None:
    anchor = make_anchor(context)
    made = write_rule(anchor, context)
    for base in ("6", "9"):
        draft = next(made)
        assert isinstance(draft, Draft)
        verdict = verify(replace(draft, family="geometry.rule"), anchor, context)
        assert verdict.passed, verdict.reasons
        assert f"AB = {base}" in (draft.text or "")


def test_nothing_is_asked_twice_when_an_anchor_is_made_again(context: Context, model: Model) -> None:
    first = make_anchor(context)
    asked = len(model.asked)
    assert make_anchor(context) == first
    assert len(model.asked) == asked


def test_cost_of_a_request_is_shared_by_its_rows(context: Context, tmp_path: Path) -> None:
    anchor = make_anchor(context)
    (caption, _) = next(write_perturbed(anchor, context))
    spending = read_spending(context.llm.settings, tmp_path, "")
    spent = sum(each.cost_usd for each in spending if each.prompt_id == "geometry.negative_captions")
    assert caption.provenance.cost_usd is not None
    assert spent / 2 <= caption.provenance.cost_usd
    assert share_out(anchor.provenance, 0) == anchor.provenance
