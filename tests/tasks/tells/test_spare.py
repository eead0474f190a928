"""Spare negatives: those stay with which numbers and words are gained as often as they are lost."""

from __future__ import annotations

from itertools import product
from zlib import crc32

import numpy as np
import pytest

from counterfoil.storage.rows import content_id
from counterfoil.tasks.tells.compare import CONTRAST, Comparison, Shown, compare
from counterfoil.tasks.tells.judges import judge_ngrams, judge_numbers, score_folds
from counterfoil.tasks.tells.places import measure_places
from counterfoil.tasks.tells.spare import MARGIN, UNIT, choose_first, choose_spare, profile_texts
from counterfoil.tasks.tells.wording import list_ngrams, measure_text


def compare_numbers(count: int, spare: frozenset[str] = frozenset()) -> Comparison:
    """Captions of even numbers nine times in ten, each beside nine others: what an edit makes is even or odd alike."""
    shown = []
    for number in range(count):
        rng = np.random.default_rng([5, number])
        value = int(rng.integers(5, 40)) * 2 + int(rng.random() < 0.1)
        anchor = content_id("spare", number)
        shown.append(Shown(anchor, anchor, "caption", text=f"AB = {value} and CD = {2 * int(rng.integers(9))}."))
        other = shown[-1].text.rpartition(" ")[2]
        for rank, made in enumerate(rng.choice(np.arange(8, 84), 9, replace=False).tolist()):
            row_id = content_id("spare", number, rank)
            text = f"AB = {made} and CD = {other}"
            if row_id not in spare:
                shown.append(Shown(anchor, row_id, CONTRAST, rank, text=text))
    found = compare(shown, {each.anchor_id: [each.anchor_id] for each in shown}, seed=1)
    assert found is not None
    return found


def measure_told(comparison: Comparison) -> dict[str, float]:
    texts = [row.text for row in comparison.rows]
    mine, theirs = comparison.items.list_pairs()
    judges = [judge_ngrams([list_ngrams(text) for text in texts])]
    judges += [judge_numbers(np.stack([measure_text(text) for text in texts]))]
    told = {}
    for judge in judges:
        gaps = (scores := score_folds(comparison.items, judge))[mine] - scores[theirs]
        told[judge.name] = float(((gaps > 0) + 0.5 * (gaps == 0)).mean())
    return told


def test_numbers_that_told_negatives_tell_them_no_longer() -> None:
    before = compare_numbers(150)
    spare = choose_spare(before, 5)
    after = compare_numbers(150, frozenset(spare))
    assert np.bincount(after.items.owner[~after.items.own]).tolist() == [5] * 150
    assert max(measure_told(before).values()) > 0.63
    assert max(measure_told(after).values()) < 0.55


def test_of_rows_that_outweigh_one_another_the_anchor_is_not_the_middle() -> None:
    """Of each number a smaller and a greater one are made: pairs of them are in balance, and lie around the anchor."""
    shown, picked = [], 0.0
    for number in range(120):
        rng = np.random.default_rng([7, number])
        values, anchor = rng.integers(20, 60, 3).tolist(), content_id("middle", number)
        shown.append(Shown(anchor, anchor, "caption", text="AB = {}, CD = {}, EF = {}".format(*values)))
        for rank, steps in enumerate(product((0, 3), repeat=3)):
            text = "AB = {}, CD = {}, EF = {}".format(*(a + b for a, b in zip(values, steps, strict=True)))
            if any(steps):
                shown.append(Shown(anchor, content_id("middle", number, rank), CONTRAST, rank, text=text))
    found = compare(shown, {each.anchor_id: [each.anchor_id] for each in shown}, seed=1)
    assert found is not None
    spare = choose_spare(found, 4)
    for own, other in found.items.divide():
        kept = np.array([at for at, place in enumerate(other) if found.rows[place].row_id not in spare])
        places = measure_places([found.rows[i].text for i in (*own, *other)], 1, [kept])[0]
        picked += places[0]
    assert abs(picked) < 0.05 * 120


def test_of_three_the_odd_one_out_is_told_of_by_the_side_on_which_it_is() -> None:
    (middle,) = measure_places(["a b c d", "a b c x", "a b y d"], 1, [np.array([0, 1])])
    (edge,) = measure_places(["a b c d", "a b x y", "a b x z"], 1, [np.array([0, 1])])
    assert middle[2] > 0.6 and middle[3] == 0
    assert edge[3] > 0.6 and edge[2] == 0


def test_a_text_stands_beside_those_alone_that_name_it() -> None:
    texts = ["a b c d", "p q r s", "a b c x", "p q r x"]
    named = measure_places(texts, 2, [np.array([0])], np.array([0, 1]))
    assert np.allclose(named, measure_places(texts[:1] + texts[2:3], 1, [np.array([0])]))


