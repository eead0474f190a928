"""How likely a judge prefers a caption to its near miss.

The judge is a model of captions that the choosing model has not read. A run finds out how such a judge differs from its
own model: each half of its pictures judges a sample of the other half. What one model finds likelier another finds
likelier less often, by how much depends on the kind of change, and on how rare the words are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from counterfoil.tasks.caption.near.miss import Miss

BEFORE: Mapping[str, tuple[float, float, float]] = {
    "swap": (1.4, -0.35, -0.1),
    "replace_att": (1.0, -0.1, -0.45),
    "count": (1.9, -0.25, 0.0),
    "replace_rel": (1.5, -0.4, 0.0),
    "add_att": (1.3, -0.4, 0.0),
    "replace_obj": (1.1, -0.25, -0.2),
    "add_obj": (0.6, -0.3, 0.0),
}
"""By kind, the rarest first: what is held before a run's captions are read, found on captions of COCO."""
_HELD = 4.0
"""How many doubtful rows of a run weigh as much as that."""
_STEPS = 200
_FAR = 15.0
KEPT = 60
"""Near misses of a kind and caption that are looked at, spread over all that there are."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the choosing model finds of a near miss.

    Attributes:
        lead: by how many nats it is likelier than its caption.
        common: the logarithms of how often the words come that are new, less those of the words that are gone.
    """

    lead: float
    common: float


@dataclass(frozen=True, slots=True)
class Sample:
    """A near miss that both halves have seen, and whether the other half finds its caption likelier."""

    kind: str
    seen: Seen
    preferred: bool


@dataclass(frozen=True, slots=True)
class Balance:
    """How a judge's preference is foretold by kind of change: the weights of each kind's features."""

    weights: Mapping[str, tuple[float, float, float]]

    def foretell(self, kind: str, seen: Seen) -> float:
        """How likely the judge prefers the caption.

        >>> balance = Balance(BEFORE)
        >>> balance.foretell("replace_obj", Seen(9.0, 2.0)) < 0.5 < balance.foretell("replace_obj", Seen(0.0, 0.0))
        True
        """
        found = sum(a * b for a, b in zip(self.weights[kind], _list_features(seen), strict=True))
        return 1 / (1 + math.exp(-found))


def name_kind(miss: Miss) -> str:
    """As SugarCrepe names it; of numbers ``count``, of both swaps ``swap``."""
    return miss.sort if miss.sort in ("count", "swap") else miss.edit.kind


def thin(places: Sequence[int], most: int = KEPT) -> Sequence[int]:
    """So many of one kind and caption as are looked at.

    >>> len(thin(range(99))), thin(range(3))
    (60, range(0, 3))
    """
    return places if len(places) <= most else [places[i * len(places) // most] for i in range(most)]


def find_balance(samples: Sequence[Sample]) -> Balance:
    """How the judge of the samples is foretold; of kinds that none shows, what is held before."""
    weights = dict(BEFORE)
    for kind, held in BEFORE.items():
        own = [sample for sample in samples if sample.kind == kind]
        if own:
            weights[kind] = _learn(own, np.array(held))
    return Balance(weights)


def _list_features(seen: Seen) -> tuple[float, float, float]:
    return 1.0, min(max(seen.lead, -_FAR), _FAR), min(max(seen.common, -_FAR), _FAR)


def _learn(samples: Sequence[Sample], held: np.ndarray) -> tuple[float, float, float]:
    """Logistic regression, held to what was known before."""
    features = np.array([_list_features(each.seen) for each in samples])
    told = np.array([each.preferred for each in samples], float)
    weights = held
    # A quarter of the features' products bends at least as much as the likelihood does, so that no step goes too far.
    bent = np.linalg.inv(features.T @ features / 4 + _HELD * np.eye(3))
    for _ in range(_STEPS):
        found = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        weights = weights + bent @ (features.T @ (told - found) - _HELD * (weights - held))
    a, b, c = np.round(weights, 2).tolist()
    return a, b, c
