"""Edits of relations and of shapes by quota.

Most edits that turn a relation or a shape into another are spare: their words would tell negatives from captions,
which say `perpendicular` four times for each `equal`. A recipe may ask for a share of them all the same, as a model
that never sees a relation turned learns nothing of relations. What is taken first is what tells least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tasks.geometry.edits.proposals import Proposal
from tasks.geometry.edits.search import Negative, Search

KINDS = ("relation", "shape")
_TRIES = 4
"""Edits that are tried for each that is asked for; most are false of every figure."""


def fill_quotas(
    spare: Sequence[Proposal], search: Search, attempt: Callable[[Proposal], Negative | None]
) -> Iterator[Negative]:
    """Negatives with one edit of a relation or a shape, as many of each as the quota asks for and ``spare`` offers."""
    for kind in KINDS:
        # A half of a negative is one negative of every second anchor.
        wanted = int(search.quota + search.rng.random())
        offered = [proposal for proposal in spare if proposal.kind == kind]
        keys = [np.log(max(each.odds, 1e-9)) + search.rng.gumbel() for each in offered]
        order = sorted(range(len(offered)), key=lambda at: -keys[at])
        for at in order[: _TRIES * wanted]:
            negative = attempt(offered[at]) if wanted else None
            if negative is not None:
                wanted -= 1
                yield negative
