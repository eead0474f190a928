"""Scripts in the styles of many authors: what a viewer of their figures would read is measured, or clearly refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from counterfoil.renderers.results import Drawing, Outcome
from counterfoil.storage.rows import Fact
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.geometry.facts.judge import canonicalise
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.measuring.ink import PageMap
from counterfoil.tasks.geometry.measuring.measure import MeasureError, measure_drawing
from tests.tasks.geometry.foreign_figures import FIGURES, SCRIPTS, Expected

CLOSE = 0.012
"""Share of a figure's extent by which a measured place may be off."""


def test_every_script_is_in_the_table_and_few_are_to_be_refused() -> None:
    assert sorted(path.stem for path in SCRIPTS.glob("*.py")) == sorted(FIGURES)
    assert len(FIGURES) >= 60
    assert sum(bool(expected.problem) for expected in FIGURES.values()) <= 3


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_a_script_in_any_style_is_read_as_a_viewer_reads_it(name: str, renderer: MemoRenderer) -> None:
    rendering = renderer.render((SCRIPTS / f"{name}.py").read_text())
    assert rendering.outcome is Outcome.OK, rendering
    assert rendering.drawing is not None
    expected = FIGURES[name]
    if expected.problem:
        with pytest.raises(MeasureError, match=expected.problem):
            measure_drawing(rendering.drawing)
        return
    assert list_differences(measure_drawing(rendering.drawing).scene, rendering.drawing, expected) == []


TRIANGLE = """
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(5, 5))
ax.plot([0, 8, 3, 0], [0, 0, 6, 0], "k")
ax.plot([3, 3], [6, 0], "k")
ax.annotate("A", xy=(0, 0), xytext=(-0.4, -0.4))
ax.annotate("B", xy=(8, 0), xytext=(8.1, -0.4))
ax.annotate("C", xy=(3, 6), xytext=(2.9, 6.2))
{more}
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
"""


def look(renderer: MemoRenderer, script: str) -> Drawing:
    drawing = renderer.render(script).drawing
    assert drawing is not None
    return drawing


def test_a_label_at_an_unmarked_point_is_not_given_to_another(renderer: MemoRenderer) -> None:
    """M is meant to be the midpoint of AB; the only free place near it is the foot of the height."""
    drawing = look(renderer, TRIANGLE.format(more='ax.text(3.9, -0.45, "M")'))
    with pytest.raises(MeasureError, match="label M stands at a line of the figure"):
        measure_drawing(drawing)
    foot = measure_drawing(look(renderer, TRIANGLE.format(more='ax.text(2.9, -0.45, "M")'))).scene
    assert foot.points["M"] == pytest.approx((3, 0), abs=1e-6)


def test_where_a_label_is_seen_counts_and_not_what_annotate_was_given(renderer: MemoRenderer) -> None:
    swapped = TRIANGLE.format(more="").replace("xytext=(8.1, -0.4)", "xytext=(2.9, 6.2)", 1)
    swapped = swapped.replace('"C", xy=(3, 6), xytext=(2.9, 6.2)', '"C", xy=(3, 6), xytext=(8.1, -0.4)')
    scene = measure_drawing(look(renderer, swapped)).scene
    assert scene.points["B"] == pytest.approx((3, 6), abs=1e-6)
    assert scene.points["C"] == pytest.approx((8, 0), abs=1e-6)


def test_statements_and_words_are_no_lengths_of_what_they_stand_at(renderer: MemoRenderer) -> None:
    """``AC = 7`` beside AB is said of AC; an equation and a word are said of no segment."""
    more = (
        'ax.text(5.5, -0.4, "AC = 7"); ax.text(6, 3.3, "y = 2x"); ax.text(3.1, 2, "AB = BC"); ax.text(0, 3, "height")'
    )
    measurement = measure_drawing(look(renderer, TRIANGLE.format(more=more)))
    assert [mark for mark in measurement.scene.marks if mark.predicate == "mark_length"] == [
        Fact("mark_length", ("A", "C"), "7")
    ]
    assert sorted(measurement.strays) == ["AB = BC", "height", "y = 2x"]


def list_differences(scene: Scene, drawing: Drawing, expected: Expected) -> list[str]:
    """All by which a measured scene differs from what the table says, in words."""
    found = _compare_names(set(scene.points), set(expected.points), "points")
    if found:
        return found
    found += _compare_names(_name_lines(scene), _read_lines(expected.lines), "lines")
    found += _compare_places(scene, drawing, expected)
    seen = {canonicalise(mark) for mark in scene.marks}
    found += _compare_names(
        {str(_tell(mark)) for mark in seen}, {_tell(mark) for mark in _read_marks(expected)}, "marks"
    )
    return found


def _compare_names(seen: set[str], wanted: set[str], what: str) -> list[str]:
    missing, odd = sorted(wanted - seen), sorted(seen - wanted)
    return [f"{what}: missing {missing}, not in the figure {odd}"] if missing or odd else []


def _name_lines(scene: Scene) -> set[str]:
    return {"-".join(sorted(pair)) for pair in scene.segments}


def _read_lines(text: str) -> set[str]:
    return {"-".join(sorted(part.split("-") if "-" in part else part)) for part in text.split()}


def _read_marks(expected: Expected) -> list[Fact]:
    marks = []
    for part in filter(None, expected.marks.split(", ")):
        kind, points, *value = part.split(" ", 2)
        marks.append(canonicalise(Fact(f"mark_{kind}", tuple(points), value[0] if value else None)))
    return marks


def _tell(mark: Fact) -> str:
    return " ".join([mark.predicate, *mark.arguments, mark.value or ""]).strip()


def _compare_places(scene: Scene, drawing: Drawing, expected: Expected) -> list[str]:
    """Places up to one shift and scale of the page; the scale too where the axes are true."""
    panel = max(drawing.panels, key=lambda panel: len(panel.labels))
    page = PageMap.of(panel)
    names = sorted(expected.points)
    wanted = np.array([page.to_pixels(expected.points[each]) for each in names])
    seen = np.array([scene.points[each] for each in names])
    middle, centre = wanted.mean(axis=0), seen.mean(axis=0)
    scale = float(((wanted - middle) * (seen - centre)).sum() / ((wanted - middle) ** 2).sum())
    limit = CLOSE * scene.extent

    def to_seen(place: tuple[float, float]) -> tuple[float, float]:
        x, y = (np.array(page.to_pixels(place)) - middle) * scale + centre
        return float(x), float(y)

    found = [
        f"point {each} is at {scene.points[each]}"
        for each in names
        if math.dist(to_seen(expected.points[each]), scene.points[each]) > limit
    ]
    if page.is_true and abs(scale * abs(page.per_x) / expected.unit - 1) > 0.05:
        found.append(f"one unit measures {scale * abs(page.per_x):.3f}, not {expected.unit}")
    left = dict(scene.circles)
    for centre_at, radius in expected.circles:
        place = expected.points[centre_at] if isinstance(centre_at, str) else centre_at
        circle = (*to_seen(place), radius * abs(page.per_x) * scale)
        match = next((key for key, c in left.items() if math.dist(c, circle) <= limit), None)
        if match is None or (isinstance(centre_at, str) and match != centre_at):
            found.append(f"circle {centre_at} {radius} is not seen ({left})")
        else:
            del left[match]
    return found + [f"a circle {key} {circle} is seen" for key, circle in left.items()]
