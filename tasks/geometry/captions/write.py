r"""Captions from facts alone, after the rules of MMCLIP Fig. 7: exact, in symbols, nothing inferred, varied wording.

A caption states every relational fact and every mark of the figure. A number that the picture does not show
(``markings = false``) is not in the caption either. Each thing is called by any of its names alike (AB and BA, ABC and
BCA), so that a name's order tells nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.mentions import Claims
from counterfoil.tasks.geometry.captions.select import select_claims
from counterfoil.tasks.geometry.captions.templates import CaptionStyle
from counterfoil.tasks.geometry.captions.wordings import list_wordings, word_claims
from counterfoil.tasks.geometry.facts.names import list_spellings
from counterfoil.tasks.geometry.facts.predicates import SHAPES

_OPENED = 0.5
"""How often a sentence opens with a shape that its next claim is about."""


def write_caption(facts: Sequence[Fact], rng: np.random.Generator, style: CaptionStyle = "latex") -> str:
    """One caption of a figure with these facts (drawn and relational); empty where there is nothing to state."""
    captions = write_captions(facts, rng, 1, style)
    return captions[0] if captions else ""


def write_captions(
    facts: Sequence[Fact], rng: np.random.Generator, count: int = 3, style: CaptionStyle = "latex"
) -> tuple[str, ...]:
    """Up to ``count`` captions with the same claims in different words; fewer where the words run out."""
    claims = select_claims(facts, rng)
    captions: dict[str, None] = {}
    for _ in range(4 * count if claims else 0):
        if len(captions) == count:
            break
        captions[_word(claims, rng, style)] = None
    return tuple(captions)


def respell(claims: Claims, rng: np.random.Generator) -> Claims:
    """The same claims with each thing under one of its names, all equally likely."""
    return tuple(spellings[int(rng.integers(len(spellings)))] for spellings in map(list_spellings, claims))


@dataclass
class _Sentence:
    """Clauses that share a sentence, after an opening such as ``in square ABCD, ``."""

    opening: str
    clauses: list[str]
    room: int
    """Equations that may still join."""

    def __str__(self) -> str:
        clauses = self.clauses
        text = clauses[0] if len(clauses) == 1 else f"{', '.join(clauses[:-1])} and {clauses[-1]}"
        return capitalise(f"{self.opening}{text}") + "."


def _word(clauses: Sequence[Claims], rng: np.random.Generator, style: CaptionStyle) -> str:
    """Equations in runs of up to four, other clauses on their own; now and then a shape opens what is said of it."""
    sentences: list[_Sentence] = []
    shape: Claims = ()
    for at, stated in enumerate(clauses):
        claims = respell(stated, rng)
        words, symbolic = word_claims(claims, style, rng)
        opens = rng.random() < _OPENED and not shape and _is_about(clauses[at + 1 : at + 2], claims)
        room = int(rng.integers(1, 4)) if symbolic else 0
        if opens:
            shape = claims
        elif shape:
            sentences.append(_Sentence(_open(shape, words, symbolic, rng, style), [words], room))
            shape = ()
        elif room and sentences and sentences[-1].room:
            sentences[-1].clauses.append(words)
            sentences[-1].room -= 1
        else:
            sentences.append(_Sentence("", [words], room))
    return " ".join(map(str, sentences))


def _is_about(following: Sequence[Claims], claims: Claims) -> bool:
    """Whether a shape may open the next clause: one that names at least two of its corners."""
    if claims[0].predicate not in SHAPES or not following:
        return False
    if following[0][0].predicate in SHAPES | {"congruent", "similar"}:
        return False
    return any(len({*claim.arguments} & {*claims[0].arguments}) >= 2 for claim in following[0])


def _open(shape: Claims, words: str, symbolic: bool, rng: np.random.Generator, style: CaptionStyle) -> str:
    inside, owner = (each.write(shape, style) for each in list_wordings(shape, style) if each.opening)
    return f"{owner} has " if symbolic and " = " in words and rng.random() < 0.5 else f"{inside}, "


def capitalise(text: str) -> str:
    """A clause as it begins a sentence."""
    return text[0].upper() + text[1:] if text[0].islower() else text
