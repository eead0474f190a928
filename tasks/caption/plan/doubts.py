"""What may be true of a photograph although none of its captions says so.

A scene of our own is looked at. Of a photograph only its captions are known, which tell what five people thought worth
telling. So some words are left alone although their exchange looks sound: those whose exchange would be true of
another thing or person of the picture, and those that one person would say of it and the next would not.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from counterfoil.tasks.caption.plan.kinds import COLOURS, NUMBERS, PEOPLE, are_near_ages, are_near_colours
from counterfoil.tasks.caption.plan.slots import Slot
from counterfoil.tasks.caption.words.forms import pluralise
from counterfoil.tasks.caption.words.interchange import SEEN_QUALITIES
from counterfoil.tasks.caption.words.lexicon import Lexicon
from counterfoil.tasks.caption.words.lists import HERDS, MIXED, PARTED, SHADES, may_name_one

_CROWDS = frozenset({"people", "crowd", "team", "crew", "family"})
_MANY = frozenset({"group", "groups", "crowds", "many", "several", "others", "spectators", "audience", "bunch"})
_BOARDS = frozenset({"table", "desk", "counter", "bar"})
_DONE_AT = frozenset(
    {"cook", "cut", "dine", "draw", "drink", "eat", "feed", "paint", "play", "prepare", "read", "study", "talk", "type"}
    | {"work", "write"}
)
"""What somebody who is said to do it on a table does at it."""
_YOUNG = frozenset({"boy", "girl", "child", "kid", "baby", "toddler", "boys", "girls", "children", "kids"})
NEAR = 3
"""Words before a noun among which its adjectives stand."""
_STANCES = {
    form: forms[0]
    for forms in (
        ("sit", "sits", "sitting", "sat", "seated", "perch", "perched", "perches", "perching", "crouching"),
        ("stand", "stands", "standing", "stood"),
        ("lie", "lies", "lying", "lay", "lays", "laying", "sleep", "sleeps", "sleeping", "rest", "rests", "resting"),
        ("walk", "walks", "walking"),
        ("run", "runs", "running"),
        ("kneel", "kneels", "kneeling"),
    )
    for form in forms
}
_TOYS = frozenset({"toy", "toys", "teddy", "doll", "dolls", "stuffed", "plush", "statue", "statues", "figurine"})
_STEM = 3
"""Letters of a verb by which it is known."""
_NOTICED = frozenset({"noun.animal", "noun.person"})


def may_stand_beside(slot: Slot, lexicon: Lexicon) -> bool:
    """Whether the noun is one of several things that are said to be there: a bathroom "with a tub, a shower and a sink"
    has a toilet as well, and nobody says so. People and animals are seldom passed over."""
    if slot.unit.part != "n" or not slot.listed:
        return False
    word = slot.unit.lemma if lexicon.knows(slot.unit.lemma, "n") else slot.unit.lemma.rpartition(" ")[2]
    return lexicon.find_field(word, "n") not in _NOTICED


def is_of_many(slot: Slot) -> bool:
    """Whether the adjective or posture is said of many: among many brown bears one may be white, and in a group of
    people who stand somebody sits."""
    return slot.several


def is_of_a_part(slot: Slot) -> bool:
    """Whether the colour is said of a thing whose parts have colours of their own: of a traffic light the one says the
    lamp's and another the housing's."""
    return slot.unit.part == "a" and slot.unit.lemma in COLOURS and slot.right in PARTED


def is_one_of_herd(slot: Slot, captions: Iterable[Sequence[str]], lexicon: Lexicon) -> bool:
    """Whether the noun is an animal where another caption speaks of several animals and does not say that they are
    these: a herd beside the cows may be one of horses."""
    if slot.unit.part != "n" or lexicon.find_field(slot.unit.lemma.rpartition(" ")[2], "n") != "noun.animal":
        return False
    own = {slot.unit.lemma, pluralise(slot.unit.lemma)}
    return any(not HERDS.isdisjoint(words) and own.isdisjoint(words) for words in captions)


def needs_second(slot: Slot) -> bool:
    """Whether a second caption must say the adjective as well. What is large, old or dark to one is not to another;
    colours are agreed upon."""
    return slot.unit.part == "a" and slot.unit.lemma not in COLOURS | SEEN_QUALITIES


def says_as_well(slot: Slot, captions: Iterable[Sequence[str]], lexicon: Lexicon) -> bool:
    """Whether the adjective or a synonym of it stands before the same noun in another of the ``captions``' words; of
    who is young also "child" and its like."""
    captions = list(captions)
    if slot.unit.lemma == "young" and any(not _YOUNG.isdisjoint(words) for words in captions):
        return True
    return any(
        lexicon.find_kin(slot.unit.lemma, word, "a") == "synonym"
        for words in captions
        for i, noun in enumerate(words)
        if noun in (slot.right, pluralise(slot.right))
        for word in words[max(i - NEAR, 0) : i]
    )


def is_number_disputed(slot: Slot, captions: Iterable[Sequence[str]], own: Iterable[str]) -> bool:
    """Whether another caption counts otherwise: who says "two" where this one says "four" may find three. Nor can be
    counted what stands in a crowd of which another caption, or the ``own``, speaks."""
    if slot.unit.part != "c":
        return False
    others = [word for words in captions for word in words]
    if any(word in NUMBERS and word != slot.unit.lemma for word in others):
        return True
    return not (_CROWDS | _MANY).isdisjoint([*others, *own])


def is_posture_disputed(slot: Slot, captions: Iterable[Sequence[str]], own: Iterable[str]) -> bool:
    """Whether another caption says another posture, or a caption speaks of a toy: who sees a cat sit where this one
    says that it stands may find that it lies."""
    mine = _STANCES.get(slot.unit.lemma)
    if mine is None or slot.unit.part not in ("v", "a"):
        return False
    others = {word for words in captions for word in words}
    said = {_STANCES[word] for word in others if word in _STANCES}
    return bool(said - {mine}) or not _TOYS.isdisjoint({*others, *own})


def find_deed(person: str, words: Iterable[str], lexicon: Lexicon) -> str | None:
    """Which of other captions' ``words`` says what this person does: a surfer may be a swimmer where somebody swims."""
    stem = person.removesuffix("er")
    if stem == person or len(stem) < _STEM or lexicon.find_field(person, "n") != "noun.person":
        return None
    return next((word for word in words if word.startswith(stem)), None)


