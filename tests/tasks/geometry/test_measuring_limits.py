"""However much is drawn, reading it ends: few comparisons for many strokes, and clear refusals beyond the limits."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.renderers.results import Dot, Drawing, Face, Label, Panel, Polyline
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.facts.expressions import ExpressionError, read_number, write_latex
from counterfoil.tasks.geometry.measuring.crossings import list_crossings
from counterfoil.tasks.geometry.measuring.limits import MOST, find_excess
from counterfoil.tasks.geometry.measuring.measure import MeasureError, measure_drawing
from counterfoil.tasks.geometry.measuring.merging import _join, merge_lines
from counterfoil.tasks.geometry.measuring.nearby import LineGrid
from counterfoil.tasks.geometry.measuring.rules import find_picture_problem
from counterfoil.tasks.geometry.measuring.strokes import Line, measure_gap_to_line

SIDES = (((1.0, 1.0), (2.0, 1.0)), ((2.0, 1.0), (1.0, 2.0)), ((1.0, 2.0), (1.0, 1.0)))


def write(text: str, x: float, y: float) -> Label:
    return Label(text, (x, y), (x - 0.1, y - 0.1, x + 0.1, y + 0.1))


def draw(*strokes: tuple[tuple[float, float], ...], **changes: object) -> Drawing:
    """A small triangle ABC and other strokes in a panel of 10 x 10 units, 512 x 512 pixels."""
    labels = (write("A", 0.8, 0.8), write("B", 2.2, 0.8), write("C", 0.8, 2.2))
    lines = tuple(Polyline(points) for points in (*SIDES, *strokes))
    panel = Panel((0.0, 10.0), (0.0, 10.0), (0.0, 0.0, 512.0, 512.0), polylines=lines, labels=labels)
    return Drawing((replace(panel, **changes),), 512, 512)


def scatter_strokes(count: int) -> list[tuple[tuple[float, float], ...]]:
    """Short strokes that cross one another, clear of the triangle."""
    rng = generator(51, "strokes")
    starts, turns = rng.uniform(4, 9, (count, 2)), rng.uniform(-1, 1, (count, 2))
    return [(tuple(start), tuple(start + turn)) for start, turn in zip(starts.tolist(), turns, strict=True)]  # type: ignore[misc]


def test_fifteen_hundred_strokes_are_read_and_change_nothing_elsewhere() -> None:
    alone, among = measure_drawing(draw()), measure_drawing(draw(*scatter_strokes(1500)))
    assert among.scene.points == alone.scene.points
    assert among.scene.segments == alone.scene.segments


def merge_one_by_one(lines: list[Line]) -> list[Line]:
    """What `merge_lines` means, without its index: the first pair that joins, again and again."""
    merged = list(lines)
    while True:
        pair = next(((i, j) for i, j in combinations(range(len(merged)), 2) if _join(merged[i], merged[j])), None)
        if pair is None:
            return merged
        union = _join(merged[pair[0]], merged[pair[1]])
        assert union is not None
        merged[pair[0]] = union
        del merged[pair[1]]


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(3, 8))
def test_lines_are_merged_as_one_by_one(seed: int, spread: int) -> None:
    """Pieces of a few long lines, in any order, with gaps, repeats and strays."""
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(spread):
        start, along = rng.uniform(0, 500, 2), rng.uniform(-300, 300, 2)
        for share in rng.uniform(0, 1, 14):
            a, b = start + share * along, start + min(1.0, share + rng.uniform(0.02, 0.3)) * along
            lines.append(Line(tuple(a.tolist()), tuple((b + rng.normal(0, 0.4, 2)).tolist())))
    rng.shuffle(lines)  # type: ignore[arg-type]
    lines = [line for line in lines if line.length > 0]
    assert merge_lines(lines) == merge_one_by_one(lines)


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_a_grid_gives_every_line_near_a_place(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lines = [Line(tuple(row[:2]), tuple(row[2:])) for row in rng.uniform(-50, 600, (90, 4)).tolist()]
    grid = LineGrid(lines)
    for p in map(tuple, rng.uniform(0, 560, (20, 2)).tolist()):
        near = [line for line in lines if measure_gap_to_line(p, line) <= 8]
        given_lines = list(grid.find_near(p))
        assert [line for line in given_lines if line in near] == near
        assert len(given_lines) < len(lines)


@given(st.lists(st.tuples(*[st.floats(0, 500)] * 4), min_size=2, max_size=12))
def test_crossings_are_on_both_lines(rows: list[tuple[float, float, float, float]]) -> None:
    lines = [Line((x0, y0), (x1, y1)) for x0, y0, x1, y1 in rows if math.hypot(x1 - x0, y1 - y0) > 1]
    found = list_crossings(lines)
    for x, y in found.tolist():
        assert sum(measure_gap_to_line((x, y), line) < 3.1 for line in lines) >= 2


@pytest.mark.parametrize(
    ("drawing", "reason"),
    [
        (draw(*scatter_strokes(MOST["strokes"])), "2003 strokes"),
        (draw(tuple((i / 3000, 5.0) for i in range(21_000))), "21006 points of strokes"),
        (draw(dots=(Dot((5.0, 5.0)),) * 401), "401 dots"),
        (draw(labels=(write("A", 1, 1),) * 201), "201 texts"),
        (replace(draw(), faces=(Face((((0.0, 0.0), (9.0, 0.0), (0.0, 9.0)),)),) * 101), "101 filled regions"),
        (draw(labels=(write("(" * 400 + "1" + ")" * 400, 1, 1),)), "801 characters"),
        (draw(((1.0, 1.0), (1e300, 1.0))), "far beyond the picture"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_too_much_is_refused_before_it_is_read(drawing: Drawing, reason: str) -> None:
    assert reason in (find_excess(drawing) or "")
    assert reason in (find_picture_problem(drawing) or "")
    with pytest.raises(MeasureError, match=reason):
        measure_drawing(drawing)


def test_a_knot_of_lines_is_refused() -> None:
    """Thirty points, each joined with each, and as many numbers: no mark could be told from another."""
    rim = [(5 + 4 * math.cos(i * math.tau / 30), 5 + 4 * math.sin(i * math.tau / 30)) for i in range(30)]
    names = [f"{chr(65 + i % 26)}{'' if i < 26 else 1}" for i in range(30)]
    labels = [write(name, 5 + 1.06 * (x - 5), 5 + 1.06 * (y - 5)) for name, (x, y) in zip(names, rim, strict=True)]
    numbers = [write(str(i), 4 + i / 20, 5.0) for i in range(40)]
    knot = draw(labels=(*labels, *numbers), polylines=tuple(Polyline(pair) for pair in combinations(rim, 2)))
    with pytest.raises(MeasureError, match="so many lines meet"):
        measure_drawing(knot)


@pytest.mark.parametrize("text", ["(" * 400 + "1" + ")" * 400, "sqrt " * 300 + "2", "1" + "+1" * 500, "9^9^9^9^9"])
def test_a_nested_expression_is_none(text: str) -> None:
    assert read_number(text) is None
    with pytest.raises(ExpressionError):
        write_latex(text)


@pytest.mark.parametrize("text", ["(0-8)^(1/2)", "(0-1)^(1/3)", "9^99^9", "10^(10^9)", "0^(0-1)"])
def test_a_power_without_a_real_finite_value_is_no_number(text: str) -> None:
    assert read_number(text) is None
