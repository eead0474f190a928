"""Multiple choices: four options, a letter and a right one that nothing but the picture tells."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from benchmarks.lmm.blind import list_candidates, read_blind
from counterfoil.storage.rows import Anchor, Image
from counterfoil.tasks.contract.domain import Question
from counterfoil.tasks.sft.asking import LeftOut, Wanted, ask_about
from counterfoil.tasks.sft.errors import SftError
from counterfoil.tasks.sft.options import Answers
from counterfoil.tasks.sft.rows import LETTERS, Instruction
from tests.tasks.sft.pictures import draw_png

COUNTS = {"2": 60, "3": 600, "4": 200, "5": 100, "7": 40}
COLOURS = {"red": 700, "blue": 200, "green": 60, "grey": 30, "pink": 10}


def ask_choices(asked: list[list[Question]], seed: int = 0, left_out: LeftOut | None = None) -> list[Instruction]:
    """The rows of anchors, each with its questions."""
    answers = Answers.count(question for of in asked for question in of)
    picture = Image(draw_png(0), "a.png")
    return [
        row
        for number, of in enumerate(asked)
        for row in ask_about(
            Anchor(f"{number:032x}", "flowchart", "test", str(number), "train", image=picture),
            [],
            of,
            Wanted(("choice",), seed=seed),
            left_out or LeftOut(),
            answers,
        )
    ]


def ask_drawn(kind: str, counts: dict[str, int]) -> list[Instruction]:
    """A question of each anchor, its answers as often as ``counts`` has them."""
    rng = np.random.default_rng(0)
    drawn = rng.permutation([answer for answer, times in counts.items() for _ in range(times)])
    return ask_choices([[Question(kind, "How is it?", str(answer))] for answer in drawn])


def read_right(row: Instruction) -> str:
    return list_candidates(row)[LETTERS.index(row.answer)]


@pytest.mark.parametrize(("kind", "counts"), [("count", COUNTS), ("colour", COLOURS)])
def test_an_answer_that_is_given_often_is_not_likelier_among_its_options(kind, counts):
    rows = ask_drawn(kind, counts)
    likeliest = [max(list_candidates(row), key=counts.__getitem__) == read_right(row) for row in rows]
    assert len(rows) > 60
    assert abs(np.mean(likeliest) - 0.25) < 3 * np.sqrt(0.25 * 0.75 / len(rows))


def test_numbers_are_set_beside_the_next_ones():
    orders = {tuple(sorted(list_candidates(row))) for row in ask_drawn("count", COUNTS)}
    assert orders <= {("2", "3", "4", "5"), ("3", "4", "5", "7")}


def test_every_letter_is_right_as_often_and_a_question_keeps_its_letter_in_every_run():
    asked = [[Question("count", f"How many of {'x' * n}?", f"{n % 4 + 2}")] for n in range(2000)]
    rows = ask_choices(asked)
    letters = Counter(row.answer for row in rows)
    assert set(letters) == set(LETTERS) and len(rows) == 2000
    # Chi-square of three degrees of freedom: 16.3 is passed once in a thousand.
    assert sum((count - 500) ** 2 / 500 for count in letters.values()) < 16.3
    assert {row.prompt: row.answer for row in ask_choices(asked[:1000], seed=7)}.items() <= {
        row.prompt: row.answer for row in rows
    }.items()


def test_an_anchors_own_answers_are_its_options_and_each_is_asked_as_often():
    own = [Question("next", f"What follows {here}?", there) for here, there in zip("abcdef", "uvwxyz", strict=True)]
    rows = ask_choices([own] * 600)
    options = {option for row in rows for option in list_candidates(row)}
    assert options == set("uvwxyz") and len(rows) == 1200
    assert all(150 < count < 250 for count in Counter(map(read_right, rows)).values())


def test_what_a_question_names_is_no_option():
    chain = ["aa", "bb", "cc", "dd", "ee", "ff"]
    own = [Question("next", f"What follows {here}?", there) for here, there in pairwise(chain)]
    rows = ask_choices([own] * 50)
    assert rows and not any(option in row.prompt.splitlines()[0] for row in rows for option in list_candidates(row))


def test_labels_of_other_pictures_are_no_options_and_what_is_left_out_is_counted():
    left_out = LeftOut()
    asked = [[Question("next", "What follows?", f"label {number}")] for number in range(50)]
    assert not ask_choices(asked, left_out=left_out)
    assert left_out.counts == {"choice with fewer than four answers to choose from": 50}


def test_one_of_a_pictures_questions_with_one_answer_is_asked():
    own = [Question("next", f"What follows {name}?", "end") for name in "abc"]
    own += [Question("next", f"What follows {name}?", name * 2) for name in "xyz"]
    rows = ask_choices([own] * 400)
    assert 0.15 < np.mean([read_right(row) == "end" for row in rows]) < 0.35


def test_a_blind_reader_chooses_no_better_than_chance_and_finds_a_tell_that_is_planted():
    rows = ask_drawn("count", {answer: 2 * times for answer, times in COUNTS.items()})
    assert all(told.right.low <= told.chance for told in read_blind(rows))
    long = [replace(row, prompt=row.prompt.replace(read_right(row), f"{read_right(row)} exactly")) for row in rows]
    assert max(told.right.low for told in read_blind(long)) > 0.95


def test_a_blind_reader_needs_anchors_to_learn_from():
    with pytest.raises(SftError, match="nothing can be told blind"):
        read_blind(ask_drawn("count", COUNTS)[:5])
