"""Linear probes: single and several labels, the choice of the penalty, and what stands beside them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from counterfoil.tasks.evaluation.benchmark import Benchmark, Options
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.evaluate import MODEL, Entry, evaluate
from counterfoil.tasks.evaluation.probe import average_precision
from counterfoil.tasks.evaluation.protocols import load_benchmark
from tests.tasks.evaluation import folders
from tests.tasks.evaluation.scorers import Given


def load(folder: Path) -> Benchmark:
    return load_benchmark(f"probe:{folder}", Options())


def write_set(folder: Path, labels: int = 3, learn: int = 12, judged: int = 4) -> Path:
    for part, count in (("train", learn), ("test", judged)):
        for label in range(labels):
            for number in range(count):
                folders.draw(
                    folder / part / f"label{label}" / f"{number}.png", 1000 * label + 100 * (part == "test") + number
                )
    return folder


def see_label(benchmark: Benchmark, noise: float = 0.1):
    """Features that hold the label of each picture, and noise."""
    rng = np.random.default_rng(0)
    known = {}
    for each in benchmark.material.pictures:
        label = int(each.name.split("label")[1][0])
        known[each.read()] = np.eye(3)[label] + noise * rng.normal(size=3)
    return lambda content: known[content]


def test_features_that_hold_the_label_are_told_and_simple_numbers_stand_beside(tmp_path):
    benchmark = load(write_set(tmp_path))
    sheet = evaluate(benchmark, [Entry(Given({"": (1, 0, 0)}, see_label(benchmark)), MODEL)])
    found = {row.system: row.figures[0] for row in sheet.tables[0].rows}
    assert found["given"].value == 1 and found["given"].items == 12
    assert set(found) == {"given", "picture only: simple numbers", "chance"}
    assert found["chance"].value == pytest.approx(1 / 3)


def test_several_sets_are_each_a_table(tmp_path):
    write_set(tmp_path / "first")
    write_set(tmp_path / "second", labels=2)
    benchmark = load(tmp_path)
    assert [task.name for task in benchmark.tasks] == ["first", "second"]
    assert benchmark.notes == ("2 sets, VTAB's 19",)


def write_several(folder: Path) -> Path:
    for part in ("train", "test"):
        rows = []
        for number in range(30 if part == "train" else 8):
            name = f"{part}{number}.png"
            folders.draw(folder / "images" / name, number + 50 * (part == "test"))
            labels = [label for label, step in (("red", 2), ("round", 3)) if number % step == 0]
            rows.append({"image": name, "labels": labels})
        folders.write(folder / f"{part}.jsonl", rows)
    return folder


def test_several_labels_are_told_by_the_mean_average_precision_over_labels(tmp_path):
    benchmark = load(write_several(tmp_path))
    known = {}
    for place, each in enumerate(benchmark.material.pictures):
        number = place if place < 30 else place - 30
        known[each.read()] = (1.0, float(number % 2 == 0), float(number % 3 == 0))
    sheet = evaluate(benchmark, [Entry(Given({"": (1, 0, 0)}, lambda content: known[content]), MODEL)], blind=False)
    found = {row.system: row.figures[0] for row in sheet.tables[0].rows}
    assert (found["given"].name, found["given"].value, found["given"].items) == ("mAP", 1.0, 2)
    assert found["chance"].value == pytest.approx((4 / 8 + 3 / 8) / 2)


@settings(max_examples=50)
@given(st.data())
def test_average_precision_equals_scikit_learns_where_nothing_ties(data):
    count = data.draw(st.integers(2, 20))
    scores = np.array(data.draw(st.permutations(range(count))), dtype=float)
    truth = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    truth[0] = True
    assert average_precision(scores, truth) == pytest.approx(average_precision_score(truth, scores))


def test_labels_that_training_does_not_have_are_told(tmp_path):
    write_set(tmp_path, labels=2)
    folders.draw(tmp_path / "test" / "label9" / "0.png", 7)
    with pytest.raises(EvaluationError, match="test has labels that train has not: label9"):
        load(tmp_path)
    with pytest.raises(EvaluationError, match="holds neither train/ and test/"):
        load(tmp_path / "train")
