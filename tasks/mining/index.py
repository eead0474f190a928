"""The nearest rows of each query, by the way that fits the size and the machine.

| way | where | result |
| --- | --- | --- |
| ``gpu`` | torch sees a GPU | exact: float32 products, a block at a time |
| ``flat`` | faiss is installed | exact: ``IndexFlatIP`` |
| ``plain`` | always, numpy alone | exact |
| ``ivf`` | more products than `MOST_PRODUCTS`, faiss is installed | approximate, its recall measured and told |

Rows may be a memory map: what is held of them in memory is a block, or, for ``ivf``, one byte for each number.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np

from counterfoil.tasks.mining.errors import MiningError
from counterfoil.tasks.mining.neighbours import (
    BLOCK,
    MOST_ROWS,
    NOBODY,
    Gathering,
    Neighbours,
    measure_recall,
    pack,
    settle,
)
from counterfoil.tasks.mining.sound import check_width, describe_flaws, find_flaws
from counterfoil.tasks.packages import import_package

Way = Literal["auto", "gpu", "flat", "plain", "ivf"]
MOST_PRODUCTS = 4e12
"""Pairs from which a processor takes an approximate index: two million rows by themselves, hours of exact products."""
_SMALL = 1e8
"""Pairs up to which numpy is as fast as loading a library."""
_LIGHT = 1e9
"""Pairs up to which faiss is done before torch has started, which takes 0.2 GB: more than the vectors do."""
_SPARE = 2
"""Candidates that ``ivf`` brings for each that is wanted, to be scored again in float32."""
_CHECKED = 256
"""Queries by which recall is measured."""
_ENOUGH = 0.95
"""Recall at which ``ivf`` stops looking into more cells."""


@dataclass(frozen=True)
class Searched:
    """What a search found, and how."""

    neighbours: Neighbours
    way: str
    recall: float | None = None
    """Measured on a sample of the queries; None where the way is exact."""
    left_out: tuple[Mapping[int, str], Mapping[int, str]] = ({}, {})
    """Queries and rows that cannot be compared, each with its reason: the queries have no neighbours, the rows are
    nobody's."""

    def describe(self) -> str:
        """How it was searched, for the user."""
        exact = "exact" if self.recall is None else f"recall {self.recall:.4f} on {_CHECKED} queries"
        sides = ("queries",) if self.left_out[0] is self.left_out[1] else ("queries", "rows")
        told = [describe_flaws(flaws, side) for flaws, side in zip(self.left_out, sides, strict=False) if flaws]
        return "; ".join([f"{self.way}, {exact}", *told])


def search(
    queries: np.ndarray,
    rows: np.ndarray,
    k: int,
    *,
    itself: bool = False,
    way: Way = "auto",
    tell: Callable[[str], None] = lambda _: None,
) -> Searched:
    """The ``k`` nearest ``rows`` of each query by cosine, nearest first, ties by row.

    Args:
        queries, rows: ``float32`` or ``float16`` of shape (N, D), of unit length; products are of ``float32``.
        itself: both are the same rows, and none is its own neighbour.
        way: one of the table above; auto chooses.
        tell: gets a line on how it was searched.

    Raises:
        MiningError: more rows than can be numbered, queries of another width than the rows, or a way that this machine
            does not have.
    """
    if len(rows) >= MOST_ROWS:
        raise MiningError(f"{len(rows):,} rows are too many for one index ({MOST_ROWS:,}): search them in parts")
    if not len(queries) or not len(rows):
        return Searched(Neighbours.empty(len(queries), k), "plain")
    check_width(rows, None, "the rows")
    check_width(queries, rows.shape[1], "the queries")
    flaws = find_flaws(rows)
    left_out = (flaws if itself or queries is rows else find_flaws(queries), flaws)
    chosen = choose_way(len(queries), len(rows)) if way == "auto" else way
    if any(left_out):
        searched = _run_without(left_out, chosen, queries, rows, k, itself)
    else:
        searched = _run(chosen, queries, rows, k, itself)
    tell(f"{len(queries):,} queries among {len(rows):,} rows: {searched.describe()}")
    return searched


def choose_way(queries: int, rows: int) -> Way:
    """The way for so many ``queries`` and ``rows`` on this machine."""
    pairs = queries * rows
    if pairs <= _SMALL:
        return "plain"
    if pairs <= _LIGHT and find_spec("faiss"):
        return "flat"
    if _has_gpu():
        return "gpu"
    if pairs > MOST_PRODUCTS and find_spec("faiss"):
        return "ivf"
    return "flat" if find_spec("faiss") else "plain"


