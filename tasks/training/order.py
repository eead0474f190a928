"""In which order a training run meets the packed anchors: a function of seed, epoch and place, and of nothing else.

The shards of a split stand in an order of the epoch's, which is cut into a part for each process and that into streams
of whole row groups. A stream shuffles its rows window by window, and cuts what comes out into batches in which no two
anchors share a group; what the streams have over fills the last batches. All of it is computed from the manifest and
the groups' numbers before a picture is read, so that any step of any epoch is reached without those before it: exact
resuming costs no data, and the number of loader processes decides nothing.
"""

from __future__ import annotations

import bisect
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.packing.manifest import Shard


class Ref(NamedTuple):
    """One packed anchor: the place of its shard, of the row group in it, of the row in that."""

    shard: int
    group: int
    row: int


class Run(NamedTuple):
    """Rows of one row group, by their numbers in it."""

    shard: int
    group: int
    rows: np.ndarray


@dataclass(frozen=True)
class Deal:
    """How an epoch's anchors are dealt to processes, and each one's to streams: every anchor once.

    What fills no batch of every process is left out: less than ``batch`` times ``ranks`` anchors, others in another
    epoch.
    """

    streams: int
    """Of each process, as many as it has batches at most."""
    ranks: int
    seed: int
    batch: int
    """Anchors in a batch of one process."""
    anchors: int

    @classmethod
    def of(cls, streams: int, ranks: int, seed: int, batch: int, anchors: int) -> Deal:
        """``streams`` of each process, or fewer where they would have no batch each."""
        return cls(max(1, min(streams, anchors // (batch * ranks))), ranks, seed, batch, anchors)

    @property
    def batches(self) -> int:
        """Batches of every process in an epoch."""
        return self.anchors // (self.batch * self.ranks)

    @property
    def left_out(self) -> int:
        """Anchors that an epoch leaves out."""
        return self.anchors - self.batches * self.batch * self.ranks

    def list_streams(self, shards: Mapping[int, Shard], groups: Groups, epoch: int, rank: int) -> list[list[Run]]:
        """Whole row groups for each stream of a process, of nearly as many anchors, in the order of the epoch.

        A process's part is a stretch of the shards in a random order, each with its row groups in one. It begins within
        a shard where it must, but never within a group of equal anchors: no two processes meet one in a step.

        Args:
            groups: gives the groups' numbers of a shard's anchors, by row group.
        """
        order = [int(each) for each in np.random.default_rng([self.seed, epoch, 1]).permutation(len(shards))]
        ends = np.cumsum([0, *(shards[number].rows for number in order)])
        first, last = (self.anchors * each // self.ranks for each in (rank, rank + 1))
        streams: list[list[Run]] = [[] for _ in range(self.streams)]
        for number, (start, stop) in zip(order, itertools.pairwise(ends.tolist()), strict=True):
            if stop <= first or start >= last:
                continue
            kept = _keep_groups(groups(number), first - start, last - start)
            at = start
            for group in np.random.default_rng([self.seed, epoch, 3, number]).permutation(len(kept)):
                place = (max(at, first) - first) * self.streams // max(1, last - first)
                at += len(kept[group])
                if len(kept[group]):
                    streams[min(place, self.streams - 1)].append(Run(number, int(group), kept[group]))
        return streams


Groups = Callable[[int], Sequence[np.ndarray]]


def _keep_groups(groups: Sequence[np.ndarray], start: int, stop: int) -> list[np.ndarray]:
    """Rows by row group, of those of a shard that stand from ``start`` to before ``stop`` when sorted by group.

    A group is where its first row is, so it stands whole on one side.

    >>> [rows.tolist() for rows in _keep_groups([np.array([7, 3]), np.array([3, 5])], 0, 1)]
    [[1], [0]]
    >>> [rows.tolist() for rows in _keep_groups([np.array([7, 3]), np.array([3, 5])], 1, 4)]
    [[0], [1]]
    """
    _, whose, counts = np.unique(np.concatenate(groups), return_inverse=True, return_counts=True)
    first = np.cumsum(counts) - counts
    kept = (first[whose] >= start) & (first[whose] < stop)
    return [np.flatnonzero(each) for each in np.split(kept, np.cumsum([len(each) for each in groups])[:-1])]


class Turns:
    """Which stream a process's batch is of: each in turn while it has batches, at last what is over of all.

    >>> turns = Turns([2, 1], 4)
    >>> [turns.find(number) for number in range(4)]
    [(0, 0), (1, 0), (0, 1), (None, 0)]
    """

    def __init__(self, counts: Sequence[int], batches: int) -> None:
        self._counts, self._full = counts, min(sum(counts), batches)
        self._starts = [0]
        """The number of the first batch of each round; streams that are through have no batch in it."""
        for place in range(max(counts, default=0)):
            self._starts.append(self._starts[-1] + sum(count > place for count in counts))

    def find(self, number: int) -> tuple[int | None, int]:
        """The stream (None: what is over) and the place of the batch in it."""
        if number >= self._full:
            return None, number - self._full
        place = bisect.bisect_right(self._starts, number) - 1
        there = [stream for stream, count in enumerate(self._counts) if count > place]
        return there[number - self._starts[place]], place


def cut_runs(runs: Iterable[Run], ends: Sequence[int]) -> list[list[Run]]:
    """The rows from each of ``ends``, which rise, to the next one: parts of the runs' rows, in their order.

    >>> runs = [Run(0, 0, np.arange(3)), Run(0, 1, np.arange(2))]
    >>> [[(run.group, run.rows.tolist()) for run in part] for part in cut_runs(runs, [1, 2, 5])]
    [[(0, [1])], [(0, [2]), (1, [0, 1])]]
    """
    parts: list[list[Run]] = [[] for _ in ends[1:]]
    at = 0
    for run in runs:
        for part, (start, stop) in zip(parts, itertools.pairwise(ends), strict=True):
            rows = run.rows[max(0, start - at) : max(0, stop - at)]
            if len(rows):
                part.append(Run(run.shard, run.group, rows))
        at += len(run.rows)
    return parts


def shuffle_runs(runs: Iterable[Run], buffer: int, rng: np.random.Generator) -> Iterator[list[Ref]]:
    """The rows of ``runs`` in windows of at most ``buffer`` rows (of one run, where that is longer), each shuffled.

    A reader that keeps the row groups of one window reads each of them once. With a buffer that slides, a row group
    would be wanted as long as its last row waits, and a reader of bounded memory would read it over and over.
    """
    held: list[Ref] = []
    for run in runs:
        if held and len(held) + len(run.rows) > buffer:
            yield [held[place] for place in rng.permutation(len(held))]
            held = []
        held += [Ref(run.shard, run.group, int(row)) for row in rng.permutation(run.rows)]
    if held:
        yield [held[place] for place in rng.permutation(len(held))]


def count_groups(window: Iterable[Ref]) -> int:
    """The row groups that a window's rows are of."""
    return len({(ref.shard, ref.group) for ref in window})


def cut_batches(
    order: Sequence[Ref],
    groups: Mapping[Ref, int],
    size: int,
    count: int,
    where: str,
    spare: Iterable[Ref] | None = None,
) -> tuple[list[tuple[Ref, ...]], list[Ref]]:
    """``count`` batches of ``size`` in which every group stands at most once, and the rows that are over.

    An anchor whose group is there already waits for the next batch. Where the end has too few others, it is filled from
    ``spare``, by default from the beginning of ``order``.

    Raises:
        TrainingError: so many anchors share a group that a batch cannot keep them apart.
    """
    batches: list[tuple[Ref, ...]] = []
    queue = deque(order)
    for _ in range(count):
        taken: list[Ref] = []
        met: set[int] = set()
        later: list[Ref] = []
        while len(taken) < size and queue:
            ref = queue.popleft()
            (later if groups[ref] in met else taken).append(ref)
            met.add(groups[ref])
        queue.extendleft(reversed(later))
        for ref in () if len(taken) == size else (order if spare is None else spare):
            if len(taken) == size:
                break
            if groups[ref] not in met:
                taken.append(ref)
                met.add(groups[ref])
        if len(taken) < size:
            raise TrainingError(
                f"{where}: a batch of {size} cannot keep the groups of equal anchors apart, as there are "
                f"{len(set(groups.values()))} of them in a stream: lower training.batch_size or training.streams"
            )
        batches.append(tuple(taken))
    return batches, list(queue)
