"""A part of the index: the vectors of a shard of anchors, with all that a contrast would show of them.

What an encoder gives for an anchor is looked at here, before it is beside any other's: an anchor with a vector that
cannot be compared is found by nobody and finds nobody, and the part says why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from counterfoil.storage.rows import Anchor
from counterfoil.storage.schemas import IMAGE
from counterfoil.tasks.contract.context import Context, S
from counterfoil.tasks.contract.settings import DomainSettings
from counterfoil.tasks.encoders import Encoder, EncoderError, Modality, load_encoder
from counterfoil.tasks.mining.pools import DIGITS
from counterfoil.tasks.mining.sound import check_width, find_flaws

SHOWN = (
    ("anchor_id", pa.string()),
    ("split", pa.string()),
    ("group", pa.string()),
    ("source", pa.string()),
    ("source_id", pa.string()),
    ("caption", pa.string()),
    ("captions", pa.list_(pa.string())),
    ("code", pa.string()),
    ("vector", pa.string()),
    ("image", IMAGE),
)
"""What a part tells of an anchor; code, SVG and picture only where pictures are found, its other captions only where
they are."""


def make_part(judges: Callable[[Anchor], bool], index: int, anchors: Sequence[Anchor], context: Context[S]) -> pa.Table:
    """The vectors of a shard of anchors. ``judges`` is the domain's: whether it can judge texts about an anchor.

    Raises:
        EncoderError: the encoder cannot be had, or does not encode what is asked for.
        MiningError: it gives vectors of another width than it says.
    """
    del index
    settings = context.settings
    encoder = open_encoder(settings)
    texts, pictures = _list_needed(settings)
    columns: dict[str, Any] = {
        name: pa.array([_show(a, name, settings) for a in anchors], kind) for name, kind in SHOWN
    }
    captions = [_list_texts(anchor) for anchor in anchors] if texts else [()] * len(anchors)
    said = _encode(encoder, "text", [text for each in captions for text in each])
    starts = np.cumsum([0, *map(len, captions)])
    shown = [i for i, anchor in enumerate(anchors) if anchor.image is not None and pictures]
    seen = _encode(encoder, "image", [anchors[i].image.bytes for i in shown])  # type: ignore[union-attr]
    owners = np.repeat(np.arange(len(anchors)), np.diff(starts)).tolist()
    flaws = {shown[row]: f"its picture's vector by {encoder.name}: {told}" for row, told in find_flaws(seen).items()}
    flaws |= {
        owners[row]: f"the vector of its text {row - int(starts[owners[row]]) + 1} by {encoder.name}: {told}"
        for row, told in find_flaws(said).items()
    }
    sound = [i not in flaws for i in range(len(anchors))]
    of_image: list[np.ndarray | None] = [None] * len(anchors)
    for place, i in enumerate(shown):
        of_image[i] = seen[place] if sound[i] else None
    of_text = [said[starts[i]] if captions[i] and sound[i] else None for i in range(len(anchors))]
    positives: list[Any] = []
    for i in range(len(anchors)):
        own = of_text[i] if settings.retrieval_query == "same" else of_image[i]
        others = said[starts[i] + (settings.retrieval_query == "same") : starts[i + 1]]
        positives.append([] if own is None else (others.astype(np.float64) @ own.astype(np.float64)).round(DIGITS))
    vectors = pa.list_(pa.float32(), encoder.dimension)
    columns |= {"text": pa.array(of_text, vectors), "picture": pa.array(of_image, vectors)}
    columns["positives"] = pa.array(positives, pa.list_(pa.float64()))
    columns["others"] = pa.array(
        [
            list(said[starts[i] + 1 : starts[i] + 1 + len(_list_others(anchor))])
            if finds_others(settings) and sound[i]
            else None
            for i, anchor in enumerate(anchors)
        ],
        pa.list_(vectors),
    )
    columns["judged"] = pa.array([judges(anchor) for anchor in anchors], pa.bool_())
    columns["flaw"] = pa.array([flaws.get(i) for i in range(len(anchors))], pa.string())
    return pa.table(columns).replace_schema_metadata({"encoder": encoder.identity})


def open_encoder(settings: DomainSettings) -> Encoder:
    """The encoder that the settings name, if it can do what they ask.

    Raises:
        EncoderError: it cannot be had, or cannot do that.
    """
    encoder = load_encoder(settings.retrieval_model)
    missing = {kind for kind, needed in zip(("text", "image"), _list_needed(settings), strict=True) if needed}
    missing -= encoder.modalities
    if missing:
        raise EncoderError(
            f"retrieval_model = {encoder.name!r} encodes no {missing.pop()}: name a CLIP-like model or `hashed`, "
            'or set retrieval_find = "text"'
        )
    if settings.retrieval_query == "across" and not encoder.joint:
        raise EncoderError(
            f'retrieval_query = "across" compares texts with pictures, which {encoder.name!r} cannot: name a CLIP-like '
            "model"
        )
    return encoder


def _list_needed(settings: DomainSettings) -> tuple[bool, bool]:
    """Whether texts and pictures are encoded."""
    across = settings.retrieval_query == "across"
    return across or settings.retrieval_find != "image", across or settings.retrieval_find != "text"


def _list_texts(anchor: Anchor) -> tuple[str, ...]:
    """The caption, then the anchor's other captions and views, each once."""
    if not anchor.caption:
        return ()
    return tuple(dict.fromkeys([anchor.caption, *anchor.captions, *(view.text for view in anchor.views)]))


def _list_others(anchor: Anchor) -> list[str]:
    """The anchor's captions without its `caption`, each once: in `_list_texts` they follow it."""
    return [text for text in dict.fromkeys(anchor.captions) if text != anchor.caption] if anchor.caption else []


def finds_others(settings: DomainSettings) -> bool:
    """Whether other captions than the anchors' `caption` are found."""
    return settings.retrieval_texts == "captions" and settings.retrieval_find != "image"


def _show(anchor: Anchor, name: str, settings: DomainSettings) -> Any:
    if name == "captions":
        return _list_others(anchor) if finds_others(settings) else None
    if name == "image":
        kept = anchor.image is not None and settings.retrieval_find != "text"
        return {"bytes": anchor.image.bytes, "path": anchor.image.path} if kept and anchor.image else None
    if name in ("code", "vector") and settings.retrieval_find == "text":
        return None
    return getattr(anchor, name)


def _encode(encoder: Encoder, modality: Modality, content: list[Any]) -> np.ndarray:
    """Vectors of contents, each distinct one encoded once."""
    places = {each: place for place, each in enumerate(dict.fromkeys(content))}
    encode = encoder.encode_texts if modality == "text" else encoder.encode_images
    found = np.asarray(encode(list(places))) if places else np.zeros((0, encoder.dimension), np.float32)
    check_width(found, encoder.dimension, f"retrieval_model = {encoder.name!r}")
    return found[[places[each] for each in content]]
