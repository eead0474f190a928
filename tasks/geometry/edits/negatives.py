"""Negative captions of one anchor in order of preference, with the figure of each where it needs one.

Preference: single edits first, kinds in turn, and within a kind the clause that was edited least so far, so that ten
negatives differ in kind and their edits are spread over the caption. Then edits of two clauses at once. All are
checked on the scene, which costs little; what passes is still for the verifier to judge on the picture.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from storage.rows import Edit, Fact
from tasks.geometry.captions.read import ParsedCaption
from tasks.geometry.edits.apply import apply_proposals
from tasks.geometry.edits.numbers import write_measured
from tasks.geometry.edits.proposals import Proposal, propose_for_clause
from tasks.geometry.edits.redraw import redraw, relabel_scene
from tasks.geometry.facts.expressions import read_number
from tasks.geometry.facts.judge import canonicalise
from tasks.geometry.facts.names import relabel, spell_change
from tasks.geometry.facts.predicates import NUMBER_MARKS
from tasks.geometry.figure.claims import (
    find_broken,
    find_unshown,
    lacks_circle,
    list_meanings,
    measure_claim,
)
from tasks.geometry.figure.scene import Scene
from tasks.geometry.figure.solve import Solution

KINDS = ("number", "relabel", "shape", "relation", "position", "label")
_KEEP_LAYOUT = frozenset(("number", "relation"))
"""Edits after which no new lines should cross. Other shapes, letters and positions are other figures by intent."""
_MOST_SOLVES = 150
_MOST_TEXTS = 400
_MOST_RELABELS = 40
_MOST_PAIRS = 120
_MOST_FOLLOWING = 2
_PATIENCE = 4


@dataclass(frozen=True)
class Negative:
    """An edited caption with its claims; ``scene`` is its figure, None where it is text alone."""

    text: str
    edits: tuple[Edit, ...]
    claims: tuple[Fact, ...]
    scene: Scene | None = None


@dataclass
class Search:
    """What was tried: how often each clause was edited, what captions mean so far, why proposals fell."""

    meanings: set[frozenset[Fact]] = field(default_factory=set)
    edited: Counter[int] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    found: int = 0
    relabelled: int = 0

    def describe(self) -> str:
        return ", ".join(f"{count} {why}" for why, count in self.failures.most_common()) or "nothing to edit"


def list_claims(reading: ParsedCaption) -> tuple[Fact, ...]:
    """All claims of a caption, clause by clause."""
    return tuple(claim for clause in reading.clauses for claim in clause.claims)


def propose_negatives(
    reading: ParsedCaption, scene: Scene, rng: np.random.Generator, search: Search
) -> Iterator[Negative]:
    """Negative captions with figures for ``geometry.caption`` and ``geometry.image`` (Fig. 8 rules)."""
    search.meanings.add(list_meanings(list_claims(reading)))
    singles = _group_by_kind(reading, scene, rng, drastic=False)
    swaps = deque(_list_relabels(reading, scene, rng))
    solves = 0
    for move in _order_moves(singles, swaps, rng, search):
        if solves >= _MOST_SOLVES:
            search.failures["search limit"] += 1
            return
        if isinstance(move, dict):
            negative = _relabel_caption(reading, scene, move, search)
        else:
            text = _edit_text(reading, scene, move, search)
            solves += text is not None
            negative = _draw(reading, scene, move, text, search) if text else None
        if negative is not None:
            search.meanings.add(list_meanings(negative.claims))
            search.found += 1
            if isinstance(move, dict):
                search.relabelled += 1
            else:
                search.edited.update(proposal.index for proposal in move)
            yield negative


def propose_texts(reading: ParsedCaption, scene: Scene, rng: np.random.Generator, search: Search) -> Iterator[Negative]:
    """Negative captions alone for ``geometry.rule`` (Fig. 11): one to four edits each, spread over the caption."""
    search.meanings.add(list_meanings(list_claims(reading)))
    groups = _group_by_kind(reading, scene, rng, drastic=True)
    false = [p for group in groups.values() for p in group if find_broken(_list_new(reading, p), scene)]
    if not false:
        search.failures["no false edit"] += 1
        return
    for _ in range(_MOST_TEXTS):
        wanted = int(rng.integers(1, 5))
        proposals = _pick_spread(false, wanted, rng, search)
        negative = _edit_text(reading, scene, proposals, search)
        if negative is not None:
            search.meanings.add(list_meanings(negative.claims))
            search.edited.update(proposal.index for proposal in proposals)
            yield negative


def _pick_spread(
    proposals: Sequence[Proposal], wanted: int, rng: np.random.Generator, search: Search
) -> tuple[Proposal, ...]:
    """Up to ``wanted`` edits of different clauses: the least edited clauses first, kinds mixed."""
    clauses = sorted({p.index for p in proposals}, key=lambda index: (search.edited[index], float(rng.random())))
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


def _group_by_kind(
    reading: ParsedCaption, scene: Scene, rng: np.random.Generator, drastic: bool
) -> dict[str, list[Proposal]]:
    groups: dict[str, list[Proposal]] = {}
    for index, clause in enumerate(reading.clauses):
        for proposal in propose_for_clause(index, clause.claims, scene, rng, drastic):
            groups.setdefault(proposal.kind, []).append(proposal)
    return groups


Move = tuple[Proposal, ...] | dict[str, str]


def _order_moves(
    singles: Mapping[str, list[Proposal]], swaps: deque[dict[str, str]], rng: np.random.Generator, search: Search
) -> Iterator[Move]:
    """Kinds in turn; of a kind, the proposal whose clause was edited least; pairs once all singles are used.

    A kind that failed several times running waits until the others are done: a figure that its numbers pin down
    refuses nearly all new numbers, and each refusal costs a solve.
    """
    waiting = {kind: [group[i] for i in rng.permutation(len(group))] for kind, group in singles.items()}
    tried: Counter[int] = Counter()
    strikes: Counter[str] = Counter()
    for patience in (_PATIENCE, len(waiting) * 10_000):
        while kinds := [kind for kind in waiting if waiting[kind] and strikes[kind] < patience] or swaps:
            for kind in KINDS:
                # Letters exchanged throughout change most of the caption: a third of the negatives, or what is left.
                if kind == "relabel":
                    if swaps and (search.relabelled * 3 <= search.found or kinds is swaps):
                        yield swaps.popleft()
                elif kinds is not swaps and kind in kinds:
                    group = waiting[kind]
                    best = min(range(len(group)), key=lambda i: (search.edited[group[i].index], tried[group[i].index]))
                    tried[group[best].index] += 1
                    found = search.found
                    yield (group.pop(best),)
                    strikes[kind] = 0 if search.found > found else strikes[kind] + 1
    everything = [proposal for kind in KINDS for proposal in singles.get(kind, ())]
    for _ in range(_MOST_PAIRS if len({p.index for p in everything}) > 1 else 0):
        first, second = (everything[i] for i in rng.choice(len(everything), 2, replace=False))
        if first.index != second.index:
            yield (first, second)


def _count_places(claims: Sequence[Fact]) -> int:
    """How many segments, angles and arcs are given a number."""
    return len({canonicalise(replace(c, value="1")) for c in claims if c.predicate in NUMBER_MARKS})


def _list_new(reading: ParsedCaption, proposal: Proposal) -> list[Fact]:
    return [claim for claim in proposal.claims if claim not in reading.clauses[proposal.index].claims]


def _edit_text(reading: ParsedCaption, scene: Scene, proposals: Sequence[Proposal], search: Search) -> Negative | None:
    """The edited caption, if it is new, false of the figure and made of claims that can stand together."""
    changed = {proposal.index: proposal.claims for proposal in proposals}
    claims = tuple(claim for i, clause in enumerate(reading.clauses) for claim in changed.get(i, clause.claims))
    meaning = list_meanings(claims)
    if meaning in search.meanings:
        search.failures["same meaning as another"] += 1
        return None
    for proposal in proposals:
        if not find_broken(_list_new(reading, proposal), scene):
            search.failures["not visibly false of the anchor"] += 1
            return None
    known = list_claims(reading)
    if len(meaning) < len(list_meanings(known)) or _count_places(claims) < _count_places(known):
        search.failures["says two things of one"] += 1
        return None
    text, edits = apply_proposals(reading, proposals)
    return Negative(text, edits, claims)


def _draw(
    reading: ParsedCaption, scene: Scene, proposals: Sequence[Proposal], negative: Negative, search: Search
) -> Negative | None:
    """Give an edited caption its figure: solved near the anchor's, its claims shown, one of the anchor's broken."""
    if any(lacks_circle(claim, scene) for claim in negative.claims):
        search.failures["no such circle"] += 1
        return None
    keep_layout = all(proposal.kind in _KEEP_LAYOUT for proposal in proposals)
    before = list_claims(reading)
    solution = redraw(scene, before, negative.claims, keep_layout)
    if solution.failing:
        freed = _free_numbers(reading, scene, proposals, solution, keep_layout)
        followed = _edit_text(reading, scene, freed, search) if freed else None
        if followed is None:
            search.failures["unsolvable"] += 1
            return None
        negative = followed
        solution = redraw(scene, before, negative.claims, keep_layout)
    if not solution.solved:
        search.failures["unsolvable" if solution.failing else "unreadable figure"] += 1
        return None
    if find_unshown(negative.claims, solution.scene):
        search.failures["own claims not shown"] += 1
        return None
    if not find_broken(before, solution.scene):
        search.failures["anchor's claims still hold"] += 1
        return None
    return replace(negative, scene=solution.scene)


def _free_numbers(
    reading: ParsedCaption, scene: Scene, proposals: Sequence[Proposal], solution: Solution, keep_layout: bool
) -> tuple[Proposal, ...]:
    """Where an edit contradicts other numbers of the caption, let these follow: 60 and 70 become 50 and 80.

    The proposals with the numbers that then come out of the figure; none where that does not help.
    """
    failing = list_meanings(fact for fact, _ in solution.failing)
    edited = {proposal.index: proposal.claims for proposal in proposals}
    following = [
        index
        for index, clause in enumerate(reading.clauses)
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
        for index, clause in enumerate(reading.clauses)
        if index not in following
        for claim in edited.get(index, clause.claims)
    ]
    freed = redraw(scene, list_claims(reading), claims, keep_layout)
    if not freed.solved:
        return ()
    followers = []
    for index in following:
        claim = reading.clauses[index].claims[0]
        changed = write_measured(claim, measure_claim(claim, freed.scene))
        if changed is None:
            return ()
        if not list_meanings([changed]) & list_meanings([claim]):
            followers.append(Proposal("number", index, (changed,)))
    return (*proposals, *followers)


def _list_relabels(reading: ParsedCaption, scene: Scene, rng: np.random.Generator) -> list[dict[str, str]]:
    """Exchanges of two letters throughout the figure, those that touch fewer clauses first; then of three."""
    labels = list(scene.points)
    pairs = list(combinations(labels, 2))
    swaps: list[dict[str, str]] = [{a: b, b: a} for a, b in (pairs[i] for i in rng.permutation(len(pairs)))]
    triples = list(combinations(labels, 3))
    for i in rng.permutation(len(triples))[:_MOST_RELABELS]:
        a, b, c = triples[i]
        swaps += [{a: b, b: c, c: a}, {a: c, c: b, b: a}]

    def count_touched(names: Mapping[str, str]) -> tuple[int, int]:
        touched = sum(
            any(name in names for claim in clause.claims for name in claim.arguments) for clause in reading.clauses
        )
        return len(names), touched

    return sorted(swaps, key=count_touched)[:_MOST_RELABELS]


def _relabel_caption(reading: ParsedCaption, scene: Scene, names: Mapping[str, str], search: Search) -> Negative | None:
    """Exchange letters in the whole caption and figure; clauses that then name the same thing stay as they are."""
    proposals = []
    for index, clause in enumerate(reading.clauses):
        claims = tuple(_spell(claim, relabel(claim, names)) for claim in clause.claims)
        if list_meanings(claims) != list_meanings(clause.claims):
            proposals.append(Proposal("label", index, claims))
    if not proposals:
        search.failures["same meaning as another"] += 1
        return None
    try:
        text, edits = apply_proposals(reading, proposals)
    except ValueError:
        search.failures["no words"] += 1
        return None
    changed = {proposal.index: proposal.claims for proposal in proposals}
    claims = tuple(claim for i, clause in enumerate(reading.clauses) for claim in changed.get(i, clause.claims))
    if list_meanings(claims) in search.meanings:
        search.failures["same meaning as another"] += 1
        return None
    figure = relabel_scene(scene, names)
    if not find_broken(claims, scene):
        search.failures["not visibly false of the anchor"] += 1
        return None
    if not find_broken(list_claims(reading), figure):
        search.failures["anchor's claims still hold"] += 1
        return None
    return Negative(text, edits, claims, figure)


def _spell(old: Fact, new: Fact) -> Fact:
    """``new`` in a spelling that changes two letters where there is one; unchanged where it is the same thing."""
    if list_meanings([old]) == list_meanings([new]):
        return old
    return spell_change(old, new) or new if old.predicate != "circle" else new
