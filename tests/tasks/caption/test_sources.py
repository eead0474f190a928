"""Captioned pictures from files: each form is read to the same rows, each fault is a reject with the reason."""

from __future__ import annotations

import csv
import io
import json
import tarfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image as Pillow

from counterfoil.storage.rows import Anchor, Reject
from counterfoil.tasks.caption.domain import DOMAIN
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import SourceError
from counterfoil.tasks.engine.rows import make_anchors

CAPTIONS = {"a.jpg": ("A dog.", "A brown dog runs on a beach."), "b.png": ("Two cats on a red sofa.",)}


def make_picture(kind: str = "JPEG", size: tuple[int, int] = (48, 32), mode: str = "RGB", **options: Any) -> bytes:
    """A picture of noise; what is not noise could be anything."""
    pixels = np.random.default_rng(3).integers(0, 255, (size[1], size[0], 3), np.uint8)
    sink = io.BytesIO()
    picture = Pillow.fromarray(pixels)
    # Pillow converts to 16 bits by way of 32.
    picture = picture.convert("I").convert(mode) if mode == "I;16" else picture.convert(mode)
    picture.save(sink, kind, **options)
    return sink.getvalue()


PICTURES = {"a.jpg": make_picture(), "b.png": make_picture("PNG")}


def write_pictures(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in PICTURES.items():
        (folder / name).write_bytes(data)
    return folder


def write_karpathy(folder: Path) -> str:
    write_pictures(folder / "val2014")
    images = [
        {
            "filename": name,
            "filepath": "val2014",
            "split": split,
            "sentences": [{"raw": caption, "tokens": caption.split()} for caption in CAPTIONS[name]],
        }
        for name, split in zip(CAPTIONS, ("restval", "test"), strict=True)
    ]
    (folder / "dataset_coco.json").write_text(json.dumps({"images": images, "dataset": "coco"}))
    return f"coco:{folder / 'dataset_coco.json'}"


def write_jsonl(folder: Path) -> str:
    write_pictures(folder)
    lines = [json.dumps({"image": name, "captions": captions}) for name, captions in CAPTIONS.items()]
    (folder / "pairs.jsonl").write_text("\n".join(lines) + "\n\n", encoding="utf-8-sig")
    return f"pairs:{folder / 'pairs.jsonl'}"


def write_rows(folder: Path, ending: str, delimiter: str) -> str:
    write_pictures(folder)
    with (folder / f"pairs.{ending}").open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(["file_name", "caption"])
        # The captions of a picture need not stand together.
        pairs = [(name, caption) for name, captions in CAPTIONS.items() for caption in captions]
        writer.writerows([pairs[0], pairs[2], pairs[1]])
    return f"pairs:{folder / f'pairs.{ending}'}"


def write_csv(folder: Path) -> str:
    return write_rows(folder, "csv", ",")


def write_tsv(folder: Path) -> str:
    return write_rows(folder, "tsv", "\t")


def write_webdataset(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(folder / "0000.tar", "w") as archive:
        for name, captions in CAPTIONS.items():
            stem = name.split(".")[0]
            text = json.dumps({"captions": captions}).encode()
            for member, data in ((name, PICTURES[name]), (f"{stem}.json", text)):
                info = tarfile.TarInfo(f"shard/{member}")
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return f"pairs:{folder / '0000.tar'}"


def write_parquet(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {"image": {"bytes": PICTURES[name], "path": name}, "captions": list(captions)}
        for name, captions in CAPTIONS.items()
    ]
    # One row a group: cells are fetched by group and row.
    pq.write_table(pa.Table.from_pylist(rows), folder / "pairs.parquet", row_group_size=1)
    return f"pairs:{folder}"


def write_folder(folder: Path) -> str:
    write_pictures(folder / "deeper")
    for name, captions in CAPTIONS.items():
        (folder / "deeper" / name).with_suffix(".txt").write_text("\n".join(captions) + "\n")
    return f"folder:{folder}"


WRITERS: list[Callable[[Path], str]] = [
    write_karpathy,
    write_jsonl,
    write_csv,
    write_tsv,
    write_webdataset,
    write_parquet,
    write_folder,
]


def read(source: str, **settings: Any) -> list[Anchor | Reject]:
    """The anchors and rejects of a source."""
    context: Context[Any] = Context(CaptionSettings(source=source, **settings), seed=5, renderer=None)
    rows = list(DOMAIN.read(context.settings, 5, None))
    found: list[Anchor | Reject] = [row for row in rows if isinstance(row, Reject)]
    for row in rows:
        if not isinstance(row, Reject):
            found += make_anchors(DOMAIN, row, context)
    return found


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_every_form_gives_the_same_pictures_and_captions(write: Callable[[Path], str], tmp_path: Path) -> None:
    anchors = read(write(tmp_path))
    assert all(isinstance(each, Anchor) for each in anchors), anchors
    found = {each.captions: each.image.bytes for each in anchors if isinstance(each, Anchor) and each.image}
    assert found == {captions: PICTURES[name] for name, captions in CAPTIONS.items()}


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_anchors_from_files_pass_their_check(write: Callable[[Path], str], tmp_path: Path) -> None:
    source = write(tmp_path)
    context: Context[Any] = Context(CaptionSettings(source=source), seed=5, renderer=None)
    for anchor in read(source):
        assert isinstance(anchor, Anchor)
        verdict = DOMAIN.verify_anchor(anchor, context)
        assert verdict.passed, verdict.reasons


@pytest.mark.parametrize("captions", [("A dog.", "A dog."), ("A dog. ",), ("A  dog.",), ("A dog.", "")])
def test_captions_that_no_source_gives_so_are_refused(tmp_path: Path, captions: tuple[str, ...]) -> None:
    context: Context[Any] = Context(CaptionSettings(source="pairs:here"), seed=5, renderer=None)
    anchor = next(each for each in read(write_karpathy(tmp_path)) if isinstance(each, Anchor))
    verdict = DOMAIN.verify_anchor(replace(anchor, caption=captions[0], captions=captions), context)
    assert verdict.reasons[0].startswith("plain_captions: ")


def test_karpathy_s_extra_pictures_are_training_ones(tmp_path: Path) -> None:
    splits = {each.source_id: each.split for each in read(write_karpathy(tmp_path)) if isinstance(each, Anchor)}
    assert splits == {"a.jpg": "train", "b.png": "test"}


def test_the_anchor_s_caption_is_drawn_by_what_they_all_say(tmp_path: Path) -> None:
    pictures = [[f"A dog {n}.", f"A very large dog {n}.", f"A cat {n}.", f"A dog {n}.", " "] for n in range(300)]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps({"captions": each}) + "\n" for each in pictures))
    anchors = [each for each in read(f"pairs:{tmp_path / 'pairs.jsonl'}") if isinstance(each, Anchor)]
    assert [each.captions for each in anchors] == [tuple(each[:3]) for each in pictures]
    assert all(each.image is None for each in anchors)
    places = Counter(each.captions.index(each.caption or "") for each in anchors)
    assert all(75 <= places[place] <= 125 for place in range(3)), "none is drawn oftener, the longest neither"


