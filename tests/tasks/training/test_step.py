"""The gradient of a step: whole, in chunks, and in two processes, for every objective, in float64."""

from __future__ import annotations

import os
import socket
from dataclasses import replace

import pytest
import torch
import torch.multiprocessing as mp

from counterfoil.tasks.training.batch import list_contrasts, split_features
from counterfoil.tasks.training.data import BatchMaker
from counterfoil.tasks.training.distributed import add_gradients, close_world, open_world
from counterfoil.tasks.training.losses.c2lip import attend
from counterfoil.tasks.training.losses.clip import clip_loss
from counterfoil.tasks.training.objectives import Objective
from counterfoil.tasks.training.packing.manifest import read_manifest
from counterfoil.tasks.training.packing.pack import open_tokens
from counterfoil.tasks.training.settings import OBJECTIVES, TrainingSettings
from counterfoil.tasks.training.step import Learnt, add_batch_gradient
from counterfoil.tasks.training.towers import Towers, open_towers
from tests.tasks.training import tiny

OF_PICTURES = sorted(set(OBJECTIVES) - {"mathleap", "cs-texts"})
ALL_TERMS = {
    "clip": 1.0,
    "negclip": 0.5,
    "tripletclip": 0.5,
    "linked": 0.3,
    "cement": 0.3,
    "margin_negative": 0.2,
    "sc": 0.1,
    "imc": 0.1,
    "clic": 0.3,
    "units": 0.3,
    "phrases": 0.2,
    "paraphrase": 2.0,
}
"""One run of two processes answers for all kinds of terms."""
CHUNKS = [0, 3]


def choose(objective, **given) -> TrainingSettings:
    return tiny.choose(objective=objective, positives=["geometry.mirror"], **given)


def open_run(packed: str, settings: TrainingSettings) -> tuple[Towers, Objective, BatchMaker]:
    manifest = read_manifest(packed)
    tokens = open_tokens(manifest, packed, settings)
    towers = open_towers(settings, tokens).double()
    objective = Objective(settings, len(manifest.families)).double()
    objective.thresholds.fill_(0.3)
    objective.margins.fill_(0.05)
    return towers, objective, BatchMaker(packed, manifest, settings, tokens)


def learn(packed: str, settings: TrainingSettings) -> tuple[dict[str, torch.Tensor], Learnt]:
    """The gradient of one batch by one process."""
    towers, objective, maker = open_run(packed, settings)
    world = open_world("cpu")
    learnt = add_batch_gradient(towers, objective, maker.make(0, 0), world, settings)
    return {name: each.grad for name, each in towers.named_parameters()}, learnt


@pytest.mark.parametrize("objective", OF_PICTURES)
def test_cached_gradients_are_those_of_the_whole_batch(packed, objective):
    whole, learnt = learn(packed, choose(objective))
    chunked, again = learn(packed, choose(objective, chunk=3))
    assert again.loss == pytest.approx(learnt.loss, rel=1e-12)
    assert learnt.loss > 0
    for name, gradient in whole.items():
        assert torch.allclose(gradient, chunked[name], rtol=1e-9, atol=1e-12), name
    used = [name for name in whole if whole[name].abs().max() > 0]
    assert any("vision_model" in name for name in used)
    assert any("text_model" in name for name in used)


def test_cached_gradients_meet_the_same_dropout_twice(packed):
    given = {"lora_rank": 4, "lora_dropout": 0.5}
    settings = choose("negclip", chunk=3, **given)
    towers, objective, maker = open_run(packed, settings)
    towers.train()
    with torch.no_grad():
        for name, each in towers.named_parameters():
            if "lora_B" in name:
                each.fill_(0.05)
    batch, world = maker.make(0, 0), open_world("cpu")

    def run() -> float:
        torch.manual_seed(5)
        return add_batch_gradient(towers, objective, batch, world, settings).loss

    run()
    scale = next(each for name, each in towers.named_parameters() if name.endswith("q_proj.lora_A.default.weight"))
    step = scale.grad / scale.grad.norm() * 1e-5
    slope = float((scale.grad * step).sum())
    scale.data.add_(step)
    over = run()
    scale.data.sub_(2 * step)
    under = run()
    assert (over - under) / 2 == pytest.approx(slope, rel=1e-4)


def test_an_anchor_without_negatives_is_no_obstacle(packed):
    settings = choose({**ALL_TERMS, "mmclip": 1.0, "mmclip_sigmoid": 1.0, "mhnl": 1.0, "orth": 0.1, "cmr": 1.0})
    towers, objective, maker = open_run(packed, settings)
    plan = maker._plan(0, 0)[0]
    examples = [maker.draw(ref, 0) for ref in plan]
    examples[0] = replace(examples[0], negatives=(), positives=())
    examples[1] = replace(examples[1], negatives=examples[1].negatives[:1])
    learnt = add_batch_gradient(towers, objective, maker.collate(examples), open_world("cpu"), settings)
    assert torch.isfinite(torch.tensor(learnt.loss))
    wrong = [name for name, each in towers.named_parameters() if not torch.isfinite(each.grad).all()]
    assert wrong == []


