"""What nobody sees in a contrast is told, wherever it stands, unless its anchor has it too."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterfoil.storage.rows import Anchor, Contrast, Edit
from counterfoil.tasks.audit.letters import judge_letters

ANCHOR = Anchor("a", "geometry", "made", "1", "train", caption="AB is 8 long.", code="draw(8)\n  draw(9)\n")
ROW = Contrast("a", "geometry.rule", "negative", "text", text="AB is 9 long.", edits=(Edit("number", "8", "9"),))
SIGNS = ["\u00ad", "\u2060", "\u202e", "\u2028", "\u2009", "\u00a0", "\t", "\r", "\x07", "\ufeff", "\ue000", "\n"]


def judge(row: Contrast, anchor: Anchor = ANCHOR, *, found: bool = False) -> list[str]:
    return [*judge_letters(row, anchor, found=found)]


def put(row: Contrast, place: str, text: str) -> Contrast:
    if place in ("target", "replacement"):
        return replace(row, edits=(replace(row.edits[0], **{place: text}),))
    return replace(row, **{place: text})


def test_what_is_written_as_its_anchor_is_passes():
    assert not judge(ROW) and not judge(replace(ROW, witness="AB is 8", text="draw(8)\n  draw(7)\n"))


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("place", ["witness", "target", "replacement", "text"])
def test_a_sign_that_nobody_sees_is_told_wherever_it_stands(place, sign):
    if (place, sign) == ("text", "\n"):
        return  # what has lines is code, which its family reads
    (why,) = judge(put(ROW, place, f"AB is{sign}9"))
    assert f"U+{ord(sign):04X}" in why


@pytest.mark.parametrize("place", ["text", "witness", "target", "replacement"])
def test_two_spaces_are_told_where_the_anchor_has_none(place):
    row = put(ROW, place, "AB is  9")
    (why,) = judge(row)
    assert "two spaces" in why
    assert not judge(row, replace(ANCHOR, caption="AB  is 8"))


def test_what_the_anchor_has_is_its_own_and_what_was_found_elsewhere_another_s():
    row = replace(ROW, text="AB is\u00a09 long.")
    assert not judge(row, replace(ANCHOR, captions=("AB is\u00a08 long.",)))
    assert not judge(row, found=True) and judge(row)


def test_white_space_around_a_text_is_told_and_the_end_of_code_is_not():
    assert judge(replace(ROW, text="AB is 9 long. "), found=True)
    assert not judge(replace(ROW, text="a\nb\n"))
