"""The held-out score that a run keeps an eye on: who is asked, who is not, and what broken features do."""

from __future__ import annotations

import math

import pytest
import torch

from counterfoil.tasks.training.batch import Contrasts, Features, Layout, list_contrasts
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.scoring import _Tally
from tests.tasks.training import tiny

ANCHORS = 400


def own(*owner: int) -> Contrasts:
    return list_contrasts([(anchor, 0, math.nan, -1) for anchor in owner])


def statements(generator: torch.Generator, *, with_positive: int, width: int = 64) -> Features:
    """Random features of anchors without pictures: three negatives each, a positive for the first so many alone."""

    def draw(rows: int) -> torch.Tensor:
        return torch.nn.functional.normalize(torch.randn(rows, width, generator=generator), dim=-1)

    negatives = own(*(anchor for anchor in range(ANCHORS) for _ in range(3)))
    layout = Layout(
        ANCHORS,
        False,
        torch.arange(ANCHORS),
        negative_images=own(),
        positive_images=own(),
        negative_texts=negatives,
        positive_texts=own(*range(with_positive)),
    )
    none = torch.zeros(0, width)
    return Features(none, none, none, draw(ANCHORS), draw(3 * ANCHORS), draw(with_positive), layout)


def score(features: Features):
    tally = _Tally()
    tally.add(features)
    return tally.finish(torch.tensor(20.0), tiny.choose())


def test_an_anchor_that_nothing_says_again_is_asked_nothing_and_counted():
    told = score(statements(torch.Generator().manual_seed(0), with_positive=100))
    assert (told.anchors, told.without_positive) == (100, 300)
    # Random features guess: one of four.
    assert 0.12 < told.texts < 0.38 and told.both == told.texts
    assert abs(told.positive_cosine) < 0.1


def test_no_positives_at_all_are_no_score_rather_than_a_perfect_one():
    told = score(statements(torch.Generator().manual_seed(0), with_positive=0))
    assert told.anchors == 0 and math.isnan(told.texts)


@pytest.mark.parametrize("broken", [math.nan, math.inf])
def test_features_that_are_not_finite_end_the_scoring(broken):
    features = statements(torch.Generator().manual_seed(0), with_positive=100)
    features.negative_texts[5, 0] = broken
    with pytest.raises(TrainingError, match="not finite"):
        score(features)
