"""Refinement: what gives itself away is dropped until judges find nothing, and nothing else is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.storage.schemas import from_table, to_table
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.engine.refine import choose_rows, see_rows, sift_shard
from counterfoil.tasks.tells.compare import compare, list_keys, show_anchor, show_contrast
from counterfoil.tasks.tells.judges import judge_ngrams, score_folds
from counterfoil.tasks.tells.refine import list_told
from counterfoil.tasks.tells.wording import list_ngrams
from tests.tasks.tells.rows import make_anchors, make_pictures, make_texts


def choose(shards: Sequence[Sequence[Anchor]], contrasts: Sequence[Contrast]) -> dict[str, str]:
    """Row id to reason of what is dropped of ``contrasts``, seen in these shards of anchors."""
    seen = []
    for anchors in shards:
        ids = {anchor.anchor_id for anchor in anchors}
        seen.append(see_rows(anchors, [row for row in contrasts if row.anchor_id in ids]))
    chosen = choose_rows(seen, seed=7)
    return dict(zip(chosen["row_id"].to_pylist(), chosen["reason"].to_pylist(), strict=True))


def measure_told(anchors: Sequence[Anchor], contrasts: Sequence[Contrast]) -> float:
    """How often a judge of n-grams that learns anew tells a contrast from its anchor."""
    shown = [each for anchor in anchors for each in show_anchor(anchor, "text")]
    shown += [each for row in contrasts for each in show_contrast(row)]
    found = compare(shown, {anchor.anchor_id: list_keys(anchor) for anchor in anchors}, seed=1)
    assert found is not None
    scores = score_folds(found.items, judge_ngrams([list_ngrams(row.text) for row in found.rows]))
    mine, theirs = found.items.list_pairs()
    return float(((scores[mine] > scores[theirs]) + 0.5 * (scores[mine] == scores[theirs])).mean())


def test_the_rows_that_give_most_away_go_until_both_sides_score_alike():
    anchors = make_anchors(90)
    contrasts = make_texts(anchors, count=4, told=0.5)
    assert measure_told(anchors, contrasts) > 0.65
    dropped = choose([anchors], contrasts)
    kept = [row for row in contrasts if row.contrast_id not in dropped]
    telling = [row for row in contrasts if " past " in (row.text or "")]
    gone = [row for row in telling if row.contrast_id in dropped]
    assert len(gone) > 0.7 * len(telling)
    assert len(gone) > 0.9 * len(dropped)
    assert measure_told(anchors, kept) < 0.56
    assert set(dropped.values()) >= {"tell: n-grams recognise it as the negative (round 1)"}


def test_fair_negatives_lose_few_and_positives_none():
    anchors = make_anchors(90)
    fair = make_texts(anchors, count=3)
    assert len(choose([anchors], fair)) < 0.15 * len(fair)
    assert choose([anchors], make_texts(anchors, told=1, role="positive")) == {}


def test_telling_pictures_are_dropped():
    anchors = make_anchors(60)
    fair, busy = make_pictures(anchors, count=1), make_pictures(anchors, count=2, more=5)[1::2]
    dropped = choose([anchors], [*fair, *busy])
    assert len([row for row in busy if row.contrast_id in dropped]) > 0.5 * len(busy)
    assert len([row for row in fair if row.contrast_id in dropped]) < 0.1 * len(fair)


def test_few_source_rows_are_left_alone():
    anchors = make_anchors(60, per_source=6)
    assert choose([anchors], make_texts(anchors, told=1)) == {}


def test_shards_and_order_do_not_change_what_is_dropped():
    anchors = make_anchors(60)
    contrasts = make_texts(anchors, count=3, told=0.6)
    whole = choose([anchors], contrasts)
    assert whole
    cut = [anchors[40:], anchors[:7][::-1], anchors[7:40]]
    assert choose(cut, contrasts[::-1]) == whole


def test_what_was_made_together_goes_together():
    anchors = make_anchors(60)
    told = make_texts(anchors, count=2, told=0.7, family="toy.text")
    fair = make_texts(make_anchors(60), count=2, family="toy.twin")
    dropped = choose([anchors], [*told, *fair])
    places = [{(row.anchor_id, row.rank) for row in rows if row.contrast_id in dropped} for rows in (told, fair)]
    assert places[0] and places[0] == places[1]
    reasons = {dropped[row.contrast_id] for row in fair if row.contrast_id in dropped}
    assert "tell: its partner can be recognised blind (toy.text)" in reasons


def test_a_sifted_shard_keeps_ranks_and_holds_what_went_among_its_rejects(tmp_path):
    anchors = make_anchors(3)
    rows = make_texts(anchors, count=2)
    before = Reject("toy.text", ("shortfall: 1 of 3 missing",), "made", "0", anchors[0].anchor_id)
    staged = StagedShards(str(tmp_path))
    tables = {"contrasts/family=toy.text": to_table(rows, "contrasts")}
    tables["contrasts/family=toy.twin"] = to_table([], "contrasts")  # of which this shard has none
    shard = staged.write("abcdef12", tables | {"rejects/family=toy.text": to_table([before], "rejects")})
    goes = rows[2]
    seen = choose_rows([see_rows(anchors, rows)], seed=0)
    chosen = seen.slice(0, 0).from_pylist([{"row_id": goes.contrast_id, "reason": "tell: it does"}], seen.schema)
    columns = to_table(anchors, "anchors").select(["anchor_id", "source", "source_id"])
    sifted = sift_shard(["toy.text", "toy.twin"], shard, columns, chosen)
    kept = from_table(sifted.tables["contrasts/family=toy.text"], "contrasts")
    assert kept == [row for row in rows if row is not goes]
    first, second = from_table(sifted.tables["rejects/family=toy.text"], "rejects")
    assert first == before
    assert (second.reasons, second.contrast, second.source_id) == (("tell: it does",), goes, "1")
    assert (sifted.accepted, sifted.dropped) == ({"toy.text": 5, "toy.twin": 0}, {"toy.text": 1, "toy.twin": 0})


@pytest.mark.parametrize(("told", "mistaken", "goes"), [(80, 0, 20), (60, 20, 10), (40, 40, 0), (10, 70, 0)])
def test_a_quarter_of_what_is_told_beyond_what_is_mistaken_goes_widest_first(told, mistaken, goes):
    rng = np.random.default_rng(told)
    gaps = np.concatenate([rng.uniform(0.1, 1, told), -rng.uniform(0.1, 1, mistaken)])
    found = list_told(gaps, [str(i) for i in range(len(gaps))])
    assert len(found) == pytest.approx(goes, abs=2 if goes else 0)
    assert found == sorted(range(told), key=lambda i: -gaps[i])[: len(found)]


def test_a_few_that_are_surely_told_are_found_among_many_that_are_not():
    rng = np.random.default_rng(0)
    gaps = np.concatenate([rng.uniform(2, 3, 40), rng.uniform(-1, 1, 2000)])
    gaps = np.concatenate([gaps, -np.abs(rng.uniform(0, 1, 60))])
    assert set(list_told(gaps, [str(i) for i in range(len(gaps))])) <= set(range(40))
    assert len(list_told(gaps, [str(i) for i in range(len(gaps))])) >= 10


def test_an_excess_of_three_spreads_among_the_surest_is_no_accident_and_one_of_two_is():
    def count_told(pattern: list[int]) -> int:
        signs = np.concatenate([np.resize(pattern, 36), np.resize([-1, 1], 2000)])
        gaps = signs * np.linspace(9, 1, len(signs))
        return len(list_told(gaps, [f"{i:05d}" for i in range(len(gaps))]))

    assert count_told([1, 1, 1, -1]) == 5, "of the surest 35 right about 19 more: a quarter of these goes"
    assert count_told([1, 1, -1]) == 0, "of the surest 35 right about 13 more, two spreads"
