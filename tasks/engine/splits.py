"""Which split an anchor is in: what its source says, else by a hash of its group, so that equal anchors go together.

Anchors of one group (an equal picture or equal facts) are never in two splits: the most held-out one takes them all,
also where sources name their splits, or what is tested on would be trained on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.contract.splits import TEST, TRAIN


def assign_split(anchor: Anchor, test_share: float, seed: int) -> Anchor:
    """The anchor in train or test, by the hash of its group; as it is where its source names a split."""
    if anchor.split:
        return anchor
    digest = hashlib.sha256(f"{seed}:split:{anchor.group}".encode()).digest()
    return replace(anchor, split=TEST if int.from_bytes(digest[:8], "big") < test_share * 2**64 else TRAIN)


def settle_splits(members: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """(group, split) of each anchor to the one split of each group: test before any other, any other before train.

    >>> settle_splits([("a", "train"), ("a", "val"), ("b", "train"), ("c", "val"), ("c", "test")])
    {'a': 'val', 'b': 'train', 'c': 'test'}
    """
    settled: dict[str, str] = {}
    for group, split in members:
        settled[group] = min(settled.get(group, split), split, key=_rank)
    return settled


def _rank(split: str) -> tuple[int, str]:
    return {TEST: 0, TRAIN: 2}.get(split, 1), split
