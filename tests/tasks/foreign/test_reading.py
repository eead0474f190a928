"""Files of others, as their publishers write them: what is taken as what, and what is said of what cannot be read."""

from __future__ import annotations

import csv
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from counterfoil.tasks.foreign import files
from counterfoil.tasks.foreign.errors import ForeignError
from counterfoil.tasks.foreign.groups import Group, open_foreign
from counterfoil.tasks.foreign.pages import find_largest_page

DOG, CAT, BIRD = "A dog on a mat.", "A cat on a mat.", "A bird on a mat."


def write(path: Path, rows: Any) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows), encoding="utf-8")
    elif path.suffix == ".parquet":
        pa.parquet.write_table(pa.Table.from_pylist(rows), path)
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, rows[0].keys(), delimiter="\t" if path.suffix == ".tsv" else ",")
            table.writeheader()
            table.writerows(rows)
    return path


def read(path: Path, **options: Any) -> list[Group]:
    return list(open_foreign(str(path), **options).read())


LAYOUTS = {
    "sentence-transformers triplets.jsonl": [{"anchor": DOG, "positive": "A dog.", "negative": CAT}],
    "sentence-transformers with names of the source.jsonl": [{"question": DOG, "reply": "A dog.", "negative": CAT}],
    "n-tuples.parquet": [{"query": DOG, "answer": "A dog.", "negative_1": CAT, "negative_2": BIRD}],
    "labelled pairs.csv": [
        {"query": DOG, "passage": "A dog.", "label": 1},
        {"query": DOG, "passage": "A cat is on it.", "label": 0},
    ],
    "labelled lists.jsonl": [{"query": DOG, "docs": ["A dog.", CAT], "labels": [1, 0]}],
    "MTEB reranking.jsonl": [{"query": DOG, "positive": ["A dog."], "negative": [CAT, BIRD]}],
    "SugarCrepe.json": {"0": {"filename": "1.jpg", "caption": DOG, "negative_caption": CAT}},
    "SugarCrepe++.json": [
        {"id": 0, "filename": "1.jpg", "caption": DOG, "caption2": "A dog.", "negative_caption": CAT}
    ],
    "ARO relations.json": [{"image_id": "1", "relation_name": "on", "true_caption": DOG, "false_caption": CAT}],
    "ARO order.json": [{"image": "1.jpg", "caption_options": [DOG, "A mat on a dog.", CAT]}],
    "VALSE.json": {"v1": {"image_file": "1.jpg", "caption": DOG, "foil": CAT, "mturk": {"caption": 3}}},
    "Winoground.jsonl": [{"id": 0, "caption_0": DOG, "caption_1": CAT, "image_0": "a", "image_1": "b", "tag": "x"}],
    "NegCLIP.csv": [{"title": DOG, "filepath": "1.jpg", "neg_caption": str([CAT, BIRD])}],
    "open_clip with negatives.tsv": [{"filepath": "1.jpg", "title": DOG, "negative": CAT}],
    "triplets without names.jsonl": [[DOG, "A dog.", CAT]],
    "captions of a picture as a list.jsonl": [{"caption": [DOG, "A dog."], "negative": CAT}],
    "columns.json": {"anchor": [DOG, DOG], "positive": ["A dog.", "A dog."], "negative": [CAT, BIRD]},
    "columns of pandas.json": {"anchor": {"0": DOG}, "positive": {"0": "A dog."}, "negative": {"0": CAT}},
    "preferences.jsonl": [{"prompt": DOG, "chosen": "A dog.", "rejected": CAT}],
    "passages.jsonl": [{"query": DOG, "pos": [{"title": "", "text": "A dog."}], "neg": [{"title": "", "text": CAT}]}],
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_are_read_by_their_columns(name: str, tmp_path: Path) -> None:
    groups = read(write(tmp_path / name.replace(" ", "_"), LAYOUTS[name]))
    negatives = [each.text for group in groups for each in group.negatives]
    assert {group.anchor for group in groups} == {DOG}
    assert set(negatives) & {CAT, "A cat is on it."} and DOG not in negatives and "A dog." not in negatives
    told = {text for group in groups for text in group.positives}
    assert told == ({"A dog."} if "A dog." in json.dumps(LAYOUTS[name]) else set())


def test_a_table_of_semicolons_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"anchor;negative\n{DOG};{CAT}\n")
    assert [each.anchor for each in read(tmp_path / "a.csv")] == [DOG]


