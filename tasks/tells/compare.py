"""What is compared: of one family, what anchors show of themselves beside what their contrasts show.

Which of an anchor's texts a family's contrasts stand beside is found by looking: its caption, all of its captions, or
its code, whichever shares more words with them. Where the caption alone shares about as many as all captions do,
contrasts are near misses of that one, and what five people wrote of one picture differs from it in length and detail.
So it is with contrasts that are near misses of none, other anchors' captions: of several texts one is always likelier.
An audit then compares twice: a loss that takes any of the captions as positives sees that difference. Nothing is asked
of the domain that made the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from counterfoil.storage.rows import DENIED, STATED, Anchor, Contrast, Modality, content_id
from counterfoil.storage.rows import find_beside as find_beside_text
from counterfoil.tasks.tells.blocks import deal_folds, join_blocks
from counterfoil.tasks.tells.figures import Items
from counterfoil.tasks.tells.wording import split_tokens

FOLDS = 5
FEWEST_BLOCKS = 20
"""Of fewer source rows nothing is judged: chance alone would decide."""
PICTURE = "picture"
CONTRAST = "contrast"
CAPTION, CAPTIONS = "caption", "captions"
"""The anchor's caption alone, and all that it has."""
_OWN_TEXT = "true text"
"""Kind of the text that a contrast itself says it is judged beside."""
_COMPARED = 200
"""Contrasts from which it is found what a family's texts stand beside."""
_AS_MANY = 0.99
"""Of the words that all captions share, how many the caption alone must share for contrasts to be its near misses."""
_NEAR = 0.5
"""Share of its words, on average, that a near miss has in common with the caption that it was made of."""
_TEXTS: Mapping[str, Callable[[Anchor], Sequence[str | None]]] = {
    CAPTION: lambda anchor: [anchor.caption],
    CAPTIONS: lambda anchor: [anchor.caption, *anchor.captions],
    "code": lambda anchor: [anchor.code],
    "question": lambda anchor: [anchor.question],
    "solution": lambda anchor: [anchor.solution],
}


@dataclass(frozen=True)
class Shown:
    """A contrast, or one of the ways in which an anchor shows itself."""

    anchor_id: str
    row_id: str
    kind: str
    """`CONTRAST`, or what of the anchor it is: `PICTURE`, ``caption``, ``code``..."""
    rank: int = 0
    text: str = ""
    """Of a picture, the caption that is true of it."""
    picture: bytes = b""
    numbers: np.ndarray | None = None
    """What `counterfoil.tasks.tells.pictures` measured of the picture, where it is not at hand."""


@dataclass(frozen=True)
class Comparison:
    """Rows of one family and modality beside their anchors. ``items`` and ``rows`` are in one order."""

    beside: str
    """What of the anchors the contrasts stand beside."""
    rows: tuple[Shown, ...]
    items: Items

    @property
    def contrasts(self) -> int:
        return int((~self.items.own).sum())


def show_anchor(anchor: Anchor, modality: Modality) -> list[Shown]:
    """All that an anchor shows to contrasts of this modality."""
    if modality == "image":
        own = Shown(anchor.anchor_id, anchor.anchor_id, PICTURE, picture=anchor.image.bytes if anchor.image else b"")
        own = replace(own, text=anchor.caption or "")
        return [own] if own.picture else []
    return [
        Shown(anchor.anchor_id, anchor.anchor_id, kind, text=text)
        for kind, show in _TEXTS.items()
        for text in dict.fromkeys(filter(None, show(anchor)))
    ]


def show_contrast(contrast: Contrast) -> list[Shown]:
    """What a contrast puts in its anchor's place; nothing where it lacks that."""
    if contrast.modality == "image":
        picture = contrast.image.bytes if contrast.image else b""
        text = contrast.text or "" if picture else ""
        shown = Shown(contrast.anchor_id, contrast.contrast_id, CONTRAST, contrast.rank, text, picture)
    else:
        shown = Shown(contrast.anchor_id, contrast.contrast_id, CONTRAST, contrast.rank, text=contrast.text or "")
    return [shown] if shown.picture or shown.text else []


def show_beside(contrast: Contrast) -> list[Shown]:
    """The true text that a contrast names as the one to be told from; none where it stands beside its anchor's."""
    text = find_beside_text(contrast.edits) if contrast.modality == "text" else None
    return [] if text is None else [Shown(contrast.anchor_id, f"{contrast.contrast_id}+", _OWN_TEXT, text=text)]


