"""Another number of a thing (``replace_att``): of one several, of several more."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.tasks.caption.near.miss import Miss, rewrite
from counterfoil.tasks.caption.near.phrases import Phrase, list_phrases
from counterfoil.tasks.caption.near.said import Said, count_said, find_kin
from counterfoil.tasks.caption.near.things import CLASSES, KNOWN
from counterfoil.tasks.caption.plan.kinds import NUMBERS
from counterfoil.tasks.caption.words.forms import find_lemma, pluralise
from counterfoil.tasks.caption.words.lists import HERDS, PRONOUNS, SAME
from counterfoil.tasks.caption.words.parse import Sentence

_SEVERAL = frozenset(
    {"many", "several", "few", "group", "groups", "bunch", "pair", "couple", "lots", "crowd", "row", "rows", "line"}
    | {"some", "various", "number", "dozen", "variety", "stack", "pile", "other", "others", "another", "both", "lined"}
    | {"collage", "mirror", "series", "collection", "multiple", "each", "more", "different", "reflection", "together"}
)
_ONE = ("two", "three", "four")
_MORE = 3
_OBJECTS = ("dobj", "pobj")
_SUBJECTS = ("ROOT", "nsubj", "nsubjpass", "attr")
_AGREE = {"is": "are", "was": "were", "has": "have", "does": "do", "'s": "are"}
_COUNTED = frozenset().union(
    *(
        each.go
        for each in CLASSES
        if each.name in ("animal", "vehicle", "item", "street furniture", "sportsman", "player")
    )
) | frozenset(
    {
        "pizza",
        "cake",
        "sandwich",
        "hot dog",
        "donut",
        "clock",
        "chair",
        "couch",
        "bed",
        "toilet",
        "desk",
        "vase",
        "plate",
    }
    | {
        "bowl",
        "laptop",
        "refrigerator",
        "sink",
        "suitcase",
        "umbrella",
        "kite",
        "skateboard",
        "surfboard",
        "bench",
        "cup",
    }
    | {
        "cell phone",
        "phone",
        "book",
        "banana",
        "apple",
        "hamburger",
        "salad",
        "computer",
        "tv",
        "television",
        "oven",
        "stove",
    }
)
"""Of what a caption that shows one tells how many there are."""
_PEOPLE = frozenset({"man", "woman", "boy", "girl", "person", "lady", "child"})


def list_counts(said: Said, caption: int) -> Iterator[Miss]:
    sentence = said.sentences[caption]
    if _SEVERAL.isdisjoint(said.words - {"couple", "pair"}):
        yield from _count_more(said, caption, sentence)
    if not _SEVERAL.isdisjoint(said.words):
        return
    for phrase in list_phrases(sentence, KNOWN):
        if phrase.determiner in ("a", "an", "one") and _is_one(said, phrase):
            for number in _ONE:
                yield from _multiply(sentence, caption, phrase, number)


def _count_more(said: Said, caption: int, sentence: Sentence) -> Iterator[Miss]:
    """Of so many more, where no caption counts otherwise."""
    numbers = [word for word in sentence.words() if word in NUMBERS]
    others = {word for words in said.by_caption for word in words if word in NUMBERS}
    if len(numbers) != 1 or len(others) != 1 or (numbers[0] != "two" and not said.words.isdisjoint({"couple", "pair"})):
        return
    i = sentence.words().index(numbers[0])
    token = sentence.tokens[i]
    counted = sentence.tokens[token.head]
    if token.dep != "nummod" or counted.tag != "NNS" or sentence.children(i):
        return
    times = [plural for _, plural in count_said(said, find_lemma(counted))]
    at = NUMBERS.index(numbers[0])
    if not all(times) or len(times) < min(2, len(said.sentences)):
        return
    for new in NUMBERS[at + 1 : at + 1 + _MORE]:
        text, edit = rewrite(sentence, [(i, i, new)], "replace_att")
        yield Miss(caption, "count", edit, text)


def _is_one(said: Said, phrase: Phrase) -> bool:
    """Whether all captions speak of one such thing, and another says so as well."""
    if phrase.plural or not HERDS.isdisjoint(said.words - {"zoo", "farm"}):
        return False
    if phrase.name not in _COUNTED | _PEOPLE:
        return False
    if phrase.name in _PEOPLE and said.several_people:
        return False
    if any(word in NUMBERS for word in said.words):
        return False
    alike = [
        (noun, plural)
        for noun, plural in said.nouns
        if find_kin(phrase.name, noun, said.wordnet) in ("synonym", "hypernym", "hyponym")
    ]
    times = {i for i, _ in count_said(said, phrase.name)}
    return not any(plural for _, plural in alike) and len(times) >= min(2, len(said.sentences))


def _multiply(sentence: Sentence, caption: int, phrase: Phrase, number: str) -> Iterator[Miss]:
    tokens = sentence.tokens
    if not PRONOUNS.isdisjoint(sentence.words()) or "its" in sentence.words() or "it" in sentence.words():
        return
    article = phrase.start
    if tokens[article].text.lower() not in ("a", "an", "one") or tokens[phrase.last].dep not in (*_SUBJECTS, *_OBJECTS):
        return
    if sentence.children(phrase.last, "conj", "appos"):
        return
    noun = sentence.text[tokens[phrase.first].start : tokens[phrase.last].end]
    plural = pluralise(phrase.name)
    if noun.lower() != phrase.name or phrase.name in SAME:
        return
    changes = [(article, article, number), (phrase.first, phrase.last, plural)]
    for i, token in enumerate(tokens):
        if tokens[phrase.last].dep in _OBJECTS:
            if token.dep == "relcl" and token.head == phrase.last:
                return
            continue
        single = token.tag == "VBZ" or token.text.lower() in _AGREE
        if not single:
            continue
        own = _is_of(sentence, i, phrase.last)
        if not own:
            return
        changes.append((i, i, _AGREE.get(token.text.lower()) or find_lemma(token)))
    text, edit = rewrite(sentence, sorted(changes), "replace_att")
    yield Miss(caption, "count", edit, text)


def _is_of(sentence: Sentence, verb: int, noun: int) -> bool:
    """Whether the finite verb is said of the noun."""
    tokens = sentence.tokens
    if verb in (tokens[noun].head, noun):
        return True
    head = tokens[verb].head
    subject = sentence.children(verb, "nsubj", "nsubjpass")
    if tokens[verb].dep in ("aux", "auxpass"):
        return head == tokens[noun].head and noun in sentence.children(head, "nsubj", "nsubjpass", "attr")
    if tokens[verb].dep == "conj" and not subject:
        return head == tokens[noun].head and tokens[noun].dep in ("nsubj", "nsubjpass")
    if tokens[verb].dep == "relcl" and head == noun:
        return all(tokens[i].text.lower() in ("that", "which", "who") for i in subject)
    return False
