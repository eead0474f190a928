"""Exports as their readers find them: triplets, WebDataset samples, the Hub's card, Croissant."""

from __future__ import annotations

import io
import json
import tarfile
from collections import Counter
from dataclasses import replace

import pyarrow.parquet as pq
import pytest
import storage_cases as cases
from PIL import Image as Pillow

from counterfoil.storage.dataset import Dataset, StorageError
from counterfoil.storage.export import export
from counterfoil.storage.rows import Image
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards


@pytest.fixture(scope="module")
def dataset(tmp_path_factory) -> Dataset:
    made = Dataset(str(tmp_path_factory.mktemp("formats") / "night"))
    made.publish(cases.stage_run(made.store.url, "one"), metadata={"recipe": {"seed": 7}})
    return made


@pytest.fixture(autouse=True)
def _offline(monkeypatch, tmp_path):
    for name, value in {"HF_DATASETS_OFFLINE": "1", "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf")}.items():
        monkeypatch.setenv(name, value)


def read_tars(folder) -> dict[str, dict[str, bytes]]:
    """All samples of all tars below ``folder``: key to extension to bytes."""
    samples: dict[str, dict[str, bytes]] = {}
    for path in folder.rglob("*.tar"):
        with tarfile.open(path) as tar:
            for member in tar:
                key, _, ending = member.name.partition(".")
                samples.setdefault(key, {})[ending] = tar.extractfile(member).read()
    return samples


def test_a_triplet_row_holds_its_anchor_and_all_its_contrasts_by_rank(dataset, tmp_path):
    export(dataset, tmp_path / "out", "triplets")
    rows = {
        row["anchor_id"]: row
        for path in (tmp_path / "out").rglob("*.parquet")
        for row in pq.read_table(path).to_pylist()
    }
    anchors = {anchor.anchor_id: anchor for anchor in dataset.anchors()}
    assert set(rows) == set(anchors)
    for anchor_id, row in rows.items():
        assert row["caption"] == anchors[anchor_id].caption
        assert row["image"]["bytes"] == anchors[anchor_id].image.bytes
        own = [each for each in dataset.contrasts() if each.anchor_id == anchor_id]
        texts = [each.text for each in own if each.modality == "text"]
        pictures = [each.image.bytes for each in own if each.modality == "image"]
        assert row["negative_captions"] == texts
        assert [each["bytes"] for each in row["negative_images"]] == pictures
        assert row["negative_image_families"] == ["geometry.image"] * 3
        assert row["positive_images"] == []


def stage_kinds(url: str) -> Dataset:
    """Three anchors: one with a caption and a code as negatives, one with an undecided one, one with none."""
    anchors = cases.make_anchors("one", 0, 3)
    caption, code, undecided = (
        cases.make_contrasts(anchors[:1], "geometry.caption", 1)[0],
        replace(cases.make_contrasts(anchors[:1], "geometry.rule", 1)[0], text="flowchart TD", code="flowchart TD"),
        replace(cases.make_contrasts(anchors[1:2], "geometry.rule", 1)[0], grade="undecided"),
    )
    positive = replace(cases.make_contrasts(anchors[2:], "geometry.other", 1)[0], role="positive")
    rows = {"geometry.caption": [caption], "geometry.rule": [code, undecided], "geometry.other": [positive]}
    tables = {"anchors/domain=geometry": to_table(anchors, "anchors")}
    tables |= {f"contrasts/family={name}": to_table(own, "contrasts") for name, own in rows.items()}
    StagedShards(url).write("ab" * 32, tables)
    made = Dataset(url)
    made.publish({key: ["ab" * 32] for key in tables}, metadata={})
    return made


def read_triplets(folder) -> list[dict]:
    return [row for path in folder.rglob("*.parquet") for row in pq.read_table(path).to_pylist()]


def test_captions_and_codes_have_columns_of_their_own_and_rows_without_negatives_are_counted(tmp_path):
    made = stage_kinds(str(tmp_path / "night"))
    written = export(made, tmp_path / "out", "triplets")
    rows = sorted(read_triplets(tmp_path / "out"), key=lambda row: -len(row["negative_codes"]))
    assert [row["negative_codes"] for row in rows] == [["flowchart TD"], []]
    assert [len(row["negative_captions"]) for row in rows] == [1, 1]
    assert all("flowchart" not in text for row in rows for text in row["negative_captions"])
    assert rows[0]["negative_code_families"] == ["geometry.rule"] and rows[1]["negative_caption_grades"] == [
        "undecided"
    ]
    assert written.left_out == {"anchors without a negative": 1}
    assert "left out: anchors without a negative 1" in str(written) and "undecided 1" in str(written)


