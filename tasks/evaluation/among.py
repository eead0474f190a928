"""An anchor among its own hard negatives, all at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from counterfoil.storage.rows import Anchor, Contrast, Modality
from counterfoil.storage.rows import find_beside as find_beside_text
from counterfoil.tasks.evaluation.dataset import name_block, take_picture
from counterfoil.tasks.evaluation.material import Material, Picture
from counterfoil.tasks.evaluation.outcomes import FigureSpec, pool
from counterfoil.tasks.evaluation.tasks import HIT, MRR, PAIRS, ChoiceMaker, Choices
from counterfoil.tasks.tells.compare import CAPTION, CAPTIONS, Shown, find_beside, show_anchor, show_contrast

BOTH_WAYS = {"image to text": 1 / 4, "text to image": 1 / 4, "group": 1 / 6}
"""What is asked of two pictures and two captions, and how often chance is right: the four scores are one draw."""


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
        if anchor is not None:
            for name, question in _list_questions(anchor, contrasts, modality, beside, material):
                maker.add(name, family, name_block(anchor), [question])
    if not maker.items:
        return None
    return maker.finish(_name(family, modality), figures if figures is not None else list_figures([family]))


def ask_by_change(
    family: str,
    anchors: Iterable[Anchor],
    negatives: Mapping[str, Sequence[Contrast]],
    modality: Modality,
    material: Material,
) -> Choices | None:
    """Each anchor among those of its contrasts that change one kind, kind by kind: the share of them that it beats. A
    contrast that changes several kinds is asked about under each. None where it is not measured what changes."""
    own = {anchor.anchor_id: anchor for anchor in anchors if anchor.image is not None}
    beside = _find_beside(own, negatives, modality)
    maker = ChoiceMaker()
    for anchor_id, kind, contrasts in split_by_change(negatives):
        anchor = own.get(anchor_id)
        if anchor is not None:
            for name, question in _list_questions(anchor, contrasts, modality, beside, material):
                maker.add(f"{name} {kind}", kind, name_block(anchor), [question])
    return maker.finish(f"{_name(family, modality)}, by what changes", list_beaten(maker)) if maker.items else None


SQUARE = "two pictures and captions"
"""How tasks of an anchor and a negative picture with its caption are called."""


def ask_both_ways(
    family: str, anchors: Iterable[Anchor], negatives: Mapping[str, Sequence[Contrast]], material: Material
) -> list[Choices]:
    """Each anchor beside each negative picture that has a caption of its own: two pictures, two captions.

    Four questions, as BiVLC asks them: each picture for its caption, each caption for its picture, and all at once.
    """
    own = {anchor.anchor_id: anchor for anchor in anchors if anchor.image is not None and anchor.caption}
    makers = {task: ChoiceMaker() for task in BOTH_WAYS}
    for anchor_id, contrasts in negatives.items():
        anchor = own.get(anchor_id)
        for each in contrasts if anchor is not None else ():
            if each.image is None or not each.text or anchor is None:
                continue
            shown = [take_picture(anchor), Picture(each.contrast_id, content=each.image.bytes)]
            pictures = [material.add_picture(picture) for picture in shown]
            texts = [material.add_text(text) for text in (anchor.caption or "", each.text)]
            to_text = [(pictures[i], [texts[i]], [texts[1 - i]]) for i in range(2)]
            to_image = [(texts[i], [pictures[i]], [pictures[1 - i]]) for i in range(2)]
            asked = {"image to text": to_text, "text to image": to_image, "group": [*to_text, *to_image]}
            for task, maker in makers.items():
                maker.add(each.contrast_id, family, name_block(anchor), asked[task])
    return [
        maker.finish(f"{family}, {SQUARE}: {task}", [pool("right", HIT, [family])], BOTH_WAYS[task])
        for task, maker in makers.items()
        if maker.items
    ]


def split_by_change(negatives: Mapping[str, Sequence[Contrast]]) -> Iterator[tuple[str, str, list[Contrast]]]:
    """Anchor, kind of change and the anchor's contrasts that change it, of those whose change is measured."""
    for anchor_id, contrasts in negatives.items():
        for kind in dict.fromkeys(kind for each in contrasts for kind in each.changes or ()):
            yield anchor_id, kind, [each for each in contrasts if kind in (each.changes or ())]


def list_beaten(maker: ChoiceMaker) -> list[FigureSpec]:
    """The share of contrasts beaten, of each part by itself."""
    return [pool(part, PAIRS, [part]) for part in sorted({*maker.parts})]


def _list_questions(
    anchor: Anchor, contrasts: Sequence[Contrast], modality: Modality, beside: str, material: Material
) -> Iterator[tuple[str, tuple[int, list[int], list[int]]]]:
    """The questions about an anchor by name: one, or of contrasts that name the text they stand beside one each."""
    lone = {each.contrast_id: text for each in contrasts if (text := find_beside_text(each.edits)) is not None}
    for each in contrasts:
        if each.contrast_id in lone and modality == "text" and each.text:
            picture = material.add_picture(take_picture(anchor))
            right, wrong = (material.add_text(text) for text in (lone[each.contrast_id], each.text))
            yield each.contrast_id, (picture, [right], [wrong])
    question = _ask(anchor, [each for each in contrasts if each.contrast_id not in lone], modality, beside, material)
    if question is not None:
        yield anchor.anchor_id, question


def _ask(
    anchor: Anchor, contrasts: Sequence[Contrast], modality: Modality, beside: str, material: Material
) -> tuple[int, list[int], list[int]] | None:
    """What is asked about, what is right and what is wrong; None where the anchor or all contrasts lack theirs."""
    text = anchor.code if beside == "code" and modality == "text" else anchor.caption
    if not text:
        return None
    picture, said = material.add_picture(take_picture(anchor)), material.add_text(text)
    if modality == "image":
        shown = [Picture(each.contrast_id, content=each.image.bytes) for each in contrasts if each.image is not None]
        wrong = [material.add_picture(each) for each in shown]
        return (said, [picture], wrong) if wrong else None
    wrong = [material.add_text(each.text) for each in contrasts if each.text]
    return (picture, [said], wrong) if wrong else None


def _name(family: str, modality: Modality) -> str:
    return f"{family}: {'text to image' if modality == 'image' else 'image to text'}"


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
