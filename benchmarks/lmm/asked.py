"""Open questions about scenes and figures, by part, so that each answer of a part is asked as often as it can be.

Time of day, weather and counts are asked as often with one answer as with the other, and so is whether a figure has a
circle or a graph: who does not look is right by chance there. Colours are as the scenes have them, and the blind row
says what the thing alone gives away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from counterfoil.storage.rows import fingerprint
from counterfoil.tasks.sft.rows import BOXED, Instruction


@dataclass(frozen=True)
class Part:
    """Questions that are told together: their form, and within what each answer is asked as often."""

    form: str
    within: Literal["part", "question", "nothing"]


PARTS: Mapping[str, Part] = {
    "time": Part(r"What time of day is it\?", "part"),
    "weather": Part(r"What is the weather like\?", "part"),
    "count": Part(r"How many .* are there\?", "part"),
    "colour": Part(r"What colour .*", "nothing"),
    "figure": Part(r"Does the figure show .*", "question"),
}
FIGURES: Mapping[str, str] = {
    "a circle": r"circle|odot",
    "a graph": r"\bgraph|parabola|function|coordinate|quadrant|equation",
    "a quadrilateral": r"trapezoid|parallelogram|rectangle|square|rhombus|quadrilateral",
}
"""What a figure may show, and the words by one of which its caption then says so."""


@dataclass(frozen=True)
class Course:
    """What is learnt from, and what is asked then, by part."""

    captions: tuple[Instruction, ...]
    tuning: tuple[Instruction, ...]
    asked: Mapping[str, tuple[Instruction, ...]]


def make_course(rows: Iterable[Instruction], most: int) -> Course:
    """Rows by what they are for; of each part ``most`` questions at most are asked, of pictures of other splits."""
    captions: list[Instruction] = []
    parts: dict[str, dict[bool, list[Instruction]]] = {name: {True: [], False: []} for name in PARTS}
    for row in rows:
        if row.kind == "caption":
            captions += [row] if row.split == "train" else []
            parts["figure"][row.split == "train"] += ask_of_figure(row) if row.domain == "geometry" else []
            continue
        asked = row.prompt.removesuffix(BOXED).strip()
        found = next((name for name, part in PARTS.items() if re.fullmatch(part.form, asked)), None)
        if found is not None:
            parts[found][row.split == "train"].append(replace(row, prompt=asked, response=row.answer))
    tuning = [row for of in parts.values() for row in of[True]]
    asked_then = {name: tuple(choose_evenly(of[False], PARTS[name], most)) for name, of in parts.items()}
    captions, tuning = (sorted(of, key=lambda row: row.row_id) for of in (captions, tuning))
    return Course(tuple(captions), tuple(tuning), asked_then)


def ask_of_figure(row: Instruction) -> list[Instruction]:
    """Of a figure's caption whether the figure shows each of a few things."""
    answers = {what: "yes" if re.search(words, row.answer, re.IGNORECASE) else "no" for what, words in FIGURES.items()}
    return [
        replace(row, kind="question", prompt=f"Does the figure show {what}?", answer=answer, response=answer)
        for what, answer in answers.items()
    ]


def choose_evenly(rows: Sequence[Instruction], part: Part, most: int) -> list[Instruction]:
    """Some ``most`` rows at most, drawn by their hashes, with each answer as often as `Part.within` says."""
    drawn = sorted(rows, key=lambda row: fingerprint("asked", row.row_id))
    if part.within == "nothing":
        return drawn[:most]
    groups: dict[str, dict[str, list[Instruction]]] = {}
    for row in drawn:
        groups.setdefault(row.prompt if part.within == "question" else "", {}).setdefault(row.answer, []).append(row)
    sides = [[*answers.values()] for answers in groups.values()]
    room = most // max(1, sum(map(len, sides)))
    return [row for of in sides for each in of for row in each[: min(room, *map(len, of))]]
