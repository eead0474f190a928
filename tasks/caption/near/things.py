"""One thing in another's place, of which no caption of the picture speaks (``replace_obj``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from counterfoil.storage.plain import read_toml
from counterfoil.tasks.caption.near.miss import Miss, rewrite
from counterfoil.tasks.caption.near.phrases import Phrase, list_phrases
from counterfoil.tasks.caption.near.said import Said
from counterfoil.tasks.caption.near.ties import list_ties
from counterfoil.tasks.caption.words.forms import find_lemma, pluralise, singularise
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.caption.words.lists import EMPTYING, HERDS, MASS, MEASURES, PICTURES, PLURAL_ONLY, PRONOUNS, SAME
from counterfoil.tasks.caption.words.parse import Sentence

TABLE = read_toml(Path(__file__).with_name("words.toml"))
_MASS = MASS | {"sushi", "ice cream", "spaghetti", "pasta", "wine", "beer", "coffee", "milk", "juice", "lemonade"}
_BARE = _MASS | {"town", "downtown", "pizza", "cake", "watermelon", "pineapple", "lobster", "pie", "ground"}
"""What is eaten, drunk, walked on or shown without an article."""
_HE = ("man", "boy", "he", "his", "him", "male", "guy", "gentleman", "father", "groom", "son", "husband", "businessman")
_SHE = ("woman", "girl", "she", "her", "lady", "female", "mother", "bride", "daughter", "wife", "ladies")
_UNLIKE: Mapping[str, tuple[str, ...]] = {"man": _HE, "boy": _HE, "woman": _SHE, "girl": _SHE}
_PARTS = frozenset({"end of", "edge of", "corner of", "side of", "pew of"})
_TELLING = frozenset(
    {"say", "read", "show", "display", "spell", "indicate", "tell", "call", "name", "label", "advertise", "depict"}
    | {"represent", "portray", "feature", "commemorate", "honor", "resemble", "contain", "state"}
)
_HANDLED = frozenset({"hold", "holds", "holding", "carry", "carries", "carrying", "fly", "flies", "flying"})
_FLYING = frozenset({"fly", "flies", "flying", "flown", "flew"})
_POSSESSIVES = frozenset({"his", "her", "their", "its", "my", "your", "our"})
_SAID_OF_FIELDS = frozenset({"mowed", "mown", "plowed", "paved", "grassy", "grass", "lush", "manicured"})
_TIMED = frozenset({"expired", "expire", "coin"})
_TOPPED = frozenset({"frosting", "frosted", "icing", "sprinkles", "glazed", "syrup", "topped", "stack"})
_SWEET = frozenset({"donut", "cake", "pancake", "pie", "ice cream"})
WAVES = frozenset({"wave", "waves", "surf", "surfs", "surfing", "surfer", "surfers"})
_WATERS = frozenset({"wave", "ocean", "water", "sea", "surf", "river", "lake", "pond", "stream"})
_AFLOAT = frozenset({"swim", "swims", "swimming", "float", "floats", "floating", "sail", "sailing", "row", "rowing"})
_PARTS_OF_ANIMALS = frozenset(
    {
        "trunk",
        "tusk",
        "tusks",
        "mane",
        "antlers",
        "beak",
        "feathers",
        "wings",
        "udder",
        "wool",
        "neck",
        "necks",
        "trunks",
        "horns",
        "hooves",
    }
)
_PARTS_OF_VEHICLES = frozenset(
    {
        "hood",
        "decked",
        "decker",
        "windshield",
        "propeller",
        "propellers",
        "sail",
        "sails",
        "mast",
        "pedals",
        "handlebars",
    }
)
_MADE = frozenset({"make", "sell", "serve", "offer", "bake", "prepare"})
_NO_ANIMAL = frozenset({"blue", "green", "purple", "pink", "red"})
"""Colours of no animal."""
_FITTING: Mapping[str, frozenset[str]] = {
    said: frozenset(row["of"]) for row in TABLE["fitting"] for said in row["said"]
}
"""What is said (`near.ties`) of few things alone, and of which."""
_MADE_FOR = frozenset({"street furniture", "furnishing", "item", "held", "vehicle"})
"""Classes whose things have little in common: what one of them has, such as two heads, another has not."""
_BIG = frozenset(TABLE["big"])
LARGE, _SMALL = frozenset(TABLE["large"]), frozenset(TABLE["small"])
"""What is too large for what: no giraffe is on a couch, and nobody holds a horse."""
_WITHIN = frozenset({"in", "on", "inside", "into", "atop", "onto", "of", "upon", "through", "from"})
_REFERRING = frozenset(
    {"another", "other", "same", "bigger", "smaller", "larger", "taller", "shorter", "older", "younger", "matching"}
)
"""Words by which a thing is told from another of its kind."""
_FILLED = frozenset(
    {"full", "filled", "containing", "covered", "lined", "topped", "loaded", "shaped", "themed", "style", "flavored"}
)
"""Words behind a noun that hang on what it is."""
_SAVOURY, _SLICED = (
    frozenset({"pizza", "hot dog", "hamburger", "taco", "spaghetti"}),
    frozenset({"pizza", "cake", "pie", "watermelon", "lasagna"}),
)
_TOPPINGS = frozenset({"with", "topped", "toppings", "topping", "loaded", "covered"})
_RIDDEN = frozenset({"surfboard", "skateboard", "motorcycle", "bicycle", "bike", "board"})
_ACTING = frozenset({"teddy bear", "stuffed animal"})
"""Things that captions let act."""
_SIDES = frozenset(
    {
        "front",
        "top",
        "side",
        "back",
        "middle",
        "end",
        "edge",
        "rest",
        "kind",
        "type",
        "variety",
        "bottom",
        "view",
        "shot",
        "bit",
    }
)
_LIVING = frozenset({"noun.person", "noun.animal", "noun.group"})
_STEPS = 4
_FAR = (["in", "the", "background"], ["in", "the", "distance"])


@dataclass(frozen=True, slots=True)
class Class:
    """Things that take each other's place.

    Attributes:
        come: what may come, with words of which it may be one, or that speak of a place where it is.
        go: what gives way.
        after: words of which one must stand before; empty: any.
        alone: whether it must be what the caption is about.
    """

    name: str
    come: tuple[tuple[str, ...], ...]
    go: frozenset[str]
    after: frozenset[str]
    alone: bool


CLASSES = tuple(
    Class(
        row["name"],
        tuple(tuple(each.split("/")) for each in row["come"]),
        frozenset(row["go"]) | {each.partition("/")[0] for each in row["come"]},
        frozenset(row.get("after", ())),
        bool(row.get("alone")),
    )
    for row in TABLE["things"]
)


@dataclass(frozen=True, slots=True)
class Addition:
    """What may be added.

    Attributes:
        unless: words of which none may be said.
        places: how it is brought in; an article comes between, where none stands there.
        moving: places in which only somebody or an animal may be.
        outdoors: whether it is in no room.
    """

    names: tuple[str, ...]
    unless: frozenset[str]
    places: tuple[str, ...]
    moving: frozenset[str]
    outdoors: bool

    def may_be_with(self, said: Said, gone: str = "") -> bool:
        """Whether nothing that the captions speak of is it, may be, or is usually seen with it."""
        if not self.unless.isdisjoint(said.words) or (self.outdoors and not _INDOORS.isdisjoint(said.words)):
            return False
        return said.may_come(self.names, gone)


_INDOORS = frozenset(TABLE["indoors"])
ADDED = tuple(
    Addition(
        tuple(row["names"]),
        frozenset(row["unless"]),
        (*row["places"], *row.get("moving", ())),
        frozenset(row.get("moving", ())),
        bool(row.get("outdoors")),
    )
    for row in TABLE["additions"]
)
VEHICLES, ANIMALS = (next(each.go for each in CLASSES if each.name == name) for name in ("vehicle", "animal"))
_BESIDE = frozenset({"near", "beside", "behind", "next to", "front of", "close to"})
_BEFORE = frozenset(TABLE["beside"])
"""Things beside which something else may be, in a near miss, than the caption says."""
KNOWN = frozenset(name for each in CLASSES for name in each.go if " " in name)


def list_things(said: Said, caption: int) -> Iterator[Miss]:
    sentence = said.sentences[caption]
    words = sentence.words()
    phrases = [*list_phrases(sentence, KNOWN)]
    times = Counter(phrase.name for phrase in phrases)
    for phrase in phrases:
        if times[phrase.name] > 1 or phrase.compound or words[phrase.last + 1 : phrase.last + 4] in _FAR:
            continue
        if any(token.pos in ("NOUN", "PROPN") for token in sentence.tokens[phrase.last + 1 : phrase.last + 2]):
            continue  # "street sign Haight and Ashbury"
        if any(sentence.tokens[c].text.lower() in EMPTYING for c in sentence.children(phrase.last)):
            continue
        if _is_shown_in_picture(sentence, phrase) or _is_told_by_clause(sentence, phrase):
            continue
        if phrase.after in _FILLED or not _REFERRING.isdisjoint(_list_own(sentence, phrase)):
            continue  # "a snow covered hill", "a glass full of beer", "two bigger elephants"
        for each in CLASSES:
            if (
                _is_there(phrase, each)
                and not _fits_old_alone(sentence, phrase, each, said.wordnet)
                and not (phrase.name in ("animal", "animals") and phrase.plural)
            ):
                yield from _exchange(said, caption, phrase, each)
        if phrase.name in _BEFORE and not _BESIDE.isdisjoint(phrase.before):
            yield from _exchange_beside(said, caption, phrase)


def _is_there(phrase: Phrase, each: Class) -> bool:
    if phrase.name not in each.go or (each.alone and phrase.governed):
        return False
    unknown = phrase.described and each.name in ("sport", "match")
    if each.name in _MADE_FOR and phrase.before[0] == "of" and _is_part(phrase.before[1].partition(" ")[0]):
        return False  # the keys of a laptop, but not of a skateboard
    if phrase.after == "with" and each.name in _MADE_FOR:
        return False  # an apple with bites in it
    if phrase.after == "of":
        return False  # a field of grass, a statue of a cow, but no lake of grass
    if phrase.before[1] in _PARTS and each.name in ("street furniture", "furnishing"):
        return False  # the end of a bench, but not of a parking meter
    if each.name in ("support", "dish") and phrase.name in _RIDDEN:
        return False  # a wave is ridden on a surfboard, and on no toilet
    if phrase.after == "on" and each.name == "dish":
        return False  # a plate on a table, but no toilet on a table
    return not unknown and (not each.after or not each.after.isdisjoint(phrase.before))


def _is_part(word: str) -> bool:
    """Whether what stands before "of" may be a part of a thing, and no number, side or picture of things."""
    return singularise(word) not in MEASURES | PICTURES | HERDS | _SIDES


def _list_own(sentence: Sentence, phrase: Phrase) -> set[str]:
    """The words that are said of it."""
    return {sentence.tokens[c].text.lower() for c in sentence.children(phrase.last)}


def _is_somebody_s(sentence: Sentence, phrase: Phrase, wordnet: str | None) -> bool:
    """Whether who has it lives: a man with a phone, and no plate with a fork."""
    tokens = sentence.tokens
    at = tokens[tokens[phrase.last].head].head
    for _ in range(_STEPS):
        if tokens[at].pos in ("NOUN", "PROPN"):
            break
        at = next(iter(sentence.children(at, "nsubj", "nsubjpass")), tokens[at].head)
    return open_lexicon(wordnet).find_field(find_lemma(tokens[at]), "n") in _LIVING


def _fits_old_alone(sentence: Sentence, phrase: Phrase, each: Class, wordnet: str | None) -> bool:
    """Whether the caption says something that nothing else of its class does: no cow walks with its trunk held out."""
    words = frozenset(sentence.words())
    own = _list_own(sentence, phrase)
    if each.name in ("animal", "person"):
        return not _PARTS_OF_ANIMALS.isdisjoint(words)
    if each.name == "vehicle":
        return not _PARTS_OF_VEHICLES.isdisjoint(words)
    if each.name == "street furniture":
        return phrase.before[0] in _HANDLED or "written" in own or not _TIMED.isdisjoint(words)
    if each.name == "ridden":
        return not WAVES.isdisjoint(words - {"surfer", "surfers"})
    tokens = sentence.tokens
    if phrase.name in _ACTING and tokens[phrase.last].dep == "nsubj":
        return True
    somewhere = each.name in ("place", "ground") or each.name.startswith("room")
    if somewhere and any(tokens[c].tag == "VBG" for c in sentence.children(phrase.last) if c < phrase.first):
        return True  # a seating area
    if each.name in ("place", "ground"):
        on_water = phrase.name in _WATERS and not (WAVES | _AFLOAT).isdisjoint(words)
        return on_water or phrase.determiner in _POSSESSIVES or not _SAID_OF_FIELDS.isdisjoint(own)
    if each.name.startswith("room"):
        head = sentence.tokens[sentence.tokens[phrase.last].head]
        return sentence.tokens[phrase.last].dep == "nsubj" and find_lemma(head) in _MADE
    if each.name in ("held", "item") and phrase.before[0] == "with":
        return not _is_somebody_s(sentence, phrase, wordnet)
    flown, worn = phrase.name == "kite" and phrase.before[0] in _FLYING, "wearing" in own
    return each.name == "item" and (flown or worn)


def _is_shown_in_picture(sentence: Sentence, phrase: Phrase) -> bool:
    """Whether it is what a picture is of, and so may be drawn or said of it: "a picture of a cat on a wall"."""
    above = sentence.tokens[sentence.tokens[phrase.last].head]
    return (
        above.text.lower() == "of"
        and sentence.tokens[above.head].lemma in PICTURES
        and above.head != 0
        and (sentence.tokens[above.head].dep != "ROOT")
    )


def _is_told_by_clause(sentence: Sentence, phrase: Phrase) -> bool:
    """Whether something is said of it that may fit nothing else: "a light that says walk", "a sign reading stop"."""
    tokens = sentence.tokens
    for child in sentence.children(phrase.last, "relcl", "acl"):
        own = {find_lemma(tokens[child]), *(tokens[c].text.lower() for c in sentence.children(child))}
        if not _TELLING.isdisjoint(own):
            return True
    return False


def _exchange(said: Said, caption: int, phrase: Phrase, each: Class) -> Iterator[Miss]:
    sentence = said.sentences[caption]
    if each.name in ("people", "person") and not PRONOUNS.isdisjoint(sentence.words()):
        return
    if each.name == "people" and (said.several_people or phrase.plural):
        return
    if each.name == "animal" and not phrase.plural and not HERDS.isdisjoint(said.words - {"zoo", "farm"}):
        # Of several animals another may be this one.
        return
    fitting = _list_fitting(sentence, phrase)
    for names in each.come:
        if phrase.name in names or not _may_take(phrase, names[0]):
            continue
        if fitting is not None and names[0] not in fitting:
            continue
        if names[0] in ANIMALS and not _NO_ANIMAL.isdisjoint(_list_own(sentence, phrase)):
            continue
        if each.name == "food" and names[0] not in _SWEET and not _TOPPED.isdisjoint(sentence.words()):
            continue
        if each.name == "food" and not _fits_dish(sentence, phrase, names[0]):
            continue
        if _is_too_large(sentence, phrase, names[0]):
            continue
        if each.name == "people" and not _is_agreed(said, caption, phrase.name):
            continue
        others = (*names, *(word for name in names for word in _UNLIKE.get(name, ()) if each.name == "people"))
        if not said.may_come(others, phrase.name):
            continue
        for name in names[:2] if each.name == "people" else names[:1]:
            if each.name == "people" and (name in ("boy", "girl")) != (phrase.name in ("boy", "girl")):
                continue
            new = pluralise(name) if phrase.plural else name
            text, edit = rewrite(sentence, [(phrase.first, phrase.last, new)], "replace_obj")
            yield Miss(caption, "object", edit, text, noun=phrase.last)


def _is_too_large(sentence: Sentence, phrase: Phrase, name: str) -> bool:
    """Whether it would be larger than what it is in, on or held by; or what is in or on it larger than it."""
    tokens = sentence.tokens
    if name in LARGE and phrase.before[0] in _HANDLED:
        return True
    if name in LARGE and phrase.name not in LARGE:
        return any(
            token.dep == "pobj" and find_lemma(token) in _SMALL and tokens[token.head].text.lower() in _WITHIN
            for token in tokens[phrase.last + 1 :]
        )
    if name in _SMALL and phrase.name not in _SMALL and not _WITHIN.isdisjoint(phrase.before):
        return any(find_lemma(token) in LARGE for token in tokens[: phrase.start] if token.pos == "NOUN")
    return False


def _fits_dish(sentence: Sentence, phrase: Phrase, name: str) -> bool:
    """Whether what is on it, or that it is cut, may be said of the other dish: no pineapple has pepperoni."""
    if phrase.before[1] in ("slice of", "slices of", "piece of", "pieces of"):
        return name in _SLICED
    told = phrase.after == "with" or not (_TOPPINGS - {"with"}).isdisjoint(sentence.words())
    return not told or (name in _SWEET if phrase.name in _SWEET else name in _SAVOURY)


def _list_fitting(sentence: Sentence, phrase: Phrase) -> frozenset[str] | None:
    """What alone may take its place, by what is said of it; None: anything."""
    told = [_FITTING[tie] for tie in list_ties(sentence, phrase.last) if tie in _FITTING]
    return frozenset.intersection(*told) if told else None


def _exchange_beside(said: Said, caption: int, phrase: Phrase) -> Iterator[Miss]:
    """What something is next to, for what nobody would be silent about."""
    for added in ADDED:
        name = added.names[0]
        if "next to" not in added.places or phrase.name in added.names or not _may_take(phrase, name):
            continue
        if phrase.name in _BIG | VEHICLES and "holding" in added.places:
            continue  # a car in front of a house, and of no banana
        if added.may_be_with(said, phrase.name):
            new = pluralise(name) if phrase.plural else name
            text, edit = rewrite(said.sentences[caption], [(phrase.first, phrase.last, new)], "replace_obj")
            yield Miss(caption, "object", edit, text, noun=phrase.last)


def _is_agreed(said: Said, caption: int, person: str) -> bool:
    """Whether another caption tells the sex as well, where there are others."""
    own = set(_UNLIKE.get(person.rpartition(" ")[2], ()))
    return len(said.sentences) < 2 or any(own & words for i, words in enumerate(said.by_caption) if i != caption)


def _may_take(phrase: Phrase, name: str) -> bool:
    """Whether the noun is counted there as this one can be."""
    mass = name in _MASS
    if phrase.plural:
        return not mass and name not in SAME and name not in PLURAL_ONLY
    if phrase.counted_one:
        return not mass
    if phrase.determiner == "some":
        return mass  # "on some snow", and on no "some table"
    if not phrase.determiner and phrase.start > 0:
        return name in _BARE or phrase.name not in _BARE
    return True
