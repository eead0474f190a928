"""Measuring: the scene comes back from its drawing, whoever wrote the script."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterfoil.renderers.results import Arc, Dot, Drawing, Label, Outcome, Panel, Polyline, ScriptRenderer
from counterfoil.storage.rows import Fact
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.anchors import find_difference
from counterfoil.tasks.geometry.drawing.script import write_script
from counterfoil.tasks.geometry.facts.judge import canonicalise, holds, judge
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figures import read_figure
from counterfoil.tasks.geometry.measuring.mark_texts import read_degrees, read_name, read_value
from counterfoil.tasks.geometry.measuring.measure import MeasureError, measure_drawing
from counterfoil.tasks.geometry.measuring.rules import find_picture_problem
from counterfoil.tasks.geometry.sources.sampler import sample_scene


def draw(renderer: ScriptRenderer, script: str) -> Drawing:
    rendering = renderer.render(script)
    assert rendering.outcome is Outcome.OK, rendering
    assert rendering.drawing is not None
    return rendering.drawing


def measure_scene(drawing: Drawing) -> Scene:
    return measure_drawing(drawing).scene


def test_sampled_scenes_are_measured_as_they_were_written(renderer: ScriptRenderer) -> None:
    different = []
    for i in range(40):
        scene = sample_scene(generator(31, "measure", i), 3)
        figure = read_figure(write_script(scene), renderer)
        difference = figure.problem or find_difference(scene, figure)
        if difference:
            different.append((i, difference))
    assert len(different) <= 1, different


def test_group_ids_do_not_decide_what_is_read(renderer: ScriptRenderer) -> None:
    """The same shapes without, and with wrong, group ids give the same scene."""
    for i in range(12):
        scene = sample_scene(generator(32, "measure", i), 1)
        drawing = draw(renderer, write_script(scene))
        plain = _rename_gids(drawing, "")
        wrong = _rename_gids(drawing, "length A B")
        expected = {canonicalise(mark) for mark in scene.marks if mark.predicate != "mark_arcs"}
        for other in (plain, wrong):
            seen = measure_scene(other)
            assert seen.points == measure_scene(drawing).points
            assert expected <= {canonicalise(mark) for mark in seen.marks}


def _rename_gids(drawing: Drawing, gid: str) -> Drawing:
    panel = drawing.panels[0]
    renamed = replace(
        panel,
        polylines=tuple(replace(each, gid=gid) for each in panel.polylines),
        arcs=tuple(replace(each, gid=gid) for each in panel.arcs),
        labels=tuple(replace(each, gid=gid) for each in panel.labels),
    )
    return replace(drawing, panels=(renamed,))


OTHER_STYLE = """
import numpy as np
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(6, 6))
A, B, C, D = map(np.array, [(1, 1), (5, 1), (5, 5), (1, 5)])
ax.add_patch(plt.Polygon([A, B, C, D], fill=False, ec="k", lw=2))
ax.plot(*zip(A, C), "k-")
O = (A + C) / 2
t = np.linspace(0, 2 * np.pi, 200)
ax.plot(O[0] + 2 * np.cos(t), O[1] + 2 * np.sin(t), "k")
ax.scatter(*O, color="k", s=12)
for name, p, off in [("A", A, (-12, -12)), ("B", B, (5, -12)), ("C", C, (5, 5)), ("D", D, (-12, 5))]:
    ax.annotate(f"${name}$", p, xytext=off, textcoords="offset points", fontsize=14)
