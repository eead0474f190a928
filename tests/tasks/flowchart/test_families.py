"""What the families make of one chart, and that a broken row is caught."""

import math
import re
from collections import Counter
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from counterfoil.renderers.mermaid.layout import format_path, parse_path, reverse_path
from counterfoil.storage.rows import Edit, Fact, Image
from counterfoil.tasks.audit.derived import Origin
from counterfoil.tasks.audit.verify import verify_contrast
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.engine import rows as engine_rows
from counterfoil.tasks.flowchart.captions import read_caption, state_claims, write_caption
from counterfoil.tasks.flowchart.chart.order import arrange
from counterfoil.tasks.flowchart.chart.serialise import write_code
from counterfoil.tasks.flowchart.chart.sight import same_sight, see_chart
from counterfoil.tasks.flowchart.domain import DOMAIN
from counterfoil.tasks.flowchart.drawing.arrows import drop_arrow, turn_arrow
from counterfoil.tasks.flowchart.drawing.rendering import draw_chart, open_chart, paint, parse
from counterfoil.tasks.flowchart.drawing.vector import read_vector
from counterfoil.tasks.flowchart.edits.likeness import count_parts
from counterfoil.tasks.flowchart.edits.plans import ChartEdit, apply_edit
from counterfoil.tasks.flowchart.edits.pool import Rules, list_edits
from counterfoil.tasks.flowchart.styles import choose_look
from tests.tasks.flowchart.conftest import CODE, make_anchors, make_contrasts

SWAP = ("Start", "Moisten the stain")


def test_a_chart_is_cut_into_its_connected_triplets(anchors):
    assert len(anchors) == 3
    first = anchors[0]
    assert first.caption == (
        "An arrow points from node Start to node Moisten the stain. "
        "An arrow points from node Moisten the stain to node Is it gone? "
        "An arrow points from node Is it gone? to node Moisten the stain."
    )
    assert first.facts[0] == Fact("node", ("A",), "Start")
    assert Fact("arrow", ("Is it gone?", "Moisten the stain"), "No") in first.facts


def test_every_family_has_what_its_count_asks(contrasts, anchors):
    counts = {name: Counter(row.anchor_id for _, row in rows) for name, rows in contrasts.items()}
    ids = [anchor.anchor_id for anchor in anchors]
    assert all(counts["flowchart.flip"][i] == 1 and counts["flowchart.code"][i] == 1 for i in ids)
    made = {name: [counts[f"flowchart.{name}"][i] for i in ids] for name in ("image", "caption", "codeswap")}
    # Start and End stay where they are and a step has one way out, but each step may give way to one of another chart.
    assert made["codeswap"] == [2, 2, 2] and min(made["caption"]) >= 3
    assert min(made["image"]) >= 3


def list_kinds(rows):
    by_anchor = {}
    for anchor, row in rows:
        by_anchor.setdefault(anchor.anchor_id, []).append({edit.kind for edit in row.edits})
    return by_anchor


def test_negative_pictures_are_upright_and_flipped_and_so_are_anchors(context):
    labels = [("one", "two", "three"), ("four", "five", "six"), ("seven", "eight", "nine"), ("ten", "eleven", "twelve")]
    ways, edited = set(), set()
    for names in labels:
        (anchor,) = make_anchors("flowchart TD\n" + " --> ".join(f"{n[0]}{n[-1]}[{n}]" for n in names), context)
        ways.add(parse(anchor.code).direction)
        rows = [row for row in make_contrasts("flowchart.image", anchor, context) if hasattr(row, "contrast_id")]
        edited |= {parse(row.code).direction for row in rows}
    assert ways == edited == {"TB", "BT"}


def test_no_set_shows_a_graph_twice(contrasts):
    """One that is there in both directions would not be the anchor's, which is there in one."""
    seen = {}
    for anchor, row in contrasts["flowchart.image"]:
        others = seen.setdefault(anchor.anchor_id, [see_chart(parse(anchor.code))])
        sight = see_chart(parse(row.code))
        assert not any(same_sight(sight, other) for other in others)
        others.append(sight)


