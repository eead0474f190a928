"""Negatives per batch: the tables' edits, drawn from the loader's own generator."""

import numpy as np

from tasks.flowchart.captions import find_false_claims, read_caption
from tasks.flowchart.chart.sight import same_sight, see_chart
from tasks.flowchart.drawing.rendering import get_look, parse
from tasks.flowchart.drawing.vector import read_vector
from tasks.flowchart.dynamic import open_sample, sample_caption, sample_code, sample_plan, sample_vector
from tasks.flowchart.edits import apply_plan, draw_plan
from tests.tasks.flowchart.conftest import make_anchors


def test_every_dynamic_negative_is_one(anchors, context):
    rng = np.random.default_rng(3)
    for anchor in anchors:
        sample = open_sample(anchor)
        for _ in range(20):
            assert find_false_claims(read_caption(sample_caption(sample, rng)), sample.sight)
            assert not same_sight(see_chart(parse(sample_code(sample, rng))), sample.sight)
            assert not same_sight(read_vector(sample_vector(sample, rng)).sight, sample.sight)
        plan = sample_plan(sample, rng)
        drawn = read_vector(draw_plan(sample.chart, plan, get_look(context.settings))).sight
        assert same_sight(drawn, see_chart(apply_plan(sample.chart, plan)))
        assert not same_sight(drawn, sample.sight)


def test_batches_vary_and_the_generator_decides(anchors):
    sample = open_sample(anchors[0])
    draws = [[sample_caption(sample, np.random.default_rng(seed)) for seed in range(8)] for _ in range(2)]
    assert draws[0] == draws[1]
    assert len(set(draws[0])) > 2


def test_a_chart_without_negatives_gives_none(context):
    everything = "flowchart TD\n" + "\n".join(f"{a} --> {b}" for a in "ABC" for b in "ABC" if a != b)
    (anchor,) = make_anchors(everything, context)
    rng = np.random.default_rng(3)
    sample = open_sample(anchor)
    assert sample_code(sample, rng) is None
    assert sample_caption(sample, rng) is None
    assert sample_vector(sample, rng) is not None
