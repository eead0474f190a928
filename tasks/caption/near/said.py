"""What a picture's captions speak of, and whether a word may come as none of them speaks of what it names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from counterfoil.tasks.caption.words.forms import find_lemma, pluralise, singularise
from counterfoil.tasks.caption.words.lexicon import Kin, open_lexicon
from counterfoil.tasks.caption.words.lists import may_name_one
from counterfoil.tasks.caption.words.parse import Sentence

_SEVERAL = frozenset(
    {"people", "couple", "group", "family", "team", "players", "crowd", "others", "kids", "children", "pair", "crew"}
    | {"spectators", "another", "other", "both", "together", "adults", "friends", "persons", "audience", "mother"}
    | {"father", "parent", "each", "someone", "somebody", "two", "three", "four", "five", "many", "several"}
)
PEOPLE = frozenset({"man", "woman", "boy", "girl", "lady", "person", "child", "baby", "guy", "kid", "toddler"})


class Said:
    """The captions of one picture."""

    def __init__(self, sentences: Sequence[Sentence], wordnet: str | None) -> None:
        self.sentences, self.wordnet = sentences, wordnet
        self._may: dict[tuple[tuple[str, ...], str], bool] = {}

    @cached_property
    def words(self) -> frozenset[str]:
        """All words, the parts of those with hyphens, and singulars of what may be a plural."""
        return frozenset().union(*self.by_caption)

    @cached_property
    def by_caption(self) -> list[frozenset[str]]:
        found = []
        for sentence in self.sentences:
            own = {part for word in sentence.words() for part in (word, *word.split("-"))}
            found.append(frozenset(own | {singularise(word) for word in own}))
        return found

    @cached_property
    def text(self) -> str:
        """All of it in lower case, words apart by one blank, singulars and plurals as they stand."""
        return f" {' '.join(' '.join(sentence.words()) for sentence in self.sentences)} "

    @cached_property
    def nouns(self) -> frozenset[tuple[str, bool]]:
        """Lemma of each noun, and whether it is a plural."""
        return frozenset(
            (find_lemma(token), token.tag in ("NNS", "NNPS"))
            for sentence in self.sentences
            for token in sentence.tokens
            if token.pos in ("NOUN", "PROPN")
        )

    @cached_property
    def verbs(self) -> list[frozenset[str]]:
        """The lemmas of each caption's verbs."""
        return [
            frozenset(find_lemma(token) for token in sentence.tokens if token.pos == "VERB")
            for sentence in self.sentences
        ]

    @cached_property
    def several_people(self) -> bool:
        """Whether more than one person may be in the picture."""
        if not _SEVERAL.isdisjoint(self.words):
            return True
        if any(plural and lemma in PEOPLE for lemma, plural in self.nouns):
            return True
        return any(len(PEOPLE & own) > 1 for own in self.by_caption)

    def names(self, words: str) -> bool:
        """Whether a caption says the word or phrase, or its plural."""
        if " " not in words:
            return words in self.words or pluralise(words) in self.words
        return f" {words} " in self.text or f" {pluralise(words)} " in self.text

    def may_come(self, names: Sequence[str], gone: str) -> bool:
        """Whether nothing that the captions speak of is one of ``names``, or may be; what says no more of ``gone`` than
        it is ("animal" of a dog) is nothing else."""
        key = tuple(names), gone
        if key not in self._may:
            self._may[key] = self._may_come(key[0], gone)
        return self._may[key]

    def _may_come(self, names: Sequence[str], gone: str) -> bool:
        if any(self.names(name) or (gone and find_kin(name, gone, self.wordnet) is not None) for name in names):
            return False
        return not any(
            find_kin(name, noun, self.wordnet) is not None
            and (plural or find_kin(gone, noun, self.wordnet) not in ("hypernym", "synonym"))
            for name in names
            for noun, plural in self.nouns
        )


@lru_cache(maxsize=200_000)
def find_kin(word: str, other: str, wordnet: str | None) -> Kin | None:
    """How nouns are related in meaning; of phrases that WordNet does not know, by their last words."""
    if word == other or may_name_one(word, other, "n"):
        return "synonym"
    return open_lexicon(wordnet).find_kin(_find_known(word, wordnet), _find_known(other, wordnet), "n")


@lru_cache(maxsize=50_000)
def _find_known(word: str, wordnet: str | None) -> str:
    return word if open_lexicon(wordnet).knows(word, "n") else word.rpartition(" ")[2]


def count_said(said: Said, lemma: str) -> Iterator[tuple[int, bool]]:
    """Each time a caption says the noun: which one, and whether as a plural."""
    for i, sentence in enumerate(said.sentences):
        for token in sentence.tokens:
            if token.pos in ("NOUN", "PROPN") and find_lemma(token) == lemma:
                yield i, token.tag in ("NNS", "NNPS")
