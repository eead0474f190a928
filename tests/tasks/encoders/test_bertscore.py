"""BERTScore of texts, by a tiny encoder with random weights."""

from __future__ import annotations

import pytest

from tests.needing import skip_without

skip_without("bert_score", reason="free texts need an extra: pip install 'counterfoil[sft]'")
skip_without("math_verify", reason="answers need an extra: pip install 'counterfoil[sft]'")

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from counterfoil.tasks.encoders import EncoderError
from counterfoil.tasks.encoders.bertscore import open_bertscore
from counterfoil.tasks.evaluation.answers.asking import Given, score_answers

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "apply", "more", "lemon", "juice", "salt", "yes"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory) -> str:
    folder = str(tmp_path_factory.mktemp("encoder"))
    raw = Tokenizer(models.WordPiece(vocab={word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    ends = [("[CLS]", 2), ("[SEP]", 3)]
    raw.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    names = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=raw, model_max_length=32, **names).save_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    transformers.BertModel(transformers.BertConfig(vocab_size=len(WORDS), **sizes)).save_pretrained(folder)
    return folder


def test_the_same_words_score_one_other_words_less_and_nothing_zero(encoder):
    compare = open_bertscore(encoder)
    right = ("apply more lemon juice", "lemon juice")
    same, wording, other, nothing = compare([right[0], "lemon juice", "salt", ""], [right] * 4)
    assert same == pytest.approx((1, 1, 1), abs=1e-5) and wording == pytest.approx((1, 1, 1), abs=1e-5)
    assert all(0 < value < 0.99 for value in other) and nothing == (0, 0, 0)


def test_tokens_of_the_last_layer_are_matched_with_their_nearest(encoder):
    tokenizer, model = (
        transformers.AutoTokenizer.from_pretrained(encoder),
        transformers.BertModel.from_pretrained(encoder),
    )
    said, meant = (embed(tokenizer, model.eval(), text) for text in ("apply more salt", "lemon juice"))
    cosines = said @ meant.T
    # The ends ([CLS], [SEP]) are not matched themselves, but may be another token's nearest.
    precision, recall = cosines[1:-1].max(1).values.mean().item(), cosines[:, 1:-1].max(0).values.mean().item()
    expected = (precision, recall, 2 * precision * recall / (precision + recall))
    assert open_bertscore(encoder)(["apply more salt"], [("lemon juice",)])[0] == pytest.approx(expected, abs=1e-5)


def embed(tokenizer, model, text: str) -> torch.Tensor:
    """Unit vectors of a text's tokens, its ends among them."""
    with torch.inference_mode():
        hidden = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
    return torch.nn.functional.normalize(hidden, dim=-1)


def test_the_means_of_a_part_stand_beside_its_accuracy(encoder):
    given = [
        Given("1", ("easy",), "blind", "lemon juice", True, True, ("lemon juice",)),
        Given("2", ("hard",), "blind", "", False, False, ("salt",)),
        Given("3", ("hard",), "blind", "5", True, True),
    ]
    bert = {score.part: score.bert for score in score_answers(given, open_bertscore(encoder))}
    assert bert["easy"] == pytest.approx((1, 1, 1), abs=1e-5)
    assert bert["hard"] == (0, 0, 0) and bert[""] == pytest.approx((0.5, 0.5, 0.5), abs=1e-5)


def test_an_encoder_that_cannot_be_loaded_is_named():
    with pytest.raises(EncoderError, match="'/nowhere/at/all' cannot be loaded"):
        open_bertscore("/nowhere/at/all")
