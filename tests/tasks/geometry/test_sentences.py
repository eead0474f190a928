"""Sentences as models write them are read, each with exactly the facts that it states."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.atoms import ClaimError
from counterfoil.tasks.geometry.captions.hints import suggest
from counterfoil.tasks.geometry.captions.read import parse_caption, parse_claims
from counterfoil.tasks.geometry.captions.spelling import find_sure, read_phrases
from counterfoil.tasks.geometry.captions.templates import CaptionStyle, split_wordings, write_example
from counterfoil.tasks.geometry.captions.write import write_captions
from counterfoil.tasks.geometry.facts.judge import find_problem
from counterfoil.tasks.geometry.facts.predicates import PREDICATES
from counterfoil.tasks.geometry.figure.claims import list_meanings
from counterfoil.tasks.geometry.sources.sampler import sample_numbered


def _read_fact(text: str) -> Fact:
    head, _, value = text.partition(" = ")
    predicate, *arguments = head.split()
    return Fact(predicate, tuple(arguments), value or None)


LINES = [line for line in Path(__file__).with_name("sentences.txt").read_text("utf-8").splitlines() if line[0] != "#"]
SENTENCES = [
    (text, tuple(map(_read_fact, facts.split("; ")))) for text, _, facts in (line.partition(" | ") for line in LINES)
]


@pytest.mark.parametrize(("text", "facts"), SENTENCES, ids=[text for text, _ in SENTENCES])
def test_a_sentence_is_read_as_what_it_states(text: str, facts: tuple[Fact, ...]) -> None:
    assert [problem for fact in facts if fact.predicate != "circle" and (problem := find_problem(fact))] == []
    assert list_meanings(parse_claims(text)) == list_meanings(facts)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            r"ABCD is a square and \triangle ABE is drawn. AB is a chord of \odot O.",
            "square ABCD; triangle ABE; chord ABO",
        ),
        (r"A and B lie on \odot O. AB is a diameter of the circle.", "on_circle AO; on_circle BO; diameter ABO"),
        (
            r"Square ABCD has side length 8 and \triangle ABE is drawn.",
            "square ABCD; side_length ABCD = 8; triangle ABE",
        ),
    ],
)
def test_what_is_left_out_is_what_was_named_before(text: str, facts: str) -> None:
    stated = [part.partition(" = ") for part in facts.split("; ")]
    expected = [Fact(head.split()[0], tuple(head.split()[1]), value or None) for head, _, value in stated]
    assert list_meanings(parse_claims(text)) == list_meanings(expected)


@pytest.mark.parametrize(
    "text",
    [
        r"\odot O and \odot P are drawn. AB is a chord.",
        r"\triangle ABC and \triangle ADE are drawn. AF is a median.",
        "ABCD is a square. EFGH is a rhombus. The perimeter is 12.",
        r"AD is an altitude of \triangle BCE.",
        "Isosceles square ABCD is drawn.",
        "Equilateral quadrilateral ABCD is drawn.",
        "AB and CD measure 3, 4 and 5, respectively.",
        r"\triangle ABC has a right angle at D.",
        r"\triangle ABC has hypotenuse AD.",
        r"\triangle ABC has base AD and is isosceles.",
        "Rhombus ABCD has diagonals AB and CD.",
    ],
)
def test_a_text_that_could_mean_two_things_or_none_is_refused(text: str) -> None:
    with pytest.raises(ClaimError):
        parse_claims(text)


@pytest.mark.parametrize(
    ("unread", "near"),
    [
        ("AD is the altitude onto BC", "PF is an altitude"),
        ("AB subtends the arc", "inscribed \\angle ABC subtends"),
        ("PA touches the circle in A", r"AB touches \odot O"),
        ("two tangents from P touch the circle at A and B", r"AB and CD are tangents to \odot O"),
    ],
)
def test_wordings_near_to_what_was_written_are_named(unread: str, near: str) -> None:
    assert near in suggest(unread).replace("\\\\", "\\")


def test_a_thing_at_the_end_of_which_nothing_is_said_is_no_claim() -> None:
    with pytest.raises(ClaimError, match="segment FC"):
        parse_claims("let CAB be an equilateral triangle with D the midpoint of OA, and segment FC")


def test_a_refusal_names_near_wordings() -> None:
    with pytest.raises(ClaimError, match="angle ABC subtends"):
        parse_claims("AB subtends the arc.")


WORDS = st.sampled_from(
    [
        *(
            "AB",
            "CD",
            "A",
            "B",
            "ABC",
            "ABCD",
            "8",
            "x",
            "(",
            ")",
            "2x-3",
            r"\sqrt{3}",
            r"^\circ",
            "=",
            ":",
            "+",
            ",",
            ".",
        ),
        *(
            r"\parallel",
            r"\perp",
            r"\triangle",
            r"\angle",
            r"\odot O",
            "circle",
            "triangle",
            "square",
            "right",
            "isosceles",
        ),
        *(
            "is",
            "are",
            "and",
            "has",
            "the",
            "of",
            "to",
            "at",
            "on",
            "lie",
            "with",
            "respectively",
            "inscribed",
            "drawn",
        ),
        *("tangents", "chord", "altitude", "median", "diameters", "radius", "base", "diagonals", "angle", "length"),
        *("midpoint", "bisects", "measure", "3, 4"),
    ]
)


@given(st.lists(WORDS, min_size=1, max_size=30))
def test_any_words_are_read_or_refused_and_what_is_read_is_well_formed(words: list[str]) -> None:
    try:
        claims = parse_claims(" ".join(words))
    except ClaimError:
        return
    assert not [claim for claim in claims for name in claim.arguments if name.startswith("?")]


@pytest.mark.parametrize("style", ["latex", "plain"])
def test_our_own_wordings_are_read_as_they_stand(style: CaptionStyle) -> None:
    # What stands in another spelling than its caption could not be edited in place.
    rng = np.random.default_rng(3)
    texts = [
        caption
        for index in range(40)
        for caption in write_captions(sample_numbered(17, index).scene.to_facts(), rng, 3, style)
    ]
    for text in texts:
        assert parse_caption(text).text.casefold() == text.casefold()
    examples = [write_example(text) for row in PREDICATES.values() for text in split_wordings(row.words)]
    for text in examples:
        assert all(re.sub(pattern, spelling, text) == text for _, pattern, spelling in read_phrases()), text


def test_what_a_phrase_has_for_sure_stands_in_each_text_of_it() -> None:
    texts = [line for path in Path(__file__).parent.glob("*.txt") for line in path.read_text("utf-8").splitlines()]
    found = 0
    for sure, pattern, _ in read_phrases():
        met = [text for text in texts if re.search(pattern, text)]
        assert all(sure in text for text in met), (sure, pattern)
        found += bool(met)
    assert found > 60
    for pattern, sure in (
        (r"ab|cd", ""),
        (r"abc?d", "ab"),
        (r"x[^]a]yz+w", "yz"),
        (r"(?<!a )b\bcde{2}", "cd"),
        (r"(a(bc)d)e", "e"),
    ):
        assert find_sure(pattern) == sure