def test_rows_of_one_world_stay_together() -> None:
    comparison = compare_numbers(40)
    names = {row.row_id: str(row.rank // 3) for row in comparison.rows if row.kind == CONTRAST}
    spare = choose_spare(comparison, 3, worlds=names)
    left = [[names[comparison.rows[i].row_id] for i in other] for _, other in comparison.items.divide()]
    kept = [
        {names[comparison.rows[i].row_id] for i in other if comparison.rows[i].row_id not in spare}
        for _, other in comparison.items.divide()
    ]
    assert all(len(set(each)) == 3 for each in left) and all(len(each) == 1 for each in kept)


def test_a_near_miss_is_measured_from_the_caption_that_it_is_nearest_to() -> None:
    """Else what sets an anchor's captions apart counts as changed, and near misses of the first alone would stay."""
    shown = []
    for number in range(40):
        anchor = content_id("nearest", number)
        wordings = ("AB = {}.", "The segment that joins the points A and B has the length {}.")
        shown += [Shown(anchor, anchor, "captions", text=wording.format(50)) for wording in wordings]
        for kind, value in product((0, 1), (40, 60)):
            row_id = content_id("nearest", number, kind, value)
            shown.append(Shown(anchor, row_id, CONTRAST, kind, text=wordings[kind].format(value)))
    comparison = compare(shown, {each.anchor_id: [each.anchor_id] for each in shown}, seed=1)
    assert comparison is not None
    spare = choose_spare(comparison, 2)
    left = [row.rank for row in comparison.rows if row.kind == CONTRAST and row.row_id not in spare]
    assert len(left) == 80
    assert abs(left.count(0) - 40) <= 2


def test_a_language_model_prefers_neither_side_of_what_stays() -> None:
    """Of each kind of change by itself; blindly chosen, seven of ten are less likely than their anchor."""
    comparison = compare_numbers(120)
    rows = [row for row in comparison.rows if row.kind == CONTRAST]
    changes = {row.row_id: ["number" if row.rank % 2 else "letter"] for row in rows}
    own = {row.anchor_id: row.text for row in comparison.rows if row.kind != CONTRAST}
    known = {text: float(crc32(text.encode()) % 30) for text in (row.text for row in comparison.rows)}
    known |= dict.fromkeys(own.values(), 20.0)
    shares = []
    for likely in ([], [np.array([known[row.text] for row in comparison.rows])]):
        spare = choose_spare(comparison, 2, changes, (), likely)
        left = [row for row in rows if row.row_id not in spare]
        for kind in ("number", "letter"):
            leads = [
                known[row.text] > known[own[row.anchor_id]] + MARGIN for row in left if changes[row.row_id] == [kind]
            ]
            shares.append(sum(leads) / len(leads))
    assert max(shares[:2]) < 0.4
    assert min(shares[2:]) > 0.47


def test_nothing_goes_of_anchors_that_have_no_more_than_is_wanted() -> None:
    assert choose_spare(compare_numbers(12), 9) == set()


def test_rows_are_the_same_whatever_their_order() -> None:
    found = compare_numbers(40)
    turned = compare(found.rows[::-1], {row.anchor_id: [row.anchor_id] for row in found.rows}, seed=1)
    assert turned is not None
    assert choose_spare(turned, 5) == choose_spare(found, 5)


def test_a_profile_is_whole_numbers_and_says_what_matters() -> None:
    profile, worth = profile_texts(["AB = 8.", "AB = 7.", "AB = 12."], np.array([True, False, False]))
    assert profile.dtype == np.int64
    assert profile.shape == (3, len(worth))
    assert worth.min() >= 1


def test_a_number_has_twelve_classes_that_anchors_have_equally_often_and_four_in_pairs() -> None:
    values = 48
    texts = [f"AB = {number}." for number in range(201, 201 + 2 * values, 2)]
    profile, worth = profile_texts(texts, np.ones(values, bool))
    sizes = {each: (profile.toarray()[:, worth == each] > 0).sum(axis=0).tolist() for each in (4, 2)}
    # The number is the largest and the smallest of its text.
    assert sizes[4].count(values // 12) == 2 * 12
    # Beside one that is the same in all texts, a number has its own four classes.
    assert sizes[2].count(values // 4) >= 4


def test_a_number_far_from_all_others_counts_for_six_spreads_and_no_more() -> None:
    texts = ["A short one."] * 100 + ["A very much longer one than each of all the others is."]
    profile, worth = profile_texts(texts, np.ones(len(texts), bool))
    numbers = profile.toarray()[:, worth == 30]
    # By itself among 101 it lies ten spreads away.
    assert numbers.max() == 6 * UNIT


def test_without_texts_the_first_stay() -> None:
    assert choose_first({"a": [(1, "later"), (0, "sooner")], "b": [(0, "only")]}, 1) == {"later"}


@pytest.mark.parametrize("count", [1, 3])
def test_few_anchors_are_no_fault(count: int) -> None:
    assert len(choose_spare(compare_numbers(count), 5)) == 4 * count


def test_a_row_that_names_its_true_text_is_measured_from_that_one() -> None:
    shown = []
    for number in range(40):
        anchor = content_id("named", number)
        for rank, (true, false) in enumerate((("cat", "dog"), ("cat", "bird"), ("dog", "cat"), ("bird", "cat"))):
            row_id = content_id("named", number, rank)
            shown.append(Shown(anchor, row_id, CONTRAST, rank, text=f"There is a {false} on a mat."))
            shown.append(Shown(anchor, f"{row_id}+", "true text", text=f"There is a {true} on a mat."))
    found = compare(shown, {each.anchor_id: [each.anchor_id] for each in shown}, seed=1)
    assert found is not None
    spare = choose_spare(found, 2)
    kept = [row.text for row in found.rows if row.kind == CONTRAST and row.row_id not in spare]
    # Where each true text stands among the false ones is weighed as well.
    assert len(kept) == 80 and abs(sum("cat" in text for text in kept) - 40) <= 4
