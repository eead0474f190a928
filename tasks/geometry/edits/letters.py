"""Letters exchanged throughout a figure and its caption: the same drawing under other names."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.edits.apply import WordingError, apply_proposals
from counterfoil.tasks.geometry.edits.orders import compare_names
from counterfoil.tasks.geometry.edits.proposals import Proposal
from counterfoil.tasks.geometry.edits.redraw import relabel_scene
from counterfoil.tasks.geometry.edits.search import DeadEndError, Negative, Search
from counterfoil.tasks.geometry.edits.unexplained import find_unexplained
from counterfoil.tasks.geometry.facts.names import relabel, spell_change
from counterfoil.tasks.geometry.facts.predicates import INCIDENCES
from counterfoil.tasks.geometry.figure.claims import find_broken, list_meanings

_MOST = 40


def list_exchanges(search: Search) -> list[dict[str, str]]:
    """Exchanges of two letters throughout the figure, those that touch fewer clauses first; then of three.

    Those that name things in a less usual order than the caption does come last as often as that is rarer.
    """
    labels = list(search.scene.points)
    pairs = list(combinations(labels, 2))
    found: list[dict[str, str]] = [{a: b, b: a} for a, b in (pairs[i] for i in search.rng.permutation(len(pairs)))]
    triples = list(combinations(labels, 3))
    for i in search.rng.permutation(len(triples))[:_MOST]:
        a, b, c = triples[i]
        found += [{a: b, b: c, c: a}, {a: c, c: b, b: a}]

    claims = search.claims
    luck = iter(search.rng.random(len(found)))

    def rank(names: Mapping[str, str]) -> tuple[bool, int, int]:
        unusual = next(luck) >= compare_names(claims, [relabel(claim, names) for claim in claims])
        touched = sum(
            any(name in names for claim in clause.claims for name in claim.arguments)
            for clause in search.reading.clauses
        )
        return unusual, len(names), touched

    return sorted(found, key=rank)[:_MOST]


def exchange_letters(names: Mapping[str, str], search: Search) -> Negative:
    """The caption and figure with letters exchanged; clauses that then name the same thing stay as they are.

    Raises:
        DeadEndError: what comes out is no negative.
    """
    proposals = []
    for index, clause in enumerate(search.reading.clauses):
        claims = tuple(_spell(claim, relabel(claim, names), search.rng) for claim in clause.claims)
        if list_meanings(claims) != list_meanings(clause.claims):
            moved = any(claim.predicate in INCIDENCES for claim in claims if claim not in clause.claims)
            proposals.append(Proposal("position" if moved else "label", index, claims))
    claims = search.replace_claims(proposals)
    if list_meanings(claims) in search.found.meanings:
        raise DeadEndError("same meaning as another")
    try:
        text, edits = apply_proposals(search.reading, proposals, search.rng, search.style)
    except WordingError as error:
        raise DeadEndError(str(error)) from error
    figure = relabel_scene(search.scene, names)
    if not find_broken(claims, search.scene):
        raise DeadEndError("not visibly false of the anchor")
    if not find_broken(search.claims, figure):
        raise DeadEndError("anchor's claims still hold")
    if find_unexplained(figure, search.scene, claims, search.claims):
        raise DeadEndError("other strokes or marks than the edits ask for")
    return Negative(text, edits, claims, figure)


def _spell(old: Fact, new: Fact, rng: np.random.Generator) -> Fact:
    """``new`` in a spelling that changes two letters where there is one; unchanged where it is the same thing."""
    if list_meanings([old]) == list_meanings([new]):
        return old
    return spell_change(old, new, rng) or new if old.predicate != "circle" else new
