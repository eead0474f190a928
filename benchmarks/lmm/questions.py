"""Questions of yes and no about what everyone sees in a scene, of which the text alone tells nothing.

They are made of the instruction rows of a dataset (`tasks.sft`): an open question such as "What time of day is it?"
with its true answer becomes "Is it night?" of a picture of which that is so and of one of which it is not. Each such
question comes as often with yes as with no, in the rows that are learnt and in those that are asked, so that whoever
does not look is right in half of them, whatever they answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from io import BytesIO

import numpy as np

from counterfoil.storage.dataset import Dataset
from counterfoil.tasks.sft.asking import Wanted
from counterfoil.tasks.sft.data import make_instructions
from counterfoil.tasks.sft.model import prepare_picture
from counterfoil.tasks.sft.rows import BOXED, Instruction, Kind

FORMS: Mapping[str, str] = {
    "What time of day is it?": "Is it {}?",
    "What is the weather like?": "Is the weather {}?",
}
"""Open questions that every scene outdoors is asked, and the same about one answer."""


@dataclass(frozen=True)
class Lessons:
    """What is learnt from, and what is asked then."""

    captions: tuple[Instruction, ...]
    tuning: tuple[Instruction, ...]
    """Questions of yes and no, and the open ones, of the training split."""
    asked: Mapping[str, tuple[Instruction, ...]]
    """Questions of yes and no: of held-out pictures, the same with another's picture, and of pictures learnt from."""


def read_rows(dataset: str, kinds: Sequence[Kind], most: int, side: int) -> list[Instruction]:
    """The instruction rows of a dataset, with pictures of ``side`` pixels."""
    made = make_instructions(Dataset(dataset).snapshot(), Wanted(tuple(kinds), most))
    return [replace(row, pictures=tuple(shrink(each, side) for each in row.pictures)) for row in made]


@cache
def shrink(picture: bytes, side: int) -> bytes:
    """A picture as the tower will see it, so that steps do not decode it large again and again."""
    sink = BytesIO()
    prepare_picture(picture, side).save(sink, "PNG")
    return sink.getvalue()


def make_lessons(rows: Iterable[Instruction], count: int) -> Lessons:
    """Rows by what they are for; ``count`` bounds how often a question is asked with one answer."""
    captions: list[Instruction] = []
    open_ones: dict[str, dict[str, list[Instruction]]] = {"train": {}, "held-out": {}}
    for row in rows:
        split = "train" if row.split == "train" else "held-out"
        asked = row.prompt.removesuffix(BOXED).strip()
        if row.kind == "caption" and split == "train":
            captions.append(row)
        elif asked in FORMS:
            open_ones[split].setdefault(asked, []).append(replace(row, prompt=asked, response=row.answer))
    closed = {
        split: [each for asked, of in groups.items() for each in close_questions(of, FORMS[asked])]
        for split, groups in open_ones.items()
    }
    held_out = take_evenly(closed["held-out"], count)
    tuning = [*closed["train"], *(row for of in open_ones["train"].values() for row in of)]
    asked_then = {
        "held-out": held_out,
        "another's picture": exchange_pictures(held_out),
        "learnt": take_evenly(closed["train"], count),
    }
    return Lessons(tuple(captions), tuple(tuning), {name: tuple(each) for name, each in asked_then.items()})


def close_questions(rows: Sequence[Instruction], form: str) -> list[Instruction]:
    """Yes and no about each answer: ``form`` has ``{}`` for it. Each answer is asked as often rightly as wrongly.

    What is asked wrongly of a picture is what another picture answers, so that frequent answers are asked oftener.
    """
    rng = np.random.default_rng(0)
    answers = [row.answer for row in rows]
    sides: dict[str, dict[str, list[Instruction]]] = {each: {"yes": [], "no": []} for each in sorted(set(answers))}
    for row in rows:
        others = [each for each in answers if each != row.answer]
        for value, said in ((row.answer, "yes"), (others[int(rng.integers(len(others)))], "no")):
            sides[value][said].append(replace(row, prompt=form.format(value), answer=said, response=said))
    kept = [row for side in sides.values() for of in side.values() for row in of[: min(map(len, side.values()))]]
    return [kept[at] for at in rng.permutation(len(kept))]


def take_evenly(rows: Sequence[Instruction], count: int) -> list[Instruction]:
    """The first ``count`` rows of each question and answer, or as many of both answers as there are."""
    by: dict[str, dict[str, list[Instruction]]] = {}
    for row in rows:
        by.setdefault(row.prompt, {}).setdefault(row.answer, []).append(row)
    return [
        row
        for sides in by.values()
        for of in sides.values()
        for row in of[: min(count, *(len(each) for each in sides.values()))]
    ]


def exchange_pictures(rows: Sequence[Instruction]) -> list[Instruction]:
    """Each row with the picture of another, every picture used as often as before."""
    order = np.random.default_rng(1).permutation(len(rows))
    return [
        replace(rows[here], pictures=rows[there].pictures) for here, there in zip(order, np.roll(order, 1), strict=True)
    ]
