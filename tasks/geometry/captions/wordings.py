r"""How claims are worded: several exact sentences for each predicate, after the rules of MMCLIP Fig. 7.

Nothing about formatting, nothing inferred; in LaTeX (``\triangle``, ``\parallel``, ``\odot``) or in plain English. The
wordings are columns of the table of predicates, and what `counterfoil.tasks.geometry.captions.read` reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.mentions import Claims
from counterfoil.tasks.geometry.captions.templates import CaptionStyle, Template, split_wordings
from counterfoil.tasks.geometry.facts.predicates import PREDICATES

_SYMBOLIC = 0.5
"""How often a claim that can be put in signs is."""
_SEVERAL = {
    "on_circle": ("<list P> lie on <circle o>", "<circle o> passes through <list P>"),
    "segment": ("<lines P> are drawn", "<lines P> are segments"),
}
"""Facts of one predicate that a clause may state together."""


@dataclass(frozen=True)
class Wording:
    """A way to state some claims. An opening, ``in square ABCD``, needs a claim after it."""

    template: Template
    opening: bool = False

    @property
    def symbolic(self) -> bool:
        """An equation or a relation in signs, several of which may share a sentence."""
        return any(sign in self.template.text for sign in (" = ", "\\"))

    def write(self, claims: Claims, style: CaptionStyle) -> str:
        """The clause, without capital or full stop."""
        first = claims[0]
        if len(claims) == 1:
            return self.template.write(PREDICATES[first.predicate].name_arguments(first.arguments), first.value, style)
        if first.predicate == "segment":
            return self.template.write({"P": tuple(claim.arguments for claim in claims)}, None, style)
        points = tuple(claim.arguments[0] for claim in claims)
        return self.template.write({"P": points, "o": first.arguments[1]}, None, style)


@lru_cache(maxsize=512)
def _list_templates(predicate: str, count: int, style: CaptionStyle) -> tuple[Wording, ...]:
    row = PREDICATES[predicate]
    words = [Wording(Template(text)) for text in split_wordings(row.words)]
    words += [Wording(Template(text), opening=True) for text in split_wordings(row.openings)]
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
    kinds = {(claim.predicate, claim.arguments[1:] if claim.predicate == "on_circle" else ()) for claim in claims}
    texts = _SEVERAL.get(claims[0].predicate, ()) if len(kinds) == 1 else ()
    return tuple(Wording(Template(text)) for text in texts)


def has_words(fact: Fact) -> bool:
    """Whether a caption can say ``fact``."""
    return bool(list_wordings((fact,)))


def word_claims(claims: Claims, style: CaptionStyle, rng: np.random.Generator) -> tuple[str, bool]:
    """A clause that states ``claims`` in one of their wordings, and whether it is in signs.

    Raises:
        ValueError: a caption has no words for one of the facts.
    """
    choices = [each for each in list_wordings(claims, style) if not each.opening]
    symbolic = [each for each in choices if each.symbolic]
    if symbolic:
        choices = symbolic if rng.random() < _SYMBOLIC else [each for each in choices if not each.symbolic] or symbolic
    if choices:
        picked = choices[int(rng.integers(len(choices)))]
        return picked.write(claims, style), picked.symbolic
    if len(claims) == 1:
        raise ValueError(f"a caption has no words for {claims[0]}")
    return " and ".join(word_claims((claim,), style, rng)[0] for claim in claims), False