ax.text(O[0] + 0.1, O[1] - 0.35, r"$O$", fontsize=14)
ax.text(3, 0.6, "8", ha="center", fontsize=12)
ax.plot([4.7, 4.7, 5], [1, 1.3, 1.3], "k", lw=1)
ax.set_aspect("equal")
ax.axis("off")
ax.set_xlim(0, 6)
ax.set_ylim(0, 6)
fig.savefig("out.png")
"""


def test_a_script_in_another_style_is_measured_in_the_unit_of_its_written_lengths(renderer: ScriptRenderer) -> None:
    scene = measure_scene(draw(renderer, OTHER_STYLE))
    assert set(scene.points) == {"A", "B", "C", "D", "O"}
    assert holds(Fact("square", tuple("ABCD")), scene.coordinates)
    assert holds(Fact("length", ("A", "B"), "8"), scene.coordinates)
    assert holds(Fact("tangent", ("A", "B", "O")), scene.coordinates)
    assert holds(Fact("midpoint", ("O", "A", "C")), scene.coordinates)
    assert scene.has_line("A", "O") and not scene.has_line("B", "D")
    marks = {canonicalise(mark) for mark in scene.marks}
    assert Fact("mark_length", ("A", "B"), "8") in marks and Fact("mark_right", ("A", "B", "C")) in marks


def test_what_was_drawn_counts_and_not_what_was_meant(renderer: ScriptRenderer) -> None:
    """The labels say square; the lines drawn are none."""
    script = OTHER_STYLE.replace("[(1, 1), (5, 1), (5, 5), (1, 5)]", "[(1, 1), (5, 1), (5.2, 3.5), (1, 5)]")
    scene = measure_scene(draw(renderer, script))
    assert judge(Fact("square", tuple("ABCD")), scene.coordinates) is False


def test_an_axis_that_points_down_is_measured_as_seen(renderer: ScriptRenderer) -> None:
    script = OTHER_STYLE.replace("ax.set_ylim(0, 6)", "ax.set_ylim(6, 0)")
    points = measure_scene(draw(renderer, script)).points
    assert points["D"][1] < points["A"][1]


# Hand-made drawings

TRIANGLE = Panel(
    xlim=(0, 10),
    ylim=(0, 10),
    box=(0, 0, 500, 500),
    polylines=(Polyline(((1, 1), (9, 1), (1, 7)), closed=True),),
    labels=(
        Label("A", (0.6, 0.6), (0.4, 0.3, 0.8, 0.8)),
        Label("B", (9.4, 0.6), (9.2, 0.3, 9.6, 0.8)),
        Label("C", (0.6, 7.4), (0.4, 7.2, 0.8, 7.7)),
    ),
)


def drawing_of(**changes: object) -> Drawing:
    return Drawing((replace(TRIANGLE, **changes),), 500, 500)  # type: ignore[arg-type]


def with_text(text: str, x: float, y: float, width: float = 0.5) -> tuple[Label, ...]:
    return (*TRIANGLE.labels, Label(text, (x, y), (x - width / 2, y - 0.2, x + width / 2, y + 0.2)))


def marks_of(scene: Scene) -> set[Fact]:
    return {canonicalise(mark) for mark in scene.marks}


def test_a_length_belongs_to_the_line_that_it_stands_at() -> None:
    assert Fact("mark_length", ("A", "B"), "8") in marks_of(measure_scene(drawing_of(labels=with_text("8", 5, 0.6))))
    assert Fact("mark_length", ("B", "C"), "8") in marks_of(measure_scene(drawing_of(labels=with_text("8", 5.5, 4.5))))


def test_an_angle_belongs_to_the_arc_that_it_stands_at() -> None:
    arcs = (Arc((9, 1), 2, 2, theta1=143.13, theta2=180),)
    seen = measure_scene(drawing_of(arcs=arcs, labels=with_text("37°", 7.4, 1.35)))
    assert Fact("mark_angle", ("A", "B", "C"), "37") in marks_of(seen)
    away = measure_drawing(drawing_of(arcs=arcs, labels=with_text("37°", 2.5, 9.3)))
    assert not [mark for mark in away.scene.marks if mark.predicate == "mark_angle"]
    assert away.strays == ("37°",)


def test_a_label_away_from_every_point_is_an_error() -> None:
    labels = (*TRIANGLE.labels[:2], Label("C", (8, 8.5), (7.8, 8.3, 8.2, 8.7)))
    with pytest.raises(MeasureError, match="label C stands at no point"):
        measure_scene(drawing_of(labels=labels))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"labels": ()}, "no point is labelled"),
        ({"labels": (TRIANGLE.labels[0], TRIANGLE.labels[0])}, "two labels A"),
        ({"polylines": ()}, "places that they could name"),
    ],
)
def test_a_drawing_that_is_no_labelled_figure_is_an_error(changes: dict[str, object], message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        measure_scene(drawing_of(**changes))
    with pytest.raises(MeasureError, match="recorded in full"):
        measure_scene(Drawing((TRIANGLE,), 500, 500, truncated=True))


def test_two_labels_that_change_places_change_what_is_measured() -> None:
    a, b, c = TRIANGLE.labels
    swapped = (replace(a, text="B"), replace(b, text="A"), c)
    assert holds(Fact("angle", ("B", "A", "C"), "90"), measure_scene(drawing_of()).coordinates)
    assert judge(Fact("angle", ("B", "A", "C"), "90"), measure_scene(drawing_of(labels=swapped)).coordinates) is False


def test_only_an_arrow_from_a_letter_straight_to_its_point_is_no_line_of_the_figure() -> None:
    """Whatever else bears the group id of such an arrow is read as it is drawn."""
    p = Label("P", (8, 8), (7.8, 7.8, 8.2, 8.2), points_at=(5, 4))
    arrow, bent = ((7.8, 7.8), (5.0, 4.0)), ((7.8, 7.8), (9.0, 4.0), (5.0, 4.0))
    for way, removed in ((arrow, True), (bent, False)):
        shape = Polyline(way, gid="leader")
        strokes, dots = (*TRIANGLE.polylines, shape), (Dot((5, 4)),)
        seen = measure_drawing(drawing_of(polylines=strokes, labels=(*TRIANGLE.labels, p), dots=dots))
        assert seen.scene.points["P"] == pytest.approx((5, 4) if removed else (7.8, 7.8))
        assert len(seen.seen.view.lines) == (3 if removed else 5)


def test_a_dot_is_named_rather_than_nothing() -> None:
    labels = (*TRIANGLE.labels, Label("P", (6.2, 8.2), (6.0, 8.0, 6.4, 8.5)))
    scene = measure_scene(drawing_of(labels=labels, dots=(Dot((6, 7.8)),)))
    assert scene.points["P"] == pytest.approx((6, 7.8))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("A", "A"),
        ("$A$", "A"),
        ("$\\mathrm{B}$", "B"),
        ("A'", "A'"),
        ("$P_1$", "P1"),
        ("C (3, 4)", "C"),
        ("8", None),
        ("x", None),
        ("60°", None),
        ("AB", None),
    ],
)
def test_point_names_are_told_from_other_texts(text: str, name: str | None) -> None:
    assert read_name(text) == name


@pytest.mark.parametrize(
    ("text", "value"),
    [("60°", "60"), ("$60^\\circ$", "60"), ("(4y−10)°", "4y-10"), ("$(x^{2}-10)^{\\circ}$", "x^{2}-10"), ("60", None)],
)
def test_degrees_are_read_in_every_notation(text: str, value: str | None) -> None:
    assert read_degrees(text) == value


def test_lengths_are_read_as_captions_write_them() -> None:
    assert read_value("2x−14") == "2x-14"
    assert read_value("$5\\sqrt{3}$") == "5\\sqrt{3}"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"axis_on": True}, "axes"),
        ({"labels": (replace(TRIANGLE.labels[0], inside=False), *TRIANGLE.labels[1:])}, "not wholly inside"),
    ],
)
def test_a_broken_drawing_rule_is_named(changes: dict[str, object], problem: str) -> None:
    assert find_picture_problem(drawing_of()) is None
    found = find_picture_problem(drawing_of(**changes))
    assert found is not None and problem in found
