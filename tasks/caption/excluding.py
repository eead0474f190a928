"""Whether two captions of one picture exclude each other by their wording alone.

That "a cat on a mat" is false where "a dog on a mat" is true does not follow: the picture may hold both. Words exclude
each other where there is nothing besides of which the other caption may be true: it is said of the one thing that "the"
names, of the place that the whole picture shows, of its time, of a full count, or it says that there is none.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.tasks.caption.plan.kinds import COLOURS, NUMBERS, POSTURES
from counterfoil.tasks.caption.words.lists import CLOSED, MASS, PICTURES
from counterfoil.tasks.caption.words.parse import Sentence
from counterfoil.tasks.caption.words.spatial import exclude

_THE = frozenset({"the", "this", "that", "these", "those"})
PLACES = frozenset(
    {"airport", "backyard", "bathroom", "beach", "bedroom", "city", "classroom", "coastline", "desert", "dining room"}
    | {"field", "forest", "garden", "grass", "hallway", "harbor", "highway", "hillside", "hospital", "hotel room"}
    | {"jungle", "kitchen", "lake", "library", "living room", "marina", "meadow", "museum", "ocean", "office", "park"}
    | {"parking lot", "pasture", "playground", "prairie", "restaurant", "restroom", "river", "road", "room", "runway"}
    | {"savannah", "scene", "sea", "shore", "sky", "snow", "stadium", "station", "street", "tarmac", "town", "valley"}
    | {"warehouse", "washroom", "water", "yard", "zoo"}
)
"""What a picture shows one of, where it shows it."""
_EMPTY, _CROWDED = frozenset({"empty", "deserted"}), frozenset({"crowded", "packed"})
_NIGHT, _DAY = frozenset({"night", "nighttime", "midnight"}), frozenset({"day", "daytime", "midday", "noon"})
_FAIR, _FOUL = frozenset({"clear", "cloudless", "sunny"}), frozenset({"cloudy", "overcast", "rainy", "stormy"})
_OF_TIME = frozenset({"at", "in", "during", "the", "time"})
_PLAIN_PICTURES = frozenset({"photo", "photograph", "picture", "image", "photos", "photographs", "pictures", "images"})
_COLOURED = frozenset({"color", "colour", "colored", "coloured"})
_WORN_ONCE = frozenset(
    {"blouse", "cap", "dress", "hat", "helmet", "jersey", "pants", "shirt", "shorts", "skirt", "suit", "sweater", "tie"}
)
"""Of what somebody wears one: in two colours of its own it would be said to be of both."""
_MORE = frozenset({"other", "more", "different", "another", "separate", "least", "half"})
_SHOWN_IN = frozenset({"collage", "mirror", "painting", "poster", "screen", "tv", "television", "split", "series"})
"""A picture in the picture has times and counts of its own."""


def prove_exchange(sentence: Sentence, words: Sequence[str], place: tuple[int, int] | None = None) -> bool:
    """Whether no picture that the caption is true of is as the caption says with the words at ``place`` (the first and
    the last) exchanged for ``words``, which exclude them of one thing."""
    return place is not None and (
        bool(find_whole(sentence, *place, words)) or exclude_as_worded(sentence, *place, words)
    )


def exclude_as_worded(sentence: Sentence, first: int, last: int, words: Sequence[str]) -> bool:
    """Whether the caption excludes itself with the words ``first`` to ``last`` exchanged for these, which are known to
    exclude them of one thing."""
    token = sentence.tokens[last]
    if not CLOSED.isdisjoint(_leave_out_each_other(sentence)):
        return False
    if token.tag == "CD":
        return _counts_all(sentence, last)
    if token.pos == "ADP":
        return _is_at_one_place(sentence, first, last)
    if first != last:
        return False
    if token.dep == "acomp":
        return _is_of_one(sentence, token.head) and not sentence.children(last, "conj", "neg")
    if any(token.lemma in posture for posture in POSTURES):
        # Horses and giraffes sleep on their feet.
        return (
            "sleeping" not in (token.text.lower(), *words)
            and token.dep == "ROOT"
            and _is_of_one(sentence, last)
            and not sentence.children(last, "conj", "neg")
        )
    return token.lemma in COLOURS and _is_worn_once(sentence, last)


def find_whole(sentence: Sentence, first: int, last: int, words: Sequence[str]) -> str:
    """What is said of the whole picture and excludes the words that stand for it in another caption: its time, its
    colours, whether anybody is in the place that it shows. Empty where there is no such thing."""
    old = [token.text.lower() for token in sentence.tokens[first : last + 1]]
    said = set(sentence.words())
    bare = [frozenset(each) - _OF_TIME for each in (old, words)]
    if said.isdisjoint(_SHOWN_IN) and any(a and b and a <= _NIGHT and b <= _DAY for a, b in (bare, bare[::-1])):
        return "the picture shows one time of day"
    behind = last + 1
    pictured = behind < len(sentence.tokens) and sentence.tokens[behind].text.lower() in _PLAIN_PICTURES
    grey = [list(each) == ["black", "and", "white"] for each in (old, words)]
    coloured = [len(each) == 1 and each[0] in _COLOURED for each in (old, words)]
    if (
        pictured
        and sentence.tokens[behind].dep == "ROOT"
        and any(a and b for a, b in zip(grey, reversed(coloured), strict=True))
    ):
        return "the picture is in colours or is not"
    if len(old) != 1 or len(words) != 1:
        return ""
    head = sentence.tokens[sentence.tokens[last].head].text.lower()
    if head in ("sky", "day") and any(old[0] in a and words[0] in b for a, b in ((_FAIR, _FOUL), (_FOUL, _FAIR))):
        return f"the {head} is one and the same" if said.isdisjoint(_SHOWN_IN) else ""
    if any(old[0] in a and words[0] in b for a, b in ((_EMPTY, _CROWDED), (_CROWDED, _EMPTY))):
        above = sentence.tokens[last].head
        shown = sentence.tokens[above].dep == "ROOT" and is_place(sentence, above)
        if shown or (sentence.tokens[last].dep == "acomp" and _is_of_one(sentence, above)):
            return "the place is one and the same"
    return ""


def is_one(sentence: Sentence, noun: int) -> bool:
    """Whether the noun's phrase names one thing or set that is known: "the dog", "these cars", "the man's shirt"."""
    token = sentence.tokens[noun]
    if token.pos != "NOUN" or token.dep == "conj" or sentence.children(noun, "conj", "appos"):
        return False
    if any(sentence.tokens[i].text.lower() in _THE for i in sentence.children(noun, "det")):
        return True
    return any(sentence.tokens[i].pos == "NOUN" and is_one(sentence, i) for i in sentence.children(noun, "poss"))


