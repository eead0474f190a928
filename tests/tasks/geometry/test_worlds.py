"""Sets of edited captions of which the anchor is one as good as any, and what they change."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from counterfoil.storage.rows import Fact
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.captions.read import parse_caption, parse_claims
from counterfoil.tasks.geometry.captions.write import write_captions
from counterfoil.tasks.geometry.changes import compare_claims, compare_figures
from counterfoil.tasks.geometry.edits.negatives import propose_negatives, propose_world
from counterfoil.tasks.geometry.edits.redraw import relabel_scene
from counterfoil.tasks.geometry.edits.search import Found, Search, take_turns
from counterfoil.tasks.geometry.edits.texts import MOST_EDITS, propose_text_world
from counterfoil.tasks.geometry.figure.claims import (
    find_broken,
    find_overdrawn,
    find_unshown,
    judge_claim,
    list_meanings,
)
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.tells.compare import CONTRAST, Shown, compare
from counterfoil.tasks.tells.sets import choose_sets, judge_sets
from counterfoil.tasks.tells.wording import measure_text
from tests.tasks.geometry.figures import SCENES, altitude, bare_isosceles, parallelogram
from tests.tasks.geometry.test_analytic import SCENE

MANY = [make for make in SCENES if make is not bare_isosceles]


def open_searches(make, seed=0):
    scene, rng, found = make(), generator("world", make.__name__, seed), Found()
    captions = write_captions(scene.to_facts(), rng)
    return scene, captions, [Search(parse_caption(each), scene, rng, found=found) for each in captions]


@pytest.mark.parametrize("make", MANY, ids=lambda make: make.__name__)
def test_each_member_is_false_of_the_anchor_and_true_of_its_own_figure(make) -> None:
    scene, captions, searches = open_searches(make)
    members = list(islice(propose_world(searches, 16), 14))
    assert len({list_meanings(each.claims) for each in members}) == len(members) == 14
    for member in members:
        claims = parse_claims(member.text)
        assert list_meanings(claims) == list_meanings(member.claims)
        assert find_broken(claims, scene)
        assert not find_unshown(claims, member.scene)
        assert find_broken(parse_claims(captions[0]), member.scene)
        assert all(edit.replacement in member.text for edit in member.edits)
    assert max(len(each.edits) for each in members) > min(len(each.edits) for each in members)


@pytest.mark.parametrize("make", MANY, ids=lambda make: make.__name__)
def test_texts_alone_are_possible_and_of_few_edits(make) -> None:
    scene, _, searches = open_searches(make)
    for member in islice(propose_text_world(searches, 15, 11), 14):
        assert find_broken(parse_claims(member.text), scene)
        assert 1 <= len(member.edits) <= MOST_EDITS


def pick_middles(propose) -> float:
    """How often the caption that has the least mean distance to the others is the anchor's."""
    shown = []
    for make in MANY:
        for seed in range(4):
            _, captions, searches = open_searches(make, seed)
            name = f"{make.__name__} {seed}"
            shown.append(Shown(name, name, "caption", text=captions[0]))
            members = islice(propose(searches), 10)
            shown += [Shown(name, f"{name} {i}", CONTRAST, i, text=each.text) for i, each in enumerate(members)]
    comparison = compare(shown, {each.anchor_id: [each.anchor_id] for each in shown}, seed=1)
    sets = choose_sets(comparison)
    texts = [comparison.rows[place].text for place in sets.rows]
    scores = dict(judge_sets(sets, texts, np.stack([measure_text(text) for text in texts]), None))
    middle = scores["middle by words"]
    picked = []
    for owner in range(sets.items.anchors):
        own = np.flatnonzero(sets.items.owner == owner)
        best = own[middle[own] == middle[own].max()]
        picked.append(sets.items.own[best].mean())
    return float(np.mean(picked))


@pytest.mark.slow
def test_the_anchor_stands_in_the_middle_of_no_world() -> None:
    star = pick_middles(lambda searches: take_turns([propose_negatives(each) for each in searches]))
    world = pick_middles(lambda searches: propose_world(searches, 16))
    assert star > 0.4
    assert world < 0.25


def test_three_points_whose_sides_are_not_drawn_are_no_false_triangle() -> None:
    scene = altitude()
    opened = replace(scene, segments=tuple(pair for pair in scene.segments if {*pair} != {"A", "B"}))
    assert judge_claim(Fact("triangle", ("A", "B", "H")), scene) is True
    assert judge_claim(Fact("triangle", ("A", "B", "H")), opened) is None
    assert judge_claim(Fact("triangle", ("B", "H", "C")), scene) is not True
    assert judge_claim(Fact("triangle", ("A", "B", "B")), scene) is not True


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_a_point_beyond_an_end_is_not_between_whatever_the_size(size) -> None:
    for place, verdict in ((1.0, True), (2.02, None), (2.5, False), (-0.5, False)):
        scene = Scene({"A": (0, 0), "B": (2 * size, 0), "D": (place * size, 0)}, (("A", "B"),))
        assert judge_claim(Fact("collinear", ("A", "D", "B")), scene) is verdict


RIGHT = Scene({"A": (0, 0), "B": (4, 0), "C": (0, 3)}, (("A", "B"), ("B", "C"), ("C", "A")))


