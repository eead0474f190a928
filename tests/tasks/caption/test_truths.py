"""What is true of a scene is never refuted: said in other words, in part, or less exactly; what is false is told.

Truths are made by rule from captions that are true, and written by hand for scenes that are drawn as they say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np
import pytest

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.caption.refuting import refutes
from counterfoil.tasks.caption.scenes.graph import Relation, Scene, Thing
from counterfoil.tasks.caption.scenes.language.read import ReadingError, read_caption
from counterfoil.tasks.caption.scenes.picture import draw_scene
from tests.tasks.caption.scenery import is_stated, make_example

Rule = tuple[str, str]
SAME: tuple[Rule, ...] = (
    (r"\b(big|large|huge)\b", "large"),
    (r"\b(small|little|tiny)\b", "little"),
    (r"\b(happy|cheerful)\b", "cheerful"),
    (r"\b(sad|unhappy)\b", "unhappy"),
    (r"\bon top of\b", "on"),
    (r"\b(inside|in) (?=(a|an|the|two|three) )(?!a (meadow|city|desert|room))", "inside "),
    (r"\bunderneath\b", "under"),
    (r"\bquickly\b", "fast"),
    (r"\bin a meadow\b", "on a grassy field"),
    (r"\bon a beach\b", "at the beach"),
    (r"\bon a street\b", "in a city"),
    (r"\bon snowy ground\b", "on a snowy field"),
    (r"\bis (sitting|standing|running|walking|jumping|sleeping|waving)\b", r"\1s"),
    (r"^There (is|are) ", ""),
    (r"\.$", ""),
)
"""Other words for the same."""
WEAKER: tuple[Rule, ...] = (
    (r"\b(big|large|huge|small|little|tiny) ", ""),
    (r"\b(happy|cheerful|sad|unhappy|angry|surprised) ", ""),
    (r"\b(striped|spotted|checked) (?!clothes|hat)", ""),
    (r" (quickly|fast|slowly)\b", ""),
    (r"^[A-Z][^,]*, (?=(a|an|the|two|three|four|five|there)\b)", ""),
    (r",? (in a meadow|on a grassy field|on a beach|at the beach|on a street|in a city|in a desert|in a room)", ""),
    (r",? on an? \w+ (day|evening|night)\b", ""),
    (r",? at night\b", ""),
    (r", (and|that|who) .*$", ""),
    (r" (that|who) .*$", ""),
    (r"\bexactly ", ""),
    (r"(?<!xactly )\b(three|four|five) (\w+ )*?(?=\w+s\b)", "two "),
    (r"\bsleeping\b", "lying"),
    (r"\bwaving\b", "standing"),
    (r"\b(sitting|standing|lying|sleeping|running|walking|jumping|waving|flying) ", ""),
    (r" in [a-z ]+ clothes\b", ""),
)
"""Less of the same, or a part of it."""


def rewrite(caption: str, rules: tuple[Rule, ...]) -> Iterator[str]:
    """The caption by each rule that changes it, as far as a reader reads it."""
    for pattern, put in rules:
        text = re.sub(pattern, put, caption, count=1).strip()
        text = re.sub(r"\b([Aa])n?(?= (\w))", lambda m: m[1] + "n" * (m[2] in "aeiou"), text)
        text = text[:1].upper() + text[1:]
        try:
            read_caption(text)
        except ReadingError:
            continue
        if text != caption:
            yield text


def as_anchor(svg: str, caption: str) -> Anchor:
    return Anchor("a", "caption", "procedural", "1", "train", vector=svg, code_language="scene", caption=caption)


def ask(svg: str, text: str) -> bool | None:
    return refutes(text, as_anchor(svg, text), None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rules", "scenes"),
    [
        pytest.param(SAME, 15, id="paraphrases"),
        pytest.param(WEAKER, 23, id="weaker truths"),
        pytest.param(SAME, 45, id="more paraphrases", marks=pytest.mark.slow),
        pytest.param(WEAKER, 70, id="more weaker truths", marks=pytest.mark.slow),
    ],
)
def test_no_truth_made_by_rule_is_refuted(rules: tuple[Rule, ...], scenes: int) -> None:
    tried, refuted = 0, []
    for seed in range(scenes):
        example = make_example(seed)
        for caption in example.captions:
            for text in rewrite(caption, rules):
                tried += 1
                if ask(example.svg, text) is True:
                    refuted.append((seed, caption, text))
    assert tried >= (200 if scenes > 23 else 67)
    assert not refuted


def test_other_scenes_captions_are_told_where_they_are_false() -> None:
    told = tried = 0
    for seed in range(60):
        example, other = make_example(seed), make_example(seed + 100)
        for caption in other.captions:
            tried += 1
            told += ask(example.svg, caption) is True
            # What the graph itself says is never refuted.
            assert not (is_stated(read_caption(caption), example.scene) and ask(example.svg, caption))
    assert tried >= 200
    assert told >= 0.95 * tried


def draw(*things: Thing, relations: tuple[Relation, ...] = (), place: str = "meadow", **setting: str) -> str:
    scene = Scene(things, relations, place, setting.get("weather", "sunny"), setting.get("time", "day"))  # type: ignore[arg-type]
    return draw_scene(scene, np.random.SeedSequence(4))


DOG = Thing("dog", "brown", posture="standing")
BOX = Thing("box", "red")


def pair(a: Thing, name: str, b: Thing, **setting: str) -> str:
    return draw(a, b, relations=(Relation(0, name, 1),), **setting)  # type: ignore[arg-type]


SCENES: dict[str, Callable[[], str]] = {
    "dog left of box": lambda: pair(DOG, "left_of", BOX),
    "three rabbits left of box": lambda: pair(Thing("rabbit", "brown", count=3, posture="standing"), "left_of", BOX),
    "sleeping cat on sofa": lambda: pair(
        Thing("cat", "black", posture="sleeping"), "on", Thing("sofa", "blue"), place="room"
    ),
    "cup on table": lambda: pair(Thing("cup", "red"), "on", Thing("table", "brown"), place="room"),
    "hen left of tree": lambda: pair(Thing("hen", "white", posture="standing"), "left_of", Thing("tree", "green")),
    "girl waving left of snowman": lambda: pair(
        Thing("girl", "red", posture="waving"),
        "left_of",
        Thing("snowman", "blue"),
        place="snow",
        weather="clear",
        time="evening",
    ),
    "man left of mailbox": lambda: pair(Thing("man", "green", posture="standing"), "left_of", Thing("mailbox", "red")),
    "dog behind fence": lambda: pair(DOG, "behind", Thing("fence", "white")),
    "ball under table": lambda: pair(Thing("ball", "yellow"), "under", Thing("table", "green"), place="room"),
    "cat in box": lambda: pair(Thing("cat", "white", posture="sitting"), "in", BOX),
}

TRUTHS: dict[str, tuple[str, ...]] = {
    "dog left of box": (
        "A dog is to the left of a box.",
        "A box is to the right of a dog.",
        "There is a dog to the left of a box.",
        "There is a red box to the right of a dog",
        "A brown dog stands to the left of a red box.",
        "A dog standing to the left of a box",
        "On a grassy field, a dog is to the left of a box.",
        "A big dog is to the left of a box.",
        "A dog is to the left of a tiny box.",
        "A box lies to the right of a dog.",
        "A box sits to the right of a dog.",
        "A gift is to the right of a dog.",
        "A dog walks to the left of a box.",
        "A happy dog is to the left of a box.",
        "A dog is to the left of a box on a clear day.",
        "A dog is to the left of a box, and a box is to the right of a dog.",
    ),
    "three rabbits left of box": (
        "A rabbit is to the left of a box.",
        "Two rabbits are to the left of a box.",
        "Three rabbits are to the left of a box.",
        "A brown rabbit stands to the left of a box.",
        "There are two rabbits to the left of a box.",
        "A box is to the right of three rabbits.",
        "A box is to the right of a rabbit.",
        "A rabbit is to the left of a rabbit.",
        "A rabbit is to the left of two rabbits.",
    ),
    "sleeping cat on sofa": (
        "A cat is on a sofa.",
        "A black cat sleeps on a blue sofa.",
        "A cat is lying on a sofa.",
        "A cat lies on top of a sofa.",
        "A cat is in a sofa.",
        "A sofa is under a cat.",
        "A cat is above a sofa.",
        "In a room, a cat is sleeping on a sofa.",
    ),
    "cup on table": (
        "A cup is on a table.",
        "A cup sits on a table.",
        "A cup stands on top of a table.",
        "A red cup is standing on a brown table.",
        "A table has a cup on it.",
        "A bowl is on a table.",
        "A small cup is on a big table.",
    ),
    "hen left of tree": (
        "A hen is to the left of a tree.",
        "A bird is to the left of a tree.",
        "A hen sits to the left of a tree.",
        "A bird is sitting to the left of a green tree.",
        "A tree stands to the right of a white hen.",
        "A bush is to the right of a hen.",
    ),
    "girl waving left of snowman": (
        "A girl is to the left of a snowman.",
        "A girl stands to the left of a snowman.",
        "A girl is waving to the left of a snowman.",
        "A woman is to the left of a snowman.",
        "A snowman is to the right of a girl in red clothes.",
        "A girl is to the left of a snowman on a snowy evening.",
        "A girl is to the left of a snowman on a clear day.",
        "On a snowy field, a girl is to the left of a snowman.",
        "A snowman stands to the right of a girl.",
    ),
    "man left of mailbox": (
        "A man is to the left of a mailbox.",
        "A boy is to the left of a mailbox.",
        "A man is walking to the left of a mailbox.",
        "A man is to the left of a box.",
        "A mailbox stands to the right of a man in green clothes.",
    ),
    "dog behind fence": (
        "A dog is behind a fence.",
        "A fence is in front of a dog.",
        "A dog stands behind a white fence.",
        "A fence stands in front of a dog.",
        "A brown dog is walking behind a fence.",
    ),
    "ball under table": (
        "A ball is under a table.",
        "A ball lies underneath a table.",
        "A ball is below a table.",
        "A table is above a ball.",
        "A big ball is under a green table.",
    ),
    "cat in box": (
        "A cat is in a box.",
        "A cat sits inside a box.",
        "A white cat is sitting in a red box.",
        "A cat is inside a gift.",
    ),
}

LIES: dict[str, tuple[str, ...]] = {
    "dog left of box": (
        "A dog is to the right of a box.",
        "A box is to the left of a dog.",
        "A cat is to the left of a box.",
        "Two dogs are to the left of a box.",
        "A black dog is to the left of a box.",
        "A dog is to the left of a blue box.",
        "A dog is lying to the left of a box.",
        "A dog is on a box.",
        "A dog is to the left of a box on a rainy day.",
        "A dog is to the left of a box at night.",
        "In a room, a dog is to the left of a box.",
        "A dog is to the left of a dog.",
    ),
    "three rabbits left of box": (
        "Four rabbits are to the left of a box.",
        "Two boxes are to the right of three rabbits.",
    ),
    "sleeping cat on sofa": ("A cat is under a sofa.", "A cat runs on a sofa.", "A white cat is on a sofa."),
    "cup on table": ("A cup is under a table.", "A bottle is on a table.", "Two cups are on a table."),
    "dog behind fence": ("A fence is behind a dog.", "A dog lies behind a fence."),
    "cat in box": ("A cat is under a box.", "A dog is in a box."),
}


@pytest.mark.parametrize("name", SCENES)
def test_no_truth_written_by_hand_is_refuted_and_lies_are(name: str) -> None:
    svg = SCENES[name]()
    truths = {text: ask(svg, text) for text in TRUTHS[name]}
    assert [text for text, told in truths.items() if told is True] == []
    # The plain one is seen to be so.
    assert ask(svg, TRUTHS[name][0]) is False or name == "three rabbits left of box"
    assert [text for text in LIES.get(name, ()) if ask(svg, text) is not True] == []


def test_the_list_written_by_hand_is_long_enough() -> None:
    assert sum(map(len, TRUTHS.values())) >= 60
    for text in chain(*TRUTHS.values(), *LIES.values()):
        read_caption(text)
