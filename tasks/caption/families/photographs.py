"""Photographs edited as exchanged captions say, and how they are judged: by likeness, and by models that see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.caption.checks import is_scene, open_picture, write_png
from counterfoil.tasks.caption.families.judging import check_fits, check_found, check_scene_kept, score_fits
from counterfoil.tasks.caption.families.likeness import (
    measure_change,
    measure_distance,
    measure_noise,
    measure_similarity,
)
from counterfoil.tasks.caption.models.finder import find_mask, open_finder
from counterfoil.tasks.caption.models.loading import ModelError
from counterfoil.tasks.caption.models.seeing import open_clip, open_dino
from counterfoil.tasks.caption.models.trust import distrust_clip, distrust_dino, distrust_finder
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.contract.context import Context, generator
from counterfoil.tasks.contract.family import Draft
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import Checks

if TYPE_CHECKING:
    from counterfoil.tasks.caption.models.editor import Editor

LEAST_CHANGE = 0.01
"""Share of a photograph's pixels that an edit must change: less is the noise of encoding and decoding it."""
LEAST_ALIKE, MOST_ALIKE = 0.05, 0.98
"""Structural similarity of a picture that is another, and of one that is the same."""
MOST_BITS = 28
"""Bits of 64 of the difference hash that may differ: of unrelated pictures, half do."""
MOST_MASKED = 0.7
"""Share of a photograph that may be painted anew where a model finds the place: else it is another scene."""
MOST_NOISE = 0.05
"""Share of a photograph that an edit may turn into what looks like noise."""
_EDITS = "caption.edits"
"""Where the pictures that were edited in batches lie among what was prepared."""

Wanted = tuple[Anchor, Draft]


def edit_shard(wanted: Sequence[Wanted], context: Context[CaptionSettings]) -> Context[CaptionSettings]:
    """``context`` with the pictures of all ``wanted`` photographs, edited in batches in their order."""
    made: dict[tuple[str, str], np.ndarray] = {}
    size = context.settings.edit_batch
    for batch in (wanted[start : start + size] for start in range(0, len(wanted), size)):
        for (anchor, draft), picture in _edit(batch, context):
            made[anchor.anchor_id, draft.text or ""] = picture
    return replace(context, prepared={**context.prepared, _EDITS: made})


def draw_photograph(anchor: Anchor, draft: Draft, context: Context[CaptionSettings]) -> Draft | Reject:
    """The draft with its edited picture: from the shard's batches, or edited now."""
    made = cast(Mapping[tuple[str, str], np.ndarray], context.prepared.get(_EDITS, {}))
    picture = made.get((anchor.anchor_id, draft.text or ""))
    if picture is None:
        picture = next((each for _, each in _edit([(anchor, draft)], context)), None)
    if picture is None:
        told = f"thing_found: no {draft.edits[0].target!r} is seen in the photograph, or it fills it"
        return reject_contrast("caption.edit", anchor, told, raw=draft.text)
    alike = measure_similarity(picture, _see(anchor))
    return replace(draft, image=write_png(picture), similarity=round(alike, 4))


def can_edit(anchor: Anchor, settings: CaptionSettings) -> bool:
    return not is_scene(anchor) and anchor.image is not None and settings.editor is not None


def _edit(batch: Sequence[Wanted], context: Context[CaptionSettings]) -> list[tuple[Wanted, np.ndarray]]:
    """The edited pictures of those in which there is a place to paint."""
    # Imported late: what edits nothing needs no torch.
    from counterfoil.tasks.caption.models.editor import open_editor

    settings = context.settings
    assert settings.editor is not None
    masks: list[np.ndarray] | None = None
    if settings.edit_finder:
        finder = open_finder(settings.edit_finder)
        found = [(each, find_mask(finder.see(_see(each[0]), each[1].edits[0].target))) for each in batch]
        found = [(each, mask) for each, mask in found if 0 < mask.mean() <= MOST_MASKED]
        batch, masks = [each for each, _ in found], [mask for _, mask in found]
    if not batch:
        return []
    editor: Editor = open_editor(settings.editor, settings.edit_half, settings.edit_compile, masks is not None)
    seeds = [
        int(generator(context.seed, "caption.edit", anchor.anchor_id, draft.text or "").integers(2**31))
        for anchor, draft in batch
    ]
    texts = [draft.text or "" for _, draft in batch]
    return list(
        zip(batch, editor.edit([_see(anchor) for anchor, _ in batch], texts, seeds, settings, masks), strict=True)
    )


