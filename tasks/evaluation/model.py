"""A model as a system under evaluation: its vectors' cosines are the scores."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from counterfoil.tasks.encoders.base import Encoder, EncoderError, find_broken, open_picture
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import Material, Picture, is_picture
from counterfoil.tasks.evaluation.tasks import Choices

_AT_ONCE = 256
"""Texts or pictures read and encoded at a time."""

Progress = Callable[[str, int, int], None]
"""Called with what is done, how many of it since the last call, and how many there are."""


class BrokenVectorError(EvaluationError):
    """A model gave vectors that are not finite. ``nodes`` are those of what it was shown, `tell` names the task."""

    def __init__(self, model: str, nodes: np.ndarray, total: int, where: str = "") -> None:
        self.model, self.nodes, self.total = model, nodes, total
        super().__init__(
            f"model {model!r} gave vectors that are not finite (NaN or infinite) for {len(nodes):,} of {total:,} texts "
            f"and pictures{where}: nothing is scored. Look at its weights, or load it in float32"
        )


class Model:
    """An encoder on the material of tasks that it can do. Each text and picture is encoded once."""

    def __init__(
        self, encoder: Encoder, material: Material, nodes: np.ndarray, kind: str, progress: Progress = lambda *_: None
    ) -> None:
        """Encode the ``nodes`` of the material.

        Raises:
            BrokenVectorError: a vector is not finite.
            EncoderError: a picture cannot be read.
        """
        self.name, self.kind = encoder.name, kind
        self._place = np.full(2 * max(len(material.texts), len(material.pictures)) + 2, -1, dtype=np.int64)
        texts, pictures = nodes[~is_picture(nodes)], nodes[is_picture(nodes)]
        parts = [
            encoder.encode_texts([material.texts[node // 2] for node in chunk.tolist()])
            for chunk in _tell(_cut(texts), f"{encoder.name}: texts", len(texts), progress)
        ]
        parts += [
            _encode_pictures(encoder, [material.pictures[node // 2] for node in chunk.tolist()])
            for chunk in _tell(_cut(pictures), f"{encoder.name}: pictures", len(pictures), progress)
        ]
        vectors = np.concatenate([np.zeros((0, encoder.dimension), dtype=np.float32), *parts]).astype(np.float32)
        broken = np.concatenate([texts, pictures])[find_broken(vectors)]
        if len(broken):
            raise BrokenVectorError(encoder.name, broken, len(vectors))
        # Texts that a tokenizer cuts to the same tokens have one vector: they share a row, so that they tie exactly.
        rows: dict[bytes, int] = {}
        first: list[int] = []
        for number, node in enumerate(np.concatenate([texts, pictures]).tolist()):
            row = rows.setdefault(hashlib.sha256(vectors[number].tobytes()).digest(), len(rows))
            first += [number] if row == len(first) else []
            self._place[node] = row
        self.vectors = vectors[first]

    def score_rows(self, choices: Choices) -> np.ndarray:
        """Cosines of queries and candidates; a pair scores the same wherever and whichever way round it stands."""
        pairs = np.sort(np.stack([self._place[choices.query], self._place[choices.candidate]], axis=1), axis=1)
        unique, place = np.unique(pairs, axis=0, return_inverse=True)
        scores = np.empty(len(unique), dtype=np.float32)
        for start in range(0, len(unique), 4096):
            part = unique[start : start + 4096]
            scores[start : start + 4096] = np.einsum("ij,ij->i", self.vectors[part[:, 0]], self.vectors[part[:, 1]])
        return np.asarray(scores[place.ravel()])

    def score_block(self, queries: np.ndarray, documents: np.ndarray) -> np.ndarray:
        """Cosines, ``float32`` of shape (queries, documents)."""
        unique, place = np.unique(self._place[documents], return_inverse=True)
        return np.asarray((self.vectors[self._place[queries]] @ self.vectors[unique].T)[:, place])

    def give_features(self, nodes: np.ndarray) -> np.ndarray:
        """Vectors of the nodes."""
        return np.asarray(self.vectors[self._place[nodes]])


def _encode_pictures(encoder: Encoder, pictures: Sequence[Picture]) -> np.ndarray:
    read = [picture.read() for picture in pictures]
    try:
        return encoder.encode_images(read)
    except EncoderError as error:
        for picture, content in zip(pictures, read, strict=True):
            try:
                open_picture(content, 0)
            except EncoderError as broken:
                raise EvaluationError(
                    f"{picture.path or picture.name} is no picture that can be read: get it anew from the authors"
                ) from broken
        raise error


def _cut(nodes: np.ndarray) -> list[np.ndarray]:
    return [nodes[start : start + _AT_ONCE] for start in range(0, len(nodes), _AT_ONCE)]


def _tell(chunks: Sequence[np.ndarray], what: str, total: int, progress: Progress) -> Iterator[np.ndarray]:
    """The chunks; each is told of once the next one is asked for."""
    for chunk in chunks:
        yield chunk
        progress(what, len(chunk), total)
