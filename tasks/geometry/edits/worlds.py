"""Worlds of edited captions: a few clauses and the letters of a figure, each with some values, crossed.

Edits made one by one lie around their anchor like a star. Here edits of a few clauses are tried alone, those that serve
become the values of slots (`tasks.contract.worlds`), and every value goes with every value of the other slots, letters
exchanged throughout the figure among them. A member is worded after one of the anchor's captions, drawn for each alike,
so that neither its edits nor its words say which of them all were made from.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.contract.worlds import MOST_SLOTS, draw_world
from counterfoil.tasks.geometry.edits.apply import WordingError, Words, apply_proposals
from counterfoil.tasks.geometry.edits.letters import list_exchanges
from counterfoil.tasks.geometry.edits.proposals import Proposal, shuffle_proposals
from counterfoil.tasks.geometry.edits.redraw import relabel_scene
from counterfoil.tasks.geometry.edits.search import DeadEndError, Negative, Search
from counterfoil.tasks.geometry.edits.unexplained import find_unexplained
from counterfoil.tasks.geometry.facts.names import find_meaning, list_spellings, relabel, spell_change
from counterfoil.tasks.geometry.facts.predicates import INCIDENCES, PREDICATES
from counterfoil.tasks.geometry.figure.claims import find_broken, lacks_circle, list_meanings
from counterfoil.tasks.geometry.figure.scene import Scene

T = TypeVar("T")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
Move = tuple[Proposal, ...]
"""An edit of one clause, with the numbers of others that follow it."""
Letters = Mapping[str, str]
Solve = Callable[[Sequence[Proposal], bool], tuple[Move, Scene | None]]
"""The edits, with what follows them where they stand alone, and their figure, where one is wanted.

Raises `DeadEndError` where they are no negative."""

_ORDER = ("relation", "shape", "number", "relation", "number", "shape", "letter", "number")
"""The groups of edits from which the clauses that are crossed are taken, by turns."""
_MOST_SLOTS = 3
"""Clauses that are crossed in a caption with a figure; the letters are a slot more. Of texts alone few clauses may
change, and hardly any letters."""
_MOST_VALUES = {"relation": 3, "shape": 3, "number": 4, "letter": 3}
"""Values of one clause, its own among them."""
_MOST_ALONE = 8
"""Values of a number in texts alone, which have fewer slots."""
_TRIES = 2
"""Edits of one clause that are tried beyond as many as it may have values."""
_MOST_TRIES = 40
"""Edits that are tried for all slots of one world."""
_MOST_LETTERS = 4
"""Values of the letters of a world, the anchor's own among them."""
_FORMS = ("relation", "shape")
_LEFT_FOR_OTHERS = (4, 3, 3, 2)
"""Values of a number, or of the letters, by how many clauses of a relation or a shape are crossed: fewer leave room for
more of these."""
_MOST_EXCHANGES = 12
"""Exchanges of letters that are found, those for when members fall among them."""
_FORM, _CLAUSE = 100.0, 3.0
"""How much more gladly a relation or a shape, and any other clause, is crossed than the letters."""
_SPARE_ODDS = 0.05
"""Edits whose words are rarer than this, beside what they change, are not made."""
_WORLDS = 3
"""Worlds that are drawn of what was found, where the first has holes."""


