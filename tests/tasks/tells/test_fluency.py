"""A language model as a judge. The tiny one has random weights and knows no language, but any sum of log-likelihoods
sinks with the length of a text: it prefers what is shorter, whoever wrote it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.needing import skip_without

skip_without("torch", reason="pip install 'counterfoil[judge]'")
skip_without("transformers", reason="pip install 'counterfoil[judge]'")

from counterfoil.tasks.audit.tells.measure import audit_dataset
from counterfoil.tasks.audit.tells.stored import find_audits, keep_audits
from counterfoil.tasks.tells.gate import describe_gate, gate_family
from counterfoil.tasks.tells.settings import AuditSettings
from tests.tasks.sft.tiny import save_language
from tests.tasks.tells.rows import make_anchors, make_pictures, make_texts, store

FAMILY = "toy.text"


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    return save_language(tmp_path_factory.mktemp("language"))


def lengthen(rows, by: str):
    return [replace(row, text=f"{row.text}{by}") for row in rows]


def test_what_prefers_the_anchor_by_its_fluency_is_over_the_limit(tmp_path, model):
    anchors = make_anchors(40)
    dataset = store(tmp_path, anchors, lengthen(make_texts(anchors, count=4), " And so it stays, they say."))
    (found,) = audit_dataset(dataset.store.url, workers=1, language_model=model)
    total = {each.judge: each.figures for each in found.fluent}["language model"]
    assert total.pairwise.value > 0.95 and total.pairwise.low > 0.9
    assert total.chance == 0.25  # three of the four contrasts are read
    assert {each.judge for each in found.fluent} == {"language model", "language model, per token"}
    assert replace(found, judges=(), halves=(), sets=()).exceeds(0.55)
    keep_audits(dataset, [found])
    assert find_audits(dataset, dataset.snapshot())[0].fluent[0].judge == found.fluent[0].judge
    gated = gate_family(dataset.snapshot(), FAMILY, 40, "rows", model)
    over = describe_gate([gated], AuditSettings())["families"][FAMILY]["over"]
    assert any(each.startswith("a language model finds the anchor's text likelier") for each in over)


def read_total(dataset, model):
    """The audit, and how often the model finds the anchor's text likelier in all."""
    (found,) = audit_dataset(dataset.store.url, workers=1, language_model=model)
    return found, {each.judge: each.figures for each in found.fluent}["language model"].pairwise


def test_fair_texts_are_preferred_by_chance(tmp_path, model):
    anchors = make_anchors(60)
    _, share = read_total(store(tmp_path, anchors, make_texts(anchors)), model)
    assert share.low < 0.5 < share.high


def test_what_prefers_the_contrasts_is_an_inversion(tmp_path, model):
    anchors = make_anchors(40)
    longer = [f"{each.caption} And so it stays, they say." for each in anchors]
    anchors = [replace(each, caption=text, captions=(text,)) for each, text in zip(anchors, longer, strict=True)]
    dataset = store(tmp_path, anchors, make_texts(make_anchors(40)))
    found, share = read_total(dataset, model)
    assert share.high < 0.1 and "language model" in found.list_inverted()
    assert "language model" in gate_family(dataset.snapshot(), FAMILY, 40, "x", model).list_inverted()


def test_pictures_are_not_read_and_without_a_model_nobody_reads(tmp_path, model, monkeypatch):
    monkeypatch.setattr("counterfoil.tasks.tells.pixels._STEPS", 3)
    anchors = make_anchors(30)
    pictures = store(tmp_path / "pictures", anchors, make_pictures(anchors, count=1))
    assert audit_dataset(pictures.store.url, workers=1, language_model=model)[0].fluent == ()
    texts = store(tmp_path / "texts", anchors, make_texts(anchors))
    assert audit_dataset(texts.store.url, workers=1)[0].fluent == ()
