"""The bank of procedurally made pictures that ``geometry.template`` searches.

A bank lies in a folder as chunks of scenes, one Parquet file each. Whoever needs the bank makes the chunks that are
missing, each under a lock, so that all workers of a run make it together, an interrupted one is gone on with, and a
larger bank starts with the smaller one's chunks. Scene ``i`` depends on (seed, i) alone: the same bytes whoever makes
it. Memory holds the features; scripts and pictures are read when they are asked for.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

import numpy as np

from renderers.results import Outcome, ScriptRenderer
from storage.rows import fingerprint
from tasks.contract.context import generator
from tasks.geometry.anchors import drop_numbers
from tasks.geometry.captions.write import write_caption
from tasks.geometry.drawing.script import write_script
from tasks.geometry.families.features import LENGTH, extract_feature, measure_distances
from tasks.geometry.sources.sampler import sample_scene

VERSION = 3
"""Bump when a bank of the same seed would hold other pictures or scripts."""
CHUNK = 40
"""Scenes of one chunk: a second or two of work."""
_LOCKS = 64
"""Lock files of a bank; chunks that share one are made in turn."""
_MOST_TRIES = 2
"""Scenes sampled per picture before giving up: nearly all draw."""
_COMBINE = 3
"""Constructions that a scene of the bank combines at most: near the density of real problems."""


class BankError(Exception):
    """The bank cannot be made: too many of its scripts fail. The message says what fails."""

    fatal = True


@dataclass(frozen=True)
class Sample:
    """One picture of a bank, with the script that drew it and a caption that is true of it."""

    code: str
    caption: str
    picture: bytes
    feature: np.ndarray
    """``uint8``, shape (`LENGTH`,)."""


@dataclass(frozen=True)
class Bank:
    """A searchable bank: features in memory, the samples behind ``get``."""

    features: np.ndarray
    """``uint8``, one row per sample."""
    get: Callable[[int], Sample]
    """The sample at a position."""

    def __len__(self) -> int:
        return len(self.features)

    def find_nearest(self, query: np.ndarray, count: int) -> list[int]:
        """Positions of the ``count`` nearest pictures, nearest first; ties go to the lower position."""
        distances = measure_distances(self.features, query)
        return [int(i) for i in np.argsort(distances, kind="stable")[:count]]


def open_bank(directory: Path, size: int, seed: int, markings: bool, renderer: ScriptRenderer) -> Bank:
    """The bank of ``size`` pictures for ``seed``; chunks that are not there yet are made.

    Raises:
        BankError: its scripts do not draw.
    """
    folder = directory / f"bank-{fingerprint('bank', VERSION, seed, markings)[:16]}"
    folder.mkdir(parents=True, exist_ok=True)

    def has(chunk: int) -> bool:
        return _find_chunk(folder, chunk).exists()

    def make(chunk: int) -> None:
        if not has(chunk):
            _write_chunk(_find_chunk(folder, chunk), draw_chunk(chunk, seed, markings, renderer))

    def fill(chunks: Sequence[int]) -> list[np.ndarray]:
        for wait in (False, True):  # first what nobody else is at, then what somebody else is (or was, and died)
            for chunk in filter(lambda each: not has(each), chunks):
                with _hold_lock(folder / f"{chunk % _LOCKS:02d}.lock", wait) as held:
                    if held:
                        make(chunk)
        return [_read_features(_find_chunk(folder, chunk)) for chunk in chunks]

    read = lru_cache(_LOCKS)(lambda chunk: _read_chunk(_find_chunk(folder, chunk)))
    return _join_chunks(fill, read, size)


def build_bank(size: int, seed: int, markings: bool, renderer: ScriptRenderer) -> Bank:
    """The same bank, made in memory by this process alone.

    Raises:
        BankError: its scripts do not draw.
    """
    chunks: dict[int, list[Sample]] = {}

    def fill(wanted: Sequence[int]) -> list[np.ndarray]:
        chunks.update({chunk: draw_chunk(chunk, seed, markings, renderer) for chunk in wanted})
        return [_stack_features(chunks[chunk]) for chunk in wanted]

    return _join_chunks(fill, chunks.__getitem__, size)


def draw_chunk(chunk: int, seed: int, markings: bool, renderer: ScriptRenderer) -> list[Sample]:
    """Draw the scenes of one chunk. Those whose script fails or that have nothing to say are passed over."""
    samples = []
    for number in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        rng = generator(seed, "geometry.template", number)
        scene = sample_scene(rng, _COMBINE)
        if not markings:
            scene = drop_numbers(scene)
        caption = write_caption(scene.to_facts(), rng)
        if not caption:
            continue
        code = write_script(scene)
        rendering = renderer.render(code)
        if rendering.outcome == Outcome.OK and rendering.png is not None:
            samples.append(Sample(code, caption, rendering.png, extract_feature(rendering.png)))
    return samples


def _join_chunks(
    fill: Callable[[Sequence[int]], list[np.ndarray]], read: Callable[[int], Sequence[Sample]], size: int
) -> Bank:
    """The first ``size`` samples of as many chunks as that takes."""
    parts: list[np.ndarray] = []
    while (drawn := sum(map(len, parts))) < size:
        more = -(-(size - drawn) // CHUNK)
        if (len(parts) + more) * CHUNK > _MOST_TRIES * size + CHUNK:
            raise BankError(f"only {drawn} of {len(parts) * CHUNK} sampled scenes drew; run `counterfoil doctor`")
        parts += fill(range(len(parts), len(parts) + more))
    ends = list(accumulate(map(len, parts)))

    def get(position: int) -> Sample:
        chunk = int(np.searchsorted(ends, position, side="right"))
        return read(chunk)[position - (ends[chunk] - len(parts[chunk]))]

    return Bank(np.concatenate(parts)[:size], get)


def _find_chunk(folder: Path, chunk: int) -> Path:
    return folder / f"{chunk:05d}.parquet"


def _stack_features(samples: Sequence[Sample]) -> np.ndarray:
    return np.array([sample.feature for sample in samples], np.uint8).reshape(-1, LENGTH)


def _write_chunk(path: Path, samples: Sequence[Sample]) -> None:
    """Stage beside the target, sync, rename: a reader finds a whole chunk or none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "code": pa.array([sample.code for sample in samples], pa.string()),
            "caption": pa.array([sample.caption for sample in samples], pa.string()),
            "picture": pa.array([sample.picture for sample in samples], pa.binary()),
            "feature": pa.array([sample.feature.tobytes() for sample in samples], pa.binary(LENGTH)),
        }
    )
    staged = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with staged.open("wb") as file:
        pq.write_table(table, file, compression="zstd")
        file.flush()
        os.fsync(file.fileno())
    staged.replace(path)


def _read_features(path: Path) -> np.ndarray:
    import pyarrow.parquet as pq

    column = pq.read_table(path, columns=["feature"])["feature"].combine_chunks()
    return np.array([np.frombuffer(row, np.uint8) for row in column.to_pylist()], np.uint8).reshape(-1, LENGTH)


def _read_chunk(path: Path) -> list[Sample]:
    import pyarrow.parquet as pq

    return [
        Sample(row["code"], row["caption"], row["picture"], np.frombuffer(row["feature"], np.uint8))
        for row in pq.read_table(path).to_pylist()
    ]


@contextmanager
def _hold_lock(path: Path, wait: bool) -> Iterator[bool]:
    """An advisory lock that the kernel releases when its holder dies; False where another has it and we do not wait."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
        else:
            yield True
