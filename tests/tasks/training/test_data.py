from __future__ import annotations

import os
import signal
import threading
from collections import Counter

import pytest
import torch

from counterfoil.tasks.training.data import BatchMaker, iterate_batches
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.packing.manifest import read_manifest
from counterfoil.tasks.training.packing.pack import open_tokens, pack_dataset
from counterfoil.tasks.training.reading import PackedRows
from tests.patience import PATIENCE_S
from tests.tasks.training import tiny

COUNT = 68
"""Anchors of the training split of `packed`."""


def open_maker(packed: str, rank: int = 0, ranks: int = 1, **given) -> BatchMaker:
    settings = tiny.choose(**given)
    manifest = read_manifest(packed)
    return BatchMaker(packed, manifest, settings, open_tokens(manifest, packed, settings), "train", rank, ranks)


def list_ids(maker: BatchMaker, epoch: int) -> list[tuple[str, ...]]:
    return [maker.make(epoch, number).anchor_ids for number in range(maker.count_batches(epoch))]


def equal(one, other) -> bool:
    tensors = ("pictures", "tokens", "mask")
    return one.anchor_ids == other.anchor_ids and all(
        torch.equal(getattr(one, name), getattr(other, name)) for name in tensors
    )


def test_ranks_and_streams_meet_each_anchor_at_most_once_in_an_epoch(packed):
    met = Counter(
        anchor for rank in range(2) for ids in list_ids(open_maker(packed, rank, 2, batch_size=4), 0) for anchor in ids
    )
    assert set(met.values()) == {1}
    assert len(met) == COUNT // 8 * 8


@pytest.mark.parametrize("streams", [1, 2, 4, 7, 64])
@pytest.mark.parametrize("batch_size", [1, 5, 8, 30, 64])
@pytest.mark.parametrize("ranks", [1, 3])
def test_an_epoch_is_every_anchor_once_except_less_than_one_batch(packed, streams, batch_size, ranks):
    """Whatever the streams, which are lowered where they would have no batch each."""
    makers = [open_maker(packed, rank, ranks, batch_size=batch_size, streams=streams) for rank in range(ranks)]
    if batch_size * ranks > COUNT:
        with pytest.raises(TrainingError, match="lower it"):
            makers[0].count_batches(0)
        return
    for epoch in range(2):
        met = Counter(anchor for maker in makers for ids in list_ids(maker, epoch) for anchor in ids)
        assert set(met.values()) == {1}
        left = COUNT - len(met)
        assert left == makers[0].deal.left_out < batch_size * ranks


