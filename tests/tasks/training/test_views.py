"""Views of one statement: positives of each other, with the near misses that were made of each."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from counterfoil.storage.rows import Contrast, View
from counterfoil.tasks.training.data import BatchMaker
from counterfoil.tasks.training.distributed import open_world
from counterfoil.tasks.training.loop import train
from counterfoil.tasks.training.losses.mathleap import mathleap_loss
from counterfoil.tasks.training.objectives import Objective
from counterfoil.tasks.training.packing.manifest import read_manifest
from counterfoil.tasks.training.packing.pack import open_tokens, pack_dataset
from counterfoil.tasks.training.scoring import find_directions
from counterfoil.tasks.training.step import add_batch_gradient
from counterfoil.tasks.training.towers import open_towers
from tests.tasks.encoders.tiny import save_sentences
from tests.tasks.training import tiny

DIRECTIONS = {f"{one} to {other}" for one in ("informal", "lean_signature", "lean_type")
              for other in ("informal", "lean_signature", "lean_type") if one != other}  # fmt: skip


def lean(number: int, sign: str = "=") -> tuple[str, str]:
    return f"theorem t{number} (n : ℕ) : n + {number} {sign} {number} + n", f"∀ n : ℕ, n + {number} {sign} {number} + n"


def make_statements(count: int) -> tuple[list, list]:
    """Statements in words and in Lean; a rephrasing, a near miss in words and one in Lean of some."""
    anchors, rows = [], []
    for i, each in enumerate(tiny.make_anchors(count)):
        signature, lean_type = lean(i)
        views = (View("informal", each.caption), View("lean_signature", signature), View("lean_type", lean_type))
        if i % 8 == 7:  # words alone are missing
            views = views[1:]
        anchor = replace(each, domain="theorem", image=None, caption=views[0].text, views=views)
        anchors.append(anchor)
        texts = {
            "theorem.rephrase": (f"number {i} stands by it", "positive"),
            "theorem.negative": (each.caption.replace("a ", "no ", 1), "negative"),
            "theorem.formal": (lean(i, "≠")[0], "negative"),
        }
        if i % 8 == 7:
            del texts["theorem.rephrase"], texts["theorem.negative"]
        if i % 8 == 6:
            texts = {}  # views alone
        for family, (text, role) in texts.items():
            rows.append(Contrast(anchor.anchor_id, family, role, "text", text).accept(0, ("said",)))
    return anchors, rows


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    return save_sentences(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def packed(model, tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("views")
    url = tiny.publish(str(folder / "data"), *make_statements(64))
    pack_dataset(url, str(folder / "packed"), choose(model))
    return str(folder / "packed")


def choose(model: str, **given):
    own = {
        "model": model,
        "towers": "texts",
        "families": ["theorem.negative", "theorem.formal"],
        "positives": ["theorem.rephrase"],
        "objective": "mathleap",
        "max_tokens": 64,
        "steps": 4,
        "batch_size": 16,
        "holdout": 0.2,
    }
    return tiny.choose(**(own | given))


def open_batch(packed: str, model: str, **given):
    manifest, settings = read_manifest(packed), choose(model, **given)
    tokens = open_tokens(manifest, packed, settings)
    maker = BatchMaker(packed, manifest, settings, tokens)
    return manifest, settings, tokens, maker.make(0, 0)


def test_a_batch_holds_each_statement_in_all_its_views(packed, model):
    manifest, _, _, batch = open_batch(packed, model)
    assert set(manifest.views) == {"informal", "lean_signature", "lean_type"}
    assert manifest.count("train") + manifest.count("val") == 64  # also what has views alone
    layout = batch.layout
    kinds = [[manifest.kinds[kind] for kind in layout.positive_texts.kind[layout.positive_texts.owner == each].tolist()]
             for each in range(16)]  # fmt: skip
    captions = [manifest.kinds[each] for each in layout.views.tolist()]
    for caption, others in zip(captions, kinds, strict=True):
        lean_alone = caption == "lean_signature"
        assert set(others) - {"theorem.rephrase"} == ({"lean_type"} if lean_alone else {"lean_signature", "lean_type"})


def test_near_misses_are_of_the_view_that_they_were_made_of(packed, model):
    manifest, _, _, batch = open_batch(packed, model)
    layout = batch.layout
    for owner, kind, view in zip(
        layout.negative_texts.owner.tolist(), layout.negative_texts.kind.tolist(), layout.negative_texts.view.tolist(),
        strict=True,
    ):  # fmt: skip
        of_caption = manifest.kinds[layout.views[owner]]
        made_of = of_caption if view < 0 else manifest.kinds[view]
        assert made_of == {"theorem.negative": "informal", "theorem.formal": "lean_signature"}[manifest.families[kind]]


@pytest.mark.parametrize("learn_from", [None, ["theorem.rephrase"], []])
def test_the_loss_is_that_of_every_pair_of_views_with_siblings_masked(packed, model, learn_from):
    """Against a loop over pairs: columns are others' texts, and near misses of its own that the asking view has."""
    manifest, settings, tokens, batch = open_batch(packed, model, learn_from=learn_from)
    towers, objective = open_towers(settings, tokens).double(), Objective(settings, len(manifest.families)).double()
    towers.eval()
    learnt = add_batch_gradient(towers, objective, batch, open_world("cpu"), settings)
    features, layout = learnt.features, learnt.features.layout
    negative = layout.negative_texts
    assert len(negative) == 0 if learn_from is not None else len(negative) > 10
    views = [(owner, layout.views[owner].item(), features.texts[owner]) for owner in range(layout.anchors)]
    own = layout.positive_texts
    views += zip(own.owner.tolist(), own.kind.tolist(), features.positive_texts, strict=True)
    losses = []
    for i, (owner, kind, asking) in enumerate(views):
        wrong = [text for other, _, text in views if other != owner]
        for m in range(len(negative)):
            of = negative.view[m].item() if negative.view[m] >= 0 else layout.views[negative.owner[m]].item()
            if negative.owner[m] != owner or of == kind:
                wrong.append(features.negative_texts[m])
        for j, (other, _, right) in enumerate(views):
            if other == owner and i != j:
                logits = learnt.scale * torch.stack([right @ asking, *(text @ asking for text in wrong)])
                losses.append(torch.logsumexp(logits, 0) - logits[0])
    assert learnt.loss == pytest.approx(torch.stack(losses).mean().item(), rel=1e-7)


