r"""What a clause of a caption may say: each predicate in its wordings, and sentences that state several facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.atoms import LINES, NOUNS, RELATED, ClaimError
from counterfoil.tasks.geometry.captions.equations import find_chain, read_chain
from counterfoil.tasks.geometry.captions.mentions import (
    BEFORE,
    THE_POLYGON,
    THE_TRIANGLE,
    Claims,
    list_passing,
    state_bare,
)
from counterfoil.tasks.geometry.captions.several import SEVERAL, State
from counterfoil.tasks.geometry.captions.templates import THE_CIRCLE, Template, split_wordings
from counterfoil.tasks.geometry.facts.predicate import Names, Predicate
from counterfoil.tasks.geometry.facts.predicates import BARE, PREDICATES, SHAPES

_LEFT_OUT = {"o": THE_CIRCLE, "p": THE_POLYGON, "t": THE_TRIANGLE, "b": BEFORE}


@dataclass(frozen=True)
class Sentence:
    """A wording and what it states. ``keyword`` stands in every text of it."""

    text: str
    find_pattern: Callable[[], re.Pattern[str]]
    keyword: str
    state: Callable[[re.Match[str]], Claims]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What it is read by, compiled when a text first has its keyword: there are hundreds of them."""
        return self.find_pattern()

    def read(self, match: re.Match[str]) -> Claims:
        """What a matched clause states, and what it claims in passing.

        Raises:
            ClaimError: the things that are named cannot be related so.
        """
        passing = tuple(list_passing(match.group()))
        special = {claim.arguments for claim in passing if claim.predicate in SHAPES}
        stated = [claim for claim in self.state(match) if claim.predicate not in BARE or claim.arguments not in special]
        lines = {(claim.predicate, frozenset(claim.arguments[:2])) for claim in stated}
        new = [claim for claim in passing if (claim.predicate, frozenset(claim.arguments[:2])) not in lines]
        return tuple(dict.fromkeys((*new, *stated)))


def _read_by(text: str, state: State) -> Sentence:
    """The sentence whose names are bound in the first way that makes its facts possible."""
    template = Template(text)

    def read(match: re.Match[str]) -> Claims:
        for names in template.read(match):
            _check_noun(names, match.group())
            claims = state(names, match.group())
            if all(is_fit(claim) for claim in claims):
                return claims
        raise ClaimError(match.group(), "these points do not go together so")

    return Sentence(text, lambda: template.pattern, template.keyword, read)


def is_fit(claim: Fact) -> bool:
    """Whether its predicate takes such arguments; one that is yet to be completed may."""
    predicate = PREDICATES.get(claim.predicate)
    if predicate is None or any(name.startswith("?") for name in claim.arguments):
        return True
    return predicate.accepts(len(claim.arguments)) and predicate.fits(claim.arguments)


def _check_noun(names: Names, text: str) -> None:
    noun = names.get("noun", "polygon")
    if noun != "polygon" and NOUNS.get(len(names["A+"])) != noun:
        raise ClaimError(text, f"a {noun} does not have {len(names['A+'])} vertices")


def _state_predicate(predicate: Predicate) -> State:
    def state(names: Names, text: str) -> Claims:  # noqa: ARG001
        value = next((names[letter] for letter in "vdhpeq" if letter in names), None)
        return (Fact(predicate.name, predicate.order_arguments(names), value),)

    return state


def _state_listed(listed: str) -> State:
    """Facts by the letters of the wording: ``tangent ABo; on_circle To``, ``length AB = v``.

    ``shape A`` is a polygon whose words may be bare (`state_bare`); a special sort is claimed in passing.
    """
    parts = [part.partition(" = ") for part in listed.split("; ") if part]

    def state(names: Names, text: str) -> Claims:
        facts = [
            Fact(predicate, arguments, names.get(value, value) or None)
            for head, _, value in parts
            for predicate, letters in (head.split(),)
            for arguments in _list_arguments(letters, names)
        ]
        special = {claim.arguments for claim in list_passing(text)}
        bare = [fact.arguments for fact in facts if fact.predicate == "shape" and fact.arguments not in special]
        return (*(side for ring in bare for side in state_bare(ring)), *(f for f in facts if f.predicate != "shape"))

    return state


def _list_arguments(letters: str, names: Names) -> Iterator[tuple[str, ...]]:
    """A letter that stands for several things (points, or segments) stands for each of them in turn."""
    choices: list[list[tuple[str, ...]]] = []
    for letter in letters:
        if f"{letter}+" in names:
            choices.append([names[f"{letter}+"]])
            continue
        found = names.get(letter) or _LEFT_OUT[letter]
        choices.append([(found,)] if isinstance(found, str) else [(x,) if isinstance(x, str) else x for x in found])
    for choice in product(*choices):
        yield tuple(name for each in choice for name in each)


SENTENCES: tuple[Sentence, ...] = (
    Sentence("<AB> = <CD>", find_chain, "", lambda match: read_chain(match.group())),
    *(_read_by(text, _state_listed(state) if isinstance(state, str) else state) for text, state in SEVERAL),
    *(
        _read_by(text, _state_predicate(row))
        for row in PREDICATES.values()
        for text in dict.fromkeys(split_wordings(row.words, row.openings, row.readings))
    ),
    # ``altitude AD``, ``chords AB and CD``: named and no more.
    Sentence("diameter <AB>", lambda: LINES, "", lambda _: ()),
    Sentence("parallel lines <AB> and <CD>", lambda: RELATED, "", lambda _: ()),
)
"""In order of preference between readings of equal length."""
