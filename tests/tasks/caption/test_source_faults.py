"""Sources that hold what they should not: each fault is one reject that names it, and the next row is read."""

from __future__ import annotations

import io
import json
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image as Pillow
from PIL import ImageCms
from PIL.PngImagePlugin import PngInfo

from counterfoil.storage.rows import Anchor, Reject
from counterfoil.tasks.caption.sources.pictures import check_picture
from counterfoil.tasks.contract.domain import SourceError
from tests.tasks.caption.test_sources import make_picture, read

GOOD = {"captions": ["A dog runs."]}

BAD_CAPTIONS: list[Any] = [
    [None, 3, {"a": 1}],
    [None],
    ["A dog.", None],
    ["A dog.", 3],
    ["A dog.", True],
    ["A dog.", float("nan")],
    ["A dog.", ["A cat."]],
    ["A dog.", {}],
    [{"raw": None}],
    [{"raw": 3}],
    [{"raw": ["A dog."]}],
    {"raw": "A dog."},
    3,
    True,
    float("nan"),
    ["A dog\x00."],
    ["A \x1bdog."],
    ["A dog\x9f."],
    ["A dog\ud800."],
]


@pytest.mark.parametrize("captions", BAD_CAPTIONS, ids=repr)
def test_captions_that_are_no_texts_are_rejected_by_name(captions: Any, tmp_path: Path) -> None:
    lines = [json.dumps({"captions": captions}), json.dumps(GOOD)]
    (tmp_path / "pairs.jsonl").write_text("\n".join(lines))
    reject, anchor = read(f"pairs:{tmp_path / 'pairs.jsonl'}")
    assert isinstance(reject, Reject) and isinstance(anchor, Anchor)
    assert reject.reasons[0].startswith("bad_caption: captions"), reject.reasons


