"""Weights of exchanges under which no word gives a negative away.

If captions lose "dog" for "cat" more often than "cat" for "dog", a model that has never seen a picture learns that a
cat is a sign of a negative. So for each pair of words as many captions must go the one way as the other: the flow of
exchanges is symmetric (detailed balance). Each slot draws among the words that fit it with probabilities proportional
to weights, or keeps its own word with a small weight of its own; the weights are found by iterating over all slots of
the run, multiplying each by the square root of how much its converse flows more. They depend on the set of slots alone,
not on their order or on how they are cut into shards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tasks.caption.plan.slots import Key

ROUNDS = 60
KEEP = 0.02
"""The weight of making nothing of a slot: how a word that nothing flows back to is spared."""
LARGEST = 1e3


@dataclass(frozen=True)
class Offer:
    """A slot's word and the words that fit in its place."""

    own: Key
    others: tuple[Key, ...]


@dataclass(frozen=True)
class Weights:
    """The weight of each exchange. One that no slot of the run could make has none."""

    weights: dict[tuple[Key, Key], float]

    def draw(self, offer: Offer, rng: np.random.Generator, most: int) -> list[Key]:
        """At most ``most`` of the offer's words in the order in which they are tried; none: the slot is spared."""
        weights = np.array([self.weights.get((offer.own, other), 0.0) for other in offer.others])
        total = weights.sum()
        if total <= 0 or rng.random() < KEEP / (total + KEEP):
            return []
        with np.errstate(divide="ignore"):
            order = np.argsort(-(np.log(weights) + rng.gumbel(size=len(weights))), kind="stable")
        return [offer.others[i] for i in order[:most] if weights[i] > 0]


def balance(offers: Sequence[Offer], rounds: int = ROUNDS) -> Weights:
    """The weights under which the expected flow between any two words is the same both ways."""
    if not any(offer.others for offer in offers):
        return Weights({})
    pairs = [(offer.own, other) for offer in offers for other in offer.others]
    slots = np.repeat(np.arange(len(offers)), [len(offer.others) for offer in offers])
    known = sorted(set(pairs) | {(b, a) for a, b in pairs})
    numbers = {pair: i for i, pair in enumerate(known)}
    which = np.array([numbers[pair] for pair in pairs])
    converse = np.array([numbers[b, a] for a, b in known])
    weights = np.ones(len(known))
    for _ in range(rounds):
        flow = _measure_flow(weights, which, slots, len(offers))
        back = flow[converse]
        ratio = np.divide(back, flow, out=np.zeros_like(flow), where=flow > 0)
        weights = np.minimum(weights * np.sqrt(ratio), LARGEST)
    return Weights({pair: float(weights[i]) for pair, i in numbers.items() if weights[i] > 0})


def _measure_flow(weights: np.ndarray, which: np.ndarray, slots: np.ndarray, count: int) -> np.ndarray:
    """How many slots make each exchange, as expected."""
    each = weights[which]
    totals = np.bincount(slots, each, minlength=count) + KEEP
    return np.bincount(which, each / totals[slots], minlength=len(weights))
