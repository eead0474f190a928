"""When two charts look the same."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.tasks.flowchart.captions import (
    CaptionError,
    Claim,
    find_false_claims,
    read_caption,
    state_claims,
    write_caption,
)
from counterfoil.tasks.flowchart.chart.granulation import find_triplets, key_chart
from counterfoil.tasks.flowchart.chart.graph import Arrow, Chart, Node
from counterfoil.tasks.flowchart.chart.labels import read_label
from counterfoil.tasks.flowchart.chart.order import arrange
from counterfoil.tasks.flowchart.chart.sight import _match_by_vf2, describe_difference, same_sight, see_chart
from counterfoil.tasks.flowchart.edits.plans import ChartEdit, apply_edit


def chart(labels: str, *arrows: str) -> Chart:
    nodes = tuple(Node(chr(65 + i), label, "square") for i, label in enumerate(labels.split()))
    return Chart("TB", nodes, tuple(Arrow(a[0], a[1], a[2:]) for a in arrows))


def turn(edited: Chart, *arrows: int) -> Chart:
    return apply_edit(edited, ChartEdit(turned=arrows))


def test_swapping_symmetric_nodes_is_no_edit():
    fork = chart("top left right", "AB", "AC")
    assert same_sight(see_chart(fork), see_chart(fork.relabel({"B": "C", "C": "B"})))
    assert not same_sight(see_chart(fork), see_chart(fork.relabel({"A": "B", "B": "A"})))


def test_turning_both_arrows_of_a_two_cycle_is_no_edit():
    loop = chart("one two three", "AB", "BA", "BC")
    assert same_sight(see_chart(loop), see_chart(turn(loop, 0, 1)))
    assert not same_sight(see_chart(loop), see_chart(turn(loop, 0)))
    assert not same_sight(see_chart(loop), see_chart(turn(loop, 2)))


def test_arrow_labels_count_but_only_on_their_arrow():
    plain = chart("one two three", "AByes", "ACno")
    assert not same_sight(see_chart(plain), see_chart(plain.relabel({"B": "C", "C": "B"})))
    both = chart("one two three", "AByes", "BAyes", "AC")
    assert same_sight(see_chart(both), see_chart(turn(both, 0, 1)))


def test_repeated_labels_are_matched_not_counted():
    # Both have labels x, x, y and one arrow x -> y, one x -> x; only the chain differs from the fork.
    chain = chart("x x y", "AB", "BC")
    fork = chart("x x y", "AB", "AC")
    assert not same_sight(see_chart(chain), see_chart(fork))
    assert same_sight(see_chart(chain), see_chart(chart("x y x", "CA", "AB")))
    # Nor do counts tell where no label stands once.
    assert not same_sight(see_chart(chart("x x x x", "AB", "BC")), see_chart(chart("x x x x", "AB", "CD")))


def test_a_line_written_from_its_other_end_is_the_same():
    one = Chart("TB", (Node("A", "a"), Node("B", "b")), (Arrow("A", "B", start="", end=""),))
    two = Chart("TB", (Node("A", "a"), Node("B", "b")), (Arrow("B", "A", start="", end=""),))
    assert same_sight(see_chart(one), see_chart(two))
    turned = Chart("TB", one.nodes, (Arrow("A", "B", start="point", end=""),))
    assert same_sight(see_chart(turned), see_chart(Chart("TB", one.nodes, (Arrow("B", "A"),))))


def test_a_line_with_a_head_at_both_ends_is_not_one_with_a_head_at_one():
    ends = [Chart("TB", (Node("A", "a"), Node("B", "b")), (Arrow("A", "B", start=start),)) for start in ("point", "")]
    assert not same_sight(*map(see_chart, ends))


def test_what_differs_is_told_and_what_both_have_is_not():
    one, other = (see_chart(chart("from to elsewhere last", "AB", each)) for each in ("AC", "AD"))
    missing, _, extra = describe_difference(one, other).removeprefix("arrows differ: ").partition(" against ")
    assert "elsewhere" in missing and "last" in extra
    assert "'to'" not in missing + extra and "elsewhere" not in extra and "last" not in missing
    assert describe_difference(see_chart(chart("a b")), see_chart(chart("a c"))) == "labels differ: ['b'] against ['c']"


@settings(max_examples=150)
@given(st.lists(st.sampled_from("xyz"), min_size=3, max_size=5), st.data())
def test_search_and_vf2_agree(labels, data):
    count = len(labels)
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    nodes = tuple(Node(chr(65 + i), label) for i, label in enumerate(labels))

    def build():
        return Chart(
            "TB",
            nodes,
            tuple(Arrow(nodes[a].id, nodes[b].id) for a, b in data.draw(st.lists(pairs, min_size=2, max_size=4))),
        )

    one, two = see_chart(build()), see_chart(build())
    assert same_sight(one, two) == _match_by_vf2(one, two)


def test_triplets_are_the_connected_threes():
    line = chart("a b c d", "AB", "BC", "CD")
    assert [t.nodes for t in find_triplets(line)] == [("A", "B", "C"), ("B", "C", "D")]
    star = chart("a b c d", "AB", "AC", "AD")
    assert len(list(find_triplets(star))) == 3
    for triplet in find_triplets(star):
        assert triplet.chart.direction == "TB"
        assert len(triplet.chart.arrows) == 2


def test_a_triplet_keeps_every_arrow_among_its_nodes():
    loop = chart("a b c d", "AByes", "BA", "BC", "CD", "CC")
    first = next(find_triplets(loop)).chart
    assert [(a.tail, a.head, a.label) for a in first.arrows] == [
        ("A", "B", "yes"),
        ("B", "A", ""),
        ("B", "C", ""),
        ("C", "C", ""),
    ]


def test_identical_triplets_have_one_key_whatever_their_order():
    one = chart("a b c", "AB", "BC")
    other = chart("c a b", "CA", "BC")
    assert key_chart(one) == key_chart(other)
    assert key_chart(one) != key_chart(chart("a b c", "AB", "CB"))
    assert key_chart(one) != key_chart(chart("a b c", "AB", "BCyes"))


_ENDS = st.sampled_from(["", "point", "circle", "cross"])
_LINKS = st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("ABC"), _ENDS, _ENDS), min_size=1, max_size=5)


@given(_LINKS, st.permutations("ABC"), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_a_key_is_of_the_graph_whatever_the_order_and_the_end_that_a_link_is_told_from(links, order, chance):
    arrows = [Arrow(tail, head, start=start, end=end) for tail, head, start, end in links]
    nodes = {name: Node(name, label, "square") for name, label in zip("ABC", ("x", "y", "x"), strict=True)}
    turned = [
        replace(a, tail=a.head, head=a.tail, start=a.end, end=a.start)
        if a.tail != a.head and chance.random() < 0.5
        else a
        for a in arrows
    ]
    chance.shuffle(turned)
    one = Chart("TB", tuple(nodes.values()), tuple(arrows))
    other = Chart("TB", tuple(nodes[name] for name in order), tuple(turned))
    assert key_chart(one) == key_chart(other)
    drawn = arrange(one, np.random.default_rng(3))
    assert key_chart(drawn) == key_chart(one)


def test_captions_come_back():
    sight = see_chart(chart("Start Wash Dry", "AByes", "BC", "CA"))
    for labels in (False, True):
        claims = state_claims(sight, labels)
        assert read_caption(write_caption(claims)) == claims
        assert find_false_claims(claims, sight) == []
    assert write_caption(state_claims(sight, False)).startswith("An arrow points from node Start to node Wash. ")


@settings(max_examples=200)
@given(st.lists(st.tuples(*[st.text("ab .?", min_size=1, max_size=8).filter(str.strip)] * 2), min_size=1, max_size=3))
def test_captions_with_full_stops_in_labels_come_back(pairs):
    claims = tuple(Claim(" ".join(a.split()), " ".join(b.split())) for a, b in pairs)
    read = read_caption(write_caption(claims))
    assert [claim.key() for claim in read] == [claim.key() for claim in claims]


def test_a_label_that_ends_its_sentence_brings_its_own_stop():
    sight = see_chart(chart("Go. Done? End...", "AB", "BC", "CA"))
    text = write_caption(state_claims(sight, False))
    assert text == (
        "An arrow points from node Go. to node Done? An arrow points from node Done? to node End... "
        "An arrow points from node End... to node Go."
    )
    assert find_false_claims(read_caption(text), sight) == []
    assert len(read_caption(text)) == 3


@pytest.mark.parametrize(
    ("start", "end", "says"),
    [
        ("", "circle", "A circle-tipped line leads from node a to node b."),
        ("circle", "circle", "A circle-tipped line leads both ways between node a and node b."),
        ("cross", "", "A cross-tipped line leads from node b to node a."),
        ("cross", "cross", "A cross-tipped line leads both ways between node a and node b."),
        ("point", "point", "An arrow points both ways between node a and node b."),
        ("", "", "A line joins node a and node b."),
    ],
)
def test_a_caption_says_which_heads_are_drawn(start, end, says):
    sight = see_chart(Chart("TB", (Node("A", "a"), Node("B", "b")), (Arrow("A", "B", start=start, end=end),)))
    assert write_caption(state_claims(sight, False)) == says
    assert read_caption(says) == state_claims(sight, False)


def test_what_two_arrows_say_alike_is_said_once():
    double = see_chart(chart("a b c", "AByes", "ABno", "BC"))
    assert write_caption(state_claims(double, False)).count("to node b.") == 1
    assert write_caption(state_claims(double, True)).count("to node b.") == 2


def test_a_caption_that_reads_two_ways_is_refused():
    text = write_caption((Claim("A to node B", "C"),))
    with pytest.raises(CaptionError, match="caption_ambiguous"):
        read_caption(text)
    with pytest.raises(CaptionError, match="caption_form"):
        read_caption("The chart shows A and B.")


def test_saying_a_true_sentence_twice_is_not_false():
    sight = see_chart(chart("a b c", "AB", "BC"))
    twice = (Claim("a", "b"), Claim("a", "b"))
    assert find_false_claims(twice, sight) == []
    assert find_false_claims((Claim("b", "a"),), sight)


@pytest.mark.parametrize(
    ("label", "markdown", "seen"),
    [
        ("a<br/>b", False, "a b"),
        ("x #quot;y#quot;", False, 'x "y"'),
        ("5 &lt; 6 &amp; 7", False, "5 < 6 & 7"),
        ("**bold** and *slanted*", True, "bold and slanted"),
        ("**bold**", False, "**bold**"),
        ("i <= 2 * j", True, "i <= 2 * j"),
        ("a_b_c", True, "a_b_c"),
        ("e\u0301", False, "\u00e9"),
        ("List<String>", False, "List<String>"),
        ("#9829; #35;", False, "\u2665 #"),
    ],
)
def test_labels_are_read_as_painted(label, markdown, seen):
    assert read_label(label, markdown) == seen
