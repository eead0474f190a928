from __future__ import annotations

import dataclasses
import random
import tracemalloc
from collections.abc import Iterator, Sequence

import pytest

from counterfoil.storage.rows import Anchor, Contrast, Edit, Image, Reject, content_id
from counterfoil.tasks.report.collect import collect, share_out
from counterfoil.tasks.report.samples import SHOWN_PER_FAMILY, read_samples
from counterfoil.tasks.report.tallies import PerAnchorCounter, Tally
from tests.tasks.report.sample import SampleTables, make_geometry, make_tables


def test_counts_are_over_every_row_and_samples_are_few() -> None:
    data = collect(make_tables(geometry=12, flowcharts=6), sample=4)
    assert data.anchors == 18
    assert len(data.sampled) == 4
    domains = {anchor.anchor_id: anchor.domain for anchor in make_tables(geometry=12, flowcharts=6).anchor_rows}
    assert [domains[each] for each in data.sampled] == ["geometry", "flowchart", "geometry", "flowchart"]
    image = next(family for family in data.families if family.name == "geometry.image")
    assert image.accepted == 9 * 6 + 3 * 4
    assert image.sizes == {6: 9, 4: 3}
    assert image.mean == pytest.approx(66 / 12)
    assert image.full_share == pytest.approx(0.75)
    assert image.kinds == {"label": 33, "number": 33}
    assert [row.splits for row in data.domains if row.name == "geometry"] == [{"train": 8, "val": 4}]


def make_found(count: int) -> SampleTables:
    """An anchor with captions found at ranks 0, 1, ..., every fifth of which nobody could decide."""
    anchor, _ = make_geometry(0)
    rows = [
        Contrast(
            anchor.anchor_id,
            "geometry.retrieval",
            "negative",
            "text",
            text=f"In circle {rank}.",
            edits=(Edit("retrieved", f"rank {rank}", "other"),),
            similarity=1 - rank / 100,
        ).accept(rank, ("judged",), "undecided" if rank % 5 == 0 else "proved")
        for rank in range(count)
    ]
    return SampleTables([anchor], rows)


def test_grades_are_counted_by_family_and_what_was_found_says_how_near_it_lies() -> None:
    (found,) = (family for family in collect(make_found(21)).families if family.name == "geometry.retrieval")
    assert found.grades == {"proved": 16, "undecided": 5}
    assert found.ranks == (2, 10, 18)
    assert found.cosines == (0.82, 0.9, 0.98)
    made = next(family for family in collect(make_tables(3, 0)).families if family.name == "geometry.image")
    assert (made.ranks, made.cosines) == (None, None)


def test_every_contrast_of_a_sampled_anchor_is_there_in_rank_order() -> None:
    tables = make_tables(8, 0)
    sampled = collect(tables, sample=3).sampled
    samples = read_samples(tables, sampled)
    assert tuple(sample.anchor.anchor_id for sample in samples) == sampled and len(samples) == 3
    for sample in samples:
        for family in ("geometry.caption", "geometry.image"):
            ranks = [row.rank for row in sample.contrasts if row.family == family]
            assert ranks == list(range(len(ranks))) and len(ranks) in (4, 6)


def test_the_sample_does_not_depend_on_the_order_of_the_rows() -> None:
    tables = make_tables(30, 10)
    mixed = SampleTables(
        *(
            random.Random(3).sample(rows, len(rows))
            for rows in (tables.anchor_rows, tables.contrast_rows, tables.reject_rows)
        )
    )
    assert collect(mixed, 8) == collect(tables, 8)
    assert read_samples(mixed, collect(mixed, 8).sampled) == read_samples(tables, collect(tables, 8).sampled)
    assert collect(tables, 8, seed=1).sampled != collect(tables, 8).sampled


def test_a_sample_of_none_stands_for_all() -> None:
    tables = make_tables(7, 3)
    assert sorted(collect(tables, 0).sampled) == sorted(anchor.anchor_id for anchor in tables.anchor_rows)


def test_an_anchor_without_contrasts_counts_as_short() -> None:
    tables = make_tables(6, 0)
    lonely = dataclasses.replace(make_geometry(99)[0])
    data = collect(SampleTables([*tables.anchor_rows, lonely], tables.contrast_rows))
    image = next(family for family in data.families if family.name == "geometry.image")
    assert image.sizes[0] == 1 and sum(image.sizes.values()) == 7
    assert data.histograms["contrasts_per_anchor"].least == 0


