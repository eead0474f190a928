"""The families of statements: what is made, that its text alone is judged, and that broken rows are caught."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from counterfoil.storage.rows import Anchor, Contrast, Edit, View
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.theorem.checks import judge_informal, read_text, refutes
from counterfoil.tasks.theorem.domain import DOMAIN
from counterfoil.tasks.theorem.edits.informal import propose
from counterfoil.tasks.theorem.language.grammar import read_statement
from counterfoil.tasks.theorem.settings import TheoremSettings
from counterfoil.tasks.theorem.truth import Decision
from tests.tasks.theorem.conftest import make_all

Make = Callable[..., Anchor]


def verify(row: Contrast, anchor: Anchor, context: Context[Any]) -> str:
    """The reason's code; empty where the row passes."""
    verdict = DOMAIN.families[row.family].verify(row, anchor, context)
    return verdict.reasons[0].partition(":")[0] if verdict.reasons else ""


def test_every_own_statement_is_an_anchor(anchors: list[Anchor], context: Context[Any]) -> None:
    assert len(anchors) == 40
    assert all(DOMAIN.verify_anchor(anchor, context).passed for anchor in anchors)
    assert {view.name for anchor in anchors for view in anchor.views} == {"informal", "lean_signature", "lean_type"}


@pytest.mark.slow
def test_families_reach_most_statements(anchors: list[Anchor], context: Context[Any]) -> None:
    rows = make_all(anchors, context)
    for family, least in (("theorem.rephrase", 38), ("theorem.negative", 30), ("theorem.formal", 30)):
        assert len({row.anchor_id for row in rows[family]}) >= least
    check_again(rows, anchors, context)


def test_translations_need_a_model(contrasts: dict[str, list[Contrast]]) -> None:
    assert contrasts["theorem.translate"] == []


def test_accepted_rows_pass_again(
    anchors: list[Anchor], contrasts: dict[str, list[Contrast]], context: Context[Any]
) -> None:
    check_again(contrasts, anchors, context)


def check_again(made: dict[str, list[Contrast]], anchors: list[Anchor], context: Context[Any]) -> None:
    by_id = {anchor.anchor_id: anchor for anchor in anchors}
    rows = [row for found in made.values() for row in found]
    assert [row.text for row in rows if verify(row, by_id[row.anchor_id], context)] == []


ANCHOR = "Let $x$ and $y$ be real numbers such that $x > 2$ and $y > 3$. Show that $x + y > 5$."
LEAN = "theorem t (x y : ℝ) (h₀ : x > 2) (h₁ : y > 3) : x + y > 5"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Let $x$ and $y$ be real numbers such that $x > 2$ and $y > 3$. Show that $x + y > 6$.", ""),
        ("Let $x$ and $y$ be real numbers such that $x > 1$ and $y > 3$. Show that $x + y > 5$.", ""),
        ("Let $x$ and $y$ be real numbers such that $x > 2$ and $y > 3$. Show that $x + y > 4$.", "not_weaker"),
        ("Let $x$ and $y$ be real numbers such that $x > 4$ and $y > 3$. Show that $x + y > 5$.", "not_weaker"),
        ("Let $u$ and $v$ be real numbers such that $u > 2$ and $v > 3$. Prove that $u + v > 5$.", "another_statement"),
        (
            "Let $x$ and $y$ be real numbers such that $x > 2$. Show that $y > 3$ or so it seems to be.",
            "undecided_kept",
        ),
        ("Let $x$ be a real number such that $x > 2$. Show that $x + y > 6$.", "variables_defined"),
        ("Let $x$ and $y$ be real numbers such that $x > 2$ and $y > 3$. Show that $x + y > 6.", "balanced"),
        ("Let $x$ and  $y$ be real numbers such that $x > 2$ and $y > 3$. Show that $x + y > 6$.", "text_kept"),
        (ANCHOR, "another_text"),
        ("$x + y > 6$", "length"),
        ("If $x > 2$ and $y > 3$, what do we know of $x + y$ and its size?", "statement_read"),
    ],
)
def test_negatives_are_judged_by_their_text(text: str, code: str, make_anchor: Make, context: Context[Any]) -> None:
    anchor = make_anchor(ANCHOR)
    row = Contrast(
        anchor.anchor_id, "theorem.negative", "negative", "text", text, edits=(Edit("number", ANCHOR, text),)
    )
    assert verify(row, anchor, context) == code


