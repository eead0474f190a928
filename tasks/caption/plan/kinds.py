"""Which words can be exchanged for which so that one excludes the other: a dog is no cat, red no blue, two not three.

The relation is symmetric: where a dog may become a cat, a cat may become a dog. The balance relies on that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations

from counterfoil.tasks.caption.plan.slots import Key, Slot
from counterfoil.tasks.caption.words.interchange import NOUNS, list_groups
from counterfoil.tasks.caption.words.lexicon import Lexicon
from counterfoil.tasks.caption.words.lists import AMBIGUOUS, MASS
from counterfoil.tasks.caption.words.spatial import MOVING, exclude
from counterfoil.tasks.caption.words.wndb import BROAD

PEOPLE = frozenset({"man", "woman", "boy", "girl", "baby"})
"""Of people only these are exchanged: a man may well be a skier, a player and a father."""
_AGELESS = frozenset(map(frozenset, (("man", "boy"), ("woman", "girl"), ("baby", "boy"), ("baby", "girl"))))
"""Of these one captioner says the one and another the other."""
POSTURES = (
    frozenset({"sit"}),
    frozenset({"stand"}),
    frozenset({"lie", "lay", "sleep"}),
    frozenset({"walk"}),
    frozenset({"run"}),
    frozenset({"jump"}),
    frozenset({"kneel", "crouch", "squat"}),
    frozenset({"fly"}),
    frozenset({"swim"}),
)
"""Verbs of different ones exclude each other; who smiles or leans may do so in any."""
_NEAR_POSTURES = frozenset(
    map(
        frozenset,
        (
            *(("stand", "walk"), ("stand", "run"), ("walk", "run"), ("run", "jump"), ("jump", "fly")),
            *(("sit", other) for other in ("lie", "lay", "sleep", "kneel", "crouch", "squat")),
        ),
    )
)
"""Postures between which people differ when they see one moment: of a zebra that grazes one says that it stands and
another that it walks. In COCO a third of the pictures of somebody who walks have a caption in which somebody stands."""
_LIKE_POSTURES = frozenset(map(frozenset, (("stand", "walk"), ("walk", "run"), ("stand", "wave"))))
"""Of these, drawings leave a doubt as well."""
_ALIVE = frozenset({"people", "couple", "team", "crowd", "family", "herd", "crew", "group"})
COLOURS = frozenset(
    {"black", "white", "red", "green", "yellow", "blue", "brown", "orange", "pink", "purple", "gray", "grey"}
)
"""Basic colour terms (Berlin and Kay, 1969), which exclude each other. WordNet has black and white under lightness."""
_NEAR = frozenset(
    map(
        frozenset,
        (
            *(("yellow", "orange"), ("orange", "red"), ("orange", "brown"), ("red", "pink"), ("pink", "purple")),
            *(("purple", "blue"), ("blue", "green"), ("green", "yellow"), ("brown", "red"), ("brown", "black")),
            *((gray, other) for gray in ("gray", "grey") for other in ("white", "black", "brown", "blue")),
        ),
    )
)
"""Colours between which people differ: of one cat three say that it is orange and one that it is yellow."""
NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""In their order."""
TOLD_FIELDS = frozenset({"noun.animal", "noun.artifact", "noun.food", "noun.plant", "noun.act"})
"""Fields of nouns that a photograph shows to be the one and not the other. A river has a bank, a meadow is a field, a
winter has evenings: of places, times and parts of bodies nobody can tell from captions alone."""
_BESIDE = frozenset({"clothing", "footwear", "jewelry", "body part"})
"""Who wears a suit wears a shirt as well, and an elephant has feet."""
WHOLE_FIELDS = frozenset({"noun.animal", "noun.food"})
"""Fields in which any word may become any other."""
_DRINKS = frozenset({"drink", "juice"})
"""What WordNet has under liquids and foodstuffs."""
NARROW = 450
"""By rule, things of photographs become others if what both are has fewer kinds than this: seats and boats, not
containers (753), structures (1,615) or means of transport, or a tower would become a toilet and a box a bicycle."""
VAGUE_FOOD = 60
"""A food with as many kinds is a class of foods (bread, meat, sauce, vegetable): a stew is meat as well."""
LIST_STEP = 3
"""Words from one adjective of a list to the next at most: "white, and green"."""
MOST = 400
"""A kind with more words than this among the source's says nothing."""


def find_kinds(
    keys: Iterable[Key], lexicon: Lexicon, seen: bool = False, by_field: bool = False
) -> dict[Key, frozenset[Key]]:
    """For each word those that it can become. ``seen``: what is true is looked up in the picture, so that nouns of any
    field will do. ``by_field``: any animal may become any other, and any thing: whoever chose it knows what is usual.
    """
    groups: dict[str, list[Key]] = defaultdict(list)
    for key in sorted(set(keys)):
        for kind in _list_kinds(key, lexicon, seen, by_field):
            groups[f"{key.part}{key.form}:{kind}"].append(key)
    found: dict[Key, set[Key]] = defaultdict(set)
    for members in groups.values():
        if len(members) > MOST:
            continue
        for a, b in combinations(members, 2):
            if b not in found[a] and _exclude(a, b, lexicon, seen):
                found[a].add(b)
                found[b].add(a)
    return {key: frozenset(others) for key, others in found.items()}


