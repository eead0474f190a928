"""The two shapes that evaluations have: choices among a few candidates, and retrieval from a corpus.

An item of `Choices` is one question or several that must all be answered: the picture of Winoground is right only if
both captions find theirs. A question is answered if every right candidate scores higher than every wrong one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.metrics import Ranks, rank_relevant, reciprocal
from counterfoil.tasks.evaluation.outcomes import FigureSpec, Outcomes

HIT, MRR, PAIRS, RANK, NDCG = "hit", "MRR", "pairs", "rank", "nDCG@10"
DEPTHS = (1, 3, 5, 10)
_CELLS = 1 << 25
"""Scores held at once."""


class System(Protocol):
    """Whatever gives scores: a model, or a baseline that sees one side alone. Higher is nearer."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str:
        """``model``, ``zero-shot`` or ``blind``."""
        ...

    def score_rows(self, choices: Choices) -> np.ndarray | None:
        """``float32``, one for each row of ``choices``; None where it sees nothing of the candidates."""
        ...

    def score_block(self, queries: np.ndarray, documents: np.ndarray) -> np.ndarray | None:
        """``float32`` of shape (queries, documents) for nodes of the material; None as above."""
        ...

    def give_features(self, nodes: np.ndarray) -> np.ndarray | None:
        """Features of shape (nodes, any) for a probe; None where it has none."""
        ...


@dataclass(frozen=True)
class Choices:
    """Items with few candidates each. Rows are (question, candidate); all row arrays have one length."""

    name: str
    items: tuple[str, ...]
    parts: tuple[str, ...]
    blocks: tuple[str, ...]
    figures: tuple[FigureSpec, ...]
    question: np.ndarray
    """``int64``: the question of each row, rising."""
    item: np.ndarray
    """``int64``: the item of each row."""
    query: np.ndarray
    """``int64``: node of what is asked about."""
    candidate: np.ndarray
    """``int64``: node of the candidate."""
    right: np.ndarray
    """``bool``."""
    chance: float | None = None
    """How often an item is right by chance; None: it follows of the numbers of candidates."""

    def judge(self, system: System) -> Outcomes | None:
        """What the system reaches on each item; None where it sees nothing of the candidates."""
        scores = system.score_rows(self)
        if scores is None:
            return None
        _check_finite(scores[:, None], system, self.name, [self.items[item] for item in self.item.tolist()])
        return self.count(scores)

    def count(self, scores: np.ndarray) -> Outcomes:
        """The outcomes of ``scores``, ``float32``, one for each row.

        Measures: ``hit`` (every question answered), and over the questions of an item the means of ``pairs`` (wrong
        candidates that score lower than the worst right one), ``R@k`` and ``MRR`` of the worst right one, strict,
        and ``MRR@3``, which is nought beyond the third place.
        """
        starts = np.flatnonzero(np.diff(self.question, prepend=-1))
        worst = np.minimum.reduceat(np.where(self.right, scores, np.float32(np.inf)), starts)
        best = np.maximum.reduceat(np.where(self.right, np.float32(-np.inf), scores), starts)
        each = np.repeat(worst, np.diff(np.append(starts, len(scores))))
        as_high = np.add.reduceat((~self.right) & (scores >= each), starts, dtype=np.int64)
        wrong = np.add.reduceat(~self.right, starts, dtype=np.int64)
        ranks = 1 + as_high
        measured = {
            PAIRS: 1 - as_high / np.maximum(wrong, 1),
            **{f"R@{depth}": (ranks <= depth).astype(float) for depth in DEPTHS},
            MRR: reciprocal(ranks),
            "MRR@3": reciprocal(ranks, 3),
        }
        owner = self.item[starts]
        asked = np.bincount(owner, minlength=len(self.items))
        values = [np.bincount(owner, weights=one, minlength=len(self.items)) / asked for one in measured.values()]
        lost = np.bincount(owner, weights=worst <= best, minlength=len(self.items))
        # The question that decides an item is the one with the narrowest gap.
        order = np.lexsort((worst - best, owner))
        first = order[np.unique(owner[order], return_index=True)[1]]
        return Outcomes(
            self.items,
            self.parts,
            self.blocks,
            (HIT, *measured),
            np.stack([(lost == 0).astype(float), *values], axis=1),
            worst[first],
            best[first],
        )

    def guess(self) -> Outcomes:
        """What scores drawn at random reach on average."""
        starts = np.flatnonzero(np.diff(self.question, prepend=-1))
        right = np.add.reduceat(self.right, starts, dtype=np.int64)
        wrong = np.add.reduceat(~self.right, starts, dtype=np.int64)
        hit = np.array([1 / math.comb(int(r + w), int(r)) for r, w in zip(right, wrong, strict=True)])
        count = right + wrong
        harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, int(count.max()) + 1))])
        measured = {
            PAIRS: 1 / (right + 1),
            **{f"R@{depth}": np.where(right == 1, np.minimum(depth / count, 1.0), np.nan) for depth in DEPTHS},
            MRR: np.where(right == 1, harmonic[count] / count, np.nan),
            "MRR@3": np.where(right == 1, harmonic[np.minimum(count, 3)] / count, np.nan),
        }
        owner = self.item[starts]
        asked = np.bincount(owner, minlength=len(self.items))
        values = [np.bincount(owner, weights=one, minlength=len(self.items)) / asked for one in measured.values()]
        together = np.exp(np.bincount(owner, weights=np.log(hit), minlength=len(self.items)))
        hits = together if self.chance is None else np.full(len(self.items), self.chance)
        none = np.full(len(self.items), np.nan, dtype=np.float32)
        table = np.stack([hits, *values], axis=1)
        return Outcomes(self.items, self.parts, self.blocks, (HIT, *measured), table, none, none)


