"""Cleaning writes the same rows in the same format, without what is true, and nothing over what is there."""

from __future__ import annotations

import json
from pathlib import Path

import polars
import pytest

import counterfoil
from counterfoil.tasks.foreign.clean import STANDING, WHY, clean_foreign
from counterfoil.tasks.foreign.errors import ForeignError
from counterfoil.tasks.foreign.groups import open_foreign
from tests.tasks.foreign.test_auditing import make_rows
from tests.tasks.foreign.test_reading import write

ROWS = [
    {"anchor": "A cat on a red mat.", "negative_1": "A cat on a mat.", "negative_2": "No cat on a red mat.", "n": 1},
    {"anchor": "A dog in a house.", "negative_1": "A dog in a house", "negative_2": "a dog in the house", "n": 2},
    {"anchor": "A bird in a tree.", "negative_1": "Birds sing at night.", "negative_2": "It is late.", "n": 3},
]


@pytest.mark.parametrize("ending", [".jsonl", ".json", ".csv", ".tsv", ".parquet"])
def test_true_negatives_go_and_the_format_stays(ending: str, tmp_path: Path) -> None:
    path, to = write(tmp_path / f"a{ending}", ROWS), tmp_path / f"b{ending}"
    made = clean_foreign(open_foreign(str(path)), to)
    assert (made.negatives, made.true, made.rows, made.rows_gone) == (6, 3, 2, 1)
    first, second = open_foreign(str(to)).read()
    assert [each.text for each in first.negatives] == ["No cat on a red mat."]
    assert [each.text for each in second.negatives] == ["Birds sing at night.", "It is late."]
    standings = first.row.cells[STANDING]
    assert "proved" in (standings if isinstance(standings, str) else standings[0])
    assert len(made.findings.read_text().splitlines()) == 1 + 6
    assert not list(tmp_path.glob("*.part"))


def test_nothing_is_written_over(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", ROWS)
    before = path.read_bytes()
    with pytest.raises(ForeignError, match="nothing is written over"):
        clean_foreign(open_foreign(str(path)), path)
    assert path.read_bytes() == before


def test_json_objects_keep_their_keys(tmp_path: Path) -> None:
    rows = {"7": {"caption": "A cat.", "negative_caption": "a cat"}, "9": {"caption": "Oh.", "negative_caption": "No."}}
    to = tmp_path / "b.json"
    clean_foreign(open_foreign(str(write(tmp_path / "a.json", rows))), to)
    assert list(json.loads(to.read_text())) == ["9"]


def test_labels_go_with_their_texts(tmp_path: Path) -> None:
    rows = [{"query": "A cat on a mat.", "docs": ["A cat.", "A cat on a mat", "It rains."], "labels": [1, 0, 0]}]
    to = tmp_path / "b.jsonl"
    clean_foreign(open_foreign(str(write(tmp_path / "a.jsonl", rows))), to)
    (row,) = [json.loads(line) for line in to.read_text().splitlines()]
    assert (row["docs"], row["labels"]) == (["A cat.", "It rains."], [1, 0])


def test_folder_of_datasets_stays_one(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    datasets.Dataset.from_list(ROWS).save_to_disk(str(tmp_path / "a"))
    clean_foreign(open_foreign(str(tmp_path / "a")), tmp_path / "b")
    found = datasets.load_from_disk(str(tmp_path / "b"))
    assert found["n"] == [1, 3] and found[0][STANDING] == ["proved"]


def test_refining_drops_what_gives_itself_away(tmp_path: Path) -> None:
    things = [
        f"{a} {b}" for a in ("red", "blue", "old", "new") for b in ("house", "car", "tree", "boat", "road", "hat")
    ]
    rows = [{"anchor": f"There is a {each} here.", "negative": f"Sadly no {each} at all is here."} for each in things]
    to = tmp_path / "b.jsonl"
    made = clean_foreign(open_foreign(str(write(tmp_path / "a.jsonl", rows))), to, refine=True)
    assert made.telling > len(rows) / 2 and made.rows == len(rows) - made.telling


def test_a_negative_that_gives_itself_away_does_not_take_the_others_with_it(tmp_path: Path) -> None:
    rows = [
        {"anchor": row["anchor"], "negative_1": row["negative"], "negative_2": told["negative"]}
        for row, told in zip(make_rows(120), make_rows(120, " indeed"), strict=True)
    ]
    to = tmp_path / "b.jsonl"
    clean_foreign(open_foreign(str(write(tmp_path / "a.jsonl", rows))), to, refine=True)
    left = [each.text for group in open_foreign(str(to)).read() for each in group.negatives]
    telling = sum("indeed" in each for each in left)
    assert telling < 40 and len(left) - telling > 100


def test_tables_in_memory_come_back_as_they_went() -> None:
    table = polars.DataFrame(ROWS)
    cleaned = counterfoil.clean(table)
    assert isinstance(cleaned, polars.DataFrame) and cleaned["n"].to_list() == [1, 3]
    assert cleaned.columns == [*table.columns, STANDING, WHY]
    assert [each.standing for each in counterfoil.check(table.to_pandas())][:2] == ["true", "proved"]


def test_a_table_without_rows_or_negatives_is_called_a_table() -> None:
    for table in (polars.DataFrame(ROWS).head(0), polars.DataFrame(ROWS).select("anchor", "n")):
        with pytest.raises(ForeignError, match=r"^the table has "):
            counterfoil.check(table)


def test_splits_come_back_as_splits() -> None:
    datasets = pytest.importorskip("datasets")
    rows = datasets.Dataset.from_list(ROWS)
    cleaned = counterfoil.clean(datasets.DatasetDict(train=rows, test=rows.select([2])))
    assert {name: split["n"][:] for name, split in cleaned.items()} == {"train": [1, 3], "test": [3]}
    assert len(counterfoil.check(cleaned)) == 1 + 2 + 2
    with pytest.raises(TypeError, match="and not dict"):
        counterfoil.check({"train": ROWS})


def test_mined_negatives_go_in_and_a_dataset_to_train_on_comes_out() -> None:
    datasets = pytest.importorskip("datasets")
    mined = datasets.Dataset.from_list(
        [
            {"question": "A cat on a red mat.", "answer": "A cat.", "negative": each}
            for each in ("A cat on a mat.", "Rain.")
        ]
    )
    cleaned = counterfoil.clean(mined)
    assert isinstance(cleaned, datasets.Dataset)
    triplets = cleaned.select_columns(["question", "answer", "negative"])
    assert triplets.to_list() == [{"question": "A cat on a red mat.", "answer": "A cat.", "negative": "Rain."}]


def test_a_file_without_negatives_leaves_nothing_behind(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [{"anchor": "A dog.", "negative": ""}] * 3)
    with pytest.raises(ForeignError, match="no row has an anchor and a negative"):
        clean_foreign(open_foreign(str(path)), tmp_path / "b.jsonl")
    assert [each.name for each in tmp_path.iterdir()] == ["a.jsonl"]
