"""A figure is kept whatever the style it is drawn in, so long as a viewer reads it; axes and grids are refused."""

from __future__ import annotations

import pytest

from counterfoil.storage.rows import Fact
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.geometry.facts.judge import canonicalise
from counterfoil.tasks.geometry.facts.residuals import measure_distance
from counterfoil.tasks.geometry.figures import Figure, read_figure
from counterfoil.tasks.geometry.measuring.legible import find_illegible
from counterfoil.tasks.geometry.measuring.rules import find_other_look
from tests.tasks.geometry.styles import COLOURED, PLAIN, REFUSED, STYLES, use, wrap

POINTS = {"A": (0.0, 0.0), "B": (8.0, 0.0), "C": (0.0, 6.0), "D": (4.0, 3.0)}
SIDES = {frozenset("AB"), frozenset("BC"), frozenset("CA"), frozenset("AD")}


def find_fault(figure: Figure) -> str | None:
    """Why a figure would not be accepted."""
    faults = (figure.problem, figure.mismatch, figure.misread, find_illegible(figure.drawing, figure.png, 336))
    return next((fault for fault in faults if fault), None)


@pytest.mark.parametrize("name", sorted(STYLES.keys() - REFUSED.keys()))
def test_a_figure_in_any_style_is_kept_and_read(name: str, renderer: MemoRenderer) -> None:
    figure = read_figure(STYLES[name], renderer)
    assert find_fault(figure) is None
    scene = figure.scene
    assert set(scene.points) == set(POINTS)
    assert max(measure_distance(scene.points[each], POINTS[each]) for each in POINTS) < 0.1
    assert {frozenset(segment) for segment in scene.segments} == SIDES
    marks = {canonicalise(mark) for mark in scene.marks}
    value = "8cm" if name == "mathematics" else "8"
    assert any(mark.predicate == "mark_length" and (mark.value or "") in ("8", value) for mark in marks)
    assert ("square" in name) <= (canonicalise(Fact("mark_right", ("B", "A", "C"))) in marks)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_lost_is_refused_for_a_reason(name: str, renderer: MemoRenderer) -> None:
    assert REFUSED[name] in (find_fault(read_figure(STYLES[name], renderer)) or "")


def test_nearly_all_styles_are_kept() -> None:
    assert len(STYLES) >= 45
    assert len(REFUSED) <= 2


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (wrap(PLAIN, axis=""), "the axes are shown"),
        (wrap(PLAIN, axis="ax.grid(True)\nax.set_frame_on(False)\nax.tick_params(length=0)\n"), "the axes are shown"),
        (wrap(PLAIN, axis="ax.set(xticks=[], yticks=[])\n"), "the axes are shown"),
        (wrap(PLAIN, axis="ax.spines[:].set_visible(False)\n"), "the axes are shown"),
        (use("seaborn-v0_8", PLAIN, ""), "the axes are shown"),
        (wrap(PLAIN + "number('9', 6, -.08)\n"), "a line runs through the text '9'"),
        (wrap(PLAIN + "number('12', 6, 0, rotation=90)\n"), "a line runs through the text '12'"),
        (wrap(PLAIN + "number('95', 4.1, -.5)\n"), "overlap"),
        (wrap(PLAIN + "number('35', 4.1, -.5, rotation=40)\n"), "overlap"),
        (wrap(PLAIN + "number('thirty five centimetres', 9, 5)\n"), "is not wholly inside"),
    ],
)
def test_what_cannot_be_read_is_refused(script: str, reason: str, renderer: MemoRenderer) -> None:
    assert reason in (find_fault(read_figure(script, renderer)) or "")


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (wrap(COLOURED), "which the anchor does not use"),
        (use("dark_background"), "its paper is #000000"),
        (wrap(PLAIN + 'plt.title("Figure")\n'), "it has a title"),
        (wrap('plt.fill(*zip(A, B, C), color="0.9")\n' + PLAIN), "which the anchor does not use"),
    ],
)
def test_a_picture_in_another_style_than_its_anchor_gives_itself_away(
    script: str, reason: str, renderer: MemoRenderer
) -> None:
    anchor, other = read_figure(wrap(PLAIN), renderer).drawing, read_figure(script, renderer).drawing
    assert find_other_look(anchor, anchor) is None
    assert reason in (find_other_look(other, anchor) or "")