@dataclass
class World:
    """The slots of one anchor's captions, and what came of the members that were tried."""

    searches: Sequence[Search]
    solve: Solve
    pictured: bool
    """Whether members have figures; else they are texts alone."""
    most_edits: int = 1000
    """Clauses in which a member may differ."""
    slots: list[list[Move]] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    """The group of edits of each slot."""
    letters: list[Letters] = field(default_factory=list)
    solved: dict[tuple[Proposal, ...], Scene | str | None] = field(default_factory=dict)
    """The figure of some edits together, or why there is none."""
    words: Words = field(default_factory=dict)
    """What clauses became: who says the same says it alike, as those do who say what the anchor says."""
    spelt: dict[tuple[Fact, Fact], Fact] = field(default_factory=dict)
    """How claims were spelt that came in the place of others."""

    @property
    def search(self) -> Search:
        """The search in the caption whose edits are crossed."""
        return self.searches[0]

    def propose(self, size: int, drastic: bool = False) -> Iterator[Negative]:
        """The members of a world of ``size`` at least, in an order of their own; then those with other letters, until
        there are no more."""
        self._fill_slots(drastic)
        self._find_letters()
        places = [[(), *slot] for slot in self.slots]
        members = self._draw(size, places)
        used = {member[-1] for member in members}
        bases = [*dict.fromkeys(member[:-1] for member in members)]
        more = [(*base, place) for place in range(1, 1 + len(self.letters)) if place not in used for base in bases]
        for member in (*_shuffle(members[1:], self.search.rng), *more):
            try:
                yield self._make(member, places)
            except DeadEndError as end:
                self.search.fail(str(end))

    def _draw(self, size: int, places: Sequence[Sequence[Move]]) -> list[tuple[int, ...]]:
        """The world with the fewest members that have no figure, of a few that are drawn."""
        rng = random.Random(int(self.search.rng.integers(2**63)))
        most = _LEFT_FOR_OTHERS[min(sum(group in _FORMS for group in self.groups), len(_LEFT_FOR_OTHERS) - 1)]
        room = [*map(len, places), 1 + len(self.letters)]
        counts = [
            each if group in _FORMS else min(each, most)
            for each, group in zip(room, (*self.groups, "letters"), strict=True)
        ]
        while math.prod(counts) < size and counts != room:
            at = min((i for i, each in enumerate(room) if counts[i] < each), key=lambda i: counts[i])
            counts[at] += 1
        weights = [_FORM if group in _FORMS else _CLAUSE for group in self.groups]
        best: list[tuple[int, ...]] = []
        wholest = -1
        for _ in range(_WORLDS):
            members = draw_world(counts, size, rng, [*weights, 1.0])
            whole = self._count_whole(members, places)
            if whole > wholest:
                best, wholest = members, whole
            if whole == len(members):
                break
        return best

    def _fill_slots(self, drastic: bool) -> None:
        """Clauses with edits that serve: first one of a relation, a shape and a number each, then any."""
        groups: dict[tuple[str, int], list[Proposal]] = {}
        for found in self.search.propose(drastic).values():
            for proposal in shuffle_proposals(found, self.search.rng):
                groups.setdefault((self._name_group(proposal), proposal.index), []).append(proposal)
        order = _shuffle([*groups], self.search.rng)
        taken: set[int] = set()
        tries = _MOST_TRIES
        for name in _ORDER:
            for key in [key for key in order if key[0] == name and key[1] not in taken]:
                if len(self.slots) == (_MOST_SLOTS if self.pictured else MOST_SLOTS) or tries <= 0:
                    return
                order.remove(key)
                most = _MOST_VALUES[name] if self.pictured or name != "number" else _MOST_ALONE
                values, tried = self._try_values(_prefer(groups[key]), most)
                tries -= tried
                if values:
                    self.slots.append(values)
                    self.groups.append(name)
                    taken |= {each.index for move in values for each in move}
                    break

    def _name_group(self, proposal: Proposal) -> str:
        """What a figure shows another of once it is edited so."""
        if proposal.kind in ("number", "shape"):
            return proposal.kind
        groups = {PREDICATES[claim.predicate].group for claim in self.search.list_new(proposal)}
        return "relation" if groups & {"relation", "incidence"} else "letter"

    def _find_letters(self) -> None:
        """Exchanges of letters, told from one of them: two exchanges are further from one another than either is from
        none, and none must not be what all are near to."""
        free = self.most_edits - len(self.slots)

        # Circles are called O in nearly all figures: under another letter a text would be known for an edited one.
        circles = {*self.search.scene.circles}

        def serves(names: Letters) -> bool:
            return self._count_touched(names) <= free and not circles & {*names}

        found = [{}, *filter(serves, list_exchanges(self.search))]
        near, far = found[:_MOST_LETTERS], found[_MOST_LETTERS:_MOST_EXCHANGES]
        start = near[int(self.search.rng.integers(len(near)))]
        told = [_tell_from(start, names) for names in (*near, *far)]
        self.letters = [names for names in told if names and serves(names) and self._is_seen(names)]

    def _try_values(self, group: Sequence[Proposal], most: int) -> tuple[list[Move], int]:
        values: list[Move] = []
        tried = 0
        room = [int(self.search.rng.integers(most)), 0]
        room[1] = most - 1 - room[0]
        for proposal in group:
            if len(values) + 1 == most or tried == _TRIES + most:
                break
            side = self._find_side(proposal)
            if side is not None and not room[side]:
                continue
            if not find_broken(self.search.list_new(proposal), self.search.scene):
                self.search.fail("not visibly false of the anchor")
                continue
            tried += 1
            try:
                move, figure = self.solve((proposal,), True)
                self._word(move, {}, self.search)
            except DeadEndError as end:
                self.search.fail(str(end))
                continue
            if all(self._is_worded(move, search) for search in self.searches):
                values.append(move)
                self.solved[move] = figure
                if side is not None:
                    room[side] -= 1
        return values, tried

    def _find_side(self, proposal: Proposal) -> int | None:
        """0 where a number becomes smaller, 1 where it grows. Were both as likely for each, the anchor's would be the
        middle one of its slot."""
        if proposal.kind != "number":
            return None
        known = self.search.reading.clauses[proposal.index].claims
        pairs = (
            (_NUMBER.findall(old.value or ""), _NUMBER.findall(new.value or ""))
            for old, new in zip(known, proposal.claims, strict=True)
        )
        return next(
            (int(float(b) > float(a)) for old, new in pairs for a, b in zip(old, new, strict=False) if a != b), None
        )

    def _count_touched(self, names: Letters) -> int:
        clauses = self.search.reading.clauses
        return sum(
            list_meanings(relabel(claim, names) for claim in clause.claims) != list_meanings(clause.claims)
            for clause in clauses
        )

    def _is_seen(self, names: Letters) -> bool:
        """Whether letters exchanged are seen to be other letters: a symmetric figure is the same under others."""
        claims = [relabel(claim, names) for claim in self.search.claims]
        # A circle is named after its centre: with another letter a text would speak of one that is not there.
        if not self.pictured and any(lacks_circle(claim, self.search.scene) for claim in claims):
            return False
        figure = relabel_scene(self.search.scene, names)
        return bool(find_broken(claims, self.search.scene)) and bool(find_broken(self.search.claims, figure))

    def _count_whole(self, members: Sequence[tuple[int, ...]], places: Sequence[Sequence[Move]]) -> int:
        """How many of a world's members have a figure."""
        whole = 0
        for member in members:
            try:
                self._solve([places[slot][value] for slot, value in enumerate(member[:-1])])
            except DeadEndError:
                continue
            whole += 1
        return whole

    def _solve(self, moves: Sequence[Move]) -> tuple[Move, Scene | None]:
        together = tuple(proposal for move in moves for proposal in move)
        if not together:
            return (), self.search.scene
        if together not in self.solved:
            try:
                if len({each.index for each in together}) < len(together):
                    raise DeadEndError("two edits of one clause")
                self.solved[together] = self.solve(together, False)[1]
            except DeadEndError as end:
                self.solved[together] = str(end)
                self.search.fail(str(end))
        figure = self.solved[together]
        if isinstance(figure, str):
            raise DeadEndError(figure)
        return together, figure

    def _make(self, member: Sequence[int], places: Sequence[Sequence[Move]]) -> Negative:
        """A member in words, after one of the captions, with its figure."""
        together, figure = self._solve([places[slot][value] for slot, value in enumerate(member[:-1])])
        names: Letters = {} if member[-1] == 0 else self.letters[member[-1] - 1]
        search = self.searches[int(self.search.rng.integers(len(self.searches)))]
        proposals = self._word(together, names, search)
        if len(proposals) > self.most_edits:
            raise DeadEndError("too many edits")
        claims = search.replace_claims(proposals)
        if list_meanings(claims) in search.found.meanings:
            raise DeadEndError("same meaning as another")
        if search.says_twice(claims):
            raise DeadEndError("says two things of one")
        try:
            text, edits = apply_proposals(search.reading, proposals, search.rng, search.style, self.words)
        except WordingError as error:
            raise DeadEndError(str(error)) from error
        drawn = None if figure is None else relabel_scene(figure, names)
        if not find_broken(claims, search.scene):
            raise DeadEndError("not visibly false of the anchor")
        if drawn is not None and not find_broken(search.claims, drawn):
            raise DeadEndError("anchor's claims still hold")
        if drawn is not None and find_unexplained(drawn, search.scene, claims, search.claims):
            raise DeadEndError("other strokes or marks than the edits ask for")
        return search.keep(Negative(text, edits, claims, drawn), proposals)

    def _is_worded(self, move: Move, search: Search) -> bool:
        try:
            return len(self._word(move, {}, search)) == len(move)
        except DeadEndError:
            return False

    def _word(self, move: Sequence[Proposal], names: Letters, search: Search) -> list[Proposal]:
        """The edits, with letters exchanged, as edits of another caption that says the same.

        Raises:
            DeadEndError: that caption does not say what is edited.
        """
        changed: dict[Fact, tuple[str, Fact]] = {}
        for proposal in move:
            known = self.search.reading.clauses[proposal.index].claims
            for old, new in zip(known, proposal.claims, strict=True):
                if old != new:
                    changed[find_meaning(old)] = (proposal.kind, new)
        left = set(changed)
        proposals = []
        for index, clause in enumerate(search.reading.clauses):
            kinds, claims = [], []
            for claim in clause.claims:
                kind, new = changed.get(find_meaning(claim), ("", claim))
                left.discard(find_meaning(claim))
                spelt = self._spell(claim, relabel(new, names))
                kinds += [kind] if kind else []
                if not kind and spelt != claim:
                    kinds.append("position" if claim.predicate in INCIDENCES else "label")
                claims.append(spelt)
            if list_meanings(claims) != list_meanings(clause.claims):
                proposals.append(Proposal(kinds[0] if kinds else "label", index, tuple(claims)))
        if left:
            raise DeadEndError("another caption does not say so")
        return proposals

    def _spell(self, old: Fact, new: Fact) -> Fact:
        place = (old, find_meaning(new))
        if place not in self.spelt:
            self.spelt[place] = _spell(old, new, self.search.rng)
        return self.spelt[place]


