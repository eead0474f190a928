from __future__ import annotations

import copy
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from PIL import Image as Pillow

from counterfoil.flows.learning.training import describe_packed
from counterfoil.storage.rows import Image
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.packing.manifest import read_manifest
from counterfoil.tasks.training.packing.pack import open_tokens, pack_dataset
from counterfoil.tasks.training.packing.pictures import pack_picture, unpack_picture
from tests.tasks.training import tiny


def list_rows(folder: str, split: str) -> list[dict]:
    shards = read_manifest(folder).splits.get(split, ())
    return [row for shard in shards for row in pq.read_table(f"{folder}/{shard.rows_path}").to_pylist()]


@pytest.mark.parametrize("encoding", ["webp", "raw"])
def test_a_picture_is_letterboxed_and_kept_without_loss(encoding):
    sink = BytesIO()
    wide = Pillow.fromarray(np.random.default_rng(0).integers(0, 255, (20, 40, 3), np.uint8))
    wide.save(sink, "PNG")
    pixels = unpack_picture(pack_picture(sink.getvalue(), 40, encoding), 40, encoding)
    assert (pixels[10:30] == np.asarray(wide)).all()
    assert (pixels[:10] == 255).all()
    assert (pixels[30:] == 255).all()


def test_every_anchor_is_packed_once_with_all_its_contrasts(dataset, packed):
    manifest = read_manifest(packed)
    rows = [row for split in manifest.splits for row in list_rows(packed, split)]
    assert len({row["anchor_id"] for row in rows}) == len(rows) == 90
    kinds = [[manifest.families[each["kind"]] for each in row["contrasts"]] for row in rows]
    assert all(sorted(found) == sorted([*tiny.FAMILIES[:2] * 2, tiny.FAMILIES[2]]) for found in kinds)
    assert manifest.there == {
        "texts": 180,
        "images": 180,
        "linked": 180,
        "positives": 90,
        "positive_texts": 0,
        "beside": 180,
    }
    assert manifest.dataset == dataset


def test_equal_pictures_of_a_row_group_stand_once(tmp_path):
    anchors = tiny.make_anchors(20)
    shared = [replace(anchor, image=anchors[0].image) for anchor in anchors]
    url = tiny.publish(str(tmp_path / "data"), shared, tiny.make_contrasts(anchors, 1)[::3])
    manifest = pack_dataset(url, str(tmp_path / "packed"), tiny.choose(families=["geometry.caption"], holdout=0))
    assert manifest.told["pictures"] == 20
    assert manifest.told["different_pictures"] == sum(len(shard.groups) for shard in manifest.splits["train"]) == 4
    picture = unpack_picture(
        pq.read_table(tmp_path / "packed/train-00000.pictures.parquet")["bytes"][0].as_py(), 32, "webp"
    )
    assert picture.shape == (32, 32, 3)


def test_anchors_with_equal_picture_and_caption_are_packed_once(tmp_path):
    anchors = tiny.make_anchors(10)
    anchors[7] = replace(anchors[7], image=anchors[3].image, caption=anchors[3].caption)
    url = tiny.publish(str(tmp_path / "data"), anchors, tiny.make_contrasts(anchors))
    manifest = pack_dataset(url, str(tmp_path / "packed"), tiny.choose(holdout=0))
    assert (manifest.told["anchors"], manifest.told["duplicates"]) == (9, 1)


def test_whole_source_rows_and_whole_groups_are_held_out(tmp_path):
    anchors = tiny.make_anchors(60, group_of=2, per_source=3)
    url = tiny.publish(str(tmp_path / "data"), anchors, tiny.make_contrasts(anchors))
    pack_dataset(url, str(tmp_path / "packed"), tiny.choose(holdout=0.3))
    held = {row["anchor_id"] for row in list_rows(str(tmp_path / "packed"), "val")}
    assert 0 < len(held) < 60
    sides = {key: set() for anchor in anchors for key in (anchor.source_id, anchor.group)}
    for anchor in anchors:
        sides[anchor.source_id].add(anchor.anchor_id in held)
        sides[anchor.group].add(anchor.anchor_id in held)
    assert all(len(each) == 1 for each in sides.values())


def test_a_group_is_never_cut_between_shards(tmp_path):
    anchors = tiny.make_anchors(60, group_of=5)
    url = tiny.publish(str(tmp_path / "data"), anchors, tiny.make_contrasts(anchors))
    manifest = pack_dataset(url, str(tmp_path / "packed"), tiny.choose(holdout=0, shard_rows=7))
    places: dict[int, set[str]] = {}
    for shard in manifest.splits["train"]:
        for row in pq.read_table(tmp_path / "packed" / shard.rows_path).to_pylist():
            places.setdefault(row["group"], set()).add(shard.name)
    assert len(places) == 12
    assert all(len(shards) == 1 for shards in places.values())


