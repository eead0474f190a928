"""A question that a model is asked, and how its answer is judged."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

BOXED = "Give the final answer in \\boxed{}."
CHOOSE = "Answer with the option's letter. " + BOXED
LETTERS = "ABCDEFGH"


@dataclass(frozen=True)
class Item:
    """One question."""

    item_id: str
    parts: tuple[str, ...]
    """What it is counted under: a kind, a difficulty, a task and its skills."""
    prompt: str
    answer: str
    pictures: tuple[Path, ...]
    options: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    """The same answer in other words, of which each is as right."""
    decimals: int | None = None
    """To so many a number is rounded before it is compared (MathVista); None: it is compared as it stands."""
    free: bool = False
    """Whether the answer is a text, which BERTScore compares."""


_ASKED = re.compile(r"\n\(?A[.)] |\n?(?:Answer with the option|Answer in one sentence|Give the final answer)")


def strip_question(prompt: str) -> str:
    r"""A question without its options and without what is said of the answer's form.

    >>> strip_question(list_choices("How long is AB?", ("3", "4"))), strip_question(list_choices("How long?", ()))
    ('How long is AB?', 'How long?')
    """
    return _ASKED.split(prompt)[0].strip()


def list_choices(question: str, options: tuple[str, ...]) -> str:
    r"""A question with its options, and how to answer.

    >>> list_choices("How long?", ("3", "4")).splitlines()[1]
    'A. 3'
    """
    lines = [question, *(f"{letter}. {option}" for letter, option in zip(LETTERS, options, strict=False))]
    return "\n".join([*lines, CHOOSE if options else BOXED])
