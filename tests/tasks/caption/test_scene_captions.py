"""Captions of scenes: what is written is true of the graph and reads back to it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.tasks.caption.scenes.catalogue import NOUNS
from counterfoil.tasks.caption.scenes.graph import Relation, Scene, SceneError, Thing, read_scene, write_scene
from counterfoil.tasks.caption.scenes.language.read import ReadingError, read_caption
from counterfoil.tasks.caption.scenes.language.wordings import PLURALS, article
from counterfoil.tasks.caption.scenes.language.write import write_caption, write_captions
from counterfoil.tasks.caption.scenes.sample import sample_scene
from tests.tasks.caption.scenery import is_stated

seeds = st.integers(0, 10_000)


@given(seeds)
@settings(max_examples=150)
def test_every_caption_reads_back_to_what_its_scene_holds(seed: int) -> None:
    scene = sample_scene(np.random.default_rng(seed))
    for caption in write_captions(scene, np.random.default_rng(seed), 5):
        assert is_stated(read_caption(caption), scene), caption


@given(seeds)
@settings(max_examples=60)
def test_a_scene_survives_its_json(seed: int) -> None:
    scene = sample_scene(np.random.default_rng(seed))
    assert read_scene(write_scene(scene)) == scene


def test_other_names_of_a_thing_read_as_the_thing() -> None:
    assert read_caption("A red mug is on a couch.") == read_caption("A red cup is on a sofa.")
    assert read_caption("Three bunnies are behind a house.") == read_caption("Three rabbits are behind a house.")
    for noun in NOUNS.values():
        assert not {*noun.also, *noun.also_plural} & {*NOUNS, *PLURALS}
        assert {article(word) for word in noun.also} <= {article(noun.name)}


def test_two_things_of_one_noun_have_one_name() -> None:
    hens = (Thing("hen", "black", posture="standing"), Thing("hen", "white", posture="standing"))
    scene = Scene(hens, (Relation(0, "left_of", 1),), "meadow", "sunny", "day")
    for seed in range(20):
        caption = write_caption(scene, seed)
        assert ("chicken" in caption) != (" hen" in caption), caption


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("not json", "not a scene"),
        ('{"things": [], "relations": [], "place": "moon", "weather": "sunny", "time": "day"}', "moon"),
        (
            '{"things": [{"noun": "dog", "colour": "red", "count": 9}], "relations": [], "place": "room", '
            '"weather": "sunny", "time": "day"}',
            "count of 9",
        ),
        (
            '{"things": [{"noun": "dog", "colour": "red"}], "relations": [{"subject": 0, "name": "on", "object": 3}], '
            '"place": "room", "weather": "sunny", "time": "day"}',
            "not there",
        ),
        (
            '{"things": [{"noun": "dog", "colour": "red", "count": true}], "relations": [], "place": "room", '
            '"weather": "sunny", "time": "day"}',
            "count of True",
        ),
        (
            '{"things": [{"noun": "dog", "colour": "red"}, {"noun": "cat", "colour": "red"}], "relations": '
            '[{"subject": false, "name": "on", "object": true}], "place": "room", "weather": "sunny", "time": "day"}',
            "not there",
        ),
    ],
)
def test_a_scene_that_cannot_be_says_why(text: str, part: str) -> None:
    with pytest.raises(SceneError, match=part):
        read_scene(text)


@pytest.mark.parametrize(
    "caption",
    [
        "An red dog is on a box.",
        "A orange cat is on a box.",
        "Two dog are on a box.",
        "A dogs is on a box.",
        "Two dogs is on a box.",
        "A dog is on box.",
        "A dog on.",
        "A dog sit on a box.",
        "A dog is on a box, and the cat is in a room.",
        "A zebra is on a box.",
        "A dog is on a box in a room in a meadow.",
        "A dog is on a box on an sunny day.",
        "A red girl is on a bench.",
        "A girl in a red clothes is on a bench.",
        "A dog has a hat on them.",
        "A dog is and holds a ball.",
        "a dog is on a box.",
        "A dog is on a box!",
        "A red dog and a cat.",
        "A blue red ball is on a box.",
    ],
)
def test_what_is_no_english_of_this_kind_is_refused(caption: str) -> None:
    with pytest.raises(ReadingError):
        read_caption(caption)


def test_a_reference_means_the_thing_that_fits() -> None:
    reading = read_caption("A red ball is to the left of a blue ball, and the blue ball is on a box.")
    assert [mention.colour for mention in reading.mentions] == ["red", "blue", None]
    assert (reading.relations[1].subject, reading.relations[1].object) == (1, 2)


def test_a_reference_to_two_things_is_refused() -> None:
    with pytest.raises(ReadingError, match="could be 2 things"):
        read_caption("A red ball is to the left of a blue ball, and the ball is on a box.")


def test_a_converse_preposition_turns_the_relation() -> None:
    reading = read_caption("A red house to the right of two brown dogs.")
    assert reading.mentions[0].noun == "house"
    assert (reading.relations[0].subject, reading.relations[0].name) == (1, "left_of")