@pytest.mark.parametrize("format", ["hf", "triplets", "webdataset"])
def test_contrasts_of_other_grades_are_left_out_where_asked_and_counted(tmp_path, format):
    made = stage_kinds(str(tmp_path / "night"))
    written = export(made, tmp_path / "out", format, grades=["proved"])
    assert written.left_out["contrasts of grade undecided"] == 1
    assert "undecided" not in written.grades
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "| `geometry.rule` | undecided |" not in card
    with pytest.raises(StorageError, match="no grade 'proven'"):
        export(made, tmp_path / "other", format, grades=["proven"])


def test_hugging_face_shows_the_pictures_of_a_triplets_row(dataset, tmp_path):
    from datasets import load_dataset

    export(dataset, tmp_path / "out", "triplets", scale=0.5)
    rows = load_dataset(str(tmp_path / "out"), "triplets", cache_dir=str(tmp_path / "cache"))
    assert {name: len(split) for name, split in rows.items()} == {"train": 6, "val": 6}
    row = rows["train"][0]
    assert row["image"].size == row["negative_images"][2].size == (12, 8)
    assert isinstance(row["negative_images"][0], Pillow.Image)


def test_every_webdataset_sample_has_a_picture_a_text_and_columns(dataset, tmp_path):
    export(dataset, tmp_path / "out", "webdataset")
    samples = read_tars(tmp_path / "out")
    assert Counter(tuple(sorted(each)) for each in samples.values()) == {("json", "png", "txt"): 12 + 72}
    anchors = {anchor.anchor_id: anchor for anchor in dataset.anchors()}
    for row in dataset.contrasts("geometry.caption"):
        sample = samples[row.contrast_id]
        assert sample["png"] == anchors[row.anchor_id].image.bytes
        assert sample["txt"].decode() == row.text
        told = json.loads(sample["json"])
        assert (told["picture_of"], told["text_of"]) == ("anchor", "contrast")


def test_the_webdataset_library_decodes_every_sample(dataset, tmp_path):
    webdataset = pytest.importorskip("webdataset")

    export(dataset, tmp_path / "out", "webdataset")
    tars = [str(path) for path in (tmp_path / "out").rglob("*.tar")]
    samples = list(webdataset.WebDataset(tars, shardshuffle=False).decode("pil").to_tuple("png", "txt", "json"))
    assert len(samples) == 84
    assert all(picture.size == (24, 16) and text and "anchor_id" in row for picture, text, row in samples)


@pytest.mark.parametrize(("formats", "ending"), [(("JPEG", "JPEG"), "jpg"), (("JPEG", "PNG"), "png")])
def test_pictures_of_two_kinds_come_under_one_key(tmp_path, formats, ending):
    anchors = []
    for kind, anchor in zip(formats, cases.make_anchors("one", 0, 2), strict=True):
        sink = io.BytesIO()
        Pillow.new("RGB", (8, 8), "red").save(sink, kind)
        anchors.append(replace(anchor, image=Image(sink.getvalue(), "a." + kind.lower())))
    url = str(tmp_path / "night")
    StagedShards(url).write("ab" * 32, {"anchors/domain=geometry": to_table(anchors, "anchors")})
    Dataset(url).publish({"anchors/domain=geometry": ["ab" * 32]})
    export(url, tmp_path / "out", "webdataset")
    for sample in read_tars(tmp_path / "out").values():
        assert set(sample) == {"json", "txt", ending}
        picture = Pillow.open(io.BytesIO(sample[ending]))
        assert picture.format == {"jpg": "JPEG", "png": "PNG"}[ending]
        assert picture.convert("RGB").getpixel((4, 4))[0] > 250


