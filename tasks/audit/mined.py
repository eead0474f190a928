"""What was found at another anchor is that anchor's: its words, and its picture with all that is drawn and recorded."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from counterfoil.storage.rows import Anchor, Contrast, content_id
from counterfoil.tasks.audit.survey import Failure
from counterfoil.tasks.mining.retrieval import read_other


@dataclass(frozen=True)
class Own:
    """What an anchor shows, by hashes."""

    anchor_id: str
    said: frozenset[str]
    drawn: str | None


@dataclass(frozen=True)
class Mined:
    """What a row shows that says that it was found at another anchor, by hashes."""

    contrast_id: str
    named: str
    said: str
    drawn: str | None
    """None of a text alone."""


def own_anchor(anchor: Anchor) -> Own:
    texts = (anchor.caption, *anchor.captions, *(view.text for view in anchor.views))
    return Own(anchor.anchor_id, frozenset(content_id(text) for text in texts if text), _hash_drawn(anchor))


def list_mined(contrasts: Iterable[Contrast]) -> Iterator[Mined]:
    for row in contrasts:
        named = read_other(row)
        if named is not None:
            drawn = _hash_drawn(row) if row.modality == "image" else None
            yield Mined(row.contrast_id, named, content_id(row.text or ""), drawn)


def find_strange(
    owns: Iterable[Own], mined: Sequence[Mined], refused: Collection[str] = (), *, whole: bool = True
) -> Iterator[Failure]:
    """Rows whose words or picture are not those of the anchor that they name.

    ``refused``: the ids of anchors that fail by themselves, and are blamed for what differs. ``whole``: all anchors
    could be read; else one that is not there may be among those that could not.
    """
    known = {own.anchor_id: own for own in owns}
    for row in mined:
        own = known.get(row.named)
        if row.named in refused or (own is None and not whole):
            continue
        if own is None:
            yield Failure("contrasts", row.contrast_id, (f"found_elsewhere: there is no anchor {row.named}",))
        elif row.said not in own.said:
            yield Failure("contrasts", row.contrast_id, (f"found_elsewhere: its text is none of {row.named}",))
        elif row.drawn not in (None, own.drawn):
            reason = f"found_elsewhere: its picture, SVG or code is not that of {row.named}"
            yield Failure("contrasts", row.contrast_id, (reason,))


def _hash_drawn(row: Anchor | Contrast) -> str:
    return content_id(row.image.bytes if row.image else b"", row.vector or "", row.code or "")
