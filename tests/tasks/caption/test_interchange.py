"""The lexicon of exchanges: a source of few pictures yields near misses, and of some words none whatever it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from counterfoil.tasks.caption.words.interchange import GROUPS, list_relations
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.caption.words.lists import may_name_one
from tests.needing import skip_without
from tests.tasks.caption.conftest import Made

skip_without("spacy", reason="captions are parsed by an extra: pip install 'counterfoil[text]'")


def make_texts(captions: list[str], folder: Path) -> set[str]:
    path = folder / "pairs.jsonl"
    path.write_text(json.dumps({"captions": captions}) + "\n")
    made = Made({"source": f"pairs:{path}", "negatives": 20, "top": 20})
    rows, _ = made.make("caption.concrete", made.prepare())
    return {row.text or "" for row in rows}


@pytest.mark.parametrize(
    ("captions", "made"),
    [
        (
            ["A zebra stands in a zoo."],
            r"An? (?!zebra)\w+ stands in a zoo\.",
        ),
        (["A girl rides a bicycle."], "A girl (pushes|repairs|washes) a bicycle."),
        (["A dog on a bench."], "A dog (under|next to|behind|beside) a bench."),
        (["A red truck on a road."], "An? (black|white|green|blue|yellow|purple|gray) truck on a road."),
        (["Two dogs on a road.", "Two dogs."], "(Three|Four) dogs on a road."),
        (["A glass of wine.", "The wine is good."], "A glass of (coffee|milk|juice|water|lemonade|beer)."),
        (["A young man on a horse."], "An? (old man|old woman|young woman) on a horse."),
    ],
)
def test_one_picture_alone_has_near_misses(captions: list[str], made: str, tmp_path: Path) -> None:
    assert any(re.fullmatch(made, text) for text in make_texts(captions, tmp_path))


@pytest.mark.parametrize(
    ("captions", "never"),
    [
        (["A zebra stands in a zoo.", "A zebra and a giraffe."], "A giraffe stands in a zoo."),
        (["A dog on a bench.", "A dog under a bench."], "A dog under a bench."),
        (["A brown bear on a road."], "A pink bear on a road."),
        (["Two dogs on a road."], "Three dogs on a road."),
        (["A glass of beer.", "The beer is good.", "A glass of wine."], "A glass of juice."),
        (["A person holds a phone."], "A person holds a kite."),
        (["A glass shelf full of man colorful cakes."], "A glass shelf full of woman colorful cakes."),
    ],
)
def test_what_captions_leave_in_doubt_is_not_made(captions: list[str], never: str, tmp_path: Path) -> None:
    assert never not in make_texts(captions, tmp_path)


def test_every_noun_of_the_lexicon_is_known_and_most_of_a_group_exclude_each_other() -> None:
    lexicon = open_lexicon()
    for group in GROUPS:
        assert all(lexicon.knows(word.rpartition(" ")[2], "n") for word in group.words)
        pairs = [(a, b) for a in group.words for b in group.words if a < b]
        assert sum(may_name_one(a, b, "n") for a, b in pairs) <= len(pairs) / 2, sorted(group.words)


def test_relations_go_both_ways_from_the_first_of_a_row() -> None:
    assert "ride" in list_relations("push", "v", "bicycle")
    assert "repair" not in list_relations("push", "v", "bicycle")
