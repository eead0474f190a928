"""The search for an anchor's negatives: what was tried, what was found, and why the rest fell.

Each of an anchor's captions is searched by itself, in turns. Near misses of one caption alone lie close together, and
another caption of the same figure stands apart from them all: a judge that knows nothing, of any weights whatever,
finds it above or below all of them, and so picks it about twice as often as one of as many rows drawn blindly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from counterfoil.storage.rows import Edit, Fact
from counterfoil.tasks.geometry.captions.read import ParsedCaption
from counterfoil.tasks.geometry.captions.templates import CaptionStyle
from counterfoil.tasks.geometry.edits.apply import WordingError, apply_proposals
from counterfoil.tasks.geometry.edits.proposals import Proposal, propose_for_clause
from counterfoil.tasks.geometry.figure.claims import count_measured, count_needless, find_broken, list_meanings
from counterfoil.tasks.geometry.figure.scene import Scene


class DeadEndError(Exception):
    """A proposal fell; the message says why, in words for the anchor's shortfall."""


@dataclass(frozen=True)
class Negative:
    """An edited caption with its claims; ``scene`` is its figure, None where it is text alone."""

    text: str
    edits: tuple[Edit, ...]
    claims: tuple[Fact, ...]
    scene: Scene | None = None


@dataclass
class Found:
    """What the searches in an anchor's captions have come to together."""

    meanings: set[frozenset[Fact]] = field(default_factory=set)
    """What the captions and the negatives found so far mean."""
    kinds: Counter[str] = field(default_factory=Counter)
    """How many edits of each kind were made."""
    fallen: set[frozenset[Fact]] = field(default_factory=set)
    """What was solved for in vain: no figure is so, or none that serves."""
    failures: Counter[str] = field(default_factory=Counter)
    solves: int = 0
    """How often a figure was solved for: what costs time."""

    def describe(self) -> str:
        """Why proposals fell, the most frequent reason first."""
        return ", ".join(f"{count} {why}" for why, count in self.failures.most_common()) or "nothing to edit"


@dataclass
class Search:
    """One of an anchor's captions and its scene, and what the search in them has come to so far."""

    reading: ParsedCaption
    scene: Scene
    rng: np.random.Generator
    style: CaptionStyle = "latex"
    found: Found = field(default_factory=Found)
    edited: Counter[int] = field(default_factory=Counter)
    """How often each clause was edited."""

    def __post_init__(self) -> None:
        self.found.meanings.add(list_meanings(self.claims))

    @property
    def claims(self) -> tuple[Fact, ...]:
        """All claims of the caption, clause by clause."""
        return tuple(claim for clause in self.reading.clauses for claim in clause.claims)

    def fail(self, why: str) -> None:
        """Count a proposal that fell."""
        self.found.failures[why] += 1

    def keep(self, negative: Negative, proposals: Sequence[Proposal] = ()) -> Negative:
        """Note a negative that was found, so that none is found that says the same."""
        self.found.meanings.add(list_meanings(negative.claims))
        self.edited.update(proposal.index for proposal in proposals)
        self.found.kinds.update(proposal.kind for proposal in proposals)
        return negative

    def propose(self, drastic: bool) -> dict[str, list[Proposal]]:
        """Every edit of every clause, by kind."""
        groups: dict[str, list[Proposal]] = {}
        for index, clause in enumerate(self.reading.clauses):
            for proposal in propose_for_clause(index, clause.claims, self.scene, self.rng, drastic):
                groups.setdefault(proposal.kind, []).append(proposal)
        return groups

    def list_new(self, proposal: Proposal) -> list[Fact]:
        """The claims that a proposal brings in."""
        return [claim for claim in proposal.claims if claim not in self.reading.clauses[proposal.index].claims]

    def replace_claims(self, proposals: Sequence[Proposal]) -> tuple[Fact, ...]:
        """The caption's claims after the proposals."""
        changed = {proposal.index: proposal.claims for proposal in proposals}
        clauses = enumerate(self.reading.clauses)
        return tuple(claim for i, clause in clauses for claim in changed.get(i, clause.claims))

    def says_twice(self, claims: tuple[Fact, ...]) -> bool:
        """Whether ``claims`` say one thing twice, or two things of one, where the caption does not."""
        return len(list_meanings(claims)) < len(list_meanings(self.claims)) or count_measured(claims) < count_measured(
            self.claims
        )

    def is_needless(self, claims: tuple[Fact, ...]) -> bool:
        """Whether ``claims`` say of a shape with equal sides what that says already, where the caption does not."""
        return count_needless(claims) > count_needless(self.claims)

    def edit(self, proposals: Sequence[Proposal]) -> Negative:
        """The edited caption.

        Raises:
            DeadEndError: it is not new, not false of the figure, or says two things of one.
        """
        claims = self.replace_claims(proposals)
        meaning = list_meanings(claims)
        if meaning in self.found.meanings:
            raise DeadEndError("same meaning as another")
        if meaning in self.found.fallen:
            raise DeadEndError("fell before")
        if not all(find_broken(self.list_new(proposal), self.scene) for proposal in proposals):
            raise DeadEndError("not visibly false of the anchor")
        if self.says_twice(claims):
            raise DeadEndError("says two things of one")
        try:
            text, edits = apply_proposals(self.reading, proposals, self.rng, self.style)
        except WordingError as error:
            raise DeadEndError(str(error)) from error
        return Negative(text, edits, claims)


def take_turns(streams: Sequence[Iterator[Negative]]) -> Iterator[Negative]:
    """The negatives of several searches, one of each in turn, until all have ended.

    >>> list(take_turns([iter("abc"), iter("d"), iter("ef")]))
    ['a', 'd', 'e', 'b', 'f', 'c']
    """
    left = list(streams)
    while left:
        for stream in tuple(left):
            negative = next(stream, None)
            if negative is None:
                left.remove(stream)
            else:
                yield negative