def test_no_caption_of_a_set_says_the_same_in_another_order(contrasts):
    said = {}
    for anchor, row in contrasts["flowchart.caption"]:
        claims = frozenset(claim.key() for claim in read_caption(row.text))
        assert claims not in said.setdefault(anchor.anchor_id, set())
        said[anchor.anchor_id].add(claims)


def test_the_first_answer_is_written_and_drawn_first_as_often_as_the_other(context):
    """Authors write Yes first: kept, it would tell every code whose answers are exchanged."""
    steps = ("Sit", "Heat", "Wash", "Fold", "Dry", "Iron", "Store", "Rinse")
    first = Counter()
    for one, other in permutations(steps, 2):
        (anchor,) = make_anchors(f"flowchart TD\nQ{{{one} now?}} -->|Yes| B[{one}]\nQ -->|No| C[{other}]", context)
        (row,) = make_contrasts("flowchart.answers", anchor, context)
        left = {label.text: label.box[0] for label in read_vector(anchor.vector).labels}
        first["anchor"] += anchor.code.index('"Yes"') < anchor.code.index('"No"')
        first["row"] += row.text.index('"Yes"') < row.text.index('"No"')
        first["left"] += left["Yes"] < left["No"]
        first["caption"] += anchor.caption.index(f"to node {one}.") < anchor.caption.index(f"to node {other}.")
    # Of 56, three standard deviations about the half.
    assert all(17 <= count <= 39 for count in first.values()) and len(first) == 4, first


def test_every_order_comes_of_the_graph_alone():
    """The same chart written in two orders has the same nodes first as often."""
    first = Counter()
    for code in ("flowchart TD\nA[a] --> B[b]\nA --> C[c]", "flowchart TD\nC[c]\nB[b]\nA[a] --> C\nA --> B"):
        for seed in range(60):
            chart = arrange(parse(code), np.random.default_rng(seed))
            assert [node.id for node in chart.nodes] == ["A", "B", "C"] and chart.nodes[0].label == "a"
            assert [(arrow.tail, arrow.head) for arrow in chart.arrows] == [("A", "B"), ("A", "C")]
            first[code, chart.nodes[1].label] += 1
    assert len(first) == 4 and min(first.values()) >= 18


def test_several_decisions_are_exchanged_in_every_way(context):
    """One decision at a time, the anchor would be the one nearest to all."""
    spoken = replace(context, settings=context.settings.model_copy(update={"granulate": False, "size": 672}))
    (anchor,) = make_anchors(LONG, spoken)
    rows = [row for row in make_contrasts("flowchart.answers", anchor, spoken) if hasattr(row, "contrast_id")]
    assert sorted(len(row.edits) for row in rows) == [2, 2, 4]


def test_no_edited_chart_falls_apart_or_leaves_its_label_in_another_shape(contrasts):
    for anchor, row in contrasts["flowchart.image"]:
        picture, code = read_vector(row.vector).sight, parse(row.code)
        assert count_parts(picture) == 1
        shapes = {node.label: node.shape for node in parse(anchor.code).nodes}
        for edit in row.edits:
            if edit.kind == "replace_node":
                shapes[edit.replacement] = shapes.pop(edit.target)
        assert {node.label: node.shape for node in code.nodes} == shapes


def test_the_published_edits_leave_shapes_and_may_cut_a_chart(context, anchors):
    settings = context.settings.model_copy(update={"edits": "published", "caption_negatives": 4})
    published = replace(context, settings=settings)
    rows = []
    for anchor in anchors:
        for name in ("flowchart.image", "flowchart.caption", "flowchart.codeswap"):
            made = make_contrasts(name, anchor, published)
            rows += [(anchor, row) for row in made if hasattr(row, "contrast_id")]
    pictures = [(anchor, row) for anchor, row in rows if row.modality == "image"]
    assert (len(pictures), len(rows) - len(pictures)) == (8 * len(anchors), 6 * len(anchors))
    for kinds in list_kinds(pictures).values():
        assert sum("flip" in each for each in kinds) >= 3
        for kind in ("swap_labels", "reverse_arrow", "remove_arrow"):
            assert any(each - {"flip"} == {kind} for each in kinds)
    assert any(count_parts(read_vector(row.vector).sight) == 2 for _, row in pictures)


