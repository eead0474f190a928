"""Quotas of what negatives change: how many of an anchor's may, and how many must, differ in some kinds.

A chooser that brings words into balance would else drop what changes the picture, as its words are the rarer ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterfoil.tasks.contract.choosing import Limit

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Quota:
    """At most a share of negatives that change nothing but ``kinds``; or at least a share that change any of them, if
    there are so many."""

    kinds: tuple[str, ...]
    share: float
    least: bool = False

    def limit(self, changes: Sequence[Sequence[str]], wanted: int) -> Limit:
        """The limit that this sets to one anchor's negatives, by what each changes, of which ``wanted`` stay.

        >>> quota = Quota(("number",), 0.5)
        >>> quota.limit([["number"], ["number"], ["shape"], ["number", "shape"]], 2).leave([0]).tolist()
        [False, False, True, True]
        """
        kinds = set(self.kinds)
        bound = [not kinds & {*each} if self.least else bool(each) and {*each} <= kinds for each in changes]
        free = len(changes) - sum(bound)
        if self.least:
            most = wanted - min(math.ceil(round(self.share * wanted, _DIGITS)), free)
        else:
            most = max(math.floor(round(self.share * wanted, _DIGITS)), wanted - free)
        return Limit(np.array(bound, np.int64), np.array([len(changes), most]))
