"""What was drawn is recorded in data coordinates, whatever the style it was drawn in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from counterfoil.renderers.results import Drawing, Outcome, Panel
from counterfoil.renderers.sandbox import SandboxRenderer, open_renderer
from counterfoil.renderers.sandbox.claims import ClaimError, parse_drawing

HEAD = """
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import collections, lines, patches
from matplotlib.path import Path
fig, ax = plt.subplots(figsize=(5, 5), dpi=100)
ax.set_xlim(-5, 5)
ax.set_ylim(-5, 5)
"""
CORNERS = ((0.0, 0.0), (4.0, 0.0), (1.0, 3.0))


@pytest.fixture(scope="module")
def renderer() -> Iterator[SandboxRenderer]:
    with open_renderer("L3") as opened:
        yield opened


def draw(renderer: SandboxRenderer, code: str, head: str = HEAD) -> Drawing:
    rendering = renderer.render(head + code + "\nplt.savefig('a.png')\n")
    assert rendering.outcome is Outcome.OK, rendering.log
    assert rendering.drawing is not None
    return rendering.drawing


def draw_panel(renderer: SandboxRenderer, code: str) -> Panel:
    (panel,) = draw(renderer, code).panels
    return panel


def flatten(points: Iterable[tuple[float, float]]) -> list[float]:
    return [value for point in points for value in point]


@pytest.mark.parametrize(
    "code",
    [
        "ax.plot([0, 4, 1, 0], [0, 0, 3, 0])",
        "plt.plot(*zip((0, 0), (4, 0), (1, 3), (0, 0)))",
        "ax.add_line(lines.Line2D([0, 4, 1, 0], [0, 0, 3, 0]))",
        "ax.add_patch(patches.Polygon([(0, 0), (4, 0), (1, 3)], closed=True, fill=False))",
        "plt.fill([0, 4, 1], [0, 0, 3])",
        "ax.add_patch(patches.PathPatch(Path([(0, 0), (4, 0), (1, 3), (0, 0)], closed=True)))",
        "ax.add_collection(collections.PolyCollection([[(0, 0), (4, 0), (1, 3)]]))",
        "ax.add_collection(collections.PatchCollection([patches.Polygon([(0, 0), (4, 0), (1, 3)])]))",
    ],
)
def test_triangle_in_every_style(renderer: SandboxRenderer, code: str) -> None:
    panel = draw_panel(renderer, code)
    (line,) = panel.polylines
    assert line.closed
    assert flatten(line.points) == pytest.approx(flatten(CORNERS), abs=1e-9)


@pytest.mark.parametrize(
    "code",
    [
        "ax.plot([-2, 3], [1, 2], 'k--')",
        "ax.add_collection(collections.LineCollection([[(-2, 1), (3, 2)]], linestyles='--'))",
        "ax.add_patch(patches.ConnectionPatch((-2, 1), (3, 2), 'data', linestyle='--'))",
        "ax.add_patch(patches.FancyArrowPatch((-2, 1), (3, 2), linestyle='--'))",
        "ax.annotate('', xy=(3, 2), xytext=(-2, 1), arrowprops=dict(arrowstyle='-', linestyle='--', shrinkA=0))",
        "ax.plot([-2, 3], [1, 2], dashes=(4, 4), color='k')",
    ],
)
def test_dashed_segment_in_every_style(renderer: SandboxRenderer, code: str) -> None:
    (line,) = draw_panel(renderer, code).polylines
    assert line.points[0] == pytest.approx((-2, 1), abs=1e-6)
    assert line.points[-1] == pytest.approx((3, 2), abs=1e-6)
    assert len(line.points) == 2
    assert (line.style, line.closed) == ("--", False)


def test_lines_along_the_axes(renderer: SandboxRenderer) -> None:
    panel = draw_panel(renderer, "ax.axhline(1)\nax.axvline(2)\nax.vlines([3], 0, 4)\nax.hlines([-1], -2, 2)")
    ends = sorted(line.points for line in panel.polylines)
    expected = sorted([((-5, 1), (5, 1)), ((2, -5), (2, 5)), ((3, 0), (3, 4)), ((-2, -1), (2, -1))])
    assert [flatten(line) for line in ends] == [pytest.approx(flatten(line)) for line in expected]


def test_circles_and_arcs(renderer: SandboxRenderer) -> None:
    code = """