def test_a_decisions_answers_are_exchanged(context):
    code = "flowchart TD\nA{Warm?} -->|Yes| B[Sit]\nA -->|No| C[Heat]"
    (anchor,) = make_anchors(code, context)
    (row,) = make_contrasts("flowchart.answers", anchor, context)
    said = {
        text: {arrow.label: parse(text).node(arrow.head).label for arrow in parse(text).arrows}
        for text in (anchor.code, row.text)
    }
    assert said == {anchor.code: {"Yes": "Sit", "No": "Heat"}, row.text: {"No": "Sit", "Yes": "Heat"}}
    spoken = replace(context, settings=context.settings.model_copy(update={"arrow_labels": True}))
    (anchor,) = make_anchors(code, spoken)
    pictures = make_contrasts("flowchart.image", anchor, spoken)
    assert any("exchange_answers" in {edit.kind for edit in each.edits} for each in pictures)


def test_an_answer_that_stands_alone_is_turned_and_other_labels_are_let_be(context):
    code = "flowchart TD\nA{Warm?} -->|Yes| B[Sit]\nA -->|No| C[Heat]\nC -->|later| D{Dry?}\nD -->|No| E[Iron]"
    whole = replace(context, settings=context.settings.model_copy(update={"granulate": False}))
    (anchor,) = make_anchors(code, whole)
    said = []
    for row in make_contrasts("flowchart.answers", anchor, whole):
        chart = parse(row.text)
        labels = {chart.node(arrow.head).label: arrow.label for arrow in chart.arrows}
        said.append((*(labels[step] for step in ("Sit", "Heat", "Dry?", "Iron")), len(row.edits)))
    assert sorted(said) == [
        ("No", "Yes", "later", "No", 2),
        ("No", "Yes", "later", "Yes", 3),
        ("Yes", "No", "later", "Yes", 1),
    ]


def test_answers_travel_with_their_question(context):
    (anchor,) = make_anchors("flowchart TD\nA[Wash] --> B{Clean?}\nB -->|No| C[Rinse]", context)
    codes = make_contrasts("flowchart.codeswap", anchor, context)
    for code in (parse(row.text) for row in codes):
        asked = [arrow.tail for arrow in code.arrows if arrow.label]
        assert all(code.node(each).shape == "diamond" for each in asked)


def list_said(code):
    """Shape of the node that each labelled arrow leaves, and its label."""
    chart = parse(code)
    tails = [(arrow.head if arrow.start and not arrow.end else arrow.tail, arrow.label) for arrow in chart.arrows]
    return [(chart.node(tail).shape, label) for tail, label in tails if label]


def test_no_answer_is_left_at_a_step(context):
    (anchor,) = make_anchors("flowchart TD\nA{Clean?} -->|Yes| B[Dry it]\nA -->|No| C[Rinse]", context)
    rows = [row for row in make_contrasts("flowchart.image", anchor, context) if hasattr(row, "contrast_id")]
    assert rows and all({shape for shape, _ in list_said(row.code)} <= {"diamond"} for row in rows)
    left = next(row for row in rows if any(edit.kind == "change_answer" for edit in row.edits))
    assert {edit.replacement for edit in left.edits if edit.kind == "change_answer"} == {""}


def test_an_arrow_that_comes_to_a_question_gets_the_answer_that_is_missing(context):
    (anchor,) = make_anchors("flowchart TD\nA{Clean?} -->|Yes| B[Dry it]\nB --> C[Rinse]", context)
    edits = list_edits(open_chart(anchor), np.random.default_rng(3), Rules())
    (fork,) = [edit.edited for edit in edits if edit.plan == ChartEdit(rewired=((1, "A", "C"),), said=((1, "No"),))]
    assert sorted(list_said(write_code(fork))) == [("diamond", "No"), ("diamond", "Yes")]


