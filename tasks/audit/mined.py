"""What was found at another anchor is that anchor's: its words, and its picture with all that is drawn and recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from counterfoil.storage.rows import Anchor, Contrast, content_id
from counterfoil.tasks.audit.survey import Failure
from counterfoil.tasks.mining.retrieval import read_other, read_rank


@dataclass(frozen=True)
class Own:
    """What an anchor shows, by hashes."""

    domain: str
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
    family: str = ""
    model: str | None = None
    """Whose vectors found it."""
    rank: int = 0
    """Among the neighbours of its anchor."""


def own_anchor(anchor: Anchor) -> Own:
    texts = (anchor.caption, *anchor.captions, *(view.text for view in anchor.views))
    return Own(
        anchor.domain, anchor.anchor_id, frozenset(content_id(text) for text in texts if text), _hash_drawn(anchor)
    )


def list_mined(contrasts: Iterable[Contrast]) -> Iterator[Mined]:
    for row in contrasts:
        named = read_other(row)
        if named is not None:
            drawn = _hash_drawn(row) if row.modality == "image" else None
            said = content_id(row.text or "")
            yield Mined(row.contrast_id, named, said, drawn, row.family, row.provenance.model, read_rank(row) or 0)


def find_strange(
    owns: Iterable[Own], mined: Sequence[Mined], refused: Collection[str] = (), *, whole: bool = True
) -> Iterator[Failure]:
    """Rows whose words or picture are not those of the anchor that they name.

    ``refused``: the ids of anchors that fail by themselves, and are blamed for what differs. ``whole``: all anchors
    could be read; else one that is not there may be among those that could not.
    """
    yield from _find_other_models(mined)
    known = {own.anchor_id: own for own in owns}
    texts: Counter[str] = Counter()
    for each in known.values():
        texts[each.domain] += len(each.said)
    for row in mined:
        if whole and row.rank > texts[row.family.partition(".")[0]]:
            yield Failure("contrasts", row.contrast_id, (f"found_elsewhere: there are no {row.rank} neighbours",))
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


def _find_other_models(mined: Sequence[Mined]) -> Iterator[Failure]:
    """Rows found by another model than most of their family: one model's vectors find a family."""
    counted: dict[str, Counter[str | None]] = {}
    for row in mined:
        counted.setdefault(row.family, Counter())[row.model] += 1
    most = {family: models.most_common(1)[0][0] for family, models in counted.items()}
    for row in mined:
        if row.model != most[row.family]:
            why = f"wrong_provenance: {row.model} is said to have found it, and {most[row.family]} found the others"
            yield Failure("contrasts", row.contrast_id, (why,))


def find_disordered(rows: Iterable[Contrast]) -> Iterator[Failure]:
    """Mined rows of one anchor whose ranks among its neighbours do not go with how near these are.

    Where one of them lies, the others agree without it; else all that disagree are named.
    """
    lists: dict[tuple[str, str], list[Contrast]] = {}
    for row in rows:
        if read_other(row) is not None and read_rank(row) is not None and row.similarity is not None:
            lists.setdefault((row.family, row.modality), []).append(row)
    for found in lists.values():
        odd = _list_odd(found)
        alone = [row for row in odd if not _list_odd([each for each in found if each is not row])]
        for row in alone or odd:
            why = "found_elsewhere: its rank among the anchor's neighbours does not go with its similarity"
            yield Failure("contrasts", row.contrast_id, (why,))


_ROUNDING = 1e-6


def _list_odd(rows: Sequence[Contrast]) -> list[Contrast]:
    """Of rows that follow each other in rank those that share one, or are nearer than the one before."""
    odd = []
    for one, other in pairwise(sorted(rows, key=lambda row: (read_rank(row) or 0, -(row.similarity or 0)))):
        nearer = (other.similarity or 0) > (one.similarity or 0) + _ROUNDING
        if nearer or read_rank(one) == read_rank(other):
            odd += [one, other]
    return list({row.contrast_id: row for row in odd}.values())


def _hash_drawn(row: Anchor | Contrast) -> str:
    return content_id(row.image.bytes if row.image else b"", row.vector or "", row.code or "")
