"""Plain problem files."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterfoil.storage.rows import Reject
from counterfoil.tasks.contract.columns import Remark
from counterfoil.tasks.contract.domain import SourceError, SourceRow
from counterfoil.tasks.geometry.sources.problems import read_problems


def test_jsonl_and_csv_give_the_same_rows(tmp_path: Path) -> None:
    jsonl, table = tmp_path / "p.jsonl", tmp_path / "p.csv"
    jsonl.write_text('{"id": "7", "question": "How long is AB?", "answer": "5", "split": "test"}\n\n')
    table.write_text('id,question,answer,split\n7,"How long is AB?",5,test\n')
    first, second = list(read_problems(str(jsonl), "problems")), list(read_problems(str(table), "problems"))
    assert first == second
    assert isinstance(first[0], SourceRow) and first[0].split == "test"
    assert first[0].payload["question"] == "How long is AB?"


def test_bad_rows_are_rejects_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(
        '{"id": "1", "question": "q", "answer": "a"}\nnonsense\n{"id": "2", "question": " "}\n'
        '{"id": "1", "question": "q", "answer": "a"}\n{"id": "3", "question": "q", "answer": "a", "colour": "red"}\n'
    )
    read = list(read_problems(str(path), "problems"))
    reasons = [each.reasons[0] for each in read if isinstance(each, Reject)]
    assert len(read) == 6 and len(reasons) == 3
    assert reasons[0].startswith("bad_row: line 2: not JSON")
    assert reasons[1] == "bad_row: line 3: without question, answer"
    assert reasons[2] == "bad_row: line 4: the id 1 is there already"
    assert [each.text for each in read if isinstance(each, Remark)] == [
        "columns that are not read: colour (first at line 5)"
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("p.txt", "", r"give a \.jsonl or \.csv"),
        ("p.csv", "id,question\n1,q\n", "lacks the column answer"),
        ("p.csv", "id,question,answer\n", "no row follows the first line"),
        ("p.jsonl", "\n", "the file is empty"),
    ],
)
def test_a_file_that_is_no_problem_file_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(SourceError, match=message):
        list(read_problems(str(path), "problems"))


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl"])
def test_a_bad_byte_costs_its_row_and_a_byte_order_mark_none(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    rows = {
        "p.csv": b"id,question,answer\n1,How long?,5\n2,caf\xe9,5\n",
        "p.jsonl": b'{"id": "1", "question": "q", "answer": "5"}\n{"id": "2", "question": "\xe9", "answer": "5"}\n',
    }
    path.write_bytes(b"\xef\xbb\xbf" + rows[name])
    first, second = read_problems(str(path), "problems")
    assert isinstance(first, SourceRow) and isinstance(second, Reject)
    assert "not UTF-8 (byte 0xe9" in second.reasons[0]