@dataclass
class ChoiceMaker:
    """Gathers items for `Choices`."""

    items: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    _rows: list[tuple[int, int, int, int, bool]] = field(default_factory=list)
    _questions: int = 0

    def add(
        self, item: str, part: str, block: str, questions: Sequence[tuple[int, Sequence[int], Sequence[int]]]
    ) -> None:
        """Add an item. ``questions``: each the node asked about, the nodes that are right and those that are wrong."""
        for query, right, wrong in questions:
            for candidate in right:
                self._rows.append((self._questions, len(self.items), query, candidate, True))
            for candidate in wrong:
                self._rows.append((self._questions, len(self.items), query, candidate, False))
            self._questions += 1
        self.items.append(item)
        self.parts.append(part)
        self.blocks.append(block)

    def finish(self, name: str, figures: Sequence[FigureSpec], chance: float | None = None) -> Choices:
        """The items gathered, as columns."""
        columns = np.array(self._rows, dtype=np.int64).reshape(-1, 5).T
        question, item, query, candidate = columns[:4]
        return Choices(
            name,
            tuple(self.items),
            tuple(self.parts),
            tuple(self.blocks),
            tuple(figures),
            question,
            item,
            query,
            candidate,
            columns[4].astype(bool),
            chance,
        )


@dataclass(frozen=True)
class Retrieval:
    """Queries against one corpus."""

    name: str
    items: tuple[str, ...]
    """Name of each query."""
    parts: tuple[str, ...]
    blocks: tuple[str, ...]
    figures: tuple[FigureSpec, ...]
    query: np.ndarray
    """``int64``: node of each query."""
    documents: np.ndarray
    """``int64``: node of each document. In a row-aligned corpus a node may stand in several rows."""
    relevant: tuple[np.ndarray, ...]
    """For each query the positions of its relevant documents."""
    grades: tuple[np.ndarray, ...] | None = None
    excluded: np.ndarray | None = None
    """``int64``: for each query the position of a document that is left out, its own; -1: none."""

    def judge(self, system: System) -> Outcomes | None:
        """What the system reaches on each query; None where it sees nothing of the documents."""
        unique, place = np.unique(self.documents, return_inverse=True)
        step = max(1, _CELLS // max(1, len(self.documents)))
        parts: list[Ranks] = []
        right, wrong = np.empty(len(self.query), dtype=np.float32), np.empty(len(self.query), dtype=np.float32)
        for start in range(0, len(self.query), step):
            stop = min(start + step, len(self.query))
            scored = system.score_block(self.query[start:stop], unique)
            if scored is None:
                return None
            _check_finite(scored, system, self.name, self.items[start:stop])
            # One column for each text or picture: equal documents score the same whatever the matrix product does.
            scores = scored[:, place]
            if self.excluded is not None:
                own = self.excluded[start:stop]
                scores[np.flatnonzero(own >= 0), own[own >= 0]] = -np.inf
            relevant = self.relevant[start:stop]
            parts.append(rank_relevant(scores, relevant, None if self.grades is None else self.grades[start:stop]))
            for offset, columns in enumerate(relevant):
                right[start + offset] = scores[offset, columns].max()
                scores[offset, columns] = -np.inf
                wrong[start + offset] = scores[offset].max()
        strict = np.concatenate([part.strict for part in parts])
        ndcg = np.concatenate([part.ndcg for part in parts])
        return self._tell(strict.astype(float), ndcg, right, wrong)

    def _tell(self, ranks: np.ndarray, ndcg: np.ndarray, right: np.ndarray, wrong: np.ndarray) -> Outcomes:
        measured = {
            **{f"R@{depth}": (ranks <= depth).astype(float) for depth in DEPTHS},
            MRR: reciprocal(ranks),
            "MRR@10": reciprocal(ranks, 10),
            NDCG: ndcg,
            RANK: ranks,
        }
        values = np.stack(list(measured.values()), axis=1)
        return Outcomes(self.items, self.parts, self.blocks, tuple(measured), values, right, wrong)

    def guess(self) -> Outcomes:
        """What a random order of the documents reaches on average: exact but for nDCG, which is left open."""
        total = len(self.documents)
        known: dict[tuple[int, int], np.ndarray] = {}
        rows = []
        for position, columns in enumerate(self.relevant):
            left_out = int(self.excluded is not None and self.excluded[position] >= 0)
            key = (len(columns), total - left_out)
            if key not in known:
                known[key] = _expect_ranks(*key)
            rows.append(known[key])
        none = np.full(len(self.query), np.nan, dtype=np.float32)
        names = (*(f"R@{depth}" for depth in DEPTHS), MRR, "MRR@10", NDCG, RANK)
        return Outcomes(self.items, self.parts, self.blocks, names, np.stack(rows), none, none)


def _check_finite(scores: np.ndarray, system: System, task: str, items: Sequence[str]) -> None:
    """NaN is neither higher nor lower than anything: an item with it would count as a hit.

    Raises:
        EvaluationError: a row of ``scores``, one for each of ``items``, is not finite.
    """
    broken = np.flatnonzero(~np.isfinite(scores).all(axis=1))
    if len(broken):
        where = f"{task}, item {items[broken[0]]}" if task else f"item {items[broken[0]]}"
        raise EvaluationError(f"{system.name}: {where}: a score is not finite ({len(broken):,} such rows)")


def _expect_ranks(relevant: int, total: int) -> np.ndarray:
    """Expected measures of the best of ``relevant`` among ``total`` documents in random order."""
    ranks = np.arange(1, total - relevant + 2)
    # P(best rank > k) = C(total - k, relevant) / C(total, relevant), by products that do not overflow.
    beyond = np.cumprod(1 - relevant / (total - ranks + 1.0))
    mass = np.concatenate([[1.0], beyond[:-1]]) - beyond
    # Ranks are counted among the irrelevant: those of other relevant documents behind the best change nothing.
    return np.array(
        [
            *(mass[ranks <= depth].sum() for depth in DEPTHS),
            (mass / ranks).sum(),
            (mass[:10] / ranks[:10]).sum(),
            np.nan,
            (mass * ranks).sum(),
        ]
    )
