"""Scripts and layouts: self-contained, black only, labels clear of lines and of one another."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest

from counterfoil.storage.rows import Fact
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.drawing.board import list_dots
from counterfoil.tasks.geometry.drawing.labels import PIXELS_PER_POINT, estimate_extent
from counterfoil.tasks.geometry.drawing.layout import lay_out, list_misread
from counterfoil.tasks.geometry.drawing.page import find_box
from counterfoil.tasks.geometry.drawing.preview import Layout
from counterfoil.tasks.geometry.drawing.script import write_script
from counterfoil.tasks.geometry.drawing.style import SIZE, Style
from counterfoil.tasks.geometry.drawing.values import write_number
from counterfoil.tasks.geometry.facts.residuals import measure_gap
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.sources.sampler import sample_scene


@cache
def draw_scenes() -> list[Scene]:
    """Drawn when a test asks, not by every worker that collects."""
    return [sample_scene(generator(21, "script", i), 3) for i in range(120)]


def test_a_script_imports_matplotlib_alone_and_saves_question_png() -> None:
    for scene in draw_scenes()[:30]:
        tree = ast.parse(write_script(scene))
        imported = {
            (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name) or ""
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
        }
        assert {name.partition(".")[0] for name in imported} == {"matplotlib"}
        saved = [node.args[0].value for node in ast.walk(tree) if _calls(node, "savefig")]  # type: ignore[attr-defined]
        assert saved == ["question.png"]


def _calls(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name


def test_a_script_is_the_same_every_time_and_holds_the_scene_s_coordinates() -> None:
    for scene in draw_scenes()[:30]:
        text = write_script(scene)
        assert text == write_script(Scene.from_facts(scene.to_facts()))
        assert "points" in text
        for name, (x, y) in scene.points.items():
            assert f'"{name}": ({x!r}, {y!r})' in text


def test_without_markings_no_number_is_drawn_but_ticks_and_squares_are() -> None:
    scene = next(s for s in draw_scenes() if {"mark_right", "mark_length"} <= {m.predicate for m in s.marks})
    bare = lay_out(scene, markings=False)
    assert {text.text for text in bare.texts} == set(scene.points)
    assert any(stroke.gid.startswith("right ") for stroke in bare.strokes)
    assert any(text.gid.startswith("length ") for text in lay_out(scene).texts)


def test_labels_are_inside_off_the_lines_and_apart() -> None:
    crossed = overlapping = total = 0
    for scene in draw_scenes():
        layout = lay_out(scene)
        x0, y0, scale = layout.page.x0, layout.page.y0, layout.page.scale

        def to_pixels(p: tuple[float, float], x0: float = x0, y0: float = y0, k: float = scale) -> tuple[float, float]:
            return ((p[0] - x0) * k, (p[1] - y0) * k)

        boxes = []
        for text in layout.texts:
            (x, y), (w, h, rise) = to_pixels(text.position), estimate_extent(text.text, text.size)
            y += rise
            assert w / 2 <= x <= SIZE - w / 2 and h / 2 <= y <= SIZE - h / 2, (text.text, x, y)
            boxes.append((x, y, w, h))
            total += 1
            for p, q in scene.segments:
                reach = measure_gap((x, y), to_pixels(scene.points[p]), to_pixels(scene.points[q]))
                crossed += reach < 0.3 * min(w, h)
        for (xa, ya, wa, ha), (xb, yb, wb, hb) in combinations(boxes, 2):
            overlapping += abs(xa - xb) < 0.45 * (wa + wb) and abs(ya - yb) < 0.45 * (ha + hb)
    assert total > 500
    assert crossed <= total * 0.005
    assert overlapping <= total * 0.005


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        ("60", "angle", "60°"),
        ("4y-10", "angle", "(4y−10)°"),
        ("x", "angle", "x°"),
        ("x+21", "length", "x+21"),
        ("5\\sqrt{3}", "length", "$5\\sqrt{3}$"),
        ("x^{2}+1", "angle", "$(x^{2}+1)^{\\circ}$"),
    ],
)
def test_values_are_written_as_textbooks_do(value: str, kind: str, text: str) -> None:
    assert write_number(value, kind) == text


def test_marks_are_as_large_on_the_page_whatever_the_unit() -> None:
    scene = next(s for s in draw_scenes() if any(m.predicate == "mark_right" for m in s.marks))
    big = replace(
        scene,
        points={name: (p[0] * 1000, p[1] * 1000) for name, p in scene.points.items()},
        circles={name: (c[0] * 1000, c[1] * 1000, c[2] * 1000) for name, c in scene.circles.items()},
    )
    for one, other in zip(lay_out(scene).strokes, lay_out(big).strokes, strict=True):
        assert _span(one.points) * 1000 == pytest.approx(_span(other.points), rel=1e-3)


def _span(points: tuple[tuple[float, float], ...]) -> float:
    return max(math.dist(p, q) for p in points for q in points)


def test_as_many_arrowheads_and_ticks_as_their_group_says() -> None:
    scene = Scene(
        {"A": (0.0, 0.0), "B": (8.0, 0.0), "C": (0.0, 4.0), "D": (8.0, 4.0)},
        (("A", "B"), ("C", "D")),
        marks=(
            Fact("mark_parallel", ("A", "B"), "2"),
            Fact("mark_ticks", ("C", "D"), "3"),
        ),
    )
    gids = [stroke.gid for stroke in lay_out(scene).strokes]
    assert gids.count("parallel A B") == 2 and gids.count("ticks C D") == 3


def _lay_chain(value: str = "8") -> Layout:
    """A side that a foot divides, with a length of the whole."""
    points = {"A": (0.0, 0.0), "B": (8.0, 0.0), "C": (3.0, 4.0), "D": (3.0, 0.0)}
    segments = (("A", "B"), ("B", "C"), ("A", "C"), ("C", "D"))
    return lay_out(Scene(points, segments, marks=(Fact("mark_length", ("A", "B"), value),)))


def test_a_length_of_a_divided_line_stands_in_a_dimension_line() -> None:
    layout = _lay_chain()
    thin = [stroke for stroke in layout.strokes if stroke.thin]
    assert len(thin) == 4
    assert {stroke.gid for stroke in thin} == {"length A B"}
    (number,) = (text for text in layout.texts if text.text == "8")
    assert number.position[1] < -0.2


def test_a_length_without_room_beside_its_line_says_what_it_is_of() -> None:
    layout = _lay_chain("123456789x+123456789y+123456789z")
    assert not [stroke for stroke in layout.strokes if stroke.thin]
    assert any(text.text.startswith("AB = 123456789x") for text in layout.texts)


def test_a_number_of_an_angle_too_narrow_for_it_is_led_to_its_arc() -> None:
    points = {"A": (0.0, 0.0), "B": (8.0, 0.0), "C": (8.0, 1.0), "D": (8.0, 2.0), "E": (8.0, 3.0), "F": (3.0, 3.0)}
    segments = (("A", "B"), ("A", "C"), ("A", "D"), ("A", "E"), ("E", "B"), ("F", "B"))
    scene = Scene(points, segments, marks=(Fact("mark_angle", ("C", "A", "D"), "(7x+12)"),))
    layout = lay_out(scene)
    assert list_misread(layout) == []
    assert any(stroke.thin and len(stroke.points) == 3 for stroke in layout.strokes)


def test_the_layout_of_sampled_scenes_reads_as_they_state() -> None:
    misread = [(i, list_misread(lay_out(scene))) for i, scene in enumerate(draw_scenes())]
    assert sum(bool(marks) for _, marks in misread) <= 1, [pair for pair in misread if pair[1]]


def test_a_point_where_lines_lie_along_one_another_has_a_dot() -> None:
    places = {"H": (0.0, 0.0), "K": (3.0, 0.0), "J": (6.0, 0.0), "L": (3.0, 4.0)}
    along, parts = (("H", "J"), ("H", "K")), (("H", "K"), ("K", "J"))
    assert [list(list_dots(Scene(places, (*lines, ("J", "L"))))) for lines in (along, parts)] == [["K"], ["K"]]
    assert list(list_dots(Scene(places, (*parts, ("K", "L"))))) == []


def test_a_figure_fills_its_frame() -> None:
    for scene in draw_scenes()[:40]:
        layout = lay_out(scene)
        low, high = find_box(scene)
        reach = max((high - low) * layout.page.scale / SIZE)
        assert reach > 0.62, reach


def test_letters_and_numbers_are_a_28th_of_the_side_at_least() -> None:
    for legible_at in (336, 224, 112):
        style = Style.for_reader(legible_at)
        em = min(style.name_size, style.number_size) * PIXELS_PER_POINT
        assert em >= SIZE / 28
        # A digit of DejaVu Serif is 0.73 em high.
        assert 0.73 * em * legible_at / SIZE >= 8
