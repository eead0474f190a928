"""Contrasts made on the fly for training: the tables' edits, drawn from the loader's own generator."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.engine import rows as engine_rows
from counterfoil.tasks.engine.prepare import prepare_here
from counterfoil.tasks.engine.registry import load_domain, load_family
from counterfoil.tasks.flowchart.captions import find_false_claims, read_caption
from counterfoil.tasks.flowchart.chart.sight import same_sight, see_chart
from counterfoil.tasks.flowchart.drawing.rendering import open_chart, paint, parse
from counterfoil.tasks.flowchart.drawing.vector import read_vector
from counterfoil.tasks.flowchart.edits.choice import list_others, pick_edits, survey_steps
from counterfoil.tasks.flowchart.edits.likeness import count_parts
from counterfoil.tasks.flowchart.families import caption
from counterfoil.tasks.flowchart.truth import is_false
from tests.tasks.flowchart.conftest import make_anchors

FAMILIES = ("flowchart.caption", "flowchart.codeswap", "flowchart.image")


def sample(name, anchor, seed, count, context, corpus=None):
    """Drawn as in a training on ``corpus``, or on the anchor alone."""
    family = load_family(name)[1]
    ready = prepare_here(family.sample_prepare, [corpus or [anchor]], context)
    return family.sample(anchor, np.random.default_rng(seed), count, ready)


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
    assert len(set(zip(draws[0], texts[0], strict=True))) > 1


def test_drawn_pictures_are_painted_at_the_size_of_the_tables(anchors, context):
    (draft,) = sample("flowchart.image", anchors[0], 3, 1, context)
    assert draft.image == paint(draft.vector, context.settings.size)


@pytest.mark.slow
def test_what_is_drawn_gives_itself_away_less_than_what_is_offered(context):
    """Over a corpus of questions, each followed by steps, labels that move to the front come back from it as often."""
    domain = load_domain("flowchart")
    rows = domain.read(context.settings, 7, 12)
    corpus = [a for row in rows for a in engine_rows.make_anchors(domain, row, context) if isinstance(a, Anchor)]
    offered = Counter()
    drawn = Counter()
    ready = prepare_here(caption.SAMPLES, [corpus], context)
    steps = survey_steps(corpus)
    for anchor in corpus:
        others = list_others(anchor, open_chart(anchor), steps)
        before = caption._profile(parse(anchor.code), context)
        for counts, edits in (
            (offered, caption._list_for(anchor, others, context)),
            (drawn, pick_edits(caption.SAMPLES, anchor, ready)),
        ):
            for edit in edits:
                counts.update({"edits": 1})
                gained = caption._profile(edit.edited, context)
                gained.subtract(before)
                counts.update(gained)
    share = {
        name: sum(count**2 for key, count in counts.items() if key != "edits") / counts["edits"] ** 2
        for name, counts in (("offered", offered), ("drawn", drawn))
    }
    assert share["drawn"] < 0.5 * share["offered"], share


def test_as_published_kinds_of_pictures_are_drawn_alike_often(context):
    """A loop of three arrows has moves, turns, removals and combinations."""
    published = replace(context, settings=context.settings.model_copy(update={"edits": "published"}))
    anchor = make_anchors("flowchart TD\nA[Wash] --> B[Dry]\nB --> C[Fold]\nC --> A", published)[0]
    drawn = Counter(
        frozenset(edit.kind for edit in draft.edits) - {"flip", "change_answer"}
        for seed in range(100)
        for draft in load_family("flowchart.image")[1].sample(anchor, np.random.default_rng(seed), 1, published)
    )
    for kind in ("swap_labels", "reverse_arrow", "remove_arrow"):
        assert 10 <= drawn[frozenset((kind,))] <= 45, drawn


def test_a_chart_without_negatives_gives_none(context):
    everything = "flowchart TD\n" + "\n".join(f"{a} --> {b}" for a in "ABC" for b in "ABC" if a != b)
    (anchor,) = make_anchors(everything, context)
    assert not sample("flowchart.codeswap", anchor, 3, 5, context)
    assert not sample("flowchart.caption", anchor, 3, 5, context)