def test_the_same_tables_give_the_same_bytes_whatever_the_threads(dataset, packed, tmp_path):
    again = pack_dataset(dataset, str(tmp_path), tiny.choose(positives=["geometry.mirror"]), workers=5)
    assert again == read_manifest(packed)


def test_what_is_packed_so_already_is_not_packed_again(dataset, tmp_path):
    pack_dataset(dataset, str(tmp_path), tiny.choose())
    path = next(Path(tmp_path).glob("train-*.rows.parquet"))
    before = path.stat().st_mtime_ns
    pack_dataset(dataset, str(tmp_path), tiny.choose(learning_rate=0.5, objective="mmclip"))
    assert path.stat().st_mtime_ns == before
    pack_dataset(dataset, str(tmp_path), tiny.choose(encoding="raw"))
    assert path.stat().st_mtime_ns > before


def test_a_negative_that_the_limit_makes_equal_to_its_anchor_is_dropped_and_counted(tmp_path):
    anchors = tiny.make_anchors(12)
    tail = " and then some more words that nobody reads"
    long = [replace(anchor, caption=anchor.caption + tail) for anchor in anchors]
    contrasts = tiny.make_contrasts(anchors, 1)
    texts = {anchor.anchor_id: anchor.caption for anchor in long}
    told = [replace(each, text=f"{texts[each.anchor_id]} at all").accept(0, ()) for each in contrasts[:2]]
    url = tiny.publish(str(tmp_path / "data"), long, [*told, *contrasts[3:]])
    manifest = pack_dataset(url, str(tmp_path / "packed"), tiny.choose(context=12, holdout=0))
    assert manifest.told["equal_after_cut"] == {"geometry.caption": 1, "geometry.image": 1}
    assert manifest.told["over_limit"]["captions"] == 12
    assert manifest.there["texts"] == 11
    assert (manifest.there["images"], manifest.there["linked"]) == (12, 11)


def test_a_tokenizer_trained_on_the_data_comes_back_from_its_folder(packed):
    manifest = read_manifest(packed)
    tokens = open_tokens(manifest, packed, tiny.choose())
    assert tokens.digest == manifest.tokens
    assert tokens.limit == 24
    ids, mask = tokens.encode(["a red square", "a red square beside the number 7"])
    assert ids[0, 0] == ids[1, 0] == tokens.tokenizer.bos_token_id
    assert mask.sum(1).tolist() == [each.index(tokens.tokenizer.eos_token_id) + 1 for each in ids.tolist()]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_ids_and_mask_are_the_tokenizers_own_whether_a_text_was_met_before_or_not(packed, side, whole, masked):
    manifest = read_manifest(packed)
    tokens = replace(open_tokens(manifest, packed, tiny.choose()), whole=whole)
    tokens.tokenizer.padding_side = side
    if not masked:
        tokens.tokenizer.model_input_names = ["input_ids"]
    own = copy.deepcopy(tokens.tokenizer)
    texts = ["a red square", "a red square beside the number 7", "", "a red square", "red " * 40]
    for asked in (texts, texts[:2], texts[::-1]):
        done = own(asked, padding="max_length" if whole else True, truncation=True, max_length=24, return_tensors="pt")
        ids, mask = tokens.encode(asked)
        assert torch.equal(ids, done["input_ids"])
        assert torch.equal(mask, done["attention_mask"] if masked else torch.ones_like(ids))


def test_a_tokenizer_keeps_so_many_texts_at_most(packed, monkeypatch):
    monkeypatch.setattr("counterfoil.tasks.training.tokens._KNOWN", 3)
    tokens = open_tokens(read_manifest(packed), packed, tiny.choose())
    whole = tokens.encode([f"a red square {number}" for number in range(5)])[0]
    for number in range(5):
        ids = tokens.encode([f"a red square {number}"])[0]
        assert torch.equal(ids[0], whole[number, : ids.shape[1]])
        assert len(tokens._known) <= 5


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"families": ["geometry.rule"]}, "has no contrasts of geometry.rule; it has geometry.caption"),
        ({"families": ["geometry.mirror"]}, "geometry.mirror has no negatives: name it in training.positives"),
        ({"positives": ["geometry.image"]}, "geometry.image has no positives"),
        ({"sample": ["geometry.caption"]}, "geometry.caption cannot be made on the fly"),
    ],
)
def test_families_that_cannot_be_packed_are_told(dataset, tmp_path, given, said):
    with pytest.raises(TrainingError, match=said):
        pack_dataset(dataset, str(tmp_path), tiny.choose(**given))