ax.add_patch(patches.Circle((1, 2), 1.5, fill=False))
ax.add_patch(patches.Ellipse((0, 0), 4, 2, angle=30, facecolor="red"))
ax.add_patch(patches.Arc((-1, -1), 2, 2, theta1=10, theta2=80, linestyle=":"))
ax.add_patch(patches.Wedge((2, -2), 1, 0, 90, fill=False))
"""
    panel = draw_panel(renderer, code)
    circle, ellipse, arc, wedge = panel.arcs
    assert (circle.centre, circle.width, circle.height, circle.filled) == ((1.0, 2.0), 3.0, 3.0, False)
    assert (ellipse.angle, ellipse.width, ellipse.height, ellipse.filled) == (30.0, 4.0, 2.0, True)
    assert (arc.centre, arc.theta1, arc.theta2, arc.style) == ((-1.0, -1.0), 10.0, 80.0, ":")
    assert (wedge.width, wedge.theta1, wedge.theta2) == (2.0, 0.0, 90.0)
    (radii,) = panel.polylines
    assert flatten(radii.points) == pytest.approx([3, -2, 2, -2, 2, -1])


def test_circle_drawn_as_points_stays_a_polyline(renderer: SandboxRenderer) -> None:
    panel = draw_panel(renderer, "t = np.linspace(0, 2 * np.pi, 101)\nax.plot(2 * np.cos(t), 2 * np.sin(t))")
    (line,) = panel.polylines
    assert len(line.points) in (100, 101)
    assert not panel.arcs


def test_rectangle_and_arrow(renderer: SandboxRenderer) -> None:
    panel = draw_panel(renderer, "ax.add_patch(patches.Rectangle((0, 1), 2, 3, angle=90))\nax.arrow(0, 0, 2, 0)")
    rectangle, arrow = panel.polylines
    assert flatten(rectangle.points) == pytest.approx([0, 1, 0, 3, -3, 3, -3, 1])
    assert rectangle.closed and arrow.closed and arrow.filled


def test_dots(renderer: SandboxRenderer) -> None:
    code = "ax.plot([1, 2], [3, 4], 'o', markersize=5)\nax.scatter([0, -1], [1, 1], s=[16, 25], color='red')"
    panel = draw_panel(renderer, code)
    assert [dot.position for dot in panel.dots] == [(1.0, 3.0), (2.0, 4.0), (0.0, 1.0), (-1.0, 1.0)]
    assert [dot.size for dot in panel.dots] == [5.0, 5.0, 4.0, 5.0]
    assert panel.dots[3].color == "#ff0000"
    assert not panel.polylines


def test_gap_splits_a_line(renderer: SandboxRenderer) -> None:
    panel = draw_panel(renderer, "ax.plot([0, 1, np.nan, 2, 3], [0, 1, np.nan, 2, 2], gid='side')")
    assert [line.points for line in panel.polylines] == [((0.0, 0.0), (1.0, 1.0)), ((2.0, 2.0), (3.0, 2.0))]
    assert {line.gid for line in panel.polylines} == {"side"}


def test_labels_have_their_extent(renderer: SandboxRenderer) -> None:
    code = """
