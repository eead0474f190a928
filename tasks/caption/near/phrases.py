"""The nouns of a caption with what belongs to them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from counterfoil.tasks.caption.words.forms import find_lemma
from counterfoil.tasks.caption.words.lists import MEASURES
from counterfoil.tasks.caption.words.parse import Sentence

_PASSED = frozenset({"DET", "ADJ", "NUM", "PRON", "ADV"})
_SINGLE = frozenset({"a", "an", "one", "another", "each", "every"})
_NEVER = frozenset(
    {"front", "top", "side", "back", "middle", "end", "edge", "lot", "kind", "type", "way", "view", "background"}
)
LONGEST = 3


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun, of a compound that is known the whole of it, and what stands around it.

    Attributes:
        first, last: its words.
        name: its lemma ("fire hydrant").
        plural: whether it is one by its form.
        determiner: the article, possessive or number before it, in lower case; empty where it is bare.
        described: whether an adjective or an unknown compound belongs to it.
        compound: whether a word before it makes another thing of it ("pizza box").
        before: the word before its whole phrase, and the two words.
        after: the word behind it, in lower case; empty at the end.
        start: the first word of its whole phrase.
        governed: whether anything stands before it that it depends on.
    """

    first: int
    last: int
    name: str
    plural: bool
    determiner: str
    described: bool
    compound: bool
    before: tuple[str, str]
    after: str
    start: int
    governed: bool

    @property
    def counted_one(self) -> bool:
        return self.determiner in _SINGLE


def list_phrases(sentence: Sentence, known: Collection[str]) -> Iterator[Phrase]:
    """The caption's nouns in order. ``known``: names of several words that are one thing."""
    tokens = sentence.tokens
    for i, token in enumerate(tokens):
        if token.pos not in ("NOUN", "PROPN") or token.tag not in ("NN", "NNS", "NNP", "NNPS"):
            continue
        if token.dep in ("compound", "npadvmod") or not token.text.isalpha():
            continue
        lemma = find_lemma(token)
        measured = lemma in MEASURES and i + 1 < len(tokens) and tokens[i + 1].text.lower() == "of"
        if lemma in _NEVER or measured or _is_hyphened(sentence, i):
            continue
        first, name = i, lemma
        for start in range(max(i - LONGEST + 1, 0), i):
            words = " ".join([*(each.text.lower() for each in tokens[start:i]), lemma])
            if words in known:
                first, name = start, words
                break
        own = [c for c in sentence.children(i) if c < first]
        start = first
        while start > 0 and (
            start - 1 in own or (tokens[start - 1].pos in _PASSED and tokens[start - 1].head in (i, *own))
        ):
            start -= 1
        said = sentence.words()
        determiners = [c for c in own if tokens[c].dep in ("det", "poss", "nummod")]
        yield Phrase(
            first,
            i,
            name,
            token.tag in ("NNS", "NNPS"),
            said[determiners[0]] if determiners else "",
            any(tokens[c].dep in ("amod", "compound", "nmod") for c in own),
            any(tokens[c].dep in ("compound", "nmod") for c in own),
            (said[start - 1] if start else "", " ".join(said[max(start - 2, 0) : start])),
            " ".join(said[i + 1 : i + 2]),
            start,
            token.dep not in ("ROOT", "nsubj", "nsubjpass"),
        )


def _is_hyphened(sentence: Sentence, i: int) -> bool:
    return "-" in [sentence.tokens[j].text for j in (i - 1, i + 1) if 0 <= j < len(sentence.tokens)]
