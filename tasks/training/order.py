"""In which order a training run meets the packed anchors: a function of seed, epoch and place, and of nothing else.

The shards of a split are dealt to streams, a fixed number for each process. A stream reads its shards in turn, shuffles
their rows window by window, and cuts what comes out into batches in which no two anchors share a group. All of it is
computed from the manifest and the groups' numbers before a picture is read, so that any step of any epoch can be
reached without the steps before it: exact resuming costs no data, and the number of loader processes decides nothing.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tasks.training.errors import TrainingError
from tasks.training.packing.manifest import Shard


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
    """Which shards a stream reads in an epoch, of all processes' streams."""

    streams: int
    """Of each process."""
    ranks: int
    seed: int

    def choose(self, shards: Sequence[Shard], epoch: int, rank: int, stream: int) -> list[int]:
        """The places of the shards, in their order; every shard goes to one stream of one rank.

        Raises:
            TrainingError: there are fewer shards than streams.
        """
        if len(shards) < self.streams * self.ranks:
            raise TrainingError(
                f"{len(shards)} shards cannot be dealt to {self.ranks} processes of {self.streams} streams: pack "
                "with a smaller training.shard_rows, or set training.streams lower"
            )
        order = np.random.default_rng([self.seed, epoch, 1]).permutation(len(shards))
        return [int(each) for each in order[rank * self.streams + stream :: self.streams * self.ranks]]

    @classmethod
    def of(cls, streams: int, ranks: int, seed: int, shards: int) -> Deal:
        """At most ``streams`` streams, so few that hardly a shard is left over: some leave out a twentieth at most."""
        able = range(min(streams, max(1, shards // ranks)), 0, -1)
        used = {each: shards // (each * ranks) * each * ranks for each in able}
        best = next((each for each in able if 20 * used[each] >= 19 * shards), None)
        return cls(best or max(able, key=lambda each: (used[each], -each)), ranks, seed)

    def count_batches(self, shards: Sequence[Shard], epoch: int, batch: int) -> int:
        """Batches of every process in an epoch: as many as the stream with the fewest anchors fills, times the streams.

        What is over is left out in this epoch; another deals other shards to it.
        """
        least = min(
            sum(shards[each].rows for each in self.choose(shards, epoch, rank, stream))
            for rank in range(self.ranks)
            for stream in range(self.streams)
        )
        return least // batch * self.streams


def list_runs(shards: Mapping[int, Shard], chosen: Sequence[int], rng: np.random.Generator) -> Iterator[Run]:
    """The row groups of the ``chosen`` shards: those of each shard in a random order."""
    for number in chosen:
        for group in rng.permutation(len(shards[number].groups)):
            yield Run(number, int(group), np.arange(shards[number].groups[group]))


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
    order: Sequence[Ref], groups: Mapping[Ref, int], size: int, count: int, where: str
) -> list[tuple[Ref, ...]]:
    """The first ``count`` batches of ``size`` in which every group stands at most once.

    An anchor whose group is there already waits for the next batch. Where the end has too few others, it is filled from
    the stream's beginning.

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
        for ref in order:
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
    return batches
