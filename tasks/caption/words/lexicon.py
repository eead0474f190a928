"""What words mean to each other, by WordNet: synonyms, more general and narrower words, opposites, words of a kind."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from counterfoil.tasks.caption.words.lists import may_name_one
from counterfoil.tasks.caption.words.wndb import BROAD, Index, Synset, load_index

Kin = Literal["synonym", "hypernym", "hyponym", "part"]
KINDRED = 3
"""Words are of a kind if they share a hypernym, not a broad one, at most so many steps up (dog and cat: carnivore)."""
HEIGHT = 24
"""Steps up that are walked at most: WordNet is not as high."""


class Lexicon:
    """Questions about words. Words are lemmas in lower case; ``part`` is ``n``, ``v``, ``a`` or ``r``."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._above: dict[tuple[str, int], frozenset[str]] = {}

    def knows(self, word: str, part: str) -> bool:
        return bool(self.index.senses(word, part)[0])

    def senses(self, word: str, part: str) -> tuple[str, ...]:
        """Ids of the word's synsets that are not rare, the commonest first: of rare ones nobody thinks in a caption."""
        ids, common = self.index.senses(word, part)
        return ids[:common]

    def synset(self, identifier: str) -> Synset:
        return self.index.synset(identifier)

    def find_base(self, form: str, part: str) -> str | None:
        """The base of an irregular form ("mice"), if WordNet lists it."""
        return self.index.exception(form, part)

    def find_field(self, word: str, part: str) -> str | None:
        """The field of its commonest sense, such as ``noun.animal``."""
        senses = self.senses(word, part)
        return self.synset(senses[0]).field if senses else None

    def find_kin(self, word: str, other: str, part: str) -> Kin | None:
        """How ``other`` is related to ``word`` in meaning, in any of their common senses; None where it is not.

        ``part``: what the one names is a part of what the other names.
        """
        if word == other or may_name_one(word, other, part):
            return "synonym"
        if set(self.index.senses(word, part)[0]) & set(self.index.senses(other, part)[0]):
            # Be it in a rare sense: a coop is a cage.
            return "synonym"
        mine, theirs = set(self.senses(word, part)), set(self.senses(other, part))
        if self._are_near(mine, theirs):
            return "synonym"
        above_mine = {up for sense in mine for up in self.climb(sense)}
        if above_mine & theirs:
            return "hypernym"
        above_theirs = {up for sense in theirs for up in self.climb(sense)}
        if above_theirs & mine:
            return "hyponym"
        # A kitchen is a room, and a room is a part of a building. What both are says nothing, nor what nearly anything
        # is a part of: a carrot is a plant's part, and a broccoli a plant.
        shared = above_mine & above_theirs
        one, two = (mine | above_mine) - shared, (theirs | above_theirs) - shared
        wholes = {whole for each in one for whole in self._list_wholes(each)}
        of_mine = {whole for each in two for whole in self._list_wholes(each)}
        return "part" if wholes & two or of_mine & one else None

    def _list_wholes(self, identifier: str) -> list[str]:
        return [whole for whole in self.synset(identifier).whole if self.synset(whole).breadth < BROAD]

    def climb(self, identifier: str, steps: int = HEIGHT) -> frozenset[str]:
        """The synset's hypernyms, theirs, and so on."""
        key = identifier, steps
        if key not in self._above:
            found: set[str] = set()
            level = {identifier}
            for _ in range(steps):
                level = {up for each in level for up in self.synset(each).up} - found
                found |= level
                if not level:
                    break
            self._above[key] = frozenset(found)
        return self._above[key]

    def list_kinds(self, word: str, part: str, broad: int = BROAD) -> frozenset[str]:
        """What the word is a kind of, so that words with a kind in common are of a kind.

        Of a noun or verb, its commonest sense's near hypernyms; of an adjective, the quality that it is a value of
        (size, colour), and the head of its cluster. What has ``broad`` narrower ones below it is no kind.
        """
        senses = self.senses(word, part)[:1]
        if part != "a":
            return frozenset(up for s in senses for up in self.climb(s, KINDRED) if self.synset(up).breadth < broad)
        heads = {near for s in senses for near in self.synset(s).near} | set(senses)
        qualities = {quality for head in heads for quality in self.synset(head).of}
        opposite = {target for s in senses for _, target, _ in self.synset(s).against}
        return frozenset(heads | qualities | opposite)

    def list_opposites(self, word: str, part: str) -> list[str]:
        """Antonyms of its common senses."""
        found: dict[str, None] = {}
        for sense in self.senses(word, part):
            synset = self.synset(sense)
            for mine, other, theirs in synset.against:
                if mine < 0 or synset.words[mine].lower() == word:
                    found[self.synset(other).words[theirs].lower()] = None
        return [other for other in found if other != word]

    def _are_near(self, mine: set[str], theirs: set[str]) -> bool:
        """Whether one is the head of the cluster of adjectives that the other is in ("glad" of "happy")."""
        near_mine = {near for sense in mine for near in self.synset(sense).near}
        near_theirs = {near for sense in theirs for near in self.synset(sense).near}
        return bool(near_mine & theirs or near_theirs & mine)


@lru_cache(maxsize=2)
def open_lexicon(folder: str | None = None) -> Lexicon:
    """The lexicon, read once per process.

    Raises:
        LexiconError: WordNet cannot be read.
    """
    return Lexicon(load_index(folder))
