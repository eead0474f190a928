"""`counterfoil.Triplets`: what it yields, and who reads what."""

from __future__ import annotations

import io
from collections import Counter

import pytest

torch = pytest.importorskip("torch")

import counterfoil
from counterfoil.storage.dataset import Dataset
from tests.storage import storage_cases as cases

SHARDS = 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    """Twenty anchors in five files, ten of them in the train split; three negatives of two families each."""
    url = str(tmp_path_factory.mktemp("triplets") / "night")
    Dataset(url).publish(cases.stage_run(url, "one", SHARDS))
    return url


def first_pixel(picture) -> tuple[int, ...]:
    return picture.getpixel((0, 0))


def keep(batch: list) -> list:
    return batch


def read(triplets, workers: int = 0, context: str | None = None) -> list:
    loader = torch.utils.data.DataLoader(
        triplets, batch_size=3, num_workers=workers, collate_fn=keep, multiprocessing_context=context
    )
    return [each for batch in loader for each in batch]


def test_a_triplet_is_an_anchor_with_its_own_negatives(folder):
    from PIL import Image

    data = counterfoil.open(folder)
    anchors = {row.caption: row for row in data.anchors.rows()}
    contrasts = list(data.contrasts.rows())
    got = read(counterfoil.Triplets(folder, transform=first_pixel, split=None))
    assert Counter(each.caption for each in got) == Counter(dict.fromkeys(anchors, 1))
    for image, caption, negative_captions, negative_images in got:
        anchor = anchors[caption]
        own = [row for row in contrasts if row.anchor_id == anchor.anchor_id]
        assert image == Image.open(io.BytesIO(anchor.image.bytes)).getpixel((0, 0))
        assert negative_captions == [row.text for row in own if row.family == "geometry.caption"]
        pictures = [row.image.bytes for row in own if row.family == "geometry.image"]
        assert negative_images == [Image.open(io.BytesIO(each)).getpixel((0, 0)) for each in pictures]


def test_only_the_split_and_families_that_are_asked_for_come(folder):
    got = read(counterfoil.Triplets(folder, ["geometry.image"]))
    train = {row.caption for row in counterfoil.open(folder).anchors.rows() if row.split == "train"}
    assert {each.caption for each in got} == train
    assert all(each.negative_captions == [] and len(each.negative_images) == 3 for each in got)


def test_n_draws_other_negatives_in_another_epoch_and_the_same_again(folder):
    triplets = counterfoil.Triplets(folder, ["geometry.caption"], n=1)
    passes = []
    for epoch in (0, 1, 0):
        triplets.set_epoch(epoch)
        passes.append({each.caption: each.negative_captions for each in triplets})
    assert passes[0] == passes[2] != passes[1]
    assert all(len(negatives) == 1 for each in passes for negatives in each.values())


def test_anchors_with_fewer_than_n_are_left_out_and_counted(folder):
    with pytest.raises(
        counterfoil.StorageError, match="left out are 10 of another split, 10 with fewer than 4 negative t"
    ):
        counterfoil.Triplets(folder, ["geometry.caption"], n=4)
    assert counterfoil.Triplets(folder, ["geometry.caption"], n=3).left_out == {"of another split": 10}


@pytest.mark.parametrize(
    ("ranks", "workers", "context"),
    [(3, 0, None), (3, 3, "fork"), pytest.param(1, 2, "spawn", marks=pytest.mark.slow)],
)
def test_workers_and_ranks_read_each_anchor_once_between_them(folder, ranks, workers, context):
    got: Counter[str] = Counter()
    for rank in range(ranks):
        part = counterfoil.Triplets(folder, split=None, rank=rank, ranks=ranks)
        captions = [each.caption for each in read(part, workers, context)]
        assert len(captions) == len(part) == 20 // ranks
        got.update(captions)
    assert len(got) == 20 // ranks * ranks
    assert set(got.values()) == {1}


@pytest.mark.parametrize("epochs", [3, pytest.param(6, marks=pytest.mark.slow)])
def test_the_anchors_left_over_between_ranks_are_others_in_another_epoch(folder, epochs):
    missed = set()
    everyone = {row.caption for row in counterfoil.open(folder).anchors.rows()}
    for epoch in range(epochs):
        seen: set[str] = set()
        for rank in range(3):
            part = counterfoil.Triplets(folder, split=None, rank=rank, ranks=3)
            part.set_epoch(epoch)
            seen |= {each.caption for each in part}
        missed |= everyone - seen
    assert len(missed) > 2


