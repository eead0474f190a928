"""The loader: batches of anchors with negatives from packed shards, at any step of any epoch."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from counterfoil.storage.plain import first_line
from counterfoil.tasks.training.batch import Batch, Layout, list_contrasts
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.order import Deal, Ref, Run, Turns, cut_batches, shuffle_runs
from counterfoil.tasks.training.packing.manifest import Manifest, list_shards
from counterfoil.tasks.training.reading import PackedRows, draw_negatives, draw_positives, open_generator
from counterfoil.tasks.training.sampling import Sampler
from counterfoil.tasks.training.settings import TrainingSettings
from counterfoil.tasks.training.tokens import Tokens

LINKING = frozenset({"tripletclip", "mutual", "linked", "cement"})
"""Terms that read a negative picture with its own caption."""
BESIDE = frozenset({"units", "phrases", "paraphrase"})
"""Terms that read the true text beside a negative one."""
UNOPPOSED = frozenset({"clip", "in_batch", "sigmoid", "phrases"})
"""Terms that read no hard negatives: where there are no others, none is encoded."""


@dataclass(frozen=True)
class Drawn:
    """One contrast of an anchor in a step."""

    kind: int
    text: str | None
    picture: np.ndarray | None
    concreteness: float
    view: int = -1
    """Of a text: the kind of the view that it was made of; -1: of the caption."""
    beside: str | None = None
    """Of a negative text: the true text that it stands beside."""
    same: str | None = None
    """Of a negative text: the text that it was made of, in other words."""
    reworded: str | None = None
    """A negative text in other words."""


@dataclass(frozen=True)
class Example:
    """One anchor as a step sees it."""

    anchor_id: str
    group: int
    caption: str
    picture: np.ndarray | None
    negatives: tuple[Drawn, ...]
    positives: tuple[Drawn, ...]
    view: int = -1
    """The kind of the caption among the anchor's views; -1: it has none."""


