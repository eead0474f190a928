"""Sources: pairs in the fields of several data sets, plain problems, and bad rows with their reasons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from counterfoil.storage.rows import Anchor, Reject
from counterfoil.tasks.contract.domain import SourceError, SourceRow
from counterfoil.tasks.theorem.anchors import make_anchors, verify_anchor
from counterfoil.tasks.theorem.domain import DOMAIN
from counterfoil.tasks.theorem.settings import TheoremSettings


def read(path: Path, rows: list[Any] | str, kind: str = "pairs", **settings: Any) -> list[SourceRow | Reject]:
    text = rows if isinstance(rows, str) else "\n".join(json.dumps(row) for row in rows)
    path.write_text(text, encoding="utf-8")
    return list(DOMAIN.read(TheoremSettings(source=f"{kind}:{path}", **settings), 7, None))


def test_pairs_are_read_in_the_fields_of_several_data_sets(tmp_path: Path) -> None:
    rows = read(
        tmp_path / "pairs.jsonl",
        [
            {
                "name": "a",
                "informal": "/-- Show that $1 = 1$. -/",
                "formal": "theorem a : 1 = 1 := by\n",
                "split": "test",
            },
            {
                "module_name": ["Mathlib", "Algebra", "Group"],
                "name": ["Group", "one"],
                "signature": "theorem b : 1 = 1",
                "type": "1 = 1",
                "informal_description": "One is one, always.",
            },
            {"label": "thm:c", "statement": "Show that $2 = 2$.", "lean": "theorem c : 2 = 2"},
        ],
    )
    assert [row.payload["informal"] for row in rows if isinstance(row, SourceRow)] == [
        "Show that $1 = 1$.",
        "One is one, always.",
        "Show that $2 = 2$.",
    ]
    assert [row.payload["name"] for row in rows if isinstance(row, SourceRow)] == ["a", "Group.one", "thm:c"]
    assert [row.split for row in rows if isinstance(row, SourceRow)] == ["test", "", ""]


def test_bad_rows_are_rejects_with_reasons(tmp_path: Path) -> None:
    lines = [
        "{not json",
        "[1]",
        json.dumps({"x": 1}),
        json.dumps({"informal": "a" * 7000}),
        json.dumps({"informal": "Show that $1 = 1$.", "module_name": ["Mathlib", "Tactic", "Ring"]}),
        json.dumps({"informal": "Show that $2 = 2$."}),
        json.dumps({"informal": "Show that $2 = 2$."}),
    ]
    rows = read(tmp_path / "bad.jsonl", "\n".join(lines))
    codes = [row.reasons[0].partition(":")[0] if isinstance(row, Reject) else "" for row in rows]
    assert codes == ["bad_json", "bad_record", "no_statement", "too_long", "other_module", "", ""]


def test_problems_are_text_with_blank_lines_between(tmp_path: Path) -> None:
    rows = read(tmp_path / "problems.txt", "Show that $1 = 1$.\n\nShow that\n$2 = 2$.\n", kind="problems")
    assert [row.payload["informal"] for row in rows if isinstance(row, SourceRow)] == [
        "Show that $1 = 1$.",
        "Show that $2 = 2$.",
    ]


def test_a_source_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        list(DOMAIN.read(TheoremSettings(source=f"pairs:{tmp_path / 'no.jsonl'}"), 7, None))


def test_own_statements_do_not_depend_on_how_many_there_are() -> None:
    few = list(DOMAIN.read(TheoremSettings(source="procedural:3"), 7, None))
    many = list(DOMAIN.read(TheoremSettings(source="procedural:9"), 7, None))
    assert few == many[:3]


def test_a_rephrasing_of_the_source_is_a_view_of_the_statement(tmp_path: Path) -> None:
    first = {"informal": "Show that $1 < 2$.", "rephrasing": "Prove that $2 > 1$."}
    rows = read(tmp_path / "p.jsonl", [first, {"informal": "Show that $3 < 4$.", "rephrasing": "Show that $3 < 4$."}])
    context: Any = None
    one, same = (next(make_anchors(row, context)) for row in rows if isinstance(row, SourceRow))
    assert isinstance(one, Anchor) and isinstance(same, Anchor)
    assert [(view.name, view.text) for view in one.views] == [
        ("informal", "Show that $1 < 2$."),
        ("rephrasing", "Prove that $2 > 1$."),
    ]
    assert one.caption == "Show that $1 < 2$."
    assert verify_anchor(one, context).passed
    assert [view.name for view in same.views] == ["informal"]
    (broken,) = read(tmp_path / "p.jsonl", [{"informal": "Show that $1 < 2$.", "rephrasing": "Prove that $2 > 1."}])
    assert isinstance(broken, SourceRow)
    found = next(make_anchors(broken, context))
    assert isinstance(found, Reject) and found.reasons[0].startswith("balanced")


LEAN_FILE = """import Mathlib

open Nat

/-- Let $n$ be an even integer. Then $n^2$ is even. -/
theorem ex_1 (n : ℤ) (h : Even n) : Even (n^2) :=
sorry

theorem ex_2 (x : ℝ) -- of any sign
  : x ^ 2 ≥ 0 :=
begin
  sorry
end

@[simp] lemma ex_3 (x : ℝ) (k : ℕ := 3) : x ^ 2 + k ≥ 0 := by
  have : x = x := rfl
  sorry

def three := 3
"""


def test_lean_files_are_read_with_the_comments_before_their_theorems(tmp_path: Path) -> None:
    rows = [row.payload for row in read(tmp_path / "Book.lean", LEAN_FILE) if isinstance(row, SourceRow)]
    assert [(row["informal"], " ".join(row["formal"].split())) for row in rows] == [
        ("Let $n$ be an even integer. Then $n^2$ is even.", "theorem ex_1 (n : ℤ) (h : Even n) : Even (n^2)"),
        ("", "theorem ex_2 (x : ℝ) : x ^ 2 ≥ 0"),
        ("", "lemma ex_3 (x : ℝ) (k : ℕ := 3) : x ^ 2 + k ≥ 0"),
    ]
    rows = read(tmp_path / "f2f.jsonl", [{"informal_prefix": "/-- Show that $1 = 1$. -/", "formal_statement": "x"}])
    assert [row.payload["informal"] for row in rows if isinstance(row, SourceRow)] == ["Show that $1 = 1$."]
