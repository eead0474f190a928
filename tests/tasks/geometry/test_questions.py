"""Questions about figures: what is asked of relations, and how it is answered."""

from __future__ import annotations

from counterfoil.storage.rows import Anchor, Fact
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.questions import list_questions


def make_anchor(scene: Scene) -> Anchor:
    return Anchor("a" * 32, "geometry", "test", "0", "train", facts=scene.to_facts())


def test_a_relation_is_asked_of_its_lines_and_of_others_that_break_it():
    points = {"A": (0.0, 0.0), "B": (4.0, 0.0), "C": (5.0, 3.0), "D": (1.0, 3.0)}
    sides = (("A", "B"), ("B", "C"), ("C", "D"), ("A", "D"))
    scene = Scene(points, sides, facts=(Fact("parallel", ("A", "B", "C", "D")),))
    right, wrong = list_questions(make_anchor(scene))
    assert (right.text, right.answer) == ("Is AB parallel to CD?", "yes")
    assert wrong.answer == "no" and wrong.kind == "relation" and wrong.text != right.text
    assert wrong.text in {
        f"Is {one} parallel to {two}?" for one in ("AB", "AD", "BC", "CD") for two in ("AD", "BC", "CD")
    }


def test_what_the_other_lines_also_fulfil_is_not_asked_as_wrong():
    points = {"A": (0.0, 0.0), "B": (2.0, 0.0), "C": (2.0, 2.0), "D": (0.0, 2.0)}
    sides = (("A", "B"), ("B", "C"), ("C", "D"), ("A", "D"))
    scene = Scene(points, sides, facts=(Fact("equal_length", ("A", "B", "B", "C")),))
    assert [each.answer for each in list_questions(make_anchor(scene))] == ["yes"]
