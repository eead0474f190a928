"""Captions state every fact and mark, in symbols, and read back to exactly what they state."""

from __future__ import annotations

from dataclasses import replace

import pytest

from storage.rows import Fact
from tasks.contract.context import generator
from tasks.geometry.captions.read import parse_claims
from tasks.geometry.captions.write import select_claims, write_caption, write_captions
from tasks.geometry.figure.claims import find_unshown, list_meanings
from tasks.geometry.figure.scene import Scene
from tests.tasks.geometry.figures import SCENES, bare_isosceles, circle_with_tangent, fact, right_triangle


@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("seed", range(12))
def test_caption_reads_back_to_what_it_states(make, seed) -> None:
    facts = make().to_facts()
    stated = {claim for statement in select_claims(facts) for claim in statement}
    assert list_meanings(parse_claims(write_caption(facts, generator(seed)))) == list_meanings(stated)


@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
def test_figure_shows_every_claim_of_its_caption(make) -> None:
    scene = make()
    claims = parse_claims(write_caption(scene.to_facts(), generator(1)))
    assert find_unshown(claims, scene) == ()


@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
def test_caption_covers_facts_and_marks(make) -> None:
    scene = make()
    claims = list_meanings(parse_claims(write_caption(scene.to_facts(), generator(2))))
    broad = {"triangle", "collinear", "on_circle"}
    for known in scene.facts:
        if known.predicate not in broad:
            assert list_meanings([known]) <= claims, known


def test_captions_differ_in_words_and_agree_in_claims() -> None:
    facts = right_triangle().to_facts()
    captions = write_captions(facts, generator(3), count=4)
    assert len(set(captions)) == 4
    assert len({list_meanings(parse_claims(caption)) for caption in captions}) == 1


def test_same_seed_gives_same_caption() -> None:
    facts = circle_with_tangent().to_facts()
    assert write_caption(facts, generator("a", 5)) == write_caption(facts, generator("a", 5))


def test_numbers_that_the_picture_does_not_write_are_not_stated() -> None:
    scene = right_triangle()
    bare = replace(scene, marks=tuple(mark for mark in scene.marks if mark.predicate == "mark_right"))
    caption = write_caption(bare.to_facts(), generator(4))
    assert not any(character.isdigit() for character in caption)
    assert any(claim.predicate == "perpendicular" for claim in parse_claims(caption))


def test_a_mark_alone_is_stated() -> None:
    scene = replace(bare_isosceles(), marks=(fact("mark_length", "PQ", "6"),), facts=())
    claims = parse_claims(write_caption(scene.to_facts(), generator(5)))
    assert Fact("length", ("P", "Q"), "6") in claims


def test_caption_names_the_point_between_the_others() -> None:
    scene = Scene(
        {"A": (0.0, 0.0), "B": (4.0, 0.0), "D": (9.0, 0.0)},
        (("A", "D"),),
        facts=(fact("collinear", "ADB"),),
    )
    (claim,) = parse_claims(write_caption(scene.to_facts(), generator(6)))
    assert claim.arguments[1] == "B"


def test_symbols_stand_for_words() -> None:
    caption = " ".join(write_caption(make().to_facts(), generator(7)) for make in SCENES)
    assert r"\triangle" in caption and r"\odot O" in caption and r"\angle" in caption
    for word in (" triangle ABC", " angle ABC", "figure", "diagram", "black", "dotted", "picture"):
        assert word not in caption


def test_circle_points_are_listed_together() -> None:
    scene = replace(
        circle_with_tangent(), facts=(fact("on_circle", "AO"), fact("on_circle", "BO"), fact("on_circle", "CO"))
    )
    statements = select_claims(scene.to_facts())
    assert any(len(statement) == 3 for statement in statements)
