"""Letters that can be read at the size at which a picture is seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterfoil.renderers.results import Drawing, ScriptRenderer
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.geometry.anchors import AnchorError, check_figure
from counterfoil.tasks.geometry.checks import verify_picture
from counterfoil.tasks.geometry.drawing.script import write_script
from counterfoil.tasks.geometry.drawing.style import Style
from counterfoil.tasks.geometry.figures import FigureError, read_figure
from counterfoil.tasks.geometry.measuring.legible import find_illegible
from counterfoil.tasks.geometry.settings import Plan
from counterfoil.tasks.geometry.sources.sampler import sample_numbered
from tests.tasks.geometry.figures import draw_anchor, right_triangle

SCRIPT = """
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(5.12, 5.12), dpi=100)
ax.plot([0, 4, 0, 0], [0, 0, 3, 0], color="black")
ax.text(2, -0.5, "{text}", fontsize={size}, color="{color}", ha="center", va="center")
ax.set_aspect("equal")
ax.axis("off")
fig.savefig("question.png")
"""


def draw(renderer: ScriptRenderer, script: str) -> tuple[Drawing, bytes]:
    rendering = renderer.render(script)
    assert rendering.drawing is not None and rendering.png is not None, rendering
    return rendering.drawing, rendering.png


@pytest.mark.parametrize(("text", "size", "color", "at", "problem"), [
    ("8", 13.5, "black", 336, ""),
    ("8", 8, "black", 336, "the text '8' is 5 pixels high where the picture is 336 wide"),
    ("8", 13.5, "black", 224, "the text '8' is 6 pixels high where the picture is 224 wide"),
    ("8", 18.5, "black", 224, ""),
    ("x", 13.5, "black", 336, ""),
    ("8", 13.5, "#c8c8c8", 336, "the text '8' is 0 pixels high where the picture is 336 wide"),
])  # fmt: skip
def test_a_text_must_be_high_and_dark_enough_once_reduced(
    renderer: ScriptRenderer, text: str, size: float, color: str, at: int, problem: str
) -> None:
    drawing, png = draw(renderer, SCRIPT.format(text=text, size=size, color=color))
    assert (find_illegible(drawing, png, at) or "") == problem


@pytest.mark.parametrize("at", [336, 224, 112])
def test_our_pictures_are_legible_where_they_are_to_be(renderer: ScriptRenderer, at: int) -> None:
    drawing, png = draw(renderer, write_script(right_triangle(), Style.for_reader(at)))
    assert find_illegible(drawing, png, at) is None
    assert find_illegible(*draw(renderer, write_script(right_triangle())), 336) is None


@pytest.mark.parametrize(("analytic", "least"), [(0.0, 7), (1.0, 6)])
def test_figures_of_few_constructions_fit_their_page_at_112(analytic: float, least: int) -> None:
    """Their letters are a tenth of the side: the lines of texts reach beyond letters, a grid is near to all of them,
    and a numeral's middle is far from its axis."""
    renderer, refused = MemoRenderer(), []
    plan = Plan(constructions=(1, 3), analytic=analytic, unknowns=0.0)
    for number in range(8):
        scene = sample_numbered(5, number, plan).scene
        try:
            check_figure(scene, read_figure(write_script(scene, Style.for_reader(112)), renderer))
        except (AnchorError, FigureError) as error:
            refused.append(str(error))
    assert len(refused) <= 8 - least, refused


def test_what_cannot_be_read_is_named_in_the_reason(context) -> None:
    anchor = draw_anchor(right_triangle(), context.renderer, "small")
    small = replace(context, settings=context.settings.model_copy(update={"legible_at": 112}))
    (reason,) = verify_picture(anchor, small).reasons
    assert reason.startswith("legible: the text '") and reason.endswith(" where the picture is 112 wide")
