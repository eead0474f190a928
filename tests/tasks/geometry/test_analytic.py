"""Figures on axes: sampled, drawn, described, read back, measured, edited."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from counterfoil.storage.rows import Anchor, Fact
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.contract.verdict import CheckError, Checks
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.geometry.anchors import AnchorError, check_figure
from counterfoil.tasks.geometry.captions.read import parse_claims
from counterfoil.tasks.geometry.captions.write import write_captions
from counterfoil.tasks.geometry.checks import check_negative_text
from counterfoil.tasks.geometry.drawing.relaid import is_relaid
from counterfoil.tasks.geometry.drawing.script import write_script
from counterfoil.tasks.geometry.drawing.style import PLAIN
from counterfoil.tasks.geometry.edits.redraw import redraw
from counterfoil.tasks.geometry.facts.judge import judge
from counterfoil.tasks.geometry.facts.plane import PLANE_KINDS, propose_values, read_plane, write_plane
from counterfoil.tasks.geometry.figure.claims import judge_claim
from counterfoil.tasks.geometry.figure.scene import Scene, SceneError
from counterfoil.tasks.geometry.figure.solve import find_flaw, list_failing
from counterfoil.tasks.geometry.figures import FigureError, read_figure
from counterfoil.tasks.geometry.measuring.closed import find_stray
from counterfoil.tasks.geometry.settings import Plan
from counterfoil.tasks.geometry.sources.sampler import sample_analytic, sample_numbered
from tests.tasks.geometry.recomputing import recompute

FACTS = (
    *(Fact("point", (name,), place) for name, place in {"A": "-4 -3", "B": "2 3", "V": "1 -2", "P": "3 2"}.items()),
    *(Fact("point", (name,), place) for name, place in {"O": "-3 3", "K": "-3 5"}.items()),
    Fact("segment", ("A", "B")),
    Fact("circle", ("O",), "-3 3 2"),
    Fact("axes", (), "-6 6 -6 6"),
    Fact("line", ("A", "B")),
    Fact("parabola", ("V", "P")),
    Fact("line_equation", ("A", "B"), "y=x+1"),
    Fact("on_circle", ("K", "O")),
)
SCENE = Scene.from_facts(FACTS)
TRUE = (
    Fact("at", ("A",), "(-4,-3)"),
    Fact("slope", ("B", "A"), "1"),
    Fact("y_intercept", ("A", "B"), "1"),
    Fact("x_intercept", ("A", "B"), "-1"),
    Fact("quadrant", ("O",), "second"),
    Fact("parabola", ("V", "P")),
    Fact("quadratic", ("V", "P"), "y=x^{2}-2x-1"),
    Fact("circle_equation", ("O",), "(x+3)^{2}+(y-3)^{2}=4"),
)
FALSE = (
    Fact("at", ("A",), "(-4,-2)"),
    Fact("slope", ("A", "B"), "-1"),
    Fact("y_intercept", ("A", "B"), "2"),
    Fact("line_equation", ("A", "B"), "y=x+2"),
    Fact("quadrant", ("O",), "first"),
    Fact("parabola", ("P", "V")),
    Fact("quadratic", ("V", "P"), "y=(x+1)^{2}-2"),
    Fact("circle_equation", ("O",), "(x+3)^{2}+(y-3)^{2}=9"),
)


@pytest.fixture(scope="module")
def measured(renderer: MemoRenderer) -> Scene:
    """What is read of the picture of `SCENE`."""
    figure = read_figure(write_script(SCENE), renderer)
    check_figure(SCENE, figure)
    assert find_stray(figure.seen) is None
    return figure.scene


def test_a_scene_on_axes_is_held_in_its_facts() -> None:
    assert Scene.from_facts(SCENE.to_facts()) == SCENE
    with pytest.raises(SceneError, match="needs axes"):
        replace(SCENE, axes=None).check()
    with pytest.raises(SceneError, match="both sides of 0"):
        Scene.from_facts([*FACTS[:2], Fact("axes", (), "1 6 -6 6")])


def test_axes_lines_and_curves_are_read_back_in_the_units_that_are_written(measured: Scene) -> None:
    assert measured.axes == SCENE.axes
    assert measured.parabolas == (("V", "P"),) and measured.lines == (("A", "B"),)
    assert all(measured.points[name] == pytest.approx(place, abs=0.01) for name, place in SCENE.points.items())


@pytest.mark.parametrize("claim", TRUE, ids=str)
def test_what_is_so_is_shown(claim: Fact, measured: Scene) -> None:
    assert judge_claim(claim, measured) is True


@pytest.mark.parametrize("claim", FALSE, ids=str)
def test_what_is_not_so_is_visibly_not_so(claim: Fact, measured: Scene) -> None:
    assert judge_claim(claim, measured) is False


def test_without_axes_nothing_is_said_of_coordinates() -> None:
    bare = replace(SCENE, axes=None, lines=(), parabolas=())
    assert all(judge_claim(claim, bare) is None for claim in (*TRUE, *FALSE))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('("numeral x 4", "4"', '("numeral x 4", "5"', "the numeral 5 stands where"),
        ('("numeral x 4", "4"', '("numeral x 4", "8"', "the numeral 8 stands where"),
        ('"V": (1.0, -2.0)', '"V": (1.0, -1.0)', "label V reads as another point"),
        ("curves = [\n", "curves = []\nunused = [\n", "another number of lines"),
    ],
)
def test_axes_and_curves_that_belie_themselves_are_refused(
    old: str, new: str, told: str, renderer: MemoRenderer
) -> None:
    code = write_script(SCENE)
    assert old in code
    with pytest.raises((AnchorError, FigureError), match=told):
        check_figure(SCENE, read_figure(code.replace(old, new, 1), renderer))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("#b4b4b4", "#b4b4b5"),
        (r"\ngrid = \[\n.*\n", "\ngrid = [\n"),
        (r"    \(\"arrow x\".*\n", ""),
        (r"    \(\"tick y 2\".*\n", ""),
        (r"    \(\"numeral x 4\".*\n", ""),
        (r"dots = \[\"A\", ", "dots = ["),
        (r"(\"A\": \()(-?[\d.]+)(, -?[\d.]+\),\n    \"B\": [^\n]*\n[^}]*\}\nnumbers)", r"\g<1>\g<2>1\3"),
    ],
)
def test_a_script_is_laid_out_again_to_the_letter(old: str, new: str, renderer: MemoRenderer) -> None:
    code = write_script(SCENE)
    assert is_relaid(code, read_figure(code, renderer).scene, PLAIN)
    changed = re.sub(old, new, code, count=1)
    assert changed != code
    assert not is_relaid(changed, read_figure(code, renderer).scene, PLAIN)


@pytest.mark.parametrize("number", range(12))
def test_sampled_figures_and_their_captions_are_true(number: int) -> None:
    problem = sample_analytic(generator(3, "analytic", number))
    assert not list_failing(problem.scene, problem.scene.claims)
    for style in ("latex", "plain"):
        for caption in write_captions(problem.scene.to_facts(), generator(3, "words", number), 3, style):
            claims = parse_claims(caption)
            assert claims and all(judge_claim(claim, problem.scene) is True for claim in claims), caption


def find_wrong(count: int) -> list[tuple[str, str]]:
    problems = (sample_analytic(generator(7, "answers", i)) for i in range(count))
    return [(each.question, each.answer) for each in problems if max(map(abs, recompute(each))) > 1e-6]


@pytest.mark.parametrize("count", [100, pytest.param(10_000, marks=pytest.mark.slow)])
def test_answers_are_what_the_coordinates_give_by_another_road(count: int) -> None:
    assert not find_wrong(count)


def test_the_share_of_problems_on_axes_is_what_the_recipe_says() -> None:
    for share, count in ((0.0, 10), (0.5, 60), (1.0, 10)):
        drawn = [sample_numbered(2, i, Plan(analytic=share)) for i in range(count)]
        assert np.mean([each.scene.axes is not None for each in drawn]) == pytest.approx(share, abs=0.2 * share)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Fact("line_equation", ("A", "B"), "y=x+1"), Fact("line_equation", ("A", "B"), "y=-x+1")),
        (Fact("line_equation", ("A", "B"), "y=x+1"), Fact("line_equation", ("A", "B"), "y=x+3")),
        (Fact("parabola", ("V", "P")), Fact("parabola", ("P", "V"))),
    ],
)
def test_an_edited_figure_keeps_its_points_at_whole_places(before: Fact, after: Fact) -> None:
    solution = redraw(SCENE, [before], [after], keep_layout=False)
    assert solution.solved, solution.reason
    assert judge_claim(after, solution.scene) is True and judge_claim(before, solution.scene) is False
    assert all(part == round(part) for place in solution.scene.points.values() for part in place)
    assert solution.scene.axes == SCENE.axes


def test_near_misses_are_other_values_of_the_same_kind() -> None:
    rng = generator(1, "near")
    for kind, value in {"place": "(2,-3)", "line": "y=2x-1", "quadratic": "y=(x-1)^{2}-4", "signed": "-1/2"}.items():
        found = [each.value for each in propose_values(Fact("at", ("A",), value), kind, rng)]
        assert len(found) > 4 and value not in found
        numbers = [read_plane(kind, each) for each in found]
        assert all(number and write_plane(kind, number) == each for number, each in zip(numbers, found, strict=True))
        assert all(math.isfinite(part) for number in numbers for part in number or ())
    assert {"round", "quadrant"} < PLANE_KINDS


def test_a_stated_value_of_another_kind_is_no_fact() -> None:
    assert judge(Fact("line_equation", ("A", "B"), "y=x^{2}"), SCENE.coordinates) is None


def test_every_statement_about_axes_is_read_as_people_write_it() -> None:
    texts = {
        "Point A is located at (2, −3).": Fact("at", ("A",), "(2,-3)"),
        "Line AB has a slope of -2.": Fact("slope", ("A", "B"), "-2"),
        "The gradient of AB is 3/2.": Fact("slope", ("A", "B"), "3/2"),
        "The line AB crosses the y-axis at 4.": Fact("y_intercept", ("A", "B"), "4"),
        "The equation of line AB is y = 2x + 1.": Fact("line_equation", ("A", "B"), "y=2x+1"),
        "Circle O is given by (x - 1)^2 + y^2 = 9.": Fact("circle_equation", ("O",), "(x-1)^2+y^2=9"),
        "V is the vertex of the parabola through P.": Fact("parabola", ("V", "P")),
        "AB is perpendicular to the x-axis.": Fact("vertical", ("A", "B")),
    }
    for text, fact in texts.items():
        assert parse_claims(text) == (fact,), text


@pytest.mark.parametrize("place", ["3 -2", "1 4"])
def test_a_parabola_level_with_its_vertex_or_above_it_is_no_figure(place: str) -> None:
    scene = Scene.from_facts(FACTS)
    x, y = map(float, place.split())
    moved = replace(scene, points={**scene.points, "P": (x, y)})
    assert "no parabola has vertex V" in str(find_flaw(scene, moved))
    assert "no parabola" not in str(find_flaw(scene, scene))


@pytest.mark.parametrize(
    ("place", "slope", "reason"),
    [
        ("(-4, -2)", "1", ""),
        ("(-4, -3)", "-1", ""),
        ("(-4, -4/2)", "1", "written_plainly: nobody writes (-4,-4/2)"),
        ("(-4, -2)", "4/2", "written_plainly: nobody writes 4/2"),
        ("(-4, -3)", "1", "no_renaming: the text says what the anchor's caption says"),
    ],
)
def test_a_negative_of_coordinates_has_others_written_as_problems_write_them(place, slope, reason) -> None:
    text = "A has coordinates {}. The slope of line AB is {}."
    anchor = Anchor("a", "geometry", "s", "1", "train", caption=text.format("(-4, -3)", "1"))
    try:
        check_negative_text(Checks(), text.format(place, slope), anchor, SCENE, drastic=False)
    except CheckError as error:
        assert str(error) == reason
    else:
        assert not reason
