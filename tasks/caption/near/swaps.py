"""Two words in each other's place (``swap_att``, ``swap_obj``)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from counterfoil.storage.rows import Edit
from counterfoil.tasks.caption.near.miss import Miss, rewrite
from counterfoil.tasks.caption.near.phrases import Phrase, list_phrases
from counterfoil.tasks.caption.near.qualities import list_groups
from counterfoil.tasks.caption.near.said import Said, find_kin
from counterfoil.tasks.caption.near.things import KNOWN
from counterfoil.tasks.caption.plan.kinds import COLOURS, are_near_colours
from counterfoil.tasks.caption.words.forms import find_lemma
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.caption.words.lists import PARTED, PATTERNS
from counterfoil.tasks.caption.words.parse import Sentence

_DIRECTED = frozenset({"on", "under", "behind", "above", "over", "below", "beneath", "underneath"})
"""Not "in": of what is in a thing that thing is seldom."""
_ACTS = frozenset(
    {
        "ride",
        "hold",
        "carry",
        "pull",
        "chase",
        "feed",
        "watch",
        "push",
        "wear",
        "eat",
        "lead",
        "pet",
        "wash",
        "walk",
        "follow",
        "herd",
    }
)
_FIELDS = frozenset({"noun.person", "noun.animal", "noun.artifact", "noun.food", "noun.plant"})


def list_swaps(said: Said, caption: int) -> Iterator[Miss]:
    sentence = said.sentences[caption]
    phrases = list(list_phrases(sentence, KNOWN))
    for a, b in combinations(phrases, 2):
        if a.name == b.name:
            continue
        yield from _swap_qualities(said, caption, a, b)
        if _leads_to(sentence, a, b) and _may_change_places(said, a, b):
            yield _swap(said, caption, (a.first, a.last), (b.first, b.last), "swap_obj")


def _swap_qualities(said: Said, caption: int, a: Phrase, b: Phrase) -> Iterator[Miss]:
    sentence = said.sentences[caption]
    one, other = (_find_quality(sentence, each) for each in (a, b))
    if one is None or other is None or {a.name, b.name} & (PARTED | PATTERNS):
        return
    x, y = (sentence.tokens[i].text.lower() for i in (one, other))
    if x == y or (x in COLOURS and y in COLOURS and are_near_colours(x, y)):
        return
    groups = [
        group for group in list_groups(x, a.name, said.wordnet) if group.find(y) and group.find(x) != group.find(y)
    ]
    if _says_of(said, caption, x, b) or _says_of(said, caption, y, a):
        return
    if groups and any(group in groups for group in list_groups(y, b.name, said.wordnet)):
        yield _swap(said, caption, (one, one), (other, other), "swap_att")


def _says_of(said: Said, caption: int, word: str, phrase: Phrase) -> bool:
    """Whether another caption says the word of such a thing: of "a large bed in a small room", "a large room"."""
    noun = phrase.name.rpartition(" ")[2]
    return any(
        there.tokens[c].text.lower() == word
        for i, there in enumerate(said.sentences)
        if i != caption
        for k, token in enumerate(there.tokens)
        if find_lemma(token) == noun
        for c in there.children(k, "amod", "compound", "nmod")
    )


def _find_quality(sentence: Sentence, phrase: Phrase) -> int | None:
    """The one adjective of a phrase, right before its noun."""
    own = sentence.children(phrase.last, "amod")
    if len(own) != 1 or own[0] != phrase.first - 1 or sentence.children(own[0]):
        return None
    return own[0]


def _leads_to(sentence: Sentence, a: Phrase, b: Phrase) -> bool:
    """Whether the caption says that the first is on, under or in the second, or rides, holds or feeds it."""
    tokens = sentence.tokens
    above = tokens[b.last].head
    subject = _is_subject(sentence, a)
    if tokens[b.last].dep == "dobj" and find_lemma(tokens[above]) in _ACTS:
        return subject and _belongs(sentence, above, a)
    if tokens[b.last].dep != "pobj" or tokens[above].text.lower() not in _DIRECTED:
        return False
    governor = tokens[above].head
    if governor == a.last:
        return subject
    return (
        subject
        and tokens[governor].pos in ("VERB", "AUX")
        and _belongs(sentence, governor, a)
        and not sentence.children(governor, "dobj")
    )


def _belongs(sentence: Sentence, verb: int, a: Phrase) -> bool:
    tokens = sentence.tokens
    subjects = sentence.children(verb, "nsubj")
    if subjects:
        return subjects == [a.last]
    return tokens[verb].head == a.last and tokens[verb].dep == "acl"


def _is_subject(sentence: Sentence, a: Phrase) -> bool:
    return sentence.tokens[a.last].dep in ("ROOT", "nsubj") and not sentence.children(a.last, "conj")


def _may_change_places(said: Said, a: Phrase, b: Phrase) -> bool:
    lexicon = open_lexicon(said.wordnet)
    fields = {
        lexicon.find_field(each.name, "n") or lexicon.find_field(each.name.rpartition(" ")[2], "n") for each in (a, b)
    }
    alike = a.plural == b.plural and a.determiner in ("a", "an", "the") and b.determiner in ("a", "an", "the")
    return alike and fields <= _FIELDS and find_kin(a.name, b.name, said.wordnet) is None


def _swap(said: Said, caption: int, one: tuple[int, int], other: tuple[int, int], kind: str) -> Miss:
    sentence = said.sentences[caption]
    tokens, text = sentence.tokens, sentence.text
    words = [text[tokens[first].start : tokens[last].end] for first, last in (one, other)]
    told = [each[:1].lower() + each[1:] for each in words]
    new, _ = rewrite(sentence, [(*one, told[1]), (*other, told[0])], kind)
    return Miss(caption, "swap", Edit(kind, *words), new)
