"""Contrasts made on the fly for training: the tables' edits, drawn from the loader's own generator."""

from collections import Counter

import numpy as np
import pytest

from tasks.engine.registry import load_family
from tasks.flowchart.captions import find_false_claims, is_false, read_caption
from tasks.flowchart.chart.sight import same_sight, see_chart
from tasks.flowchart.drawing.rendering import parse
from tasks.flowchart.drawing.vector import read_vector
from tasks.flowchart.edits.likeness import count_parts
from tests.tasks.flowchart.conftest import make_anchors

FAMILIES = ("flowchart.caption", "flowchart.codeswap", "flowchart.image")


def sample(name, anchor, seed, count, context):
    return load_family(name)[1].sample(anchor, np.random.default_rng(seed), count, context)


def test_every_sampled_contrast_is_a_negative(anchors, context):
    for anchor in anchors:
        sight = see_chart(parse(anchor.code))
        for draft in sample("flowchart.caption", anchor, 3, 20, context):
            assert find_false_claims(read_caption(draft.text), sight)
        for draft in sample("flowchart.codeswap", anchor, 3, 20, context):
            assert not same_sight(see_chart(parse(draft.text)), sight)
        for draft in sample("flowchart.image", anchor, 3, 5, context):
            drawn = read_vector(draft.vector).sight
            assert same_sight(drawn, see_chart(parse(draft.code)))
            assert is_false(read_caption(anchor.caption), drawn)
            assert count_parts(drawn) == 1


@pytest.mark.parametrize("name", FAMILIES)
def test_samples_vary_and_the_generator_decides(name, context):
    (anchor,) = make_anchors("flowchart TD\nA[Wash] --> B[Dry]\nB --> C[Fold]", context)
    draws = [[sample(name, anchor, seed, 1, context)[0].code for seed in range(8)] for _ in range(2)]
    texts = [[sample(name, anchor, seed, 1, context)[0].text for seed in range(8)] for _ in range(2)]
    assert draws[0] == draws[1]
    assert texts[0] == texts[1]
    assert len(set(zip(draws[0], texts[0], strict=True))) > 2


def test_kinds_of_pictures_are_drawn_alike_often(anchors, context):
    """A loop of three arrows has moves, turns, rewirings, removals and combinations."""
    drawn = Counter(
        frozenset(edit.kind for edit in draft.edits) - {"flip", "change_answer"}
        for seed in range(100)
        for draft in sample("flowchart.image", anchors[1], seed, 1, context)
    )
    moves = sum(count for kinds, count in drawn.items() if kinds <= {"swap_labels", "swap_nodes"})
    combined = sum(count for kinds, count in drawn.items() if len(kinds - {"swap_nodes"}) > 1 or len(kinds) > 1)
    for count in (moves, combined, drawn[frozenset(("reverse_arrow",))], drawn[frozenset(("remove_arrow",))]):
        assert 10 <= count <= 40, drawn


def test_a_chart_without_negatives_gives_none(context):
    everything = "flowchart TD\n" + "\n".join(f"{a} --> {b}" for a in "ABC" for b in "ABC" if a != b)
    (anchor,) = make_anchors(everything, context)
    assert not sample("flowchart.codeswap", anchor, 3, 5, context)
    assert not sample("flowchart.caption", anchor, 3, 5, context)
