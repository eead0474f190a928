"""What follows an edit: of numbers 60 and 70 become 50 and 80, and with a right triangle its right angle goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from counterfoil.tasks.geometry.captions.mentions import Claims
from counterfoil.tasks.geometry.edits.numbers import write_measured
from counterfoil.tasks.geometry.edits.proposals import Proposal, propose_relation
from counterfoil.tasks.geometry.edits.redraw import redraw
from counterfoil.tasks.geometry.edits.search import Search
from counterfoil.tasks.geometry.facts.expressions import read_number
from counterfoil.tasks.geometry.facts.predicates import PREDICATES
from counterfoil.tasks.geometry.figure.claims import find_broken, list_meanings, measure_claim
from counterfoil.tasks.geometry.figure.solve import Solution

_MOST = 2
_FOLLOW = ("length", "angle")
_TRIES = 4
"""Other relations that are tried beside another shape."""


def let_follow(
    proposals: tuple[Proposal, ...],
    solution: Solution,
    search: Search,
    keep_layout: bool = False,
    alone: bool = False,
) -> tuple[Proposal, ...]:
    """Where edits contradict other claims of the caption, as the failing facts of ``solution`` tell, let these follow:
    numbers, and beside another shape a relation that held it in its own.

    The proposals with what then comes out of the figure; none where that does not help. ``alone``: for a text with no
    picture, which needs only be false.
    """
    found = _let_numbers_follow(proposals, solution, search, keep_layout)
    if found or len(proposals) > 1 or proposals[0].kind != "shape":
        return found
    for together in islice(_list_relations(proposals[0], solution, search, alone), _TRIES):
        claims = search.replace_claims(together)
        freed = redraw(search.scene, search.claims, claims, keep_layout)
        if freed.solved:
            return together
        if freed.failing and (found := _let_numbers_follow(together, freed, search, keep_layout)):
            return found
    return ()


def _list_relations(shape: Proposal, solution: Solution, search: Search, alone: bool) -> Iterator[tuple[Proposal, ...]]:
    """Another shape with another relation for one that cannot hold beside it: of a triangle that is no longer right,
    two sides are equal instead of perpendicular."""
    failing = list_meanings(fact for fact, _ in solution.failing)
    for index, clause in enumerate(search.reading.clauses):
        stated = shape.claims if index == shape.index else clause.claims
        for at, claim in enumerate(stated):
            if PREDICATES[claim.predicate].group != "relation" or not list_meanings([claim]) & failing:
                continue
            for other in propose_relation(claim, search.scene, search.rng):
                if other in stated or not find_broken([other], search.scene):
                    continue
                claims = (*stated[:at], other, *stated[at + 1 :])
                if index == shape.index:
                    together: tuple[Proposal, ...] = (replace(shape, claims=claims),)
                else:
                    together = (shape, Proposal("relation", index, claims))
                if alone and search.is_needless(search.replace_claims(together)):
                    # Nobody says that two sides of an equilateral triangle are equal.
                    together = (_weaken(together[0]), *together[1:])
                yield together


def _weaken(shape: Proposal) -> Proposal:
    """An isosceles triangle for an equilateral one."""
    weaker = {"equilateral": "isosceles"}
    claims = tuple(replace(each, predicate=weaker.get(each.predicate, each.predicate)) for each in shape.claims)
    return replace(shape, claims=claims)


def _let_numbers_follow(
    proposals: tuple[Proposal, ...], solution: Solution, search: Search, keep_layout: bool
) -> tuple[Proposal, ...]:
    """The edits with the numbers that then come out of the figure; none where that does not help."""
    failing = list_meanings(fact for fact, _ in solution.failing)
    edited = {proposal.index: proposal.claims for proposal in proposals}
    following = [
        (index, at)
        for index, clause in enumerate(search.reading.clauses)
        if index not in edited
        for at, claim in enumerate(clause.claims)
        if claim.predicate in _FOLLOW and read_number(claim.value) is not None and list_meanings([claim]) & failing
    ]
    if not following or len(following) > _MOST:
        return ()
    claims = [
        claim
        for index, clause in enumerate(search.reading.clauses)
        for at, claim in enumerate(edited.get(index, clause.claims))
        if (index, at) not in following
    ]
    freed = redraw(search.scene, search.claims, claims, keep_layout)
    if not freed.solved:
        return ()
    followers: dict[int, Claims] = {}
    for index, at in following:
        stated = followers.get(index, search.reading.clauses[index].claims)
        changed = write_measured(stated[at], measure_claim(stated[at], freed.scene))
        if changed is None:
            return ()
        if not list_meanings([changed]) & list_meanings([stated[at]]):
            followers[index] = (*stated[:at], changed, *stated[at + 1 :])
    return (*proposals, *(Proposal("number", index, stated) for index, stated in followers.items()))
