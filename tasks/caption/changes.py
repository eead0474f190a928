"""What a negative changes, measured on the anchor's picture or, of photographs, on the words (`storage.changes`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.caption.checks import is_scene, open_sight, read_text, split_words
from counterfoil.tasks.caption.families.wording import read_sentence
from counterfoil.tasks.caption.scenes.sight.judge import list_false
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.wording import list_captions

_SLOTS = {"n": "object", "a": "attribute", "v": "relation", "p": "relation", "c": "count"}


def measure_changes(contrast: Contrast, anchor: Anchor, context: Context[CaptionSettings]) -> Iterator[str]:
    """The kinds of what the row's caption says and the anchor's picture shows to be false; an edited picture shows what
    its caption says. Of a photograph: the kinds of words by which its nearest caption differs."""
    if is_scene(anchor):
        yield from list_false(read_text(contrast.text), open_sight(anchor.vector or ""))
    elif contrast.text:
        words = Counter(map(str.lower, split_words(contrast.text)))
        near = min(list_captions(anchor), key=lambda text: _count_other(words, text), default="")
        yield from _compare_words(near, contrast.text, context)


def _count_other(words: Counter[str], text: str) -> int:
    others = Counter(map(str.lower, split_words(text)))
    return ((words - others) + (others - words)).total()


def _compare_words(before: str, after: str, context: Context[CaptionSettings]) -> Iterator[str]:
    """Words that come or go, by what they are; the same words in other places are somebody else's."""
    old, new = (
        Counter(
            (slot.unit.part, slot.unit.type, slot.unit.lemma) for slot in read_sentence(text, context.settings).slots
        )
        for text in (before, after)
    )
    differ = (old - new) + (new - old)
    for part, kind, _ in differ:
        yield "attribute" if part == "v" and kind == "attribute" else _SLOTS.get(part, "object")
    if not differ and split_words(before.lower()) != split_words(after.lower()):
        yield "holder"