def test_a_picture_with_an_answer_at_a_step_is_refused(context):
    (anchor,) = make_anchors("flowchart TD\nA{Clean?} -->|Yes| B[Dry it]\nB --> C[Rinse]", context)
    edited = apply_edit(open_chart(anchor), ChartEdit(turned=(0,)))
    code, vector = write_code(edited), draw_chart(write_code(edited), choose_look(anchor.code, context))
    text = write_caption(state_claims(see_chart(edited), False))
    (row, *_) = make_contrasts("flowchart.image", anchor, context)
    made = replace(repaint(row, vector), code=code, text=text, edits=(Edit("reverse_arrow", "a -> b", "b -> a"),))
    verdict = DOMAIN.families["flowchart.image"].verify(made, anchor, context)
    assert verdict.reasons[0].startswith("answers_at_questions: an answer at a node of shape square")


def test_making_again_gives_the_same_bytes(anchors, context, contrasts):
    again = make_anchors(CODE, context)
    assert again == anchors
    for name, family in DOMAIN.families.items():
        rows = make_contrasts(family.name, anchors[0], context, anchors[1:])
        kept = [row for row in rows if hasattr(row, "contrast_id")]
        assert kept == [row for anchor, row in contrasts[name] if anchor is anchors[0]]


LONG = """flowchart TD
    A([Start]) --> B[Wash]
    B --> C{"Clean?"}
    C -->|Yes| D[Dry]
    C -->|No| B
    D --> E[Fold]
    E --> F{"Room?"}
    F -->|Yes| G[Store]
    F -->|No| H([End])
    G --> H
"""


def test_whole_charts_are_anchors_too(context):
    settings = context.settings.model_copy(update={"granulate": False, "size": 672, "style": "varied"})
    whole = replace(context, settings=settings)
    (anchor,) = make_anchors(LONG.replace("flowchart TD", "flowchart LR"), whole)
    for family in DOMAIN.families.values():
        rows = make_contrasts(family.name, anchor, whole)
        wanted = family.count(settings)
        assert wanted is None or sum(hasattr(row, "contrast_id") for row in rows) == wanted, (family.name, rows)


def whole(context, size=672):
    return replace(context, settings=context.settings.model_copy(update={"granulate": False, "size": size}))


def test_a_chart_with_subgraphs_is_an_anchor_with_their_titles(context):
    code = "flowchart TD\nsubgraph one [First part]\nB[b] --> C[c]\nend\nA[a] --> B\none --> D[d]"
    (anchor,) = make_anchors(code, whole(context))
    assert anchor.caption.endswith("An arrow points from node First part to node d.")
    assert sorted(fact.value for fact in anchor.facts if fact.predicate == "node") == ["a", "b", "c", "d"]


@pytest.mark.parametrize("label", ["List<String>", "Map&lt;K, V&gt;", "a < b", r"C:\\dir", r"\d+"])
def test_a_label_is_painted_as_it_was_typed(label, context):
    (anchor,) = make_anchors(f'flowchart TD\nA["{label}"] -->|"{label}"| B[b] --> C[c]', context)
    typed = label.replace("&lt;", "<").replace("&gt;", ">")
    painted = read_vector(anchor.vector)
    assert painted.sight.labels[0] == painted.sight.arrows[0].label == typed
    assert f"from node {typed} to" in anchor.caption


@pytest.mark.parametrize(
    ("node", "reason"),
    [
        ('C@{ img: "https://example.org/a.png", label: "Logo" }', "picture_node: the node 'Logo' shows an image"),
        ('C@{ icon: "fa:user", label: "User" }', "picture_node: the node 'User' shows an image or an icon"),
        ('C["$$x^2$$"]', "math_label: the label '$$x^2$$' is a formula"),
    ],
)
def test_what_is_not_drawn_is_no_plain_box_and_is_named(node, reason, context):
    """The granules without it are made."""
    code = f"flowchart TD\nA[a] --> B[b] --> C\n{node}\nB --> D[d]"
    rows = engine_rows.make_anchors(DOMAIN, SourceRow("charts", "one", "train", {"code": code}), context)
    refused = [row for row in rows if not hasattr(row, "caption")]
    assert refused and all(row.reasons[0].startswith(reason) for row in refused)
    assert [row.caption.count("node d") for row in rows if hasattr(row, "caption")] == [1]


