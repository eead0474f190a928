"""A caption taken apart: "[There is] a man [that is | is] riding a horse" is a thing and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from counterfoil.storage.rows import Edit
from counterfoil.tasks.caption.rewording.claims import BE
from counterfoil.tasks.caption.words.agreement import find_disagreement, is_plural
from counterfoil.tasks.caption.words.forms import choose_article, find_lemma
from counterfoil.tasks.caption.words.lexicon import Lexicon
from counterfoil.tasks.caption.words.lists import COLLECTIVE, MASS, MEASURES
from counterfoil.tasks.caption.words.parse import Sentence
from counterfoil.tasks.caption.words.spatial import PHRASES

_SPATIAL = frozenset({"close", *(phrase.split()[0] for phrase in PHRASES)}) - {
    "of",
    "to",
    "into",
    "onto",
    "off",
    "up",
    "down",
    "out",
    "away",
    "toward",
    "towards",
}
_MANY = frozenset({"group", "bunch", "pair", "couple", "dozen", "number", "lot"})
_COUNTED = frozenset({"couple", "dozen", "number", "lot"})
"""Measures that count: there are a couple of them, and there is a group of them."""
_NAMES_FIRST = frozenset({"noun.person", "noun.animal"})
WITHIN = frozenset(
    {"det", "amod", "compound", "nummod", "poss", "nmod", "case", "advmod", "quantmod", "punct", "predet"}
)


@dataclass(frozen=True, slots=True)
class Reworded:
    """A text and what made it another."""

    text: str
    edit: Edit


@dataclass(frozen=True, slots=True)
class Frame:
    """A caption as a thing and what is said of it, the words of ``at`` to the end."""

    head: int
    """the thing's noun"""
    start: int
    """where the thing's words begin"""
    at: int
    form: str
    """``there``, ``clause`` or ``phrase``: how the caption puts it"""
    verb: int | None
    """what the thing does or has done to it, if anything"""
    plural: bool


def find_unsound(sentence: Sentence, lexicon: Lexicon) -> str | None:
    """What does not agree in a text: articles with the word behind them, nouns with what counts them and verbs."""
    tokens = sentence.tokens
    if sentence.text.isupper():
        return "capitals alone"
    for token, after in pairwise(tokens):
        article = token.text.lower()
        spoken = article in ("a", "an") and token.tag == "DT" and after.text[:1].isalnum()
        if spoken and choose_article(after.text) != article:
            return f"{token.text} {after.text}"
    nouns = [i for i, token in enumerate(tokens) if token.dep in ("nsubj", "nsubjpass")] or [0]
    found = (find_disagreement(sentence, (i, i), lexicon) for i in nouns)
    return next((each for each in found if each), None)


