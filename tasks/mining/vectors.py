"""Vectors that were made once: a table of them by content and encoder, so that a second run encodes only what is new.

The table is a folder of Parquet files, ``<encoder's identity>/<name>.parquet`` with columns ``key`` (the SHA-256 of the
content) and ``vector``. A file is written whole or not at all, every few thousand rows, so that a run that was ended
goes on where it was. Files of several processes do not disturb each other.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from counterfoil.tasks.encoders import Encoder, Modality
from counterfoil.tasks.mining.errors import MiningError
from counterfoil.tasks.mining.sound import check_width

_ROWS = 2048
"""Contents of one file."""


class VectorTable:
    """The vectors of one encoder in a folder."""

    def __init__(self, folder: Path, encoder: Encoder) -> None:
        self._folder = folder / encoder.identity
        self._encoder = encoder

    def encode(
        self,
        kind: Modality,
        contents: Sequence[str] | Sequence[bytes],
        progress: Callable[[int, int], None] = lambda *_: None,
    ) -> np.ndarray:
        """Vectors of texts or pictures, in order; what is in the table already is not encoded again.

        Args:
            progress: gets how many more rows are done, and how many there are.

        Raises:
            EncoderError: the encoder does not encode this.
            MiningError: what it made, or what was kept of it, is of another width than it says.
        """
        keys = [_hash(kind, each) for each in contents]
        found = np.zeros((len(keys), self._encoder.dimension), np.float32)
        places: dict[bytes, list[int]] = {}
        for place, key in enumerate(keys):
            places.setdefault(key, []).append(place)
        missing = dict.fromkeys(keys)
        for known, vectors in self._read(set(places)):
            for key, vector in zip(known, vectors, strict=True):
                found[places[key]] = vector
                missing.pop(key, None)
        progress(sum(len(places[key]) for key in places if key not in missing), len(keys))
        left = list(missing)
        for start in range(0, len(left), _ROWS):
            some = left[start : start + _ROWS]
            vectors = self._make(kind, [contents[places[key][0]] for key in some])
            self._write(some, vectors)
            for key, vector in zip(some, vectors, strict=True):
                found[places[key]] = vector
            progress(sum(len(places[key]) for key in some), len(keys))
        return found

    def _make(self, kind: Modality, contents: Sequence[str | bytes]) -> np.ndarray:
        if kind == "text":
            made = self._encoder.encode_texts([each for each in contents if isinstance(each, str)])
        else:
            made = self._encoder.encode_images([each for each in contents if isinstance(each, bytes)])
        check_width(made, self._encoder.dimension, self._encoder.name)
        return made

    def _read(self, wanted: set[bytes]) -> list[tuple[list[bytes], np.ndarray]]:
        tables = []
        for file in sorted(self._folder.glob("*.parquet")):
            keys = pq.read_table(file, columns=["key"])["key"].to_pylist()
            kept = np.array([key in wanted for key in keys], bool)
            if kept.any():
                column = pq.read_table(file, columns=["vector"])["vector"].combine_chunks()
                if getattr(column.type, "list_size", -1) != self._encoder.dimension or column.null_count:
                    made = f"{self._encoder.dimension} numbers, as {self._encoder.name} makes them"
                    raise MiningError(f"{file}: its vectors are not all of {made}: remove the file and run again")
                vectors = column.flatten().to_numpy().reshape(-1, self._encoder.dimension)[kept]
                tables.append(([key for key, here in zip(keys, kept, strict=True) if here], vectors))
        return tables

    def _write(self, keys: Sequence[bytes], vectors: np.ndarray) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(b"".join(keys)).hexdigest()[:32]
        flat = pa.array(np.ascontiguousarray(vectors).reshape(-1), pa.float32())
        column = pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
        temporary = self._folder / f".{name}.{os.getpid()}"
        pq.write_table(pa.table({"key": pa.array(keys, pa.binary(32)), "vector": column}), temporary)
        temporary.replace(self._folder / f"{name}.parquet")


def _hash(kind: Modality, content: str | bytes) -> bytes:
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return hashlib.sha256(kind.encode() + b"\0" + data).digest()
