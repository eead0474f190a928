"""All near misses of a picture's captions that its captions leave false, as far as words tell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.caption.near.additions import list_additions
from counterfoil.tasks.caption.near.counts import list_counts
from counterfoil.tasks.caption.near.miss import Miss
from counterfoil.tasks.caption.near.qualities import list_qualities
from counterfoil.tasks.caption.near.relations import list_relations
from counterfoil.tasks.caption.near.said import Said
from counterfoil.tasks.caption.near.swaps import list_swaps
from counterfoil.tasks.caption.near.things import list_things
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.words.parse import parse_ahead, parse_one
from counterfoil.tasks.contract.wording import list_captions

_KINDS = (list_things, list_qualities, list_counts, list_relations, list_swaps, list_additions)


def list_misses(anchor: Anchor, settings: CaptionSettings) -> Sequence[Miss]:
    """The near misses of each of a photograph's captions, none that a caption says itself, each text once."""
    return list_of_captions(list_captions(anchor), settings)


def list_of_captions(captions: Sequence[str], settings: CaptionSettings) -> Sequence[Miss]:
    """The same of a picture that has these captions, each once."""
    return _list(tuple(captions), settings.parser, settings.wordnet)


@lru_cache(maxsize=256)
def _list(captions: tuple[str, ...], parser: str, wordnet: str | None) -> Sequence[Miss]:
    parse_ahead(captions, parser)
    said = Said([parse_one(caption, parser) for caption in captions], wordnet)
    known = {caption.casefold() for caption in captions}
    found: dict[str, Miss] = {}
    for i, caption in enumerate(captions):
        for kind in _KINDS if not caption.isupper() else ():
            for miss in kind(said, i):
                if miss.text.casefold() not in known:
                    found.setdefault(miss.text, miss)
    return tuple(found.values())
