"""A figure that was drawn on its base stands on it after an edit."""

from __future__ import annotations

import math

import pytest

from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.captions.read import parse_caption
from counterfoil.tasks.geometry.captions.write import write_caption
from counterfoil.tasks.geometry.edits.negatives import propose_negatives
from counterfoil.tasks.geometry.edits.search import Search
from counterfoil.tasks.geometry.figure.motions import turn_scene
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figure.solve import list_failing, solve
from counterfoil.tasks.geometry.figure.upright import stand_upright
from tests.tasks.geometry.figures import fact, parallelogram, right_triangle


def measure_direction(scene: Scene, p: str, q: str) -> float:
    (x, y), (u, v) = scene.points[p], scene.points[q]
    return math.degrees(math.atan2(v - y, u - x)) % 180


def list_level(scene: Scene) -> list[tuple[str, str]]:
    return [s for s in scene.segments if abs((measure_direction(scene, *s) + 45) % 90 - 45) < 0.2]


@pytest.mark.parametrize("degrees", [4.0, -25.0, 60.0])
def test_a_turned_figure_is_turned_back(degrees: float) -> None:
    scene = right_triangle()
    assert list_level(scene)
    back = stand_upright(scene, turn_scene(scene, degrees), scene.claims, 0.01)
    assert list_level(back) == list_level(scene)
    assert not list_failing(back, scene.claims, 0.01)


def test_lines_that_cannot_all_keep_their_direction_are_not_all_tilted() -> None:
    scene = right_triangle()
    facts = [fact("length", "AB", "4"), fact("length", "AC", "3"), fact("angle", "BAC", "70")]
    solved = turn_scene(solve(scene, facts).scene, 5.0)
    upright = stand_upright(scene, solved, facts, 0.01)
    assert list_level(upright) == [("A", "B")]
    assert not list_failing(upright, facts, 0.01)


def test_a_figure_without_level_lines_stays_as_it_was_solved() -> None:
    scene = turn_scene(right_triangle(), 30.0)
    assert stand_upright(scene, turn_scene(scene, 5.0), scene.claims, 0.01) == turn_scene(scene, 5.0)


@pytest.mark.parametrize("make", [right_triangle, parallelogram])
def test_every_edited_figure_keeps_a_level_line_of_its_anchor(make) -> None:
    scene = make()
    reading = parse_caption(write_caption(scene.to_facts(), generator(make.__name__)))
    negatives = [
        negative for negative, _ in zip(propose_negatives(Search(reading, scene, generator(9))), range(8), strict=False)
    ]
    assert len(negatives) == 8
    assert all(negative.scene is not None and list_level(negative.scene) for negative in negatives)
