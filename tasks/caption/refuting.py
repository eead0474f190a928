"""Whether a text is false of an anchor's picture: True and False are shown, all else is None.

A scene of our own is looked at. Of a photograph nothing is known but what people said of it: their own captions are
true, and one of them is made false by an exchange that the families' verifier accepts. To be another caption, of
whatever kind, is not to be false.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.caption.checks import is_scene, open_sight, read_text, split_words
from counterfoil.tasks.caption.comparing import find_exchange
from counterfoil.tasks.caption.families.exchange import check_exchange
from counterfoil.tasks.caption.scenes.sight.judge import judge
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.verdict import CheckError, Checks


def refutes(text: str, anchor: Anchor, context: Context[Any]) -> bool | None:
    """Whether ``text`` is false of the anchor's picture; None where neither that nor the contrary is shown."""
    if not is_scene(anchor):
        return _refutes_photograph(text, anchor, context)
    if not anchor.vector:
        return None
    try:
        holds = judge(read_text(text), open_sight(anchor.vector)).holds
    except CheckError:
        return None
    return None if holds is None else not holds


def _refutes_photograph(text: str, anchor: Anchor, context: Context[Any]) -> bool | None:
    said = [split_words(caption.casefold()) for caption in anchor.captions]
    words = split_words(text.casefold())
    if words in said:
        return False
    for caption, own in zip(anchor.captions, said, strict=True):
        edit = find_exchange(own, words)
        if edit is None:
            continue
        row = Contrast(anchor.anchor_id, "", "negative", "text", text=text, edits=(edit,))
        try:
            check_exchange(Checks(), row, replace(anchor, caption=caption), context)
        except CheckError:
            continue
        return True
    return None