@pytest.mark.parametrize("format", ["hf", "triplets", "webdataset"])
def test_the_card_is_read_by_the_hubs_own_classes(dataset, tmp_path, format):
    from datasets.utils.metadata import MetadataConfigs
    from huggingface_hub import DatasetCard

    told = {"geometry": ["image-to-text", "visual-question-answering"]}
    export(dataset, tmp_path / "out", format, licence="Apache-2.0", tasks=told)
    card = DatasetCard.load(tmp_path / "out" / "README.md")
    assert card.data.license == "apache-2.0"
    assert card.data.language == ["en"]
    assert card.data.size_categories == ["n<1K"]
    assert card.data.task_categories == ["image-to-text", "visual-question-answering"]
    expected = {"hf": {"anchors", "contrasts", *cases.FAMILIES}, "triplets": {"triplets"}, "webdataset": set()}[format]
    assert set(MetadataConfigs.from_dataset_card_data(card.data)) == expected
    for heading in ("Samples", "Families", "Checks", "Limits", "Licences", "Citation"):
        assert f"\n## {heading}\n" in card.text
    assert "| `geometry.image` | `differs` |" in card.text
    for place in ("samples/geometry-anchor.png", "samples/geometry-negative.png"):
        assert f"]({place})" in card.text
        assert Pillow.open(tmp_path / "out" / place).size == (24, 16)


def test_what_a_row_says_cannot_write_markdown_into_the_card(tmp_path):
    url = str(tmp_path / "night")
    caption = "<script>x</script> | `a` [link](http://x) **b** ![i](j)"
    (anchor,) = [replace(each, caption=caption) for each in cases.make_anchors("one", 0, 1)]
    contrasts = cases.make_contrasts([anchor], "geometry.image", 1)
    StagedShards(url).write(
        "ab" * 32,
        {
            "anchors/domain=geometry": to_table([anchor], "anchors"),
            "contrasts/family=geometry.image": to_table(contrasts, "contrasts"),
        },
    )
    Dataset(url).publish({key: ["ab" * 32] for key in ("anchors/domain=geometry", "contrasts/family=geometry.image")})
    export(url, tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text()
    for raw in ("<script>", "`a`", "[link]", "**b**", "![i]"):
        assert raw not in card
    assert "&lt;script&gt;x&lt;/script&gt;" in card


def test_a_licence_that_the_hub_does_not_know_is_refused_before_anything_is_written(dataset, tmp_path):
    with pytest.raises(StorageError, match=r"did you mean 'cc-by-4\.0'"):
        export(dataset, tmp_path / "out", licence="CC BY 4.0")
    assert not (tmp_path / "out").exists()


def test_only_material_of_our_own_is_given_our_licence(dataset, tmp_path):
    export(dataset, tmp_path / "foreign")
    assert '\nlicense: "unknown"\n' in (tmp_path / "foreign" / "README.md").read_text()
    url = str(tmp_path / "ours")
    anchors = [replace(each, source="procedural") for each in cases.make_anchors("one", 0)]
    StagedShards(url).write("ab" * 32, {"anchors/domain=geometry": to_table(anchors, "anchors")})
    Dataset(url).publish({"anchors/domain=geometry": ["ab" * 32]})
    export(url, tmp_path / "own")
    assert '\nlicense: "apache-2.0"\n' in (tmp_path / "own" / "README.md").read_text()


@pytest.mark.parametrize("format", ["hf", "triplets"])
def test_croissant_metadata_is_valid_and_reads_the_rows(dataset, tmp_path, format):
    mlcroissant = pytest.importorskip("mlcroissant")

    export(dataset, tmp_path / "out", format)
    metadata = mlcroissant.Dataset(jsonld=tmp_path / "out" / "croissant.json")
    assert list(metadata.metadata.ctx.issues.errors) == []
    table = "anchors" if format == "hf" else "triplets"
    record = f"{table}/geometry/train-00000"
    rows = list(metadata.records(record))
    assert len(rows) == 6
    captions = {anchor.caption for anchor in dataset.anchors()}
    assert {row[f"{record}/caption"].decode() for row in rows} < captions
    assert rows[0][f"{record}/image"].size == (24, 16)


@pytest.mark.parametrize("format", ["triplets", "webdataset"])
def test_rejects_are_exported_as_tables_only(dataset, tmp_path, format):
    with pytest.raises(StorageError, match="has no form for rejects: export them with --format hf"):
        export(dataset, tmp_path / "out", format, rejects=True)
