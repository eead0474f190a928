"""Captions in the files that their publishers ship: COCO, Flickr30k, Conceptual Captions, folders of `datasets`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from counterfoil.storage.rows import Anchor, Reject
from counterfoil.tasks.caption.domain import DOMAIN
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.contract.domain import SourceError, SourceRow
from tests.tasks.caption.test_sources import CAPTIONS, PICTURES, read, write_pictures

LONGER = "A man in a red shirt rides a horse along the beach."


def read_told(source: str, **settings: Any) -> tuple[list[SourceRow | Reject], list[str]]:
    """The rows of a source, and what its reader remarks."""
    told: list[str] = []
    rows = list(DOMAIN.read(CaptionSettings(source=source, **settings), 7, None, told.append))
    return rows, told


def write_coco(folder: Path, name: str = "captions_val2017.json") -> str:
    images = [{"id": i, "file_name": each, "license": 4, "width": 48} for i, each in enumerate(CAPTIONS, 31)]
    annotations = [
        {"image_id": i, "id": 100 * i + k, "caption": caption}
        for i, captions in enumerate(CAPTIONS.values(), 31)
        for k, caption in enumerate(captions)
    ]
    path = folder / name
    path.write_text(json.dumps({"info": {}, "licenses": [], "images": images, "annotations": annotations}))
    return f"coco:{path}"


def test_coco_is_read_as_coco_ships_it(tmp_path: Path) -> None:
    write_pictures(tmp_path / "val2017")
    rows = read(write_coco(tmp_path), images=str(tmp_path / "val2017"))
    assert [(row.source_id, row.split, row.captions) for row in rows if isinstance(row, Anchor)] == [
        (name, "val", captions) for name, captions in CAPTIONS.items()
    ]
    assert [row.image.bytes for row in rows if isinstance(row, Anchor) and row.image] == [*PICTURES.values()]


def test_coco_without_its_pictures_gives_captions_alone_and_says_so(tmp_path: Path) -> None:
    rows, told = read_told(write_coco(tmp_path))
    assert [row.payload for row in rows if isinstance(row, SourceRow)] == [
        {"captions": [*captions], "picture": None} for captions in CAPTIONS.values()
    ]
    assert len(told) == 1 and "its captions alone are read; [caption] images = FOLDER" in told[0]


def test_a_folder_of_pictures_that_holds_none_of_them_is_no_captions_alone(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match=r"none of the first 2 pictures .* is in images = "):
        read_told(write_coco(tmp_path), images=str(tmp_path / "empty"))


def test_pictures_in_one_folder_are_found_by_their_names(tmp_path: Path) -> None:
    write_pictures(tmp_path / "all")
    images = [{"filename": name, "filepath": "val2014", "sentences": [{"raw": LONGER}]} for name in CAPTIONS]
    (tmp_path / "dataset_coco.json").write_text(json.dumps({"images": images}))
    rows = read(f"coco:{tmp_path / 'dataset_coco.json'}", images=str(tmp_path / "all"))
    assert all(isinstance(row, Anchor) and row.image for row in rows) and len(rows) == 2


def test_boxes_are_told_from_captions(tmp_path: Path) -> None:
    boxes = {"images": [{"id": 1, "file_name": "a.jpg"}], "annotations": [{"image_id": 1, "bbox": [0, 0, 1, 1]}]}
    (tmp_path / "instances_val2017.json").write_text(json.dumps(boxes))
    with pytest.raises(SourceError, match=r"give COCO's captions_\*\.json"):
        read_told(f"coco:{tmp_path / 'instances_val2017.json'}")


def test_an_image_without_captions_and_captions_without_an_image_are_rejects(tmp_path: Path) -> None:
    data = {"images": [{"id": 1, "file_name": "a.jpg"}], "annotations": [{"image_id": 2, "caption": LONGER}, {"id": 3}]}
    (tmp_path / "captions.json").write_text(json.dumps(data))
    rows, _ = read_told(f"coco:{tmp_path / 'captions.json'}")
    assert [row.reasons[0].partition(":")[0] for row in rows if isinstance(row, Reject)] == [
        *("bad_record", "no_caption", "bad_record")
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("results.csv", "image_name| comment_number| comment\na.jpg| 0| A dog .\na.jpg| 1| {0}\nb.png| 0| {1}\n"),
        ("results_20130124.token", "a.jpg#0\tA dog .\na.jpg#1\t{0}\nb.png#0\t{1}\n"),
        ("captions.txt", "image,caption\na.jpg,A dog .\na.jpg,{0}\nb.png,{1}\n"),
    ],
)
def test_flickrs_files_are_read_as_they_are_shipped(name: str, text: str, tmp_path: Path) -> None:
    write_pictures(tmp_path)
    (tmp_path / name).write_text(text.format(LONGER, "Two cats on a sofa."))
    rows = read(f"pairs:{tmp_path / name}")
    assert {row.source_id: row.captions for row in rows if isinstance(row, Anchor)} == {
        "a.jpg": ("A dog .", LONGER),
        "b.png": ("Two cats on a sofa.",),
    }


def test_conceptual_captions_are_read_without_fetching_anything(tmp_path: Path) -> None:
    path = tmp_path / "Train_GCC-training.tsv"
    path.write_text(
        "a very typical bus station\thttp://example.org/1.jpg\nsierra looked stunning\thttps://x.org/2.jpg\n"
    )
    rows, told = read_told(f"pairs:{path}")
    assert [row.payload["captions"] for row in rows if isinstance(row, SourceRow)] == [
        ["a very typical bus station"],
        ["sierra looked stunning"],
    ]
    assert len(told) == 1 and "nothing is fetched" in told[0]


def test_columns_of_other_names_are_named_in_the_recipe(tmp_path: Path) -> None:
    write_pictures(tmp_path)
    lines = [
        {"photo": name, "alt": captions[0], "text": "unrelated", "licence": "x"} for name, captions in CAPTIONS.items()
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, lines)))
    rows, told = read_told(f"pairs:{tmp_path / 'rows.jsonl'}", columns={"image": "photo", "captions": "alt"})
    assert [(row.payload["captions"], row.payload["picture"]) for row in rows if isinstance(row, SourceRow)] == [
        ([captions[0]], {"file": name}) for name, captions in CAPTIONS.items()
    ]
    assert told == ["columns that are not read: licence (first at rows.jsonl:1)"]


def test_a_column_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("image,caption\na.jpg,A dog.\n")
    with pytest.raises(
        SourceError, match=r"no column 'alt', which \[caption\] columns names for captions; there are: i"
    ):
        read_told(f"pairs:{tmp_path / 'rows.csv'}", columns={"captions": "alt"})


def test_a_folder_that_datasets_saved_is_read_with_its_pictures(tmp_path: Path) -> None:
    pictures = [{"bytes": PICTURES[name], "path": name} for name in CAPTIONS]
    table = pa.table({"image": pictures, "captions": [*map(list, CAPTIONS.values())], "url": ["u", "v"]})
    with (
        pa.OSFile(str(tmp_path / "data-00000-of-00001.arrow"), "wb") as sink,
        pa.ipc.new_stream(sink, table.schema) as to,
    ):
        to.write_table(table)
    rows = read(f"pairs:{tmp_path}")
    assert [row.image.bytes for row in rows if isinstance(row, Anchor) and row.image] == [*PICTURES.values()]


def test_a_broken_file_in_a_folder_is_one_reject_and_alone_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"\x00\x01 no Parquet")
    (tmp_path / "b.jsonl").write_text(json.dumps({"captions": [LONGER]}))
    rows, _ = read_told(f"pairs:{tmp_path}")
    assert isinstance(rows[0], Reject) and rows[0].reasons[0].startswith("file_unreadable: ")
    assert isinstance(rows[1], SourceRow)
    with pytest.raises(SourceError, match="cannot be read as Parquet"):
        read_told(f"pairs:{tmp_path / 'a.parquet'}")
