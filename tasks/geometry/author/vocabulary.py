"""What a language model is told of our captions: the sentences that their reader reads, made from its grammar."""

from __future__ import annotations

from functools import cache

from counterfoil.tasks.geometry.captions.read import ClaimError, parse_claims
from counterfoil.tasks.geometry.captions.templates import split_wordings, write_example
from counterfoil.tasks.geometry.facts.predicates import PREDICATES


@cache
def list_wordings() -> tuple[str, ...]:
    r"""A sentence for each predicate that a caption may claim: the first of its wordings that reads back to it.

    >>> list_wordings()[:2]
    ('segment AB is drawn', '\\triangle ABC is drawn')
    """
    named = ["segment", *(each.name for each in PREDICATES.values() if each.group not in ("drawn", "mark"))]
    return tuple(filter(None, map(_find_wording, named)))


def _find_wording(name: str) -> str | None:
    row = PREDICATES[name]
    examples = [write_example(text) for text in split_wordings(row.words, row.openings, row.readings)]
    # "PF is an altitude of \\triangle ABC": where a letter has to be a corner, it is the first.
    examples += [each.replace("P", "A") for each in examples]
    return next((each for each in examples if _reads_to(each, name)), None)


def _reads_to(text: str, name: str) -> bool:
    try:
        return any(claim.predicate == name for claim in parse_claims(text))
    except ClaimError:
        return False
