"""In which order a training run meets the packed anchors: a function of seed, epoch and place, and of nothing else.

The shards of a split are dealt to streams, a fixed number for each process. A stream reads its shards in turn through a
bounded shuffle buffer and cuts what comes out into batches in which no two anchors share a group. All of it is computed
from the manifest and the groups' numbers before a picture is read, so that any step of any epoch can be reached
without the steps before it: exact resuming costs no data, and the number of loader processes decides nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
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


def order_rows(shards: Mapping[int, Shard], chosen: Sequence[int], buffer: int, seed: Sequence[int]) -> Iterator[Ref]:
    """The anchors of the ``chosen`` shards through a shuffle buffer of ``buffer`` anchors.

    Row groups of a shard come in a random order, their rows too; the buffer mixes what is near. What it holds bounds
    how many row groups a reader keeps.
    """
    rng = np.random.default_rng(list(seed))
    held: list[Ref] = []
    for number in chosen:
        for group in rng.permutation(len(shards[number].groups)):
            for row in rng.permutation(shards[number].groups[group]):
                held.append(Ref(number, int(group), int(row)))
                if len(held) > buffer:
                    place = int(rng.integers(len(held)))
                    held[place], held[-1] = held[-1], held[place]
                    yield held.pop()
    for place in rng.permutation(len(held)):
        yield held[place]


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