def test_the_rank_is_found_in_torchruns_environment(folder, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    found = counterfoil.Triplets(folder, split=None)
    assert (found.rank, found.ranks, len(found)) == (1, 2, 10)


def test_without_shuffling_the_order_is_that_of_the_table(folder):
    in_order = [row.caption for row in counterfoil.open(folder).anchors.rows()]
    assert [each.caption for each in counterfoil.Triplets(folder, split=None, shuffle=False)] == in_order
    assert [each.caption for each in counterfoil.Triplets(folder, split=None)] != in_order


def batches(triplets, workers: int) -> list[list[tuple]]:
    loader = torch.utils.data.DataLoader(triplets, batch_size=3, num_workers=workers, collate_fn=keep)
    return [[(each.caption, each.negative_captions) for each in batch] for batch in loader]


@pytest.mark.parametrize("workers", [1, 2])
def test_with_its_batch_size_the_batches_are_the_same_for_any_number_of_workers(folder, workers):
    triplets = counterfoil.Triplets(folder, n=2, split=None, transform=first_pixel, batch_size=3)
    alone = batches(triplets, 0)
    assert [len(each) for each in alone] == [3] * 6 + [2]
    assert batches(triplets, workers) == alone


@pytest.mark.parametrize("workers", [0, 2])
def test_a_pass_goes_on_in_the_middle_of_an_epoch_with_the_batches_that_were_left(folder, workers):
    triplets = counterfoil.Triplets(folder, n=2, split=None, transform=first_pixel, batch_size=3)
    triplets.set_epoch(4)
    whole = batches(triplets, 0)
    triplets.set_epoch(4, start=3)
    assert len(triplets) == 11
    assert batches(triplets, workers) == whole[3:]


def test_an_epoch_reads_each_block_of_files_once(folder):
    triplets = counterfoil.Triplets(folder, split=None, buffer=4)
    loaded: Counter[int] = Counter()
    load = triplets._chosen.source.load

    def count(shard: int, group: int):
        loaded[group] += 1
        return load(shard, group)

    triplets._chosen.source.load = count
    assert len(list(triplets)) == 20
    # Of the five blocks of four anchors at most three are cut between two of the four streams.
    assert len(loaded) == 5
    assert loaded.total() <= 8


@pytest.fixture(scope="module")
def packed(folder, tmp_path_factory) -> str:
    """The same dataset packed."""
    from counterfoil.tasks.training.packing.pack import pack_dataset
    from counterfoil.tasks.training.settings import TrainingSettings

    to = str(tmp_path_factory.mktemp("packed"))
    settings = TrainingSettings(resolution=16, vocabulary=600, holdout=0, shard_rows=4, group_rows=2)
    pack_dataset(folder, to, settings)
    return to


def test_packed_shards_give_the_triplets_of_their_dataset_at_their_resolution(folder, packed):
    def tell(path: str) -> dict:
        return {
            each.caption: (each.negative_captions, len(each.negative_images), each.image)
            for each in counterfoil.Triplets(path, split=None, transform=lambda picture: (picture.size, picture.mode))
        }

    theirs, ours = tell(folder), tell(packed)
    assert {caption: each[:2] for caption, each in theirs.items()} == {c: each[:2] for c, each in ours.items()}
    assert {each[2] for each in ours.values()} == {((16, 16), "RGB")}


def test_packed_shards_are_chosen_from_and_counted_like_tables(folder, packed):
    asked = {"families": ["geometry.image"], "n": 2, "rank": 1, "ranks": 2}
    theirs, ours = (counterfoil.Triplets(path, **asked) for path in (folder, packed))
    assert (len(ours), ours.left_out, ours.families) == (len(theirs), theirs.left_out, theirs.families)
    assert [len(each.negative_images) for each in ours] == [2] * 5
    with pytest.raises(counterfoil.StorageError, match="left out are 10 of another split, 10 with fewer than 4 negat"):
        counterfoil.Triplets(packed, n=4)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"families": ["geometry.x"]}, "has no geometry.x: it has geometry.caption, geometry.image"),
        ({"split": "test"}, "Its splits are train, val"),
        ({"versions": {"contrasts": 0}}, "versions are of a dataset's tables, and .* holds packed shards of"),
    ],
)
def test_what_packed_shards_do_not_have_is_told(packed, asked, told):
    with pytest.raises((counterfoil.StorageError, ValueError), match=told):
        counterfoil.Triplets(packed, **asked)


def test_a_shard_that_is_gone_is_told(packed, tmp_path):
    import shutil

    shutil.copytree(packed, tmp_path / "packed")
    triplets = counterfoil.Triplets(str(tmp_path / "packed"))
    for path in (tmp_path / "packed").glob("*.pictures.parquet"):
        path.unlink()
    with pytest.raises(counterfoil.StorageError, match=r"pictures.parquet cannot be read .*: pack again"):
        next(iter(triplets))


def test_a_folder_of_neither_is_told(tmp_path):
    with pytest.raises(counterfoil.StorageError, match="holds neither a dataset nor packed shards"):
        counterfoil.Triplets(str(tmp_path))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"families": ["geometry.x"]}, "has no geometry.x: it has geometry.caption, geometry.image"),
        ({"n": 0}, "n is 0"),
        ({"buffer": 0}, "buffer is 0 and batch_size 1"),
        ({"split": "test"}, "Its splits are train, val"),
        ({"rank": 3, "ranks": 2}, "rank 3 of 2"),
        ({"rank": 1}, "give rank and ranks both"),
    ],
)
def test_what_cannot_be_had_is_told_with_what_can(folder, asked, told):
    with pytest.raises((counterfoil.StorageError, ValueError), match=told):
        counterfoil.Triplets(folder, **asked)


def test_a_family_of_positives_is_refused_by_name(tmp_path):
    from dataclasses import replace

    from counterfoil.storage.schemas import to_table
    from counterfoil.storage.staged import StagedShards

    url = str(tmp_path / "night")
    anchors = cases.make_anchors("one", 0)
    rows = [replace(row, role="positive") for row in cases.make_contrasts(anchors, "geometry.mirror", 1)]
    key = "ab" * 32
    StagedShards(url).write(
        key,
        {
            "anchors/domain=geometry": to_table(anchors, "anchors"),
            "contrasts/family=geometry.mirror": to_table(rows, "contrasts"),
        },
    )
    Dataset(url).publish({"anchors/domain=geometry": [key], "contrasts/family=geometry.mirror": [key]})
    with pytest.raises(counterfoil.StorageError, match=r"geometry\.mirror makes hard positives"):
        counterfoil.Triplets(url, ["geometry.mirror"])
    with pytest.raises(counterfoil.StorageError, match="has no family of negatives"):
        counterfoil.Triplets(url)
