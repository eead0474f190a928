"""Questions of the language models' benchmark: who does not look is right by chance."""

from __future__ import annotations

from collections import Counter

from benchmarks.lmm.asked import PARTS, make_course
from counterfoil.tasks.sft.rows import BOXED, Instruction

TIMES = ("day", "day", "day", "night", "night", "evening")


def write_row(number: int, split: str, prompt: str, answer: str, kind: str = "question") -> Instruction:
    domain = "geometry" if kind == "caption" else "caption"
    return Instruction(kind, domain, split, f"a{number}", (b"",), prompt, answer, answer)  # type: ignore[arg-type]


def make_rows() -> list[Instruction]:
    rows = []
    for number in range(60):
        split = "train" if number % 2 else "test"
        said = f"What time of day is it? {BOXED}"
        rows.append(write_row(number, split, said, TIMES[number // 2 % 6]))
        rows.append(write_row(number, split, f"What colour is the cat? {BOXED}", "black"))
        caption = "The circle has centre O." if number % 3 else "ABC is a triangle."
        rows.append(write_row(number, split, "Describe the picture.", caption, "caption"))
    return rows


def test_each_answer_is_asked_as_often_and_of_held_out_pictures_alone():
    course = make_course(make_rows(), 12)
    assert list(course.asked) == list(PARTS)
    times = Counter(row.answer for row in course.asked["time"])
    assert set(times) == {"day", "night", "evening"} and len(set(times.values())) == 1
    circles = Counter(row.answer for row in course.asked["figure"] if "circle" in row.prompt)
    assert circles["yes"] == circles["no"] > 0
    assert all(row.split == "test" for of in course.asked.values() for row in of)
    assert all(row.split == "train" for row in (*course.captions, *course.tuning))


def test_answers_are_words_alone_and_captions_are_learnt_from():
    course = make_course(make_rows(), 12)
    assert {row.response for row in course.tuning} == {"day", "night", "evening", "black", "yes", "no"}
    assert not any(BOXED in row.prompt for row in course.tuning)
    assert {row.kind for row in course.captions} == {"caption"}
