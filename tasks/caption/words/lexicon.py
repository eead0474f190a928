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
        self._around: dict[tuple[str, str], tuple[frozenset[str], ...]] = {}
        self._wholes: dict[str, tuple[str, ...]] = {}

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
        all_mine, mine, near_mine, above_mine, line_mine, whole_mine = self._list_around(word, part)
        all_theirs, theirs, near_theirs, above_theirs, line_theirs, whole_theirs = self._list_around(other, part)
        if not all_mine.isdisjoint(all_theirs):
            # Be it in a rare sense: a coop is a cage.
            return "synonym"
        if not near_mine.isdisjoint(theirs) or not near_theirs.isdisjoint(mine):
            return "synonym"
        if not above_mine.isdisjoint(theirs):
            return "hypernym"
        if not above_theirs.isdisjoint(mine):
            return "hyponym"
        # A kitchen is a room, and a room is a part of a building. What both are says nothing, nor what nearly anything
        # is a part of: a carrot is a plant's part, and a broccoli a plant.
        if whole_mine.isdisjoint(line_theirs) and whole_theirs.isdisjoint(line_mine):
            return None
        shared = above_mine & above_theirs
        one, two = line_mine - shared, line_theirs - shared
        apart = all(two.isdisjoint(self._list_wholes(each)) for each in one)
        return None if apart and all(one.isdisjoint(self._list_wholes(each)) for each in two) else "part"

    def _list_around(self, word: str, part: str) -> tuple[frozenset[str], ...]:
        """All the word's synsets, those that are not rare, the heads of these' clusters, what is above these, these and
        what is above, and what any of them is a part of."""
        key = word, part
        if key not in self._around:
            mine = self.senses(word, part)
            above = frozenset(up for sense in mine for up in self.climb(sense))
            line = above.union(mine)
            self._around[key] = (
                frozenset(self.index.senses(word, part)[0]),
                frozenset(mine),
                frozenset(near for sense in mine for near in self.synset(sense).near),
                above,
                line,
                frozenset(whole for each in line for whole in self._list_wholes(each)),
            )
        return self._around[key]

    def _list_wholes(self, identifier: str) -> tuple[str, ...]:
        if identifier not in self._wholes:
            wholes = self.synset(identifier).whole
            self._wholes[identifier] = tuple(whole for whole in wholes if self.synset(whole).breadth < BROAD)
        return self._wholes[identifier]

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


@lru_cache(maxsize=2)
def open_lexicon(folder: str | None = None) -> Lexicon:
    """The lexicon, read once per process.

    Raises:
        LexiconError: WordNet cannot be read.
    """
    return Lexicon(load_index(folder))
