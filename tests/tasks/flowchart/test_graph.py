"""Code to graph and back."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from counterfoil.renderers.mermaid import MermaidError
from counterfoil.renderers.mermaid.studio import Studio
from counterfoil.tasks.flowchart.chart.graph import Arrow, Chart, Node, Subgraph
from counterfoil.tasks.flowchart.chart.labels import read_label
from counterfoil.tasks.flowchart.chart.parsing import find_disagreement, parse_code
from counterfoil.tasks.flowchart.chart.serialise import write_code

STUDIO = Studio()


def test_every_valid_sample_comes_back_the_same(shared):
    rows = [json.loads(line) for line in (shared / "data/mermaid/samples.jsonl").open()]
    valid = [row for row in rows if row["mermaid_12_3"]["ok"]]
    changed = []
    for row in valid:
        chart = parse_code(row["code"], STUDIO)
        if not chart.same_as(parse_code(write_code(chart), STUDIO)):
            changed.append(row["id"])
    assert len(valid) == 509
    assert changed == []


def test_the_graph_is_the_one_that_mermaids_own_parser_reads(shared):
    rows = [json.loads(line) for line in (shared / "data/mermaid/samples.jsonl").open()]
    for row in rows:
        if not row["mermaid_12_3"]["ok"]:
            continue
        graph = row["mermaid_12_3"]["g"]
        chart = parse_code(row["code"], STUDIO)
        subgraphs = {s["id"] for s in graph["subgraphs"]}
        theirs = {n["id"]: n["text"] for n in graph["nodes"] if n["id"] not in subgraphs}
        assert {n.id for n in chart.nodes} == set(theirs), row["id"]
        assert [(a.tail, a.head) for a in chart.arrows] == [(e["start"], e["end"]) for e in graph["edges"]], row["id"]
        assert {s.id for s in chart.subgraphs} == subgraphs, row["id"]


IDS = [*"ABCDEFG", "node1", "x_2"]
LABELS = (
    st.text(
        st.characters(blacklist_categories=("Cs", "Cc", "Cf", "Zl", "Zp", "Co", "Cn"), blacklist_characters="\u00a0"),
        min_size=1,
        max_size=24,
    )
    .map(lambda text: " ".join(text.split()))
    .filter(bool)
)
SHAPES = st.sampled_from(
    [
        "square",
        "round",
        "stadium",
        "subroutine",
        "cylinder",
        "circle",
        "doublecircle",
        "odd",
        "diamond",
        "hexagon",
        "lean_right",
        "lean_left",
        "trapezoid",
        "inv_trapezoid",
        "doc",
        "fork",
        "tag-rect",
        "hourglass",
    ]
)


@st.composite
def charts(draw):
    ids = draw(st.lists(st.sampled_from(IDS), min_size=1, max_size=6, unique=True))
    nodes = tuple(Node(i, draw(LABELS), draw(SHAPES), draw(st.booleans())) for i in ids)
    heads = st.sampled_from([("", "point"), ("point", "point"), ("", ""), ("", "circle"), ("cross", "cross")])
    arrows = []
    for _ in range(draw(st.integers(0, 5))):
        start, end = draw(heads)
        label = draw(st.one_of(st.just(""), LABELS))
        arrows.append(
            Arrow(
                draw(st.sampled_from(ids)),
                draw(st.sampled_from(ids)),
                label,
                bool(label) and draw(st.booleans()),
                start,
                end,
                draw(st.sampled_from(["normal", "thick", "dotted"])),
                draw(st.integers(1, 3)),
            )
        )
    inside = draw(st.lists(st.sampled_from(ids), unique=True, max_size=3))
    title = draw(LABELS)
    subgraphs = (
        (Subgraph("SUB", title, tuple(inside), False, draw(st.sampled_from([None, "LR", "TB"]))),) if inside else ()
    )
    return Chart(draw(st.sampled_from(["TB", "BT", "LR", "RL"])), nodes, tuple(arrows), subgraphs)


@settings(max_examples=250)
@example(Chart("TB", (Node("A", 'say "hi"', "doc", True),), (), ()))
@given(charts())
def test_any_chart_comes_back_from_its_code(chart):
    back = parse_code(write_code(chart), STUDIO)
    assert [n.id for n in sorted(back.nodes, key=lambda n: n.id)] == sorted(n.id for n in chart.nodes)
    for node in chart.nodes:
        assert read_label(back.node(node.id).label, node.markdown) == read_label(node.label, node.markdown)
        assert back.node(node.id).shape == node.shape
    assert len(back.arrows) == len(chart.arrows)
    for one, two in zip(chart.arrows, back.arrows, strict=True):
        assert (one.tail, one.head, one.start, one.end, one.stroke) == (
            two.tail,
            two.head,
            two.start,
            two.end,
            two.stroke,
        )
        assert read_label(one.label, one.markdown) == read_label(two.label, two.markdown)
    assert {s.id: set(s.members) for s in back.subgraphs} == {s.id: set(s.members) for s in chart.subgraphs}
    assert back.direction == chart.direction
    # What was parsed once is a fixed point.
    assert back.same_as(parse_code(write_code(back), STUDIO))


@pytest.mark.parametrize(
    ("code", "kind", "says"),
    [
        ("sequenceDiagram\nA->>B: hi", "not_a_flowchart", "sequenceDiagram"),
        ("pie title x\n", "not_a_flowchart", "pie"),
        ("", "not_a_flowchart", "no diagram"),
        ("flowchart TD\nA --> B\nC[open --> D", "syntax", "Unterminated"),
        ("flowchart TD\n" + "A --> B\n" * 7000, "too_large", "50000"),
        ("flowchart TD\n" + "".join(f"A{i} --> A{i + 1}\n" for i in range(600)), "too_large", "500"),
    ],
)
def test_what_is_no_flowchart_is_refused_with_its_reason(code, kind, says):
    with pytest.raises(MermaidError) as caught:
        parse_code(code, STUDIO)
    assert caught.value.code == kind
    assert says in caught.value.message


def test_a_syntax_error_names_line_column_and_shows_a_caret():
    with pytest.raises(MermaidError) as caught:
        parse_code("flowchart TD\nA --> B\nB -> C\n", STUDIO)
    assert caught.value.line == 3
    assert caught.value.column
    line, caret = caught.value.caret.split("\n")
    assert line == "B -> C"
    assert caret.strip() == "^"


def test_a_disagreement_of_the_parsers_says_what_each_reads():
    code = "flowchart TD\nA[one] --> B[two]"
    graphs = STUDIO.parse(code)
    chart = parse_code(code, STUDIO)
    assert find_disagreement(chart, graphs["merman"]) is None
    graphs["merman"]["nodes"][1]["label"] = "three"
    assert find_disagreement(chart, graphs["merman"]) == 'node B is "two" to Pele, "three" to merman'
    graphs["merman"]["nodes"][1]["label"] = "two"
    for field, other in (("to", "A"), ("type", "arrow_cross"), ("type", "double_arrow_point"), ("stroke", "thick")):
        kept = graphs["merman"]["edges"][0][field]
        graphs["merman"]["edges"][0][field] = other
        said = find_disagreement(chart, graphs["merman"]) or ""
        assert "Pele alone reads a normal arrow A -> B with nothing on it" in said, field
        assert "merman alone reads a" in said, field
        graphs["merman"]["edges"][0][field] = kept
    graphs["merman"]["nodes"].pop()
    assert find_disagreement(chart, graphs["merman"]) == 'node B is "two" to Pele, no node to merman'


@pytest.mark.parametrize("name", [",", "*", "#", "$", "!", "read/write", "/x", "x/", "n+1", "A:B", "A'B", "a?", "5%"])
def test_names_with_signs_are_read(name):
    code = f'flowchart TD; {name}["the name {name}"] --> A & B; B -->|{name} here| {name}'
    chart = parse_code(code, STUDIO, cross_check=True)
    assert {node.id for node in chart.nodes} == {name, "A", "B"}
    assert [(arrow.tail, arrow.head) for arrow in chart.arrows] == [(name, "A"), (name, "B"), ("B", name)]


def test_an_ampersand_may_be_a_name():
    chart = parse_code("graph TD; & --> A", STUDIO, cross_check=True)
    assert [(arrow.tail, arrow.head) for arrow in chart.arrows] == [("&", "A")]


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("flowchart TD\n& --> A & B", "Pele reads 3 nodes and 2 arrows, merman nothing"),
        ("flowchart TD\nA&B --> C", 'node A is no node to Pele, "A" to merman'),
        ('flowchart TD\nA["<script>x</script>"] --> B', "node A is "),
    ],
)
def test_what_the_parsers_read_in_two_ways_is_told(code, says):
    with pytest.raises(MermaidError) as caught:
        parse_code(code, STUDIO, cross_check=True)
    assert caught.value.code == "parsers_disagree"
    assert says in caught.value.message
