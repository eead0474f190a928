"""``caption.add``: a thing is added that no caption names, in the place of a phrase that only adds; nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterfoil.storage.rows import Anchor, Contrast, Edit
from counterfoil.tasks.caption.families.add import NAME, verify_add
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.words.besides import find_phrases
from counterfoil.tasks.caption.words.parse import parse
from counterfoil.tasks.contract.context import Context
from tests.tasks.caption.conftest import Made

CONTEXT = Context(CaptionSettings(), 7, None)  # type: ignore[arg-type]
CAPTION = "A man standing on a beach near the ocean."


def fail(text: str, target: str, replacement: str, *others: str, caption: str = CAPTION) -> list[str]:
    """The checks that the row fails beside these captions."""
    anchor = Anchor("a", "caption", "pairs", "1", "train", caption=caption, captions=(caption, *others))
    row = Contrast("a", NAME, "negative", "text", text=text, edits=(Edit("add_obj", target, replacement),))
    return [reason.split(":")[0] for reason in verify_add(row, anchor, CONTEXT).reasons]


def test_what_nobody_names_may_be_there_and_is_not_proved_absent() -> None:
    edit = Edit("add_obj", "near the ocean", "near a dog")
    row = Contrast("a", NAME, "negative", "text", text="A man standing on a beach near a dog.", edits=(edit,))
    anchor = Anchor("a", "caption", "pairs", "1", "train", caption=CAPTION, captions=(CAPTION,))
    assert verify_add(row, anchor, CONTEXT).grade == "undecided"


def test_a_thing_that_nobody_names_takes_the_place_of_a_phrase() -> None:
    assert fail("A man standing on a beach near a dog.", "near the ocean", "near a dog") == []


@pytest.mark.parametrize(
    ("text", "target", "replacement", "others", "reason"),
    [
        (
            "A man standing on a beach near a dog.",
            "near the ocean",
            "near a dog",
            ["A puppy on a beach."],
            "unsaid_elsewhere",
        ),
        (
            "A man standing on a beach near a dog.",
            "near the ocean",
            "near a dog",
            ["A man and his pets."],
            "unsaid_elsewhere",
        ),
        ("A man standing on a beach near a car.", "near the ocean", "near a car", [], "thing_named"),
        ("A man standing on a beach near a giraffe.", "near the ocean", "near a giraffe", [], "usual_there"),
        ("A boy standing on a beach near a dog.", "near the ocean", "near a dog", [], "only_named_words_changed"),
        ("A man near a dog near the ocean.", "standing on a beach", "near a dog", [], "phrase_adds"),
    ],
)
def test_what_may_be_there_or_changes_more_is_caught(
    text: str, target: str, replacement: str, others: list[str], reason: str
) -> None:
    assert fail(text, target, replacement, *others) == [reason]


def test_one_thing_is_added_and_nothing_is_exchanged() -> None:
    text, added = "A man standing on a beach near a dog.", Edit("add_obj", "near the ocean", "near a dog")
    anchor = Anchor("a", "caption", "pairs", "1", "train", caption=CAPTION, captions=(CAPTION,))
    for edits in ((added, added), (Edit("replace_obj", "near the ocean", "near a dog"),), ()):
        row = Contrast("a", NAME, "negative", "text", text=text, edits=edits)
        assert verify_add(row, anchor, CONTEXT).reasons == ("edits_named: one thing is added",)


def test_where_it_is_not_plainly_said_to_be_there_it_is_no_negative() -> None:
    caption = "A man without a hat on a beach near the ocean."
    assert fail(caption.replace("near the ocean", "near a dog"), "near the ocean", "near a dog", caption=caption) == [
        "said_to_be_there"
    ]


@pytest.mark.parametrize(
    ("caption", "phrases"),
    [
        ("A man riding a horse on a beach near the ocean", ["on a beach near the ocean", "near the ocean"]),
        ("A woman looking at a cake", []),  # whom one looks at is no addition
        ("A bed covered in red blankets", []),
        ("A cup of hot tea", []),
        ("A girl with her big dog", []),
    ],
)
def test_only_phrases_that_may_go_are_replaced(caption: str, phrases: list[str]) -> None:
    sentence = next(parse([caption]))
    tokens = sentence.tokens
    found = [caption[tokens[a].start : tokens[b].end] for a, b in find_phrases(sentence)]
    assert found == phrases


def test_rows_are_no_longer_than_their_captions_and_are_accepted_again(tmp_path: Path) -> None:
    source = tmp_path / "pairs.jsonl"
    captions = ["A man standing on a beach near the ocean.", "A woman in a hat walking down a street at night."]
    source.write_text("".join(f'{{"captions": ["{each}"]}}\n' for each in captions))
    made = Made({"source": f"pairs:{source}", "negatives": 3})
    rows, _ = made.make(NAME, made.context)
    assert len(rows) == 6
    lengths = set()
    for row in rows:
        anchor = made.anchors[row.anchor_id]
        lengths.add(abs(len((row.text or "").split()) - len((anchor.caption or "").split())))
        assert verify_add(row, anchor, made.context).passed
    assert lengths == {0, 1}
