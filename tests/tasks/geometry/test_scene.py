"""Scenes as facts and back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.storage.rows import Fact
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.figure.scene import Scene, SceneError
from counterfoil.tasks.geometry.sources.sampler import sample_scene


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(1, 3))
def test_a_scene_comes_back_from_its_facts_exactly(seed: int, combine: int) -> None:
    scene = sample_scene(generator(seed, "scene"), combine)
    assert Scene.from_facts(scene.to_facts()) == scene


def test_rounding_twice_changes_nothing_and_keeps_a_circle_at_its_centre() -> None:
    scene = Scene({"A": (1 / 3, 2 / 3), "O": (10 / 3, 0.1)}, (), {"O": (10 / 3, 0.1, 1 / 7)}).rounded()
    assert scene.rounded() == scene
    assert scene.circles["O"][:2] == scene.points["O"]
    assert scene.points["A"] == (0.33333, 0.66667)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ([Fact("point", ("A",), "0 0"), Fact("segment", ("A", "B"))], "segment AB"),
        ([Fact("point", ("A",), "0 zero")], "is not 2 numbers"),
        ([Fact("circle", ("O",), "0 0 -1")], "not positive"),
        ([Fact("point", ("A",), "0 0"), Fact("length", ("A", "B"), "3")], "has no B"),
        ([Fact("wibble", ("A",))], "no such predicate"),
    ],
)
def test_facts_that_make_no_scene_are_refused_with_the_reason(facts: list[Fact], message: str) -> None:
    with pytest.raises(SceneError, match=message):
        Scene.from_facts(facts)


def test_a_line_is_followed_through_one_stroke_or_several() -> None:
    points = {"A": (0.0, 0.0), "B": (1.0, 0.0), "C": (3.0, 0.0), "D": (3.0, 2.0), "E": (5.0, 0.0)}
    scene = Scene(points, (("A", "B"), ("B", "C"), ("C", "D")))
    assert scene.has_line("A", "C") and scene.has_line("C", "B") and scene.has_line("D", "C")
    assert not scene.has_line("A", "D") and not scene.has_line("A", "E") and not scene.has_line("C", "E")
    assert Scene(points, (("A", "E"),)).has_line("B", "C")