ax.text(1, 2, "$A$", fontsize=20, gid="name", ha="left", va="bottom", color="blue")
ax.annotate("B", xy=(3, 3), xytext=(10, -5), textcoords="offset points")
ax.text(5.6, 0, "sticks")
ax.text(-3, -3, "hidden", visible=False)
ax.text(0, 0, "   ")
"""
    name, offset, out = draw_panel(renderer, code).labels
    assert (name.text, name.anchor, name.gid, name.size, name.color) == ("$A$", (1.0, 2.0), "name", 20.0, "#0000ff")
    assert name.box[:2] == pytest.approx((1, 2), abs=0.1)
    assert 0.2 < name.box[2] - name.box[0] < 1.0
    assert offset.points_at == pytest.approx((3, 3))
    # 10 points right and 5 down at 100 dpi; 10 units are 387.5 px across and 385 px up.
    assert offset.anchor == pytest.approx((3 + 1000 / 72 / 38.75, 3 - 500 / 72 / 38.5))
    assert [label.inside for label in (name, offset, out)] == [True, True, False]


def test_figure_texts_and_titles(renderer: SandboxRenderer) -> None:
    panel = draw_panel(renderer, "fig.text(0.5125, 0.495, 'middle')\nax.set_title('T')\nax.set_xlabel('x')")
    texts = {label.text: label for label in panel.labels}
    assert set(texts) == {"middle", "x", "T"}
    assert texts["middle"].anchor == pytest.approx((0, 0), abs=1e-6)
    assert panel.title == "T" and panel.axis_on


def test_inverted_axes_keep_data_coordinates(renderer: SandboxRenderer) -> None:
    panel = draw_panel(renderer, "ax.plot([0, 1], [2, 3])\nax.invert_yaxis()\nax.text(0, 0, 'A')\nax.axis('off')")
    assert panel.ylim == (5.0, -5.0)
    assert panel.polylines[0].points == ((0.0, 2.0), (1.0, 3.0))
    box = panel.labels[0].box
    assert box[0] < box[2] and box[1] < box[3]
    assert panel.labels[0].inside and not panel.axis_on


def test_several_subplots(renderer: SandboxRenderer) -> None:
    head = "import matplotlib.pyplot as plt\nfig, (a, b) = plt.subplots(1, 2)\n"
    drawing = draw(renderer, "a.plot([0, 1], [0, 1])\nb.plot([5, 6], [5, 6])\nb.text(5.5, 5.5, 'B')", head)
    left, right = drawing.panels
    assert left.polylines[0].points == ((0.0, 0.0), (1.0, 1.0))
    assert right.labels[0].text == "B" and not left.labels
    assert left.box[2] < right.box[0]
    assert (drawing.width, drawing.height) == (640, 480)


def test_tight_box_moves_the_panel(renderer: SandboxRenderer) -> None:
    code = "ax.plot([0, 1], [2, 3])\nax.axis('off')\n"
    whole = draw(renderer, code)
    rendering = renderer.render(HEAD + code + "plt.savefig('a.png', bbox_inches='tight', pad_inches=0)")
    assert rendering.drawing is not None
    (tight,) = rendering.drawing.panels
    assert rendering.drawing.width < whole.width
    assert tight.box[0] == pytest.approx(0, abs=1) and tight.box[1] == pytest.approx(0, abs=1)
    assert tight.polylines == whole.panels[0].polylines


def test_large_record_is_cut_and_says_so(renderer: SandboxRenderer) -> None:
    drawing = draw(renderer, "ax.plot(np.linspace(0, 1, 10**6), np.linspace(0, 1, 10**6))\nax.plot([0, 1], [0, 1])")
    assert drawing.truncated


def test_invisible_artists_are_not_recorded(renderer: SandboxRenderer) -> None:
    code = "ax.plot([0, 1], [0, 1])\nax.plot([0, 1], [2, 1], alpha=0)\nax.plot([0, 1], [2, 1], visible=False)\n"
    code += "ax.plot([0, 1], [2, 1], color='none')\nax.plot([0, 1], [2, 1], linewidth=0)"
    assert len(draw_panel(renderer, code).polylines) == 1


PANEL = (
    '{"xlim": [0, 1], "ylim": [0, 1], "box": [0, 0, 9, 9], "axis_on": true, "title": "", '
    '"polylines": %s, "arcs": [], "dots": [], "labels": []}'
)
WHOLE = (
    '{"width": 9, "height": 9, "truncated": false, "paper": "#ffffff", "faces": [], "dpi": 100, "hinting": "DEFAULT", '
    '"wobble": 0, "panels": [%s]}'
)


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"[" * 100_000,
        WHOLE.replace("9", "10").encode() % b"",
        (WHOLE % "5").encode(),
        (WHOLE % (PANEL % "7")).encode(),
        (WHOLE % (PANEL % '[[[[0, NaN], [1, 1]], false, false, "-", "#000000", 1, "", 0]]')).encode(),
        (WHOLE % (PANEL % '[[[[0, 1e999], [1, 1]], false, false, "-", "#000000", 1, "", 0]]')).encode(),
        (WHOLE % (PANEL % '[[[[0, 0], [1, 1]], 0, false, "-", "#000000", 1, "", 0]]')).encode(),
        (WHOLE % (PANEL % '[[[[0, 0], [1, 1]], false, false, "~", "#000000", 1, "", 0]]')).encode(),
        (WHOLE % (PANEL % '[[[[0, 0], [1, 1]], false, false, "-", "<img>", 1, "", 0]]')).encode(),
        (WHOLE % (PANEL % '[[[[0, 0], [true, 1]], false, false, "-", "#000000", 1, "", 0]]')).encode(),
    ],
)
def test_malformed_record_is_refused(record: bytes) -> None:
    with pytest.raises(ClaimError):
        parse_drawing(record, 9, 9)


def test_well_formed_record_is_read() -> None:
    record = WHOLE % (PANEL % '[[[[0, 0], [1, 1]], true, false, "--", "#0a0B0c", 1, "g", 0]]')
    drawing = parse_drawing(record.encode(), 9, 9)
    (line,) = drawing.panels[0].polylines
    assert (line.points, line.closed, line.style, line.gid) == (((0.0, 0.0), (1.0, 1.0)), True, "--", "g")