def test_a_line_is_as_thick_and_dark_as_its_kind_says(context):
    code = (
        "flowchart TD\nA[a] --> B[b] ==> C[c] --> D[d]\nlinkStyle 0 stroke-width:5px,stroke-dasharray:3 3\n"
        "linkStyle 1 stroke-width:1px,stroke:#aa0000\nlinkStyle 2 stroke:white"
    )
    (anchor,) = make_anchors(code, whole(context))
    assert [arrow.stroke for arrow in read_vector(anchor.vector).sight.arrows] == ["normal", "thick", "normal"]
    assert 'stroke="#aa0000"' in anchor.vector and 'stroke="white"' not in anchor.vector


def test_a_symmetric_chart_gets_no_false_negative(context):
    (anchor,) = make_anchors(
        "flowchart TD\nA[one] --> B[two]\nB --> A\nB --> C[three]\nC --> B\nA --> C\nC --> A", context
    )
    rows = make_contrasts("flowchart.caption", anchor, context)
    # All arrows are there both ways: no exchange of labels throughout can make the caption false.
    assert all("shortfall" in row.reasons[0] for row in rows if not hasattr(row, "contrast_id"))
    assert not any(hasattr(row, "contrast_id") for row in rows)
    images = make_contrasts("flowchart.image", anchor, context)
    kinds = [{e.kind for e in row.edits} - {"flip"} for row in images if hasattr(row, "contrast_id")]
    assert kinds and all(kinds) and {"swap_labels"} not in kinds


def test_turning_an_arrow_twice_gives_the_svg_back(anchors):
    for anchor in anchors:
        for index in range(anchor.vector.count('class="arrow"')):
            once = turn_arrow(anchor.vector, index)
            assert not same_sight(read_vector(once).sight, read_vector(anchor.vector).sight) or index in (1, 2)
            twice = read_vector(turn_arrow(once, index))
            assert twice.sight == read_vector(anchor.vector).sight


def test_a_turned_arrow_ends_as_far_from_the_border_as_a_drawn_one(anchors):
    vector = anchors[1].vector
    before = re.search(r'id="arrow-0"[^>]* d="([^"]*)"', vector).group(1)
    after = re.search(r'id="arrow-0"[^>]* d="([^"]*)"', turn_arrow(vector, 0)).group(1)
    old, new = parse_path(before), parse_path(after)
    # The head's clearance moved from the path's end to its start.
    assert math.dist(new[0].points[-1], old[0].points[-1]) == pytest.approx(4, abs=0.05)
    assert math.dist(new[-1].points[-1], old[-1].points[-1]) == pytest.approx(4, abs=0.05)


def test_dropping_an_arrow_takes_its_label_along(anchors):
    vector = next(a.vector for a in anchors if ">Yes<" in a.vector)
    picture = read_vector(vector)
    index = next(i for i, arrow in enumerate(picture.sight.arrows) if arrow.label == "Yes")
    dropped = drop_arrow(vector, index)
    assert ">Yes<" not in dropped
    assert len(read_vector(dropped).sight.arrows) == len(picture.sight.arrows) - 1


def repaint(row, vector):
    return replace(row, vector=vector, image=Image(paint(vector, 336), "x.png"))


def turned_path(svg, index):
    """Reverse the drawn path and leave the marker: the arrow now points the other way without any id changing."""
    match = list(re.finditer(r'<path class="arrow"[^>]* d="([^"]*)"', svg))[index]
    return svg[: match.start(1)] + format_path(reverse_path(parse_path(match.group(1)))) + svg[match.end(1) :]


def rename(svg, old, new):
    return svg.replace(f">{old}<", f">{new}<")


def spoil(image):
    return Image(image.bytes[:-20] + bytes([image.bytes[-20] ^ 1]) + image.bytes[-19:], image.path)


def add(row, element):
    return replace(row, vector=row.vector.replace("</svg>", element + "</svg>"))


def blank_text(svg):
    return re.sub(r'(<text [^>]*?)fill="[^"]*"', r'\1fill="#ECECFF"', svg, count=1)


