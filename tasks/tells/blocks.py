"""Blocks of anchors that belong together, and folds that keep each block whole.

A judge that has seen one question about a figure knows the figure: anchors of one source row, of one group, or with an
equal picture or caption are one block, and a block is wholly in the part that a judge learns from or wholly in the
part that it is tried on.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from counterfoil.storage.rows import content_id
from counterfoil.storage.uniting import Sets


def join_blocks(keys: Sequence[Iterable[Hashable]]) -> list[int]:
    """The block of each item, numbered from 0 as they are met: items that share a key are in one block, and so on.

    >>> join_blocks([["a"], ["b", "c"], ["c"], ["a", "d"]])
    [0, 1, 1, 0]
    """
    blocks: Sets[int] = Sets()
    first: dict[Hashable, int] = {}
    for item, own in enumerate(keys):
        for key in own:
            blocks.unite(first.setdefault(key, item), item)
    numbers: dict[int, int] = {}
    return [numbers.setdefault(blocks.find(item), len(numbers)) for item in range(len(keys))]


def deal_folds(blocks: np.ndarray, names: Sequence[str], folds: int, seed: int) -> np.ndarray:
    """The fold of each item: whole blocks, in the order of their hashes, each to the fold that has the fewest items.

    ``names`` are the items' ids: a block is known by its least, so the folds do not depend on the rows' order.
    """
    members: dict[int, list[int]] = {}
    for item, block in enumerate(blocks.tolist()):
        members.setdefault(block, []).append(item)
    order = sorted(members.values(), key=lambda items: content_id("fold", seed, min(names[item] for item in items)))
    fold_of, sizes = np.zeros(len(blocks), dtype=np.int64), [0] * folds
    for items in order:
        fold = sizes.index(min(sizes))
        fold_of[items] = fold
        sizes[fold] += len(items)
    return fold_of
