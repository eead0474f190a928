"""Photographs edited where the exchanged word's thing is: the path on tiny models, and the rule on made-up answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.needing import skip_without

skip_without("diffusers", reason="photographs are edited by an extra: pip install 'counterfoil[edit,train]'")

from counterfoil.storage.rows import Reject
from counterfoil.tasks.caption.families.judging import check_found
from counterfoil.tasks.caption.families.photographs import draw_photograph
from counterfoil.tasks.caption.models.editor import Editor
from counterfoil.tasks.caption.models.finder import Finder, count_things, find_mask
from counterfoil.tasks.caption.models.trust import distrust_finder
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.contract.verdict import Checks, checked
from tests.tasks.caption import tiny
from tests.tasks.caption.test_models import draft, make_anchor, open_context

HEIGHT, WIDTH = 120, 160


@pytest.fixture(scope="module")
def finder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny.save_finder(tmp_path_factory.mktemp("finder"))


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny.save_editor(tmp_path_factory.mktemp("editor"))


def see(*boxes: tuple[int, int, int, int]) -> np.ndarray:
    """How sure a finder is: of boxes (top, bottom, left, right), and of nothing else."""
    sure = np.full((HEIGHT, WIDTH), 0.02)
    for top, bottom, left, right in boxes:
        sure[top:bottom, left:right] = 0.9
    return sure


def make_photograph(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.kron(rng.integers(0, 255, (12, 16, 3)), np.ones((10, 10, 1))).astype(np.uint8)


def paint_inside(picture: np.ndarray, sure: np.ndarray) -> np.ndarray:
    return np.where(find_mask(sure)[..., None], 255 - picture, picture)


def judge(edit: np.ndarray, original: np.ndarray, before: np.ndarray, after: np.ndarray) -> str:
    def ask(checks: Checks) -> None:
        check_found(checks, edit, original, before, after, None)

    verdict = checked(ask)()
    return "" if verdict.passed else verdict.reasons[0].partition(":")[0]


ONE, TWO = (30, 70, 40, 80), (30, 70, 110, 150)


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ((ONE,), (ONE,), ""),
        ((ONE, TWO), (ONE, TWO), ""),
        ((), (ONE,), "thing_found"),
        ((ONE,), (), "new_thing_found"),
        ((ONE,), (TWO,), "new_thing_found"),
        ((ONE,), ((30, 70, 65, 105),), "new_thing_found"),
        ((ONE, TWO), (ONE,), "count_kept"),
        ((ONE,), ((30, 45, 40, 80), (55, 70, 40, 80)), "count_kept"),
    ],
)
def test_as_many_new_things_are_where_the_old_ones_were(before: Any, after: Any, reason: str) -> None:
    original = make_photograph(0)
    assert judge(paint_inside(original, see(*before)), original, see(*before), see(*after)) == reason


def test_no_noise_no_unedited_and_no_unrelated_picture_is_accepted() -> None:
    accepted = []
    for seed in range(100):
        rng = np.random.default_rng([3, seed])
        top, left = (int(each) for each in rng.integers(5, 60, 2))
        before, original = see((top, top + 40, left, left + 50)), make_photograph(seed)
        noise = rng.integers(0, 256, original.shape).astype(np.uint8)
        # What a finder would say at its worst of another picture: that all of it is the new thing, or the right place.
        for name, picture, after in (
            ("noise", noise, before),
            ("unedited", original, see()),
            ("unrelated", make_photograph(seed + 1000), before),
        ):
            if not judge(picture, original, before, after):
                accepted.append((name, seed))
    assert not accepted


def test_what_surrounds_the_thing_keeps_its_pixels(editor: str) -> None:
    picture, mask = make_photograph(1), find_mask(see(ONE))
    settings = CaptionSettings(source="pairs:x", edit_side=64)
    (made,) = Editor(editor, False, False, True).edit([picture], ["A cat."], [3], settings, [mask])
    assert made.shape == picture.shape and made.dtype == np.uint8
    assert (made[~mask] == picture[~mask]).all()
    assert (made[mask] != picture[mask]).mean() > 0.5


def test_a_finder_sees_in_the_picture_s_size_and_counts_what_is_apart(finder: str) -> None:
    sure = Finder(finder).see(make_photograph(2), "dog")
    assert sure.shape == (HEIGHT, WIDTH) and 0 <= sure.min() <= sure.max() <= 1
    assert [count_things(see(*boxes)) for boxes in ((), (ONE,), (ONE, TWO))] == [0, 1, 2]
    assert count_things(see((10, 12, 10, 12))) == 0  # a speck


def test_random_weights_are_no_finder(finder: str) -> None:
    assert "name a trained model" in (distrust_finder(finder) or "")


def test_where_the_thing_is_not_found_nothing_is_edited(finder: str, editor: str) -> None:
    context = open_context(editor=editor, edit_finder=finder, edit_unjudged=True)
    made = draw_photograph(make_anchor(make_photograph(3)), draft("A small cat sits on a red box."), context)
    assert isinstance(made, Reject) and made.reasons[0].startswith("thing_found")


def test_a_folder_that_holds_no_finder_says_which_key_names_it(tmp_path: Path) -> None:
    from counterfoil.tasks.caption.models.loading import ModelError

    with pytest.raises(ModelError, match="edit_finder"):
        Finder(str(tmp_path))
