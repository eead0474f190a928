"""What captions tell to be true of a photograph is never refuted: other words, less, a part, the other side."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.caption.refuting import refutes
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.words.forms import pluralise
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.contract.context import Context
from tests.needing import skip_without
from tests.shared import SHARED

skip_without("spacy", reason="captions are parsed by an extra: pip install 'counterfoil[text]'")

COCO = SHARED / "data" / "captions" / "coco.jsonl"
CONTEXT: Context[Any] = Context(CaptionSettings(source="pairs:x"), 7, None)  # type: ignore[arg-type]


def make_anchor(*captions: str) -> Anchor:
    return Anchor("a", "caption", "pairs", "1", "train", caption=captions[0], captions=captions)


TRUTHS: dict[str, tuple[str, ...]] = {
    "what is not there": (
        "No dog on a bed. | No dog on a couch.",
        "A dog not on a bed. | A dog not on a couch.",
        "A room without a bed. | A room without a couch.",
        "A dog is not on a bed. | A cat is not on a bed.",
        "There are no people on the beach. | There are no people on the street.",
        "A man without a red hat. | A man without a blue hat.",
        "A dog or a cat on a mat. | A horse or a cat on a mat.",
        "A dog instead of a cat on a bed. | A dog instead of a horse on a bed.",
    ),
    "synonyms": (
        "A cat sleeps on a couch. | A cat sleeps on a sofa.",
        "A man rides a bike down a street. | A man rides a bicycle down a street.",
        "A boat floats on a lake. | A ship floats on a lake.",
        "A plane stands on a runway. | A jet stands on a runway.",
        "A cow stands in a field. | A bull stands in a field.",
        "A cat sits on a bed. | A kitten sits on a bed.",
        "A sheep stands in a field. | A lamb stands in a field.",
        "A woman holds an umbrella. | A woman holds a parasol.",
        "A red hydrant stands on a street. | A red fireplug stands on a street.",
        "A plate of food on a table. | A dish of food on a table.",
        "A vase on a table. | A jar on a table.",
        "A large dog lies on a rug. | A big dog lies on a rug.",
        "A gray cat sits on a chair. | A grey cat sits on a chair.",
        "A man holds a phone. | A man holds a cellphone.",
        "A donut on a plate. | A doughnut on a plate.",
        "A train stands at a station. | A locomotive stands at a station.",
        "A truck parked on a street. | A van parked on a street.",
        "A tv in a living room. | A television in a living room.",
        "A kitchen with a stove. | A kitchen with an oven.",
        "A girl holds a teddy bear. | A girl grips a teddy bear.",
    ),
    "more general and narrower": (
        "A dog runs on a beach. | An animal runs on a beach.",
        "A dog runs on a beach. | A poodle runs on a beach.",
        "A man rides a horse. | A person rides a horse.",
        "A man rides a horse. | A man rides an animal.",
        "A rose in a vase. | A flower in a vase.",
        "A flower in a vase. | A rose in a vase.",
        "A bird sits on a branch. | A sparrow sits on a branch.",
        "A pizza on a table. | Food on a table.",
        "A car parked on a street. | A vehicle parked on a street.",
        "An apple on a plate. | A fruit on a plate.",
    ),
    "a part, fewer, plurals": (
        "Three dogs run on a beach. | Two dogs run on a beach.",
        "Five zebras stand in a field. | Three zebras stand in a field.",
        "Two cats lie on a bed. | A cat lies on a bed.",
        "A bathroom with a sink, a tub and a mirror. | A bathroom with a toilet, a tub and a mirror.",
        "A man with a hat and a coat. | A man with a shirt and a coat.",
        "Many brown bears sit on a shelf. | Many white bears sit on a shelf.",
        "A red traffic light on a pole. | A yellow traffic light on a pole.",
        "A dog on a beach. | A dog.",
        "A small dog on a beach. | A dog on a beach.",
        "A man and three women, he in a red shirt. | A man and three women, he in a blue shirt.",
        "A boy in a green hat near people. | A boy in a black hat near people.",
        "Two players on a field before a crowd. | Four players on a field before a crowd.",
        "Three men stand beside a group of people. | Five men stand beside a group of people.",
    ),
    "order, voice, the other side": (
        "A cat and a dog lie on a bed. | A dog and a cat lie on a bed.",
        "A man is beside a woman. | A woman is beside a man.",
        "A cat is next to a dog. | A dog is next to a cat.",
        "A dog under a table. | A table above a dog.",
        "A man rides a horse. | A horse is ridden by a man.",
        "A man eating on a table. | A man eating behind a table.",
        "A woman works on a desk. | A woman works behind a desk.",
        "A dog chases a cat. | A cat is chased by a dog.",
        "A bus in front of a bus. | A bus behind a bus.",
        "On a beach a dog runs. | A dog runs on a beach.",
        "There is a dog on a beach. | A dog is on a beach.",
        "A dog runs on a beach. | A dog is running on a beach.",
    ),
    "what is both": (
        "A giraffe in trees. | A giraffe behind trees.",
        "A bird stands on a rock. | A bird sits on a rock.",
        "A zebra stands in a field. | A zebra walks in a field.",
        "A man walks a dog. | A man leads a dog.",
        "A boy plays with a ball. | A man plays with a ball.",
        "A yellow cat on a bed. | An orange cat on a bed.",
        "A brown horse in a field. | A black horse in a field.",
        "A man near a fence. | A man by a fence.",
        "A large red bus. | A tall red bus.",
        "A vase sits on a table. | A vase stands on a table.",
        "A plant on a desk. | A plant on a table.",
        "A man on a motorcycle. | A man on a scooter.",
        "A group of people on skis. | A group of people on snowboards.",
        "A kite flies in the sky. | A parachute flies in the sky.",
        "A man holds a racket. | A man swings a racket.",
        "A child eats a cake. | A child eats a pastry.",
    ),
}


@pytest.mark.parametrize("kind", TRUTHS)
def test_no_truth_written_by_hand_is_refuted(kind: str) -> None:
    refuted = []
    for pair in TRUTHS[kind]:
        caption, text = pair.split(" | ")
        for said, asked in (
            ((caption, text), (text, caption)) if kind in ("synonyms", "what is both") else ((caption, text),)
        ):
            if refutes(asked, make_anchor(said), CONTEXT) is True:
                refuted.append((said, asked))
    assert not refuted


def test_the_list_written_by_hand_is_long_enough() -> None:
    assert sum(map(len, TRUTHS.values())) >= 60


def test_a_photograph_s_own_captions_are_true_and_proved_exchanges_false() -> None:
    anchor = make_anchor("A black dog runs on a beach.", "A dog at the sea.")
    assert refutes("a black dog runs on a beach .", anchor, CONTEXT) is False
    assert refutes("A black cat runs on a beach.", anchor, CONTEXT) is True
    assert refutes("A white dog runs on a beach.", anchor, CONTEXT) is True
    assert refutes("A train stands at a station.", anchor, CONTEXT) is None
    assert refutes("", anchor, CONTEXT) is None


def read_coco() -> list[list[str]]:
    if not COCO.exists():
        pytest.skip(f"{COCO} is not there: captions of COCO are read from it")
    rows = [json.loads(line)["captions"] for line in COCO.open(encoding="utf-8")]
    return [list(dict.fromkeys(caption.strip() for caption in row)) for row in rows]


def list_weaker(caption: str) -> Iterator[str]:
    """A noun by a more general one, or as a part of what is there."""
    lexicon = open_lexicon(None)
    words = caption.split()
    for i, word in enumerate(words):
        senses = lexicon.senses(word.lower(), "n")[:1]
        for up in (
            name for sense in senses for above in lexicon.synset(sense).up for name in lexicon.synset(above).words
        ):
            yield " ".join([*words[:i], up.replace("_", " "), *words[i + 1 :]])
        for same in (name for sense in senses for name in lexicon.synset(sense).words if name.lower() != word.lower()):
            yield " ".join([*words[:i], same.replace("_", " "), *words[i + 1 :]])
        if word.lower() in ("two", "three", "four", "several", "many"):
            yield " ".join([*words[:i], "two", *words[i + 1 :]])
        if senses and not word.endswith("s") and i and words[i - 1].lower() == "a":
            yield " ".join([*words[: i - 1], "some", pluralise(word), *words[i + 1 :]])


@pytest.mark.parametrize("photographs", [37, pytest.param(110, marks=pytest.mark.slow)])
def test_other_captions_of_a_photograph_and_weaker_ones_are_not_refuted(photographs: int) -> None:
    refuted, others, weaker = [], 0, 0
    for captions in read_coco()[:photographs]:
        held, *own = captions[::-1]
        anchor = make_anchor(*own)
        others += len(captions)
        asked = [(held, anchor), *((text, make_anchor(held)) for text in own)]
        made = [(text, anchor) for text in list(list_weaker(own[0]))[:4]]
        weaker += len(made)
        refuted += [(text, of.caption) for text, of in (*asked, *made) if refutes(text, of, CONTEXT) is True]
    assert min(others, weaker) >= 200 * photographs / 110
    assert not refuted
