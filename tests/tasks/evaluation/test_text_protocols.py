"""The benchmarks of theorems by their authors' rules, each trap of theirs as a test."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from counterfoil.tasks.encoders import load_encoder
from counterfoil.tasks.evaluation.benchmark import Benchmark, Options
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.evaluate import MODEL, Entry, Sheet, evaluate
from counterfoil.tasks.evaluation.outcomes import Figure
from counterfoil.tasks.evaluation.protocols import load_benchmark
from tests.tasks.evaluation import folders
from tests.tasks.evaluation.scorers import Given, at


def load(name: str, folder: Path, **options) -> Benchmark:
    return load_benchmark(f"{name}:{folder}", Options(**options))


def score(benchmark: Benchmark, encoder) -> Sheet:
    return evaluate(benchmark, [Entry(encoder, MODEL)], blind=False)


def figures(sheet: Sheet, task: str, kind: str = MODEL) -> dict[str, Figure]:
    (table,) = [table for table in sheet.tables if table.task == task]
    return {figure.name: figure for row in table.rows if row.kind == kind for figure in row.figures}


def theorem(name: str) -> dict[str, str]:
    return {"informal_description": f"informal {name}", "type": f"type {name}", "signature": f"theorem {name}"}


def write_theorems(folder: Path, **splits: list[str]) -> Path:
    for split, names in splits.items():
        folders.write(folder / f"{split}.jsonl", [theorem(name) for name in names])
    return folder


def test_queries_are_of_the_test_split_and_the_corpus_is_of_all_in_six_directions(tmp_path):
    benchmark = load("theorems", write_theorems(tmp_path, train=["a", "b", "c"], val=["d"], test=["e", "f"]))
    assert [task.name for task in benchmark.tasks] == [
        "informal to type",
        "type to informal",
        "informal to signature",
        "signature to informal",
        "type to signature",
        "signature to type",
    ]
    for task in benchmark.tasks:
        first, _, second = task.name.partition(" to ")
        shown = {"informal": "informal", "type": "type", "signature": "theorem"}
        asked = [benchmark.material.text_of(node) for node in task.query.tolist()]
        corpus = [benchmark.material.text_of(node) for node in task.documents.tolist()]
        assert asked == [f"{shown[first]} {name}" for name in "ef"]
        assert corpus == [f"{shown[second]} {name}" for name in "abcdef"]
        assert [columns.tolist() for columns in task.relevant] == [[4], [5]]


def test_the_instruction_stands_before_queries_and_never_before_documents(tmp_path):
    benchmark = load("theorems", write_theorems(tmp_path, train=["a"], test=["b"]), instruction="Find its twin: ")
    for task in benchmark.tasks:
        asked = [benchmark.material.text_of(node) for node in task.query.tolist()]
        corpus = [benchmark.material.text_of(node) for node in task.documents.tolist()]
        assert all(text.startswith("Find its twin: ") for text in asked)
        assert not any(text.startswith("Find its twin: ") for text in corpus)


def test_row_aligned_gold_is_the_row_alone_and_equal_rows_tie_and_are_lost(tmp_path):
    rows = [theorem("a"), {**theorem("b"), "type": "type a"}]
    folders.write(tmp_path / "train.jsonl", rows[1:])
    folders.write(tmp_path / "test.jsonl", rows[:1])
    benchmark = load("theorems", tmp_path)
    texts = {text: at(0) for text in benchmark.material.texts} | {"informal b": at(90), "theorem b": at(90)}
    sheet = score(benchmark, Given(texts))
    tied, clear = figures(sheet, "informal to type")["R@1"], figures(sheet, "informal to signature")["R@1"]
    assert (tied.value, tied.ties) == (0.0, 1)
    assert (clear.value, clear.ties) == (1.0, 0)
    assert figures(sheet, "informal to type")["R@5"].value == 1


def test_mrr_is_1_over_the_rank_and_not_once_for_each_depth(tmp_path):
    benchmark = load("theorems", write_theorems(tmp_path, train=["a", "b"], test=["c"]))
    texts = {"type a": at(1), "type b": at(2), "type c": at(3), "informal c": at(0)}
    texts = {text: texts.get(text, at(50)) for text in benchmark.material.texts}
    found = figures(score(benchmark, Given(texts)), "informal to type")
    assert found["MRR"].value == pytest.approx(1 / 3) and found["R@5"].value == found["R@10"].value == 1


def test_parquet_splits_are_read_and_a_missing_field_is_told(tmp_path):
    pq.write_table(pa.Table.from_pylist([theorem("a"), theorem("b")]), tmp_path / "test.parquet")
    assert len(load("theorems", tmp_path).tasks[0].items) == 2
    folders.write(tmp_path / "val.jsonl", [{"informal_description": "x", "type": "y"}])
    with pytest.raises(EvaluationError, match=r"val.jsonl, 1: signature: missing; it has informal_description"):
        load("theorems", tmp_path)


def test_without_a_test_split_nothing_is_asked(tmp_path):
    with pytest.raises(EvaluationError, match="holds no test split"):
        load("theorems", write_theorems(tmp_path, train=["a"]))


def test_blueprints_pairs_need_both_sides_and_words_in_common_stand_beside_the_model(tmp_path):
    named = [f"number{i} plus number{i + 1} is even" for i in range(8)]
    stated = [
        {"id": str(i), "LaTeX": f"Let {text}.", "highlighted": f"theorem t{i} : {text}"} for i, text in enumerate(named)
    ]
    incomplete = [{"id": "x", "LaTeX": "Only this."}, {"id": "y", "LaTeX": "", "highlighted": "def y := 1"}]
    graphs = [
        {"blueprint_url": "u", "theorems": stated[:5]},
        {"blueprint_url": "v", "theorems": stated[5:] + incomplete},
    ]
    folders.write(tmp_path / "blueprints.json", graphs)
    benchmark = load("blueprints", tmp_path)
    sheet = evaluate(benchmark, [Entry(load_encoder("hashed"), MODEL)])
    assert benchmark.tasks[0].items == tuple(map(str, range(8)))
    assert benchmark.notes == ("2 statements without LaTeX or Lean are no pairs", "8 pairs, the paper's 3,729")
    words = next(row for row in sheet.tables[0].rows if row.system == "text only: words in common")
    assert words.figures[0].value == 1.0


def write_mirb(folder: Path) -> Path:
    folders.write(folder / "corpus.jsonl", [{"_id": f"d{i}", "title": f"t{i}", "text": f"text {i}"} for i in range(13)])
    folders.write(folder / "queries.jsonl", [{"_id": f"q{i}", "text": f"query {i}"} for i in range(3)])
    (folder / "qrels").mkdir()
    lines = ["query-id\tcorpus-id\tscore", "q0\td1\t1", "q0\td3\t1", "q1\td11\t1", "q1\td12\t0"]
    (folder / "qrels" / "test.tsv").write_text("\n".join(lines) + "\n")
    return folder


def test_mirb_gives_ndcg_at_10_of_graded_answers_and_asks_only_what_has_one(tmp_path):
    benchmark = load("mirb", write_mirb(tmp_path / "LeanPremiseRetrieval").parent)
    texts = {f"t{i} text {i}": at(3 * i) for i in range(13)} | {"query 0": at(0), "query 1": at(0)}
    found = figures(score(benchmark, Given(texts)), "LeanPremiseRetrieval")["nDCG@10"]
    # Ranks 2 and 4 of the first query; the second's answer is twelfth, and beyond the tenth place nothing counts.
    assert found.items == 2
    assert found.value == pytest.approx((0.6509209298 + 0) / 2)


def test_mirbs_faults_are_told(tmp_path):
    folder = write_mirb(tmp_path / "task")
    path = folder / "qrels" / "test.tsv"
    path.write_text("query-id\tcorpus-id\tscore\nq0\td99\t1\n")
    with pytest.raises(EvaluationError, match=r"test.tsv, line 2: 'd99' is not in corpus.jsonl"):
        load("mirb", tmp_path)
    path.write_text("query-id\tcorpus-id\tscore\nq0\td1\thigh\n")
    with pytest.raises(EvaluationError, match=r"test.tsv, line 2: score: 'high' is no number"):
        load("mirb", tmp_path)
    with pytest.raises(EvaluationError, match="holds no task"):
        load("mirb", tmp_path / "task" / "qrels")


def write_meld(folder: Path, pairs: int = 3, names: tuple[str, str] = ("statement_1", "statement_2")) -> Path:
    rows = [
        {names[0]: f"set {i}", names[1]: f"arrow {i}", "field_1": "sets", "field_2": "categories"} for i in range(pairs)
    ]
    folders.write(folder / "meld.jsonl", rows)
    return folder


def test_meld_asks_each_statement_for_its_partner_among_all_but_itself(tmp_path):
    benchmark = load("meld", write_meld(tmp_path))
    # Statements lie by field: every partner stands behind the two others of its own field.
    texts = {f"set {i}": at(2 * i) for i in range(3)} | {f"arrow {i}": at(60 + 2 * i) for i in range(3)}
    found = figures(score(benchmark, Given(texts)), "")
    assert found["R@1"].value == 0 and found["R@5"].value == 1 and found["R@1"].items == 6
    # set 0: behind 2 sets, the first arrow: 3; set 1: 4; set 2: 5; and the arrows 5, 4 and 3.
    assert found["mean rank"].value == pytest.approx(4)
    assert found["MRR"].value == pytest.approx((1 / 3 + 1 / 4 + 1 / 5) / 3)
    guessed = figures(score(benchmark, Given(texts)), "", "chance")
    assert guessed["mean rank"].value == pytest.approx(3) and guessed["R@1"].value == pytest.approx(1 / 5)


def test_melds_mean_rank_by_chance_is_270_of_540_statements(tmp_path):
    benchmark = load("meld", write_meld(tmp_path, 270))
    guessed = benchmark.tasks[0].guess()
    assert guessed.values[:, guessed.measures.index("rank")].mean() == pytest.approx(270)
    assert benchmark.notes == ()


def test_meld_draws_each_pair_of_fields_with_its_statements_joined(tmp_path):
    benchmark = load("meld", write_meld(tmp_path, 4))
    texts = {f"{side} {i}": at(60 * number + i) for number, side in enumerate(("set", "arrow")) for i in range(4)}
    plane = score(benchmark, Given(texts)).plane
    assert plane is not None and [panel.name for panel in plane.panels] == ["sets and categories"]
    points = plane.panels[0].points
    apart = np.abs(points[:, 0].mean(axis=0) - points[:, 1].mean(axis=0))[0]
    assert points.shape == (4, 2, 2) and apart > 5 * np.ptp(points[:, 0], axis=0)[0]


def test_meld_finds_statements_under_other_names_and_tells_when_it_does_not(tmp_path):
    assert load("meld", write_meld(tmp_path / "b", names=("anchor", "positive"))).tasks[0].items[0] == "0/0"
    with pytest.raises(EvaluationError, match=r"meld.jsonl, 1: no statements under .*; it has left, right, field_1"):
        load("meld", write_meld(tmp_path / "c", names=("left", "right")))
