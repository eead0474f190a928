"""How near a negative is to its anchor by a model's score: a reason to look at it, and no proof of anything.

A sentence encoder compares texts, one with two towers (CLIP) the picture with texts where there is a picture, a
cross-encoder reads anchor and text together. What score says that a text is true no model knows; so each negative is
measured by the texts of its own row that are known to be true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from counterfoil.tasks.encoders.base import Encoder, EncoderError, open_picture
from counterfoil.tasks.encoders.load import load_encoder
from counterfoil.tasks.encoders.pairs import PairScorer, load_pair_scorer
from counterfoil.tasks.foreign.errors import ForeignError
from counterfoil.tasks.foreign.groups import Group

_DIGITS = 4
"""Of a score: further ones depend on the machine."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What a model makes of one negative."""

    similarity: float
    """Its score beside the anchor: of encoders a cosine."""
    suspicion: float | None
    """The share of the texts known to be true of the anchor that it scores as high as, or higher than; None where the
    row has none."""


class Suspecting(Protocol):
    """Scores negatives."""

    name: str
    sees: bool
    """Whether it wants the rows' pictures."""

    def score(self, groups: Sequence[Group]) -> Iterator[list[Suspicion]]:
        """Of each group its negatives that are texts, in order."""
        ...


def open_suspecting(encoder: str = "", cross_encoder: str = "") -> Suspecting | None:
    """The model of this name; None where none is named.

    Raises:
        EncoderError: it cannot be loaded.
        ForeignError: both are named.
    """
    if encoder and cross_encoder:
        raise ForeignError("--encoder and --cross-encoder: one column of suspicion has one model: name one of them")
    if encoder:
        return _ByEncoder(load_encoder(encoder))
    return _ByPairs(load_pair_scorer(cross_encoder)) if cross_encoder else None


class _ByEncoder:
    def __init__(self, encoder: Encoder) -> None:
        self.name, self.sees, self._encoder = encoder.identity, encoder.joint, encoder

    def score(self, groups: Sequence[Group]) -> Iterator[list[Suspicion]]:
        texts = list(
            dict.fromkeys(text for group in groups for text in (group.anchor, *_list_true(group), *_false(group)))
        )
        vectors = dict(zip(texts, self._encoder.encode_texts(texts), strict=True))
        seen = [group.picture for group in groups if _is_picture(group.picture)] if self.sees else []
        pictures = iter(self._encoder.encode_images(seen) if seen else ())
        for group in groups:
            shown = self.sees and _is_picture(group.picture)
            anchor = next(pictures) if shown else vectors[group.anchor]
            true = [*([group.anchor] if shown else []), *_list_true(group)]
            yield _compare(*([float(vectors[text] @ anchor) for text in some] for some in (_false(group), true)))


class _ByPairs:
    sees = False

    def __init__(self, scorer: PairScorer) -> None:
        self.name, self._scorer = scorer.name, scorer

    def score(self, groups: Sequence[Group]) -> Iterator[list[Suspicion]]:
        for group in groups:
            false, true = _false(group), _list_true(group)
            scores = self._scorer.score(group.anchor, [*false, *true]).tolist()
            yield _compare(scores[: len(false)], scores[len(false) :])


def _list_true(group: Group) -> list[str]:
    return [text for text in dict.fromkeys(group.positives) if text != group.anchor]


def _false(group: Group) -> list[str]:
    return [each.text for each in group.negatives if each.text]


def _is_picture(data: bytes) -> bool:
    if not data:
        return False
    try:
        open_picture(data, 0)
    except EncoderError:
        return False
    return True


def _compare(false: Sequence[float], true: Sequence[float]) -> list[Suspicion]:
    known = np.round(true, _DIGITS)
    return [
        Suspicion(score, round(float((known <= score).mean()), _DIGITS) if len(known) else None)
        for score in (round(each, _DIGITS) for each in false)
    ]
