"""How alike contrasts and their anchors are by models (Concrete Jungle, Table 1, rows 3 to 8).

Of each family that names keywords, over the rows with the least ids: accuracies of a model with two towers that must
choose between the anchor and its contrast (I2T, T2I), and the likeness of texts (BERTScore, CLIP-L) and of pictures
(CLIP-V, DINOScore). The paper's models are PE-Core-L-14-336, DINOv2 and RoBERTa-large; any other of transformers does.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.encoders import EncoderError, load_encoder
from counterfoil.tasks.encoders.base import LOADING_ERRORS, choose_device, open_picture
from counterfoil.tasks.encoders.bertscore import open_bertscore
from counterfoil.tasks.packages import import_package


class Tables(Protocol):
    """What is read of a dataset."""

    def contrasts(self, family: str, anchor_ids: Sequence[str] | None = None) -> Iterator[Contrast]: ...

    def get_anchors(self, anchor_ids: Sequence[str]) -> Mapping[str, Anchor]: ...


Compare = Callable[[Sequence[Any], Sequence[Any]], np.ndarray]


@dataclass(frozen=True)
class Judges:
    """Models by hub id or folder; of one that is not named the columns are left out."""

    clip: str | None = None
    dino: str | None = None
    bert: str | None = None
    rows: int = 1_000
    """of a family that are judged, at most"""

    def __bool__(self) -> bool:
        return bool(self.clip or self.dino or self.bert)


NO_JUDGES = Judges()


@dataclass(frozen=True)
class Likeness:
    """One family's row. None: the model was not named, or the family has no such texts or pictures."""

    family: str
    rows: int
    image_to_text: float | None = None
    """Share of rows whose anchor's picture is nearer to the anchor's caption than to the contrast's text."""
    text_to_image: float | None = None
    """Share of rows whose anchor's caption is nearer to the anchor's picture than to the contrast's."""
    bert: float | None = None
    """BERTScore F1 of the two texts, mean, without rescaling."""
    clip_texts: float | None = None
    """Cosine of the two texts, mean (CLIP-L)."""
    clip_images: float | None = None
    """Cosine of the two pictures, mean (CLIP-V)."""
    dino: float | None = None
    """Cosine of the two pictures, mean (DINOScore)."""


def measure_likeness(tables: Tables, families: Sequence[str], judges: Judges) -> tuple[Likeness, ...]:
    """A row for each family.

    Raises:
        counterfoil.tasks.encoders.EncoderError: a model cannot be loaded, or cannot do what is asked of it.
    """
    if not judges:
        return ()
    # A name that is wrong is told even where no family has what it would judge.
    for name, load in ((judges.bert, open_bertscore), (judges.dino, open_dino), (judges.clip, load_encoder)):
        if name:
            load(name)
    measured = []
    for family in families:
        rows = heapq.nsmallest(judges.rows, tables.contrasts(family), key=lambda row: row.contrast_id)
        anchors = tables.get_anchors(sorted({row.anchor_id for row in rows}))
        measured.append(_measure_likeness([(anchors[row.anchor_id], row) for row in rows], family, judges))
    return tuple(measured)


def _measure_likeness(rows: Sequence[tuple[Anchor, Contrast]], family: str, judges: Judges) -> Likeness:
    texts = [(a, c) for a, c in rows if a.caption and c.text and c.text != a.caption]
    pictures = [(a, c) for a, c in rows if a.image and c.image]
    found: dict[str, float | None] = {}
    if judges.bert and texts:
        compare = open_bertscore(judges.bert)
        told = compare([c.text or "" for _, c in texts], [(a.caption or "",) for a, _ in texts])
        found["bert"] = _mean(np.array([f1 for _, _, f1 in told]))
    if judges.dino and pictures:
        see = open_dino(judges.dino)
        found["dino"] = _mean(see([_bytes(c) for _, c in pictures], [_bytes(a) for a, _ in pictures]))
    if judges.clip:
        found |= _ask_clip(judges.clip, texts, pictures)
    return Likeness(family, len(rows), **found)


def _ask_clip(
    name: str, texts: Sequence[tuple[Anchor, Contrast]], pictures: Sequence[tuple[Anchor, Contrast]]
) -> dict[str, float | None]:
    encoder = load_encoder(name)
    if not encoder.joint:
        raise EncoderError(
            f"--clip {name} has no two towers, so that no text can be compared with a picture: name CLIP"
        )
    found: dict[str, float | None] = {}
    if texts:
        own = encoder.encode_texts([a.caption or "" for a, _ in texts])
        other = encoder.encode_texts([c.text or "" for _, c in texts])
        found["clip_texts"] = _mean(_dot(own, other))
        seen = [i for i, (a, _) in enumerate(texts) if a.image]
        if seen:
            images = encoder.encode_images([_bytes(texts[i][0]) for i in seen])
            found["image_to_text"] = _mean(_dot(images, own[seen]) > _dot(images, other[seen]))
    if pictures:
        own = encoder.encode_images([_bytes(a) for a, _ in pictures])
        other = encoder.encode_images([_bytes(c) for _, c in pictures])
        found["clip_images"] = _mean(_dot(own, other))
        said = [i for i, (a, _) in enumerate(pictures) if a.caption]
        if said:
            captions = encoder.encode_texts([pictures[i][0].caption or "" for i in said])
            found["text_to_image"] = _mean(_dot(captions, own[said]) > _dot(captions, other[said]))
    return found


@lru_cache(maxsize=1)
def open_dino(name: str) -> Compare:
    """Cosines of pairs of encoded pictures by a model of pictures, whose first token stands for the whole.

    Raises:
        counterfoil.tasks.encoders.EncoderError: a library is missing, or the model cannot be loaded.
    """
    torch, transformers = (import_package(each, "likeness", "mining") for each in ("torch", "transformers"))
    try:
        processor = transformers.AutoImageProcessor.from_pretrained(name, backend="pil")
        model = transformers.AutoModel.from_pretrained(name, use_safetensors=True)
    except LOADING_ERRORS as error:
        raise EncoderError(
            f"--dino {name} cannot be loaded: name a model such as facebook/dinov2-base ({error})"
        ) from error
    model = model.to(choose_device(torch, None)).eval()

    def embed(data: bytes, place: int) -> np.ndarray:
        batch = processor(images=[open_picture(data, place)], return_tensors="pt")
        with torch.inference_mode():
            token = model(pixel_values=batch["pixel_values"].to(model.device)).last_hidden_state[0, 0]
        return np.asarray(torch.nn.functional.normalize(token.float(), dim=0).cpu().numpy())

    def compare(pictures: Sequence[bytes], others: Sequence[bytes]) -> np.ndarray:
        pairs = enumerate(zip(pictures, others, strict=True))
        return np.array([float(embed(a, i) @ embed(b, i)) for i, (a, b) in pairs])

    return compare


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", a, b)


def _mean(values: np.ndarray) -> float:
    return float(np.mean(values))


def _bytes(row: Anchor | Contrast) -> bytes:
    assert row.image is not None
    return row.image.bytes
