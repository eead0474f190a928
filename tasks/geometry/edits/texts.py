"""Negative captions alone for ``geometry.rule`` (Fig. 11): one to four edits each, spread over the caption.

A caption that no figure satisfies would be told from others by reasoning alone, with no picture at hand. So edits are
put in one after the other, and each stays only where some figure still is as the caption then says; numbers that it
contradicts follow it, which are edits of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.edits.following import let_follow
from counterfoil.tasks.geometry.edits.letters import exchange_letters, list_exchanges
from counterfoil.tasks.geometry.edits.proposals import Proposal, shuffle_proposals
from counterfoil.tasks.geometry.edits.redraw import find_figure
from counterfoil.tasks.geometry.edits.search import DeadEndError, Negative, Search, take_turns
from counterfoil.tasks.geometry.edits.worlds import Move, World
from counterfoil.tasks.geometry.figure.claims import find_broken, lacks_circle, list_meanings

MOST_EDITS = 4
_MOST_TEXTS = 60
_MOST_SOLVES = 400
_MOST_JOINT = 150
"""Edits that are drawn together blindly, of each caption."""
_MOST_TRIES = 3
"""Edits of one clause that are tried beside those that a caption has already."""
_ENOUGH = 10
"""Edits whose words are as common as what they change, with which a caption needs no others."""


def propose_text_world(searches: Sequence[Search], size: int, least: int) -> Iterator[Negative]:
    """Negative captions that are a world of ``size`` with their anchor; then others one by one, each of one caption,
    where the world has fewer than the ``least`` that are wanted: these lie around the anchor."""
    search = searches[0]
    composer = _Composer(search, [])

    def solve(proposals: Sequence[Proposal], alone: bool) -> tuple[Move, None]:
        if not all(_is_false(each, search) for each in proposals):
            raise DeadEndError("not visibly false of the anchor")
        moved = composer.make_possible(tuple(proposals))
        if not moved or (not alone and len(moved) != len(proposals)):
            raise DeadEndError("no figure is so")
        return moved, None

    missing = least
    for negative in World(searches, solve, False, MOST_EDITS).propose(size, drastic=True):
        missing -= 1
        yield negative
    yield from islice(take_turns([propose_texts(each) for each in searches]), max(missing, 0))


def propose_texts(search: Search) -> Iterator[Negative]:
    """Negative captions that some figure satisfies, until nothing new is found.

    Late come letters exchanged throughout, which the anchor's own figure satisfies under other names; then edits that
    are possible together alone, as of a right triangle whose three sides are given.
    """
    false = [p for group in search.propose(drastic=True).values() for p in group if _is_false(p, search)]
    if not false:
        search.fail("no false edit")
    composer = _Composer(search, [each for each in false if not each.spare])
    yield from composer.compose_all()
    composer.pool += [each for each in false if each.spare]
    yield from composer.compose_all()
    for names in list_exchanges(search):
        try:
            exchanged = exchange_letters(names, search)
        except DeadEndError as end:
            search.fail(str(end))
            continue
        # A circle is named after its centre: with another letter there is none in the figure to speak of.
        if any(lacks_circle(claim, search.scene) for claim in exchanged.claims):
            search.fail("no such circle")
        elif len(exchanged.edits) <= MOST_EDITS:
            yield search.keep(replace(exchanged, scene=None))
    yield from composer.compose_jointly(false)


def _is_false(proposal: Proposal, search: Search) -> bool:
    return bool(find_broken(search.list_new(proposal), search.scene))


@dataclass
class _Composer:
    """Puts edits together into captions; forgets those that are impossible even alone."""

    search: Search
    pool: list[Proposal]
    known: dict[tuple[Proposal, ...], tuple[Proposal, ...]] = field(default_factory=dict)
    """What came of the edits that were tried together, in their order."""
    used: Counter[Proposal] = field(default_factory=Counter)
    """How often each edit was put into a caption: with few clauses there are other words only in fresh ones."""
    stale: Counter[Proposal] = field(default_factory=Counter)
    """How often what came of an edit had been said before: others come first then, of whatever kind."""

    def compose_all(self) -> Iterator[Negative]:
        """Captions with one to four edits."""
        for _ in range(_MOST_TEXTS):
            if not self.pool:
                return
            if self.search.found.solves >= _MOST_SOLVES:
                self.search.fail("search limit")
                return
            picked = self._pick(int(self.search.rng.integers(1, MOST_EDITS + 1)))
            self.used.update(picked)
            try:
                if picked:
                    yield self.search.keep(self.search.edit(picked), picked)
            except DeadEndError as end:
                self.stale.update(picked)
                self.search.fail(str(end))

    def compose_jointly(self, false: Sequence[Proposal]) -> Iterator[Negative]:
        """Captions with two to four edits drawn blindly, each of which may be impossible without the others."""
        search = self.search
        by_clause: dict[int, list[Proposal]] = {}
        for proposal in false:
            by_clause.setdefault(proposal.index, []).append(proposal)
        for _ in range(_MOST_JOINT if len(by_clause) > 1 else 0):
            if search.found.solves >= _MOST_SOLVES + _MOST_JOINT:
                return
            wanted = int(search.rng.integers(2, min(MOST_EDITS, len(by_clause)) + 1))
            indices = search.rng.choice(sorted(by_clause), wanted, replace=False)
            drawn = tuple(by_clause[i][int(search.rng.integers(len(by_clause[i])))] for i in sorted(indices.tolist()))
            picked = self.make_possible(drawn)
            try:
                if picked:
                    yield search.keep(search.edit(picked), picked)
            except DeadEndError as end:
                search.fail(str(end))

    def _pick(self, wanted: int) -> tuple[Proposal, ...]:
        """Up to ``wanted`` edits that can be so together, those of the least edited clauses first."""
        search = self.search
        indices = sorted({proposal.index for proposal in self.pool})
        order = sorted(indices, key=lambda index: (search.edited[index], float(search.rng.random())))
        picked: tuple[Proposal, ...] = ()
        for index in order:
            if len(picked) >= wanted:
                break
            if index not in {each.index for each in picked}:
                picked = self._add(picked, index)
        return picked

    def _add(self, picked: tuple[Proposal, ...], index: int) -> tuple[Proposal, ...]:
        """``picked`` and an edit of clause ``index``, of the kind used least; ``picked`` alone if none is possible."""
        search = self.search
        choices = shuffle_proposals([proposal for proposal in self.pool if proposal.index == index], search.rng)

        def rank(each: Proposal) -> tuple[int, int, int]:
            return self.stale[each], search.found.kinds[each.kind] + _count_kind(picked, each.kind), self.used[each]

        ranked = sorted(choices, key=rank)
        for choice in ranked[:_MOST_TRIES]:
            together = (*picked, choice)
            if together not in self.known:
                self.known[together] = self.make_possible(together)
            if self.known[together]:
                return self.known[together]
            if not picked:
                self.pool.remove(choice)
        return picked

    def make_possible(self, proposals: Move) -> Move:
        """The edits, with numbers that follow them where they must; none where no figure is as they say."""
        search = self.search
        claims = search.replace_claims(proposals)
        meaning = list_meanings(claims)
        if search.says_twice(claims) or search.is_needless(claims) or meaning in search.found.fallen:
            return ()
        possible = self._solve(proposals, claims)
        if not possible:
            search.found.fallen.add(meaning)
        return possible

    def _solve(self, proposals: tuple[Proposal, ...], claims: tuple[Fact, ...]) -> tuple[Proposal, ...]:
        search = self.search
        search.found.solves += 1
        solution = find_figure(search.scene, claims)
        if solution.solved:
            return proposals
        search.fail("no figure is so")
        if not solution.failing or len(proposals) == MOST_EDITS:
            return ()
        search.found.solves += 1
        followed = let_follow(proposals, solution, search, alone=True)
        if not followed or len(followed) > MOST_EDITS:
            return ()
        search.found.solves += 1
        return followed if find_figure(search.scene, search.replace_claims(followed)).solved else ()


def _count_kind(proposals: Sequence[Proposal], kind: str) -> int:
    return sum(proposal.kind == kind for proposal in proposals)
