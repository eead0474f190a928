"""How likely a judge prefers a caption to its near miss, and which near misses leave it without a preference.

The judge is a model of captions that the choosing model has not read. A run finds out how such a judge differs from its
own model: each half of its pictures judges a sample of the other half. What one model finds likelier another finds
likelier less often, by how much depends on the kind of change, and on how rare the words are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

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
_PRICES: Mapping[str, float] = {
    "swap": 9.0,
    "replace_att": 1.5,
    "count": 4.0,
    "replace_rel": 2.6,
    "add_att": 1.7,
    "replace_obj": 2.2,
    "add_obj": 0.2,
}
"""By kind, what is asked for a likelihood before a run's captions are read, found on captions of COCO."""
_KEENER: Mapping[str, float] = {"replace_att": 0.09, "add_att": 0.06, "replace_obj": 0.04, "replace_rel": 0.05}
"""By kind, how much oftener than the run's half does a judge prefer the caption that read eight times as much."""
Balanced = Literal["kinds", "changes", "all"]
_GROUPS: Mapping[Balanced, Mapping[str, str]] = {
    "kinds": {kind: kind for kind in BEFORE},
    "changes": {kind: "attribute" if kind == "count" else kind.rpartition("_")[2] for kind in BEFORE},
    "all": dict.fromkeys(BEFORE, ""),
}
"""What the kinds are held to their bound with: alone, with what changes the same (things, qualities), with all."""
_HELD = 4.0
"""How many doubtful rows of a run weigh as much as that."""
_STEPS = 200
_FAR = 15.0
_ONE, _FULL, _KINDS, _MORE = 1.3, 0.2, 2.0, 0.1
"""What a caption's first near miss is worth, three of them, three kinds of them, and each beyond three."""
_FEW = 3
_DOUBTED = 40.0
"""Rows that weigh as much as what is foretold."""
_ROUNDS, _SLOWER = 40, 0.93
_DEAREST = 60.0
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
    """A near miss of a caption that both halves have seen."""

    caption: str
    kind: str
    seen: Seen
    preferred: bool
    """Whether the other half finds the caption likelier."""


@dataclass(frozen=True, slots=True)
class Balance:
    """How a judge's preference is foretold by kind of change, and what it costs.

    Attributes:
        weights: of each kind's features.
        prices: of each kind, for every point by which the share that is foretold is above ``preferred``. What is
            below pays for others.
        preferred: the share of captions that the judge may prefer; 1: nothing costs anything.
    """

    weights: Mapping[str, tuple[float, float, float]]
    prices: Mapping[str, float]
    preferred: float

    def bound(self, kind: str) -> float:
        """The share that a kind may have by the run's own halves."""
        return self.preferred - _KEENER.get(kind, 0.0)

    def cost(self, kind: str, share: float) -> float:
        return self.prices[kind] * (share - self.bound(kind))

    def may_pay(self, kind: str, share: float) -> bool:
        """Whether a near miss alone is worth what it costs."""
        return self.cost(kind, share) <= _ONE + _FULL + _KINDS

    def foretell(self, kind: str, seen: Seen) -> float:
        """How likely the judge prefers the caption.

        >>> balance = Balance(BEFORE, {}, 0.5)
        >>> balance.foretell("replace_obj", Seen(9.0, 2.0)) < 0.5 < balance.foretell("replace_obj", Seen(0.0, 0.0))
        True
        """
        found = sum(a * b for a, b in zip(self.weights[kind], _list_features(seen), strict=True))
        return 1 / (1 + math.exp(-found))


def name_kind(miss: Miss) -> str:
    """As SugarCrepe names it; of numbers ``count``, of both swaps ``swap``."""
    return miss.sort if miss.sort in ("count", "swap") else miss.edit.kind


