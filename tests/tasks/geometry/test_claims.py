r"""The claim parser reads ordinary variants and refuses what it cannot account for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.storage.rows import Fact
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.captions.read import ClaimError, parse_caption, parse_claims
from counterfoil.tasks.geometry.captions.templates import CaptionStyle
from counterfoil.tasks.geometry.captions.wordings import list_wordings, word_claims
from counterfoil.tasks.geometry.facts.judge import find_problem
from counterfoil.tasks.geometry.facts.predicates import NUMERIC, PREDICATES
from counterfoil.tasks.geometry.figure.claims import list_meanings

READINGS = [
    ("AB = 8 cm", ["length AB 8"]),
    ("$AB=8$", ["length AB 8"]),
    (r"\(\overline{AB}\) = 7.5 units.", ["length AB 7.5"]),
    ("The length of segment AB is x + 21.", ["length AB x+21"]),
    (r"AB has length 5\sqrt{3}", [r"length AB 5\sqrt{3}"]),
    ("AB = 5√3", [r"length AB 5\sqrt{3}"]),
    ("∠ABC = 60°", ["angle ABC 60"]),
    (r"m\angle ABC = (4y-10)^{\circ}", ["angle ABC 4y-10"]),
    ("angle ABC measures 60 degrees", ["angle ABC 60"]),
    ("In △ABC, ∠A = 30°.", ["triangle ABC", "angle BAC 30"]),
    ("AB = CD = 8", ["length AB 8", "length CD 8"]),
    ("AB = CD = EF", ["equal_length ABCD", "equal_length CDEF"]),
    ("∠ABC = ∠DEF", ["equal_angle ABCDEF"]),
    ("AB is parallel to CD", ["parallel ABCD"]),
    ("AB ∥ CD ∥ EF", ["parallel ABCD", "parallel CDEF"]),
    ("AB and CD are perpendicular", ["perpendicular ABCD"]),
    ("AB ⊥ CD at E", ["perpendicular ABCD", "intersection EABCD"]),
    ("∠ABC is a right angle", ["perpendicular ABBC"]),
    ("Triangle ABC is right-angled at C", ["right_triangle ABC", "perpendicular ACCB"]),
    ("An isosceles right triangle ABC", ["isosceles ABC", "right_triangle ABC"]),
    ("ABCD is a trapezium", ["trapezoid ABCD"]),
    ("A square ABCD is drawn with AB = 8", ["square ABCD", "length AB 8"]),
    ("▱ABCD", ["parallelogram ABCD"]),
    ("Regular hexagon ABCDEF", ["regular_polygon ABCDEF"]),
    ("D is the midpoint of BC and E lies on AB", ["midpoint DBC", "collinear AEB"]),
    ("Points D and E are the midpoints of AB and AC, respectively.", ["midpoint DAB", "midpoint EAC"]),
    ("Points A, B and C are collinear", ["collinear ABC"]),
    ("AC and BD intersect at E", ["intersection EACBD"]),
    ("ABCD is a kite. Diagonals AC and BD intersect at E", ["kite ABCD", "intersection EACBD"]),
    ("AD bisects ∠BAC", ["bisector DBAC"]),
    ("AD is an altitude of triangle ABC from A to BC", ["altitude ADABC"]),
    ("A, B and C lie on ⊙O", ["on_circle AO", "on_circle BO", "on_circle CO"]),
    ("Circle O passes through A", ["on_circle AO"]),
    ("PA is tangent to circle O at A", ["tangent PAO", "on_circle AO"]),
    ("The radius of the circle is 5", ["radius-c1 5"]),
    ("△ABC ≅ △DEF and △ABC ∼ △GHI", ["congruent ABCDEF", "similar ABCGHI"]),
    ("ABCD is inscribed in ⊙O", ["quadrilateral ABCD", "on_circle AO", "on_circle BO", "on_circle CO", "on_circle DO"]),
    ("A is joined to D; segment BD is drawn", ["segment AD", "segment BD"]),
    ("A is the midpoint of BC.", ["midpoint ABC"]),
    ("AB = 8.5. BC = 3.", ["length AB 8.5", "length BC 3"]),
]


def read(text: str) -> Fact:
    name, *rest = text.split()
    if name == "radius-c1":
        return Fact("radius", ("c1",), rest[0])
    return Fact(name, tuple(rest[0]), rest[1] if len(rest) > 1 else None)


@pytest.mark.parametrize(("text", "claims"), READINGS, ids=[text for text, _ in READINGS])
def test_reads_ordinary_variants(text: str, claims: list[str]) -> None:
    assert parse_claims(text) == tuple(read(claim) for claim in claims)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A beautiful figure.",
        "The area of ABC is 8.",
        "AB = 8 and the rest is obvious",
        r"\angle A = 60^\circ",
        "AB = banana",
        "Pentagon ABCD is drawn",
        "Diagonal AB meets CD at E. ABCD is a square",
        "AD bisects ∠BCE",
        r"\triangle ABC = 8",
        "∠1 = 40°",
        "AB is roughly 8",
        "AB = 8. " * 2000,
        "A" * 7000,
        "AB = " * 1500,
        "(" * 7000,
        "AB = " + "x+" * 3000,
        "1" * 60 + " is x",
        "AB is equal to " + "1" * 60 + " at",
    ],
    ids=lambda text: text[:30],
)
def test_refuses_what_it_cannot_account_for(text: str) -> None:
    with pytest.raises(ClaimError) as caught:
        parse_claims(text)
    assert "cannot read" in str(caught.value)


LETTERS = st.permutations("ABCDEFGH")
VALUES = st.sampled_from(["8", "7.5", "x+21", "2x-14", r"5\sqrt{3}", "13/2", "x", "120", r"\sqrt{2}", "x^{2}"])
RATIOS = st.sampled_from(["2", "3/2", "0.75"])
ON_AXES = {
    "place": ["(2,-3)", "(0,4.5)", "(-1,0)"],
    "signed": ["-2", "3/2", "5"],
    "quadrant": ["first", "fourth"],
    "line": ["y=2x+1", "y=-x/2", "y=4"],
    "quadratic": ["y=-2x^{2}+4x-1", "y=(x+1)^{2}/2-3", "y=x^{2}"],
    "round": ["(x-1)^{2}+(y+2)^{2}=9", "x^{2}+y^{2}=5"],
}
WORDED = [name for name, predicate in PREDICATES.items() if predicate.group not in ("drawn", "mark")]


@st.composite
def facts(draw: st.DrawFn) -> Fact:
    predicate = PREDICATES[draw(st.sampled_from(WORDED))]
    least = predicate.minimum or len(predicate.roles)
    if predicate.name == "regular_polygon":
        least = 5
    labels = draw(LETTERS)[:least]
    arguments = tuple("O" if predicate.role(i) == "c" else label for i, label in enumerate(labels))
    if predicate.name in ("altitude", "median"):
        arguments = (arguments[2], *arguments[1:])
    value = draw(RATIOS if predicate.value == "ratio" else VALUES) if predicate.value in NUMERIC else None
    if predicate.value in ON_AXES:
        value = draw(st.sampled_from(ON_AXES[predicate.value]))
    return Fact(predicate.name, arguments, value)


@given(facts(), st.sampled_from(("latex", "plain")))
def test_every_wording_of_every_fact_reads_back_to_it(fact: Fact, style: CaptionStyle) -> None:
    assert find_problem(fact) is None
    wordings = list_wordings((fact,), style)
    assert wordings
    for wording in wordings:
        words = wording.write((fact,), style)
        assert style == "latex" or "\\" not in words
        assert list_meanings(parse_claims(words[0].upper() + words[1:] + ".")) == list_meanings([fact]), words


@given(st.lists(facts(), min_size=2, max_size=5), st.sampled_from(("latex", "plain")), st.integers(0, 99))
def test_clauses_of_one_sentence_keep_their_claims(stated: list[Fact], style: CaptionStyle, seed: int) -> None:
    rng = generator(seed)
    text = ". ".join(word_claims((fact,), style, rng)[0] for fact in stated) + "."
    assert list_meanings(parse_claims(text)) == list_meanings(stated)


def test_clauses_know_where_they_stand() -> None:
    text = r"Isosceles \triangle ABC is drawn. AB = 8 and BC = 6."
    reading = parse_caption(text)
    assert reading.text == text
    assert [text[clause.start : clause.end] for clause in reading.clauses] == [
        r"Isosceles \triangle ABC is drawn",
        "AB = 8",
        "BC = 6",
    ]
