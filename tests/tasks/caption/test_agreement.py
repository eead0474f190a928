"""Nouns agree in number with what goes with them, before and after an exchange; what does not agree is no edit."""

from __future__ import annotations

from typing import Any

import pytest

from counterfoil.storage.rows import Anchor, Contrast, Edit
from counterfoil.tasks.caption.families.exchange import verify_exchange
from counterfoil.tasks.caption.families.swap import verify_swap
from counterfoil.tasks.caption.families.wording import check_sentence, read_sentence
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.words.agreement import find_disagreement
from counterfoil.tasks.caption.words.forms import pluralise, singularise
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.caption.words.parse import parse
from counterfoil.tasks.caption.words.replace import inflect
from counterfoil.tasks.caption.words.units import find_units
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.verdict import CheckError, Checks
from tests.needing import skip_without

skip_without("spacy", reason="captions are parsed by an extra: pip install 'counterfoil[text]'")

DISAGREE = (
    "Two cat lie on a bed.",
    "Three horse stand in a field.",
    "Two giraffe standing in the grass.",
    "Several dog run on a beach.",
    "Many boat on a lake.",
    "These horse stand in a field.",
    "Four brown cow in a field.",
    "A dogs runs on a beach.",
    "A cats is on a bed.",
    "Each dogs has a ball.",
    "A scissors on a table.",
    "A man holds a scissors.",
)
AGREE = (
    "Two cats lie on a bed.",
    "Two sheep stand in a field.",
    "A sheep stands in a field.",
    "A few dogs run on a beach.",
    "A dozen donuts in a box.",
    "A couple of dogs on a beach.",
    "A two story building on a street.",
    "A bus on a street.",
    "A glass of wine on a table.",
    "A group of people stand on a beach.",
    "A pair of scissors on a table.",
    "Some luggage on a cart.",
    "A dog and a cat are on a bed.",
    "The men are on a boat.",
    "Three women ride horses.",
    "Two knives on a board.",
)


@pytest.mark.parametrize("text", DISAGREE)
def test_what_does_not_agree_is_found(text: str) -> None:
    sentence = next(parse([text]))
    found = [find_disagreement(sentence, (i, i), open_lexicon()) for i in range(len(sentence.tokens))]
    assert any(found)


@pytest.mark.parametrize("text", AGREE)
def test_what_agrees_is_left_in_peace(text: str) -> None:
    sentence = next(parse([text]))
    found = [find_disagreement(sentence, (i, i), open_lexicon()) for i in range(len(sentence.tokens))]
    assert not any(found), found


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("Two giraffe standing in the grass.", "zebra", "zebras"),
        ("Three horse in a field.", "cow", "cows"),
        ("A herd of zebra in a field.", "horse", "horses"),
        ("A giraffe stands in the grass.", "zebra", "zebra"),
        ("Two sheep stand in a field.", "cow", "cows"),
    ],
)
def test_a_noun_that_is_counted_becomes_a_plural_whatever_its_form(text: str, other: str, expected: str) -> None:
    sentence = next(parse([text]))
    unit = next(unit for unit in find_units(sentence, lambda _: False) if unit.part == "n")
    assert inflect(other, unit) == expected


def test_irregular_plurals_are_those_of_compounds_too() -> None:
    pairs = {"bookshelf": "bookshelves", "ottoman": "ottomans", "fireman": "firemen", "grandchild": "grandchildren"}
    assert {word: pluralise(word) for word in pairs} == pairs
    assert [singularise(plural) for plural in pairs.values()] == list(pairs)


@pytest.mark.parametrize(
    ("caption", "text", "words"),
    [
        ("Two giraffe stand in the grass.", "Two zebra stand in the grass.", ("giraffe", "zebra")),
        ("Two dogs run on a beach.", "Two cat run on a beach.", ("dogs", "cat")),
        ("Three horses stand in a field.", "Three cow stand in a field.", ("horses", "cow")),
        ("A dog runs on a beach.", "A cats runs on a beach.", ("dog", "cats")),
        ("The dogs are on a beach.", "The cat are on a beach.", ("dogs", "cat")),
    ],
)
def test_an_exchange_that_does_not_agree_is_refused(caption: str, text: str, words: tuple[str, str]) -> None:
    anchor = Anchor("a", "caption", "pairs", "1", "train", caption=caption, captions=(caption,))
    row = Contrast("a", "caption.concrete", "negative", "text", text=text, edits=(Edit("replace_obj", *words),))
    context: Context[Any] = Context(CaptionSettings(source="pairs:x"), 7, None)  # type: ignore[arg-type]
    verdict = verify_exchange(row, anchor, context)
    assert verdict.reasons
    assert verdict.reasons[0].partition(":")[0] in (
        "unit_replaced",  # what does not agree in the anchor is no word that can be exchanged
        "number_agrees",
        "part_of_speech_kept",
        "parse_kept",
        "one_sentence",
    )


CONTEXT: Context[Any] = Context(CaptionSettings(source="pairs:x"), 7, None)  # type: ignore[arg-type]


def make(caption: str, text: str, edit: Edit) -> tuple[Contrast, Anchor]:
    anchor = Anchor("a", "caption", "pairs", "1", "train", caption=caption, captions=(caption,))
    return Contrast("a", "caption.swap", "negative", "text", text=text, edits=(edit,)), anchor


def test_an_exchange_that_agrees_is_accepted() -> None:
    row = make("A dog runs on a beach.", "A cat runs on a beach.", Edit("replace_obj", "dog", "cat"))
    assert verify_exchange(*row, CONTEXT).reasons == ()


def test_two_words_change_places_in_a_sentence_that_is_as_sound() -> None:
    caption, words = "A man stands in front of a bus.", Edit("swap_obj", "man", "bus")
    verdict = verify_swap(*make(caption, "A bus stands in front of a man.", words), CONTEXT)
    assert verdict.passed
    assert {"parse_kept", "part_of_speech_kept", "one_sentence", "countable", "number_agrees"} <= {*verdict.checks}
    (reason,) = verify_swap(*make(caption, "A bus stands in front of a woman.", words), CONTEXT).reasons
    assert reason.startswith("only_named_words_changed: ")


def test_what_a_caption_denies_is_not_exchanged_in_it() -> None:
    """No bus stands in front of a man in most pictures."""
    words = Edit("swap_obj", "man", "bus")
    row = make("No man stands in front of a bus.", "No bus stands in front of a man.", words)
    (reason,) = verify_swap(*row, CONTEXT).reasons
    assert reason.startswith("denies_nothing: with 'no' in it")
    row = make("No dog runs on a beach.", "No cat runs on a beach.", Edit("replace_obj", "dog", "cat"))
    (reason,) = verify_exchange(*row, CONTEXT).reasons
    assert reason.startswith("denies_nothing: with 'no' in it")


@pytest.mark.parametrize(("word", "kept"), [("brown", True), ("wooden", True), ("orange", True), ("kitchen", False)])
def test_no_noun_stands_for_an_adjective_but_where_both_may_be_adjectives(word: str, kept: bool) -> None:
    article = "An" if word[0] in "aeiou" else "A"
    before, after = (
        read_sentence(f"{each} cup is on a table.", CONTEXT.settings) for each in ("A red", f"{article} {word}")
    )
    try:
        check_sentence(Checks(), before, after, [(1, 1)], [(1, 1)], open_lexicon(None))
    except CheckError as error:
        assert not kept and str(error).startswith("part_of_speech_kept")
    else:
        assert kept
