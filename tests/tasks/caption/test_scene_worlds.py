"""Worlds of scenes: what two scenes differ in is told, captions of one seed differ in that alone, and no member is the
centre."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from counterfoil.tasks.caption.scenes.catalogue import NOUNS
from counterfoil.tasks.caption.scenes.changes import compare_scenes, find_stated
from counterfoil.tasks.caption.scenes.fitting import list_relations, put_relation
from counterfoil.tasks.caption.scenes.graph import Place, Relation, Scene, Thing
from counterfoil.tasks.caption.scenes.language.read import read_caption
from counterfoil.tasks.caption.scenes.language.write import write_caption
from counterfoil.tasks.caption.scenes.picture import draw_scene, paint
from counterfoil.tasks.caption.scenes.sample import sample_scene
from counterfoil.tasks.caption.scenes.sight.judge import Sight, judge, list_false
from counterfoil.tasks.caption.scenes.sight.regions import SIDE, Region
from counterfoil.tasks.caption.scenes.sight.relations import holds
from counterfoil.tasks.caption.scenes.sight.things import SeenThing
from counterfoil.tasks.caption.scenes.worlds import draw_members


def draw(things: tuple[Thing, ...], relations: tuple[Relation, ...], place: Place = "meadow") -> Sight:
    svg = draw_scene(Scene(things, relations, place, "sunny", "day"), np.random.SeedSequence(4))
    return Sight(svg, paint(svg))


def says(caption: str, sight: Sight) -> bool | None:
    return judge(read_caption(caption), sight).holds


DOG, CAT = Thing("dog", "brown", posture="running"), Thing("cat", "black", posture="running")
BOY, GIRL = Thing("boy", "red", posture="standing"), Thing("girl", "blue", posture="standing")


def test_who_chases_whom_is_seen() -> None:
    sight = draw((DOG, CAT), (Relation(0, "chasing", 1),))
    assert says("A dog chases a cat.", sight) is True
    assert says("A cat is chased by a dog.", sight) is True
    assert says("A cat is chasing a dog.", sight) is False
    assert says("A dog is chased by a cat.", sight) is False


def test_two_that_run_apart_or_stand_chase_nobody() -> None:
    standing = tuple(replace(each, posture="standing") for each in (DOG, CAT))
    assert says("A dog chases a cat.", draw(standing, (Relation(0, "left_of", 1),))) is not True
    wide = draw((DOG, Thing("house", "red"), CAT), (Relation(0, "left_of", 1), Relation(1, "left_of", 2)))
    assert says("A dog chases a cat.", wide) is not True


def test_who_holds_what_is_seen() -> None:
    things = (BOY, GIRL, Thing("ball", "yellow"))
    sight = draw(things, (Relation(0, "left_of", 1), Relation(1, "holding", 2)))
    assert says("A girl holds a yellow ball.", sight) is True
    assert says("A boy holds a yellow ball.", sight) is False


@pytest.mark.parametrize(("word", "truth"), [("behind", True), ("in front of", False)])
def test_what_is_behind_and_in_front_is_seen(word: str, truth: bool) -> None:
    sight = draw((Thing("car", "red"), Thing("tent", "blue")), (Relation(0, "behind", 1),))
    assert says(f"A red car is {word} a blue tent.", sight) is truth


@pytest.mark.parametrize(
    ("caption", "truth"),
    [
        ("A snail stands to the left of a ball.", True),
        ("A snail sits to the left of a ball.", None),
        ("A snail sleeps to the left of a ball.", False),
        ("A ball lies to the right of a snail.", None),
        ("A ball sleeps to the right of a snail.", None),
    ],
)
def test_of_a_thing_that_is_drawn_one_way_another_posture_is_false_where_nobody_would_say_it(
    caption: str, truth: bool | None
) -> None:
    """A snail that stands sits there, and a ball has no posture to be seen."""
    sight = draw((Thing("snail", "brown", posture="standing"), Thing("ball", "red")), (Relation(0, "left_of", 1),))
    assert says(caption, sight) is truth


def _see(noun: str, x0: int, y0: int, x1: int, y1: int) -> SeenThing:
    """A thing that fills this box."""
    mask = np.zeros((SIDE, SIDE), bool)
    mask[y0:y1, x0:x1] = True
    return SeenThing(NOUNS[noun], (Region(0, 0, noun, "translate(0 0) scale(1 1)", mask, mask),), {}, 1.0)


@pytest.mark.parametrize(("top", "low", "truth"), [(250, 300, True), (230, 300, True), (180, 240, False)])
def test_what_fills_the_room_under_a_table_is_under_it(top: int, low: int, truth: bool) -> None:
    """A ball that nearly reaches the table's top is no lower in the middle than the table is."""
    assert holds("under", _see("ball", 100, top, 160, low), _see("table", 50, 215, 230, 300)) is truth


