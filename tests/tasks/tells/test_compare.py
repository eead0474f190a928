"""What is compared with what, and what is never learnt from where it is judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.tells.blocks import deal_folds, join_blocks
from counterfoil.tasks.tells.compare import (
    Comparison,
    Shown,
    compare,
    compare_all,
    list_keys,
    show_anchor,
    show_contrast,
)
from tests.tasks.tells.rows import make_anchors, make_texts


def show(anchors: Sequence[Anchor], contrasts: Sequence[Contrast]) -> list[Shown]:
    shown = [each for anchor in anchors for each in show_anchor(anchor, contrasts[0].modality)]
    return shown + [each for contrast in contrasts for each in show_contrast(contrast)]


def lay_out(anchors: Sequence[Anchor], contrasts: Sequence[Contrast]) -> Comparison:
    keys = {anchor.anchor_id: list_keys(anchor) for anchor in anchors}
    found = compare(show(anchors, contrasts), keys, seed=3)
    assert found is not None
    return found


def lay_out_all(anchors: Sequence[Anchor], contrasts: Sequence[Contrast]) -> list[Comparison]:
    keys = {anchor.anchor_id: list_keys(anchor) for anchor in anchors}
    return compare_all(show(anchors, contrasts), keys, seed=3)


def test_near_misses_of_one_caption_are_set_beside_it_and_beside_all_captions():
    anchors = make_anchors(60, captions=3)
    contrasts = make_texts(anchors, count=2)
    near = {each.anchor_id: (each.caption or "").replace("near", "by") for each in anchors}
    contrasts = [replace(each, text=near[each.anchor_id]) for each in contrasts]
    # One has come nearer to another caption than to the one that it was made of.
    contrasts[0] = replace(contrasts[0], text=anchors[0].captions[1])
    alone, wider = lay_out_all(anchors, contrasts)
    assert (alone.beside, alone.items.own.sum(), alone.contrasts) == ("caption", 60, 120)
    assert (wider.beside, wider.items.own.sum(), wider.contrasts) == ("captions", 180, 120)
    assert {row.text for row in wider.rows} >= {text for anchor in anchors for text in anchor.captions}
    assert lay_out(anchors, contrasts).beside == alone.beside


def test_near_misses_of_any_of_the_captions_are_set_beside_all_captions():
    anchors = make_anchors(20, captions=3)
    last = {each.anchor_id: each.captions[-1].replace("near", "by") for each in anchors}
    contrasts = [replace(each, text=last[each.anchor_id]) for each in make_texts(anchors, count=2)]
    comparison = lay_out(anchors, contrasts)
    assert (comparison.beside, comparison.items.own.sum()) == ("captions", 60)
    assert [each.beside for each in lay_out_all(anchors, contrasts)] == ["caption", "captions"]


def test_texts_that_are_near_misses_of_no_caption_are_set_beside_the_caption_and_beside_all():
    """Of several texts one is always likelier than a certain one: that says nothing."""
    anchors = make_anchors(20, captions=3)
    contrasts = [replace(each, text="a ship, a bird near some fish and no more") for each in make_texts(anchors)]
    assert lay_out(anchors, contrasts).beside == "caption"
    assert [each.beside for each in lay_out_all(anchors, contrasts)] == ["caption", "captions"]


def test_near_misses_of_each_caption_are_set_beside_the_one_and_beside_all():
    anchors = make_anchors(30, captions=3)
    texts = [caption.replace("near", "by") for anchor in anchors for caption in anchor.captions]
    contrasts = [replace(row, text=text) for row, text in zip(make_texts(anchors, count=3), texts, strict=True)]
    sizes = [(each.beside, int(each.items.own.sum()), each.contrasts) for each in lay_out_all(anchors, contrasts)]
    assert sizes == [("caption", 30, 90), ("captions", 90, 90)]


def test_where_there_is_one_caption_nothing_is_compared_twice():
    anchors = make_anchors(5)
    assert [each.beside for each in lay_out_all(anchors, make_texts(anchors))] == ["caption"]


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
