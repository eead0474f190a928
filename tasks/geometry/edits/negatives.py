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
from zlib import crc32

from counterfoil.tasks.geometry.edits.following import let_follow
from counterfoil.tasks.geometry.edits.letters import exchange_letters, list_exchanges
from counterfoil.tasks.geometry.edits.proposals import Proposal, shuffle_proposals
from counterfoil.tasks.geometry.edits.redraw import find_bare_mark, find_cramped, find_near_right, redraw, set_upright
from counterfoil.tasks.geometry.edits.search import DeadEndError, Negative, Search, take_turns
from counterfoil.tasks.geometry.edits.unexplained import count_strokes, find_unexplained
from counterfoil.tasks.geometry.edits.worlds import Move, World
from counterfoil.tasks.geometry.figure.claims import find_broken, find_unshown, lacks_circle, list_meanings
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figure.sums import find_contradiction
from counterfoil.tasks.geometry.figure.unknowns import find_impossible

LETTERS = "letters"
"""Letters exchanged throughout: a kind of move, whose edits are of the kind ``label``."""
KINDS = ("number", LETTERS, "shape", "relation", "position", "label")
_KEEP_LAYOUT = frozenset(("number", "relation"))
"""Edits after which no new lines should cross. Other shapes, letters and positions are other figures by intent."""
_MOST_SOLVES = 150
_MOST_PAIRS = 120
_PATIENCE = 8
_MORE_STROKES = 0.2
"""Of the edits that draw a stroke more, the share that is made: so many draw one less."""


def propose_world(searches: Sequence[Search], size: int) -> Iterator[Negative]:
    """Negative captions with figures that are a world of ``size`` with their anchor; then near misses one by one, each
    of one caption, where the world has not enough."""
    search = searches[0]

    def solve(proposals: Sequence[Proposal], alone: bool) -> tuple[Move, Scene | None]:
        search.found.solves += 1
        moved, negative = _draw_negative(proposals, search.edit(proposals), search, follow=alone)
        return moved, negative.scene

    yield from World(searches, solve, pictured=True).propose(size)
    yield from take_turns([propose_negatives(each) for each in searches])


def propose_negatives(search: Search) -> Iterator[Negative]:
    """Negative captions with figures for ``geometry.caption`` and ``geometry.image`` (Fig. 8 rules)."""
    singles, spare = _set_aside(search.propose(drastic=False))
    everything = [proposal for kind in KINDS for proposal in singles.get(kind, ())]
    exchanges = deque(list_exchanges(search))
    shuffled = {kind: shuffle_proposals(group, search.rng) for kind, group in singles.items()}
    queue = _Queue(search, shuffled, exchanges)
    yield from queue.try_all()
    yield from _try_pairs(everything, search)
    for i in search.rng.permutation(len(spare)):
        negative = _try_edits((spare[i],), search) if search.found.solves < _MOST_SOLVES else None
        if negative is not None:
            yield negative
    if search.found.solves >= _MOST_SOLVES:
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
                    if self.search.found.solves >= _MOST_SOLVES:
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
        if search.found.solves >= _MOST_SOLVES:
            return
        if first.index != second.index:
            negative = _try_edits((first, second), search)
            if negative is not None:
                yield negative


def _try_edits(proposals: Sequence[Proposal], search: Search) -> Negative | None:
    try:
        negative = search.edit(proposals)
    except DeadEndError as end:
        search.fail(str(end))
        return None
    search.found.solves += 1
    try:
        return search.keep(_draw_negative(proposals, negative, search)[1], proposals)
    except DeadEndError as end:
        search.found.fallen.add(list_meanings(negative.claims))
        search.fail(str(end))
        return None


def _draw_negative(
    proposals: Sequence[Proposal], negative: Negative, search: Search, follow: bool = True
) -> tuple[Move, Negative]:
    """Give an edited caption its figure: solved near the anchor's, its claims shown, one of the anchor's broken. The
    edits, with the numbers that follow them where these may, and the caption with its figure."""
    scene, before = search.scene, search.claims
    if any(lacks_circle(claim, scene) for claim in negative.claims):
        raise DeadEndError("no such circle")
    keep_layout = all(proposal.kind in _KEEP_LAYOUT for proposal in proposals)
    solution = redraw(scene, before, negative.claims, keep_layout)
    if solution.failing:
        proposals = let_follow(tuple(proposals), solution, search, keep_layout) if follow else ()
        if not proposals:
            raise DeadEndError("unsolvable")
        negative = search.edit(proposals)
        solution = redraw(scene, before, negative.claims, keep_layout)
    if not solution.solved:
        raise DeadEndError("unsolvable" if solution.failing else "unreadable figure")
    solution = replace(solution, scene=set_upright(scene, solution.scene))
    if find_near_right(scene, solution.scene) or find_bare_mark(scene, solution.scene):
        raise DeadEndError("unreadable figure")
    if find_cramped(scene, solution.scene):
        raise DeadEndError("cramped figure")
    if find_unshown(negative.claims, solution.scene):
        raise DeadEndError("own claims not shown")
    if find_contradiction(solution.scene, negative.claims) or find_impossible(negative.claims, solution.scene):
        raise DeadEndError("numbers do not agree")
    if not find_broken(before, solution.scene):
        raise DeadEndError("anchor's claims still hold")
    if find_unexplained(solution.scene, scene, negative.claims, before):
        raise DeadEndError("other strokes or marks than the edits ask for")
    if _draws_more(scene, solution.scene):
        raise DeadEndError("more strokes than the anchor")
    return tuple(proposals), replace(negative, scene=solution.scene)


def _draws_more(old: Scene, new: Scene) -> bool:
    """Whether an edit that draws a stroke more is one of those that are not made: more edits do than draw one less, and
    a count of strokes would tell. What strokes come decides, so that edits together are made where each alone is."""
    if count_strokes(new) <= count_strokes(old):
        return False
    came = sorted("".join(sorted(segment)) for segment in new.segments if not old.has_line(*segment))
    return crc32(repr((sorted(old.segments), came)).encode()) / 2**32 >= _MORE_STROKES