def test_a_lone_statement_without_near_misses_costs_nothing_and_has_a_finite_gradient():
    similarity = torch.rand(3, 3, dtype=torch.float64, requires_grad=True)
    same = torch.zeros(3, dtype=torch.int64)
    loss = mathleap_loss(similarity, same, same, 20.0, torch.tensor([[0, 1], [1, 2]]))
    loss.backward()
    assert loss.item() == 0
    assert torch.isfinite(similarity.grad).all()
    assert mathleap_loss(similarity, same, same, 20.0, torch.zeros(0, 2, dtype=torch.int64)).item() == 0


def test_six_directions_are_scored_on_what_was_held_out(packed, model, tmp_path):
    result = train(packed, choose(model), tmp_path)
    for score in (result.before, result.after):
        assert set(score["directions"]) >= DIRECTIONS
        assert all(0 <= share <= 1 and count > 0 for share, count in score["directions"].values())


def test_a_direction_is_the_share_of_anchors_whose_view_finds_their_other(packed, model):
    manifest, settings, tokens, batch = open_batch(packed, model)
    towers = open_towers(settings, tokens)
    learnt = add_batch_gradient(towers, Objective(settings, 3), batch, open_world("cpu"), settings)
    features, layout = learnt.features, learnt.features.layout
    kind = manifest.kinds.index("lean_type")
    own = layout.positive_texts.kind == kind
    words = (layout.views == manifest.kinds.index("informal")).nonzero()[:, 0].tolist()
    hits = []
    for each in words:
        scores = features.positive_texts[own] @ features.texts[each]
        mine = layout.positive_texts.owner[own] == each
        hits.append(bool(scores[mine].max() > scores[~mine].max()))
    share, count = find_directions(features, manifest.kinds)["informal to lean_type"]
    assert (share, count) == (pytest.approx(sum(hits) / len(hits)), len(words))
