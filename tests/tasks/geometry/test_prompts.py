"""The worked examples of the geometry prompts pass the checks that an answer has to pass."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from prompts import load_prompt
from renderers.results import ScriptRenderer
from storage.rows import Anchor, Image
from tasks.contract.context import Context
from tasks.geometry.author.anchors import check_caption
from tasks.geometry.author.figures import try_figure, try_negative
from tasks.geometry.author.proposals import Proposals
from tasks.geometry.author.vocabulary import list_predicates, read_claims
from tasks.geometry.captions.read import parse_claims
from tasks.geometry.checks import look_at_anchor
from tasks.geometry.figures import Figure
from tasks.geometry.settings import GeometrySettings

VALUES: dict[str, Any] = dict.fromkeys(
    ("question", "answer", "script", "failures", "earlier", "caption", "count", "letters", "taken", "negative_caption",
     "problem", "line", "source_line", "log"), ""
)  # fmt: skip


def read_task(prompt_id: str, markings: bool = True) -> str:
    """What every row is told by a prompt."""
    prompt = load_prompt(prompt_id)
    values = VALUES | {"markings": markings, "predicates": list_predicates(), "count": 1, "letters": []}
    return prompt.render({name: values[name] for name in prompt.variables}).system


def read_answer(prompt_id: str) -> Any:
    task = read_task(prompt_id)
    return json.loads(task[task.index('\n{"', task.index("\nExample")) :])


def read_script(markings: bool) -> str:
    return re.findall(r"```python\n(.*?)```", read_task("geometry.script", markings), re.DOTALL)[-1]


@pytest.fixture
def context(renderer: ScriptRenderer) -> Context[GeometrySettings]:
    return Context(GeometrySettings(source="problems:x.jsonl"), 7, renderer)


@pytest.fixture
def figure(context: Context[GeometrySettings]) -> Figure:
    tried = try_figure(read_script(True), context)
    assert tried.result is not None, tried.problem
    return tried.result


@pytest.fixture
def anchor(figure: Figure) -> Anchor:
    caption = re.findall(r'the caption "(In .*?)":', read_task("geometry.negative_captions"))[0]
    return Anchor(
        "a", "geometry", "s", "1", "train", Image(figure.png, "a.png"), caption=caption, code=read_script(True)
    )


def test_script_draws_a_figure_with_markings_and_without(context: Context[GeometrySettings], figure: Figure) -> None:
    assert {mark.predicate for mark in figure.scene.marks} == {"mark_length", "mark_right"}
    plain = try_figure(read_script(False), context)
    assert plain.result is not None, plain.problem
    assert plain.result.scene.marks == () and plain.result.scene.points.keys() == figure.scene.points.keys()


def test_caption_says_what_the_script_of_the_other_prompt_draws(figure: Figure) -> None:
    answer = read_answer("geometry.caption")
    assert check_caption(answer["caption"], read_claims(answer["claims"]), figure.scene) == []


def test_wordings_that_the_caption_prompt_names_are_read() -> None:
    task = read_task("geometry.caption")
    listed = task.partition("Wordings that are read: ")[2].partition("\n\n")[0]
    wordings = re.findall(r"`([^`]+)`", listed)
    assert len(wordings) > 10
    assert all(parse_claims(each) for each in wordings)


@pytest.mark.parametrize("prompt_id", ["geometry.negative_captions", "geometry.rule"])
def test_negatives_pass_the_rules(prompt_id: str, anchor: Anchor, context: Context[GeometrySettings]) -> None:
    proposals = Proposals(
        anchor, look_at_anchor(anchor, context), prompt_id, "geometry.rule", drastic=prompt_id == "geometry.rule"
    )
    for each in read_answer(prompt_id)["negatives"]:
        assert proposals.find_fault(each["caption"], each) == ()


def test_changed_script_draws_the_second_caption(anchor: Anchor, context: Context[GeometrySettings]) -> None:
    task = read_task("geometry.edit_script")
    second = re.findall(r"Second caption: (.*)", task)[0]
    (before, after), (said, says) = re.findall(r"`([^`]+)` becomes `([^`]+)`", task)
    script = read_script(True)
    assert before in script and said.removesuffix("...)") in script
    changed = script.replace(before, after).replace(said.removesuffix("...)"), says.removesuffix("...)"))
    tried = try_negative(changed, second, parse_claims(second), anchor, context)
    assert tried.result is not None, tried.problem


def test_repair_mends_what_it_says_is_wrong(context: Context[GeometrySettings]) -> None:
    task = read_task("geometry.repair")
    problem = re.findall(r"What went wrong: (.*)", task)[0]
    bad, good = re.findall(r"`(ax\.text\([^`]+)`", task)
    script = read_script(True)
    assert good in script
    tried = try_figure(script.replace(good, bad), context)
    assert tried.result is None and tried.problem.removeprefix("the picture ") in problem