def make_rotated() -> bytes:
    exif = Pillow.Exif()
    exif[0x0112] = 6
    return make_picture(exif=exif)


def test_a_picture_turned_by_its_exif_is_stored_upright(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(make_rotated())
    (tmp_path / "a.txt").write_text("A dog.")
    (anchor,) = read(f"folder:{tmp_path}")
    assert isinstance(anchor, Anchor) and anchor.image is not None
    with Pillow.open(io.BytesIO(anchor.image.bytes)) as picture:
        assert picture.size == (32, 48)
        assert 0x0112 not in picture.getexif()


def make_huge() -> bytes:
    """A hundred and one megapixels that pack into a few kilobytes."""
    sink = io.BytesIO()
    Pillow.new("1", (10_100, 10_000)).save(sink, "PNG")
    return sink.getvalue()


def make_animated() -> bytes:
    frames = [Pillow.new("RGB", (32, 32), colour) for colour in ("red", "blue")]
    sink = io.BytesIO()
    frames[0].save(sink, "GIF", save_all=True, append_images=frames[1:])
    return sink.getvalue()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (make_picture("PNG", (64, 64))[:2000], "picture_broken"),
        (make_picture("JPEG", (64, 64))[:1500], "picture_broken"),
        (b"GIF89a but no picture", "picture_type"),
        (b"<html>404</html>", "picture_type"),
        (b"", "picture_type"),
        (make_huge(), "picture_too_large"),
        (make_picture("PNG", (8, 8)), "picture_too_small"),
        (make_animated(), "picture_animated"),
        (make_picture("JPEG", mode="CMYK"), "picture_colours"),
        (make_picture("PNG", mode="I;16"), "picture_type"),
        (None, "picture_missing"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_picture_that_cannot_be_trusted_is_a_reject_with_the_reason(
    data: bytes | None, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "pairs.jsonl").write_text(json.dumps({"image": "a.png", "captions": ["A dog."]}))
    if data is not None:
        (tmp_path / "a.png").write_bytes(data)
    (reject,) = read(f"pairs:{tmp_path / 'pairs.jsonl'}")
    assert isinstance(reject, Reject)
    assert reject.reasons[0].startswith(f"{reason}:"), reject.reasons


@pytest.mark.parametrize("mode", ["RGBA", "P", "LA"])
def test_a_picture_with_a_palette_or_transparency_is_written_anew(mode: str, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(make_picture("PNG", mode=mode))
    (tmp_path / "a.txt").write_text("A dog.")
    (anchor,) = read(f"folder:{tmp_path}")
    assert isinstance(anchor, Anchor) and anchor.image is not None
    with Pillow.open(io.BytesIO(anchor.image.bytes)) as picture:
        assert picture.mode == "RGB"


def test_a_name_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(PICTURES["b.png"])
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "pairs.jsonl").write_text(json.dumps({"image": "../secret.png", "captions": ["A dog."]}))
    (reject,) = read(f"pairs:{tmp_path / 'in' / 'pairs.jsonl'}")
    assert isinstance(reject, Reject)
    assert reject.reasons[0].startswith("picture_missing")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{not json", "bad_json"),
        ("[1, 2]", "bad_record"),
        ('{"image": "a.png"}', "no_caption"),
        ('{"image": "a.png", "captions": ["", "  "]}', "no_caption"),
        (json.dumps({"captions": ["dog " * 600]}), "caption_too_long"),
    ],
)
def test_a_bad_line_is_a_reject_and_the_next_one_is_read(line: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(line + "\n" + json.dumps({"captions": ["A dog."]}) + "\n")
    reject, anchor = read(f"pairs:{tmp_path / 'pairs.jsonl'}")
    assert isinstance(reject, Reject) and isinstance(anchor, Anchor)
    assert reject.reasons[0].startswith(f"{reason}:")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("pairs:{folder}/none.jsonl", "no such file"),
        ("coco:{folder}/none.json", "existing file"),
        ("folder:{folder}/none", "no such folder"),
        ("folder:{folder}", "no picture"),
        ("pairs:{folder}", "no .jsonl"),
        ("coco:{folder}/bad.txt", "not JSON"),
    ],
)
def test_a_source_that_is_not_there_says_what_to_do(source: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("nothing")
    with pytest.raises(SourceError, match=message):
        read(source.format(folder=tmp_path))
