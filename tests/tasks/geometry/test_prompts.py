"""The worked examples of the geometry prompts pass the checks that an answer has to pass."""

from __future__ import annotations

import re
from typing import Any

import pytest

from counterfoil.prompts import load_prompt
from counterfoil.renderers.results import ScriptRenderer
from counterfoil.storage.rows import Anchor, Image
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.geometry.author.anchors import check_caption
from counterfoil.tasks.geometry.author.figures import try_figure, try_negative
from counterfoil.tasks.geometry.author.proposals import Proposals
from counterfoil.tasks.geometry.author.vocabulary import list_wordings
from counterfoil.tasks.geometry.captions.read import parse_claims
from counterfoil.tasks.geometry.checks import look_at_anchor
from counterfoil.tasks.geometry.figures import Figure
from counterfoil.tasks.geometry.settings import GeometrySettings
from tests.prompts.examples import list_examples

VALUES: dict[str, Any] = dict.fromkeys(
    ("question", "answer", "script", "failures", "earlier", "caption", "count", "letters", "taken", "negative_caption",
     "problem", "line", "source_line", "log"), ""
)  # fmt: skip


def read_task(prompt_id: str, markings: bool = True) -> str:
    """What every row is told by a prompt."""
    prompt = load_prompt(prompt_id)
    values = VALUES | {"markings": markings, "wordings": list_wordings(), "count": 1, "letters": []}
    return prompt.render({name: values[name] for name in prompt.variables}).system


def read_script(which: int, markings: bool = True) -> str:
    """One of the scripts that the prompt of scripts shows."""
    return re.findall(r"```python\n(.*?)```", read_task("geometry.script", markings), re.DOTALL)[-2:][which]


@pytest.fixture
def context(renderer: ScriptRenderer) -> Context[GeometrySettings]:
    return Context(GeometrySettings(source="problems:x.jsonl"), 7, renderer)


def draw(which: int, context: Context[GeometrySettings], markings: bool = True) -> Figure:
    tried = try_figure(read_script(which, markings), context)
    assert tried.result is not None, tried.problem
    return tried.result


def make_anchor(which: int, caption: str, context: Context[GeometrySettings]) -> Anchor:
    image = Image(draw(which, context).png, "a.png")
    return Anchor("a", "geometry", "s", "1", "train", image, caption=caption, code=read_script(which))


@pytest.mark.parametrize(("which", "marks"), [(0, {"mark_length", "mark_right"}), (1, {"mark_angle"})])
def test_script_draws_a_figure_with_markings_and_without(
    which: int, marks: set[str], context: Context[GeometrySettings]
) -> None:
    figure, plain = (draw(which, context, markings) for markings in (True, False))
    assert {mark.predicate for mark in figure.scene.marks} == marks
    assert plain.scene.marks == () and plain.scene.points.keys() == figure.scene.points.keys()


@pytest.mark.parametrize("which", [0, 1])
def test_caption_says_what_the_script_of_the_other_prompt_draws(which: int, context: Context[GeometrySettings]) -> None:
    answer = list_examples(read_task("geometry.caption"))[which]
    assert check_caption(answer["caption"], draw(which, context).scene) == []


@pytest.mark.parametrize("prompt_id", ["geometry.caption", "geometry.negative_captions"])
def test_every_wording_that_a_prompt_names_is_read(prompt_id: str) -> None:
    task = read_task(prompt_id)
    assert len(list_wordings()) > 50
    for each in list_wordings():
        assert f"`{each}`" in task
        assert parse_claims(each)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("prompt_id", ["geometry.negative_captions", "geometry.rule"])
def test_negatives_pass_the_rules(prompt_id: str, which: int, context: Context[GeometrySettings]) -> None:
    task = read_task(prompt_id)
    anchor = make_anchor(which, re.findall(r'the caption "(.*?)":', task)[which], context)
    proposals = Proposals(
        anchor, look_at_anchor(anchor, context), prompt_id, "geometry.rule", drastic=prompt_id == "geometry.rule"
    )
    answer = list_examples(task)[which]["negatives"]
    assert len(answer) == (2, 1)[which]
    for each in answer:
        assert proposals.find_fault(each["caption"], each) == ()


@pytest.mark.parametrize("which", [0, 1])
def test_changed_script_draws_the_second_caption(which: int, context: Context[GeometrySettings]) -> None:
    task = read_task("geometry.edit_script")
    first, second = (re.findall(rf"{name} caption: (.*)", task)[which] for name in ("First", "Second"))
    script = changed = read_script(which)
    for before, after in re.findall(r"`([^`]+)` becomes\s`([^`]+)`", task)[2 * which : 2 * which + 2]:
        before, after = before.removesuffix("...)"), after.removesuffix("...)")
        assert before in script
        changed = changed.replace(before, after)
    tried = try_negative(changed, second, parse_claims(second), make_anchor(which, first, context), context)
    assert tried.result is not None, tried.problem


def test_repair_mends_what_it_says_is_wrong(context: Context[GeometrySettings]) -> None:
    task = read_task("geometry.repair")
    problem, missing = re.findall(r"What went wrong: (.*)", task)
    bad, good = re.findall(r"`(ax\.text\([^`]+)`", task)
    script = read_script(0)
    assert good in script
    tried = try_figure(script.replace(good, bad), context)
    assert tried.result is None and tried.problem.removeprefix("the picture ") in problem
    (imported,) = re.findall(r"begins with `([^`]+)`", task)
    (line, source_line) = re.findall(r"in line (\d+): `([^`]+)`", task)[0]
    assert read_script(1).startswith(f"{imported}\n\n")
    tried = try_figure(read_script(1).removeprefix(f"{imported}\n\n"), context)
    assert missing in tried.problem and (tried.line, tried.source_line.strip()) == (int(line), source_line)
