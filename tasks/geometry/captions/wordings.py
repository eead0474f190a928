r"""How facts are worded: several exact sentences for each predicate, after the rules of MMCLIP Fig. 7.

Symbols rather than words (``\triangle``, ``\angle``, ``\parallel``, ``\perp``, ``\odot``), nothing about formatting,
nothing inferred. The wordings are a column of the table of predicates, and what `tasks.geometry.captions.read` reads.
"""

from __future__ import annotations

from functools import cache

from storage.rows import Fact
from tasks.geometry.captions.sentences import Claims
from tasks.geometry.captions.templates import Template, split_wordings
from tasks.geometry.facts.predicates import PREDICATES

_ON_CIRCLE = (Template("<list P> lie on <circle o>"), Template("<circle o> passes through <list P>"))


@cache
def list_templates(predicate: str, count: int) -> tuple[Template, ...]:
    """The wordings of a predicate with ``count`` arguments; those made for so many come before those for any number."""
    templates = map(Template, split_wordings(PREDICATES[predicate].words))
    fitting = [template for template in templates if template.fits(count)]
    return tuple([each for each in fitting if not each.is_open] or fitting)


def word_fact(fact: Fact, style: int) -> str | None:
    """``fact`` in one of its wordings, without capital or full stop; None for what a caption does not say."""
    templates = list_templates(fact.predicate, len(fact.arguments))
    if not templates:
        return None
    names = PREDICATES[fact.predicate].name_arguments(fact.arguments)
    return templates[style % len(templates)].write(names, fact.value)


def word_claims(claims: Claims, style: int) -> str:
    """A clause that states ``claims`` in the given style.

    Raises:
        ValueError: a caption has no words for one of the facts.
    """
    if len(claims) > 1 and {fact.predicate for fact in claims} == {"on_circle"}:
        circles = {fact.arguments[1] for fact in claims}
        if len(circles) == 1:
            points = tuple(fact.arguments[0] for fact in claims)
            return _ON_CIRCLE[style % 2].write({"P": points, "o": circles.pop()})
    words = [word_fact(fact, style) for fact in claims]
    if None in words:
        raise ValueError(f"a caption has no words for {claims}")
    return " and ".join(word for word in words if word)