def thin(places: Sequence[int]) -> Sequence[int]:
    """So many of one kind and caption as are looked at.

    >>> len(thin(range(99))), thin(range(3))
    (60, range(0, 3))
    """
    return places if len(places) <= KEPT else [places[i * len(places) // KEPT] for i in range(KEPT)]


def choose_set(kinds: Mapping[str, Sequence[float]], each: int, balance: Balance) -> list[tuple[str, int]]:
    """Which of a caption's near misses are worth most: of each kind the shares that are foretold, the least first, and
    of what is chosen the kind and its place there."""
    priced = [
        (balance.cost(kind, share), kind, i) for kind, shares in kinds.items() for i, share in enumerate(shares[:each])
    ]
    priced.sort(key=lambda one: one[0])
    firsts = [one for one in priced if one[2] == 0]
    best, most, full = priced[:0], 0.0, min(each, _FEW)
    for distinct in range(1, min(each, len(firsts)) + 1):
        found = firsts[:distinct]
        cost, named = sum(one[0] for one in found), {one[1] for one in found}
        others = [*islice((one for one in priced if one[2] or one[1] not in named), each - distinct)]
        for number in range(distinct, distinct + len(others) + 1):
            if number > distinct:
                one = others[number - distinct - 1]
                found, cost = [*found, one], cost + one[0]
                named.add(one[1])
            worth = _ONE + _FULL * (number >= full) + _KINDS * (len(named) >= full)
            worth += _MORE * max(number - full, 0) - cost
            if worth > most:
                best, most = found, worth
    return [(kind, i) for _, kind, i in best]


def find_balance(samples: Sequence[Sample], each: int, preferred: float, balanced: Balanced = "kinds") -> Balance:
    """What leaves the judge of the samples with this share of captions preferred, of each kind, of each sort of change
    or of all together, where ``each`` near misses of a caption are made at most; 1: nothing is left out."""
    weights = dict(BEFORE)
    for kind, held in BEFORE.items():
        own = [sample for sample in samples if sample.kind == kind]
        if own:
            weights[kind] = _learn(own, np.array(held))
    balance = Balance(weights, dict.fromkeys(BEFORE, 0.0) if preferred >= 1 else dict(_PRICES), preferred)
    if preferred >= 1 or not samples:
        return balance
    return _find_prices(samples, each, balance, _GROUPS[balanced])


def _find_prices(samples: Sequence[Sample], each: int, balance: Balance, groups: Mapping[str, str]) -> Balance:
    """Raised where more of what is chosen is preferred than may be, lowered where less is."""
    captions: dict[str, dict[str, list[tuple[float, bool]]]] = {}
    for sample in samples:
        share = balance.foretell(sample.kind, sample.seen)
        captions.setdefault(sample.caption, {}).setdefault(sample.kind, []).append((share, sample.preferred))
    told = [{kind: sorted(own)[:each] for kind, own in kinds.items()} for kinds in captions.values()]
    shares = [{kind: [share for share, _ in own] for kind, own in kinds.items()} for kinds in told]
    rate = 4.0
    if len({*groups.values()}) < len(groups):
        balance = Balance(balance.weights, dict.fromkeys(BEFORE, 1.0), balance.preferred)
    for _ in range(_ROUNDS):
        above: dict[str, list[tuple[float, float]]] = {}
        for own, known in zip(shares, told, strict=True):
            for kind, i in choose_set(own, each, balance):
                share, preferred = known[kind][i]
                bound = balance.bound(kind)
                above.setdefault(groups[kind], []).append((share - bound, preferred - bound))
        prices = {}
        for kind, price in balance.prices.items():
            share, told_share = np.sum(found := above.get(groups[kind], [(0.0, 0.0)]), axis=0).tolist()
            mean = share / len(found)
            # What few rows told is little beside what is foretold of them.
            off = max(mean, (told_share + _DOUBTED * mean) / (len(found) + _DOUBTED))
            prices[kind] = round(min(price * math.exp(rate * off), _DEAREST), 4)
        balance = Balance(balance.weights, prices, balance.preferred)
        rate *= _SLOWER
    return balance


def _foretell(features: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-np.clip(features @ weights, -30, 30))))


def _measure(samples: Sequence[Sample]) -> np.ndarray:
    return np.array([_list_features(each.seen) for each in samples])


def _list_features(seen: Seen) -> tuple[float, float, float]:
    return 1.0, min(max(seen.lead, -_FAR), _FAR), min(max(seen.common, -_FAR), _FAR)


def _learn(samples: Sequence[Sample], held: np.ndarray) -> tuple[float, float, float]:
    """Logistic regression, held to what was known before."""
    features, told = _measure(samples), np.array([each.preferred for each in samples], float)
    weights = held
    # A quarter of the features' products bends at least as much as the likelihood does, so that no step goes too far.
    bent = np.linalg.inv(features.T @ features / 4 + _HELD * np.eye(3))
    for _ in range(_STEPS):
        found = _foretell(features, weights)
        weights = weights + bent @ (features.T @ (told - found) - _HELD * (weights - held))
    a, b, c = np.round(weights, 2).tolist()
    return a, b, c
