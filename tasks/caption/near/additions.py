"""A thing that nobody speaks of, in the place of what a caption says besides (``add_obj``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from counterfoil.tasks.caption.near.miss import Miss, rewrite
from counterfoil.tasks.caption.near.said import Said
from counterfoil.tasks.caption.near.things import ADDED, ANIMALS, LARGE, TABLE, VEHICLES, WAVES, Addition
from counterfoil.tasks.caption.words.besides import BOUND, LEFT_OUT
from counterfoil.tasks.caption.words.forms import choose_article, find_lemma
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.caption.words.lists import CLOSED
from counterfoil.tasks.caption.words.parse import Sentence

_ADVERBS = frozenset({"next", "close", "inside", "outside", "out", "up", "down"})
_LONGEST = 7
_HELD = frozenset({"holding", "carrying"})
_BESIDE = frozenset({"next to", "near", "beside", "behind", "in front of"})
_PEOPLE = frozenset({"people", "person", "man", "woman", "boy", "girl", "couple", "group", "crowd", "team", "family"})
_BOUND_TO_PLACES = frozenset(
    {"surf", "ski", "snowboard", "swim", "sail", "paddle", "kayak", "fly", "row", "drive", "land", "soar"}
)
"""Verbs that are done in few places."""
_GROUPS = frozenset({"people", "couple", "group", "crowd", "team", "family", "pair", "bunch"})
_FOR_ONE = frozenset({"wheelchair", "bathtub"})
_TRIFLES = frozenset({"banana", "donut", "pizza", "laptop", "guitar", "balloon", "teddy bear", "wedding cake"})
_WORN = frozenset({"wearing", "wears", "wear", "dressed"})
_COLLAGES = (" collage ", " photos of ", " photos showing ", " photographs of ", " pictures of ", " images of ")
"""Words of several pictures in one, of which each may show what the captions leave out."""
_NOT_ALIVE = frozenset({"hotdog", "fly", "fry", "twin", "scrapper", "camper"})
"""What is seldom an insect, young fish or somebody in captions: "a plane flies", "twin beds"."""
_ONE_OF_TWO = frozenset({"one", "hand"})
_WHERE = frozenset({"in", "on", "at", "down", "along", "across", "through", "inside"})
_SURFACES = frozenset(TABLE["surfaces"])
"""Things on or in which something that is held elsewhere may lie."""
_FAR = 4
"""Steps from a phrase to what it is said of."""
_RESTING = frozenset(
    {
        "park",
        "seat",
        "perch",
        "gather",
        "sit",
        "stand",
        "dock",
        "moor",
        "stack",
        "show",
        "see",
        "view",
        "picture",
        "locate",
        "situate",
        "place",
        "pile",
        "crowd",
        "huddle",
        "display",
    }
)
"""Participles behind which a phrase only says where."""
_THERE = frozenset(
    {"sit", "stand", "lie", "lay", "walk", "fly", "sleep", "graze", "rest", "run", "ride", "park", "drive", "travel"}
)
"""Verbs that do without any phrase behind them."""
_STANDING = _RESTING | {"stand", "lie", "lay", "hang", "lean", "set", "put", "rest", "sit", "cover", "attach"}
"""Verbs that say little where nothing stands behind them."""
_GOING_ON = frozenset(
    {"in", "inside", "on", "out", "up", "down", "open", "off", "to", "at", "by", "behind", "around", "near", "under"}
)
"""Words behind a phrase with "with" that are said of its noun."""
_JOINING = frozenset({"and", "or"})
_LEAST = 3
"""Words that must be left before what somebody does."""
_LISTED = 3
_FARTHEST = 1
"""Words by which lengths may differ."""


def list_additions(said: Said, caption: int) -> Iterator[Miss]:
    sentence = said.sentences[caption]
    if not CLOSED.isdisjoint(sentence.words()) or any(words in said.text for words in _COLLAGES):
        return
    surfed = not WAVES.isdisjoint(sentence.words())
    bound = surfed or not _BOUND_TO_PLACES.isdisjoint(said.verbs[caption])
    clauses = [*_find_clauses(sentence)]
    spans = dict.fromkeys([*find_phrases(sentence), *clauses, *_find_acts(sentence)])
    listed = [*_find_listed(sentence)]
    for added in ADDED if spans or listed else ():
        if not added.may_be_with(said):
            continue
        name = added.names[0]
        for first, last in listed if "next to" in added.places or "with" in added.places else ():
            if _is_food(sentence, last, said.wordnet) and not _names_food(name, said.wordnet):
                continue  # a plate of bread and a tractor
            if not _WORN.isdisjoint(sentence.words()):
                continue  # "wearing a tie and a hat"
            text, edit = rewrite(sentence, [(first, last, f"{choose_article(name)} {name}")], "add_obj")
            yield Miss(caption, "add", edit, text, "undecided")
        for first, last in spans:
            if last + 1 < len(sentence.tokens) and sentence.tokens[last + 1].pos in ("NOUN", "PROPN", "ADV", "ADJ"):
                continue
            if _is_listed_on(sentence, last):
                continue  # "next to a door and wall", "with tiles, a toilet and a sink"
            if sentence.tokens[first - 1].pos in ("ADP", "ADV"):
                continue  # "sailing in behind a boat"
            owner = _find_owner(sentence, first, said.wordnet)
            for place in added.places:
                if (place in _HELD and (first, last) not in clauses) or not _may_stand(added, place, owner):
                    continue
                if surfed and place in added.moving:
                    continue  # "riding a wave on a camel"
                if place.endswith((" the", " a")) and (bound or _is_somewhere(sentence, first, last)):
                    continue  # "lying on the couch on the beach", "on a roof in a bathroom"
                for words in _bring(place, name):
                    if abs(len(words.split()) - (last - first + 1)) <= _FARTHEST:
                        text, edit = rewrite(sentence, [(first, last, words)], "add_obj")
                        yield Miss(caption, "add", edit, text, "undecided")


def _is_food(sentence: Sentence, listed: int, wordnet: str | None) -> bool:
    """Whether what is listed before this is eaten."""
    return _names_food(find_lemma(sentence.tokens[sentence.tokens[listed].head]), wordnet)


def _names_food(name: str, wordnet: str | None) -> bool:
    return open_lexicon(wordnet).find_field(name.rpartition(" ")[2], "n") == "noun.food"


def _bring(place: str, name: str) -> Iterator[str]:
    """With its article; next to something, with either."""
    if place.endswith((" the", " a")):
        yield f"{place} {name}"
        return
    yield f"{place} {choose_article(name)} {name}"
    if place in _BESIDE:
        yield f"{place} the {name}"


@dataclass(frozen=True, slots=True)
class _Owner:
    """What a phrase is said of."""

    lemma: str
    sort: Literal["person", "animal", "vehicle", "thing"]
    acts: bool
    """Whether it is said of what that does."""
    several: bool = False


def _find_owner(sentence: Sentence, first: int, wordnet: str | None) -> _Owner:
    tokens = sentence.tokens
    at, acts = tokens[first].head, False
    for _ in range(_FAR):
        if tokens[at].pos in ("NOUN", "PROPN"):
            break
        acts = True
        subjects = sentence.children(at, "nsubj", "nsubjpass")
        at = subjects[0] if subjects else tokens[at].head
    lemma = find_lemma(tokens[at])
    field = open_lexicon(wordnet).find_field(lemma, "n")
    if lemma in _NOT_ALIVE:
        return _Owner(lemma, "thing", acts)
    if lemma in ANIMALS or field == "noun.animal":
        return _Owner(lemma, "animal", acts)
    if lemma in VEHICLES:
        return _Owner(lemma, "vehicle", acts)
    several = tokens[at].tag == "NNS" or lemma in _GROUPS
    return _Owner(lemma, "person" if field == "noun.person" or lemma in _PEOPLE else "thing", acts, several)


def _is_small(added: Addition) -> bool:
    """Whether nobody would name it beside a bus."""
    return added.names[0] in _TRIFLES


def _may_stand(added: Addition, place: str, owner: _Owner) -> bool:
    """Whether one may be there, or have it: no cow grazes with an umbrella."""
    if place in added.moving and (
        owner.sort not in ("person", "animal") or (owner.several and added.names[0] in _FOR_ONE)
    ):
        return False
    if owner.lemma in LARGE and owner.sort == "vehicle" and _is_small(added):
        return False
    if place == "with" and owner.sort != "person":
        return not owner.acts and (owner.lemma in _SURFACES or _HELD.isdisjoint(added.places))
    return True


def _is_somewhere(sentence: Sentence, first: int, last: int) -> bool:
    """Whether what stands before or behind the phrase says already where that is."""
    before = sentence.tokens[first - 1]
    after = sentence.words()[last + 1 : last + 2]
    led = before.dep == "pobj" and sentence.tokens[before.head].text.lower() in _WHERE
    return led or not _WHERE.isdisjoint(after)


def _is_listed_on(sentence: Sentence, last: int) -> bool:
    """Whether a list goes on behind the phrase: a comma or "and", and another thing."""
    tokens = sentence.tokens
    if last + 2 >= len(tokens) or tokens[last + 1].text.lower() not in (",", *_JOINING):
        return False
    behind = (token.pos for token in tokens[last + 2 :] if token.pos not in ("DET", "ADJ", "NUM", "CCONJ"))
    return next(behind, "") in ("NOUN", "PROPN")


def find_phrases(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """Phrases that say where or with what, behind a noun or a verb that does without: first and last word."""
    tokens, words = sentence.tokens, sentence.words()
    for i, token in enumerate(tokens):
        head = tokens[token.head]
        if words[i] not in LEFT_OUT or token.dep not in ("prep", "advmod") or token.head >= i:
            continue
        thing = head.pos in ("NOUN", "PROPN") or (head.pos == "ADJ" and head.dep in ("ROOT", "nsubj", "dobj", "pobj"))
        if head.text.lower() in _ADVERBS or not (thing or head.pos in ("VERB", "AUX")):
            continue
        above = tokens[head.head].text.lower() if head.dep == "pobj" else ""
        if above == "with" and token.head == i - 1 and not sentence.children(token.head, "det", "nummod"):
            continue  # "with its paws in the water", "with trees in the background"
        if head.pos == "VERB":
            passive = head.tag == "VBN" and find_lemma(head) not in _RESTING
            wanted = words[i] in ("at", "with", "over", "through") and find_lemma(head) not in _THERE | _RESTING
            if passive or head.lemma in BOUND or wanted:
                continue
        if head.pos == "AUX" and not (head.lemma == "be" and sentence.children(token.head, "nsubj")):
            continue
        inside = _walk(sentence, i)
        last = max(inside)
        if min(inside) != i or len(inside) != last - i + 1 or not 2 <= len(inside) <= _LONGEST:
            continue
        if tokens[last].pos not in ("NOUN", "PROPN") or "," in words[i:last] or i == 0:
            continue
        if not _JOINING.isdisjoint(words[i:last]):
            continue  # "holes in the wall and dirt on the bed": part of what is listed may belong elsewhere
        if "other" in words and not _ONE_OF_TWO.isdisjoint(words[i : last + 1]):
            continue  # "a hot dog in one hand and a bun in the other"
        if words[last + 1 : last + 2] == ["from"] or (words[i] == "with" and words[last + 1 : last + 2] == ["and"]):
            continue  # "in the shade from a tree", "with a wooden floor and two shelves"
        if words[i] == "with" and last + 1 < len(tokens):
            after = tokens[last + 1]
            if after.pos == "ADJ" or after.tag == "VBN" or after.text.lower() in _GOING_ON:
                continue  # "with its lid open", "with eggs in a pan": it is said of the phrase's noun
        if not any(tokens[k].tag in ("VBZ", "VBP", "VBD", "WDT", "WP", "PRP") for k in inside):
            yield i, last


def is_left_alone(sentence: Sentence, first: int, last: int) -> bool:
    """Whether a verb would stand there with nothing to say, were this phrase of it left out: "items sitting"."""
    head = sentence.tokens[first].head
    token = sentence.tokens[head]
    if token.pos not in ("VERB", "AUX") or (token.pos == "VERB" and find_lemma(token) not in _STANDING):
        return False
    others = sentence.children(head, "prep", "dobj", "advmod", "attr", "acomp", "advcl", "agent", "prt")
    return not any(other > head and not first <= other <= last for other in others)


def _walk(sentence: Sentence, first: int) -> set[int]:
    """A word and all that belongs to it, without the stop behind."""
    inside, level = {first}, [first]
    while level:
        level = [c for each in level for c in sentence.children(each) if c not in inside]
        inside.update(level)
    end = _find_end(sentence)
    return {i for i in inside if i <= end}


def _find_acts(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """What somebody does, or is made to be, at the end of a caption that says enough without: "perched on a branch"."""
    tokens = sentence.tokens
    end = _find_end(sentence)
    for i, token in enumerate(tokens):
        if token.tag not in ("VBG", "VBN") or token.dep != "acl" or not _LEAST <= i <= end - 1 or end - i >= _LONGEST:
            continue
        head = tokens[token.head]
        inside = _walk(sentence, i)
        whole = min(inside) == i and max(inside) == end and len(inside) == end - i + 1
        plain = tokens[i - 1].pos in ("NOUN", "PROPN") and head.pos in ("NOUN", "PROPN")
        finite = any(tokens[k].tag in ("VBZ", "VBP", "VBD", "WDT", "WP", "TO") for k in inside)
        if whole and plain and not finite and tokens[end].pos in ("NOUN", "PROPN", "ADV"):
            yield i, end


def _find_listed(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """The last of several things that the caption ends in, without its "and": "a plate, a fork and a knife"."""
    tokens = sentence.tokens
    end = _find_end(sentence)
    token = tokens[end]
    if token.dep != "conj" or token.tag not in ("NN", "NNS") or tokens[token.head].pos not in ("NOUN", "PROPN"):
        return
    inside = _walk(sentence, end)
    first = min(inside)
    joined = first > 1 and tokens[first - 1].text.lower() == "and" and tokens[first - 1].head == token.head
    article = tokens[first].text.lower() in ("a", "an", "the", "some", "his", "her", "their")
    one = tokens[token.head].tag in ("NN", "NNS") and sentence.children(token.head, "det", "poss", "nummod", "amod")
    if joined and len(inside) == end - first + 1 <= _LISTED and (article or one):
        yield first, end


def _find_end(sentence: Sentence) -> int:
    """The last word before the stop."""
    end = len(sentence.tokens) - 1
    while end > 0 and sentence.tokens[end].dep == "punct":
        end -= 1
    return end


def _find_clauses(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """What somebody holds or wears besides, at the end of the caption: "holding an umbrella"."""
    tokens = sentence.tokens
    end = _find_end(sentence)
    for i, token in enumerate(tokens):
        if (
            token.tag != "VBG"
            or token.lemma not in ("hold", "wear", "carry")
            or token.dep not in ("acl", "advcl", "conj")
        ):
            continue
        inside = _walk(sentence, i)
        if (
            min(inside) == i
            and max(inside) == end
            and len(inside) == end - i + 1
            and i > 2
            and tokens[i - 1].text.lower() != "and"
        ):
            head = tokens[token.head]
            # Without it, "A man" alone would be left.
            if (head.pos == "VERB" or token.head < i - 1) and head.lemma not in BOUND:
                yield i, end