def test_anchors_that_an_epoch_leaves_out_are_others_in_another(packed):
    maker = open_maker(packed, batch_size=COUNT // 2 + 1)
    first, second = ({anchor for ids in list_ids(maker, epoch) for anchor in ids} for epoch in range(2))
    assert len(first) == COUNT // 2 + 1
    assert first != second


def test_every_rank_has_as_many_batches(packed):
    makers = [open_maker(packed, rank, 2, batch_size=4) for rank in range(2)]
    for epoch in range(3):
        assert len(list_ids(makers[0], epoch)) == len(list_ids(makers[1], epoch)) == makers[0].count_batches(epoch)


def test_epochs_differ_and_come_back(packed):
    maker = open_maker(packed)
    first, second = list_ids(maker, 0), list_ids(maker, 1)
    assert first != second
    assert list_ids(maker, 0) == first == list_ids(open_maker(packed), 0)


def test_any_step_is_reached_without_those_before_it(packed):
    whole = list(iterate_batches(open_maker(packed), 1, 0, 0))
    rest = list(iterate_batches(open_maker(packed), 1, 3, 0))
    assert len(rest) == len(whole) - 3
    assert all(equal(one, other) for one, other in zip(whole[3:], rest, strict=True))


def test_loader_processes_change_nothing(packed):
    alone = list(iterate_batches(open_maker(packed), 0, 1, 0))
    helped = list(iterate_batches(open_maker(packed), 0, 1, 2))
    assert len(alone) == len(helped)
    assert all(equal(one, other) for one, other in zip(alone, helped, strict=True))


@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_batches_go_on_from_epoch_to_epoch_with_one_loader(packed, workers):
    maker = open_maker(packed)
    per = maker.count_batches(0)
    apart = [maker.make(*divmod(number, per)) for number in range(1, 2 * per + 2)]
    through = list(iterate_batches(open_maker(packed), 0, 1, workers, 2 * per + 1))
    assert len(through) == 2 * per + 1
    assert all(equal(one, other) for one, other in zip(apart, through, strict=True))
    assert next(iterate_batches(open_maker(packed), 0, per, 0, 1)).anchor_ids == maker.make(1, 0).anchor_ids


def test_batches_may_be_ended_by_the_thread_that_makes_them(packed):
    """A collector that comes upon batches that nobody closed runs in any thread, in that one too."""
    maker = open_maker(packed)
    batches = iterate_batches(maker, 0, 0, 0)
    make, asleep, ended, errors = maker.make, threading.Event(), threading.Event(), []

    def make_and_end(epoch, place):
        if place == 1:
            asleep.wait(PATIENCE_S)
            try:
                batches.close()
            except RuntimeError as error:
                errors.append(error)
            ended.set()
        return make(epoch, place)

    maker.make = make_and_end
    next(batches)
    asleep.set()
    assert ended.wait(PATIENCE_S)
    assert errors == []


@pytest.mark.parametrize("memory", [0, 1 << 20, 1 << 30])
def test_what_fits_in_memory_is_read_and_decoded_once_and_nothing_else_is_kept(packed, memory, monkeypatch):
    done: Counter[str] = Counter()
    for name in ("load", "unpack"):
        plain = getattr(PackedRows, name)

        def count(reader: PackedRows, *given, name: str = name, plain=plain):
            done[name] += 1
            return plain(reader, *given)

        monkeypatch.setattr(PackedRows, name, count)
    settings, manifest = tiny.choose(), read_manifest(packed)
    tokens = open_tokens(manifest, packed, settings)
    maker = BatchMaker(packed, manifest, settings, tokens, memory=memory)
    shards = manifest.splits["train"]
    groups, pictures = sum(len(shard.groups) for shard in shards), sum(shard.pictures for shard in shards)
    for epoch in range(4):
        for number in range(maker.count_batches(epoch)):
            assert equal(maker.make(epoch, number), open_maker(packed).make(epoch, number))
    fits = memory == 1 << 30
    assert maker.reader.keep == fits
    done.clear()
    for epoch in range(4, 6):
        list_ids(maker, epoch)
    assert done["load"] == 0 if fits else done["load"] >= groups
    assert (done["unpack"] <= pictures // 10) == fits


def test_an_epoch_reads_each_row_group_once_though_the_buffer_holds_few(packed, monkeypatch):
    maker = open_maker(packed, batch_size=2, shuffle_rows=16)
    loaded: Counter[tuple[int, int]] = Counter()
    load = maker.reader.load

    def count(shard: int, group: int):
        loaded[shard, group] += 1
        return load(shard, group)

    monkeypatch.setattr(maker.reader, "load", count)
    list_ids(maker, 0)
    assert len(loaded) > 6
    assert set(loaded.values()) == {1}


def test_no_batch_has_two_anchors_of_a_group(tmp_path):
    anchors = tiny.make_anchors(96, group_of=6)
    url = tiny.publish(str(tmp_path / "data"), anchors, tiny.make_contrasts(anchors))
    settings = tiny.choose(holdout=0, shard_rows=24)
    pack_dataset(url, str(tmp_path / "packed"), settings)
    group = {anchor.anchor_id: anchor.group for anchor in anchors}
    for ids in list_ids(open_maker(str(tmp_path / "packed"), batch_size=4), 0):
        assert len({group[each] for each in ids}) == 4
    with pytest.raises(TrainingError, match=r"a batch of 16 cannot keep the groups of equal anchors apart"):
        list_ids(open_maker(str(tmp_path / "packed"), batch_size=16), 0)


def test_negatives_are_drawn_anew_in_every_epoch_and_the_same_again(packed):
    maker = open_maker(packed, negative_texts=1, negative_images=0)

    def list_drawn(epoch: int) -> dict[str, tuple[str, ...]]:
        refs = [ref for plan in (maker._plan(epoch, 0), maker._plan(epoch, 1)) for batch in plan for ref in batch]
        examples = [maker.draw(ref, epoch) for ref in refs]
        return {each.anchor_id: tuple(drawn.text for drawn in each.negatives) for each in examples}

    first, second = list_drawn(0), list_drawn(1)
    assert all(len(texts) == 1 for texts in first.values())
    assert any(first[each] != second[each] for each in set(first) & set(second))
    assert list_drawn(0) == first


def test_a_batch_says_whose_each_row_is(packed):
    maker = open_maker(packed, objective="tripletclip")
    batch = maker.make(0, 0)
    layout = batch.layout
    assert layout.picture_sizes == (8, 16, 8)
    assert layout.text_sizes == (8, 16, 0)
    assert len(batch.pictures) == 32
    assert len(batch.tokens) == 24
    assert layout.negative_images.owner.tolist() == [each for owner in range(8) for each in (owner, owner)]
    linked = layout.negative_images.own_text
    assert (layout.negative_texts.owner[linked] == layout.negative_images.owner).all()
    assert layout.positive_images.owner.tolist() == list(range(8))
    assert set(layout.negative_texts.concreteness.tolist()) == {3.5, 4.0}


def test_own_captions_of_negative_pictures_come_only_where_a_term_reads_them(packed):
    alone = open_maker(packed, objective="mmclip", negative_texts=0).make(0, 0).layout
    assert alone.text_sizes == (8, 0, 0)
    assert (alone.negative_images.own_text == -1).all()
    linked = open_maker(packed, objective="cement", negative_texts=0).make(0, 0).layout
    assert linked.text_sizes == (8, 16, 0)
    assert (linked.negative_images.own_text >= 0).all()


def test_too_few_shards_for_the_processes_are_told(packed):
    maker = open_maker(packed, 0, 64)
    with pytest.raises(TrainingError, match="shards cannot be dealt to 64 processes"):
        maker.count_batches(0)


def test_a_shard_that_is_gone_is_told(dataset, tmp_path):
    pack_dataset(dataset, str(tmp_path), tiny.choose())
    for path in tmp_path.glob("*.pictures.parquet"):
        path.unlink()
    with pytest.raises(TrainingError, match=r"pictures.parquet cannot be read .*: pack again"):
        open_maker(str(tmp_path)).make(0, 0)


def test_a_loader_process_tells_what_is_wrong_in_one_line(dataset, tmp_path):
    pack_dataset(dataset, str(tmp_path), tiny.choose())
    for path in tmp_path.glob("*.pictures.parquet"):
        path.unlink()
    with pytest.raises(TrainingError, match=r"^[^\n]*pictures.parquet cannot be read [^\n]*: pack again$"):
        list(iterate_batches(open_maker(str(tmp_path)), 0, 0, 1))


class Killed(BatchMaker):
    """Its loader process is killed, as the kernel does where memory is short."""

    def make(self, epoch, number):  # noqa: ARG002 - it ends before it looks
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_loader_process_that_is_killed_is_told_with_the_knob(packed):
    settings = tiny.choose()
    manifest = read_manifest(packed)
    maker = Killed(packed, manifest, settings, open_tokens(manifest, packed, settings))
    with pytest.raises(TrainingError, match=r"^a loader process ended .* lower training.workers or"):
        list(iterate_batches(maker, 0, 0, 1))


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("[1, 2]", "holds shards of schema None, and this version reads 3: pack again"),
        ('{"schema": 3}', "manifest.json is no manifest of packed shards .*: pack again"),
        ('{"schema": 3, "splits": {}, "families": [], "strange": 1}', "is no manifest of packed shards .*: pack again"),
    ],
)
def test_a_manifest_of_something_else_is_told(tmp_path, written, told):
    (tmp_path / "manifest.json").write_text(written)
    with pytest.raises(TrainingError, match=told):
        read_manifest(str(tmp_path))


def test_a_run_learns_from_the_chosen_families_alone_in_the_same_order(packed):
    whole = open_maker(packed)
    chosen = open_maker(packed, learn_from=["geometry.caption"])
    none = open_maker(packed, learn_from=[])
    assert list_ids(whole, 0) == list_ids(chosen, 0) == list_ids(none, 0)
    layout = chosen.make(0, 0).layout
    assert layout.picture_sizes == (8, 0, 0)
    assert layout.text_sizes == (8, 16, 0)
    assert none.make(0, 0).layout.text_sizes == (8, 0, 0)


def test_a_family_that_is_not_packed_cannot_be_learnt_from(packed):
    with pytest.raises(TrainingError, match=r"training.learn_from: geometry.rule is not packed; there are geometry.c"):
        open_maker(packed, learn_from=["geometry.rule"])