def test_positives_of_lists_and_labels_are_told_apart(tmp_path: Path) -> None:
    (group,) = read(write(tmp_path / "a.jsonl", LAYOUTS["labelled lists.jsonl"]))
    assert group.positives == ("A dog.",) and [each.place for each in group.negatives] == [1]


def test_folder_of_datasets_is_read(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    rows = {"train": datasets.Dataset.from_list(LAYOUTS["MTEB reranking.jsonl"] * 3)}
    datasets.DatasetDict(rows).save_to_disk(str(tmp_path / "rows"))
    assert len(read(tmp_path / "rows")) == 3


def test_what_was_understood_is_three_lines(tmp_path: Path) -> None:
    rows = [{"id": 1, "caption": DOG, "foil": CAT}, {"id": 2, "caption": "", "foil": CAT}]
    reading = open_foreign(str(write(tmp_path / "a.jsonl", rows)))
    assert len(list(reading.read())) == 1
    assert reading.describe() == [
        "rows: 2, 1 read",
        "columns: anchor = caption, negative = foil; not used: id",
        "left out: no text in the anchor's column: 1 (first: a.jsonl row 2)",
    ]


def test_columns_are_overruled(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [{"caption": DOG, "x": BIRD, "y": CAT}])
    with pytest.raises(ForeignError, match=r"the columns caption, x, y, and none of them holds negatives"):
        open_foreign(str(path))
    (group,) = read(path, columns={"anchor": "x", "negative": "caption y"})
    assert group.anchor == BIRD and [each.text for each in group.negatives] == [DOG, CAT]
    with pytest.raises(ForeignError, match="no column 'z'"):
        open_foreign(str(path), {"negative": "z"})
    with pytest.raises(ForeignError, match="'wrong' is nothing a column can be"):
        open_foreign(str(path), {"wrong": "x"})


def test_broken_rows_are_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    good = json.dumps({"anchor": DOG, "negative": CAT}).encode()
    path = tmp_path / "a.jsonl"
    huge = b'{"anchor": "' + b"x" * (17 << 20) + b'", "negative": "y"}'
    path.write_bytes(b"\n".join([good, b"{torn", b"\xff\xfe", huge, b"3", b"", good]) + b"\n")
    reading = open_foreign(str(path))
    assert len(list(reading.read())) == 2
    assert sum(reading.left_out.values()) == 4 and reading.rows == 6
    assert any("over 16 MB" in why for why in reading.left_out)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.json", "{", "no JSON"),
        ("a.json", "3", "neither an array of rows"),
        ("a.json", "[]", "no rows that can be read"),
        ("a.jsonl", "", "no rows that can be read"),
        ("a.jsonl", "{\n{\n", "row 1: no JSON"),
        ("a.csv", "a,a\n1,2\n", "each once"),
        ("a.csv", "anchor,negative\n1\n", "row 1: 1 cells where 2 columns"),
        ("a.parquet", "PAR1 no", "a.parquet"),
        ("a.txt", "x", "not a file of rows"),
    ],
)
def test_files_that_cannot_be_read_say_why(name: str, content: str, told: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(ForeignError, match=told):
        read(tmp_path / name)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_huge_cell_fills_no_memory_and_its_row_is_left_out(name: str, tmp_path: Path) -> None:
    """256 MB in one cell, of which the disk holds nothing: it is passed over in pieces."""
    path = tmp_path / name
    begun, ended = (b"anchor,negative\n", b"\n") if name == "a.csv" else (b"", b"\n")
    good = b"A dog.,A cat.\n" if name == "a.csv" else b'{"anchor": "A dog.", "negative": "A cat."}\n'
    with path.open("wb") as file:
        file.write(begun + b"x")
        file.seek(256 << 20, 1)
        file.write(ended + good)
    tracemalloc.start()
    reading = open_foreign(str(path))
    assert [group.anchor for group in reading.read()] == ["A dog."]
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 128 << 20
    assert reading.describe()[2].startswith("left out: a line of over 16 MB: 1")


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_a_huge_cell_of_a_table_in_columns_fills_no_memory(kind: str, tmp_path: Path) -> None:
    """160 MB in one cell: of Parquet the row group that it is in is left out, unread, of Arrow its row."""
    path = tmp_path / f"a.{kind}"
    texts = pa.array([DOG, "x" * (160 << 20), BIRD], pa.large_string())
    table = pa.table({"anchor": texts, "negative": [CAT] * 3})
    if kind == "parquet":
        pa.parquet.write_table(table, path, row_group_size=2)
    else:
        with pa.ipc.new_file(str(path), table.schema) as file:
            file.write_table(table)
    del table, texts
    before = pa.total_allocated_bytes()
    pool = pa.default_memory_pool()
    tracemalloc.start()
    reading = open_foreign(str(path))
    assert [group.anchor for group in reading.read()] == ([BIRD] if kind == "parquet" else [DOG, BIRD])
    assert tracemalloc.get_traced_memory()[1] < 64 << 20 and pool.bytes_allocated() - before < 64 << 20
    tracemalloc.stop()
    told = (
        "in a row group with a page of over 128 MB, as a cell is too long: 2" if kind == "parquet" else "over 16 MB: 1"
    )
    assert told in reading.describe()[2]


@pytest.mark.parametrize(("version", "compression"), [("1.0", "snappy"), ("2.0", "zstd"), ("1.0", "none")])
def test_pages_of_a_file_in_columns_are_measured(version: str, compression: str, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    texts = [f"{n} " * (n % 180) + ("x" * (20 << 20) if n == 70_000 else "") for n in range(100_000)]
    table = pa.table({"text": texts, "list": [[each] * 2 for each in texts[:50_000]] * 2})
    pa.parquet.write_table(
        table, path, row_group_size=60_000, data_page_version=version, compression=compression, use_dictionary=False
    )
    groups = pa.parquet.read_metadata(path)
    sizes = [[find_largest_page(path, groups.row_group(n).column(c)) for c in range(2)] for n in range(2)]
    assert sizes[0][0] < 2 << 20 and sizes[0][1] < 4 << 20 and 20 << 20 < sizes[1][0] < 22 << 20


def test_an_array_that_is_too_large_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_MOST_JSON", 1000)
    path = write(tmp_path / "a.json", [{"anchor": DOG, "negative": CAT}] * 100)
    with pytest.raises(ForeignError, match=r"is read whole, and this has over .*write a row a line"):
        read(path)
    path.write_text("\n".join(json.dumps({"anchor": DOG, "negative": CAT}) for _ in range(100)))
    assert len(read(path)) == 100


def test_rows_that_stand_there_before_are_counted(tmp_path: Path) -> None:
    reading = open_foreign(str(write(tmp_path / "a.jsonl", [{"anchor": DOG, "negative": CAT}] * 30)))
    assert len(list(reading.read())) == 30
    assert reading.describe()[0] == "rows: 30, 30 read, 29 of them as an earlier one"


def test_missing_file_and_empty_folder_say_why(tmp_path: Path) -> None:
    with pytest.raises(ForeignError, match="no such file"):
        open_foreign(str(tmp_path / "a.jsonl"))
    with pytest.raises(ForeignError, match="which holds nothing"):
        open_foreign(str(tmp_path))


def test_pictures_are_found_by_name_and_counted_where_missing(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.png").write_bytes(b"one")
    path = write(tmp_path / "a.jsonl", [{"caption": DOG, "image": "a.png", "negative_image": "b.png", "negative": CAT}])
    reading = open_foreign(str(path), pictures=tmp_path / "pictures")
    (group,) = reading.read(with_pictures=True)
    assert group.picture == b"one" and [each.text for each in group.negatives] == [CAT]
    assert reading.pictures_missing == 1 and "pictures not found: 1" in reading.describe()[2]
