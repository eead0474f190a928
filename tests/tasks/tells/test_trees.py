"""The trees: what only two numbers together tell, as scikit-learn's trees tell it."""

from __future__ import annotations

import numpy as np
import pytest

from counterfoil.tasks.tells.figures import Items, measure_figures
from counterfoil.tasks.tells.judges import TreeJudge, judge_numbers, score_folds
from counterfoil.tasks.tells.trees import Part, _find_splits, class_numbers, score_by_trees

CONTRASTS = 4


def make_items(anchors: int) -> Items:
    owner = np.repeat(np.arange(anchors), 1 + CONTRASTS)
    own = np.tile([True] + [False] * CONTRASTS, anchors)
    return Items(owner, own, np.arange(anchors), np.arange(anchors) % 5)


def make_numbers(items: Items, seed: int = 0) -> np.ndarray:
    """Of anchors the first two numbers mostly have one sign; each alone is alike on both sides."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(len(items.owner), 6))
    told = rng.random(len(numbers)) < 0.8
    signs = np.where(items.own, 1, -1) * np.sign(numbers[:, 0])
    numbers[told, 1] = (np.abs(numbers[:, 1]) * signs)[told]
    return numbers


def score_by_scikit_learn(items: Items, numbers: np.ndarray) -> np.ndarray:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    scores = np.zeros(len(numbers))
    for fold in np.unique(items.folds):
        judged = items.folds[items.owner] == fold
        model = HistGradientBoostingClassifier(
            max_iter=120, learning_rate=0.08, max_leaf_nodes=15, l2_regularization=1.0, early_stopping=False
        )
        weights = np.where(items.own, 1.0, 1 / CONTRASTS)[~judged]
        with threadpool_limits(1):
            model.fit(numbers[~judged], items.own[~judged], sample_weight=weights)
            scores[judged] = model.decision_function(numbers[judged])
    return scores


def test_two_numbers_that_tell_together_alone_are_found_by_trees_as_scikit_learns_find_them():
    items = make_items(150)
    numbers = make_numbers(items)
    ours = measure_figures(items, score_folds(items, TreeJudge(numbers)), 0)
    theirs = measure_figures(items, score_by_scikit_learn(items, numbers), 0)
    linear = measure_figures(items, score_folds(items, judge_numbers(numbers)), 0)
    assert ours.pairwise.low > 0.7 and linear.pairwise.value < 0.6
    assert ours.pairwise.value == pytest.approx(theirs.pairwise.value, abs=0.03)
    assert ours.picked.value == pytest.approx(theirs.picked.value, abs=0.05)


def test_parts_that_are_learnt_together_score_as_each_alone():
    items = make_items(60)
    numbers = make_numbers(items)
    rows = np.arange(len(items.owner))
    parts = [Part(rows[k::2], items.own[k::2], np.ones(len(rows[k::2])), rows[1 - k :: 2]) for k in (0, 1)]
    together = score_by_trees(numbers, parts)
    for part, scores in zip(parts, together, strict=True):
        np.testing.assert_allclose(scores, score_by_trees(numbers, [part])[0], atol=1e-9)
        assert np.corrcoef(scores, items.own[part.judged])[0, 1] > 0.3


def test_what_is_the_same_of_all_rows_tells_nothing():
    items = make_items(30)
    scores = score_folds(items, TreeJudge(np.ones((len(items.owner), 3))))
    assert measure_figures(items, scores, 0).pairwise.value == 0.5


def test_many_numbers_are_classed_evenly_and_few_as_they_are():
    column = np.random.default_rng(0).normal(size=6400)
    classes = class_numbers(np.stack([column, np.repeat([3.0, 1.0], 3200), np.zeros(6400)], axis=1))
    assert classes.shape == (6400, 2)
    assert np.bincount(classes[:, 0]).min() == np.bincount(classes[:, 0]).max() == 200
    assert np.bincount(classes[:, 1]).tolist() == [3200, 3200]
    assert (np.diff(classes[np.argsort(column), 0]) >= 0).all()


def test_a_node_is_split_where_the_gain_is_greatest():
    rng = np.random.default_rng(3)
    shown = rng.integers(0, 4, (400, 3))
    pull = np.where(shown[:, 1] > 1, 1.0, -1.0) + rng.normal(0, 0.3, 400)
    bend = rng.uniform(0.5, 1.0, 400)
    rows, node = np.arange(400), (np.arange(400) % 2).astype(np.int64)

    def measure_gain(of_node: int, feature: int, cut: int) -> float:
        inside = node == of_node
        gain = 0.0
        for side, sign in ((shown[:, feature] <= cut, 1), (shown[:, feature] > cut, 1), (np.ones(400, bool), -1)):
            part = inside & side
            gain += sign * pull[part].sum() ** 2 / (bend[part].sum() + 1)
        return gain

    slopes, curves = (np.bincount(node, each, 2) for each in (pull, bend))
    features, cuts = _find_splits(shown, rows, node, pull, bend, slopes, curves)
    best = [max(((f, c) for f in range(3) for c in range(3)), key=lambda each: measure_gain(n, *each)) for n in (0, 1)]
    assert [*zip(features.tolist(), cuts.tolist(), strict=True)] == best == [(1, 1), (1, 1)]
    nothing = _find_splits(np.zeros((400, 3), np.int64), rows, node, pull, bend, slopes, curves)
    assert nothing[0].tolist() == [-1, -1]
    alike = _find_splits(shown, rows, node, -np.ones(400), np.ones(400), np.full(2, -200.0), np.full(2, 200.0))
    assert alike[0].tolist() == [-1, -1], "to split rows that all pull alike gains nothing"
