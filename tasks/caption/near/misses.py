"""All near misses of a picture's captions that its captions leave false, as far as words tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from counterfoil.storage.rows import Anchor, Edit
from counterfoil.tasks.caption.near.additions import list_additions
from counterfoil.tasks.caption.near.counts import list_counts
from counterfoil.tasks.caption.near.miss import Miss
from counterfoil.tasks.caption.near.qualities import list_qualities
from counterfoil.tasks.caption.near.relations import list_relations
from counterfoil.tasks.caption.near.said import Said
from counterfoil.tasks.caption.near.swaps import list_swaps
from counterfoil.tasks.caption.near.things import list_things
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.words.lists import DENYING
from counterfoil.tasks.caption.words.parse import parse_ahead, parse_one
from counterfoil.tasks.contract.wording import list_captions

_KINDS = (list_things, list_qualities, list_counts, list_relations, list_swaps, list_additions)
_OF_EDITS: Mapping[str, Sequence[Callable[[Said, int], Iterator[Miss]]]] = {
    "replace_obj": (list_things,),
    "replace_att": (list_qualities, list_counts),
    "replace_rel": (list_relations,),
    "swap_obj": (list_swaps,),
    "swap_att": (list_swaps,),
    "add_obj": (list_additions,),
    "add_att": (list_qualities,),
}
"""What lists each kind of edit."""


def list_misses(anchor: Anchor, settings: CaptionSettings) -> Sequence[Miss]:
    """The near misses of each of a photograph's captions, none that a caption says itself, each text once."""
    return list_of_captions(list_captions(anchor), settings)


def list_of_captions(captions: Sequence[str], settings: CaptionSettings) -> Sequence[Miss]:
    """The same of a picture that has these captions, each once."""
    own = _open(tuple(captions), settings.parser, settings.wordnet)
    found: dict[str, Miss] = {}
    for caption in range(len(captions)):
        for lister in _KINDS:
            for miss in own.list_of(caption, lister):
                found.setdefault(miss.text, miss)
    return tuple(found.values())


def find_misses(anchor: Anchor, settings: CaptionSettings, edit: Edit, text: str | None) -> Iterator[Miss]:
    """The near misses that make ``text`` by this edit: those of its kind are listed, of captions with its words."""
    captions = list_captions(anchor)
    own = _open(tuple(captions), settings.parser, settings.wordnet)
    for caption, words in enumerate(captions):
        for lister in _OF_EDITS.get(edit.kind, ()) if edit.target in words else ():
            yield from (miss for miss in own.list_of(caption, lister) if miss.text == text and miss.edit == edit)


class _Listed:
    """What was listed of one picture's captions."""

    def __init__(self, captions: tuple[str, ...], parser: str, wordnet: str | None) -> None:
        parse_ahead(captions, parser)
        self._captions = captions
        self._said = Said([parse_one(caption, parser) for caption in captions], wordnet)
        self._known = {caption.casefold() for caption in captions}
        self._found: dict[tuple[int, Callable[[Said, int], Iterator[Miss]]], tuple[Miss, ...]] = {}

    def list_of(self, caption: int, lister: Callable[[Said, int], Iterator[Miss]]) -> tuple[Miss, ...]:
        """Those of one caption by one rule; of what is all in capitals none, nor of what denies something."""
        if self._captions[caption].isupper() or not DENYING.isdisjoint(self._said.sentences[caption].words()):
            return ()
        if (caption, lister) not in self._found:
            found = (miss for miss in lister(self._said, caption) if miss.text.casefold() not in self._known)
            self._found[caption, lister] = tuple(found)
        return self._found[caption, lister]


@lru_cache(maxsize=256)
def _open(captions: tuple[str, ...], parser: str, wordnet: str | None) -> _Listed:
    return _Listed(captions, parser, wordnet)
