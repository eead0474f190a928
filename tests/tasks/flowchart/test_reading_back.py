"""What is drawn is read back: any small chart, in either style."""

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from counterfoil.renderers.mermaid import Look
from counterfoil.renderers.mermaid.studio import Studio
from counterfoil.tasks.flowchart.chart.graph import Arrow, Chart, Node
from counterfoil.tasks.flowchart.chart.serialise import write_code
from counterfoil.tasks.flowchart.chart.sight import describe_difference, same_sight, see_chart
from counterfoil.tasks.flowchart.drawing.vector import VectorError, read_vector

STUDIO = Studio()
SHAPES = ["square", "round", "stadium", "subroutine", "cylinder", "circle", "diamond", "hexagon", "lean_right", "odd"]
WORDS = st.sampled_from(
    ["Start", "Is it gone?", "Rinse the stain with cold water again", "x <= 2 * y", "开始", "Ответ", "a & b"]
)


@st.composite
def charts(draw):
    count = draw(st.integers(2, 5))
    nodes = tuple(Node("ABCDE"[i], f"{draw(WORDS)} {i}", draw(st.sampled_from(SHAPES))) for i in range(count))
    pairs = draw(
        st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), min_size=1, max_size=6, unique=True)
    )
    heads = st.sampled_from([("", "point"), ("", "point"), ("point", "point"), ("", ""), ("", "circle"), ("", "cross")])
    arrows = []
    for tail, head in pairs:
        assume(tail != head)
        start, end = draw(heads)
        label = draw(st.sampled_from(["", "", "Yes", "No, not yet"]))
        stroke = draw(st.sampled_from(["normal", "normal", "thick", "dotted"]))
        arrows.append(Arrow(nodes[tail].id, nodes[head].id, label, False, start, end, stroke))
    return Chart(draw(st.sampled_from(["TB", "BT", "LR", "RL"])), nodes, tuple(arrows))


@pytest.mark.parametrize("look", [Look(), Look("slate", "bold"), Look("forest", "oblique")], ids=str)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(chart=charts())
def test_the_svg_shows_the_codes_graph(look, chart):
    svg = STUDIO.draw(write_code(chart), look)
    try:
        seen = read_vector(svg).sight
    except VectorError as error:
        # A curve may cut the corner that its label stands in by so much that the chart is refused.
        assume(not str(error).startswith("arrow_label_loose"))
        raise
    assert same_sight(seen, see_chart(chart)), describe_difference(seen, see_chart(chart))