IMAGE_BREAKS = {
    "the anchor's own picture": lambda row, anchor: replace(row, image=anchor.image, vector=anchor.vector),
    "the anchor's chart drawn in another style": lambda row, anchor: repaint(
        row, anchor.vector.replace("#ECECFF", "#FFEEDD")
    ),
    "the picture of another SVG": lambda row, anchor: replace(row, image=Image(paint(anchor.vector, 335), "x.png")),
    "one pixel changed": lambda row, _: replace(row, image=spoil(row.image)),
    "a label hidden": lambda row, _: repaint(row, blank_text(row.vector)),
    "a label pushed out of the frame": lambda row, _: repaint(
        row, re.sub(r'<tspan x="0" y="[^"]*"', '<tspan x="-900" y="0"', row.vector, count=1)
    ),
    "a label moved onto another": lambda row, _: repaint(row, move_label(row.vector)),
    "a label of its own": lambda row, _: repaint(row, rename(row.vector, "Start", "Begin")),
    "a path turned against its code": lambda row, _: repaint(row, turned_path(row.vector, 0)),
    "an arrow missing that the code has": lambda row, _: repaint(row, drop_arrow(row.vector, 0)),
    "an arrow that ends nowhere": lambda row, _: repaint(
        row, re.sub(r'(class="arrow"[^>]* d="M)([-\d.]+),([-\d.]+)', r"\g<1>\g<2>,-300", row.vector, count=1)
    ),
    "an arrow in white": lambda row, _: repaint(
        row, re.sub(r'(class="arrow"[^>]* stroke=)"[^"]*"', r'\1"white"', row.vector, count=1)
    ),
    "an image element": lambda row, _: add(row, '<image href="/etc/passwd"/>'),
    "a style sheet": lambda row, _: add(row, "<style>text{fill:none}</style>"),
    "the anchor's caption": lambda row, anchor: replace(row, text=anchor.caption),
    "no caption": lambda row, _: replace(row, text=None),
    "half a caption": lambda row, _: replace(row, text=row.text.split(". ")[0] + "."),
    "the anchor's code": lambda row, anchor: replace(row, code=anchor.code),
    "no code": lambda row, _: replace(row, code=None),
    "edits of nothing": lambda row, _: replace(row, edits=()),
    "an edit that is not visible": lambda row, _: replace(row, edits=(*row.edits, Edit("remove_arrow", "a -> b", ""))),
    "no picture": lambda row, _: replace(row, image=None),
    "a broken picture": lambda row, _: replace(row, image=Image(row.image.bytes[:200], "x.png")),
}


def move_label(svg):
    places = re.findall(r'id="node-[A-C]" transform="translate\(([^)]*)\)"', svg)
    (x0, y0), (x1, y1) = (tuple(map(float, p.split(","))) for p in places[:2])
    first = re.search(r'<tspan x="([-\d.]+)" y="([-\d.]+)"', svg[svg.index('id="node-') :])
    moved = f'<tspan x="{x1 - x0 + float(first.group(1)):.2f}" y="{y1 - y0 + float(first.group(2)):.2f}"'
    at = svg.index('id="node-')
    return svg[:at] + svg[at:].replace(first.group(), moved, 1)


def pick_image(contrasts):
    """A picture of swapped labels with the label Start, upright, so that every break applies to it."""
    for anchor, row in contrasts["flowchart.image"]:
        if (
            {e.kind for e in row.edits}
            <= {"swap_labels", "swap_nodes", "replace_node", "rewire_arrow", "reverse_arrow"}
            and "Start" in row.code
            and anchor.caption.split(". ")[0] not in row.text
            and ">Start<" in row.vector
        ):
            return anchor, row
    raise AssertionError("no such row")


@pytest.mark.parametrize("name", IMAGE_BREAKS)
def test_a_broken_negative_picture_is_caught(name, contrasts, context):
    anchor, row = pick_image(contrasts)
    verify = DOMAIN.families["flowchart.image"].verify
    assert verify(row, anchor, context).passed
    verdict = verify(IMAGE_BREAKS[name](row, anchor), anchor, context)
    assert not verdict.passed, name
    assert re.match(r"[a-z_]+: ", verdict.reasons[0])