@pytest.mark.parametrize(
    "text",
    [
        "Let $G$ be a group with $a, b \\in G$. Show that $a b = b a$.",
        "Let $x$ be an element of $G$. Prove that if $|x|=n$ for some positive integer $n$ then $x^{-1}=x^{n-1}$.",
    ],
)
def test_what_has_no_order_is_not_said_to_be_less(text: str) -> None:
    said = {each.replacement.strip() for each in propose(read_statement(text), np.random.default_rng(1), True)}
    assert "\\neq" in said and not said & {"<", ">", "\\leq", "\\geq"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (LEAN.replace("> 5", "> 6"), ""),
        (LEAN.replace("x > 2", "x < 2"), ""),
        (LEAN.replace("> 5", "> 4"), "false_somewhere"),
        (LEAN.replace(" (h₁ : y > 3)", ""), ""),
        (LEAN.replace(": x + y > 5", "(h₂ : x < 9) : x + y > 5"), "not_weaker"),
        (LEAN.replace("theorem t", "theorem u").replace("> 5", "> 6"), "name_kept"),
        (LEAN.replace("> 5", "> 6") + " := by simp", "name_kept"),
        (LEAN.replace("> 5", "> "), "lean_read"),
        (LEAN, "another_text"),
    ],
)
def test_lean_negatives_are_judged_by_their_text(
    text: str, code: str, make_anchor: Make, context: Context[Any]
) -> None:
    anchor = make_anchor(ANCHOR, LEAN)
    edits = (Edit("number", LEAN, text),)
    row = Contrast(anchor.anchor_id, "theorem.formal", "negative", "text", text, code=text, edits=edits)
    assert verify(row, anchor, context) == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Let $u$ and $v$ be real numbers such that $u > 2$ and $v > 3$. Prove that $u + v > 5$.", ""),
        ("Let $u$ and $u$ be real numbers such that $u > 2$ and $u > 3$. Prove that $u + u > 5$.", "same_statement"),
        ("Let $x$ and $y$ be real numbers such that $x > 2$ and $y > 3$. Prove that $x + y > 5$.", "reworded"),
        ("Let $x$ and $y$ be real numbers such that $y > 2$ and $x > 3$. Show that $x + y > 5$.", "same_statement"),
        ("Let $u$ and $v$ be real numbers such that $u > 2$. Prove that $u + v > 5$ for such.", "same_statement"),
    ],
)
def test_rephrasings_are_judged_by_their_text(text: str, code: str, make_anchor: Make, context: Context[Any]) -> None:
    anchor = make_anchor(ANCHOR)
    edits = (Edit("rename", "x, y", "u, v"), Edit("verb", "Show", "Prove"))
    row = Contrast(anchor.anchor_id, "theorem.rephrase", "positive", "text", text, edits=edits)
    assert verify(row, anchor, context) == code


def test_a_rephrasing_names_the_edits_that_made_it(make_anchor: Make, context: Context[Any]) -> None:
    text = "Let $u$ and $v$ be real numbers such that $u > 2$ and $v > 3$. Prove that $u + v > 5$."
    anchor = make_anchor(ANCHOR)
    edits = (Edit("rename", "x, y", "u, v"), Edit("verb", "Show", "Prove"))
    row = Contrast(anchor.anchor_id, "theorem.rephrase", "positive", "text", text, edits=edits)
    assert verify(row, anchor, context) == ""
    forged = (Edit("rename", "x, y", "u, w"), edits[1])
    assert verify(replace(row, edits=forged), anchor, context) == "edits_named"
    assert verify(replace(row, edits=edits[:1]), anchor, context) == "edits_named"


