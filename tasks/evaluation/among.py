"""An anchor among its own hard negatives, all at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from storage.rows import Anchor, Contrast, Modality
from tasks.evaluation.dataset import name_block, take_picture
from tasks.evaluation.material import Material, Picture
from tasks.evaluation.outcomes import FigureSpec, pool
from tasks.evaluation.tasks import HIT, MRR, PAIRS, ChoiceMaker, Choices
from tasks.tells.compare import CAPTION, CAPTIONS, Shown, find_beside, show_anchor, show_contrast


def list_figures(parts: Sequence[str]) -> list[FigureSpec]:
    """What is told of an anchor among its hard negatives."""
    return [
        pool("Hit@1", HIT, parts),
        pool("beaten", PAIRS, parts),
        pool("R@3", "R@3", parts),
        pool(MRR, MRR, parts),
    ]


def ask_among(
    family: str,
    anchors: Iterable[Anchor],
    negatives: Mapping[str, Sequence[Contrast]],
    modality: Modality,
    material: Material,
    figures: Sequence[FigureSpec] | None = None,
) -> Choices | None:
    """Each anchor among its own contrasts of one modality; None where none can be asked about.

    Texts are asked for by the picture, pictures by the caption. What of the anchor the texts stand beside (caption or
    code) is found by looking, as the audit does.
    """
    own = {anchor.anchor_id: anchor for anchor in anchors if anchor.image is not None}
    beside = _find_beside(own, negatives, modality)
    maker = ChoiceMaker()
    for anchor_id, contrasts in negatives.items():
        anchor = own.get(anchor_id)
        if anchor is None or (modality == "image" and not anchor.caption):
            continue
        picture = material.add_picture(take_picture(anchor))
        if modality == "image":
            asked = material.add_text(anchor.caption or "")
            wrong = [
                material.add_picture(Picture(each.contrast_id, content=each.image.bytes))
                for each in contrasts
                if each.image is not None
            ]
            questions = [(asked, [picture], wrong)]
        else:
            text = anchor.code if beside == "code" else anchor.caption
            if not text:
                continue
            wrong = [material.add_text(each.text) for each in contrasts if each.text]
            questions = [(picture, [material.add_text(text)], wrong)]
        if wrong:
            maker.add(anchor_id, family, name_block(anchor), questions)
    if not maker.items:
        return None
    side = "text to image" if modality == "image" else "image to text"
    return maker.finish(f"{family}: {side}", figures if figures is not None else list_figures([family]))


def _find_beside(own: dict[str, Anchor], negatives: Mapping[str, Sequence[Contrast]], modality: Modality) -> str:
    if modality == "image":
        return CAPTION
    kinds: dict[str, dict[str, list[Shown]]] = {}
    against: dict[str, list[Shown]] = {}
    for anchor_id, contrasts in negatives.items():
        if anchor_id in own:
            for shown in show_anchor(own[anchor_id], "text"):
                kinds.setdefault(anchor_id, {}).setdefault(shown.kind, []).append(shown)
            against[anchor_id] = [shown for each in contrasts for shown in show_contrast(each)]
    found = find_beside(kinds, against) if against else CAPTION
    return CAPTION if found == CAPTIONS else found
