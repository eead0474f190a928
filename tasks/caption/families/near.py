"""``caption.near``: near misses of every caption of a photograph, by what none of its captions speaks of."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.caption.checks import check_kept, is_scene, split_words
from counterfoil.tasks.caption.families.wording import check_replaced, check_swapped
from counterfoil.tasks.caption.near.asking import ask_model
from counterfoil.tasks.caption.near.miss import Miss
from counterfoil.tasks.caption.near.misses import find_misses, list_misses
from counterfoil.tasks.caption.near.plan import PLAN
from counterfoil.tasks.caption.settings import WORD_KEYS, CaptionSettings
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.contract.wording import list_captions
from counterfoil.tasks.encoders.fluency import open_language_model

NAME = "caption.near"


def make_near(anchor: Anchor, context: Context[CaptionSettings]) -> Iterator[Candidate | Reject]:
    """Those of each caption that are as usual as the caption, of different sorts as far as there are."""
    if is_scene(anchor):
        return
    captions, settings = list_captions(anchor), context.settings
    chosen = PLAN.of(context).list_chosen(anchor.anchor_id)
    if settings.fluency:
        ask = open_language_model(settings.fluency[0]).likelihoods
        offered = [[one for one in chosen if one.caption == i] for i in range(len(captions))]
        chosen = [
            one for i, own in enumerate(offered) if own for one in ask_model(captions[i], own, settings.each, ask)
        ]
    for one in chosen:
        yield Draft(text=one.text, edits=(one.edit,))
    without = [captions[i] for i in sorted({*range(len(captions))} - {one.caption for one in chosen})]
    for caption in without:
        yield reject_contrast(
            NAME,
            anchor,
            "exhausted: no word of the caption may give way to one that is as usual there and goes as often",
            raw=caption,
        )


@checked
def verify_near(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[CaptionSettings]) -> None:
    """One change of one caption, to what no caption of the picture says, nor what it may be one of."""
    check_kept(checks, contrast)
    checks.require("photograph", not is_scene(anchor), "a scene is looked at: caption.scene changes what it holds")
    checks.require("edits_named", len(contrast.edits) == 1, "one change is one edit")
    edit = contrast.edits[0]
    if edit.kind.startswith("swap_"):
        check_swapped(checks, contrast, anchor)
    else:
        own, target, replacement, _ = check_replaced(checks, contrast, anchor)
        new = [word.lower() for word in replacement if word.lower() not in map(str.lower, target)]
        others = [caption for caption in list_captions(anchor) if caption != own.caption]
        said = [each for each in others if edit.kind == "replace_obj" and _says(each, new)]
        checks.require("unsaid_elsewhere", not said, f"another caption says {' '.join(new)!r}: {said[:1]}")
    found = next(find_misses(anchor, context.settings, edit, contrast.text), None)
    told = f"{edit.target!r} -> {edit.replacement!r} is no {edit.kind} that the captions leave false"
    checks.require("excludes_original", found is not None, told)
    assert found is not None
    checks.grade = found.grade


def measure_near(contrast: Contrast, anchor: Anchor, context: Context[CaptionSettings]) -> Iterator[str]:
    """What the text changes of the caption that it is a near miss of, as the captions are read, whatever its edit says:
    words that change places are somebody else's, and an added word is a thing or a quality."""
    for miss in _list_made(contrast, anchor, context):
        if miss.sort == "swap":
            yield "holder"
        elif miss.sort == "add":
            yield "object" if miss.edit.kind == "add_obj" else "attribute"
        else:
            yield miss.sort


def _list_made(contrast: Contrast, anchor: Anchor, context: Context[CaptionSettings]) -> list[Miss]:
    """The near miss that has the row's text, if there is one: made by the row's edit, or by any."""
    settings = context.settings
    own = (miss for edit in contrast.edits for miss in find_misses(anchor, settings, edit, contrast.text))
    found = next(own, None)
    return [found] if found else [miss for miss in list_misses(anchor, settings) if miss.text == contrast.text]


def _says(caption: str, words: list[str]) -> bool:
    said = [word.lower() for word in split_words(caption)]
    return any(said[at : at + len(words)] == words for at in range(len(said))) if words else False


FAMILIES = (
    Family[CaptionSettings](
        NAME,
        "negative",
        "text",
        version=9,
        paper="SugarCrepe",
        how="each caption of a photograph with a thing, quality, number or relation that no caption of it speaks of",
        make=make_near,
        verify=verify_near,
        changes=measure_near,
        count=lambda _: None,
        uses=("balanced", "each", "even", "fluency", "preferred", "source", *WORD_KEYS),
        networks=("fluency",),
        prepare=PLAN,
    ),
)
