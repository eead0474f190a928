"""Retrieval between pictures and their captions, both ways; equal captions and equal groups answer for each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterfoil.tasks.evaluation.outcomes import FigureSpec, pool
from counterfoil.tasks.evaluation.tasks import MRR, Retrieval
from counterfoil.tasks.tells.blocks import join_blocks

DEPTHS = (1, 5, 10)


def list_recalls(parts: Sequence[str], depths: Sequence[int] = DEPTHS, mrr: str = MRR) -> list[FigureSpec]:
    """R@k of each depth, and MRR."""
    return [*(pool(f"R@{depth}", f"R@{depth}", parts) for depth in depths), pool(mrr, mrr, parts)]


def retrieve_pairs(
    images: np.ndarray,
    texts: np.ndarray,
    owners: np.ndarray,
    names: Sequence[str],
    groups: Sequence[str],
    mrr: str = MRR,
) -> list[Retrieval]:
    """Image to text, and text to image.

    Args:
        images: ``int64`` of shape (pictures,): nodes.
        texts: ``int64`` of shape (captions,): nodes.
        owners: ``int64`` of shape (captions,): the picture of each caption.
        names: of the pictures.
        groups: of the pictures: those of one group have an equal picture or equal facts, and answer for each other.
        mrr: the measure of reciprocal ranks that is told.

    A caption that stands beside pictures of several groups is one document, and right for all of them; a picture that
    is there twice is one document. Every query is asked once for each time it stands there.
    """
    by_text, text_place = np.unique(texts, return_inverse=True)
    by_image, image_place = np.unique(images, return_inverse=True)
    keys = [[("group", own), ("picture", place)] for own, place in zip(groups, image_place.tolist(), strict=True)]
    group = np.array(join_blocks(keys), dtype=np.int64)
    of_text = _collect(group[owners], text_place)
    of_image = _collect(group, image_place)
    stands_beside = _collect(text_place, group[owners])
    blocks = tuple(str(number) for number in group.tolist())
    figures = list_recalls([""], mrr=mrr)
    return [
        Retrieval(
            "image to text",
            tuple(names),
            ("",) * len(images),
            blocks,
            tuple(figures),
            images,
            by_text,
            tuple(of_text[number] for number in group.tolist()),
        ),
        Retrieval(
            "text to image",
            tuple(f"{names[owner]}#{number}" for number, owner in enumerate(owners.tolist())),
            ("",) * len(texts),
            tuple(blocks[owner] for owner in owners.tolist()),
            tuple(figures),
            texts,
            by_image,
            tuple(
                np.unique(np.concatenate([of_image[number] for number in stands_beside[place].tolist()]))
                for place in text_place.tolist()
            ),
        ),
    ]


def _collect(group: np.ndarray, places: np.ndarray) -> dict[int, np.ndarray]:
    """Each number of ``group`` to the places that stand beside it, each once."""
    found: dict[int, set[int]] = {}
    for number, place in zip(group.tolist(), places.tolist(), strict=True):
        found.setdefault(number, set()).add(place)
    return {number: np.array(sorted(own), dtype=np.int64) for number, own in found.items()}
