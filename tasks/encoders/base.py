"""What an encoder is: texts and pictures to vectors of one length, whose dot product is their cosine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from typing import Any, Literal, Protocol

import numpy as np
from PIL import Image as Pillow

from counterfoil.storage.pictures import explain_unreadable

Modality = Literal["text", "image"]
BATCH = 32
"""Rows that a model encodes at once. Batches are filled up to it, so that a row's vector is the same in any company."""
LOADING_ERRORS = (OSError, ValueError, KeyError, AttributeError, ImportError, RuntimeError)
"""What the hub and the libraries raise for a model that is not there, or not of that kind."""


class EncoderError(Exception):
    """An encoder cannot be had, or cannot do what is asked of it. The message says which, where and what to do."""

    fatal = True
    """It is about the run, not about the row at hand."""


class Encoder(Protocol):
    """Makes vectors: ``float32`` of shape (N, ``dimension``), each of length 1 (of length 0 where there is nothing)."""

    @property
    def name(self) -> str:
        """What it was asked for by: a built-in's name, a hub id or a folder."""
        ...

    @property
    def identity(self) -> str:
        """Names what decides its vectors (weights, configuration, tokenizer) and not where it lies: a cache's key."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def modalities(self) -> frozenset[Modality]:
        """What it can encode."""
        ...

    @property
    def joint(self) -> bool:
        """Whether the vector of a text and that of a picture may be compared."""
        ...

    def encode_texts(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of texts, in order.

        Raises:
            EncoderError: it does not encode texts.
        """
        ...

    def encode_images(self, images: Sequence[bytes]) -> np.ndarray:
        """Vectors of encoded pictures, in order.

        Raises:
            EncoderError: it does not encode pictures, or one is none; the message names its place.
        """
        ...


def normalise(vectors: np.ndarray) -> np.ndarray:
    """The rows as ``float32`` of length 1; a row of zeros stays one, one that is not finite is NaN throughout.

    A model with broken weights, or one that overflows in half precision, must not look like one that sees nothing: who
    compares vectors asks `find_broken` first.

    >>> normalise(np.array([[3, 4], [0, 0]])).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    >>> normalise(np.array([[3, np.inf]])).tolist()
    [[nan, nan]]
    """
    wide = np.asarray(vectors, dtype=np.float64)
    broken = find_broken(wide)
    wide = np.where(broken[:, None], 0.0, wide)
    # By its largest part first: squares of what is finite need not be.
    largest = np.abs(wide).max(axis=1, initial=0)[:, None]
    wide = np.divide(wide, largest, out=np.zeros_like(wide), where=largest > 0)
    lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))[:, None]
    unit = np.divide(wide, lengths, out=np.zeros_like(wide), where=lengths > 0).astype(np.float32)
    unit[broken] = np.nan
    return unit


def find_broken(vectors: np.ndarray) -> np.ndarray:
    """``bool`` of shape (N,): which of the (N, D) rows hold anything that is not finite.

    >>> find_broken(np.array([[1.0, 0.0], [np.nan, 0.0]])).tolist()
    [False, True]
    """
    return ~np.isfinite(vectors).all(axis=1)


def open_picture(data: bytes, place: int) -> Pillow.Image:
    """A picture in colours, what is transparent laid over white.

    Raises:
        EncoderError: the bytes are no picture.
    """
    try:
        with Pillow.open(BytesIO(data)) as opened:
            if opened.mode in ("RGBA", "LA", "PA") or "transparency" in opened.info:
                whole = opened.convert("RGBA")
                return Pillow.alpha_composite(Pillow.new("RGBA", whole.size, "white"), whole).convert("RGB")
            return opened.convert("RGB")
    except (OSError, SyntaxError, ValueError) as error:
        why = explain_unreadable(error)
        raise EncoderError(f"picture {place} of those to encode cannot be read ({why}): leave it out") from error


def choose_device(torch: Any, device: str | None) -> str:
    """``device``, or the GPU where there is one."""
    return device or ("cuda" if torch.cuda.is_available() else "cpu")


def identify_model(model: Any, *about: str) -> str:
    """16 hex digits of the SHA-256 of a model's weights and of what else decides its vectors."""
    digest = hashlib.sha256()
    for text in about:
        digest.update(text.encode() + b"\0")
    for key, tensor in sorted(model.state_dict().items()):
        digest.update(f"{key} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(memoryview(tensor.detach().cpu().contiguous().view(-1).view(_bytes_of(tensor)).numpy()))
    return digest.hexdigest()[:16]


def _bytes_of(tensor: Any) -> Any:
    import torch

    return torch.uint8 if tensor.element_size() > 1 else tensor.dtype


def fill_batch(rows: Sequence[Any]) -> list[Any]:
    """The rows, the last repeated up to a whole batch."""
    return [*rows, *[rows[-1]] * (BATCH - len(rows))]


def encode_in_batches(
    order: Sequence[Sequence[int]], encode: Callable[[Sequence[int]], np.ndarray], shape: tuple[int, int]
) -> np.ndarray:
    """Encode groups of rows in batches of equal shape; the vectors in the rows' own order.

    Args:
        order: groups of row numbers whose batches have one shape (texts of one length).
        encode: vectors of a whole batch of row numbers.
        shape: of what is returned.
    """
    found = np.zeros(shape, dtype=np.float32)
    for batch in _cut(order):
        found[list(batch)] = normalise(encode(fill_batch(batch))[: len(batch)])
    return found


def _cut(order: Iterable[Sequence[int]]) -> Iterator[Sequence[int]]:
    for group in order:
        for start in range(0, len(group), BATCH):
            yield group[start : start + BATCH]
