"""Photographs edited as exchanged captions say, and how they are judged: by likeness, and by models if named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from storage.rows import Anchor, Contrast
from tasks.caption.checks import is_scene, open_picture, write_png
from tasks.caption.families.likeness import measure_change, measure_distance, measure_similarity
from tasks.caption.models.seeing import open_clip, open_dino
from tasks.caption.settings import CaptionSettings
from tasks.contract.context import Context, generator
from tasks.contract.family import Draft
from tasks.contract.verdict import Checks

if TYPE_CHECKING:
    from tasks.caption.models.editor import Editor

LEAST_CHANGE = 0.01
"""Share of a photograph's pixels that an edit must change: less is the noise of encoding and decoding it."""
LEAST_ALIKE, MOST_ALIKE = 0.05, 0.98
"""Structural similarity of a picture that is another, and of one that is the same."""
MOST_BITS = 28
"""Bits of 64 of the difference hash that may differ: of unrelated pictures, half do."""
DINO_LEAST, DINO_MOST = 0.2, 0.99
"""Bounds of DINO's cosine; the paper's means are 0.62 to 0.67."""
_EDITS = "caption.edits"
"""Where the pictures that were edited in batches lie among what was prepared."""

Wanted = tuple[Anchor, Draft]


def edit_shard(wanted: Sequence[Wanted], context: Context[CaptionSettings]) -> Context[CaptionSettings]:
    """``context`` with the pictures of all ``wanted`` photographs, edited in batches in their order."""
    made: dict[tuple[str, str], np.ndarray] = {}
    size = context.settings.edit_batch
    for batch in (wanted[start : start + size] for start in range(0, len(wanted), size)):
        for (anchor, draft), picture in zip(batch, _edit(batch, context), strict=True):
            made[anchor.anchor_id, draft.text or ""] = picture
    return replace(context, prepared={**context.prepared, _EDITS: made})


def draw_photograph(anchor: Anchor, draft: Draft, context: Context[CaptionSettings]) -> Draft:
    """The draft with its edited picture: from the shard's batches, or edited now."""
    made = cast(Mapping[tuple[str, str], np.ndarray], context.prepared.get(_EDITS, {}))
    picture = made.get((anchor.anchor_id, draft.text or ""))
    if picture is None:
        (picture,) = _edit([(anchor, draft)], context)
    alike = measure_similarity(picture, _see(anchor))
    return replace(draft, image=write_png(picture), similarity=round(alike, 4))


def can_edit(anchor: Anchor, settings: CaptionSettings) -> bool:
    return not is_scene(anchor) and anchor.image is not None and settings.editor is not None


def _edit(batch: Sequence[Wanted], context: Context[CaptionSettings]) -> list[np.ndarray]:
    # Imported late: what edits nothing needs no torch.
    from tasks.caption.models.editor import open_editor

    settings = context.settings
    assert settings.editor is not None
    editor: Editor = open_editor(settings.editor, settings.edit_half, settings.edit_compile)
    seeds = [
        int(generator(context.seed, "caption.edit", anchor.anchor_id, draft.text or "").integers(2**31))
        for anchor, draft in batch
    ]
    return editor.edit([_see(anchor) for anchor, _ in batch], [draft.text or "" for _, draft in batch], seeds, settings)


def _see(anchor: Anchor) -> np.ndarray:
    assert anchor.image is not None
    return open_picture(anchor.image.bytes)


def check_photograph(checks: Checks, contrast: Contrast, anchor: Anchor, settings: CaptionSettings) -> None:
    """The picture is another one of the same scene: changed visibly and not beyond recognition, by pixels, and by CLIP
    and DINO where the recipe names them."""
    checks.require("picture_stored", bool(contrast.image and anchor.image), "a photograph needs its picture")
    assert contrast.image is not None
    pixels, original = open_picture(contrast.image.bytes), _see(anchor)
    checks.require("size_kept", pixels.shape == original.shape, "the picture has another size than the anchor's")
    share = measure_change(pixels, original)
    checks.require("change_visible", share >= LEAST_CHANGE, f"{share:.2%} of the pixels differ")
    alike, bits = measure_similarity(pixels, original), measure_distance(pixels, original)
    checks.require("change_visible", alike <= MOST_ALIKE, f"a structural similarity of {alike:.3f}")
    checks.require("same_scene", alike >= LEAST_ALIKE, f"a structural similarity of {alike:.3f}")
    checks.require("same_scene", bits <= MOST_BITS, f"{bits} of 64 bits of the hash differ")
    stored = contrast.similarity is not None and abs(contrast.similarity - alike) < 0.001
    checks.require("similarity_measured", stored, f"{contrast.similarity} is stored, {alike:.4f} measured")
    if settings.clip:
        new, old = open_clip(settings.clip).score(pixels, [contrast.text or "", anchor.caption or ""])
        checks.require("nearer_to_new_caption", new > old, f"CLIP: {new:.3f} to its own caption, {old:.3f} to the old")
    if settings.dino:
        cosine = open_dino(settings.dino).compare(pixels, original)
        checks.require("same_scene", cosine >= DINO_LEAST, f"DINO: {cosine:.3f}")
        checks.require("change_visible", cosine <= DINO_MOST, f"DINO: {cosine:.3f}")
