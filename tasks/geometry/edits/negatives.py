"""Negative captions of one anchor in order of preference, with the figure of each where it needs one.

Preference: single edits first, kinds in turn, and within a kind the clause that was edited least so far, so that ten
negatives differ in kind and their edits are spread over the caption. Then edits of two clauses at once. All are
checked on the scene, which costs little; what passes is still for the verifier to judge on the picture.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tasks.geometry.edits.letters import exchange_letters, list_exchanges
from tasks.geometry.edits.numbers import write_measured
from tasks.geometry.edits.proposals import Proposal
from tasks.geometry.edits.redraw import redraw
from tasks.geometry.edits.search import DeadEndError, Negative, Search
from tasks.geometry.facts.expressions import read_number
from tasks.geometry.figure.claims import find_broken, find_unshown, lacks_circle, list_meanings, measure_claim
from tasks.geometry.figure.solve import Solution

LETTERS = "letters"
"""Letters exchanged throughout: a kind of move, whose edits are of the kind ``label``."""
KINDS = ("number", LETTERS, "shape", "relation", "position", "label")
_KEEP_LAYOUT = frozenset(("number", "relation"))
"""Edits after which no new lines should cross. Other shapes, letters and positions are other figures by intent."""
_MOST_SOLVES = 150
_MOST_TEXTS = 400
_MOST_PAIRS = 120
_MOST_FOLLOWING = 2
_PATIENCE = 4
_ENOUGH = 10
"""Edits whose words are as common as what they change, with which a caption needs no others."""


def propose_negatives(search: Search) -> Iterator[Negative]:
    """Negative captions with figures for ``geometry.caption`` and ``geometry.image`` (Fig. 8 rules)."""
    singles, spare = _set_aside(search.propose(drastic=False))
    everything = [proposal for kind in KINDS for proposal in singles.get(kind, ())]
    exchanges = deque(list_exchanges(search))
    shuffled = {kind: [group[i] for i in search.rng.permutation(len(group))] for kind, group in singles.items()}
    queue = _Queue(search, shuffled, exchanges)
    yield from queue.try_all()
    yield from _try_pairs(everything, search)
    for i in search.rng.permutation(len(spare)):
        negative = _try_edits((spare[i],), search) if search.solves < _MOST_SOLVES else None
        if negative is not None:
            yield negative
    if search.solves >= _MOST_SOLVES:
        search.fail("search limit")


def _set_aside(groups: Mapping[str, Sequence[Proposal]]) -> tuple[dict[str, list[Proposal]], list[Proposal]]:
    """Edits by kind without those that are spare, and these."""
    kept = {kind: [proposal for proposal in group if not proposal.spare] for kind, group in groups.items()}
    return kept, [proposal for group in groups.values() for proposal in group if proposal.spare]


@dataclass
class _Queue:
    """Single edits and exchanges of letters that wait to be tried."""

    search: Search
    edits: dict[str, list[Proposal]]
    exchanges: deque[dict[str, str]]
    tried: Counter[int] = field(default_factory=Counter)
    """How often each clause's edits were tried."""
    strikes: Counter[str] = field(default_factory=Counter)
    """How often running a kind's edits failed."""
    found: int = 0
    exchanged: int = 0

    def try_all(self) -> Iterator[Negative]:
        """Kinds in turn.

        A kind that failed several times running waits until the others are done: a figure that its numbers pin down
        refuses nearly all new numbers, and each refusal costs a solve.
        """
        for patience in (_PATIENCE, math.inf):
            while kinds := self._list_open(patience):
                for kind in kinds:
                    if self.search.solves >= _MOST_SOLVES:
                        return
                    negative = self._exchange(kinds == [LETTERS]) if kind == LETTERS else self._edit(kind)
                    if negative is not None:
                        self.found += 1
                        yield negative

    def _list_open(self, patience: float) -> list[str]:
        kinds = [kind for kind in KINDS if self.edits.get(kind) and self.strikes[kind] < patience]
        return [kind for kind in KINDS if kind in kinds or (kind == LETTERS and self.exchanges)]

    def _edit(self, kind: str) -> Negative | None:
        """Try the edit of this kind whose clause was edited least."""
        group = self.edits[kind]
        edited = self.search.edited
        best = min(range(len(group)), key=lambda i: (edited[group[i].index], self.tried[group[i].index]))
        proposal = group.pop(best)
        self.tried[proposal.index] += 1
        negative = _try_edits((proposal,), self.search)
        self.strikes[kind] = 0 if negative is not None else self.strikes[kind] + 1
        return negative

    def _exchange(self, alone: bool) -> Negative | None:
        """Exchange letters, which changes most of the caption: in a third of the negatives, or in what is left."""
        if not alone and self.exchanged * 3 > self.found:
            return None
        try:
            negative = exchange_letters(self.exchanges.popleft(), self.search)
        except DeadEndError as end:
            self.search.fail(str(end))
            return None
        self.exchanged += 1
        return self.search.keep(negative)