def test_exactly_two_are_no_more() -> None:
    sight = draw((Thing("rabbit", "white", 3, posture="standing"), Thing("house", "red")), (Relation(0, "left_of", 1),))
    assert says("Two white rabbits are to the left of a house.", sight) is None
    assert says("Exactly two white rabbits are to the left of a house.", sight) is False
    assert says("Exactly three white rabbits are to the left of a house.", sight) is True


@pytest.mark.parametrize("seed", range(12))
def test_relations_that_can_take_each_other_s_place_do_so_both_ways(seed: int) -> None:
    scene = sample_scene(np.random.default_rng([7, seed]))
    for number in range(len(scene.relations)):
        others = list_relations(scene, number)
        for other in others:
            assert set(list_relations(put_relation(scene, number, other), number)) == set(others)


def test_captions_of_one_seed_differ_in_what_the_scenes_differ_in() -> None:
    things = (BOY, GIRL, Thing("ball", "yellow"))
    before = Scene(things, (Relation(0, "left_of", 1), Relation(1, "holding", 2)), "meadow", "sunny", "day")
    after = put_relation(before, 1, Relation(0, "holding", 2))
    assert [each.kind for each in compare_scenes(before, after)] == ["holder"]
    for seed in range(20):
        texts = [write_caption(scene, seed) for scene in (before, after)]
        told = [find_stated(read_caption(text), scene) for text, scene in zip(texts, (before, after), strict=True)]
        assert None not in told
        assert (texts[0] == texts[1]) == (("relation", 1) not in (told[0] or ()))
        recoloured = replace(before, things=(replace(BOY, colour="green"), *things[1:]))
        assert write_caption(recoloured, seed).replace("green", "red") == texts[0]


def test_no_member_of_a_world_lies_in_its_middle() -> None:
    nearest, sets = 0, 0
    for seed in range(30):
        scene = sample_scene(np.random.default_rng([8, seed]))
        caption = write_caption(scene, seed)
        members = draw_members(scene, caption, seed, 3, random.Random(seed), lambda _: True, lambda _: True)
        if len(members) < 3:
            continue
        world = [scene, *(each.scene for each in members)]
        away = {pair: len(compare_scenes(world[pair[0]], world[pair[1]])) for pair in combinations(range(4), 2)}
        sums = [sum(far for pair, far in away.items() if number in pair) for number in range(4)]
        sets += 1
        nearest += sums[0] == min(sums) and sums.count(min(sums)) == 1
    assert sets >= 25
    assert nearest <= 0.1 * sets


@pytest.mark.parametrize(
    ("caption", "kinds"),
    [
        ("A boy in red clothes is to the left of a girl in blue clothes.", set()),
        ("A boy in red clothes is to the right of a girl in blue clothes.", {"relation"}),
        ("A boy in blue clothes is to the left of a girl in red clothes.", {"holder"}),
        ("A boy in green clothes is to the left of a girl in blue clothes.", {"attribute"}),
        ("A boy holds a yellow ball.", {"holder"}),
        ("A man is to the left of a dog.", {"object"}),
        ("Two boys are to the right of a girl.", {"count", "relation"}),
    ],
)
def test_what_a_caption_changes_is_measured_on_the_picture(caption: str, kinds: set[str]) -> None:
    things = (BOY, GIRL, Thing("ball", "yellow"))
    sight = draw(things, (Relation(0, "left_of", 1), Relation(1, "holding", 2)))
    assert list_false(read_caption(caption), sight) == kinds
