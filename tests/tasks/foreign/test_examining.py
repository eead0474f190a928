"""What words show of a text beside a caption: false, true, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterfoil.tasks.caption.examining import NOT_ENGLISH
from counterfoil.tasks.foreign.check import check_foreign
from counterfoil.tasks.foreign.errors import ForeignError
from counterfoil.tasks.foreign.groups import open_foreign
from tests.tasks.foreign.test_reading import write

FALSE = [
    ("The dog is white.", "The dog is black."),
    ("The cat is under the table.", "The cat is on the table."),
    ("The man is sitting on a bench.", "The man is standing on a bench."),
    ("The man is wearing a red hat.", "The man is wearing a blue hat."),
    ("The cup is on the book.", "The book is on the cup."),
    ("Three zebras are standing in a field.", "Five zebras are standing in a field."),
    ("A bathroom with two sinks.", "A bathroom with three sinks."),
    ("Two cooks and three waiters are in the kitchen.", "Three cooks and two waiters are in the kitchen."),
    ("A city street at night.", "A city street at noon."),
    ("A black and white photo of a dog.", "A color photo of a dog."),
    ("An empty street.", "A crowded street."),
    ("A brown dog on a couch.", "There is no dog on the couch."),
    ("A dog is on the couch.", "No dog is on the couch."),
    ("There is no dog on the couch.", "There is a dog on the couch."),
    ("The dog is sleeping.", "The dog is not sleeping."),
    ("A bathroom with a toilet and a sink.", "A bathroom without a toilet."),
    ("A street with no cars.", "A street with cars."),
    ("There is a skater that has jumped.", "There is not a skater that has jumped."),
    ("A man wears gloves as he installs a toilet.", "No man wears gloves as he installs a toilet."),
    ("The sign is all scratched up.", "No sign is all scratched up."),
    ("A restroom with a sink.", "A restroom without a sink."),
    ("Two bears nuzzle each other on some rocks.", "Five bears nuzzle each other on some rocks."),
    ("Two elephants standing on a lush green hillside.", "Three elephants standing on a lush green hillside."),
    ("The horse is standing on the rocky pasture.", "The pasture is standing on the rocky horse."),
    ("A plane flying through a cloudy sky.", "A plane flying through a clear sky."),
    ("A person walking on a sunny day.", "A person walking on a rainy day."),
]
OF_ONE_THING = [
    ("A man in a red shirt rides a yellow surfboard.", "A man in a yellow shirt rides a red surfboard."),
    ("A brown horse with a white mane is on the grass.", "A white horse with a brown mane is on the grass."),
    ("A white dog sitting on a red table.", "A white cat sitting on a red table."),
    ("Two giraffes are standing next to a building.", "Two zebras are standing next to a building."),
    ("A pizza that is on a white surface.", "A pizza that is on a black surface"),
    ("The cat is lying in the sun.", "The rabbit is lying in the sun."),
    ("Two cups on a table.", "Three cups on a table."),
]
"""False where both speak of one thing; a picture may hold both."""
TRUE = [
    ("A mat with a cat and a dog.", "A mat with a dog and a cat."),
    ("A cat next to a dog", "A dog next to a cat."),
    ("A small dog lying on a red couch.", "A dog lying on a couch."),
    ("A man riding a horse on a beach.", "A man riding a horse."),
    ("A dog on a couch.", "a dog on the couch"),
    ("A man on a sofa.", "A man on a couch."),
    ("A red dog on a mat.", "A red animal on a mat."),
    ("A man riding a wave on top of a surfboard.", "A man is riding a wave on a surfboard."),
    ("A white and black teddy bear.", "A black and white teddy bear."),
    ("There is a surfer that is riding a wave.", "A surfer is riding a wave."),
    ("A woman riding a motorcycle.", "A woman riding a bike."),
    ("An enclosure of sheep and goats.", "An enclosure of goats."),
    ("A polar bear on a rock.", "A bear on a rock."),
    ("A clear blue sky over a field.", "A blue clear sky over a field."),
    ("A man in a suit smiles and holds his head.", "A man smiles and holds his head."),
    ("A woman reading in the kitchen.", "A woman reading in the room."),
]
OPEN = [
    ("A toy dog on a mat.", "A dog on a mat."),
    ("A room without a dog in it.", "A room without an animal in it."),
    ("A dog on a mat.", "The mat is under a sleeping dog."),
    ("A man with no hat on his head.", "A man with no hat."),
    ("A stone lion in front of a building.", "A lion in front of a building."),
    ("A small elephant near a tree.", "A small animal near a tree."),
    ("A dog on a mat.", "A dog on a mat near a ball."),
    ("A cat or a dog on a mat.", "A dog or a cat on a mat."),
    ("A lime green double-decked bus.", "A lime green single-decked bus."),
    ("Cars on the interstate.", "Cars on the beach road."),
    ("A man feeding a dog and a cat.", "A cat feeding a dog and a man."),
    ("A man partially covered by a towel.", "A man covered by a towel."),
    ("A dog bites a man.", "A man bites a dog."),
    ("A man and a woman wearing a hat.", "A woman and a man wearing a hat."),
    ("Only one man on a bench.", "One man on a bench."),
    ("A horse pulling a cart behind it.", "A horse pulling a cart in front of it."),
    ("A dog wearing a blue vest catching a red disc.", "A dog wearing a red vest catching a blue disc."),
    ("Skaters doing tricks and people watching them.", "Skaters doing people and tricks watching them."),
    ("A row of parked bikes.", "A row of parked motorcycles."),
    ("A bathroom that has a toilet with the lid up.", "A bathroom that has a lid with the toilet up."),
    ("A man standing in a boat in the ocean.", "A man standing in an ocean in the boat."),
    ("The giraffe is standing in the shade.", "The giraffe is sleeping in the shade."),
    ("The child with glasses is eating.", "The child without glasses is eating."),
    ("A kitchen with a man with a hat.", "A kitchen with a man without a hat."),
    ("A man with a hat.", "A man without a hat."),
    ("A dog is on a couch.", "A dog is not on a couch."),
    ("A painting of a street at night.", "A painting of a street at noon."),
    ("A black and white cat on a mat.", "A black cat on a mat."),
    ("A remote control on a desk.", "A control on a desk."),
    ("An old fashioned car on a road.", "An old car on a road."),
    ("People in old fashioned clothes.", "People in fashioned old clothes."),
    ("A man cleaning a small single engine airplane.", "A man cleaning a single small engine airplane."),
    ("A bright red light.", "A red bright light."),
    ("A sandwich and salad and fries with a dip.", "A sandwich and fries and salad with a dip."),
    ("Two dogs and a cat on a mat.", "Two animals and a cat on a mat."),
    ("A man on a bicycle.", "A man on a container."),
    ("A man talking to a woman in a kitchen with food in it.", "A man talking to a woman with food in it."),
    ("A jet flying through the air.", "A jet flying through the"),
    ("A desk with two laptops and pictures.", "A desk with two laptops pictures."),
    ("A bus getting ready to get off a bridge.", "A bus get ready to getting off a bridge."),
    ("A lot of stains on a wall.", "A lot on a wall."),
    ("A kitchen sink.", "A room sink."),
    ("A donut on a plate.", "A sinker on a plate."),
    ("A red cupboard.", "A red closet."),
    ("The guy is playing with scissors.", "is playing with scissors."),
    ("A close up of a dog.", "A close of a dog."),
    ("A parking lot near a house.", "A parking near a house."),
    ("A cup of coffee on a table.", "A cup of food on a table."),
    ("A cup or a glass next to a plate.", "No cup or a glass next to a plate."),
    ("Two sandwiches on some table.", "Three sandwiches on some table."),
    ("Two dogs and another dog on a hillside.", "Three dogs and another dog on a hillside."),
]


def find_standings(pairs: list[tuple[str, str]], tmp_path: Path) -> list[tuple[str, str]]:
    rows = [{"anchor": anchor, "negative": negative} for anchor, negative in pairs]
    reading = open_foreign(str(write(tmp_path / "a.jsonl", rows)))
    return [(each.negative, each.standing) for each in check_foreign(reading, "caption")]


@pytest.mark.parametrize(("pairs", "standing"), [(FALSE, "proved"), (TRUE, "true")])
def test_what_words_decide(pairs: list[tuple[str, str]], standing: str, tmp_path: Path) -> None:
    assert find_standings(pairs, tmp_path) == [(negative, standing) for _, negative in pairs]


def test_what_words_do_not_decide_is_never_said_to_be_the_contrary(tmp_path: Path) -> None:
    """Of texts that say the same nothing may be proved; of those that may not, nothing may be true."""
    assert "proved" not in dict.fromkeys(standing for _, standing in find_standings(TRUE, tmp_path))
    assert [each for each in find_standings(OPEN, tmp_path) if each[1] == "true"] == []
    assert [each for each in find_standings(OPEN[-3:], tmp_path) if each[1] != "open"] == []


def test_what_is_false_of_one_thing_alone_is_open_and_said(tmp_path: Path) -> None:
    rows = [{"anchor": anchor, "negative": negative} for anchor, negative in OF_ONE_THING]
    found = list(check_foreign(open_foreign(str(write(tmp_path / "a.jsonl", rows))), "caption"))
    assert [each.standing for each in found] == ["open"] * len(rows)
    assert all(each.if_same for each in found), [each.negative for each in found if not each.if_same]


def test_a_reason_names_the_positive_that_it_is_of(tmp_path: Path) -> None:
    rows = [{"anchor": "A man surfing.", "positive": "A man on a red board.", "negative": "A man on a board."}]
    (found,) = check_foreign(open_foreign(str(write(tmp_path / "a.jsonl", rows))), "caption")
    assert found.standing == "true" and "(beside 'A man on a red board')" in found.why


def test_what_is_to_hold_findings_and_holds_another_thing_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"anchor": "A dog.", "negative": "A cat."}\n{"anchor": "A dog.", "negative": "A bird."}')
    before = path.read_bytes()
    with pytest.raises(ForeignError, match="holds no findings of a check: name another file"):
        list(check_foreign(open_foreign(str(path)), keep=path))
    assert path.read_bytes() == before


def test_positives_are_witnesses(tmp_path: Path) -> None:
    rows = [{"anchor": "A dog on a mat.", "positive": "A cat on a mat.", "negative": "A cat on a mat"}]
    (found,) = check_foreign(open_foreign(str(write(tmp_path / "a.jsonl", rows))), "caption")
    assert found.standing != "proved"


def test_what_is_in_another_language_is_said_not_to_be_read(tmp_path: Path) -> None:
    pairs = [
        ("Un chien noir sur un tapis.", "Un chien sur un tapis."),
        ("垫子上有一只狗。", "垫子上有一只猫。"),
        ("A dog on a mat.", "Ein Hund auf einer Matte."),
        ("Eine Katze.", "eine Katze"),
        ("A black dog on a mat.", "A dog on a mat."),
    ]
    rows = [{"anchor": anchor, "negative": negative} for anchor, negative in pairs]
    found = list(check_foreign(open_foreign(str(write(tmp_path / "a.jsonl", rows))), "caption"))
    assert [each.why == NOT_ENGLISH for each in found] == [True, True, True, False, False]
    assert [each.standing for each in found] == ["open", "open", "open", "true", "true"]


def test_rows_that_have_pictures_alone_are_told_from_rows_without_negatives(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [{"caption": "A dog.", "image": "a.png", "negative_image": "b.png"}])
    with pytest.raises(ForeignError, match="its negatives are pictures"):
        list(check_foreign(open_foreign(str(path))))


def test_rows_that_are_all_equal_are_each_told(tmp_path: Path) -> None:
    found = find_standings([("A dog on a mat.", "a dog on a mat")] * 300, tmp_path)
    assert [standing for _, standing in found] == ["true"] * 300


def test_statements_are_read_as_theorems(tmp_path: Path) -> None:
    rows = [
        {"anchor": "Show that $x + 2 = 5$ if $x = 3$.", "negative": "Show that $x + 2 = 6$ if $x = 3$."},
        {"anchor": "Show that $x + 2 = 5$ if $x = 3$.", "negative": "Show that $x + 2 = 5$ if $x = 3$."},
    ]
    found = list(check_foreign(open_foreign(str(write(tmp_path / "a.jsonl", rows)))))
    assert [each.standing for each in found] == ["proved", "true"]


def test_findings_are_kept_and_gone_on_with(tmp_path: Path) -> None:
    rows = [{"anchor": anchor, "negative": negative} for anchor, negative in (FALSE + TRUE)]
    path, keep = write(tmp_path / "a.jsonl", rows), tmp_path / "found.jsonl"
    whole = list(check_foreign(open_foreign(str(path)), keep=keep))
    lines = keep.read_bytes()
    # Killed in the middle of a line, or of a batch.
    for cut in (len(lines) // 2, lines.index(b"\n", 300) + 1):
        keep.write_bytes(lines[:cut])
        assert list(check_foreign(open_foreign(str(path)), keep=keep)) == whole
        assert keep.read_bytes() == lines


@pytest.mark.parametrize(
    "pair",
    [
        ("The dog is black and white.", "The dog is brown and white."),
        ("A dog is black.", "A dog is white."),
    ],
)
def test_of_a_part_or_of_one_of_many_nothing_is_proved(pair: tuple[str, str], tmp_path: Path) -> None:
    ((_, standing),) = find_standings([pair], tmp_path)
    assert standing not in ("proved", "true")