def find_world(contrast: Contrast) -> str:
    """What rows have in common that were made as one set of their anchor: a line with the true text which they name,
    and what is exchanged in it; nothing of rows that stand beside their anchor's own."""
    true = find_beside_text(contrast.edits)
    if true is None:
        return ""
    named = [edit.target for edit in contrast.edits if edit.kind in (STATED, DENIED)]
    named = named or [edit.target for edit in contrast.edits if edit.target != true]
    return "\n".join([" ".join(true.split()), *sorted(named)])


def name_row(shown: Shown) -> str:
    """The id of the row that shows it: a contrast's own, also of the true text that it names."""
    return shown.row_id.removesuffix("+")


def list_keys(anchor: Anchor) -> list[str]:
    """What ties an anchor to others that must not be learnt from where it is judged: source row, picture, caption."""
    keys = [content_id("row", anchor.domain, anchor.source, anchor.source_id)]
    if anchor.image is not None:
        keys.append(content_id("picture", anchor.image.bytes))
    if anchor.caption:
        keys.append(content_id("caption", anchor.caption))
    return keys if anchor.group is None else [*keys, anchor.group]


def compare_all(shown: Sequence[Shown], keys: Mapping[str, Sequence[Hashable]], seed: int) -> list[Comparison]:
    """`compare`; and where anchors have several captions, beside the caption and beside all of them."""
    found = compare(shown, keys, seed)
    if found is None or found.beside not in (CAPTION, CAPTIONS):
        return [] if found is None else [found]
    other = compare(shown, keys, seed, beside=CAPTIONS if found.beside == CAPTION else CAPTION)
    alone, wider = (found, other) if found.beside == CAPTION else (other, found)
    return [alone, wider] if alone and wider and len(wider.rows) > len(alone.rows) else [found]


def compare(
    shown: Iterable[Shown], keys: Mapping[str, Sequence[Hashable]], seed: int, *, beside: str | None = None
) -> Comparison | None:
    """Contrasts of one family and modality beside their anchors; None where no anchor shows itself as they do.

    ``keys`` are those of each anchor (`list_keys`). The order of ``shown`` does not matter. ``beside``: what of the
    anchors; left out, what the contrasts are likest to.
    """
    own: dict[str, dict[str, list[Shown]]] = {}
    against: dict[str, list[Shown]] = {}
    for each in sorted(shown, key=lambda each: (each.rank, each.row_id)):
        if each.kind == CONTRAST:
            against.setdefault(each.anchor_id, []).append(each)
        else:
            own.setdefault(each.anchor_id, {}).setdefault(each.kind, []).append(each)
    beside = beside or find_beside(own, against)
    names = sorted(anchor_id for anchor_id in against if beside in own.get(anchor_id, {}))
    if not names:
        return None
    rows: list[Shown] = []
    owner: list[int] = []
    for number, anchor_id in enumerate(names):
        both = own[anchor_id][beside] + against[anchor_id]
        rows += both
        owner += [number] * len(both)
    blocks = np.array(join_blocks([[anchor_id, *keys[anchor_id]] for anchor_id in names]), dtype=np.int64)
    folds = deal_folds(blocks, names, min(FOLDS, int(blocks.max()) + 1), seed)
    is_own = np.array([each.kind != CONTRAST for each in rows])
    return Comparison(beside, tuple(rows), Items(np.array(owner, dtype=np.int64), is_own, blocks, folds))


def find_beside(own: Mapping[str, Mapping[str, Sequence[Shown]]], against: Mapping[str, Sequence[Shown]]) -> str:
    """What of their anchors the contrasts are likest to: the picture, or the kind of text that shares most words."""
    if any(PICTURE in kinds for kinds in own.values()):
        return PICTURE
    if any(_OWN_TEXT in kinds for kinds in own.values()):
        return _OWN_TEXT
    shared: dict[str, list[float]] = {kind: [] for kind in _TEXTS}
    pairs = ((own.get(anchor_id, {}), contrast) for anchor_id in sorted(against) for contrast in against[anchor_id])
    for (kinds, contrast), _ in zip(pairs, range(_COMPARED), strict=False):
        words = set(split_tokens(contrast.text))
        for kind in _TEXTS:
            others = [set(split_tokens(each.text)) for each in kinds.get(kind, ())]
            shared[kind].append(max((len(words & other) / len(words | other or {""}) for other in others), default=0))
    most = {kind: sum(shares) for kind, shares in shared.items()}
    found = max(_TEXTS, key=lambda kind: most[kind])
    # Now and then a near miss of the one caption has become likelier to another one of the picture's.
    of_one = most[CAPTION] >= _AS_MANY * most[CAPTIONS]
    of_none = most[CAPTIONS] < _NEAR * len(shared[CAPTIONS])
    return CAPTION if found == CAPTIONS and (of_one or of_none) else found