FLIP_BREAKS = {
    "not flipped": lambda row, anchor: repaint(row, anchor.vector.replace("#ECECFF", "#ECECFE")),
    "a negative": lambda row, _: repaint(row, turn_arrow(row.vector, 0)),
    "another caption": lambda row, _: replace(row, text=row.text.replace("Start", "End")),
    "upright code of another chart": lambda row, _: replace(row, code=row.code.replace("Start", "End")),
    "the edit of a negative": lambda row, _: replace(row, edits=(Edit("swap_labels", "a", "b"),)),
}


@pytest.mark.parametrize("name", FLIP_BREAKS)
def test_a_broken_flip_is_caught(name, contrasts, context):
    anchor, row = contrasts["flowchart.flip"][0]
    verify = DOMAIN.families["flowchart.flip"].verify
    assert verify(row, anchor, context).passed
    assert not verify(FLIP_BREAKS[name](row, anchor), anchor, context).passed


def test_a_flip_of_the_same_chart_in_another_code_is_caught(contrasts, context):
    """Its picture shows that code, and the anchor's graph: what is wrong is that it is not the anchor's code turned."""
    anchor, row = contrasts["flowchart.flip"][0]
    code = re.sub(r"\bA\b", "Z9", row.code)
    drawn = repaint(replace(row, code=code), draw_chart(code, choose_look(anchor.code, context)))
    verdict = DOMAIN.families["flowchart.flip"].verify(drawn, anchor, context)
    assert [reason.partition(":")[0] for reason in verdict.reasons] == ["same_chart"]


TEXT_BREAKS = {
    "flowchart.caption": {
        "the true caption": lambda row, anchor: replace(row, text=anchor.caption),
        "true sentences in another order": lambda row, anchor: replace(
            row, text=" ".join(reversed([s.rstrip(".") + "." for s in anchor.caption.split(". ")]))
        ),
        "a node that the chart does not have": lambda row, _: replace(row, text=row.text.replace("Start", "Stop")),
        "a sentence of its own": lambda row, _: replace(row, text=row.text + " And more."),
        "a sentence left out": lambda row, _: replace(row, text=row.text.split(". ")[0] + "."),
        "no text": lambda row, _: replace(row, text=None),
    },
    "flowchart.codeswap": {
        "the anchor's code": lambda row, anchor: replace(row, text=anchor.code, code=anchor.code),
        "the anchor's code with other ids": lambda row, anchor: replace(
            row, text=(text := re.sub(r"\bA\b", "Z9", anchor.code)), code=text
        ),
        "code that does not parse": lambda row, _: replace(row, text=(text := row.text + "\nA --"), code=text),
        "a label changed": lambda row, _: replace(row, text=(text := row.text.replace("Start", "Stop")), code=text),
        "an arrow added": lambda row, _: replace(row, text=(text := row.text + "    C --> A\n"), code=text),
        "text and code that differ": lambda row, anchor: replace(row, code=anchor.code),
        "a sequence diagram": lambda row, _: replace(row, text="sequenceDiagram\nA->>B: x"),
    },
    "flowchart.code": {
        "another chart's code": lambda row, _: replace(
            row, text=(text := row.text.replace("Start", "Stop")), code=text
        ),
        "an arrow turned": lambda row, _: replace(
            row, text=(text := row.text.replace("A --> B", "B --> A")), code=text
        ),
        "code that does not parse": lambda row, _: replace(row, text="flowchart TD\nA[", code="flowchart TD\nA["),
    },
}


@pytest.mark.parametrize(("family", "name"), [(f, n) for f, breaks in TEXT_BREAKS.items() for n in breaks])
def test_a_broken_text_is_caught(family, name, contrasts, context):
    anchor, row = next((a, r) for a, r in contrasts[family] if "Start" in (r.text or ""))
    verify = DOMAIN.families[family].verify
    assert verify(row, anchor, context).passed
    assert not verify(TEXT_BREAKS[family][name](row, anchor), anchor, context).passed