def is_place(sentence: Sentence, noun: int) -> bool:
    """Whether the noun names the one place that a picture shows."""
    token = sentence.tokens[noun]
    before = [sentence.tokens[i].text.lower() for i in sentence.children(noun, "compound", "amod")]
    name = token.text.lower()
    return token.tag == "NN" and (name in PLACES or any(f"{word} {name}" in PLACES for word in before))


def changes_places(sentence: Sentence, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Whether the caption excludes itself with these words in each other's place: two known things of which one is on,
    in or under the other, or two full counts."""
    tokens = sentence.tokens
    if not CLOSED.isdisjoint(sentence.words()):
        return False
    a, b = first[1], second[1]
    if tokens[a].tag == tokens[b].tag == "CD":
        return _counts_all(sentence, a) and _counts_all(sentence, b)
    if not (is_one(sentence, a) and is_one(sentence, b) and tokens[b].dep == "pobj" and tokens[a].dep == "nsubj"):
        return False
    preposition = tokens[b].head
    # Without what stands before the noun: "on the rocky pasture".
    phrase = " ".join(tokens[i].text.lower() for i in range(preposition, second[0]) if tokens[i].head != b)
    verb = tokens[a].head
    return (
        tokens[preposition].head == verb
        and tokens[verb].dep == "ROOT"
        and exclude(phrase, {"on": "under", "on top of": "under", "under": "on", "above": "below"}.get(phrase, ""))
    )


def _is_of_one(sentence: Sentence, verb: int) -> bool:
    """Whether the verb's subject is known to be one, and nothing is denied or joined."""
    tokens = sentence.tokens
    if tokens[verb].dep != "ROOT" or sentence.children(verb, "neg", "expl"):
        return False
    if any(tokens[i].pos in ("VERB", "AUX") for i in sentence.children(verb, "conj", "advcl")):
        return False
    subjects = sentence.children(verb, "nsubj", "nsubjpass")
    return len(subjects) == 1 and is_one(sentence, subjects[0])


def _is_at_one_place(sentence: Sentence, first: int, last: int) -> bool:
    tokens = sentence.tokens
    above = tokens[first].head
    things = sentence.children(last, "pobj")
    return (
        len(things) == 1
        and (is_one(sentence, things[0]) or is_place(sentence, things[0]))
        and tokens[first].dep == "prep"
        and _is_of_one(sentence, above)
    )


def _is_worn_once(sentence: Sentence, colour: int) -> bool:
    """Whether the colour is the one of a garment of which somebody who is known wears one."""
    tokens = sentence.tokens
    garment = tokens[colour].head
    if tokens[colour].dep != "amod" or tokens[garment].text.lower() not in _WORN_ONCE or sentence.children(colour):
        return False
    single = len(sentence.children(garment, "amod", "compound", "nmod")) == 1
    verb = tokens[garment].head
    worn = tokens[garment].dep == "dobj" and tokens[verb].lemma == "wear" and _is_of_one(sentence, verb)
    subject = sentence.children(verb, "nsubj")
    return single and worn and bool(subject) and tokens[subject[0]].tag == "NN"


def _leave_out_each_other(sentence: Sentence) -> list[str]:
    """The words; "each other" tells of no others."""
    words = sentence.words()
    both = {i for i, word in enumerate(words) if word == "each" and words[i + 1 : i + 2] == ["other"]}
    return [word for i, word in enumerate(words) if not both & {i, i - 1}]


def _counts_all(sentence: Sentence, number: int) -> bool:
    """Whether the number counts all that there are: of nothing that may be there twice itself, as a table."""
    tokens = sentence.tokens
    counted = tokens[number].head
    words = _leave_out_each_other(sentence)
    if tokens[number].dep != "nummod" or tokens[number].text.lower() not in NUMBERS or tokens[counted].tag != "NNS":
        return False
    if sentence.children(number) or not (_MORE | _SHOWN_IN).isdisjoint(words):
        return False
    for i, token in enumerate(tokens):
        if token.text.lower() not in ("a", "an", "some"):
            continue
        noun = _end_phrase(sentence, i)
        # "Some" of many is none that may be there twice.
        if not _is_of_whole(sentence, noun) and (token.text.lower() != "some" or tokens[noun].tag == "NN"):
            return False
    return True


def _end_phrase(sentence: Sentence, article: int) -> int:
    """The noun that the article's phrase ends with, by the words alone: parses of noun phrases are often wrong."""
    nouns = [token.tag.startswith("NN") for token in sentence.tokens]
    first = next((i for i in range(article + 1, len(nouns)) if nouns[i]), article)
    return next((i for i in range(first, len(nouns)) if i + 1 == len(nouns) or not nouns[i + 1]), first)


def _is_of_whole(sentence: Sentence, noun: int) -> bool:
    name = sentence.tokens[noun].text.lower()
    both = f"{sentence.tokens[noun - 1].text.lower()} {name}"
    return bool({name, both} & PLACES) or name in MASS or (name in PICTURES and sentence.tokens[noun].dep == "ROOT")
