"""The 5-gram model of words: what it finds likelier, and that it does not know by heart what is left out."""

from __future__ import annotations

import math

import pytest

from benchmarks.ngrams import Ngrams

TEXTS = ["a cat sits on a mat", "a dog sits on a mat", "a cat sleeps on a bed", "two dogs run on a beach"]


def test_what_the_corpus_says_is_likelier_than_the_same_words_in_another_order() -> None:
    model = Ngrams(TEXTS)
    assert (
        model.measure("a dog sits on a mat")
        > model.measure("a mat sits on a dog")
        > model.measure("zebra of of of on a")
    )


def test_what_is_left_out_was_never_said() -> None:
    text = "a cat sits on a mat"
    rest = Ngrams(TEXTS[1:])
    assert Ngrams(TEXTS).measure(text, [text]) == pytest.approx(rest.measure(text))
    assert Ngrams(TEXTS).measure(text) > Ngrams(TEXTS).measure(text, [text])


def test_of_the_words_that_may_follow_the_shares_are_no_more_than_one() -> None:
    model = Ngrams(["a a b", "a b"])
    first = [math.exp(model.measure(word) - model.measure("")) for word in ("", "a", "b")]
    assert all(each > 0 for each in first)
    assert sum(math.exp(model.measure(text)) for text in ("", "a", "b", "a b", "b a", "a a", "b b", "a a b")) <= 1
