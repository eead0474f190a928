"""Judges that see a whole set, an anchor among its contrasts, and no question: which of these is the one?

Near misses that were all made of one item have it in their middle, and twins leave it standing alone. A judge of single
items sees neither. Those that learn nothing point at the item nearest to the others, or furthest from them, by words,
letters or pixels, and at the one that occurs once, or oftenest, when sentences are put in order. Two learn from other
source rows what an anchor's place among its set is: each number of an item beside the mean and the spread of its set.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from counterfoil.tasks.tells.compare import Comparison
from counterfoil.tasks.tells.distances import measure_edits, measure_letters, measure_pixels
from counterfoil.tasks.tells.figures import Items
from counterfoil.tasks.tells.judges import TreeJudge, judge_numbers, score_folds
from counterfoil.tasks.tells.wording import split_tokens

MOST_SETS = 400
"""Sets that are judged at most: distances grow with the square of their size."""
LEARNT = "learnt on sets"
_LARGEST = 16
"""Contrasts of a set that are looked at, the first by rank."""
_NEAREST = 3
_PIECES = re.compile(r"[.;\n]+\s*")
_DIRECTION = re.compile(r"(?:flowchart|graph)\b")


@dataclass(frozen=True)
class Sets:
    """Some of a comparison's anchors, each with one item of its own and some contrasts."""

    rows: np.ndarray
    """Places in the comparison."""
    items: Items


def choose_sets(
    comparison: Comparison, *, fewest: int = 2, most: int = MOST_SETS, largest: int = _LARGEST
) -> Sets | None:
    """The sets that are judged: of at most ``most`` anchors that have ``fewest`` contrasts, the first ``largest`` of
    these by rank; None where there are none."""
    items = comparison.items
    chosen: list[np.ndarray] = []
    anchors: list[int] = []
    for anchor, (own, other) in enumerate(items.divide()):
        if len(other) >= fewest and len(chosen) < most:
            # Of several captions another one of each anchor's.
            mine = own[[anchor % len(own)]]
            chosen.append(np.concatenate([mine, other[:largest]]))
            anchors.append(anchor)
    if not chosen:
        return None
    rows = np.concatenate(chosen)
    owner = np.repeat(np.arange(len(chosen)), [len(each) for each in chosen])
    _, blocks = np.unique(items.blocks[anchors], return_inverse=True)
    return Sets(rows, Items(owner, items.own[rows], blocks, items.folds[anchors]))


def normalise_text(text: str) -> tuple[str, ...]:
    """The sentences (of code, the lines) in an order of their own: what only orders them otherwise is the same. Which
    way a chart runs is not read.

    >>> normalise_text("B is red. A is blue.") == normalise_text("A is blue. B is red.")
    True
    """
    pieces = (" ".join(piece.split()) for piece in _PIECES.split(text.casefold()))
    return tuple(sorted(piece for piece in pieces if piece and not _DIRECTION.match(piece)))


def judge_sets(
    sets: Sets, texts: Sequence[str], numbers: np.ndarray, thumbnails: np.ndarray | None
) -> Iterator[tuple[str, np.ndarray]]:
    """Each judge's name and its scores of the sets' items: the highest is the one it points at.

    Args:
        texts, numbers, thumbnails: of the sets' items; thumbnails of pictures alone. The text of a picture is the
            caption that is true of it.
    """
    items = sets.items
    pairs, blocks = _pair_up(items)
    distances = (
        {
            "words": measure_edits([split_tokens(text) for text in texts], pairs),
            "letters": measure_letters(texts, pairs),
        }
        if thumbnails is None
        else {
            "pixels": measure_pixels(thumbnails, pairs, turned=False),
            "turned pixels": measure_pixels(thumbnails, pairs, turned=True),
        }
    )
    standing: list[np.ndarray] = []
    for name, found in distances.items():
        far, near = _summarise(items, blocks, found)
        standing += [far, near]
        yield f"middle by {name}", -far
        yield f"middle of the nearest by {name}", -near
        yield f"edge by {name}", far
        yield f"edge of the nearest by {name}", near
    occurs = _count_equal(items, texts, thumbnails)
    yield "occurs once", -occurs
    yield "occurs oftenest", occurs
    features = _place_in_sets(items, np.column_stack([numbers, *standing, occurs]))
    yield f"{LEARNT}, linear", score_folds(items, judge_numbers(features))
    yield f"{LEARNT}, trees", score_folds(items, TreeJudge(features))


def _pair_up(items: Items) -> tuple[np.ndarray, list[slice]]:
    """All pairs of each set, (N, 2), and where those of each set stand; a set's items follow each other."""
    sizes = np.bincount(items.owner, minlength=items.anchors)
    starts = np.cumsum(sizes) - sizes
    found, blocks, at = [], [], 0
    for start, size in zip(starts.tolist(), sizes.tolist(), strict=True):
        first, second = np.triu_indices(size, 1)
        found.append(np.stack([first, second], axis=1) + start)
        blocks.append(slice(at, at + len(first)))
        at += len(first)
    return np.concatenate(found), blocks


def _summarise(items: Items, blocks: Sequence[slice], distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each item's mean distance from all others of its set, and from the three nearest."""
    sizes = np.bincount(items.owner, minlength=items.anchors).tolist()
    far, near = [], []
    for size, block in zip(sizes, blocks, strict=True):
        table = np.zeros((size, size))
        table[np.triu_indices(size, 1)] = distances[block].round(9)
        table += table.T
        ordered = np.sort(table + np.diag(np.full(size, np.inf)), axis=1)[:, : size - 1]
        far.append(ordered.mean(axis=1))
        near.append(ordered[:, :_NEAREST].mean(axis=1))
    return np.concatenate(far).round(9), np.concatenate(near).round(9)


def _count_equal(items: Items, texts: Sequence[str], thumbnails: np.ndarray | None) -> np.ndarray:
    """How many of its set say what each item says."""
    said = [
        (owner, normalise_text(text) if text or thumbnails is None else (thumbnails[place].tobytes(),))
        for place, (owner, text) in enumerate(zip(items.owner.tolist(), texts, strict=True))
    ]
    counts = Counter(said)
    return np.array([counts[each] for each in said], dtype=np.float64)


def _place_in_sets(items: Items, numbers: np.ndarray) -> np.ndarray:
    """Of each number how far it is from its set's mean in spreads of the set, with its sign and without."""
    sizes = np.bincount(items.owner, minlength=items.anchors)[:, None]
    totals = np.zeros((items.anchors, numbers.shape[1]))
    np.add.at(totals, items.owner, numbers)
    gaps = numbers - (totals / sizes)[items.owner]
    squares = np.zeros_like(totals)
    np.add.at(squares, items.owner, gaps * gaps)
    spread = np.sqrt(squares / sizes)[items.owner]
    placed = np.divide(gaps, spread, out=np.zeros_like(gaps), where=spread > 1e-9).round(9)
    return np.column_stack([placed, np.abs(placed)])