def test_a_phrase_that_two_captions_have_is_no_negative(packed):
    """Their captions begin alike, so a picture's phrase is another's too; what is equal counts for nothing."""
    settings = choose({"sigmoid": 1.0, "phrases": 1.0})
    towers, objective, maker = open_run(packed, settings)
    batch = maker.make(0, 0)
    learnt = add_batch_gradient(towers, objective, batch, open_world("cpu"), settings)
    features, own = learnt.features, batch.layout.positive_texts
    assert len(batch.layout.negative_texts) == 0
    assert len(own.text.unique()) < len(own)
    with torch.no_grad():
        seen = towers.encode_patches(batch.pictures)
        whole = split_features(seen, features.texts, replace(batch.layout, positive_texts=list_contrasts([])))
        scores = attend(features.positive_texts, whole.patches)
        expected = 0.0
        for picture, row in enumerate(scores):
            has = {int(each) for each in own.text[own.owner == picture]}
            for text, score in enumerate(row):
                sign = -1 if own.owner[text] == picture else 0 if int(own.text[text]) in has else 1
                expected += abs(sign) * float(torch.nn.functional.softplus(sign * learnt.scale * score))
    assert learnt.terms["phrases"] == pytest.approx(expected / len(own), rel=1e-9)


def test_linked_pairs_are_a_batch_of_their_own_in_which_no_anchor_stands(packed):
    settings = choose({"clip": 1.0, "linked": 1.0})
    towers, objective, maker = open_run(packed, settings)
    examples = [maker.draw(ref, 0) for ref in maker._plan(0, 0)[0]]
    learnt = add_batch_gradient(towers, objective, maker.collate(examples), open_world("cpu"), settings)
    features, own = learnt.features, learnt.features.layout.negative_images.own_text
    assert (own >= 0).all()
    alone = clip_loss(features.negative_images @ features.negative_texts[own].T, learnt.scale)
    assert learnt.terms["linked"] == pytest.approx(alone.item(), rel=1e-12)
    bare = maker.collate([replace(each, negatives=()) for each in examples])
    assert add_batch_gradient(towers, objective, bare, open_world("cpu"), settings).terms["linked"] == 0


def test_thresholds_hold_for_the_next_batch(packed):
    settings = choose("ahnpl")
    towers, objective, maker = open_run(packed, settings)
    before = objective.margins.clone()
    learnt = add_batch_gradient(towers, objective, maker.make(0, 0), open_world("cpu"), settings)
    features, own = learnt.features, learnt.features.layout.negative_texts
    positive = (features.images * features.texts).sum(-1)
    lead = positive[own.owner] - (features.images[own.owner] * features.negative_texts).sum(-1)
    kind = maker.manifest.families.index("geometry.caption")
    assert objective.margins[kind].item() == pytest.approx(max(0.0, lead.mean().item()), rel=1e-12)
    other = [place for place in range(len(before)) if place != kind]
    assert torch.equal(objective.margins[other], before[other])


def _learn_among_two(rank: int, port: int, packed: str, chunks: list[int], to: str) -> None:
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    torch.set_num_threads(1)
    world = open_world("cpu")
    for chunk in chunks:
        settings = choose(ALL_TERMS, chunk=chunk)
        towers, objective, maker = open_run(packed, settings)
        examples = [maker.draw(ref, 0) for ref in maker._plan(0, 0)[0]]
        # Unlike numbers of rows, as ragged negatives give.
        part = examples[:5] if rank == 0 else examples[5:]
        learnt = add_batch_gradient(towers, objective, maker.collate(part), world, settings)
        add_gradients(towers.parameters(), world)
        if rank == 0:
            torch.save(({name: each.grad for name, each in towers.named_parameters()}, learnt.loss), f"{to}{chunk}.pt")
    close_world()


@pytest.fixture(scope="module")
def learnt_by_two(packed, tmp_path_factory) -> str:
    """Where the gradients lie that two processes have learnt, one for each size of chunk: they take long to start."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    to = str(tmp_path_factory.mktemp("two") / "gradient")
    mp.spawn(_learn_among_two, (port, packed, CHUNKS, to), nprocs=2)
    return to


@pytest.mark.slow
@pytest.mark.parametrize("chunk", CHUNKS)
def test_two_processes_have_the_gradient_of_one(packed, learnt_by_two, chunk):
    alone, learnt = learn(packed, choose(ALL_TERMS, chunk=chunk))
    gradients, loss = torch.load(f"{learnt_by_two}{chunk}.pt")
    assert loss == pytest.approx(learnt.loss, rel=1e-12)
    for name, gradient in alone.items():
        assert torch.allclose(gradient, gradients[name], rtol=1e-9, atol=1e-12), name