def _try_pairs(everything: Sequence[Proposal], search: Search) -> Iterator[Negative]:
    """Edits of two clauses at once."""
    for _ in range(_MOST_PAIRS if len({p.index for p in everything}) > 1 else 0):
        first, second = (everything[i] for i in search.rng.choice(len(everything), 2, replace=False))
        if search.solves >= _MOST_SOLVES:
            return
        if first.index != second.index:
            negative = _try_edits((first, second), search)
            if negative is not None:
                yield negative


def _try_edits(proposals: Sequence[Proposal], search: Search) -> Negative | None:
    try:
        text = search.edit(proposals)
        search.solves += 1
        return search.keep(_draw(proposals, text, search), proposals)
    except DeadEndError as end:
        search.fail(str(end))
        return None


def _draw(proposals: Sequence[Proposal], negative: Negative, search: Search) -> Negative:
    """Give an edited caption its figure: solved near the anchor's, its claims shown, one of the anchor's broken."""
    scene, before = search.scene, search.claims
    if any(lacks_circle(claim, scene) for claim in negative.claims):
        raise DeadEndError("no such circle")
    keep_layout = all(proposal.kind in _KEEP_LAYOUT for proposal in proposals)
    solution = redraw(scene, before, negative.claims, keep_layout)
    if solution.failing:
        freed = _free_numbers(proposals, solution, keep_layout, search)
        if not freed:
            raise DeadEndError("unsolvable")
        negative = search.edit(freed)
        solution = redraw(scene, before, negative.claims, keep_layout)
    if not solution.solved:
        raise DeadEndError("unsolvable" if solution.failing else "unreadable figure")
    if find_unshown(negative.claims, solution.scene):
        raise DeadEndError("own claims not shown")
    if not find_broken(before, solution.scene):
        raise DeadEndError("anchor's claims still hold")
    return replace(negative, scene=solution.scene)


def _free_numbers(
    proposals: Sequence[Proposal], solution: Solution, keep_layout: bool, search: Search
) -> tuple[Proposal, ...]:
    """Where an edit contradicts other numbers of the caption, let these follow: 60 and 70 become 50 and 80.

    The proposals with the numbers that then come out of the figure; none where that does not help.
    """
    failing = list_meanings(fact for fact, _ in solution.failing)
    edited = {proposal.index: proposal.claims for proposal in proposals}
    following = [
        index
        for index, clause in enumerate(search.reading.clauses)
        if index not in edited
        and len(clause.claims) == 1
        and clause.claims[0].predicate in ("length", "angle")
        and read_number(clause.claims[0].value) is not None
        and list_meanings(clause.claims) & failing
    ]
    if not following or len(following) > _MOST_FOLLOWING:
        return ()
    claims = [
        claim
        for index, clause in enumerate(search.reading.clauses)
        if index not in following
        for claim in edited.get(index, clause.claims)
    ]
    freed = redraw(search.scene, search.claims, claims, keep_layout)
    if not freed.solved:
        return ()
    followers = []
    for index in following:
        claim = search.reading.clauses[index].claims[0]
        changed = write_measured(claim, measure_claim(claim, freed.scene))
        if changed is None:
            return ()
        if not list_meanings([changed]) & list_meanings([claim]):
            followers.append(Proposal("number", index, (changed,)))
    return (*proposals, *followers)


def propose_texts(search: Search) -> Iterator[Negative]:
    """Negative captions alone for ``geometry.rule`` (Fig. 11): one to four edits each, spread over the caption."""
    groups = search.propose(drastic=True)
    false = [p for group in groups.values() for p in group if find_broken(search.list_new(p), search.scene)]
    alike = [proposal for proposal in false if not proposal.spare]
    false = alike if len(alike) >= _ENOUGH else false
    if not false:
        search.fail("no false edit")
        return
    for _ in range(_MOST_TEXTS):
        proposals = _pick_spread(false, int(search.rng.integers(1, 5)), search)
        try:
            yield search.keep(search.edit(proposals), proposals)
        except DeadEndError as end:
            search.fail(str(end))


def _pick_spread(proposals: Sequence[Proposal], wanted: int, search: Search) -> tuple[Proposal, ...]:
    """Up to ``wanted`` edits of different clauses: the least edited clauses first, kinds mixed."""
    rng = search.rng
    indices = {p.index for p in proposals}
    clauses = sorted(indices, key=lambda index: (search.edited[index], float(rng.random())))
    picked: list[Proposal] = []
    for index in clauses[:wanted]:
        kinds = Counter(p.kind for p in picked)
        choices = [p for p in proposals if p.index == index]
        rarest = min(kinds[p.kind] for p in choices)
        choices = [p for p in choices if kinds[p.kind] == rarest]
        kind = str(rng.choice(sorted({p.kind for p in choices})))
        choices = [p for p in choices if p.kind == kind]
        picked.append(choices[int(rng.integers(len(choices)))])
    return tuple(picked)