@pytest.mark.parametrize(
    ("marks", "false"),
    [
        (["mark_right BAC", "mark_length AB 4", "mark_ticks AB 1", "mark_ticks AC 2"], []),
        (["mark_right ABC", "mark_length AB 4"], ["mark_right ABC"]),
        (["mark_right BAC", "mark_length AB 9"], ["length AB 9"]),
        (["mark_ticks AB 1", "mark_ticks AC 1", "mark_parallel BC 1"], ["equal_length ABAC"]),
        (["mark_parallel AB 1", "mark_parallel AC 1", "mark_ticks BC 1"], ["parallel ABAC"]),
    ],
)
def test_marks_that_the_lines_belie_are_told(marks: list[str], false: list[str]) -> None:
    def read(text: str) -> Fact:
        name, letters, *value = text.split()
        return Fact(name, tuple(letters), value[0] if value else None)

    assert find_overdrawn(replace(RIGHT, marks=tuple(map(read, marks)))) == tuple(map(read, false))


def test_letters_alone_are_told_from_what_moves() -> None:
    scene, captions, _ = open_searches(parallelogram)
    known = parse_claims(captions[0])
    first, second = sorted(scene.points)[:2]
    turned = relabel_scene(scene, {first: second, second: first})
    assert compare_figures(scene, scene, known, known) == frozenset()
    assert "letter" in compare_figures(scene, turned, known, known)


def test_a_number_that_moves_the_figure_changes_more_than_reading() -> None:
    scene, _, searches = open_searches(altitude)
    known = searches[0].claims
    numbers = [
        compare_figures(scene, each.scene, known, each.claims)
        for each in islice(propose_world(searches, 16), 14)
        if {edit.kind for edit in each.edits} == {"number"}
    ]
    assert numbers
    assert all("number" in each for each in numbers)
    assert any(each & {"shape", "position", "relation"} for each in numbers)


@pytest.mark.parametrize(
    ("other", "changes"),
    [
        (r"\triangle ABC is isosceles. AB = 9.", {"number"}),
        (r"\triangle ABC is isosceles. AC = 8.", {"letter"}),
        (r"\triangle ABC is equilateral. AB = 8.", {"shape"}),
        (r"\triangle ABC is isosceles. AB = 8. AB \perp BC.", {"relation"}),
        (r"\triangle ABC is isosceles. AB = 8. D lies on AB.", {"incidence"}),
    ],
)
def test_texts_alone_change_what_they_say(other, changes) -> None:
    known = parse_claims(r"\triangle ABC is isosceles. AB = 8.")
    assert compare_claims(known, parse_claims(other)) == changes


def test_letters_and_a_number_are_told_before_what_lines_would_have_to_be() -> None:
    known = parse_claims("AB = 3. D lies on AC.")
    scene = Scene({"A": (0, 0), "B": (0, 3), "C": (4, 0), "D": (2, 0)}, (("A", "B"), ("A", "C")))
    scene = scene.with_facts(known, (Fact("mark_length", ("A", "B"), "3"),))
    turned = relabel_scene(scene, {"D": "B", "B": "D"})
    turned = turned.with_facts(turned.facts, (Fact("mark_length", ("A", "D"), "5"),))
    claims = parse_claims("AD = 5. B lies on AC.")
    assert compare_figures(scene, turned, known, claims) == {"letter", "number"}


LINE = Scene({"A": (0, 0), "B": (4, 0)}, (("A", "B"),))


@pytest.mark.parametrize(
    ("other", "changes"),
    [
        (replace(LINE, segments=()), {"stroke"}),
        (replace(LINE, points={**LINE.points, "C": (0, 3)}), {"count"}),
        (Scene({"A": (0, 0), "C": (4, 0)}, (("A", "C"),)), {"letter"}),
        (Scene({"A": (2, 1), "B": (6, 1)}, (("A", "B"),)), set()),
    ],
)
def test_figures_differ_by_lines_by_how_many_and_by_letters_and_not_by_where_they_lie(other, changes) -> None:
    assert compare_figures(LINE, other, (), ()) == compare_figures(other, LINE, (), ()) == changes


def test_a_shape_of_many_corners_is_one_that_a_figure_loses() -> None:
    corners = {
        name: (math.cos(at), math.sin(at)) for at, name in zip(np.arange(5) * math.tau / 5, "ABCDE", strict=True)
    }
    regular = Scene(corners, tuple(zip("ABCDE", "BCDEA", strict=True)))
    stated = [Fact("regular_polygon", tuple("ABCDE"))]
    assert compare_figures(regular, replace(regular, points={**corners, "A": (2, 0)}), stated, ()) == {"shape"}


def test_other_sides_with_ticks_change_a_mark_and_another_number_of_ticks_none() -> None:
    scene = parallelogram()
    one, two, three = (
        replace(scene, marks=tuple(Fact("mark_ticks", pair, count) for pair in scene.segments[at : at + 2]))
        for at, count in ((0, "1"), (0, "2"), (1, "1"))
    )
    assert compare_figures(one, two, (), ()) == set()
    assert compare_figures(one, three, (), ()) == {"mark"}


def test_a_point_with_other_coordinates_changes_a_number_and_one_in_another_quadrant_where_it_lies() -> None:
    moved, crossed = (replace(SCENE, points={**SCENE.points, "A": place}, facts=()) for place in ((-4, -2), (4, -3)))
    assert compare_figures(SCENE, moved, [Fact("at", ("A",), "(-4,-3)")], ()) == {"number", "position"}
    assert compare_figures(SCENE, crossed, [Fact("quadrant", ("A",), "third")], ()) == {"incidence"}
    assert compare_figures(SCENE, replace(SCENE, parabolas=()), (), ()) == {"stroke"}
