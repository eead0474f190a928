"""Numbers that follow an edit: 60 and 70 become 50 and 80."""

from __future__ import annotations

from counterfoil.tasks.geometry.captions.mentions import Claims
from counterfoil.tasks.geometry.edits.numbers import write_measured
from counterfoil.tasks.geometry.edits.proposals import Proposal
from counterfoil.tasks.geometry.edits.redraw import redraw
from counterfoil.tasks.geometry.edits.search import Search
from counterfoil.tasks.geometry.facts.expressions import read_number
from counterfoil.tasks.geometry.figure.claims import list_meanings, measure_claim
from counterfoil.tasks.geometry.figure.solve import Solution

_MOST = 2
_FOLLOW = ("length", "angle")


def let_follow(
    proposals: tuple[Proposal, ...], solution: Solution, search: Search, keep_layout: bool = False
) -> tuple[Proposal, ...]:
    """Where edits contradict other numbers of the caption, as the failing facts of ``solution`` tell, let these follow.

    The proposals with the numbers that then come out of the figure; none where that does not help.
    """
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
