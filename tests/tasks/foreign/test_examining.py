"""What words show of a text beside a caption: false, true, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterfoil.tasks.foreign.check import check_foreign
from counterfoil.tasks.foreign.groups import open_foreign
from tests.tasks.foreign.test_reading import write

FALSE = [
    ("A man in a red shirt rides a yellow surfboard.", "A man in a yellow shirt rides a red surfboard."),
    ("A brown horse with a white mane is on the grass.", "A white horse with a brown mane is on the grass."),
    ("A white dog sitting on a red table.", "A white cat sitting on a red table."),
    ("Two giraffes are standing next to a building.", "Two zebras are standing next to a building."),
    ("A pizza that is on a white surface.", "A pizza that is on a black surface"),
]
TRUE = [
    ("A mat with a cat and a dog.", "A mat with a dog and a cat."),
    ("A cat next to a dog", "A dog next to a cat."),
    ("A small dog lying on a red couch.", "A dog lying on a couch."),
    ("A man riding a horse on a beach.", "A man riding a horse."),
    ("A dog on a couch.", "a dog on the couch"),
    ("A man on a sofa.", "A man on a couch."),
    ("A red dog on a mat.", "A red animal on a mat."),
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


def test_positives_are_witnesses(tmp_path: Path) -> None:
    rows = [{"anchor": "A dog on a mat.", "positive": "A cat on a mat.", "negative": "A cat on a mat"}]
    (found,) = check_foreign(open_foreign(str(write(tmp_path / "a.jsonl", rows))), "caption")
    assert found.standing != "proved"


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
    # Killed in the middle of a line.
    keep.write_bytes(lines[: len(lines) // 2])
    assert list(check_foreign(open_foreign(str(path)), keep=keep)) == whole
    assert keep.read_bytes() == lines
