"""Blind baselines by themselves, what is written of each item, and places in a plane that no chance decides."""

from __future__ import annotations

import io

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from counterfoil.tasks.evaluation.benchmark import Layout
from counterfoil.tasks.evaluation.blind import Words, list_blind
from counterfoil.tasks.evaluation.evaluate import Row, Sheet, TaskTable
from counterfoil.tasks.evaluation.items import write_items
from counterfoil.tasks.evaluation.layout import place_texts
from counterfoil.tasks.evaluation.material import Material, Picture
from counterfoil.tasks.evaluation.outcomes import Outcomes
from counterfoil.tasks.evaluation.tasks import Choices
from counterfoil.tasks.tells.compare import FEWEST_BLOCKS


def ask(material: Material, blocks: int) -> Choices:
    """As many questions: which of two texts says what the query says. The wrong one says "no" throughout."""
    rows = []
    for number in range(blocks):
        query = material.add_text(f"thing{number} and thing{number + 1}")
        rows += [(query, material.add_text(f"a thing{number}"), True)]
        rows += [(query, material.add_text(f"no thing{number + 100}"), False)]
    names = tuple(map(str, range(blocks)))
    places = np.repeat(np.arange(blocks), 2)
    query, candidate, right = (np.array(each) for each in zip(*rows, strict=True))
    return Choices("toy", names, names, names, (), places, places, query, candidate, right)


def test_words_in_common_find_the_text_that_shares_some():
    material = Material()
    choices = ask(material, 4)
    scores = Words(material).score_rows(choices)
    assert scores is not None
    assert (scores[choices.right] > 0.1).all() and (scores[~choices.right] == 0).all()
    block = Words(material).score_block(choices.query[::2], choices.candidate)
    assert block is not None
    assert block.shape == (4, 8)
    assert np.diag(block[:, ::2]) == pytest.approx(scores[choices.right])


@pytest.mark.parametrize(("blocks", "learns"), [(FEWEST_BLOCKS - 1, False), (FEWEST_BLOCKS, True)])
def test_what_learns_needs_so_many_blocks(blocks, learns):
    material = Material()
    choices = ask(material, blocks)
    learner = next(each for each in list_blind(material) if each.name == "text only: n-grams")
    assert (choices.judge(learner) is not None) is learns


def test_numbers_of_pictures_are_told_from_their_mean_in_spreads():
    material = Material()
    for side in (10, 20, 60):
        sink = io.BytesIO()
        Image.new("RGB", (side, side), "white").save(sink, "PNG")
        material.add_picture(Picture(str(side), content=sink.getvalue()))
    *_, numbers = list_blind(material)
    features = numbers.give_features(np.array([1, 3, 5]))
    assert features is not None
    assert features.mean(axis=0) == pytest.approx(np.zeros(features.shape[1]), abs=1e-9)
    spread = features.std(axis=0)
    assert set(spread.round(9).tolist()) == {0.0, 1.0}


def test_a_row_is_written_for_each_item_and_measure(tmp_path):
    values = np.array([[1.0, 0.5], [0.0, 0.25]])
    right, wrong = np.array([2, 1], np.float32), np.array([1, 1], np.float32)
    reached = Outcomes(("a", "b"), ("p", "q"), ("a", "b"), ("accuracy", "share"), values, right, wrong)
    table = TaskTable("choices", 2, (Row("ours", "model", (), reached), Row("chance", "blind", ())))
    sheet = Sheet("toy", "Toy", "", (table,), (), "", (), ())
    assert write_items(sheet, tmp_path / "items.parquet") == 4
    rows = pq.read_table(tmp_path / "items.parquet").to_pylist()
    told = [(row["item"], row["part"], row["measure"], row["value"], row["tied"]) for row in rows]
    assert told == [
        ("a", "p", "accuracy", 1.0, False),
        ("b", "q", "accuracy", 0.0, True),
        ("a", "p", "share", 0.5, False),
        ("b", "q", "share", 0.25, True),
    ]
    assert {(row["task"], row["system"], row["kind"]) for row in rows} == {("choices", "ours", "model")}
    empty = Sheet("toy", "Toy", "", (), (), "", (), ())
    assert write_items(empty, tmp_path / "none.parquet") == 0


def test_places_are_the_two_widest_directions_whichever_way_a_decomposition_turns_them():
    vectors = np.array([[3.0, 0.1, 0], [-3.0, -0.1, 0], [0.2, 1.0, 0], [-0.2, -1.0, 0]])

    class Model:
        """Gives a node's vector, or one turned by half."""

        def __init__(self, sign: int) -> None:
            self.sign = sign

        def give_features(self, nodes: np.ndarray) -> np.ndarray:
            return self.sign * vectors[nodes]

    layout = Layout("toy", ((0, 1), (2, 3)), (("x", "y"), ("x", "y")), ("all", "all"))
    (panel,) = place_texts(layout, Model(1)).panels  # type: ignore[arg-type]
    (turned,) = place_texts(layout, Model(-1)).panels  # type: ignore[arg-type]
    assert panel.points[0, 0, 0] == pytest.approx(3.0, abs=0.1) and panel.points[1, 0, 1] == pytest.approx(1.0, abs=0.1)
    assert turned.points == pytest.approx(-panel.points)