ANCHOR_BREAKS = {
    "another caption": lambda a: replace(a, caption=a.caption.replace("Start", "End")),
    "an arrow left out of the caption": lambda a: replace(a, caption=a.caption.split(". ")[0] + "."),
    "another code": lambda a: replace(a, code=a.code.replace("Start", "Stop")),
    "a turned arrow in the SVG": lambda a: repaint(a, turn_arrow(a.vector, 0)),
    "the SVG of another picture": lambda a: replace(a, vector=turn_arrow(a.vector, 0)),
    "a fact too many": lambda a: replace(a, facts=(*a.facts, Fact("arrow", ("x", "y"), None))),
    "no SVG": lambda a: replace(a, vector=None),
    "code of another language": lambda a: replace(a, code="pie title x"),
}


@pytest.mark.parametrize("name", ANCHOR_BREAKS)
def test_a_broken_anchor_is_caught(name, anchors, context):
    assert DOMAIN.verify_anchor(anchors[0], context).passed
    assert not DOMAIN.verify_anchor(ANCHOR_BREAKS[name](anchors[0]), context).passed


@pytest.mark.parametrize("change", [{"role": "positive"}, {"modality": "text"}])
def test_a_row_of_another_kind_than_its_family_is_caught(change, contrasts, context):
    anchor, row = pick_image(contrasts)
    origin = Origin(frozenset({context.seed}), frozenset({row.provenance.author}), frozenset({anchor.source}), {})
    assert verify_contrast(DOMAIN, row, anchor, origin, context).passed
    reasons = verify_contrast(DOMAIN, replace(row, **change), anchor, origin, context).reasons
    assert any(reason.startswith("wrong_role") for reason in reasons)


def test_the_flipped_picture_of_the_same_chart_is_no_negative(contrasts, context):
    anchor, flip = contrasts["flowchart.flip"][0]
    disguised = replace(flip, family="flowchart.image", role="negative", edits=(Edit("swap_labels", *SWAP),))
    verdict = DOMAIN.families["flowchart.image"].verify(disguised, anchor, context)
    assert verdict.reasons[0].startswith("another_graph")


def test_a_picture_whose_text_is_too_small_is_refused(context):
    settings = context.settings.model_copy(update={"granulate": False, "size": 64})
    (reject,) = engine_rows.make_anchors(
        DOMAIN, SourceRow("charts", "x", "train", {"code": CODE}), replace(context, settings=settings)
    )
    assert "text_legible" in reject.reasons[0]
    assert "size" in reject.reasons[0]


def test_a_varied_style_is_the_anchors_and_its_contrasts_alike(context):
    varied = replace(context, settings=context.settings.model_copy(update={"style": "varied"}))
    codes = (CODE, CODE.replace("stain", "spot"), CODE.replace("Dry", "Iron"))
    anchors = [anchor for code in codes for anchor in make_anchors(code, varied)]
    assert len({parse(anchor.code).direction for anchor in anchors}) > 1
    looks = [choose_look(anchor.code, varied) for anchor in anchors]
    assert len(set(looks)) > 2
    family = DOMAIN.families["flowchart.image"]
    rows = make_contrasts(family.name, anchors[0], varied)
    assert sum(hasattr(row, "contrast_id") for row in rows) >= 3
    other = next(look for look in looks if look != looks[0])
    painted = draw_chart(rows[0].code, other)
    strange = replace(rows[0], vector=painted, image=Image(paint(painted, varied.settings.size), "x.png"))
    assert family.verify(strange, anchors[0], varied).reasons[0].startswith("drawn_as_recorded")


def test_wider_granules_and_subgraphs_are_anchors_beside_triplets(context):
    code = CODE + "    subgraph work [The work]\n        B\n        C\n    end\n"
    settings = context.settings.model_copy(update={"granules": ("triplets", "wide", "subgraphs"), "size": 672})
    anchors = make_anchors(code, replace(context, settings=settings))
    charts = [parse(anchor.code) for anchor in anchors]
    assert sorted(len(chart.nodes) for chart in charts)[:3] == [3, 3, 3]
    assert {len(chart.nodes) for chart in charts} == {3, 4, 5}
    assert [chart.subgraphs[0].title for chart in charts if chart.subgraphs] == ["The work"]
    assert len({anchor.anchor_id for anchor in anchors}) == len(anchors)
