"""The bank of procedurally made pictures that ``geometry.template`` searches: a preparation of chunks of scenes.

Scene ``i`` depends on (seed, i) alone: the same bytes whoever makes it, and a larger bank starts with the smaller
one's chunks. Memory holds the features; scripts and pictures are read when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

import numpy as np
import pyarrow as pa

from renderers.results import Outcome
from storage.rows import Anchor
from tasks.contract.context import Context, generator
from tasks.contract.prepare import Part, Preparation, Prepared
from tasks.geometry.captions.write import write_caption
from tasks.geometry.drawing.script import write_script
from tasks.geometry.drawing.style import Style
from tasks.geometry.families.features import LENGTH, extract_feature, measure_distances
from tasks.geometry.settings import GeometrySettings
from tasks.geometry.sources.sampler import sample_scene

CHUNK = 40
"""Scenes of one chunk: a second or two of work."""
_SPARE = 0.05
"""Share of scenes more than pictures: nearly all draw."""
_COMBINE = 3
"""Constructions that a scene of the bank combines at most: near the density of real problems."""
_HELD = 64
"""Chunks kept in memory."""
SCHEMA = pa.schema(
    [("code", pa.string()), ("caption", pa.string()), ("picture", pa.binary()), ("feature", pa.binary(LENGTH))]
)


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


def draw_chunk(chunk: int, anchors: Sequence[Anchor], context: Context[GeometrySettings]) -> pa.Table:
    """The pictures of one chunk. Scenes whose script fails or that have nothing to say are passed over."""
    del anchors
    told: dict[str, str] = {}
    for number in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        rng = generator(context.seed, "geometry.template", number)
        scene = sample_scene(rng, _COMBINE)
        if not context.settings.markings:
            scene = scene.drop_numbers()
        caption = write_caption(scene.to_facts(), rng, context.settings.caption_style)
        if caption:
            told[write_script(scene, Style.for_reader(context.settings.legible_at))] = caption
    rows = [
        {
            "code": code,
            "caption": caption,
            "picture": rendering.png,
            "feature": extract_feature(rendering.png).tobytes(),
        }
        for (code, caption), rendering in zip(told.items(), context.renderer.render_together(list(told)), strict=True)
        if rendering.outcome == Outcome.OK and rendering.png is not None
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


def open_bank(prepared: Prepared, context: Context[GeometrySettings]) -> Bank:
    """The first ``template_bank`` pictures of the chunks.

    Raises:
        BankError: too many of its scripts do not draw.
    """
    size = context.settings.template_bank
    parts = [_read_features(part) for part in prepared.parts]
    drawn = sum(map(len, parts))
    if drawn < size:
        raise BankError(
            f"only {drawn} of {len(parts) * CHUNK} sampled scenes drew, {size} are wanted; run `counterfoil doctor`"
        )
    ends = list(accumulate(map(len, parts)))
    read = lru_cache(_HELD)(lambda chunk: _read_samples(prepared.parts[chunk]))

    def get(position: int) -> Sample:
        chunk = int(np.searchsorted(ends, position, side="right"))
        return read(chunk)[position - (ends[chunk] - len(parts[chunk]))]

    return Bank(np.concatenate(parts)[:size], get)


def _read_features(part: Part) -> np.ndarray:
    column = part.read(["feature"])["feature"].to_pylist()
    return np.array([np.frombuffer(row, np.uint8) for row in column], np.uint8).reshape(-1, LENGTH)


def _read_samples(part: Part) -> list[Sample]:
    return [
        Sample(row["code"], row["caption"], row["picture"], np.frombuffer(row["feature"], np.uint8))
        for row in part.read().to_pylist()
    ]


def _count_chunks(settings: GeometrySettings) -> int:
    return -(-int(settings.template_bank * (1 + _SPARE)) // CHUNK) + 1


BANK: Preparation[GeometrySettings, Bank] = Preparation(
    "geometry.template_bank",
    make=draw_chunk,
    open=open_bank,
    count_parts=_count_chunks,
    uses=("markings", "legible_at", "caption_style"),
    version=9,
)
