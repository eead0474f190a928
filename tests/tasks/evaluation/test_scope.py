"""Which tasks are tried: what needs no picture is scored without any, and what is broken ends the command."""

from __future__ import annotations

import numpy as np
import pytest

from counterfoil.tasks.encoders import load_encoder
from counterfoil.tasks.evaluation.benchmark import MissingPicturesError, Options
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.evaluate import MODEL, ZERO_SHOT, Entry, evaluate
from counterfoil.tasks.evaluation.model import BrokenVectorError
from counterfoil.tasks.evaluation.protocols import load_benchmark
from tests.tasks.evaluation import folders
from tests.tasks.evaluation.scorers import Given


def known(texts: list[str], broken: str | None = None, value: float = np.nan) -> Given:
    """Any unit vectors, but for one text."""
    rng = np.random.default_rng(0)
    return Given({text: [value] * 8 if text == broken else rng.normal(size=8) for text in texts}, lambda _: [1.0] * 8)


@pytest.fixture
def without_pictures(tmp_path):
    folder = folders.sugarcrepepp(tmp_path, {"swap_att": 6})
    for picture in (folder / "val2017").iterdir():
        picture.unlink()
    return load_benchmark(f"sugarcrepepp:{folder}", Options())


@pytest.fixture
def whole(tmp_path):
    return load_benchmark(f"sugarcrepepp:{folders.sugarcrepepp(tmp_path, {'swap_att': 6})}", Options())


def test_texts_alone_are_scored_without_pictures_and_the_refused_task_is_named(without_pictures):
    sheet = evaluate(without_pictures, [Entry(known(without_pictures.material.texts), MODEL)], blind=False)
    assert [table.task for table in sheet.tables] == ["TOT"]
    (note,) = [note for note in sheet.notes if note.startswith("ITT")]
    assert "not scored" in note and "pictures are not there" in note


def test_one_missing_picture_refuses_its_task(whole):
    path = whole.material.pictures[0].path
    path.unlink()
    sheet = evaluate(whole, [Entry(known(whole.material.texts), MODEL)], blind=False)
    assert [table.task for table in sheet.tables] == ["TOT"]


def test_a_benchmark_of_pictures_alone_is_refused_without_them(tmp_path):
    folder = folders.sugarcrepe(tmp_path, {"swap_att": 3})
    for picture in (folder / "val2017").iterdir():
        picture.unlink()
    benchmark = load_benchmark(f"sugarcrepe:{folder}", Options())
    with pytest.raises(MissingPicturesError):
        evaluate(benchmark, [Entry(known(benchmark.material.texts), MODEL)], blind=False)


def test_a_model_of_texts_is_scored_on_texts_beside_one_that_does_both(whole):
    both = known(whole.material.texts)
    sheet = evaluate(whole, [Entry(load_encoder("hashed", "cpu"), MODEL), Entry(both, ZERO_SHOT)], blind=False)
    named = {table.task: [row.system for row in table.rows if row.kind in (MODEL, ZERO_SHOT)] for table in sheet.tables}
    assert named == {"ITT": ["given"], "TOT": ["hashed", "given"]}
    assert any(note.startswith("ITT: not scored, hashed cannot compare") for note in sheet.notes)


def test_with_a_model_of_texts_alone_the_image_task_is_left_out(whole):
    sheet = evaluate(whole, [Entry(load_encoder("hashed", "cpu"), MODEL)], blind=False)
    assert [table.task for table in sheet.tables] == ["TOT"]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_vectors_that_are_not_finite_end_the_command_with_model_task_and_row(whole, value):
    texts = whole.material.texts
    with pytest.raises(BrokenVectorError) as told:
        evaluate(whole, [Entry(known(texts, texts[2], value), MODEL)], blind=False)
    message = str(told.value)
    assert "'given'" in message and "ITT" in message and texts[2][:20] in message and "1 of" in message


def test_a_score_that_is_not_a_number_is_no_hit(whole):
    class Broken:
        name, kind = "broken", "blind"

        def score_rows(self, choices):
            scores = np.ones(len(choices.query), dtype=np.float32)
            scores[3] = np.nan
            return scores

    with pytest.raises(EvaluationError, match=r"broken: ITT, item swap_att/1: a score is not finite"):
        whole.tasks[0].judge(Broken())