def is_worn_among_others(slot: Slot, nouns: Iterable[tuple[str, bool]], lexicon: Lexicon) -> bool:
    """Whether the colour is said of clothes where the captions' ``nouns`` (lemma, whether it is a plural) name several
    people: another of them may wear what the exchanged caption says."""
    if slot.unit.part != "a" or slot.unit.lemma not in COLOURS:
        return False
    worn = {up for sense in lexicon.senses(slot.right, "n")[:1] for up in lexicon.climb(sense)}
    return not worn.isdisjoint(lexicon.senses("clothing", "n")[:1]) and any(
        True for _ in name_crowds(nouns, "", lexicon)
    )


def is_at_board(slot: Slot, lexicon: Lexicon) -> bool:
    """Whether somebody is said to be on a table, or to do something there, as who eats on it: they sit at it, and may
    be behind or beside it."""
    if slot.unit.lemma not in ("on", "on top of") or slot.right.rpartition(" ")[2] not in _BOARDS:
        return False
    word = slot.left if lexicon.knows(slot.left, "n") else slot.left.rpartition(" ")[2]
    return word in _DONE_AT or lexicon.find_field(word, "n") == "noun.person"


def relates_alike(slot: Slot, slots: Iterable[Slot]) -> bool:
    """Whether the relation is one of things of one name: of a bus in front of a bus, the other is behind."""
    if slot.unit.type != "relation":
        return False
    nouns = [each for each in slots if each.unit.part == "n"]
    before = [each.unit.lemma.rpartition(" ")[2] for each in nouns if each.unit.last < slot.unit.first]
    return slot.right in before


def is_agreed(slot: Slot, captions: Iterable[Sequence[str]], times: int) -> bool:
    """Whether so many of the ``captions``' words name what the noun names."""
    own = slot.unit.lemma
    return times <= sum(any(word == own or may_name_one(own, word, "n") for word in words) for words in captions)


def is_disputed(slot: Slot, captions: Iterable[Sequence[str]], own: Sequence[str], group: Container[str]) -> bool:
    """Whether another caption names another of a ``group`` of nouns, of which the ``own`` says nothing: who says "wine"
    where this one says "beer" may see a juice."""
    alike = (word for words in captions for word in words if word in group and word not in own)
    return any(not may_name_one(slot.unit.lemma, word, "n") for word in alike)


def is_one_of_people(slot: Slot) -> bool:
    """Whether the noun names a person by sex and age alone."""
    return slot.unit.part == "n" and slot.unit.lemma.rpartition(" ")[2] in PEOPLE


def name_crowds(nouns: Iterable[tuple[str, bool]], own: str, lexicon: Lexicon) -> Iterator[str]:
    """Of ``nouns`` (lemma, whether it is a plural) those that name several people, but for ``own``: where there are
    "people", another of them may be who the exchanged caption tells of."""
    for lemma, plural in nouns:
        several = lemma in _CROWDS or (plural and lexicon.find_field(lemma, "n") == "noun.person")
        if several and lemma != own:
            yield lemma


def find_near_age(person: str, words: Iterable[str]) -> str | None:
    """Which of other captions' ``words`` names a person who may be this one: what one calls a man may be a boy."""
    return next((word for word in words if are_near_ages(person, word)), None)


def find_near_colour(colour: str, words: Iterable[str]) -> str | None:
    """Which of other captions' ``words`` is a colour that people confuse with this one: what one calls orange may be
    the yellow that the exchanged caption says."""
    return next((word for word in words if _may_be(word, colour)), None)


def _may_be(word: str, colour: str) -> bool:
    return (word in COLOURS and are_near_colours(colour, word)) or colour in SHADES.get(word, ()) or word in MIXED
