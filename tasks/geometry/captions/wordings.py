r"""How claims are worded: several exact sentences for each predicate, after the rules of MMCLIP Fig. 7.

Nothing about formatting, nothing inferred; in LaTeX (``\triangle``, ``\parallel``, ``\odot``) or in plain English. The
wordings are columns of the table of predicates, and what `counterfoil.tasks.geometry.captions.read` reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.mentions import Claims
from counterfoil.tasks.geometry.captions.templates import CaptionStyle, Template, split_wordings, write_value
from counterfoil.tasks.geometry.facts.predicates import PREDICATES

Frame = Literal["clause", "opening", "its", "whose", "with", "on"]
"""What a wording is in its sentence: a clause of its own, ``in square ABCD``, which needs one after it, or what is said
of the thing that the sentence is about; ``on`` goes on behind a ``with``: ``with D on AB and E on AC``."""
SYMBOLIC = 0.5
"""How often a claim that can be put in signs is."""
_SELDOM = 0.12
"""How often, of wordings that people use and those that they seldom do, one of the latter is taken."""
_RARE = re.compile(
    r"respectively|between|are collinear|(?:is|are) (?:drawn|joined|segments)|measures?\b|there is |equal in length|"
    r"> long|^<M> bisects"
)
"""What people seldom write: each thing of a list to its own, points named twice, what says no more than that a thing
is there, and numbers in many words."""
_SEVERAL: dict[tuple[str, ...], tuple[str, ...]] = {
    ("on_circle",): (
        "<list P> lie on <circle o>",
        "<list P> are points on <circle o>",
        "<list P> are on <circle o>",
        "<circle o> passes through <list P>",
    ),
    ("segment",): ("<lines L> are drawn", "segments <lines L> are drawn"),
    ("midpoint",): ("<list P> are the midpoints of <lines L>", "<list P> are the midpoints of <lines L>, respectively"),
    ("collinear",): (
        "<list P> are points on <lines L>",
        "<list P> are on <lines L>",
        "<list P> lie on <lines L>, respectively",
    ),
    ("length",): (
        "<lines L> measure <values V>",
        "<lines L> have lengths <values V>",
        "the lengths of <lines L> are <values V>",
        "<lines L> measure <values V>, respectively",
    ),
    ("angle",): ("<angles X> measure <values V>", "<angles X> measure <values V>, respectively"),
    ("radial",): ("<lines L> are radii of <circle o>",),
    ("chord",): ("<lines L> are chords of <circle o>",),
    ("tangent",): ("<lines L> are tangent to <circle o>", "<lines L> are tangents to <circle o>"),
    ("altitude",): ("<lines L> are altitudes of <triangle ABC>",),
    ("median",): ("<lines L> are medians of <triangle ABC>",),
    ("perpendicular", "right_triangle"): (
        "<triangle ABC> is right-angled at <V>",
        "<triangle ABC> has a right angle at <V>",
        "<ABC> is a right triangle with the right angle at <V>",
    ),
}
"""Facts that a clause may state together, by their predicates."""
_WHOLE = {"radial": 2, "chord": 2, "tangent": 2, "on_circle": 1, "altitude": 2, "median": 2}
"""From which argument on facts that are stated together name the same circle or triangle."""
_POINTS = {"midpoint": 0, "collinear": 1}
"""Which argument is the point that each of several facts places."""
_BOUND = frozenset(("on_circle", "segment", "radial", "chord", "tangent"))
"""Facts that stay together where they are stated so: one of them elsewhere would be told apart."""
SAYS = ("let ", "there is ")
"""What begins a clause that no other stands beside."""
_NOUNS = "triangle|square|rectangle|rhombus|parallelogram|trapezoid|kite|quadrilateral|<noun A\\+>"
_ENDS_IN_NOUN = re.compile(rf"(?:{_NOUNS}|<(?:circle|triangle|polygon|shape) [^<>]*>|<[A-Z]{{3,}}\+?>)$")


@dataclass(frozen=True)
class Wording:
    """A way to state some claims."""

    template: Template
    frame: Frame = "clause"

    @property
    def opening(self) -> bool:
        """Whether it needs a claim after it."""
        return self.frame == "opening"

    @property
    def symbolic(self) -> bool:
        """An equation or a relation in signs, several of which may share a sentence."""
        return any(sign in self.template.text for sign in (" = ", "\\"))

    @property
    def ends_in_noun(self) -> bool:
        """Whether ``whose`` and ``with`` may follow it, which lean on the noun before them: ``ABCD is a rectangle whose
        ...``, and not ``circle O passes through A, B and C whose ...``."""
        return bool(_ENDS_IN_NOUN.search(self.template.text))

    def write(self, claims: Claims, style: CaptionStyle) -> str:
        """The clause, without capital or full stop."""
        first = claims[0]
        if len(claims) == 1:
            return self.template.write(PREDICATES[first.predicate].name_arguments(first.arguments), first.value, style)
        return self.template.write(_name_several(claims, style), None, style)


def _name_several(claims: Claims, style: CaptionStyle) -> dict[str, Any]:
    """What the letters of a wording of several facts stand for."""
    first = claims[0]
    arguments = [claim.arguments for claim in claims]
    match first.predicate:
        case "segment":
            return {"L": tuple(arguments)}
        case "on_circle":
            return {"P": tuple(a[0] for a in arguments), "o": first.arguments[1]}
        case "midpoint":
            return {"P": tuple(a[0] for a in arguments), "L": tuple(a[1:] for a in arguments)}
        case "collinear":
            return {"P": tuple(a[1] for a in arguments), "L": tuple((a[0], a[2]) for a in arguments)}
        case "length" | "angle":
            values = tuple(write_value(claim.value or "", first.predicate == "angle", style) for claim in claims)
            return {"L" if first.predicate == "length" else "X": tuple(arguments), "V": values}
        case "altitude" | "median":
            return {"L": tuple(a[:2] for a in arguments), **dict(zip("ABC", first.arguments[2:], strict=True))}
        case "right_triangle":
            return {"V": find_corner(claims[1]), **dict(zip("ABC", first.arguments, strict=True))}
    return {"L": tuple(a[:2] for a in arguments), "o": first.arguments[2]}


def find_corner(fact: Fact) -> str:
    """The corner of a right angle of two lines that meet in a common end, or nothing."""
    shared = set(fact.arguments[:2]) & set(fact.arguments[2:])
    return shared.pop() if fact.predicate == "perpendicular" and len(shared) == 1 else ""


def find_kinship(claims: Claims) -> tuple[str, ...] | None:
    """The predicates by which several facts may be stated in one clause; None where they may not."""
    kinds = {claim.predicate for claim in claims}
    if kinds == {"right_triangle", "perpendicular"} and len(claims) == 2 and claims[0].predicate == "right_triangle":
        corner = find_corner(claims[1])
        fits = corner in claims[0].arguments and set(claims[1].arguments) == set(claims[0].arguments)
        return ("perpendicular", "right_triangle") if corner and fits else None
    if len(kinds) > 1:
        return None
    (kind,) = kinds
    if kind in _POINTS and len(_list_placed(claims)) < len(claims):
        return None
    whole = {_sort(claim.arguments[_WHOLE[kind] :]) for claim in claims} if kind in _WHOLE else {()}
    if len(whole) > 1 or (kind == "collinear" and any(len(claim.arguments) != 3 for claim in claims)):
        return None
    if kind == "collinear" and len({_sort(claim.arguments[::2]) for claim in claims}) < len(claims):
        # Never ``W and Z lie on VU and VU, respectively``.
        return None
    if kind in _POINTS and _list_placed(claims) & {name for claim in claims for name in _list_ends(claim)}:
        # Never ``F and B are points on CB and GA``.
        return None
    if kind in ("length", "angle") and len({claim.value for claim in claims}) < len(claims):
        return None
    return (kind,)


def _list_placed(claims: Claims) -> set[str]:
    return {claim.arguments[_POINTS[claim.predicate]] for claim in claims}


def _list_ends(claim: Fact) -> list[str]:
    """The ends of the line that a point is placed on."""
    return [name for at, name in enumerate(claim.arguments) if at != _POINTS[claim.predicate]]


def _sort(arguments: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(arguments))


def is_bound(claims: Claims) -> bool:
    """Whether the claims of a clause stay together whatever becomes of one."""
    return len(claims) > 1 and claims[0].predicate in _BOUND


@lru_cache(maxsize=512)
def _list_templates(predicate: str, count: int, style: CaptionStyle) -> tuple[Wording, ...]:
    row = PREDICATES[predicate]
    words = [Wording(Template(text)) for text in split_wordings(row.words)]
    words += [Wording(Template(text), "opening") for text in split_wordings(row.openings)]
    fitting = [
        each for each in words if each.template.fits(count) and (style == "latex" or "\\" not in each.template.text)
    ]
    return tuple([each for each in fitting if not each.template.is_open] or fitting)


def list_wordings(claims: Claims, style: CaptionStyle = "latex") -> tuple[Wording, ...]:
    """The ways to state ``claims`` in one clause; none for what a caption does not say.

    Wordings made for so many arguments go before those for any number.
    """
    if len(claims) == 1:
        return _list_templates(claims[0].predicate, len(claims[0].arguments), style)
    kinship = find_kinship(claims)
    return _list_several(kinship) if kinship else ()


@lru_cache(maxsize=64)
def _list_several(kinship: tuple[str, ...]) -> tuple[Wording, ...]:
    return tuple(Wording(Template(text)) for text in _SEVERAL.get(kinship, ()))


@lru_cache(maxsize=64)
def _list_owned(predicate: str) -> tuple[Wording, ...]:
    found: list[Wording] = []
    for text in split_wordings(PREDICATES[predicate].owned):
        found.append(Wording(Template(text), _find_frame(text)))
        if text.startswith("its "):
            found.append(Wording(Template(f"whose {text.removeprefix('its ')}"), "whose"))
    return tuple(found)


def _find_frame(text: str) -> Frame:
    return "with" if text.startswith("with ") else "its" if "its " in text else "on"


def list_owned(claims: Claims) -> tuple[Wording, ...]:
    """The ways to state a claim of the thing that its sentence is about: ``whose diagonals AC and BD meet at O``."""
    return _list_owned(claims[0].predicate) if len(claims) == 1 else ()


def list_all(claims: Claims, style: CaptionStyle) -> tuple[Wording, ...]:
    """Every wording of a clause, those of what a sentence is about last."""
    return (*list_wordings(claims, style), *list_owned(claims))


def find_owner(claim: Fact) -> frozenset[str]:
    """The letters of the polygon, or the circle, of which ``its ...`` says this claim; the corners of the
    quadrilateral whose diagonals cross."""
    if claim.predicate == "intersection":
        return frozenset(claim.arguments[1:])
    row = PREDICATES[claim.predicate]
    last = row.signature.split()[-1]
    if last[-1].islower():
        return frozenset(claim.arguments[-1:])
    if last[0] == row.signature[0]:
        return frozenset(claim.arguments)
    return frozenset(claim.arguments[len("".join(row.signature.split()[:-1])) :])


def has_words(fact: Fact) -> bool:
    """Whether a caption can say ``fact``."""
    return bool(list_wordings((fact,)))


def choose_wording(claims: Claims, style: CaptionStyle, rng: np.random.Generator, share: float) -> Wording | None:
    """One of the wordings of a clause of its own, in signs with the probability ``share``; None where it has none."""
    choices = [each for each in list_wordings(claims, style) if not each.opening]
    symbolic = [each for each in choices if each.symbolic]
    if symbolic:
        choices = symbolic if rng.random() < share else [each for each in choices if not each.symbolic] or symbolic
    return pick_usual(choices, rng) if choices else None


def pick_usual(choices: Sequence[Wording], rng: np.random.Generator) -> Wording:
    """One of some wordings, seldom one that people seldom write."""
    usual = [each for each in choices if not _RARE.search(each.template.text)]
    if usual and len(usual) < len(choices):
        rare = rng.random() < _SELDOM
        choices = [each for each in choices if (each in usual) != rare]
    return choices[int(rng.integers(len(choices)))]


def word_claims(
    claims: Claims, style: CaptionStyle, rng: np.random.Generator, share: float = SYMBOLIC
) -> tuple[str, bool]:
    """A clause that states ``claims`` in one of their wordings, and whether it is in signs.

    Raises:
        ValueError: a caption has no words for one of the facts.
    """
    picked = choose_wording(claims, style, rng, share)
    if picked:
        return picked.write(claims, style), picked.symbolic
    if len(claims) == 1:
        raise ValueError(f"a caption has no words for {claims[0]}")
    *most, last = (_word_beside(claim, style, rng, share) for claim in claims)
    return f"{', '.join(most)}{' and ' if len(most) == 1 else ', and '}{last}", False


def _word_beside(claim: Fact, style: CaptionStyle, rng: np.random.Generator, share: float) -> str:
    """A clause that may stand beside another."""
    while (words := word_claims((claim,), style, rng, share)[0]).startswith(SAYS):
        pass
    return words