def _list_kinds(key: Key, lexicon: Lexicon, seen: bool, by_field: bool) -> Iterable[str]:
    if key.part == "p":
        return ["place"]
    if key.part == "c":
        return ["number"] if key.lemma in NUMBERS else []
    if key.lemma in PEOPLE and key.part == "n":
        return ["people"]
    word = key.lemma
    if key.part == "n" and not lexicon.knows(word, "n"):
        word = word.rpartition(" ")[2]
    field = lexicon.find_field(word, key.part)
    groups = set() if seen else set(list_groups(key.lemma, key.part))
    if key.part == "n" and not seen and (not _shows_it(key.lemma, lexicon) or (key.form and key.lemma in MASS)):
        return groups
    narrow = not seen and field in ("noun.artifact", "noun.food")
    kinds = groups | lexicon.list_kinds(word, key.part, NARROW if narrow else BROAD)
    if key.part == "v":
        kinds |= {"posture"} if any(key.lemma in group for group in POSTURES) else set()
        kinds |= {f"not {min(word, other)} {max(word, other)}" for other in lexicon.list_opposites(word, "v")}
    if key.part == "a":
        kinds |= {f"not {min(word, other)} {max(word, other)}" for other in lexicon.list_opposites(word, "a")}
        kinds |= {"colour"} if word in COLOURS else set()
    if key.part == "n" and field in WHOLE_FIELDS:
        kinds.add(field if seen or field != "noun.food" else f"food {_find_course(word, lexicon)}")
    if key.part == "n" and by_field and field in TOLD_FIELDS - WHOLE_FIELDS:
        kinds.add(field)
    return kinds


def _find_course(word: str, lexicon: Lexicon) -> str:
    """What takes the place of what in a meal: nobody eats three slices of beer, nor drinks a glass of ketchup."""
    if word in _DRINKS:
        return "beverage"
    above = {
        name
        for sense in lexicon.senses(word, "n")[:1]
        for up in lexicon.climb(sense)
        for name in lexicon.synset(up).words
    }
    return next((course for course in ("beverage", "condiment") if course in above or course == word), "solid")


def can_tell(lemma: str, lexicon: Lexicon) -> bool:
    """Whether the noun names what a photograph shows to be that and nothing else."""
    return lemma in NOUNS or _shows_it(lemma, lexicon)


def _shows_it(lemma: str, lexicon: Lexicon) -> bool:
    """`can_tell` by WordNet, of any word."""
    word = lemma if lexicon.knows(lemma, "n") else lemma.rpartition(" ")[2]
    if lemma in PEOPLE:
        return True
    if lemma in AMBIGUOUS:
        return False
    sense = next(iter(lexicon.senses(word, "n")), None)
    if sense is None or any(lexicon.synset(up).words[0] in _BESIDE for up in lexicon.climb(sense)):
        return False
    field = lexicon.find_field(word, "n")
    if field == "noun.animal":
        # An egg is of this field, and what captions mean by it is food.
        return any(lexicon.synset(up).words[0] == "animal" for up in lexicon.climb(sense))
    if field == "noun.food":
        return lexicon.synset(sense).breadth < VAGUE_FOOD
    return field in TOLD_FIELDS


def can_pose(slot: Slot, lexicon: Lexicon) -> bool:
    """Whether the verb's subject has postures: a hydrant that stands somewhere sits there as well, as does a bird."""
    if slot.unit.part != "v" or slot.unit.type != "attribute":
        return True
    if slot.left in _ALIVE or lexicon.find_field(slot.left, "n") == "noun.person":
        return True
    return any(
        lexicon.synset(up).words[0] == "mammal"
        for sense in lexicon.senses(slot.left, "n")[:1]
        for up in lexicon.climb(sense)
    )


def stands_beside(slot: Slot, other: Slot, lexicon: Lexicon) -> bool:
    """Whether the two are different adjectives that tell the same quality, one right before the other or joined to it:
    exchanged alone, one of them would contradict or repeat the other."""
    one, two = slot.unit, other.unit
    if not (one.part == two.part == "a") or one.first == two.first or abs(one.first - two.first) > LIST_STEP:
        return False
    # WordNet has black and white under lightness.
    colours = {one.lemma, two.lemma} <= COLOURS
    return colours or bool(lexicon.list_kinds(one.lemma, "a") & lexicon.list_kinds(two.lemma, "a"))


def are_near_ages(person: str, other: str) -> bool:
    """Whether one may say the one and another the other of one person ("man", "boy")."""
    return frozenset((person, other)) in _AGELESS


def are_near_colours(colour: str, other: str) -> bool:
    """Whether one may say the one and another the other of one thing.

    >>> are_near_colours("orange", "yellow"), are_near_colours("red", "green")
    (True, False)
    """
    return frozenset((colour, other)) in _NEAR


def _exclude(a: Key, b: Key, lexicon: Lexicon, seen: bool) -> bool:
    """Whether what is the one is not the other. Where colours are measured (``seen``) near ones differ as well, and
    so do postures that are drawn."""
    if not seen and frozenset((a.lemma, b.lemma)) in _NEAR | _NEAR_POSTURES:
        return False
    if frozenset((a.lemma, b.lemma)) in _LIKE_POSTURES:
        return False
    if a.part == "p":
        if not seen and not MOVING.isdisjoint({a.lemma, b.lemma}):
            return False
        return exclude(a.lemma, b.lemma, seen)
    if a.part == "c":
        return True
    if frozenset((a.lemma, b.lemma)) in _AGELESS or any({a.lemma, b.lemma} <= group for group in POSTURES):
        return False
    if a.part == "n" and a.lemma.rpartition(" ")[2] == b.lemma.rpartition(" ")[2]:
        return " " in a.lemma and " " in b.lemma
    return lexicon.find_kin(a.lemma, b.lemma, a.part) is None