@pytest.mark.parametrize("captions", [[], "", ["", "  "], None, [{"raw": ""}]], ids=repr)
def test_a_record_without_words_has_no_caption(captions: Any, tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(json.dumps({"captions": captions}))
    (reject,) = read(f"pairs:{tmp_path / 'pairs.jsonl'}")
    assert isinstance(reject, Reject)
    assert reject.reasons[0].startswith("no_caption")


@pytest.mark.parametrize("captions", ["A dog.", ["A dog."], [{"raw": "A dog."}], [{"caption": "A dog.", "id": 3}]])
def test_captions_are_texts_or_objects_that_hold_one(captions: Any, tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(json.dumps({"captions": captions}))
    (anchor,) = read(f"pairs:{tmp_path / 'pairs.jsonl'}")
    assert isinstance(anchor, Anchor) and anchor.captions == ("A dog.",)


@pytest.mark.parametrize(
    "picture",
    [
        {"bytes": "a"},
        {"bytes": "aGVsbG8="},
        {"bytes": "!!", "path": "a.png"},
        {},
        [],
        ["a.png"],
        "",
        "  ",
        0,
        3,
        True,
        False,
        float("nan"),
        "a\x00.png",
        {"path": 3},
    ],
    ids=repr,
)
def test_a_picture_that_is_no_path_is_rejected_and_never_left_out(picture: Any, tmp_path: Path) -> None:
    lines = [json.dumps({"image": picture, **GOOD}), json.dumps(GOOD)]
    (tmp_path / "pairs.jsonl").write_text("\n".join(lines))
    reject, anchor = read(f"pairs:{tmp_path / 'pairs.jsonl'}")
    assert isinstance(reject, Reject) and isinstance(anchor, Anchor)
    assert reject.reasons[0].startswith("bad_picture: image is"), reject.reasons


@pytest.mark.parametrize("field", [{"id": [1]}, {"id": True}, {"id": {"a": 1}}, {"split": ["train"]}, {"split": 3}])
def test_names_that_are_no_names_are_rejected(field: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(json.dumps({**GOOD, **field}))
    (reject,) = read(f"pairs:{tmp_path / 'pairs.jsonl'}")
    assert isinstance(reject, Reject)
    assert reject.reasons[0].startswith(f"bad_record: {next(iter(field))} is"), reject.reasons


@pytest.mark.parametrize("line", ["[" * 100_000, '{"captions": ' + "9" * 5000 + "}", '{"a":' * 60_000])
def test_a_line_that_no_reader_gets_through_is_one_reject(line: str, tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(line + "\n" + json.dumps(GOOD) + "\n")
    reject, anchor = read(f"pairs:{tmp_path / 'pairs.jsonl'}")
    assert isinstance(reject, Reject) and isinstance(anchor, Anchor)
    assert reject.reasons[0].startswith("bad_json")


def test_the_same_faults_are_found_in_karpathy_s_form_and_in_tables(tmp_path: Path) -> None:
    images = [
        {"filename": "a.jpg", "sentences": [None, 3, {"raw": "A dog."}]},
        {"filename": "b.jpg", "sentences": [{"raw": 3}]},
        {"filename": "c.jpg", "filepath": 3, "sentences": [{"raw": "A dog."}]},
    ]
    (tmp_path / "k.json").write_text(json.dumps({"images": images}))
    reasons = [each.reasons[0] for each in read(f"coco:{tmp_path / 'k.json'}") if isinstance(each, Reject)]
    assert [reason.partition(":")[0] for reason in reasons] == ["bad_caption", "bad_caption", "bad_picture"]
    table = pa.table({"captions": [["A dog.", None], ["A cat.", "Two\x07 cats."], ["A cow."]]})
    pq.write_table(table, tmp_path / "pairs.parquet")
    pq.write_table(pa.table({"caption": [3, 4]}), tmp_path / "qairs.parquet")
    found = read(f"pairs:{tmp_path}")
    assert [each.captions for each in found if isinstance(each, Anchor)] == [("A cow.",)]
    assert len(found) == 5
    assert all(each.reasons[0].startswith("bad_caption") for each in found if isinstance(each, Reject))


# Files that lead elsewhere, or that are none.


def fill(folder: Path, captions: bool = True) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "z.png").write_bytes(make_picture("PNG"))
    if captions:
        (folder / "z.txt").write_text("A dog runs.")


def link_text(folder: Path, outside: Path) -> None:
    (folder / "a.png").write_bytes(make_picture("PNG"))
    (folder / "a.txt").symlink_to(outside / "z.txt")


def link_picture(folder: Path, outside: Path) -> None:
    (folder / "a.png").symlink_to(outside / "z.png")
    (folder / "a.txt").write_text("A cat.")


def link_folder(folder: Path, outside: Path) -> None:
    (folder / "a").symlink_to(outside, target_is_directory=True)


def pipe_text(folder: Path, _: Path) -> None:
    (folder / "a.png").write_bytes(make_picture("PNG"))
    os.mkfifo(folder / "a.txt")


def pipe_picture(folder: Path, _: Path) -> None:
    os.mkfifo(folder / "a.png")
    (folder / "a.txt").write_text("A cat.")


def link_device(folder: Path, _: Path) -> None:
    (folder / "a.png").write_bytes(make_picture("PNG"))
    (folder / "a.txt").symlink_to("/dev/zero")


def link_in_a_circle(folder: Path, _: Path) -> None:
    (folder / "a.png").write_bytes(make_picture("PNG"))
    (folder / "a.txt").symlink_to(folder / "b.txt")
    (folder / "b.txt").symlink_to(folder / "a.txt")


def write_gigabyte(folder: Path, _: Path) -> None:
    (folder / "a.png").write_bytes(make_picture("PNG"))
    with (folder / "a.txt").open("wb") as file:
        file.truncate(2**30)


def write_huge_picture(folder: Path, _: Path) -> None:
    with (folder / "a.png").open("wb") as file:
        file.truncate(2**30)
    (folder / "a.txt").write_text("A cat.")


@pytest.mark.parametrize(
    "plant",
    [
        link_text,
        link_picture,
        link_folder,
        pipe_text,
        pipe_picture,
        link_device,
        link_in_a_circle,
        write_gigabyte,
        write_huge_picture,
    ],
    ids=lambda plant: plant.__name__,
)
def test_a_file_that_is_not_the_folder_s_own_is_one_reject(plant: Any, tmp_path: Path) -> None:
    fill(tmp_path / "in")
    fill(tmp_path / "out")
    plant(tmp_path / "in", tmp_path / "out")
    found = read(f"folder:{tmp_path / 'in'}")
    rejects = [each for each in found if isinstance(each, Reject)]
    assert len(rejects) == 1 and len(found) == 2, found
    code = rejects[0].reasons[0].partition(":")[0]
    assert code in ("file_refused", "picture_missing", "picture_too_large", "bad_record"), rejects[0].reasons


@pytest.mark.parametrize("name", ["../out/z.png", "/etc/hostname", "sub/../../out/z.png", "link/z.png", "pipe.png"])
def test_a_picture_named_outside_of_the_folder_is_refused(name: str, tmp_path: Path) -> None:
    fill(tmp_path / "in")
    fill(tmp_path / "out")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "out", target_is_directory=True)
    os.mkfifo(tmp_path / "in" / "pipe.png")
    (tmp_path / "in" / "pairs.jsonl").write_text(json.dumps({"image": name, **GOOD}))
    (reject,) = read(f"pairs:{tmp_path / 'in' / 'pairs.jsonl'}")
    assert isinstance(reject, Reject)
    assert reject.reasons[0].startswith("picture_missing"), reject.reasons


def test_tables_that_lead_out_of_a_folder_are_refused_and_the_others_read(tmp_path: Path) -> None:
    for folder in (tmp_path / "in", tmp_path / "out"):
        folder.mkdir()
        (folder / "z.jsonl").write_text(json.dumps(GOOD))
    (tmp_path / "in" / "a.jsonl").symlink_to(tmp_path / "out" / "z.jsonl")
    os.mkfifo(tmp_path / "in" / "b.jsonl")
    (tmp_path / "in" / "c").symlink_to(tmp_path / "out", target_is_directory=True)
    found = read(f"pairs:{tmp_path / 'in'}")
    assert [isinstance(each, Anchor) for each in found] == [False, False, False, True]
    assert all(each.reasons[0].startswith("file_refused") for each in found if isinstance(each, Reject))


@pytest.mark.parametrize("kind", ["coco", "pairs"])
def test_a_source_that_is_a_pipe_is_refused_at_once(kind: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    with pytest.raises(SourceError, match="no ordinary file"):
        read(f"{kind}:{tmp_path / 'a.jsonl'}")


# What hangs on a picture.

SECRET = b"SECRET-OF-THE-CAMERA"


def encode(picture: Pillow.Image, kind: str, **options: Any) -> bytes:
    sink = io.BytesIO()
    picture.save(sink, kind, **options)
    return sink.getvalue()


def make_exif(orientation: int = 1) -> Pillow.Exif:
    exif = Pillow.Exif()
    exif[0x010F] = SECRET.decode()
    exif[0x0112] = orientation
    return exif


def make_profile(space: Any = "sRGB") -> bytes:
    return ImageCms.ImageCmsProfile(ImageCms.createProfile(space)).tobytes()


def insert_segment(jpeg: bytes, marker: int, content: bytes) -> bytes:
    return jpeg[:2] + bytes((0xFF, marker)) + struct.pack(">H", len(content) + 2) + content + jpeg[2:]


def insert_chunk(png: bytes, name: bytes, content: bytes) -> bytes:
    body = name + content
    return png[:33] + struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body)) + png[33:]


def list_burdened() -> dict[str, bytes]:
    picture = Pillow.open(io.BytesIO(make_picture("PNG"))).convert("RGB")
    text = PngInfo()
    text.add_text("Author", SECRET.decode())
    text.add_itxt("XML:com.adobe.xmp", SECRET.decode(), zip=False)
    jpeg, png = encode(picture, "JPEG"), encode(picture, "PNG")
    progressive = encode(picture, "JPEG", progressive=True, restart_marker_blocks=2)
    return {
        "exif": encode(picture, "JPEG", exif=make_exif()),
        "turned": encode(picture, "JPEG", exif=make_exif(6)),
        "comment": encode(picture, "JPEG", comment=SECRET),
        "xmp": encode(picture, "JPEG", xmp=SECRET),
        "profile": encode(picture, "JPEG", icc_profile=make_profile() + SECRET),
        "app13": insert_segment(jpeg, 0xED, b"Photoshop 3.0\0" + SECRET),
        "jfif thumbnail": insert_segment(jpeg, 0xE0, b"JFXX\0" + SECRET),
        "progressive": insert_segment(progressive, 0xE1, b"Exif\0\0" + SECRET),
        "after the end": jpeg + SECRET,
        "png text": encode(picture, "PNG", pnginfo=text),
        "png exif": encode(picture, "PNG", exif=make_exif()),
        "png turned": encode(picture, "PNG", exif=make_exif(8)),
        "png profile": encode(picture, "PNG", icc_profile=make_profile()),
        "png chunk": insert_chunk(png, b"prVt", SECRET),
        "png after the end": png + SECRET,
        "png palette": encode(picture.convert("P"), "PNG", pnginfo=text, icc_profile=make_profile()),
        "webp": encode(picture, "WEBP", exif=make_exif(), xmp=SECRET, icc_profile=make_profile()),
        "tiff": encode(picture, "TIFF", exif=make_exif(), icc_profile=make_profile()),
    }


@pytest.mark.parametrize("name", list_burdened())
def test_what_is_stored_is_the_picture_and_nothing_else(name: str) -> None:
    data = list_burdened()[name]
    kept, ending = check_picture(data)
    assert SECRET not in kept
    with Pillow.open(io.BytesIO(kept)) as stored, Pillow.open(io.BytesIO(data)) as given:
        assert not stored.getexif()
        assert not {"icc_profile", "exif", "xmp", "comment", "Author", "XML:com.adobe.xmp"} & set(stored.info)
        upright = Pillow.Image.rotate(given, {6: 270, 8: 90}.get(given.getexif().get(0x0112, 1), 0), expand=True)
        assert stored.size == upright.size
        assert (np.asarray(stored.convert("RGB")) == np.asarray(upright.convert("RGB"))).all()
        # The coded pixels are kept, not coded anew.
        anew = "turned" in name or "palette" in name or given.format not in ("JPEG", "PNG")
        assert anew or (stored.format == given.format and len(kept) <= len(data))
    # As years later: what is stored is found as it would be stored.
    assert check_picture(kept) == (kept, ending)


def test_colours_of_another_profile_are_shown_in_srgb() -> None:
    red_one = Pillow.new("RGB", (32, 32), (200, 30, 30))
    swapped = make_profile().replace(b"\0s\0R\0G\0B", b"\0x\0R\0G\0B")
    swapped = swapped.replace(b"rXYZ", b"----", 1).replace(b"gXYZ", b"rXYZ", 1).replace(b"----", b"gXYZ", 1)
    kept, ending = check_picture(encode(red_one, "JPEG", icc_profile=swapped, quality=100))
    with Pillow.open(io.BytesIO(kept)) as stored:
        red, green, _ = stored.getpixel((16, 16))  # type: ignore[misc]
    assert ending == "png" and green > red + 80
    with pytest.raises(ValueError, match="picture_colours"):
        check_picture(encode(red_one, "PNG", icc_profile=make_profile("LAB")))
    with pytest.raises(ValueError, match="picture_colours"):
        check_picture(encode(red_one, "PNG", icc_profile=b"no profile"))


def test_a_picture_without_metadata_is_kept_byte_for_byte() -> None:
    for data in (make_picture("JPEG"), make_picture("PNG"), make_picture("WEBP"), make_picture("JPEG", mode="L")):
        assert check_picture(data)[0] == data
