"""The bank of procedurally made pictures that ``geometry.template`` searches.

A bank is one Parquet file, made once per run by whichever worker needs it first while the others wait, and the same
bytes whoever makes it. Picture ``i`` of a bank depends on (seed, i) alone, so a larger bank starts with the smaller.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from renderers.results import Outcome, ScriptRenderer
from storage.rows import fingerprint
from tasks.families import generator
from tasks.geometry.anchors import drop_numbers
from tasks.geometry.caption import write_caption
from tasks.geometry.families.features import extract_feature, measure_distances
from tasks.geometry.sampler import sample_scene
from tasks.geometry.script import write_script

VERSION = 1
"""Bump when a bank of the same size and seed would hold other pictures."""
_MOST_TRIES = 2
"""Scenes sampled per picture before giving up: nearly all draw."""
_COMBINE = 3
"""Constructions that a scene of the bank combines at most: near the density of real problems."""


class BankError(Exception):
    """The bank cannot be made: too many of its scripts fail. The message says what fails."""


@dataclass(frozen=True)
class Bank:
    """Scripts with their captions, pictures and features (``uint8``, one row each)."""

    codes: tuple[str, ...]
    captions: tuple[str, ...]
    pictures: tuple[bytes, ...]
    features: np.ndarray

    def find_nearest(self, query: np.ndarray, count: int) -> list[int]:
        """Positions of the ``count`` nearest pictures, nearest first; ties go to the lower position."""
        distances = measure_distances(self.features, query)
        return [int(i) for i in np.argsort(distances, kind="stable")[:count]]


def open_bank(directory: Path, size: int, seed: int, markings: bool, renderer: ScriptRenderer) -> Bank:
    """The bank of ``size`` pictures for ``seed``, made under a lock if it is not there yet.

    Raises:
        BankError: its scripts do not draw.
    """
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"bank-{fingerprint('bank', VERSION, size, seed, markings)[:16]}.parquet"
    if not path.exists():
        with _hold_lock(path.with_suffix(".lock")):
            if not path.exists():
                _write_bank(path, build_bank(size, seed, markings, renderer))
    return _read_bank(path)


def build_bank(size: int, seed: int, markings: bool, renderer: ScriptRenderer) -> Bank:
    """Draw ``size`` pictures. Scenes whose script fails or that have nothing to say are passed over and counted."""
    codes: list[str] = []
    captions: list[str] = []
    pictures: list[bytes] = []
    features: list[np.ndarray] = []
    tried = 0
    while len(codes) < size and tried < _MOST_TRIES * size + 20:
        rng = generator(seed, "geometry.template", tried)
        tried += 1
        scene = sample_scene(rng, _COMBINE)
        if not markings:
            scene = drop_numbers(scene)
        caption = write_caption(scene.to_facts(), rng)
        if not caption:
            continue
        code = write_script(scene)
        rendering = renderer.render(code)
        if rendering.outcome != Outcome.OK or rendering.png is None:
            continue
        codes.append(code)
        captions.append(caption)
        pictures.append(rendering.png)
        features.append(extract_feature(rendering.png))
    if len(codes) < size:
        raise BankError(f"only {len(codes)} of {tried} sampled scenes drew; run `counterfoil doctor`")
    return Bank(tuple(codes), tuple(captions), tuple(pictures), np.stack(features))


def _write_bank(path: Path, bank: Bank) -> None:
    """Stage beside the target, sync, rename: a reader finds a whole bank or none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "code": pa.array(bank.codes, pa.string()),
            "caption": pa.array(bank.captions, pa.string()),
            "picture": pa.array(bank.pictures, pa.binary()),
            "feature": pa.array([row.tobytes() for row in bank.features], pa.binary()),
        }
    )
    staged = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with staged.open("wb") as file:
        pq.write_table(table, file, compression="zstd")
        file.flush()
        os.fsync(file.fileno())
    staged.replace(path)


def _read_bank(path: Path) -> Bank:
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    features = np.stack([np.frombuffer(row, dtype=np.uint8) for row in table["feature"].to_pylist()])
    return Bank(
        tuple(table["code"].to_pylist()),
        tuple(table["caption"].to_pylist()),
        tuple(table["picture"].to_pylist()),
        features,
    )


@contextmanager
def _hold_lock(path: Path) -> Iterator[None]:
    """An advisory lock that the kernel releases when its holder dies."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
