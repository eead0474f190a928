"""Exports: what Hugging Face datasets, duckdb and tar readers find in them."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from importlib.metadata import version
from pathlib import Path

import pytest
import storage_cases as cases
from PIL import Image as Pillow

from counterfoil.storage.card import LIES_PATH, read_measured
from counterfoil.storage.dataset import Dataset, StorageError
from counterfoil.storage.export import export
from counterfoil.storage.pictures import PictureChange
from counterfoil.storage.rows import Image


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    url = str(tmp_path_factory.mktemp("export") / "night")
    made = Dataset(url)
    made.publish(cases.stage_run(url, "one"), metadata={"recipe": {"seed": 7}, "host": "secret-host"})
    return made


@pytest.fixture(autouse=True)
def _offline(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "hf" / "datasets"))


def _hash_all(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_load_dataset_shows_the_pictures_of_plain_parquet(dataset, tmp_path):
    from datasets import load_dataset

    export(dataset, tmp_path / "out")
    files = [str(path) for path in (tmp_path / "out" / "anchors").rglob("*.parquet")]
    rows = load_dataset("parquet", data_files=files, split="train", cache_dir=str(tmp_path / "cache"))

    assert isinstance(rows[0]["image"], Pillow.Image)
    by_id = {anchor.anchor_id: anchor for anchor in dataset.anchors()}
    assert len(rows) == len(by_id)
    for row in rows:
        original = Pillow.open(io.BytesIO(by_id[row["anchor_id"]].image.bytes))
        assert row["image"].tobytes() == original.tobytes()
    assert rows[0]["facts"][0]["arguments"] == ["A", "B"]


def test_load_dataset_of_the_folder_has_a_config_per_table_and_family(dataset, tmp_path):
    from datasets import get_dataset_config_names, load_dataset

    export(dataset, tmp_path / "out", rejects=True)
    folder = str(tmp_path / "out")

    assert set(get_dataset_config_names(folder)) == {"anchors", "contrasts", "rejects", *cases.FAMILIES}
    images = load_dataset(folder, "geometry.image", cache_dir=str(tmp_path / "cache"))
    assert set(images) == {"train", "val"}
    assert isinstance(images["train"][0]["image"], Pillow.Image)
    everything = load_dataset(folder, "contrasts", cache_dir=str(tmp_path / "cache"))
    assert sum(len(split) for split in everything.values()) == 72


def test_a_contrast_is_in_the_split_of_its_anchor(dataset, tmp_path):
    import pyarrow.parquet as pq

    export(dataset, tmp_path / "out")
    splits = {anchor.anchor_id: anchor.split for anchor in dataset.anchors()}
    files = list((tmp_path / "out" / "contrasts").rglob("*.parquet"))
    assert files
    for file in files:
        for anchor_id in pq.read_table(file)["anchor_id"].to_pylist():
            assert file.name.startswith(splits[anchor_id] + "-")


def test_duckdb_reads_an_export_in_one_line(dataset, tmp_path):
    import duckdb

    export(dataset, tmp_path / "out")
    query = f"select family, count(*) from '{tmp_path}/out/contrasts/**/*.parquet' group by family order by family"
    assert duckdb.sql(query).fetchall() == [(family, 36) for family in cases.FAMILIES]


@pytest.mark.parametrize("format", ["hf", "webdataset"])
def test_an_export_is_the_same_bytes_each_time(dataset, tmp_path, format):
    for name in ("a", "b"):
        export(dataset, tmp_path / name, format=format, rotate=30, scale=0.5)
    assert _hash_all(tmp_path / "a") == _hash_all(tmp_path / "b")


def test_webdataset_shards_hold_picture_text_and_columns(dataset, tmp_path):
    export(dataset, tmp_path / "out", format="webdataset", file_bytes=2000)
    tars = sorted((tmp_path / "out" / "contrasts" / "geometry.image").glob("train-*.tar"))
    assert len(tars) > 1
    samples = {}
    for path in tars:
        with tarfile.open(path) as tar:
            for member in tar:
                key, _, extension = member.name.partition(".")
                samples.setdefault(key, {})[extension] = tar.extractfile(member).read()
    expected = {row.contrast_id: row for row in dataset.contrasts("geometry.image")}
    splits = {anchor.anchor_id: anchor.split for anchor in dataset.anchors()}
    assert set(samples) == {key for key, row in expected.items() if splits[row.anchor_id] == "train"}
    for key, sample in samples.items():
        assert sample["png"] == expected[key].image.bytes
        assert sample["txt"].decode() == expected[key].text
        assert json.loads(sample["json"])["edits"][0]["kind"] == "label"


def test_load_dataset_reads_the_tar_shards(dataset, tmp_path):
    from datasets import load_dataset

    export(dataset, tmp_path / "out", format="webdataset")
    files = [str(path) for path in (tmp_path / "out" / "anchors").rglob("*.tar")]
    rows = load_dataset("webdataset", data_files=files, split="train", cache_dir=str(tmp_path / "cache"))
    assert isinstance(rows[0]["png"], Pillow.Image)
    assert len(rows) == 12


def test_rotation_is_clockwise_and_keeps_every_corner_on_white():
    sink = io.BytesIO()
    picture = Pillow.new("RGB", (100, 100), "black")
    picture.paste((255, 0, 0), (40, 0, 60, 20))  # A red mark at twelve o'clock.
    picture.save(sink, "PNG")
    turned = PictureChange(rotate=30).apply(Image(sink.getvalue(), "a.jpg"))
    result = Pillow.open(io.BytesIO(turned.bytes))

    assert turned.path == "a.png"
    assert result.size[0] > 130
    assert result.getpixel((0, 0)) == (255, 255, 255)
    # Twelve o'clock, 40 px from the centre, comes to one o'clock: 20 px right of it and 35 px above.
    centre = result.width / 2
    assert result.getpixel((round(centre + 20), round(centre - 35))) == (255, 0, 0)
    dark = sum(pixel[0] < 128 for pixel in result.get_flattened_data())
    assert abs(dark - 9600) < 250


def test_half_scale_halves_each_side_and_transparency_becomes_white():
    sink = io.BytesIO()
    Pillow.new("RGBA", (41, 20), (0, 0, 0, 0)).save(sink, "PNG")
    result = Pillow.open(io.BytesIO(PictureChange(scale=0.5).apply(Image(sink.getvalue(), "a.png")).bytes))
    assert result.size == (20, 10)
    assert result.getpixel((5, 5)) == (255, 255, 255)


def test_changed_pictures_leave_no_svg_that_disagrees(dataset, tmp_path):
    import pyarrow.parquet as pq

    export(dataset, tmp_path / "out", scale=0.5)
    (file, *_) = (tmp_path / "out" / "contrasts" / "geometry.image").glob("*.parquet")
    row = pq.read_table(file).to_pylist()[0]
    assert Pillow.open(io.BytesIO(row["image"]["bytes"])).size == (12, 8)
    assert row["vector"] is None


def test_the_card_tells_counts_families_licences_and_making(dataset, tmp_path):
    export(
        dataset,
        tmp_path / "out",
        licence="cc-by-4.0",
        source_licences={"one": "MIT"},
        descriptions={"geometry.caption": "edited captions"},
    )
    card = (tmp_path / "out" / "README.md").read_text()
    import yaml
    from datasets.utils.metadata import MetadataConfigs  # Hugging Face's own reader of the front matter
    from huggingface_hub import DatasetCardData

    front = yaml.safe_load(card.split("---")[1])
    assert front["license"] == "cc-by-4.0"
    assert DatasetCardData(**front).license == "cc-by-4.0"
    assert set(MetadataConfigs.from_dataset_card_data(DatasetCardData(**front))) >= {"anchors", "contrasts"}
    assert "| `geometry.caption` | negative text | 36 | 3.00 | edited captions |" in card
    assert "| `geometry.image` | `not_visible` | 3 |" in card
    assert "| `one` | MIT |" in card
    assert '"seed": 7' in card
    assert "secret-host" not in card
    assert "| `edits` |" in card
    caught = {each["rows"]: f"{each['caught']} of {each['planted']} (" for each in read_measured()["lies"]}
    assert (
        f"| geometry | figures made by rules, version {version('counterfoil')} | {caught['figures made by rules']}"
        in card
    )
    assert "| theorem |" not in card


def test_the_card_tells_what_was_measured_on_the_dataset_itself(tmp_path):
    dataset = Dataset(str(tmp_path / "night"))
    dataset.publish(cases.stage_run(dataset.store.url, "one"))
    share = {"planted": 50, "caught": 49, "low": 0.895, "high": 0.996}
    told = {"domains": {"geometry": {"visible": share, "refused": 0, "honest": 1200}}}
    dataset.store.write(LIES_PATH, json.dumps(told).encode())
    export(dataset, tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text()
    assert "| geometry | this dataset | 49 of 50 (89.5 to 99.6 %) | 0 of 1,200 |" in card
    assert "figures made by rules" not in card


def test_the_front_page_tells_the_sum_of_the_figures_that_the_package_ships():
    lies = read_measured()["lies"]
    planted, caught = (sum(each[key] for each in lies) for key in ("planted", "caught"))
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    assert f"[of {planted:,} lies planted in its tables {caught:,} were found](benchmarks/README.md#lies)" in readme


def test_an_export_refuses_a_folder_with_files_and_leaves_nothing_behind(dataset, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("keep")
    with pytest.raises(StorageError, match="is not empty: give a new or empty folder"):
        export(dataset, tmp_path / "full")
    with pytest.raises(StorageError, match="no export format 'csv': use hf, triplets, webdataset"):
        export(dataset, tmp_path / "csv", format="csv")
    with pytest.raises(StorageError, match="scale is 0"):
        export(dataset, tmp_path / "small", scale=0)
    with pytest.raises(StorageError, match="has no rows to export"):
        export(str(tmp_path / "nothing"), tmp_path / "empty")
    assert [path.name for path in tmp_path.iterdir() if path.name != "hf"] == ["full"]


def test_an_export_that_fails_half_way_leaves_no_folder(tmp_path):
    url = str(tmp_path / "broken")
    from counterfoil.storage.schemas import to_table
    from counterfoil.storage.staged import StagedShards

    bad = [*cases.make_anchors("one", 0)[:1], cases.make_anchors("one", 1)[0]]
    bad[1] = type(bad[1])(
        **{**{f: getattr(bad[1], f) for f in bad[1].__slots__}, "image": Image(b"no picture", "x.png")}
    )
    StagedShards(url).write("ab" * 8, {"anchors/domain=geometry": to_table(bad, "anchors")})
    Dataset(url).publish({"anchors/domain=geometry": ["ab" * 8]})

    with pytest.raises(StorageError, match=r"x\.png: a picture cannot be read"):
        export(url, tmp_path / "out", rotate=30)
    assert [path.name for path in tmp_path.iterdir() if path.name != "hf"] == ["broken"]
