"""What is compared with what, and what is never learnt from where it is judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from storage.rows import Anchor, Contrast
from tasks.tells.blocks import deal_folds, join_blocks
from tasks.tells.compare import Comparison, compare, list_keys, show_anchor, show_contrast
from tests.tasks.tells.rows import make_anchors, make_texts


def lay_out(anchors: Sequence[Anchor], contrasts: Sequence[Contrast]) -> Comparison:
    shown = [each for anchor in anchors for each in show_anchor(anchor, contrasts[0].modality)]
    shown += [each for contrast in contrasts for each in show_contrast(contrast)]
    found = compare(shown, {anchor.anchor_id: list_keys(anchor) for anchor in anchors}, seed=3)
    assert found is not None
    return found


def test_all_captions_count_on_the_anchors_side():
    anchors = make_anchors(5, captions=3)
    comparison = lay_out(anchors, make_texts(anchors, count=2))
    assert comparison.items.own.sum() == 15
    assert comparison.contrasts == 10
    assert {row.text for row in comparison.rows} >= {text for anchor in anchors for text in anchor.captions}


def test_texts_are_set_beside_what_they_are_like():
    anchors = make_anchors(5)
    assert lay_out(anchors, make_texts(anchors)).beside == "caption"
    codes = [replace(row, text="plot(77)") for row in make_texts(anchors)]
    assert lay_out(anchors, codes).beside == "code"


def test_no_source_picture_or_caption_is_learnt_from_and_judged():
    anchors = make_anchors(60, per_source=2)
    twin = anchors[7]
    anchors[31] = replace(anchors[31], image=twin.image)
    comparison = lay_out(anchors, make_texts(anchors, count=1))
    items = comparison.items
    fold_of = {row.anchor_id: items.folds[owner] for row, owner in zip(comparison.rows, items.owner, strict=True)}
    for first, second in zip(anchors[::2], anchors[1::2], strict=True):
        assert fold_of[first.anchor_id] == fold_of[second.anchor_id]
    assert fold_of[anchors[31].anchor_id] == fold_of[twin.anchor_id]
    assert len(set(fold_of.values())) == 5


def test_blocks_join_over_shared_keys_and_folds_are_even():
    assert join_blocks([["a"], ["b"], ["c", "a"], ["d"], ["d", "b"]]) == [0, 1, 0, 1, 1]
    blocks = np.repeat(np.arange(50), 2)
    folds = deal_folds(blocks, [f"{i:03d}" for i in range(100)], 5, seed=1)
    assert np.bincount(folds).tolist() == [20] * 5
