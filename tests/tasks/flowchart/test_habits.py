"""Which edits no author would draw, and that none is made, sampled or verified."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from counterfoil.storage.rows import Contrast
from counterfoil.tasks.engine.prepare import prepare_here
from counterfoil.tasks.flowchart.chart.graph import Node
from counterfoil.tasks.flowchart.domain import DOMAIN
from counterfoil.tasks.flowchart.drawing.rendering import parse
from counterfoil.tasks.flowchart.edits.answers import ANSWERS, find_ends
from counterfoil.tasks.flowchart.edits.habits import ends_by_its_words, is_question, list_broken, read_habits
from counterfoil.tasks.flowchart.edits.pool import Rules, list_edits
from counterfoil.tasks.flowchart.families.caption import verify_caption
from counterfoil.tasks.flowchart.families.codeswap import verify_codeswap
from tests.tasks.flowchart.conftest import make_anchors, make_contrasts

PATH = "flowchart TD\nA([Start]) --> B[Wash]\nB --> C[Dry]"
FORK = 'flowchart TD\nA{"Clean?"} -->|Yes| B[Dry]\nA -->|No| C([End])'
LONG = (
    'flowchart TD\nA([Start]) --> B[Wash]\nB --> C{"Clean?"}\nC -->|Yes| D[Dry]\nC -->|No| B\n'
    'D --> E[Fold]\nE --> F{"Room?"}\nF -->|Yes| G[Store]\nF -->|No| H([End])\nG --> H'
)
WHOLE = 'flowchart TD\nA([Start]) --> B[Wash]\nB --> C{"Clean?"}\nC -->|Yes| D([End])\nC -->|No| B'
ENDED = "nothing leaves an end"
NODES = 'A([Start])\nB[Wash]\nC{"Clean?"}\nD([End])\n'


@pytest.mark.parametrize(
    ("anchor", "edited", "habit"),
    [
        (PATH, "A([Start])\nB[Wash]\nC[Dry]\nB --> A\nB --> C", "nothing enters a start"),
        (FORK, 'A{"Clean?"}\nB[Dry]\nC([End])\nA -->|Yes| B\nC --> A', "nothing leaves an end"),
        (
            "flowchart TD\nA[Wash] --> B[Dry]\nB --> C[End: clean]",
            "A[Wash]\nB[Dry]\nC[End: clean]\nA --> C\nC --> B",
            ENDED,
        ),
        (
            "flowchart TD\nA[Count] --> B[Add]\nB --> C[Return the total]",
            "A[Count]\nB[Add]\nC[Return the total]\nA --> C\nC --> B",
            ENDED,
        ),
        (
            "flowchart TD\nA[Begin the game] --> B[Deal]\nB --> C[Play]",
            "A[Begin the game]\nB[Deal]\nC[Play]\nB --> A\nA --> C",
            "nothing enters a start",
        ),
        (PATH, "A([Start])\nB[Wash]\nC[Dry]\nA --> B\nA --> C", "a step leads to one place"),
        (PATH, "A([Start])\nB[Wash]\nC[Dry]\nB --> C\nC --> B\nA --> B", "no way round without a question"),
        (PATH, "A([Start])\nB[Wash]\nC[Dry]\nA --> B\nA --> B", "one arrow from a node to another"),
        (PATH, "A([Start])\nB[Wash]\nC[Dry]\nA --> B\nC --> C", "no arrow ends where it began"),
        (FORK, 'A{"Clean?"}\nB[Dry]\nC([End])\nA -->|Yes| B\nA --> C', "an answer on each way out of a question"),
        (WHOLE, NODES + "A --> B\nB --> C\nC -->|Yes| D", "every question has its two ways out"),
        (WHOLE, NODES + "A --> C\nC -->|Yes| D\nC -->|No| B", "all ends are ends"),
        (WHOLE, NODES + "A --> D\nC -->|Yes| D\nC -->|No| B\nB --> C", "everything can be reached"),
    ],
)
def test_a_broken_habit_is_named(anchor, edited, habit):
    edited = edited if edited.startswith("flowchart") else f"flowchart TD\n{edited}"
    assert habit in list_broken(read_habits(parse(anchor)), parse(edited), whole=anchor == WHOLE)


@pytest.mark.parametrize(
    ("anchor", "edited"),
    [
        (PATH, "flowchart TD\nA([Start]) --> C[Dry]\nC --> B[Wash]"),
        (WHOLE, "flowchart TD\n" + NODES + "A --> C\nC -->|Yes| D\nC -->|No| B\nB --> C"),
        ("flowchart TD\nA[Wash] --> B[Dry]\nA --> C[Fold]", "flowchart TD\nA[Wash] --> B[Dry]\nA --> C[Fold]\nB --> C"),
    ],
)
def test_what_an_author_might_draw_breaks_no_habit(anchor, edited):
    assert list_broken(read_habits(parse(anchor)), parse(edited), whole=False) == []


def test_a_habit_that_the_anchor_does_not_keep_is_none():
    looping = "flowchart TD\nA[Wash] --> B[Dry]\nB --> A\nC[Fold] --> A"
    edited = "flowchart TD\nA[Wash] --> C[Fold]\nC --> A\nB[Dry] --> A"
    assert list_broken(read_habits(parse(looping)), parse(edited), whole=False) == []


def test_a_stadium_amid_the_flow_is_a_step():
    anchor = "flowchart TD\nA([Wash]) --> B([Dry])\nB --> C[Fold]"
    edited = "flowchart TD\nA([Wash]) --> C[Fold]\nC --> B([Dry])"
    assert list_broken(read_habits(parse(anchor)), parse(edited), whole=False) == []


@pytest.mark.parametrize(
    ("label", "last"),
    [
        ("Return", True),
        ("Exit the program", True),
        ("Stop this process", True),
        ("Done here.", True),
        ("Stop the bleeding", False),
        ("Returned goods", False),
        ("Exit now?", False),
    ],
)
def test_what_is_done_last_is_known_by_its_words(label, last):
    assert ends_by_its_words(Node("A", label, "square")) is last


def test_a_caption_of_which_nothing_comes_after_a_return_in_its_anchor_leaves_it_alone(context):
    code = "flowchart TD\nA[Count] --> B[Add]\nB --> C[Return the total]"
    (anchor,) = make_anchors(code, context)
    made = [row.text for row in make_contrasts("flowchart.caption", anchor, context) if isinstance(row, Contrast)]
    ready = prepare_here(DOMAIN.families["flowchart.caption"].sample_prepare, [[anchor]], context)
    made += [d.text for d in DOMAIN.families["flowchart.caption"].sample(anchor, np.random.default_rng(3), 12, ready)]
    assert made
    assert not [text for text in made if "from node Return" in text]
    row = next(r for r in make_contrasts("flowchart.caption", anchor, context) if isinstance(r, Contrast))
    said = [("Count", "Return the total"), ("Return the total", "Add")]
    text = " ".join(f"An arrow points from node {tail} to node {head}." for tail, head in said)
    assert verify_caption(replace(row, text=text), anchor, context).reasons == (
        "habits_kept: not so here: nothing leaves an end",
    )


@pytest.mark.parametrize("family", ["flowchart.image", "flowchart.codeswap"])
def test_no_made_or_sampled_code_breaks_a_habit(family, anchors, contrasts, context):
    made = [(anchor, row.code) for anchor, row in contrasts[family]]
    draws = DOMAIN.families[family]
    ready = prepare_here(draws.sample_prepare, [anchors], context)
    for anchor in anchors:
        made += [(anchor, draft.code) for draft in draws.sample(anchor, np.random.default_rng(3), 12, ready)]
    assert len(made) > 5
    assert not [code for anchor, code in made if list_broken(read_habits(parse(anchor.code)), parse(code), whole=False)]


def test_whole_charts_keep_to_their_ends_and_questions(context):
    whole = replace(context, settings=context.settings.model_copy(update={"granulate": False, "size": 672}))
    (anchor,) = make_anchors(LONG, whole)
    rows = [row for row in make_contrasts("flowchart.image", anchor, whole) if isinstance(row, Contrast)]
    assert len(rows) == 8
    assert not [row for row in rows if list_broken(read_habits(parse(LONG)), parse(row.code), whole=True)]


def test_a_code_in_which_an_end_is_left_is_refused(context):
    (anchor,) = make_anchors("flowchart TD\nA[Wash] --> B[Dry]\nB --> C([End])", context)
    row = next(row for row in make_contrasts("flowchart.codeswap", anchor, context) if isinstance(row, Contrast))
    code = 'flowchart TD\n    A["Wash"]\n    B(["End"])\n    C["Dry"]\n    A --> B\n    B --> C\n'
    verdict = verify_codeswap(replace(row, text=code, code=code), anchor, context)
    assert verdict.reasons == ("habits_kept: not so here: nothing leaves an end",)


def test_a_question_that_was_cut_off_from_its_answers_gets_one(context):
    (anchor,) = make_anchors('flowchart TD\nA[Wash] --> B[Dry]\nB --> C{"Clean?"}', context)
    rows = [row for row in make_contrasts("flowchart.image", anchor, context) if isinstance(row, Contrast)]
    said = [a.label for row in rows for a in parse(row.code).arrows if a.tail == find_question(row.code)]
    assert said
    assert set(said) <= {"Yes", "No"}


@pytest.mark.parametrize("family", ["flowchart.image", "flowchart.codeswap"])
def test_what_is_no_answer_stays_at_its_step(family, context):
    (anchor,) = make_anchors("flowchart TD\nA[Solder] -->|Store| B[Plates]\nB --> C[Assemble]", context)
    rows = [row for row in make_contrasts(family, anchor, context) if isinstance(row, Contrast)]
    assert rows
    charts = [parse(row.code) for row in rows]
    names = [{node.id: node.label for node in chart.nodes} for chart in charts]
    tails = {own[find_ends(a)[0]] for chart, own in zip(charts, names, strict=True) for a in chart.arrows if a.label}
    assert tails <= {"Solder"}


def test_a_code_in_which_another_step_stores_is_refused(context):
    (anchor,) = make_anchors("flowchart TD\nA[Solder] -->|Store| B[Plates]\nB --> C[Assemble]", context)
    row = next(row for row in make_contrasts("flowchart.codeswap", anchor, context) if isinstance(row, Contrast))
    code = 'flowchart TD\n    A["Plates"]\n    B["Solder"]\n    C["Assemble"]\n    A -->|"Store"| B\n    B --> C\n'
    verdict = verify_codeswap(replace(row, text=code, code=code), anchor, context)
    assert verdict.reasons == ("answers_at_questions: 'Store' leaves another step",)


def test_the_head_of_a_loop_is_given_no_answer(context):
    (anchor,) = make_anchors('flowchart TD\nA[Wash] --> B[Dry]\nB --> C{"For each shirt"}', context)
    rows = [row for row in make_contrasts("flowchart.image", anchor, context) if isinstance(row, Contrast)]
    assert rows
    assert {a.label for row in rows for a in parse(row.code).arrows} == {""}


def test_a_question_of_other_answers_than_yes_and_no_is_given_none(context):
    code = 'flowchart TD\nA[Look] --> B{"Gold or costume?"}\nB -->|Costume| C[Sell]'
    (anchor,) = make_anchors(code, context)
    rows = [row for row in make_contrasts("flowchart.image", anchor, context) if isinstance(row, Contrast)]
    assert rows
    assert {a.label for row in rows for a in parse(row.code).arrows} <= {"", "Costume"}


def find_question(code):
    return next(node.id for node in parse(code).nodes if node.shape == "diamond")


@pytest.mark.parametrize(("question", "answered"), [("Is it gone?", True), ("Genuine gold or costume?", False)])
def test_a_question_that_yes_and_no_do_not_answer_is_given_neither(question, answered):
    chart = parse(f'flowchart TD\nA[Wash] --> B["Dry"]\nB --> C{{"{question}"}}')
    edits = list_edits(chart, np.random.default_rng(3), Rules())
    leaving = [a for edit in edits for a in edit.edited.arrows if find_ends(a)[0] in _ask(edit.edited)]
    assert bool(leaving) == answered
    assert all(arrow.label in ANSWERS for arrow in leaving)


def _ask(chart):
    return {node.id for node in chart.nodes if is_question(node)}
