"""Letters that no reader sees: what a contrast says of itself is written as its anchor is.

Verifiers read words, and words are the same whatever lies between them. So a text, or one side of an edit, with a soft
hyphen, a line separator or a second space would pass for the one that was made. Nothing here is about what a text
says: what its anchor has, or the other anchor that it was found at, it may have, and code has lines.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from counterfoil.storage.rows import Anchor, Contrast

_UNSEEN = frozenset(("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"))
"""Unicode's categories of controls, formats, what is assigned to nothing, and separators of lines and paragraphs."""


def judge_letters(contrast: Contrast, anchor: Anchor, *, found: bool) -> Iterator[str]:
    """White space or unseen letters in a contrast's text, witness or edits, that its anchor has not. ``found``: its
    texts may be another anchor's."""
    text = contrast.text or ""
    if text != text.strip() and "\n" not in text.strip():  # code may end in a line's end
        yield "wrong_text: the text has white space around it"
    if found:
        return
    own = [*_list_texts(anchor)]
    unseen = set().union(*map(find_unseen, own), "\n" if "\n" in text and "\n" in (anchor.code or "") else "")
    spaced = any("  " in each for each in own)
    for place, each in _list_places(contrast):
        if odd := find_unseen(each) - unseen:
            signs = ", ".join(sorted(f"U+{ord(sign):04X}" for sign in odd))
            yield f"wrong_text: {place} has {signs}, which nobody sees"
        elif "  " in each and "\n" not in each and not spaced:
            yield f"wrong_text: {place} has two spaces where its anchor has one"


def find_unseen(text: str) -> set[str]:
    """The letters of a text that nobody sees, and white space other than a space.

    >>> sorted(find_unseen("a thin\\u2009space, a soft\\u00adhyphen"))
    ['\\xad', '\\u2009']
    """
    if text.isascii() and text.isprintable():
        return set()
    return {sign for sign in text if unicodedata.category(sign) in _UNSEEN or (sign.isspace() and sign != " ")}


def _list_places(contrast: Contrast) -> Iterator[tuple[str, str]]:
    yield "the text", contrast.text or ""
    yield "the witness", contrast.witness or ""
    for edit in contrast.edits:
        yield f"what an edit ({edit.kind}) exchanges", edit.target
        yield f"what an edit ({edit.kind}) puts there", edit.replacement


def _list_texts(anchor: Anchor) -> Iterator[str]:
    facts = (part for fact in anchor.facts for part in (*fact.arguments, fact.value))
    return (text for text in (anchor.caption, *anchor.captions, *(view.text for view in anchor.views), *facts) if text)
