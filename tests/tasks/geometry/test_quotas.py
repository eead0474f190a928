"""Edits of relations and shapes by quota."""

from __future__ import annotations

from collections import Counter

import pytest

from tasks.contract.context import generator
from tasks.geometry.captions.read import parse_caption
from tasks.geometry.captions.write import write_caption
from tasks.geometry.edits.negatives import propose_negatives
from tasks.geometry.edits.search import Search
from tests.tasks.geometry.figures import altitude, midsegment


def search_in(make, seed, quota=0.0):
    scene = make()
    reading = parse_caption(write_caption(scene.to_facts(), generator(make.__name__)))
    return Search(reading, scene, generator(seed), quota=quota)


def count_kinds(make, quota):
    """How many of the first four negatives have an edit of each kind, over two seeds."""
    kinds = Counter()
    for seed in range(2):
        found = propose_negatives(search_in(make, seed, quota))
        for negative, _ in zip(found, range(4), strict=False):
            kinds.update({edit.kind for edit in negative.edits})
    return kinds


@pytest.mark.parametrize(("make", "kind"), [(altitude, "relation"), (midsegment, "shape")])
def test_a_quota_brings_edits_that_words_alone_leave_out(make, kind) -> None:
    assert count_kinds(make, 0.0)[kind] == 0
    assert count_kinds(make, 1.0)[kind] == 2
