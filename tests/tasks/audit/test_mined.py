"""A mined row is compared with the row of the anchor that it names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterfoil.storage.rows import Anchor, Contrast, Edit, Image
from counterfoil.tasks.audit.mined import Mined, Own, find_disordered, find_strange, list_mined, own_anchor
from counterfoil.tasks.mining.retrieval import RETRIEVED

ANCHOR = Anchor(
    "b", "caption", "procedural", "2", "train", Image(b"png", "b.png"), "<svg/>", "A dog.", ("A dog.", "A pet.")
)
ROW = Contrast("a", "caption.retrieval", "negative", "image", text="A pet.", image=Image(b"png", "x.png"))
ROW = replace(ROW, contrast_id="r", vector="<svg/>", edits=(Edit("retrieved", "rank 1", "b"),))


def blame(row: Contrast, **given: object) -> list[str]:
    found = find_strange([own_anchor(ANCHOR)], list(list_mined([row])), **given)  # type: ignore[arg-type]
    return [reason for failure in found for reason in failure.reasons]


def test_what_is_the_other_anchor_s_passes() -> None:
    assert blame(ROW) == []
    assert blame(replace(ROW, modality="text", text="A dog.", image=None, vector=None)) == []


@pytest.mark.parametrize(
    ("row", "part"),
    [
        (replace(ROW, image=Image(b"other", "x.png")), "picture"),
        (replace(ROW, vector="<svg><g/></svg>"), "picture"),
        (replace(ROW, code="{}"), "picture"),
        (replace(ROW, text="A cat."), "text"),
        (replace(ROW, edits=(Edit("retrieved", "rank 1", "c"),)), "no anchor c"),
    ],
)
def test_what_differs_from_the_named_anchor_is_told(row: Contrast, part: str) -> None:
    (reason,) = blame(row)
    assert reason.startswith("found_elsewhere: ")
    assert part in reason


def test_an_anchor_that_fails_or_could_not_be_read_is_to_blame_itself() -> None:
    assert blame(replace(ROW, text="A cat."), refused={"b"}) == []
    assert blame(replace(ROW, edits=(Edit("retrieved", "rank 1", "c"),)), whole=False) == []


def test_ranks_that_do_not_go_with_similarities_are_named():
    def row(number: int, rank: int, similarity: float) -> Contrast:
        edits = (Edit(RETRIEVED, f"rank {rank}", f"b{number}"),)
        return Contrast(
            "a", "toy.retrieval", "negative", "text", contrast_id=str(number), edits=edits, similarity=similarity
        )

    honest = [row(0, 3, 0.7), row(1, 1, 0.9), row(2, 8, 0.5), row(3, 9, 0.5)]
    assert not list(find_disordered(honest))
    assert [each.row_id for each in find_disordered([*honest, row(4, 12, 0.8)])] == ["4"]
    assert {each.row_id for each in find_disordered([*honest, row(4, 9, 0.5)])} == {"3", "4"}


def test_a_row_that_another_model_is_said_to_have_found_is_named():
    mined = [Mined(str(i), "b", "said", None, "toy.retrieval", "hashed-1") for i in range(3)]
    odd = Mined("odd", "b", "said", None, "toy.retrieval", "clip")
    own = Own("toy", "b", frozenset(("said",)), None)
    assert [each.row_id for each in find_strange([own], [*mined, odd])] == ["odd"]