@dataclass
class BatchMaker:
    """Makes any batch of a run: the order, the draws, the pixels and the tokens.

    Args of the constructor: ``rank`` of ``ranks`` processes; ``memory`` is how many bytes of rows and pixels may stay
    from epoch to epoch (`PackedRows`).
    """

    url: str
    manifest: Manifest
    settings: TrainingSettings
    tokens: Tokens
    split: str = "train"
    rank: int = 0
    ranks: int = 1
    memory: int = 0

    def __post_init__(self) -> None:
        settings = self.settings
        shards = list_shards(self.manifest, self.split)
        anchors = sum(shard.rows for shard in shards)
        self.deal = Deal.of(settings.streams, self.ranks, settings.seed, settings.batch_size, anchors)
        self.reader = PackedRows(self.url, self.manifest, shards, memory=self.memory)
        self.sampler = Sampler(self.manifest, self.url)
        self._kinds = list_kinds(self.manifest, settings)
        self.link = bool(LINKING & set(settings.terms))
        """Whether negative pictures bring their own captions."""
        self.beside = bool(BESIDE & set(settings.terms))
        """Whether negative texts bring the true texts that they stand beside."""
        self.opposed = not set(settings.terms) <= UNOPPOSED
        self._epoch: _Epoch | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What a loader process begins with: it plans for itself."""
        return {**self.__dict__, "_epoch": None}

    def count_batches(self, epoch: int) -> int:
        """Batches of this process in an epoch: of every process as many, and in every epoch.

        Raises:
            TrainingError: there are too few anchors for one.
        """
        del epoch
        if not self.deal.batches:
            raise TrainingError(
                f"{len(self.reader.shards)} shards cannot be dealt to {self.ranks} processes: there are "
                f"fewer than training.batch_size = {self.settings.batch_size} anchors for each ({self.deal.anchors} in "
                "all): lower it, or hold fewer out (training.holdout)"
            )
        return self.deal.batches

    def make(self, epoch: int, number: int) -> Batch:
        """The ``number``-th batch of this process in an epoch."""
        stream, place = self._open_epoch(epoch).turns.find(number)
        if stream is None:
            rows = self._open_epoch(epoch).share_rest()[place]
        else:
            rows = [(stream, ref) for ref in self._plan(epoch, stream)[place]]
        return self.collate([self.draw(ref, epoch, read_by) for read_by, ref in rows])

    def _plan(self, epoch: int, stream: int) -> list[tuple[Ref, ...]]:
        """The batches of one stream."""
        return self._open_epoch(epoch).plan(stream)[0]

    def _open_epoch(self, epoch: int) -> _Epoch:
        """The plans of an epoch; those of another are let go."""
        if self._epoch is None or self._epoch.number != epoch:
            self._epoch = _Epoch(self, epoch)
        return self._epoch

    def draw(self, ref: Ref, epoch: int, stream: int = 0) -> Example:
        """An anchor with the negatives of this epoch: they depend on seed, epoch and anchor alone."""
        row, pictures = self.reader.read(ref, stream)
        rng = open_generator(self.settings.seed, epoch, row["anchor_id"])

        def show(place: int) -> np.ndarray | None:
            if place < 0 or self.settings.towers == "texts":
                return None
            return self.reader.show(pictures, place)

        positives = [each for each in row["contrasts"] if each["kind"] in self._kinds and each["positive"]]
        most = (self.settings.negative_texts, self.settings.negative_images)
        said, shown = draw_negatives(row, self._kinds, *most, rng)
        taken = [_draw_row(each, show) for each in (*said, *shown)]
        if self.settings.reworded:
            taken = [_reword(each, row, rng) for each, row in zip(taken, (*said, *shown), strict=True)]
        if self.settings.positive_texts is not None:
            positives = draw_positives(positives, said, row.get("view", -1), self.settings.positive_texts, rng)
        drawn_on_the_fly = self.sampler.draw(row["anchor"], rng, self.settings) if self.manifest.sampled else ()
        negatives = [*taken, *(Drawn(*each) for each in drawn_on_the_fly)]
        return Example(
            row["anchor_id"],
            row["group"],
            row["caption"],
            show(row["image"]),
            tuple(negatives),
            tuple(_draw_row(each, show) for each in positives),
            row.get("view", -1),
        )

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Examples as one batch."""
        resolution = self.manifest.resolution
        pictured = all(each.picture is not None for each in examples)
        images: list[np.ndarray] = []
        texts: list[str] = []
        image_rows: list[tuple[int, int, float, int]] = []
        text_rows: list[tuple[int, int, float, int]] = []
        made_of: list[int] = []
        foils: list[dict[str, int]] = []
        for owner, example in enumerate(examples):
            places: dict[str, int] = {}
            for each in example.negatives if self.opposed else ():
                if each.picture is None and each.text is not None:
                    places.setdefault(each.text, len(texts))
                    texts.append(each.text)
                    text_rows.append((owner, each.kind, each.concreteness, -1))
                    made_of.append(each.view)
                    if each.reworded is not None:
                        text_rows.append((owner, each.kind, each.concreteness, len(texts) - 1))
                        made_of.append(each.view)
                        texts.append(each.reworded)
            for each in example.negatives if self.opposed else ():
                if each.picture is None:
                    continue
                own = -1
                if self.link and each.text is not None:
                    if each.text not in places:
                        places[each.text] = len(texts)
                        texts.append(each.text)
                        text_rows.append((owner, each.kind, each.concreteness, -1))
                        made_of.append(-1)
                    own = places[each.text]
                images.append(each.picture)
                image_rows.append((owner, each.kind, each.concreteness, own))
            foils.append(places)
        more_images, more_texts, positive_images, positive_texts, said_of = _list_positives(examples)
        for owner, example in enumerate(examples):
            for each in example.negatives:
                if each.picture is None and each.same is not None:
                    more_texts.append(each.same)
                    positive_texts.append((owner, each.kind, each.concreteness, -1))
                    said_of.append(each.view)
        for owner, (example, places) in enumerate(zip(examples, foils, strict=True)):
            for each in example.negatives if self.beside else ():
                if each.picture is None and each.beside is not None:
                    more_texts.append(each.beside)
                    positive_texts.append((owner, each.kind, each.concreteness, places.get(each.text or "", -1)))
                    said_of.append(-1)
        shown = [each.picture for each in examples if each.picture is not None] if pictured else []
        stack = [*shown, *images, *more_images]
        pixels = np.stack(stack) if stack else np.zeros((0, resolution, resolution, 3), np.uint8)
        ids, mask = self.tokens.encode([*(each.caption for each in examples), *texts, *more_texts])
        layout = Layout(
            len(examples),
            pictured,
            torch.tensor([each.group for each in examples], dtype=torch.int64),
            list_contrasts(image_rows),
            list_contrasts(positive_images),
            list_contrasts(text_rows, made_of),
            list_contrasts(positive_texts, said_of, more_texts),
            torch.tensor([each.view for each in examples], dtype=torch.int64) if self.manifest.views else None,
        )
        pictures = torch.from_numpy(np.ascontiguousarray(pixels.transpose(0, 3, 1, 2)))
        return Batch(pictures, ids, mask, layout, tuple(each.anchor_id for each in examples))


