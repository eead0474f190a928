"""Whether rows refer to anchors that are there, each once: a join on disk (`storage.spilling`), not one set of ids."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

ANCHORS = 0
"""The number that marks an id as an anchor's own; others are of what refers to anchors."""


@dataclass
class Problem:
    """How many ids are wrong, and the least of them."""

    count: int = 0
    example: str = ""

    def add(self, ids: pa.Array | pa.ChunkedArray) -> None:
        """Further ids that are wrong."""
        if len(ids):
            least = str(pc.min(ids).as_py())
            self.example = least if not self.count else min(self.example, least)
            self.count += len(ids)


def count_problems(parts: Iterable[pa.Table], referring: int) -> list[Problem]:
    """Of parts of rows (anchor_id, of): the anchors that are there twice, and for each number of what refers to them
    (1 and on) the ids of no anchor.

    >>> rows = pa.table({"anchor_id": ["a", "b", "b", "c", "c"], "of": [0, 0, 0, 1, 1]})
    >>> count_problems([rows], 2)
    [Problem(count=1, example='b'), Problem(count=1, example='c'), Problem(count=0, example='')]
    """
    problems = [Problem() for _ in range(referring + 1)]
    for part in parts:
        kinds = part["of"].to_numpy()
        own = part["anchor_id"].filter(pa.array(kinds == ANCHORS))
        counts = own.value_counts()
        problems[ANCHORS].add(counts.field("values").filter(pc.greater(counts.field("counts"), 1)))
        known = pc.is_in(part["anchor_id"], value_set=own).to_numpy()
        for number in np.unique(kinds[~known]).tolist():
            lost = part["anchor_id"].filter(pa.array(~known & (kinds == number)))
            problems[number].add(pc.unique(lost))
    return problems