def _see(anchor: Anchor) -> np.ndarray:
    assert anchor.image is not None
    return open_picture(anchor.image.bytes)


def require_judge(settings: CaptionSettings) -> None:
    """Photographs are edited where somebody can tell what became of them, or where the recipe says that nobody does.

    Raises:
        ModelError: no judge is named, or one that is named tells nothing.
    """
    if not settings.clip and not settings.edit_unjudged:
        raise ModelError(
            "[caption] editor is set, and nothing that judges what it paints: set clip (such as "
            "openai/clip-vit-large-patch14) and, better, dino (facebook/dinov2-base); or set edit_unjudged = true for "
            "rows that are graded unjudged; or leave caption.edit out of families"
        )
    doubt = find_doubt(settings)
    if doubt:
        raise ModelError(doubt)


def find_doubt(settings: CaptionSettings) -> str | None:
    """Why a judge that the settings name is none."""
    doubts = ((settings.clip, distrust_clip), (settings.dino, distrust_dino), (settings.edit_finder, distrust_finder))
    return next((doubt for name, distrust in doubts if name and (doubt := distrust(name))), None)


def check_photograph(checks: Checks, contrast: Contrast, anchor: Anchor, settings: CaptionSettings) -> None:
    """The picture is another one of the same scene, changed visibly, and shows what its caption says, as trained models
    see it. Where the recipe names none and asks for such rows nobody has looked, and the row's grade says so."""
    checks.require("picture_stored", bool(contrast.image and anchor.image), "a photograph needs its picture")
    assert contrast.image is not None
    pixels, original = open_picture(contrast.image.bytes), _see(anchor)
    checks.require("picture_stored", write_png(pixels) == contrast.image.bytes, "it is not in the form of stored ones")
    checks.require("size_kept", pixels.shape == original.shape, "the picture has another size than the anchor's")
    share = measure_change(pixels, original)
    checks.require("change_visible", share >= LEAST_CHANGE, f"{share:.2%} of the pixels differ")
    alike, bits = measure_similarity(pixels, original), measure_distance(pixels, original)
    checks.require("change_visible", alike <= MOST_ALIKE, f"a structural similarity of {alike:.3f}")
    checks.require("same_scene", alike >= LEAST_ALIKE, f"a structural similarity of {alike:.3f}")
    checks.require("same_scene", bits <= MOST_BITS, f"{bits} of 64 bits of the hash differ")
    stored = contrast.similarity is not None and abs(contrast.similarity - alike) < 0.001
    checks.require("similarity_measured", stored, f"{contrast.similarity} is stored, {alike:.4f} measured")
    noisy, before = measure_noise(pixels), measure_noise(original)
    checks.require(
        "no_noise", noisy <= before + MOST_NOISE, f"{noisy:.0%} of the picture is noise, {before:.0%} before"
    )
    doubt = find_doubt(settings)
    checks.require("judge_trusted", doubt is None, doubt or "")
    dino = open_dino(settings.dino) if settings.dino else None
    check_scene_kept(checks, pixels, original, dino)
    if settings.edit_finder:
        finder, (edit,) = open_finder(settings.edit_finder), contrast.edits
        old, new = finder.see(original, edit.target), finder.see(pixels, edit.replacement)
        check_found(checks, pixels, original, old, new, dino)
    if settings.clip:
        fits = score_fits(open_clip(settings.clip), pixels, original, contrast.text or "", anchor.caption or "")
        check_fits(checks, fits)
        return
    told = "no model looked at the picture: name one as clip, or set edit_unjudged"
    checks.require("judge_named", settings.edit_unjudged, told)
    checks.grade = "unjudged"
