"""What captions say of things: which verbs, adjectives and prepositions go with which nouns.

A near miss keeps what its caption says of the thing that gives way. The run's own captions tell whether that is ever
said of what comes: boats are moored, and tractors are not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from counterfoil.tasks.caption.words.forms import find_lemma, singularise
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.caption.words.parse import Sentence

_AWAITED = 2.5
"""Times that chance would have it from which on never is telling, of one noun or of its whole field."""
_SELDOM = 0.25
"""The share of what chance would have below which it is seldom."""
_TIMES = 4
"""Times that something is said from which on it is known of what."""
_FEW = 3
"""Nouns of which something is said that is said of these alone: boats and ships are moored."""
_NEW = 0.2
"""The share of nouns said once, below which another noun is hardly ever the next (Good and Turing's estimate)."""
_ACTS = frozenset({"does", "gets"})
_ALIKE = frozenset({"noun.animal", "noun.person", "noun.act"})
"""Fields of nouns of which much the same is said."""
_OFTEN = 0.1
_MANY = 20
"""Times that something is said from which on what is rare in the run is judged as what is common."""
_RELATIVE = frozenset({"that", "which", "who"})
_NONE: Counter[str] = Counter()


def list_ties(sentence: Sentence, noun: int) -> Iterator[str]:
    """What the caption says of the noun at this place: adjectives, verbs that it is the subject or the object of, and
    the preposition that leads to it, with a verb before it."""
    tokens = sentence.tokens
    token, head = tokens[noun], tokens[tokens[noun].head]
    for child in sentence.children(noun):
        below = tokens[child]
        if below.dep == "amod" and not below.tag.startswith("VB"):
            yield f"is {below.text.lower()}"
        elif below.dep in ("amod", "acl"):
            yield f"{'is' if below.tag == 'VBN' else 'does'} {find_lemma(below)}"
        elif below.dep == "relcl" and any(
            tokens[i].text.lower() in _RELATIVE for i in sentence.children(child, "nsubj", "nsubjpass")
        ):
            yield from _list_acts(sentence, child)
    if token.dep == "dobj":
        yield f"gets {find_lemma(head)}"
    elif token.dep in ("nsubj", "nsubjpass"):
        yield from _list_acts(sentence, token.head)
    elif token.dep == "pobj":
        above = tokens[head.head]
        yield f"behind {head.text.lower()}"
        if above.pos == "VERB":
            yield f"behind {find_lemma(above)} {head.text.lower()}"


def _list_acts(sentence: Sentence, verb: int) -> Iterator[str]:
    """What its subject does, or what is done to it."""
    tokens = sentence.tokens
    if tokens[verb].pos != "VERB":
        return
    done = tokens[verb].tag == "VBN" and bool(sentence.children(verb, "auxpass", "aux"))
    yield f"{'is' if done else 'does'} {find_lemma(tokens[verb])}"
    for other in sentence.children(verb, "conj"):
        if tokens[other].pos == "VERB" and not sentence.children(other, "nsubj", "nsubjpass"):
            yield f"{'is' if tokens[other].tag == 'VBN' else 'does'} {find_lemma(tokens[other])}"


def list_said(sentence: Sentence) -> Iterator[str]:
    """All that a caption says of its nouns: what is said, a tab, and the noun."""
    for i, token in enumerate(sentence.tokens):
        if token.pos in ("NOUN", "PROPN") and token.dep != "compound":
            noun = find_lemma(token)
            yield f"\t{noun}"
            yield from (f"{tie}\t{noun}" for tie in list_ties(sentence, i))


class Ties:
    """How often which is said of which noun in the captions of a run, and of nouns of one field."""

    def __init__(self, said: Iterable[Iterable[str]], wordnet: str | None) -> None:
        """``said``: `list_said` of captions."""
        self._wordnet = wordnet
        self._nouns: dict[str, Counter[str]] = defaultdict(Counter)
        for row in (each for own in said for each in own):
            tie, _, noun = row.partition("\t")
            self._nouns[tie][noun] += 1
        self._fields = {tie: self._count_fields(nouns) for tie, nouns in self._nouns.items()}
        self._known: dict[tuple[str, str], bool] = {}

    def is_odd(self, ties: Iterable[str], words: str) -> bool:
        """Whether one of these is said of other things, and hardly ever of what ``words`` name."""
        noun = self._find_noun(words.lower().rpartition(" ")[2])
        return any(self._is_odd(tie, noun) for tie in ties)

    def _find_noun(self, word: str) -> str:
        """As the captions' nouns are counted."""
        return next((form for form in (word, singularise(word)) if form in self._nouns[""]), word)

    def _is_odd(self, tie: str, noun: str) -> bool:
        if (tie, noun) not in self._known:
            self._known[tie, noun] = self._tell(tie, noun)
        return self._known[tie, noun]

    def _tell(self, tie: str, noun: str) -> bool:
        nouns = self._nouns.get(tie, _NONE)
        if nouns[noun] or not nouns:
            return False
        every, times = self._nouns[""], nouns.total()
        own, field, total = every[noun], self._find_field(noun), every.total()
        if field in _ALIKE and self._fields[tie][field] >= _OFTEN * times:
            return False
        if times >= _TIMES and len(nouns) <= _FEW:
            return True
        if tie.partition(" ")[0] in _ACTS and times >= _TIMES and (own >= _TIMES or times >= _MANY):
            return sum(count == 1 for count in nouns.values()) < _NEW * times
        of_field = times * self._fields[""][field] / total if field else 0.0
        strange = of_field >= _AWAITED and self._fields[tie][field] < _SELDOM * of_field
        return strange or times * own / total >= _AWAITED

    def _count_fields(self, nouns: Counter[str]) -> Counter[str]:
        found: Counter[str] = Counter()
        for noun, count in nouns.items():
            found[self._find_field(noun)] += count
        return found

    def _find_field(self, noun: str) -> str:
        return open_lexicon(self._wordnet).find_field(noun, "n") or ""
