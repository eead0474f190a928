"""What words alone show of a photograph, and what they leave open, is told apart."""

from __future__ import annotations

from counterfoil.storage.rows import Anchor, Contrast, Edit
from counterfoil.tasks.caption.families.exchange import verify_exchange
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.contract.context import Context

CONTEXT = Context(CaptionSettings(source="pairs:x"), 7, None)  # type: ignore[arg-type]


def grade(caption: str, old: str, new: str, kind: str) -> str:
    anchor = Anchor("a", "caption", "pairs", "1", "train", caption=caption, captions=(caption,))
    edits = (Edit(f"replace_{kind}", old, new),)
    row = Contrast("a", "caption.concrete", "negative", "text", text=caption.replace(old, new), edits=edits)
    verdict = verify_exchange(row, anchor, CONTEXT)
    assert verdict.passed, verdict.reasons
    return verdict.grade


def test_an_exchange_is_proved_only_where_the_wording_leaves_no_other_thing() -> None:
    assert grade("A cat sits on a mat.", "cat", "dog", "obj") == "contradicts"
    assert grade("The cat is under the table.", "under", "on", "rel") == "proved"
