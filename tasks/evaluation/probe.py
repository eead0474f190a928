"""Linear probes: what a straight line through the features of pictures tells of their labels.

Logistic regression by scikit-learn on frozen features, as CLIP (appendix A.3) and VTAB's linear protocol do it: the
strength of the penalty is chosen on a fifth of the training pictures, held back, and all are learnt from again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from counterfoil.tasks.encoders.base import find_broken
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.outcomes import FigureSpec, Outcomes
from counterfoil.tasks.packages import explained

if TYPE_CHECKING:
    from counterfoil.tasks.evaluation.tasks import System

HIT, PRECISION = "hit", "AP"
STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)
_STEPS = 1000


@dataclass(frozen=True)
class Probe:
    """Pictures to learn from and to be tried on. With several labels a picture, an item is a label, else a picture."""

    name: str
    items: tuple[str, ...]
    """Names of the pictures tried, or of the labels where there are several to a picture."""
    parts: tuple[str, ...]
    blocks: tuple[str, ...]
    figures: tuple[FigureSpec, ...]
    learn: np.ndarray
    """``int64``: nodes of the pictures learnt from."""
    judged: np.ndarray
    """``int64``: nodes of the pictures tried."""
    learnt: np.ndarray
    """``bool`` of shape (pictures learnt from, labels)."""
    truth: np.ndarray
    """``bool`` of shape (pictures tried, labels)."""
    several: bool
    """Whether a picture may have several labels: then the mean average precision is measured, else the accuracy."""

    def judge(self, system: System) -> Outcomes | None:
        """What can be told of the system's features; None where it has none of pictures."""
        features = system.give_features(np.concatenate([self.learn, self.judged]))
        if features is None:
            return None
        if find_broken(features).any():
            raise EvaluationError(f"{system.name}: features that are not finite: nothing is learnt from them")
        learn, judged = features[: len(self.learn)], features[len(self.learn) :]
        with explained("a probe"):
            scores = _score_several(learn, self.learnt, judged) if self.several else self._score_one(learn, judged)
        return self.count(scores)

    def count(self, scores: np.ndarray) -> Outcomes:
        """Outcomes of ``scores`` (pictures tried, labels), strict: a label that ties with the right one wins."""
        if self.several:
            values = np.array([average_precision(scores[:, label], self.truth[:, label]) for label in self._tried])
            none = np.full(len(values), np.nan, dtype=np.float32)
            return Outcomes(self.items, self.parts, self.blocks, (PRECISION,), values[:, None], none, none)
        single = scores.astype(np.float32)
        right = np.where(self.truth, single, -np.inf).max(axis=1)
        wrong = np.where(self.truth, -np.inf, single).max(axis=1)
        hit = (right > wrong).astype(float)
        return Outcomes(self.items, self.parts, self.blocks, (HIT,), hit[:, None], right, wrong)

    def guess(self) -> Outcomes:
        """What the commonest label reaches, or for several labels a random order: their share."""
        if self.several:
            values = self.truth[:, self._tried].mean(axis=0)
            none = np.full(len(values), np.nan, dtype=np.float32)
            return Outcomes(self.items, self.parts, self.blocks, (PRECISION,), values[:, None], none, none)
        commonest = int(self.learnt.sum(axis=0).argmax())
        none = np.full(len(self.items), np.nan, dtype=np.float32)
        hit = self.truth[:, commonest].astype(float)
        return Outcomes(self.items, self.parts, self.blocks, (HIT,), hit[:, None], none, none)

    @property
    def _tried(self) -> np.ndarray:
        """The labels that some tried picture has: average precision says nothing of others."""
        return np.flatnonzero(self.truth.any(axis=0))

    def _score_one(self, learn: np.ndarray, judged: np.ndarray) -> np.ndarray:
        labels = self.learnt.argmax(axis=1)
        held = _hold_back(len(learn))
        tried = {
            strength: float((_fit(learn[~held], labels[~held], strength).predict(learn[held]) == labels[held]).mean())
            for strength in STRENGTHS
            if len(np.unique(labels[~held])) > 1
        }
        best = max(tried, key=lambda strength: tried[strength], default=1.0)
        model = _fit(learn, labels, best)
        scores = np.full((len(judged), self.truth.shape[1]), -np.inf)
        decided = model.decision_function(judged)
        scores[:, model.classes_] = decided if decided.ndim == 2 else np.stack([-decided, decided], axis=1)
        return scores


def average_precision(scores: np.ndarray, truth: np.ndarray) -> float:
    """Mean over the right pictures of the precision down to each, strict on ties.

    >>> average_precision(np.array([.9, .8, .7]), np.array([True, False, True]))
    0.8333333333333333
    >>> average_precision(np.array([.9, .9, .7]), np.array([True, False, False]))
    0.5
    """
    right, wrong = np.sort(scores[truth])[::-1], np.sort(scores[~truth])
    ahead = len(wrong) - np.searchsorted(wrong, right, side="left")
    place = np.arange(1, len(right) + 1)
    return float((place / (place + ahead)).mean()) if len(right) else float("nan")


def _score_several(learn: np.ndarray, labels: np.ndarray, judged: np.ndarray) -> np.ndarray:
    """One against all others for each label, the strength chosen by the mean average precision on what is held back."""
    held = _hold_back(len(learn))

    def tell(strength: float) -> float:
        found = [
            average_precision(_fit(learn[~held], own[~held], strength).decision_function(learn[held]), own[held])
            for own in labels.T
            if own[held].any() and 0 < own[~held].sum() < (~held).sum()
        ]
        return float(np.mean(found)) if found else 0.0

    best = max(STRENGTHS, key=tell)
    columns = []
    for own in labels.T:
        known = 0 < own.sum() < len(own)
        columns.append(_fit(learn, own, best).decision_function(judged) if known else np.zeros(len(judged)))
    return np.stack(columns, axis=1)


def _hold_back(count: int) -> np.ndarray:
    """Every fifth picture, in an order of its own: files come sorted by label."""
    order = np.random.default_rng(0).permutation(count)
    held = np.zeros(count, dtype=bool)
    held[order[: count // 5]] = True
    return held


def _fit(features: np.ndarray, labels: np.ndarray, strength: float) -> Any:
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    if len(np.unique(labels)) < 2:
        raise EvaluationError("a probe needs pictures of two labels at least to learn from")
    with threadpool_limits(1):
        return LogisticRegression(C=strength, max_iter=_STEPS).fit(features.astype(np.float64), labels)