def _run(way: Way, queries: np.ndarray, rows: np.ndarray, k: int, itself: bool) -> Searched:
    own = np.arange(len(rows)) if itself else None
    if way == "gpu":
        return Searched(_find_on_gpu(queries, rows, k, own), way)
    if way == "ivf":
        return _find_in_cells(queries, rows, k, own)
    if way == "flat":
        return Searched(_find_flat(queries, rows, k, own), way)
    return Searched(find_plainly(queries, rows, k, own), "plain")


def _run_without(
    left_out: tuple[Mapping[int, str], Mapping[int, str]],
    way: Way,
    queries: np.ndarray,
    rows: np.ndarray,
    k: int,
    itself: bool,
) -> Searched:
    """The search among those that can be compared, its result in the numbers of all."""
    asked, there = (
        np.setdiff1d(np.arange(len(side)), np.fromiter(flaws, np.int64, len(flaws)))
        for side, flaws in zip((queries, rows), left_out, strict=True)
    )
    found = Neighbours.empty(len(queries), k)
    if not len(asked) or not len(there):
        return Searched(found, "plain", left_out=left_out)
    with tempfile.TemporaryDirectory() as folder:
        sound = _keep(rows, there, Path(folder) / "rows.npy")
        searched = _run(way, sound if itself else _keep(queries, asked, Path(folder) / "queries.npy"), sound, k, itself)
    near = searched.neighbours.rows
    found.rows[asked] = np.where(near >= 0, there[near], NOBODY)
    found.scores[asked] = searched.neighbours.scores
    return replace(searched, neighbours=found, left_out=left_out)


def _keep(vectors: np.ndarray, kept: np.ndarray, file: Path) -> np.ndarray:
    """Some of the vectors; those of a file, which may not fit into memory, in a file."""
    if len(kept) == len(vectors):
        return vectors
    if not isinstance(vectors, np.memmap):
        return np.asarray(vectors[kept])
    found = np.lib.format.open_memmap(file, "w+", vectors.dtype, (len(kept), vectors.shape[1]))
    for start in range(0, len(kept), BLOCK):
        found[start : start + BLOCK] = vectors[kept[start : start + BLOCK]]
    return found


def _has_gpu() -> bool:
    if not find_spec("torch"):
        return False
    import torch

    return bool(torch.cuda.is_available())


def find_plainly(queries: np.ndarray, rows: np.ndarray, k: int, own: np.ndarray | None = None) -> Neighbours:
    """The ``k`` nearest rows by whole products in float32, a block of each at a time; needs numpy alone.

    Args:
        own: for each query the row that it is itself, and that is left out.
    """
    found = Neighbours.unset(len(queries), k)
    for first in range(0, len(queries), BLOCK):
        some = _load(queries[first : first + BLOCK])
        lowest = np.full(len(some), -np.inf, np.float32)
        gathered = Gathering(len(some), k)
        for start in range(0, len(rows), BLOCK):
            scores = some @ _load(rows[start : start + BLOCK]).T
            if own is not None:
                here = own[first : first + BLOCK] - start
                inside = np.flatnonzero((here >= 0) & (here < scores.shape[1]))
                scores[inside, here[inside]] = -np.inf
            # The k-th of any block is no nearer than the k-th of all.
            if scores.shape[1] > k:
                best = np.partition(scores, scores.shape[1] - k, axis=1)[:, scores.shape[1] - k]
                lowest = np.maximum(lowest, best)
            query, row = np.nonzero((scores >= lowest[:, None]) & (scores > -np.inf))
            gathered.add(pack(query, row + start, scores[query, row]))
        settle(found, first, gathered.take())
    return found


def _load(vectors: np.ndarray) -> np.ndarray:
    """A block of vectors in memory; float16 on a disk takes half of its time."""
    return np.ascontiguousarray(vectors, dtype=np.float32)


def _find_flat(queries: np.ndarray, rows: np.ndarray, k: int, own: np.ndarray | None) -> Neighbours:
    """faiss's exact search over some rows at a time, so that rows from a disk are never all in memory.

    It is what IndexFlatIP does, less the copy of the rows that an index holds.
    """
    faiss = import_package("faiss", "an index", "cpu")
    found = Neighbours.unset(len(queries), k)
    parts = [slice(start, min(start + BLOCK * 64, len(rows))) for start in range(0, len(rows), BLOCK * 64)]
    gathered: dict[int, Gathering] = {}
    for part in parts:
        some_rows = _load(rows[part])
        wanted = min(k + (own is not None), len(some_rows))
        for first in range(0, len(queries), BLOCK):
            some = _load(queries[first : first + BLOCK])
            scores, near = faiss.knn(some, some_rows, wanted, metric=faiss.METRIC_INNER_PRODUCT)
            gathering = gathered.setdefault(first, Gathering(len(some), k))
            _take(gathering, scores, near + part.start, None if own is None else own[first : first + BLOCK])
            if part.stop == len(rows):
                settle(found, first, gathered.pop(first).take())
    return found