class Caption:
    """A caption taken apart: its noun phrases, and what it says of its first thing."""

    def __init__(self, sentence: Sentence, lexicon: Lexicon) -> None:
        self.sentence, self.tokens, self.lexicon = sentence, sentence.tokens, lexicon
        self.count = len(self.tokens)
        while self.count and self.tokens[self.count - 1].dep == "punct":
            self.count -= 1
        self.stop = "." if sentence.text.rstrip().endswith(".") else ""
        self.frame = self.find_frame()

    def below(self, i: int, *deps: str) -> list[int]:
        return self.sentence.children(i, *deps)

    def span(self, root: int) -> tuple[int, int]:
        """First and last word of all that hangs on a word; (0, -1) where they do not stand together."""
        found, level = {root}, [root]
        while level:
            level = [c for each in level for c in self.below(each) if c not in found]
            found.update(level)
        found = {i for i in found if i < self.count}
        first, last = min(found), max(found)
        return (first, last) if last - first + 1 == len(found) else (0, -1)

    def core(self, noun: int) -> tuple[int, int]:
        """A noun with what stands before it, and what a measure is of; (0, -1) where that is no row of words."""
        first, last = noun, noun
        for c in self.below(noun):
            token = self.tokens[c]
            if c < noun and token.dep in WITHIN:
                start, end = self.span(c)
                if end < start:
                    return 0, -1
                first = min(first, start)
            elif token.dep == "prep" and token.text.lower() == "of" and c == noun + 1:
                inner = self.below(c, "pobj")
                if len(inner) == 1:
                    last = self.core(inner[0])[1]
            elif c < noun:
                return 0, -1
        return first, last

    def text(self, first: int, last: int) -> str:
        """The words as they stand, without a capital that is the place's alone."""
        if last < first:
            return ""
        text = self.sentence.text[self.tokens[first].start : self.tokens[last].end]
        return lower_first(text, self.tokens[first].text) if first == 0 else text

    def write(self, *parts: str) -> str:
        text = " ".join(part for part in parts if part).replace(" ,", ",")
        return text[:1].upper() + text[1:] + self.stop

    def make(self, kind: str, old: str, new: str, *parts: str) -> Iterator[Reworded]:
        text = self.write(*parts)
        if text:
            yield Reworded(text, Edit(kind, old, new))

    def many(self, noun: int) -> bool:
        text = self.tokens[noun].text.lower()
        if text in MASS:
            return False
        if text in COLLECTIVE | MEASURES and any(self.tokens[c].text.lower() == "of" for c in self.below(noun, "prep")):
            return text in _MANY or self.tokens[noun].tag == "NNS"
        return is_plural(self.sentence, noun)

    def joined(self, noun: int, end: int) -> bool:
        """Whether it is one of several that "and" joins, before the word at ``end``."""
        return any(c < end for c in self.below(noun, "conj"))

    def is_several(self, noun: int, end: int) -> bool:
        return self.many(noun) or self.joined(noun, end)

    def find_frame(self) -> Frame | None:
        """The thing and what is said of it; None where the caption is put otherwise."""
        root = next((i for i, t in enumerate(self.tokens) if t.head == i), None)
        if root is None or any(t.text in ('"', "''", "``", "(", ":", ";", "!", "?") for t in self.tokens):
            return None
        token = self.tokens[root]
        if token.pos in ("NOUN", "PROPN") and token.tag in ("NN", "NNS"):
            return self.frame_phrase(root, 0, "phrase")
        be = token.lemma == "be" and token.text.lower() in BE
        if be and self.below(root, "expl"):
            things = self.below(root, "attr", "nsubj")
            if len(things) == 1 and root == 1:
                return self.frame_phrase(things[0], 2, "there")
            return None
        subjects = self.below(root, "nsubj", "nsubjpass")
        if len(subjects) != 1 or subjects[0] > root or self.tokens[subjects[0]].tag not in ("NN", "NNS"):
            return None
        subject = subjects[0]
        first, last = self.span(subject)
        if first or last < first:
            return None
        if be:
            return Frame(subject, 0, root, "clause", None, self.is_several(subject, root)) if last == root - 1 else None
        if token.pos != "VERB":
            return None
        auxiliaries = self.below(root, "aux", "auxpass")
        starts = min([root, *auxiliaries])
        words = [self.tokens[i].text.lower() for i in auxiliaries]
        if last != starts - 1 or any(word not in ("is", "are", "being") for word in words):
            return None
        if not auxiliaries:
            return Frame(
                subject, 0, root, "phrase" if token.tag == "VBG" else "clause", root, self.is_several(subject, root)
            )
        return Frame(subject, 0, starts, "clause", root, self.is_several(subject, starts))

    def frame_phrase(self, noun: int, start: int, form: str) -> Frame | None:
        """Of a noun and what follows it, what is said of it: what it does, else where it is."""
        first, last = self.core(noun)
        if first != start or last < first or self.tokens[noun].text.lower().endswith("ing"):
            return None  # "a zebra standing in a field", misread
        inner = [
            d for c in self.below(noun, "prep") if self.tokens[c].text.lower() == "of" for d in self.below(c, "pobj")
        ]
        said = [c for each in (noun, *inner) for c in self.below(each, "acl") if c > last]
        if said:
            at = min(said)
            if self.tokens[at].tag in ("VBG", "VBN"):
                begins = min([at, *self.below(at, "auxpass", "aux")])
                return Frame(noun, start, begins, form, at, self.is_several(noun, begins))
            return None
        places = [
            c
            for each in (noun, *inner)
            for c in self.below(each, "prep", "advmod")
            if c > last and self.is_spatial(c) and not self.is_time(c)
        ]
        at = min(places) if places else self.count
        return Frame(noun, start, at, form, None, self.is_several(noun, at))

    def is_spatial(self, i: int) -> bool:
        words = self.sentence.words()
        return words[i] in _SPATIAL or words[i : i + 3] in (["to", "the", "left"], ["to", "the", "right"])

    def is_time(self, preposition: int) -> bool:
        """Whether it says when: "on a sunny day" is nowhere that a thing is."""
        things = [find_lemma(self.tokens[c]) for c in self.below(preposition, "pobj")]
        return any(self.lexicon.find_field(thing, "n") == "noun.time" for thing in things)

    def is_indefinite(self, head: int) -> bool:
        words = [self.tokens[c].text.lower() for c in self.below(head, "det", "poss")]
        return not words or all(word in ("a", "an", "some", "several") for word in words)

    def with_article(self, thing: str, head: int) -> str:
        """The thing as a sentence needs it: "man" of a headline is "a man"; nothing of what nobody counts."""
        noun = self.tokens[head]
        if self.below(head, "det", "nummod", "poss") or noun.text.lower() in MASS or noun.tag in ("NNS", "NNPS"):
            return thing
        if self.lexicon.find_field(find_lemma(noun), "n") in _NAMES_FIRST:
            return f"{choose_article(thing)} {thing}"
        return ""

    def has_pronoun(self) -> bool:
        return any(t.tag in ("PRP", "PRP$", "WP$") for t in self.tokens)

    def is_counted(self, head: int) -> bool:
        word = self.tokens[head].text.lower()
        return word not in COLLECTIVE | MEASURES or word in _COUNTED or self.tokens[head].tag == "NNS"

    def can_follow(self, head: int) -> bool:
        """Whether a relative clause would be of the noun: nothing else stands between."""
        frame = self.frame
        assert frame is not None
        return self.core(head)[1] == frame.at - 1 and not any(
            self.tokens[c].text.lower() == "of" for c in self.below(head, "prep")
        )


def lower_first(text: str, word: str) -> str:
    """The text without its first capital, unless the word is written so wherever it stands."""
    return text if word[1:2].isupper() or (len(word) == 1 and word not in "Aa") else text[:1].lower() + text[1:]