def test_a_dataset_that_is_not_there_is_told(tmp_path):
    with pytest.raises(TrainingError, match="holds no dataset: make one with `counterfoil run RECIPE`"):
        pack_dataset(str(tmp_path / "none"), str(tmp_path / "packed"), tiny.choose())


def test_a_picture_that_cannot_be_read_is_told_with_its_anchor(tmp_path):
    anchors = tiny.make_anchors(4)
    anchors[2] = replace(anchors[2], image=Image(b"no picture", "2.png"))
    url = tiny.publish(str(tmp_path / "data"), anchors, tiny.make_contrasts(anchors))
    with pytest.raises(
        TrainingError,
        match=f"anchor {anchors[2].anchor_id}: its picture: a picture cannot be read: of no known format$",
    ):
        pack_dataset(url, str(tmp_path / "packed"), tiny.choose())


def test_shards_that_are_not_there_or_of_another_schema_are_told(tmp_path):
    with pytest.raises(TrainingError, match="holds no packed shards: make them with `counterfoil pack RECIPE`"):
        read_manifest(str(tmp_path))
    (tmp_path / "manifest.json").write_text('{"schema": 99}')
    with pytest.raises(TrainingError, match="shards of schema 99, and this version reads 3: pack again"):
        read_manifest(str(tmp_path))


def test_shards_packed_for_another_model_are_told(packed):
    with pytest.raises(TrainingError, match=r"was packed for scratch, and training\.model is other"):
        open_tokens(read_manifest(packed), packed, tiny.choose(model="other"))


def test_a_role_that_comes_after_thousands_of_rows_is_found(tmp_path):
    """Which families are positives is asked of all rows: the first may be of the other role."""
    anchors = tiny.make_anchors(12)
    rows = [each for each in tiny.make_contrasts(anchors, 400) if each.family == "geometry.caption"]
    assert len(rows) > 4096
    late = replace(rows[-1], role="positive", rank=0, contrast_id="").accept(9999, ("same",))
    url = tiny.publish(str(tmp_path / "data"), anchors, [*rows[:-1], late])
    settings = tiny.choose(families=["geometry.caption"], positives=["geometry.caption"], holdout=0)
    assert pack_dataset(url, str(tmp_path / "packed"), settings).there["positives"] == 1


@pytest.mark.parametrize("taken", [[], ["undecided"], ["undecided", "unjudged"]])
def test_contrasts_that_nothing_shows_are_left_out_and_counted_unless_they_are_asked_for(taken, tmp_path):
    anchors = tiny.make_anchors(12)
    grades = ("undecided", "unjudged", "proved", "contradicts", "refuted", None)
    rows = [each for each in tiny.make_contrasts(anchors) if each.family != "geometry.mirror"]
    graded = [
        replace(each, contrast_id="").accept(each.rank, each.checks, grades[(i // 4) % 6])
        for i, each in enumerate(rows)
    ]
    url = tiny.publish(str(tmp_path / "data"), anchors, graded)
    manifest = pack_dataset(url, str(tmp_path / "packed"), tiny.choose(holdout=0, grades=taken))
    left = {grade: 8 for grade in grades[:2] if grade not in taken}
    assert manifest.told["grades"] == left
    assert manifest.there["texts"] + manifest.there["images"] == 48 - sum(left.values())
    # An anchor whose contrasts are all of such grades has none.
    assert manifest.told["left_out"] == ({"without a contrast": len(left) * 2} if left else {})
    said = "\n".join(describe_packed(manifest, tmp_path))
    assert all(f"8 {grade}" in said for grade in left)
    assert ("training.grades" in said) == bool(left)


@pytest.mark.parametrize("rating", [float("nan"), float("inf")])
def test_a_rating_that_is_no_number_is_told_with_its_row(rating, tmp_path):
    anchors = tiny.make_anchors(12)
    rows = tiny.make_contrasts(anchors)
    broken = replace(rows[0], concreteness=rating, contrast_id="").accept(0, rows[0].checks)
    url = tiny.publish(str(tmp_path / "data"), anchors, [broken, *rows[1:]])
    told = f"anchor {broken.anchor_id}: the concreteness of {broken.family}, rank 0, is {rating}, no finite number"
    with pytest.raises(TrainingError, match=told):
        pack_dataset(url, str(tmp_path / "packed"), tiny.choose(holdout=0))
