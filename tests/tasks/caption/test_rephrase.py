"""``caption.rephrase``: what says the same, what does not, and that nothing is lost, added or changes parts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from counterfoil.storage.rows import Anchor, Contrast, Edit
from counterfoil.tasks.caption.families.rephrase import NAME, sample_rephrase, verify_rephrase
from counterfoil.tasks.caption.rewording.claims import claim_alike, read_claims
from counterfoil.tasks.caption.rewording.phrases import find_unsound
from counterfoil.tasks.caption.rewording.rules import STRUCTURE, reword
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.caption.words.parse import parse
from counterfoil.tasks.contract.context import Context
from tests.tasks.caption.conftest import Made

CONTEXT = Context(CaptionSettings(), 7, None)  # type: ignore[arg-type]
MADE = {
    "A man riding a horse": {
        "there_is": "There is a man riding a horse",
        "clause": "A man is riding a horse",
        "relative": "A man who is riding a horse",
        "voice": "A horse is being ridden by a man",
    },
    "Two dogs sit on a bench.": {
        "aspect": "Two dogs are sitting on a bench.",
        "clause": "Two dogs sitting on a bench.",
    },
    "A cat sleeping on a table": {
        "turn": "A table with a cat sleeping on it",
        "front": "On a table, a cat is sleeping",
    },
    "A vase in front of a chair": {"mirror": "A chair behind a vase"},
    "A lamp to the left of a bed": {"mirror": "A bed to the right of a lamp"},
    "A kitchen with a sink and a stove.": {
        "have": "A kitchen that has a sink and a stove.",
        "order": "A kitchen with a stove and a sink.",
    },
    "A kite being flown by two children": {"voice": "Two children are flying a kite"},
    "An orange and blue train": {"order": "A blue and orange train"},
    "A woman on a big couch next to a dog": {"synonym": "A woman on a large couch next to a dog"},
}
SAME = [(caption, text) for caption, made in MADE.items() for text in made.values()]
OTHER = [
    ("A man chasing a dog", "A dog chasing a man"),
    ("A man chasing a dog", "A man being chased by a dog"),
    ("A cat on a table", "A cat under a table"),
    ("A cat on a table", "A cat with a table on it"),
    ("A vase in front of a chair", "A chair in front of a vase"),
    ("A lamp to the left of a bed", "A bed to the left of a lamp"),
    ("A red ball and a blue box", "A blue ball and a red box"),
    ("Two dogs sit on a bench.", "Three dogs sit on a bench."),
    ("Two dogs sit on a bench.", "Dogs sit on a bench."),
    ("A man riding a horse", "A man riding a brown horse"),
    ("A man riding a horse", "A man riding his horse"),
    ("A man riding a horse", "A man rode a horse"),
    ("A man riding a horse", "A man is not riding a horse"),
    ("A man in a hat holding a cup", "A man holding a cup in a hat"),
    ("A dog and a cat", "A dog or a cat"),
    ("A sidewalk under construction", "A sidewalk beneath construction"),
]


def say(caption: str, text: str, kind: str = "clause", captions: tuple[str, ...] = ()) -> list[str]:
    """Why a rephrasing of the caption fails; empty where it passes."""
    anchor = Anchor("a", "caption", "pairs", "1", "train", caption=caption, captions=(caption, *captions))
    made = (each for sentence in parse([caption, *captions]) for each in reword(sentence, open_lexicon()))
    edit = next((each.edit for each in made if each.text == text), Edit(kind, "", ""))
    row = Contrast("a", NAME, "positive", "text", text=text, edits=(edit,))
    return [reason.split(":")[0] for reason in verify_rephrase(row, anchor, CONTEXT).reasons]


@pytest.mark.parametrize("caption", MADE)
def test_each_rule_makes_what_it_is_for_and_it_claims_the_same(caption: str) -> None:
    sentence = next(parse([caption]))
    made = {each.text: each.edit.kind for each in reword(sentence, open_lexicon())}
    for kind, text in MADE[caption].items():
        assert made.get(text) == kind
        assert say(caption, text) == []


def test_a_rule_that_was_not_used_is_refused() -> None:
    caption = "A man riding a horse"
    anchor = Anchor("a", "caption", "pairs", "1", "train", caption=caption, captions=(caption,))
    (made, *_) = reword(next(parse([caption])), open_lexicon())
    row = Contrast("a", NAME, "positive", "text", text=made.text, edits=(made.edit,))
    assert verify_rephrase(row, anchor, CONTEXT).passed
    forged = replace(row, edits=(replace(made.edit, target="a dog"),))
    assert verify_rephrase(forged, anchor, CONTEXT).reasons[0].startswith("edits_named:")


@pytest.mark.parametrize(("caption", "text"), OTHER)
def test_what_says_something_else_is_no_rephrasing(caption: str, text: str) -> None:
    assert say(caption, text) == ["same_claims"]


def test_rephrasings_of_one_caption_claim_the_same_as_each_other() -> None:
    texts = ["A man riding a horse", *MADE["A man riding a horse"].values(), "There is a horse being ridden by a man"]
    claims = [read_claims(sentence) for sentence in parse(texts)]
    assert all(claim_alike(claims[0], each) for each in claims)


def test_two_things_of_one_name_keep_what_is_theirs() -> None:
    texts = ["A brown dog is chasing a black dog", "A black dog being chased by a brown dog"]
    swapped = "A brown dog being chased by a black dog"
    one, turned, other = (read_claims(each) for each in parse([*texts, swapped]))
    assert claim_alike(one, turned)
    assert not claim_alike(one, other)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A man riding a horse.", "reworded"),
        ("a man riding the horse", "reworded"),
        ("A man are riding a horse", "sound"),
        ("An man is riding a horse", "sound"),
    ],
)
def test_the_same_words_and_what_does_not_agree_are_caught(text: str, reason: str) -> None:
    assert say("A man riding a horse", text) == [reason]


def test_a_rephrasing_of_another_caption_of_the_picture_is_one_of_the_picture() -> None:
    assert say("A horse outside.", "A horse is being ridden by a man", captions=("A man riding a horse",)) == []


@pytest.mark.parametrize(
    "caption", ["a old house near a lake", "THE DOG SITS ON A BENCH", "Two woman sitting on a bench"]
)
def test_what_is_wrong_in_a_caption_is_not_said_again(caption: str) -> None:
    sentence = next(parse([caption]))
    assert find_unsound(sentence, open_lexicon())
    assert not list(reword(sentence, open_lexicon()))


@pytest.mark.parametrize(
    ("caption", "text"),
    [
        ("A bus and a man walking on a street", "A man and a bus walking on a street"),
        ("A truck behind a railing with its hood open", "A truck behind a railing that has its hood open"),
        ("Living room with a couch and coffee table", "Living room with a coffee and couch table"),
        ("A rusted train engine in a sunny day", "A rusted train engine is in a sunny day"),
        ("A man riding his horse", "His horse is being ridden by a man"),
    ],
)
def test_no_rule_makes_what_a_reader_takes_otherwise(caption: str, text: str) -> None:
    assert text not in [each.text for each in reword(next(parse([caption])), open_lexicon())]


def test_rows_of_photographs_are_accepted_by_turns_of_the_captions(tmp_path: Path) -> None:
    source = tmp_path / "pairs.jsonl"
    source.write_text(
        '{"captions": ["A man riding a horse on a beach.", "There are two dogs next to a bench.", "Xyz."]}\n'
    )
    made = Made({"source": f"pairs:{source}", "rephrasings": 4})
    rows, _ = made.make(NAME, made.context)
    assert [len(rows), {row.role for row in rows}] == [4, {"positive"}]
    assert sum("dog" in (row.text or "") for row in rows[:2]) == sum("dog" in (row.text or "") for row in rows[2:]) == 1
    assert sum(row.edits[0].kind in STRUCTURE for row in rows) >= 2
    anchor = made.anchors[rows[0].anchor_id]
    for row in rows:
        assert verify_rephrase(row, anchor, made.context).passed
        lost = replace(row, text=(row.text or "").replace("dogs", "cats").replace("horse", "cow"))
        assert not verify_rephrase(lost, anchor, made.context).passed


def test_rephrasings_of_scenes_are_seen_to_be_true_and_state_the_same() -> None:
    made = Made({"source": "procedural:6"})
    rows, _ = made.make(NAME, made.context)
    assert len(rows) == 5 * len(made.anchors)
    for row in rows:
        anchor = made.anchors[row.anchor_id]
        assert verify_rephrase(row, anchor, made.context).passed
    # What is true of a scene and states less, or more, is no rephrasing.
    anchor = next(iter(made.anchors.values()))
    other = replace(rows[0], text=anchor.captions[1] if rows[0].text != anchor.captions[1] else anchor.captions[2])
    less = replace(anchor, captions=(anchor.captions[0],))
    assert not verify_rephrase(other, less, made.context).passed


def test_training_draws_others_from_its_own_generator() -> None:
    captions = ("A man riding a horse on a beach.", "A cat sleeping on a table next to a lamp.")
    anchor = Anchor("a", "caption", "pairs", "1", "train", caption=captions[0], captions=captions)
    drawn = [
        [each.text for each in sample_rephrase(anchor, np.random.default_rng(seed), 2, CONTEXT)] for seed in range(8)
    ]
    assert all(len(each) == 2 for each in drawn)
    assert len({tuple(each) for each in drawn}) > 3
    assert drawn[0] == [each.text for each in sample_rephrase(anchor, np.random.default_rng(0), 2, CONTEXT)]