def _find_on_gpu(queries: np.ndarray, rows: np.ndarray, k: int, own: np.ndarray | None) -> Neighbours:
    """Whole products in float32 on a GPU, the best of each block kept."""
    import torch

    most = BLOCK * 64
    gathered = [Gathering(min(BLOCK, len(queries) - first), k) for first in range(0, len(queries), BLOCK)]
    with torch.inference_mode():
        for start in range(0, len(rows), most):
            block = torch.from_numpy(np.array(rows[start : start + most], dtype=np.float32)).cuda()
            for first in range(0, len(queries), BLOCK):
                some = torch.from_numpy(np.array(queries[first : first + BLOCK], dtype=np.float32)).cuda()
                scores, near = (some @ block.T).topk(min(k + (own is not None), len(block)), dim=1)
                mine = None if own is None else own[first : first + BLOCK]
                _take(gathered[first // BLOCK], scores.cpu().numpy(), near.cpu().numpy() + start, mine)
    return _settle_all(gathered, len(queries), k)


def _take(gathering: Gathering, scores: np.ndarray, near: np.ndarray, own: np.ndarray | None) -> None:
    kept = near >= 0
    if own is not None:
        kept &= near != own[:, None]
    query, place = np.nonzero(kept)
    gathering.add(pack(query, near[query, place], scores[query, place]))


def _settle_all(gathered: list[Gathering], queries: int, k: int) -> Neighbours:
    found = Neighbours.unset(queries, k)
    for number, each in enumerate(gathered):
        settle(found, number * BLOCK, each.take())
    return found


def _find_in_cells(queries: np.ndarray, rows: np.ndarray, k: int, own: np.ndarray | None) -> Searched:
    """faiss's IVF with a byte for each number; what it brings is scored again in float32, its recall measured.

    Cells are looked into, twice as many each time, until recall on a sample is enough or all are looked into.
    """
    faiss = import_package("faiss", "an index", "cpu")
    width, cells = rows.shape[1], max(1, int(4 * len(rows) ** 0.5))
    cells = min(cells, max(1, len(rows) // 39))
    index = faiss.index_factory(width, f"IVF{cells},SQ8", faiss.METRIC_INNER_PRODUCT)
    learnt = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), 64 * cells)).astype(np.int64))
    index.train(_load(rows[learnt]))
    for start in range(0, len(rows), BLOCK * 16):
        index.add(_load(rows[start : start + BLOCK * 16]))
    asked = np.unique(np.linspace(0, len(queries) - 1, min(_CHECKED, len(queries))).astype(np.int64))
    some, mine = _load(queries[asked]), None if own is None else own[asked]
    true = find_plainly(some, rows, k, mine)
    index.nprobe = min(8, cells)
    while True:
        recall = measure_recall(_probe(index, some, rows, k, mine), true)
        if recall >= _ENOUGH or index.nprobe >= cells:
            break
        index.nprobe = min(2 * index.nprobe, cells)
    return Searched(_probe(index, queries, rows, k, own), f"ivf, {index.nprobe} of {cells} cells", recall)


def _probe(index: Any, queries: np.ndarray, rows: np.ndarray, k: int, own: np.ndarray | None) -> Neighbours:
    found = Neighbours.unset(len(queries), k)
    for first in range(0, len(queries), BLOCK):
        some = _load(queries[first : first + BLOCK])
        _, near = index.search(some, min(_SPARE * k + 1, index.ntotal))
        kept = near != NOBODY if own is None else (near != NOBODY) & (near != own[first : first + BLOCK, None])
        query, place = np.nonzero(kept)
        row = near[query, place]
        settle(found, first, [pack(query, row, score_pairs(some, rows, query, row))])
    return found


def score_pairs(queries: np.ndarray, rows: np.ndarray, query: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Products of pairs, some at a time, added up in double precision: the same to six digits on every machine."""
    scores = np.empty(len(query), np.float64)
    for start in range(0, len(query), BLOCK):
        pairs = slice(start, start + BLOCK)
        left, right = queries[query[pairs]].astype(np.float64), np.asarray(rows[row[pairs]], dtype=np.float64)
        scores[pairs] = np.einsum("ij,ij->i", left, right)
    return scores