def test_shortfalls_say_what_was_asked_for_and_are_no_rejects() -> None:
    data = collect(make_tables(12, 0))
    image = next(family for family in data.families if family.name == "geometry.image")
    assert (image.short_anchors, image.target, image.rejected) == (3, 6, 1)
    assert image.shortfalls == {"duplicate": 9, "not_visible": 3}
    assert data.rejected == 2
    assert "shortfall" not in data.reject_reasons


def test_the_number_asked_for_is_known_even_if_no_anchor_has_it() -> None:
    anchor, contrasts = make_geometry(0)
    reject = Reject("geometry.image", ("shortfall: 6 of 10 missing after no more candidates",))
    rows = [row for row in contrasts if row.family == "geometry.image"]
    family = collect(SampleTables([anchor], rows, [reject])).families[0]
    assert (family.target, family.full_share) == (10, 0.0)
    assert family.shortfalls == {"no more candidates": 1}


def test_rejects_are_counted_by_code_and_shown_with_their_anchor() -> None:
    data = collect(make_tables(4, 0))
    assert data.reject_reasons == {"bad_row": 1, "duplicate": 1, "not_visible": 1}
    (shown,) = data.rejects["not_visible"]
    assert shown.anchor is not None and shown.anchor.anchor_id == shown.reject.anchor_id


def test_one_request_is_paid_once_and_an_unknown_price_is_not_zero() -> None:
    spending = {each.family: each for each in collect(make_tables(0, 6)).spending}
    caption = spending["flowchart.caption"]
    assert (caption.requests, caption.unpriced, caption.input_tokens) == (6, 3, 600)
    assert caption.usd == pytest.approx(0.003)
    tables = make_tables(0, 1)
    again = [*tables.contrast_rows, *tables.contrast_rows]
    assert collect(SampleTables(tables.anchor_rows, again)).spending[0].requests == 1


def test_more_contrasts_than_fit_are_counted() -> None:
    anchor, contrasts = make_geometry(1)
    many = [
        dataclasses.replace(contrasts[0], rank=rank, contrast_id=content_id(rank))
        for rank in range(SHOWN_PER_FAMILY + 5)
    ]
    (sample,) = read_samples(SampleTables([anchor], many[::-1]), [anchor.anchor_id])
    assert [row.rank for row in sample.contrasts] == list(range(SHOWN_PER_FAMILY))
    assert sample.more == {contrasts[0].family: 5}


def test_an_empty_dataset_is_no_error() -> None:
    data = collect(SampleTables([], []))
    assert (data.anchors, data.contrasts, data.sampled) == (0, 0, ())


def test_places_that_a_domain_cannot_fill_go_to_the_others() -> None:
    assert share_out(10, {"a": 2, "b": 100, "c": 100}) == {"a": 2, "b": 4, "c": 4}
    assert share_out(10, {"a": 2}) == {"a": 2}
    assert share_out(5, {}) == {}


def test_memory_does_not_grow_with_the_rows() -> None:
    class Stream(SampleTables):
        def __init__(self, number: int) -> None:
            super().__init__([], [])
            self.number = number

        def list_families(self) -> list[str]:
            return ["geometry.image"]

        def anchors(self) -> Iterator[Anchor]:
            for n in range(self.number):
                picture = Image(bytes([n % 256]) * 20_000, "x.png")
                yield Anchor(content_id(n), "geometry", "s", str(n), "train", image=picture, caption=f"AB = {n % 9}")

        def contrasts(self, family: str, anchor_ids: Sequence[str] | None = None) -> Iterator[Contrast]:
            assert anchor_ids is None, "a count reads each row once"
            for n in range(self.number):
                picture = Image(bytes([n % 256]) * 20_000, "y.png")
                yield Contrast(content_id(n), family, "negative", "image", image=picture, contrast_id=str(n))

    def measure_peak(number: int) -> int:
        tracemalloc.start()
        collect(Stream(number), sample=10)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    assert measure_peak(4_000) < measure_peak(500) + 400_000  # 80 MB of pictures went by


def test_a_tally_bins_in_round_steps_and_keeps_the_total() -> None:
    tally = Tally(1)
    for value in range(100):
        tally.add(value)
    histogram = tally.bin(most_bins=24)
    assert histogram is not None
    assert (histogram.step, sum(histogram.counts), histogram.median, histogram.mean) == (5, 100, 49, 49.5)
    assert len(histogram.edges) == len(histogram.counts) + 1
    assert Tally(1).bin() is None


def test_rows_of_an_anchor_are_counted_together_wherever_they_stand() -> None:
    counter = PerAnchorCounter()
    for name in ("a" * 32, "a" * 32, "b" * 32, "a" * 32):
        counter.add(name)
    assert counter.count_sizes(3) == {0: 1, 1: 1, 3: 1}