class _Epoch:
    """The batches of one process in one epoch; a stream's are planned when the first of them is asked for."""

    def __init__(self, maker: BatchMaker, number: int) -> None:
        self.number, self._maker = number, maker
        deal, reader, size = maker.deal, maker.reader, maker.settings.batch_size
        self._runs = deal.list_streams(reader.shards, reader.list_groups, number, maker.rank)
        counts = [sum(len(run.rows) for run in runs) // size for runs in self._runs]
        self.turns, self._counts = Turns(counts, deal.batches), counts
        self._plans: dict[int, tuple[list[tuple[Ref, ...]], list[Ref]]] = {}
        self._over: list[list[tuple[int, Ref]]] | None = None

    def plan(self, stream: int) -> tuple[list[tuple[Ref, ...]], list[Ref]]:
        """A stream's batches, and what it has over."""
        if stream not in self._plans:
            maker, runs = self._maker, self._runs[stream]
            rng = np.random.default_rng([maker.settings.seed, self.number, 2, maker.rank, stream])
            order: list[Ref] = []
            for window in shuffle_runs(runs, maker.settings.shuffle_rows, rng):
                maker.reader.make_room(stream, window)
                order += window
            size, count = maker.settings.batch_size, self._counts[stream]
            self._plans[stream] = cut_batches(order, self._list_groups(runs), size, count, maker.url)
        return self._plans[stream]

    def share_rest(self) -> list[list[tuple[int, Ref]]]:
        """The last batches, of what the streams have over (and where that is too little, of their first rows).

        Each row comes with the stream that reads it.
        """
        if self._over is None:
            maker, streams = self._maker, range(len(self._runs))
            of = {ref: stream for stream in streams for batch in self.plan(stream)[0] for ref in batch}
            spare = list(of)
            rest = [(ref, stream) for stream in streams for ref in self.plan(stream)[1]]
            of |= dict(rest)
            groups = self._list_groups([run for runs in self._runs for run in runs])
            count = maker.deal.batches - min(sum(self._counts), maker.deal.batches)
            size = maker.settings.batch_size
            batches, _ = cut_batches([ref for ref, _ in rest], groups, size, count, maker.url, spare)
            self._over = [[(of[ref], ref) for ref in batch] for batch in batches]
        return self._over

    def _list_groups(self, runs: Sequence[Run]) -> dict[Ref, int]:
        reader = self._maker.reader
        numbers = {shard: reader.list_groups(shard) for shard in {run.shard for run in runs}}
        return {
            Ref(run.shard, run.group, int(row)): int(numbers[run.shard][run.group][row])
            for run in runs
            for row in run.rows
        }


class Batches(IterableDataset[Batch]):
    """``count`` batches from the ``start``-th of an epoch on, in order, whatever the number of loader processes."""

    def __init__(self, maker: BatchMaker, epoch: int, start: int, count: int) -> None:
        super().__init__()
        self.maker, self.epoch, self.start, self.count = maker, epoch, start, count

    def __iter__(self) -> Iterator[Batch]:
        worker = get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker is not None else (0, 1)
        for number in range(self.start + first, self.start + self.count, step):
            later, place = divmod(number, self.maker.count_batches(self.epoch))
            yield self.maker.make(self.epoch + later, place)


def iterate_batches(
    maker: BatchMaker, epoch: int, start: int, workers: int, count: int | None = None
) -> Generator[Batch]:
    """``count`` batches from the ``start``-th of an epoch on, made by ``workers`` loader processes (0: by a thread).

    They go on from epoch to epoch: a loader that ended with each would begin anew, and have its first batch waited for.
    None: to the end of the epoch.

    Raises:
        TrainingError: a shard cannot be read, or a loader process was ended.
    """
    pinned = torch.cuda.is_available()
    loader = DataLoader(
        Batches(maker, epoch, start, maker.count_batches(epoch) - start if count is None else count),
        batch_size=None,
        num_workers=workers,
        pin_memory=pinned,
        multiprocessing_context="spawn" if workers else None,
        # A loader draws a seed where it begins. From torch's own generator it would move the dropout of the step that
        # begins an epoch, and of the step that a run goes on at.
        generator=torch.Generator(),
    )
    try:
        yield from loader if workers else _make_ahead(iter(loader))
    except TrainingError as error:
        raise TrainingError(find_cause(str(error))) from error
    except RuntimeError as error:
        if not str(error).startswith("DataLoader worker"):
            raise
        raise TrainingError(
            f"a loader process ended ({first_line(error)}), most often for want of memory: lower training.workers or "
            "training.shuffle_rows; training.workers = 0 reads without one"
        ) from error


def _make_ahead(batches: Iterator[Batch]) -> Generator[Batch]:
    """The same, one made by a thread while the step before it is computed: its kernels let go of the interpreter."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="batch")
    try:
        ahead = thread.submit(next, batches, None)
        while (batch := ahead.result()) is not None:
            ahead = thread.submit(next, batches, None)
            yield batch
    finally:
        # Not waited for: a collector that ends what nobody closed may run in that very thread.
        thread.shutdown(wait=False, cancel_futures=True)


def find_cause(told: str) -> str:
    """What an error says, without the traceback that torch puts around one of a loader process.

    >>> find_cause("Caught TrainingError in DataLoader worker process 0.\\nOriginal ...\\na.TrainingError: pack again")
    'pack again'
    """
    if not told.startswith("Caught "):
        return told
    return told.rstrip().rpartition("\n")[2].partition(": ")[2]


def list_kinds(manifest: Manifest, settings: TrainingSettings) -> frozenset[int]:
    """The kinds that ``settings`` learn from: of families by their names, and all views.

    Raises:
        TrainingError: one of them is not packed.
    """
    names = manifest.families if settings.learn_from is None else settings.learn_from
    missing = [name for name in names if name not in manifest.families]
    if missing:
        raise TrainingError(
            f"training.learn_from: {', '.join(missing)} is not packed; there are {', '.join(manifest.families)}"
        )
    views = range(len(manifest.families), len(manifest.kinds))
    return frozenset((*(manifest.families.index(name) for name in names), *views))


def _draw_row(row: Mapping[str, Any], show: Any) -> Drawn:
    rated = row["concreteness"]
    concreteness = float("nan") if rated is None else float(rated)
    return Drawn(row["kind"], row["text"], show(row["image"]), concreteness, row.get("view", -1), row.get("beside"))


def _reword(drawn: Drawn, row: Mapping[str, Any], rng: np.random.Generator) -> Drawn:
    """With one of its other wordings, and one of the text that it was made of: the first ones, which are farthest from
    it, more often than the last."""

    def choose(texts: Sequence[str]) -> str | None:
        return texts[int(rng.integers(len(texts), size=2).min())] if texts else None

    return replace(drawn, same=choose(row.get("same") or ()), reworded=choose(row.get("reworded") or ()))


_Text = tuple[int, int, float, int]
"""Owner, kind, concreteness, and the text that it goes with."""


def _list_positives(
    examples: Sequence[Example],
) -> tuple[list[np.ndarray], list[str], list[_Text], list[_Text], list[int]]:
    images: list[np.ndarray] = []
    texts: list[str] = []
    image_rows: list[_Text] = []
    text_rows: list[_Text] = []
    said_of: list[int] = []
    for owner, example in enumerate(examples):
        for each in example.positives:
            if each.picture is not None:
                images.append(each.picture)
                image_rows.append((owner, each.kind, each.concreteness, -1))
            elif each.text is not None:
                texts.append(each.text)
                text_rows.append((owner, each.kind, each.concreteness, -1))
                said_of.append(each.view)
    return images, texts, image_rows, text_rows, said_of
