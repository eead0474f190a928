"""Captions state every fact and mark, in symbols, and read back to exactly what they state."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest

from counterfoil.storage.rows import Fact
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.captions.read import parse_caption, parse_claims
from counterfoil.tasks.geometry.captions.select import select_claims
from counterfoil.tasks.geometry.captions.spelling import spell_question
from counterfoil.tasks.geometry.captions.templates import CaptionStyle
from counterfoil.tasks.geometry.captions.wordings import find_kinship, list_wordings
from counterfoil.tasks.geometry.captions.write import write_caption, write_captions
from counterfoil.tasks.geometry.edits.search import Search
from counterfoil.tasks.geometry.edits.texts import propose_texts
from counterfoil.tasks.geometry.facts.predicates import SHAPES
from counterfoil.tasks.geometry.figure.claims import find_unshown, judge_claim, list_meanings
from counterfoil.tasks.geometry.figure.scene import Scene
from tests.tasks.geometry.figures import SCENES, bare_isosceles, circle_with_tangent, fact, right_triangle


@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("seed", range(12))
def test_caption_reads_back_to_what_it_states(make, seed) -> None:
    facts = make().to_facts()
    stated = {claim for clause in select_claims(facts, generator(seed)) for claim in clause}
    assert list_meanings(parse_claims(write_caption(facts, generator(seed)))) == list_meanings(stated)


@pytest.mark.parametrize("style", ["latex", "plain"])
@pytest.mark.parametrize(
    "claims",
    [
        (fact("segment", "AB"), fact("segment", "CD")),
        (fact("segment", "AB"), fact("segment", "CD"), fact("segment", "EF")),
        (fact("on_circle", "AO"), fact("on_circle", "BO")),
    ],
    ids=lambda claims: f"{len(claims)} {claims[0].predicate}",
)
def test_every_wording_of_several_facts_reads_back_to_them(claims, style: CaptionStyle) -> None:
    for wording in list_wordings(claims, style):
        text = f"{wording.write(claims, style)}."
        assert list_meanings(claims) <= list_meanings(parse_claims(text)), text


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
    assert [f for f in scene.facts if f.predicate not in broad and not list_meanings([f]) <= claims] == []


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
    assert list_meanings([Fact("length", ("P", "Q"), "6")]) <= list_meanings(claims)


def test_caption_names_the_point_between_the_others() -> None:
    scene = Scene(
        {"A": (0.0, 0.0), "B": (4.0, 0.0), "D": (9.0, 0.0)},
        (("A", "D"),),
        facts=(fact("collinear", "ADB"),),
    )
    (claim,) = parse_claims(write_caption(scene.to_facts(), generator(6)))
    assert claim.arguments[1] == "B"


def test_points_of_one_line_are_not_placed_respectively() -> None:
    assert find_kinship((fact("collinear", "ABC"), fact("collinear", "DEF")))
    assert find_kinship((fact("collinear", "ABC"), fact("collinear", "CDA"))) is None


def test_lines_meet_where_both_are_drawn() -> None:
    points = {"A": (0.0, 0.0), "B": (2.0, 0.0), "C": (3.0, 1.0), "D": (3.0, -1.0), "P": (3.0, 0.0)}
    short = Scene(points, (("A", "B"), ("C", "D")))
    meeting = fact("intersection", "PABCD")
    assert judge_claim(meeting, short) is None
    assert judge_claim(meeting, replace(short, segments=(("A", "P"), ("C", "D")))) is True
    assert judge_claim(fact("intersection", "PAPCD"), short) is True
    assert judge_claim(meeting, replace(short, lines=(("A", "B"),))) is True


def test_symbols_stand_for_words() -> None:
    caption = " ".join(write_caption(make().to_facts(), generator(7)) for make in SCENES)
    assert r"\triangle" in caption and r"\odot O" in caption and r"\angle" in caption
    for word in (" triangle ABC", " angle ABC", "figure", "diagram", "black", "dotted", "picture"):
        assert word not in caption


def test_circle_points_are_listed_together() -> None:
    scene = replace(
        circle_with_tangent(), facts=(fact("on_circle", "AO"), fact("on_circle", "BO"), fact("on_circle", "CO"))
    )
    clauses = select_claims(scene.to_facts(), generator(0))
    assert any(len(clause) == 3 for clause in clauses)


def divided_triangle() -> Scene:
    """ABC with D on BC and AD drawn: the whole is nowhere stated, its parts are."""
    return Scene(
        {"A": (2.0, 6.0), "B": (0.0, 0.0), "C": (9.0, 0.0), "D": (4.0, 0.0)},
        (("A", "B"), ("B", "C"), ("C", "A"), ("A", "D")),
        marks=(fact("mark_length", "AD", "6"),),
        facts=(fact("collinear", "BDC"), fact("triangle", "ABD"), fact("triangle", "ADC"), fact("length", "AD", "6")),
    )


@pytest.mark.parametrize("seed", range(8))
def test_the_whole_figure_comes_first_in_place_of_its_parts(seed: int) -> None:
    claims = parse_claims(write_caption(divided_triangle().to_facts(), generator(seed)))
    shapes = [claim for claim in claims if claim.predicate in SHAPES]
    assert [set(shape.arguments) for shape in shapes] == [set("ABC")]
    assert claims[0] == shapes[0]


def test_a_figure_in_a_circle_begins_with_the_circle() -> None:
    scene = Scene(
        {"A": (-5.0, 0.0), "B": (3.0, 4.0), "C": (3.0, -4.0), "O": (0.0, 0.0)},
        (("A", "B"), ("A", "C"), ("O", "B")),
        {"O": (0.0, 0.0, 5.0)},
        facts=tuple(fact("on_circle", f"{label}O") for label in "ABC"),
    )
    for seed in range(4):
        first = parse_claims(write_caption(scene.to_facts(), generator(seed)))[0]
        assert first.predicate == "on_circle"


def test_radii_and_chords_are_called_so() -> None:
    scene = Scene(
        {"A": (-5.0, 0.0), "B": (3.0, 4.0), "O": (0.0, 0.0)},
        (("A", "B"), ("O", "B")),
        {"O": (0.0, 0.0, 5.0)},
        facts=(fact("on_circle", "AO"), fact("on_circle", "BO")),
    )
    claims = list_meanings(parse_claims(write_caption(scene.to_facts(), generator(1))))
    assert claims >= list_meanings([fact("chord", "ABO"), fact("radial", "BOO")])


def test_a_triangle_whose_marks_show_it_is_called_right_and_one_that_is_none_never() -> None:
    def list_kinds(scene: Scene) -> set[str]:
        texts = [write_caption(scene.to_facts(), generator(seed)) for seed in range(40)]
        return {claim.predicate for text in texts for claim in parse_claims(text) if claim.predicate in SHAPES}

    scene = right_triangle()
    bare = replace(scene, facts=(fact("triangle", "ABC"), *scene.facts[1:]))
    assert list_kinds(bare) == {"triangle", "right_triangle"}
    assert not list_kinds(divided_triangle()) & {"right_triangle", "isosceles", "equilateral", "obtuse"}


@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
def test_plain_captions_have_no_command_and_say_the_same(make) -> None:
    facts = make().to_facts()
    for seed in range(4):
        plain = write_caption(facts, generator(seed), "plain")
        assert "\\" not in plain and "^" not in plain
        assert list_meanings(parse_claims(plain)) == list_meanings(parse_claims(write_caption(facts, generator(seed))))


def test_shapes_are_introduced_in_many_ways() -> None:
    facts = divided_triangle().to_facts()
    captions = [write_caption(facts, generator(seed)) for seed in range(200)]
    openings = Counter(
        re.sub(r"[A-Z]{2,}|(?<![a-z])[A-Z](?![a-z])", "@", caption.split(". ")[0]) for caption in captions
    )
    assert len(openings) >= 12
    assert max(openings.values()) < 40


@pytest.mark.slow
def test_names_are_turned_round_in_captions_as_often_as_in_edits() -> None:
    def measure(texts: list[str]) -> float:
        names = [name for text in texts for name in re.findall(r"(?<![A-Za-z])[A-Z]{2}(?![A-Za-z])", text)]
        return sum(name[0] > name[1] for name in names) / len(names)

    scenes = [make() for make in SCENES]
    captions = [write_caption(scene.to_facts(), generator(i, j)) for i, scene in enumerate(scenes) for j in range(12)]
    edited = [
        edit.replacement
        for i, scene in enumerate(scenes)
        for j in range(4)
        for negative in islice(
            propose_texts(Search(parse_caption(captions[12 * i + j]), scene, generator(i, j, "edit"))), 10
        )
        for edit in negative.edits
    ]
    assert measure(captions) == pytest.approx(0.5, abs=0.08)
    assert measure(edited) == pytest.approx(0.5, abs=0.08)


@pytest.mark.parametrize(
    ("text", "style", "spelt"),
    [
        ("TR=2*x-14, ∠TRS=4*y-10°. Find ∠STR.", "latex", r"TR=2x-14, \angle TRS=(4y-10)^\circ. Find \angle STR."),
        ("TR=2*x-14, ∠TRS=4*y-10°.", "plain", "TR=2x-14, angle TRS=(4y-10) degrees."),
        (r"AB \parallel CD, \angle ABC = 60^\circ.", "plain", "AB is parallel to CD, angle ABC = 60 degrees."),
        ("EF∥YQ, DN⊥ZN, ⌒KMN is 98 in ⊙X.", "latex", r"EF \parallel YQ, DN \perp ZN, arc KMN is 98 in \odot X."),
        ("AB=7*sqrt(2) in ▱ ABCD.", "plain", "AB=7√2 in parallelogram ABCD."),
        ("AB=7*sqrt(2) in ▱ABCD.", "latex", r"AB=7\sqrt{2} in parallelogram ABCD."),
    ],
)
def test_questions_are_spelt_as_captions_are(text: str, style: CaptionStyle, spelt: str) -> None:
    assert spell_question(text, style) == spelt


def rectangle_with_diagonals() -> Scene:
    """ABCD with its diagonals, which meet at O."""
    return Scene(
        {"A": (0.0, 0.0), "B": (6.0, 0.0), "C": (6.0, 4.0), "D": (0.0, 4.0), "O": (3.0, 2.0)},
        (("A", "B"), ("B", "C"), ("C", "D"), ("D", "A"), ("A", "C"), ("B", "D")),
        marks=(fact("mark_length", "AB", "6"), fact("mark_length", "BC", "4")),
        facts=(fact("rectangle", "ABCD"), fact("intersection", "OACBD")),
    )


def test_what_belongs_to_a_shape_is_said_of_it() -> None:
    facts = rectangle_with_diagonals().to_facts()
    captions = " ".join(write_caption(facts, generator(seed)) for seed in range(40))
    for words in ("whose diagonals", "its diagonals"):
        assert words in captions or words.capitalize() in captions, words


def test_captions_of_an_anchor_differ_in_plan() -> None:
    scene = rectangle_with_diagonals()
    marks = (*scene.marks, fact("mark_angle", "AOB", "112.6"), fact("mark_length", "AO", "3.6"))
    places = {**scene.points, "M": (3.0, 0.0), "N": (6.0, 2.0)}
    facts = (*scene.facts, fact("midpoint", "MAB"), fact("midpoint", "NBC"))
    busy = replace(scene, points=places, marks=marks, facts=facts)
    differing, together, one_by_one = 0, 0, 0
    for seed in range(24):
        captions = write_captions(busy.to_facts(), generator(seed), count=3)
        differing += len({tuple(claim.predicate for claim in parse_claims(text)) for text in captions}) == 3
        together += any("are the midpoints of" in text for text in captions)
        one_by_one += sum("respectively" in text or ";" in text for text in captions)
    assert differing >= 15 and together >= 12
    assert one_by_one <= 7


@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
def test_no_caption_says_what_a_name_says_already(make) -> None:
    for seed in range(6):
        assert not re.search("vertices|form ", write_caption(make().to_facts(), generator(seed)))


def test_a_shape_opens_only_what_lies_in_it() -> None:
    """C, D, G and F lie on one line that runs on beyond the triangle."""
    scene = Scene(
        {"A": (0.0, 4.0), "C": (-3.0, 0.0), "D": (0.0, 0.0), "F": (8.0, 0.0), "G": (5.0, 0.0)},
        (("C", "F"), ("A", "D"), ("A", "G")),
        facts=(fact("triangle", "GDA"), fact("collinear", "CDGF")),
    )
    for seed in range(30):
        assert not re.search(r"[Ii]n \\triangle \w+, C, D", write_caption(scene.to_facts(), generator(seed)))
