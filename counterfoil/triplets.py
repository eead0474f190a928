"""A torch dataset of an anchor with its hard negatives, streamed from a dataset's files and sharded.

Importing this module imports torch.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from counterfoil import tables
from counterfoil.extras import import_extra
from storage.errors import StorageError
from storage.joining import Block, Join, Joined
from storage.pictures import open_picture

if TYPE_CHECKING:
    from PIL.Image import Image as Picture
    from torch.utils.data import IterableDataset, get_worker_info
else:
    data = import_extra("torch.utils.data", "counterfoil.Triplets")
    IterableDataset, get_worker_info = data.IterableDataset, data.get_worker_info


class Triplet(NamedTuple):
    """One anchor with its negatives. Pictures are what ``transform`` made of them."""

    image: Any
    caption: str
    negative_captions: list[str]
    negative_images: list[Any]


class Triplets(IterableDataset[Triplet]):
    """Anchors of one split with hard negatives of some families, for `torch.utils.data.DataLoader`.

    ``families`` are names of families of negatives (all that the dataset has, for None); text families give
    ``negative_captions``, picture families ``negative_images``. ``n`` is how many of each an anchor comes with, drawn
    anew in every epoch; anchors that have fewer are left out, and `left_out` counts them. With ``n=None`` an anchor
    comes with all that it has, so lists differ in length. ``transform`` is called with each RGB `PIL.Image.Image`, as a
    torchvision transform or an image processor is.

    Each rank and each worker reads its own part of the files, block by block. Every rank has the same number of
    anchors; fewer than one per rank are left over in an epoch, others in the next. The order, and which negatives are
    drawn, depend on ``seed`` and `set_epoch` alone. ``shuffle=False`` keeps the order of the files.

    ``rank`` and ``ranks`` come from torch.distributed, or from RANK and WORLD_SIZE, where they are not given.

    Raises:
        StorageError: no such dataset or family, or no anchor of ``split`` has what is asked for.
        ValueError: ``n``, ``rank`` or ``ranks`` is out of range.
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
    ) -> None:
        super().__init__()
        if n is not None and n < 1:
            raise ValueError(f"n is {n}: give how many negatives an anchor comes with, 1 or more, or None for all")
        self.rank, self.ranks = _find_rank(rank, ranks)
        self.n, self.transform, self.seed, self.shuffle, self.epoch = n, transform, seed, shuffle, 0
        self.dataset = tables.open(path, versions=versions, options=options)
        kinds = _find_kinds(self.dataset, families)
        self.families = tuple(sorted(kinds))
        least = {("negative", modality): n for found in kinds.values() for modality in found} if n is not None else {}
        self._join = Join(
            self.dataset.snapshot,
            self.families,
            splits=None if split is None else [split],
            least=least,
            pictured=True,
            captioned=True,
        )
        if len(self._join) < self.ranks:
            raise StorageError(self._explain_empty(split))

    @property
    def left_out(self) -> dict[str, int]:
        """Anchors that are not among the triplets, by the reason why."""
        return dict(self._join.left_out)

    def __len__(self) -> int:
        """Triplets of this rank in an epoch."""
        return len(self._join) // self.ranks

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of the next pass and the negatives that are drawn.

        Call it before each pass, in the main process; workers that persist from pass to pass do not hear of it.
        """
        self.epoch = epoch

    def __iter__(self) -> Iterator[Triplet]:
        worker = get_worker_info()
        number, workers = (worker.id, worker.num_workers) if worker is not None else (0, 1)
        share = len(self)
        start = self.rank * share
        for block in self._cut(start + share * number // workers, start + share * (number + 1) // workers):
            rows = self._join.read(block, ["image", "caption"], ["text", "image"])
            yield from map(self._make_triplet, rows)

    def _cut(self, start: int, stop: int) -> Iterator[Block]:
        """The blocks of this epoch's order, from its ``start``-th anchor to before its ``stop``-th."""
        rng = np.random.default_rng([self.seed, self.epoch])
        count = len(self._join.blocks)
        at = 0
        for number in rng.permutation(count) if self.shuffle else range(count):
            block = self._join.blocks[number]
            if self.shuffle:
                block = Block(block.file, rng.permutation(block.rows))
            part = block.slice(max(0, start - at), max(0, stop - at))
            at += len(block)
            if len(part):
                yield part

    def _make_triplet(self, row: Joined) -> Triplet:
        anchor_id = row.anchor["anchor_id"]
        captions = [each["text"] for each in self._draw(anchor_id, row, "text")]
        images = [self._open(each["image"]) for each in self._draw(anchor_id, row, "image")]
        return Triplet(self._open(row.anchor["image"]), row.anchor["caption"], captions, images)

    def _draw(self, anchor_id: str, row: Joined, modality: str) -> list[Mapping[str, Any]]:
        found = row.find("negative", modality)
        if self.n is None or not found:
            return found
        rng = np.random.default_rng([self.seed, self.epoch, int(anchor_id[:15], 16), modality == "image"])
        return [found[place] for place in sorted(rng.choice(len(found), self.n, replace=False))]

    def _open(self, image: Mapping[str, Any]) -> Any:
        picture = open_picture(image["bytes"])
        return self.transform(picture) if self.transform is not None else picture

    def _explain_empty(self, split: str | None) -> str:
        why = ", ".join(f"{count} {reason}" for reason, count in self.left_out.items())
        there = sorted({name or "''" for found in self.dataset.counts().splits.values() for name in found})
        return (
            f"{self.dataset.path} has {len(self._join)} anchors of split {split!r} for {self.ranks} rank(s): left out "
            f"are {why or 'none'}. Its splits are {', '.join(there)}; its families {', '.join(self.dataset.families)}"
        )


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


def _find_kinds(dataset: tables.Dataset, families: Sequence[str] | None) -> dict[str, set[str]]:
    """Family to the modalities of its negatives.

    Raises:
        StorageError: the dataset has no such family, or its contrasts are positives.
    """
    kinds: dict[str, set[str]] = {}
    for family in families if families is not None else dataset.families:
        table = dataset.contrasts.select(["role", "modality"], family=family)
        found = {(row["role"], row["modality"]) for batch in table.batches(8192) for row in batch.to_pylist()}
        negatives = {modality for role, modality in found if role == "negative"}
        if negatives:
            kinds[family] = negatives
        elif families is not None:
            raise StorageError(f"{family} makes hard positives: Triplets takes families of negatives")
    if not kinds:
        raise StorageError(f"{dataset.path} has no family of negatives: it has {', '.join(dataset.families) or 'none'}")
    return kinds
