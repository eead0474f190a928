from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from counterfoil.tasks.report.words import compare_code, compare_texts, compare_with_nearest, split_words


def test_words_numbers_commands_and_marks_are_told_apart() -> None:
    assert split_words(r"In \triangle ABC, AB=3.5°") == ["In", r"\triangle", "ABC", ",", "AB", "=", "3.5", "°"]


def test_scripts_without_spaces_are_compared_by_character() -> None:
    diff = compare_texts("三角形甲乙丙", "三角形甲丁丙")
    assert [(p.change, p.text) for p in diff.pieces if p.change != "same"] == [("removed", "乙"), ("added", "丁")]


def test_swapped_labels_show_as_two_replacements() -> None:
    diff = compare_texts("from node <A one> to node <B>.", "from node <B> to node <A one>.")
    changed = [(p.change, p.text) for p in diff.pieces if p.change != "same"]
    assert changed == [("removed", "A one"), ("added", "B"), ("removed", "B"), ("added", "A one")]


def test_changed_words_count_on_the_longer_side_and_without_punctuation() -> None:
    assert compare_texts("AB = 8", "AB = 6").changed_words == 1
    assert compare_texts("a square", "a very long, thin rectangle").changed_words == 4
    assert compare_texts("AB is parallel to CD", "AB is parallel to CD").changed_words == 0
    assert compare_texts("A to B", "A - B").changed_words == 1


def test_words_that_were_only_taken_out_stay_visible() -> None:
    diff = compare_texts("The midpoint of AB is M.", "The midpoint is M.")
    assert ("removed", " of AB") in [(p.change, p.text) for p in diff.pieces]


texts = st.lists(st.sampled_from(["AB", "CD", "=", "5", "\\angle", ",", "is"]), max_size=12).map(" ".join)


@given(texts, texts)
def test_what_is_not_removed_is_the_contrasts_text(before: str, after: str) -> None:
    diff = compare_texts(before, after)
    assert "".join(p.text for p in diff.pieces if p.change != "removed") == after
    kept = [p.text for p in diff.pieces if p.change != "added"]
    assert split_words(" ".join(kept)) == split_words(before)


@given(texts)
def test_equal_texts_have_no_change(text: str) -> None:
    assert compare_texts(text, text).changed_words == 0


def test_a_text_is_compared_with_the_anchors_text_that_it_came_from() -> None:
    bases = [("caption", "An arrow points from A to B"), ("code", "flowchart TD\n A --> B")]
    assert compare_with_nearest("flowchart TD\n B --> A", bases).base == "code"
    assert compare_with_nearest("An arrow points from B to A", bases).base == "caption"


def test_an_unrelated_text_is_shown_plain_and_not_counted() -> None:
    diff = compare_with_nearest("quite another sentence here", [("caption", "In triangle ABC the side is 5")])
    assert diff.changed_words is None and [p.change for p in diff.pieces] == ["same"]


def test_a_huge_text_is_not_compared() -> None:
    assert compare_texts("a " * 9_000, "b " * 9_000).changed_words is None


def test_code_shows_only_the_changed_lines_and_their_neighbours() -> None:
    before = "\n".join(f"line {n}" for n in range(30))
    pieces = compare_code(before, before.replace("line 20", "line twenty"))
    assert [(p.change, p.text) for p in pieces if p.change != "same"] == [
        ("removed", "line 20"),
        ("added", "line twenty"),
    ]
    assert len(pieces) == 5
    assert compare_code(before, before) == ()
