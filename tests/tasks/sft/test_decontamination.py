"""Questions that a test has too: found by their nearness, left out, and told in a table."""

from __future__ import annotations

import pytest

from counterfoil.tasks.encoders import load_encoder
from counterfoil.tasks.sft.decontamination import find_near, list_reasons

TEST = ["In triangle ABC, AB is 6 and AC is 8. What is BC?", "What is the area of a square whose side is 4?"]


def test_a_question_of_the_test_is_left_out_and_another_stays(tmp_path):
    questions = {"a": TEST[0], "b": "A circle has the radius 5. How long is it around?"}
    found = find_near(questions, TEST, load_encoder("hashed"), tmp_path)
    assert found.dropped == ("a",) and (found.train, found.test) == (2, 2)
    assert found.below[0] == (0.995, pytest.approx(0.5), pytest.approx(1.0))
    assert all(after >= before for _, before, after in found.below)
    assert "1 of 2 training questions are nearer than 0.995" in found.describe()[0]
    assert list_reasons(found.dropped, found.near)["a"].startswith("contaminated: ")


def test_a_lower_limit_leaves_more_out(tmp_path):
    questions = {"a": TEST[0], "b": TEST[0].replace("6", "7")}
    near = find_near(questions, TEST, load_encoder("hashed"), tmp_path, 0.5)
    assert near.dropped == ("a", "b") and near.below[-1][2] == 1.0
    assert find_near(questions, TEST, load_encoder("hashed"), tmp_path, 0.999).dropped == ("a",)


@pytest.mark.parametrize(("questions", "test"), [({}, TEST), ({"a": TEST[0]}, [])])
def test_with_nothing_to_compare_nothing_is_left_out(questions, test, tmp_path):
    assert find_near(questions, test, load_encoder("hashed"), tmp_path).dropped == ()
