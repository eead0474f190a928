"""Pictures' captions as texts alone: each caption is a view, with its own near misses and its own rephrasings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterfoil.storage.rows import Contrast
from counterfoil.tasks.training.data import BatchMaker
from counterfoil.tasks.training.distributed import open_world
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.objectives import Objective
from counterfoil.tasks.training.packing.manifest import read_manifest
from counterfoil.tasks.training.packing.pack import open_tokens, pack_dataset
from counterfoil.tasks.training.reading import draw_positives
from counterfoil.tasks.training.step import add_batch_gradient
from counterfoil.tasks.training.towers import open_towers
from tests.tasks.encoders.tiny import save_sentences
from tests.tasks.training import tiny


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    return save_sentences(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def packed(model, tmp_path_factory) -> str:
    """Three captions of each picture; a near miss of the second, and the first two in other words."""
    folder = tmp_path_factory.mktemp("captions")
    anchors, rows = [], []
    for i, each in enumerate(tiny.make_anchors(48)):
        said = (each.caption, f"number {i} stands near a small thing", f"somebody drew {i} of these")
        anchor = replace(each, domain="caption", image=None, caption=said[0], captions=said)
        anchors.append(anchor)
        for family, role, text in (
            ("caption.mask", "negative", f"number {i} stands near a huge thing"),
            ("caption.rephrase", "positive", f"near a small thing stands number {i}"),
            ("caption.rephrase", "positive", f"there is {each.caption}"),
        ):
            rank = sum(row.anchor_id == anchor.anchor_id and row.family == family for row in rows)
            rows.append(Contrast(anchor.anchor_id, family, role, "text", text).accept(rank, ("said",)))
    url = tiny.publish(str(folder / "data"), anchors, rows)
    pack_dataset(url, str(folder / "packed"), choose(model))
    return str(folder / "packed")


def choose(model: str, **given):
    own = {
        "model": model,
        "towers": "texts",
        "families": ["caption.mask"],
        "positives": ["caption.rephrase"],
        "objective": {"paraphrase": 1.0},
        "margin": 1.5,
        "max_tokens": 64,
        "batch_size": 8,
        "positive_texts": 2,
    }
    return tiny.choose(**(own | given))


def make_batch(packed: str, model: str, **given):
    manifest, settings = read_manifest(packed), choose(model, **given)
    tokens = open_tokens(manifest, packed, settings)
    maker = BatchMaker(packed, manifest, settings, tokens)
    return manifest, settings, tokens, maker.make(0, 0)


def test_a_near_miss_comes_with_the_caption_that_it_was_made_of_and_with_it_in_other_words(packed, model):
    manifest, _, _, batch = make_batch(packed, model)
    assert manifest.views == ("caption 1", "caption 2", "caption 3")
    second, reworded = manifest.kinds.index("caption 2"), manifest.kinds.index("caption.rephrase")
    layout = batch.layout
    assert layout.negative_texts.view.tolist() == [second] * 8
    for owner in range(8):
        own = layout.positive_texts.owner == owner
        assert layout.positive_texts.view[own].tolist() == [second, second]
        assert set(layout.positive_texts.kind[own].tolist()) == {second, reworded}


def test_all_positive_texts_stay_where_no_number_is_named(packed, model):
    _, _, _, batch = make_batch(packed, model, positive_texts=None)
    assert len(batch.layout.positive_texts) == 8 * 4


def test_the_margin_is_around_the_caption_that_a_near_miss_was_made_of(packed, model):
    """Against a loop: a near miss stands under all that is true, as near to that as to the text that it was made of."""
    manifest, settings, tokens, batch = make_batch(packed, model, positive_texts=None)
    towers, objective = open_towers(settings, tokens).double(), Objective(settings, len(manifest.families)).double()
    towers.eval()
    learnt = add_batch_gradient(towers, objective, batch, open_world("cpu"), settings)
    features, own = learnt.features, learnt.features.layout.positive_texts
    second, reworded = manifest.kinds.index("caption 2"), manifest.kinds.index("caption.rephrase")
    losses = []
    for owner, missed in zip(features.layout.negative_texts.owner.tolist(), features.negative_texts, strict=True):
        mine = (own.owner == owner) & (own.view == second)
        caption = features.positive_texts[mine & (own.kind == second)][0]
        same = features.positive_texts[mine & (own.kind == reworded)][0]
        rest = [features.texts[owner], *features.positive_texts[(own.owner == owner) & (own.view != second)]]
        for true in (same, *rest):
            losses += [max(0.0, 1.5 + float(each @ missed - caption @ true)) for each in (caption, true)]
    assert learnt.loss == pytest.approx(2 * sum(losses) / len(losses), rel=1e-9)


def test_a_near_miss_without_a_rephrasing_is_measured_beside_the_other_captions(packed, model):
    manifest, settings, tokens, batch = make_batch(packed, model, learn_from=["caption.mask"], positive_texts=None)
    towers, objective = open_towers(settings, tokens).double(), Objective(settings, len(manifest.families)).double()
    towers.eval()
    learnt = add_batch_gradient(towers, objective, batch, open_world("cpu"), settings)
    features, own = learnt.features, learnt.features.layout.positive_texts
    second = manifest.kinds.index("caption 2")
    losses = []
    for owner, missed in zip(features.layout.negative_texts.owner.tolist(), features.negative_texts, strict=True):
        mine = own.owner == owner
        caption = features.positive_texts[mine & (own.kind == second)][0]
        others = [features.texts[owner], *features.positive_texts[mine & (own.kind != second)]]
        for same in others:
            losses += [max(0.0, 1.5 + float(each @ missed - caption @ same)) for each in (caption, same)]
    assert learnt.loss == pytest.approx(2 * sum(losses) / len(losses), rel=1e-9)


def test_positives_are_drawn_in_their_order_and_no_more_than_are_asked():
    import numpy as np

    rows = [{"kind": kind, "view": view, "image": -1} for kind, view in ((4, 4), (5, 5), (1, 5), (1, 4), (6, 6))]
    negatives = [{"kind": 0, "view": 5, "image": -1}]
    for seed in range(20):
        drawn = draw_positives(rows, negatives, 4, 2, np.random.default_rng(seed))
        assert drawn == [rows[1], rows[2]]
        # Of the anchor's own caption nothing is needed but it in other words.
        of_own = draw_positives(rows, [{**negatives[0], "view": 4}], 4, 1, np.random.default_rng(seed))
        assert of_own == [rows[3]]
    assert draw_positives(rows, negatives, 4, 0, np.random.default_rng(0)) == []


@pytest.fixture(scope="module")
def reworded(model, tmp_path_factory) -> str:
    """A near miss of a caption, as the caption domain puts both in other words."""
    folder = tmp_path_factory.mktemp("reworded")
    anchors, rows = [], []
    for i, each in enumerate(tiny.make_anchors(24)):
        one, other = tiny.COLOURS[i % 6], tiny.COLOURS[i // 6]
        said = (
            f"a woman holds a {one} umbrella near a {other} car on a beach",
            f"a {one} animal and a {other} one by the sea",
        )
        anchor = replace(each, domain="caption", image=None, caption=said[0], captions=said)
        anchors.append(anchor)
        text = f"a woman holds a {one} umbrella near a {other} car on a street"
        rows.append(Contrast(anchor.anchor_id, "caption.mask", "negative", "text", text).accept(0, ("said",)))
    url = tiny.publish(str(folder / "data"), anchors, rows)
    pack_dataset(url, str(folder / "packed"), choose(model, positives=[], reworded=3))
    return str(folder / "packed")


def test_a_near_miss_and_its_caption_are_put_in_other_words_alike(reworded, model):
    given = {"positives": [], "reworded": 3, "positive_texts": 1}
    manifest, settings, tokens, batch = make_batch(reworded, model, **given)
    layout = batch.layout
    texts = tokens.tokenizer.batch_decode(batch.tokens, skip_special_tokens=True)
    misses, further = layout.negative_texts, layout.positive_texts
    twins = (misses.own_text >= 0).nonzero()[:, 0].tolist()
    assert twins
    for twin in twins:
        miss = int(misses.own_text[twin])
        assert misses.owner[miss] == misses.owner[twin] and misses.own_text[miss] == -1
        assert "street" in texts[8 + miss] and "street" in texts[8 + twin] and texts[8 + miss] != texts[8 + twin]
    same = [place for place, kind in enumerate(further.kind.tolist()) if kind == manifest.kinds.index("caption.mask")]
    assert same
    for place in same:
        text, caption = texts[8 + len(misses) + place], texts[int(further.owner[place])]
        assert "beach" in text and "beach" in caption and text != caption
    towers, objective = open_towers(settings, tokens).double(), Objective(settings, len(manifest.families)).double()
    towers.eval()
    learnt = add_batch_gradient(towers, objective, batch, open_world("cpu"), settings)
    assert 0 < learnt.terms["paraphrase"] < 2 * (1.5 + 2)


def test_a_domain_that_puts_nothing_in_other_words_says_so(model, tmp_path):
    anchors = [replace(each, image=None) for each in tiny.make_anchors(20)]
    rows = [Contrast(each.anchor_id, "geometry.caption", "negative", "text", "no").accept(0, ()) for each in anchors]
    url = tiny.publish(str(tmp_path / "data"), anchors, rows)
    with pytest.raises(TrainingError, match="the domain geometry puts no text in other words"):
        pack_dataset(url, str(tmp_path / "packed"), choose(model, families=[], positives=[], reworded=1))