@pytest.mark.parametrize(("old", "new"), [("= 9", "= 8"), ("x + 2y", "2x + y"), ("it is 5", "it is 6")])
def test_what_words_do_not_say_is_decided_in_lean(old: str, new: str, make_anchor: Make) -> None:
    """The words are not understood; the pieces of mathematics stand in the Lean view."""
    text = "When a hall is full, $x + 2y = 9$ sit there. If $y = 2$, what is $x$? Show that it is 5."
    anchor = make_anchor(text, "theorem t (x y : ℝ) (h₀ : x + 2 * y = 9) (h₁ : y = 2) : x = 5")
    decision = judge_informal(read_text(text), read_text(text.replace(old, new)), anchor)
    assert isinstance(decision, Decision)
    assert (decision.grade, decision.details.partition(":")[0]) == ("refuted", "in Lean")
    assert judge_informal(read_text(text), read_text(text.replace("hall", "house")), anchor) == Decision("undecided")


@pytest.mark.parametrize(
    ("one", "other", "how"),
    [
        ("Prove that every field is nice.", "Prove that no field is nice.", "contradicts"),
        ("Prove that $x^3 - 9$ is irreducible.", "Prove that $x^3 - 9$ is reducible.", "contradicts"),
        ("What is $1 + 1$? Show that it is 2.", "What is $1 + 1$? Show that it is 3.", "refuted"),
        ("Show that there is a set that is open.", "Show that there is a set that is not open.", "undecided"),
        ("Show that some group is abelian.", "Show that some group is not abelian.", "undecided"),
        ("Show that $\\{x: f(x) < a\\}$ is open.", "Show that $\\{x: f(x) \\geq a\\}$ is open.", "undecided"),
        ("Let $G$ be finite. Show that $G$ is fine.", "Let $G$ be some. Show that $G$ is fine.", "undecided"),
    ],
)  # fmt: skip
def test_contradictions_are_told_from_what_may_be_true_as_well(one: str, other: str, how: str) -> None:
    decision = judge_informal(read_text(one), read_text(other))
    assert isinstance(decision, Decision)
    assert decision.grade == how


def test_undecided_negatives_are_kept_where_the_recipe_says_so(make_anchor: Make) -> None:
    anchor = make_anchor("Let $G$ be a finite simple group. Show that $G$ is nice.")
    edits = (Edit("omit_word", "simple ", ""),)
    text = "Let $G$ be a finite group. Show that $G$ is nice."
    row = Contrast(anchor.anchor_id, "theorem.negative", "negative", "text", text, edits=edits)
    found = [
        verify(row, anchor, Context(TheoremSettings(source="procedural:1", grades=each), 7, None))  # type: ignore[arg-type]
        for each in (("refuted", "undecided"), ("refuted", "contradicts"))
    ]
    assert found == ["", "undecided_kept"]


def test_broken_anchors_are_caught(make_anchor: Make, context: Context[Any]) -> None:
    anchor = make_anchor(ANCHOR, LEAN)
    broken = {
        "complete": replace(anchor, views=()),
        "views_named": replace(anchor, views=(*anchor.views, View("picture", "x"))),
        "caption_kept": replace(anchor, caption="Show that $1 = 1$."),
        "code_kept": replace(anchor, code=LEAN + " "),
        "type_follows": replace(anchor, views=anchor.views[:2]),
        "facts_agree": replace(anchor, facts=anchor.facts[1:]),
    }
    found = {name: DOMAIN.verify_anchor(each, context).reasons[0].partition(":")[0] for name, each in broken.items()}
    assert found == {name: name for name in broken}


def test_refutes_knows_the_same_statement_from_another(make_anchor: Make, context: Context[Any]) -> None:
    anchor = make_anchor(ANCHOR)
    same = "Suppose that $q > 3$. Show that $p > 2$."
    assert refutes(ANCHOR.replace("Show", "Prove"), anchor, context) is False
    assert refutes(ANCHOR.replace("> 5", "> 6"), anchor, context) is True
    assert refutes(same, anchor, context) is None
    assert refutes("No statement at all.", anchor, context) is None


def test_questions_are_answered_by_facts(make_anchor: Make) -> None:
    asked = {question.kind: question.answer for question in DOMAIN.questions(make_anchor(ANCHOR, LEAN))}
    assert asked == {"count": "1", "kind": "No", "formal": LEAN, "informal": ANCHOR}
