"""Instruction rows: what a person asks about pictures, and what the model should answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from counterfoil.storage.rows import content_id

Kind = Literal["solve", "caption", "which_caption", "which_picture", "true", "differs", "question", "choice"]
KINDS: dict[Kind, str] = {
    "solve": "the anchor's own problem, with its worked solution",
    "caption": "a description of the picture",
    "which_caption": "two captions, of which one is true of the picture",
    "which_picture": "two pictures, of which the caption describes one",
    "true": "whether a caption is true of the picture, yes or no",
    "differs": "what differs between two pictures",
    "question": "a question whose answer follows from the anchor's facts",
    "choice": "such a question with answers to choose from",
}

BOXED = "Give the final answer in \\boxed{}."
LETTERS = "ABCD"


@dataclass(frozen=True)
class Instruction:
    """One instruction row. ``answer`` is what is scored, ``response`` the whole text that a model learns to write."""

    kind: Kind
    domain: str
    split: str
    anchor_id: str
    pictures: tuple[bytes, ...]
    """Encoded pictures, in the order in which the text speaks of them."""
    prompt: str
    response: str
    answer: str

    @property
    def row_id(self) -> str:
        """32 hex digits of all that the row shows."""
        return content_id("instruction", self.kind, self.anchor_id, self.pictures, self.prompt, self.response)


def box(answer: str) -> str:
    r"""The answer as a model should write it.

    >>> box("12")
    '\\boxed{12}'
    """
    return f"\\boxed{{{answer}}}"


def list_options(options: tuple[str, ...]) -> str:
    r"""Options as lines with letters.

    >>> list_options(("4", "5"))
    'A. 4\nB. 5'
    """
    return "\n".join(f"{letter}. {option}" for letter, option in zip(LETTERS, options, strict=False))