def _tell_from(start: Letters, names: Letters) -> Letters:
    """The exchange that leads from one to the other, without letters that stay."""
    back = {new: old for old, new in start.items()}
    told = {old: names.get(back.get(old, old), back.get(old, old)) for old in sorted({*back, *names})}
    return {old: new for old, new in told.items() if old != new}


def _spell(old: Fact, new: Fact, rng: np.random.Generator) -> Fact:
    """``new`` as ``old`` is spelt where it names the same things, in a spelling that changes two letters otherwise."""
    if find_meaning(old) == find_meaning(new):
        return old
    if len(new.arguments) == len(old.arguments):
        as_old = replace(new, arguments=old.arguments)
        if find_meaning(as_old) == find_meaning(new):
            return as_old
        return new if new.predicate == "circle" else spell_change(old, new, rng) or new
    spellings = list_spellings(new)
    return spellings[int(rng.integers(len(spellings)))]


def _prefer(group: Sequence[Proposal]) -> list[Proposal]:
    """Edits whose words are as common as what they change, then those that are rarer, but not the rarest."""
    return [each for each in group if not each.spare] + sorted(
        (each for each in group if each.spare and each.odds >= _SPARE_ODDS), key=lambda each: -each.odds
    )


def _shuffle(items: Sequence[T], rng: np.random.Generator) -> list[T]:
    return [items[i] for i in rng.permutation(len(items))]
