"""Which single n-grams and features tell contrasts from their anchors, and how much each says alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterfoil.tasks.tells.figures import Items
from counterfoil.tasks.tells.told import Tell, list_tells


def pair_up(anchors: int, contrasts: int = 1) -> Items:
    """Items of so many anchors, each followed by its contrasts."""
    each = 1 + contrasts
    own = np.tile([True, *[False] * contrasts], anchors)
    return Items(np.repeat(np.arange(anchors), each), own, np.arange(anchors), np.zeros(anchors, np.int64))


def tell_features(columns: dict[str, Sequence[float]], items: Items) -> dict[str, Tell]:
    numbers = np.array([*columns.values()], dtype=float).T
    return {tell.name: tell for tell in list_tells(items, numbers, [*columns], [])}


def test_a_feature_says_as_much_as_the_share_of_pairs_that_it_orders_whichever_way_round():
    columns = {
        "higher in anchors": [3, 1, 5, 2, 2, 9, 7, 7],  # of four pairs: higher, higher, lower, equal
        "lower in anchors": [1, 3, 2, 5, 1, 2, 0, 4],
        "as high": [1, 2, 2, 1, 4, 4, 5, 5],
    }
    told = tell_features(columns, pair_up(4))
    assert list(told) == ["lower in anchors", "higher in anchors"], "chance tells nothing, and the strongest is first"
    assert told["higher in anchors"] == Tell("feature", "higher in anchors", 0.625, 4.25, 4.75)
    assert told["lower in anchors"] == Tell("feature", "lower in anchors", 1.0, 1.0, 3.5)


def test_every_anchor_counts_alike_however_many_contrasts_it_has():
    owner = np.array([0, 0, 1, 1, 1, 1])
    items = Items(owner, np.array([True, False, True, False, False, False]), np.arange(2), np.zeros(2, np.int64))
    (tell,) = list_tells(items, np.array([[4.0], [0], [0], [0], [0], [0]]), ["x"], [])
    assert (tell.alone, tell.anchors, tell.contrasts) == (0.75, 2.0, 0.0)


def test_of_features_that_say_the_same_of_the_same_rows_one_is_listed_the_shortest_by_name():
    same = [3, 1, 5, 2]
    told = tell_features({"letters in all": same, "words": same, "lines": [9, 1, 9, 2]}, pair_up(2))
    assert sorted(told) == ["lines", "words"]


def test_the_strongest_twelve_of_each_kind_are_listed_n_grams_first():
    # Feature n orders all pairs but n of them; n-gram n stands in the contrasts of all anchors but n.
    anchors = 40
    columns = {
        f"f{n:02d}": [value for pair in range(anchors) for value in ((0, 1) if pair >= n else (0, 0))]
        for n in range(24)
    }
    ngrams = [[f"g{n:02d}" for n in range(24) if side and pair >= n] for pair in range(anchors) for side in (0, 1)]
    told = list_tells(pair_up(anchors), np.array([*columns.values()], dtype=float).T, [*columns], ngrams)
    assert [tell.name for tell in told] == [f"{kind}{n:02d}" for kind in "gf" for n in range(12)]
    assert [tell.kind for tell in told] == ["n-gram"] * 12 + ["feature"] * 12
    assert [round(tell.alone, 4) for tell in told[:3]] == [1.0, 0.9875, 0.975]


def test_an_n_gram_is_told_by_how_often_it_stands_in_each_side():
    ngrams = [["red", "red", "cat"], ["cat"], ["red", "cat"], ["cat", "dog"], ["cat"], ["cat", "dog"], ["red"], ["dog"]]
    told = {tell.name: tell for tell in list_tells(pair_up(4), np.zeros((8, 0)), [], ngrams)}
    assert told["red"] == Tell("n-gram", "red", 0.875, 1.0, 0.0)
    assert told["dog"] == Tell("n-gram", "dog", 0.875, 0.0, 0.75)
    assert "cat" not in told or told["cat"].alone == 0.625


def test_n_grams_that_all_texts_share_crowd_out_none_that_tells():
    shared = [f"s{n:02d}" for n in range(40)]
    ngrams = [[*shared, *(["told"] if side and pair % 4 == 0 else [])] for pair in range(16) for side in (0, 1)]
    (tell,) = list_tells(pair_up(16), np.zeros((32, 0)), [], ngrams)
    assert tell == Tell("n-gram", "told", 0.625, 0.0, 0.25)
