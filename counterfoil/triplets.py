"""A torch dataset of an anchor with its hard negatives: the loader of training, for a loop of one's own.

Importing this module imports torch.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from counterfoil.rows import Chosen, choose_rows
from counterfoil.storage.errors import StorageError
from counterfoil.tasks.packages import import_package
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.order import Ref, Run, cut_runs, shuffle_runs
from counterfoil.tasks.training.reading import draw_negatives, open_generator

if TYPE_CHECKING:
    from PIL.Image import Image as Picture
    from torch.utils.data import IterableDataset, get_worker_info
else:
    data = import_package("torch.utils.data", "counterfoil.Triplets")
    IterableDataset, get_worker_info = data.IterableDataset, data.get_worker_info

STREAMS = 4
"""Orders of a rank's anchors that are read side by side: so many workers each read files of their own."""


class Triplet(NamedTuple):
    """One anchor with its negatives. Pictures are what ``transform`` made of them."""

    image: Any
    caption: str
    negative_captions: list[str]
    negative_images: list[Any]


class Triplets(IterableDataset[Triplet]):
    """Anchors of one split with hard negatives of some families, for `torch.utils.data.DataLoader`.

    ``path`` is a dataset, whose pictures come in full size, or a folder or URL of shards that `counterfoil pack` made
    of one: they are read several times as fast, and pictures come at their resolution. ``options`` go to fsspec.

    ``families`` are names of families of negatives (all that the dataset has, for None); text families give
    ``negative_captions``, picture families ``negative_images``. ``n`` is how many of each an anchor comes with, drawn
    anew in every epoch; anchors that have fewer are left out, and `left_out` counts them. With ``n=None`` an anchor
    comes with all that it has, so lists differ in length. ``transform`` is called with each RGB `PIL.Image.Image`, as a
    torchvision transform or an image processor is.

    Each rank and each worker reads its own part of the files, block by block. Every rank has the same number of
    anchors; fewer than one per rank are left over in an epoch, others in the next. The order, and which negatives are
    drawn, depend on ``seed`` and `set_epoch` alone. Blocks come in a random order, and about ``buffer`` anchors are
    mixed with each other, which bounds what a rank holds in memory. ``shuffle=False`` keeps the order of the files.

    With ``batch_size``, that of the DataLoader, its batches are the same whatever the number of workers, and
    ``set_epoch(epoch, start)`` goes on in the middle of an epoch with exactly the batches that an undisturbed pass
    would still have had.

    ``rank`` and ``ranks`` come from torch.distributed, or from RANK and WORLD_SIZE, where they are not given.

    Raises:
        StorageError: no such dataset or family, or no anchor of ``split`` has what is asked for.
        ValueError: ``n``, ``rank``, ``ranks``, ``buffer`` or ``batch_size`` is out of range, or ``versions`` are asked
            of packed shards.
    """

    def __init__(
        self,
        path: str,
        families: Sequence[str] | None = None,
        n: int | None = None,
        transform: Callable[[Picture], Any] | None = None,
        *,
        split: str | None = "train",
        seed: int = 0,
        shuffle: bool = True,
        rank: int | None = None,
        ranks: int | None = None,
        versions: Mapping[str, int] | None = None,
        options: Mapping[str, Any] | None = None,
        buffer: int = 256,
        batch_size: int = 1,
    ) -> None:
        super().__init__()
        if n is not None and n < 1:
            raise ValueError(f"n is {n}: give how many negatives an anchor comes with, 1 or more, or None for all")
        if min(buffer, batch_size) < 1:
            raise ValueError(f"buffer is {buffer} and batch_size {batch_size}: both are 1 or more")
        self.rank, self.ranks = _find_rank(rank, ranks)
        self.path, self.n, self.transform, self.seed, self.shuffle = path, n, transform, seed, shuffle
        self.buffer, self.batch_size, self.epoch, self.start = buffer, batch_size, 0, 0
        self._chosen: Chosen = choose_rows(path, families, n, split, versions, options)
        self.families = self._chosen.families
        self._count = sum(len(run.rows) for run in self._chosen.runs)
        if self._count < self.ranks:
            why = self._chosen.explain()
            raise StorageError(f"{path} has {self._count} anchors of split {split!r} for {self.ranks} rank(s): {why}")

    @property
    def left_out(self) -> dict[str, int]:
        """Anchors that are not among the triplets, by the reason why."""
        return dict(self._chosen.left_out)

    def __len__(self) -> int:
        """Triplets of this rank in an epoch, from where the next pass begins."""
        return max(0, self._count // self.ranks - self.start * self.batch_size)

    def set_epoch(self, epoch: int, start: int = 0) -> None:
        """Choose the order of the next pass and the negatives that are drawn, and after how many batches it begins.

        Call it before each pass, in the main process; workers that persist from pass to pass do not hear of it.
        """
        self.epoch, self.start = epoch, start

    def __iter__(self) -> Iterator[Triplet]:
        worker = get_worker_info()
        number, workers = (worker.id, worker.num_workers) if worker is not None else (0, 1)
        for batch in itertools.islice(self._cut_batches(), self.start + number, None, workers):
            for stream, ref in batch:
                yield self._make_triplet(stream, ref)

    def _cut_batches(self) -> Iterator[list[tuple[int, Ref]]]:
        """This rank's batches of the epoch: from each stream in turn, at last what they have over."""
        streams = {number: iter(rows) for number, rows in enumerate(self._list_streams())}
        over: list[tuple[int, Ref]] = []
        while streams:
            for number, rows in list(streams.items()):
                batch = [(number, ref) for ref in itertools.islice(rows, self.batch_size)]
                if len(batch) == self.batch_size:
                    yield batch
                else:
                    over += batch
                    del streams[number]
        for start in range(0, len(over), self.batch_size):
            yield over[start : start + self.batch_size]

    def _list_streams(self) -> Iterator[Iterator[Ref]]:
        """Each stream's rows of the epoch: equal parts of this rank's part."""
        runs, streams = self._chosen.runs, STREAMS if self.shuffle else 1
        if self.shuffle:
            runs = [runs[place] for place in np.random.default_rng([self.seed, self.epoch]).permutation(len(runs))]
        share = self._count // self.ranks
        ends = [self.rank * share + share * stream // streams for stream in range(streams + 1)]
        for stream, part in enumerate(cut_runs(runs, ends)):
            yield self._shuffle(part, stream)

    def _shuffle(self, part: Sequence[Run], stream: int) -> Iterator[Ref]:
        if not self.shuffle:
            yield from (Ref(run.shard, run.group, int(row)) for run in part for row in run.rows)
            return
        rng = np.random.default_rng([self.seed, self.epoch, self.rank, stream])
        for window in shuffle_runs(part, max(1, self.buffer // STREAMS), rng):
            self._chosen.source.make_room(stream, window)
            yield from window

    def _make_triplet(self, stream: int, ref: Ref) -> Triplet:
        try:
            row, pictures = self._chosen.source.read(ref, stream)
        except TrainingError as error:
            raise StorageError(str(error)) from error
        rng = open_generator(self.seed, self.epoch, row["anchor_id"])
        texts, images = draw_negatives(row, self._chosen.kinds, self.n, self.n, rng)
        shown = [self._open(pictures[each["image"]]) for each in images]
        return Triplet(self._open(pictures[row["image"]]), row["caption"], [each["text"] for each in texts], shown)

    def _open(self, content: bytes) -> Any:
        picture = self._chosen.source.open(content)
        return self.transform(picture) if self.transform is not None else picture


def _find_rank(rank: int | None, ranks: int | None) -> tuple[int, int]:
    if (rank is None) != (ranks is None):
        raise ValueError("give rank and ranks both, or neither")
    if rank is None or ranks is None:
        from torch import distributed

        if distributed.is_available() and distributed.is_initialized():
            rank, ranks = distributed.get_rank(), distributed.get_world_size()
        else:
            rank, ranks = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    if not 0 <= rank < ranks:
        raise ValueError(f"rank {rank} of {ranks}: ranks count from 0 to {ranks - 1}")
    return rank, ranks
