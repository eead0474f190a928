"""Solving: facts become true, the figure stays itself, and what cannot be is said."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from counterfoil.storage.rows import Fact
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.facts.judge import holds
from counterfoil.tasks.geometry.facts.residuals import measure_distance
from counterfoil.tasks.geometry.figure.components import gather_components
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figure.solve import ANY, EDITED, Stage, System, list_failing, solve
from counterfoil.tasks.geometry.sources.sampler import sample_scene


def fact(text: str, value: str | None = None) -> Fact:
    name, _, rest = text.partition(" ")
    return Fact(name, tuple(rest), value)


TRIANGLE = Scene(
    {"A": (0.0, 0.0), "B": (10.0, 0.5), "C": (6.0, 7.0), "D": (5.2, 0.1)},
    (("A", "B"), ("B", "C"), ("A", "C"), ("C", "D")),
)


def test_stated_facts_become_true_and_the_figure_takes_the_stated_unit() -> None:
    facts = (fact("altitude CDABC"), fact("collinear ADB"), fact("length AB", "26"), fact("angle ABC", "50"))
    solution = solve(TRIANGLE.with_facts(facts))
    assert solution.solved, solution.reason
    assert all(holds(each, solution.scene.coordinates, 0.001) for each in facts)
    assert measure_distance(solution.scene.points["A"], solution.scene.points["B"]) == pytest.approx(26, rel=1e-3)


def test_an_edit_moves_the_points_little_and_keeps_the_rest() -> None:
    square = Scene(
        {"A": (0.0, 0.0), "B": (6.0, 0.0), "C": (6.0, 6.0), "D": (0.0, 6.0)},
        (("A", "B"), ("B", "C"), ("C", "D"), ("A", "D")),
        facts=(fact("rhombus ABCD"), fact("angle ABC", "75")),
    )
    solution = solve(square)
    assert solution.solved, solution.reason
    moved = [measure_distance(square.points[name], solution.scene.points[name]) for name in square.points]
    assert max(moved) < 1.3


def test_facts_that_contradict_each_other_are_reported_with_their_residual() -> None:
    scene = TRIANGLE.with_facts((fact("length AB", "3"), fact("length BC", "4"), fact("length AC", "9")))
    solution = solve(scene)
    assert not solution.solved
    assert "length(" in solution.reason and "off by" in solution.reason


def test_a_line_that_lies_where_it_should_stand_at_right_angles_is_turned_all_the_same() -> None:
    scene = Scene({"A": (0.0, 0.0), "B": (4.0, 0.0), "C": (8.0, 0.0)}, (("A", "B"), ("B", "C")))
    facts = (Fact("perpendicular", ("A", "B", "B", "C")),)
    # The cosine is 1, its greatest: no small step makes it less.
    assert System(scene, facts).is_stuck()
    solution = solve(scene.with_facts(facts), restarts=0)
    assert not solution.failing


def test_a_length_and_its_mark_are_one_equation_with_the_weight_of_both() -> None:
    facts = (fact("length AB", "3"), fact("mark_length BA", "3"), fact("length BC", "4"))
    both, single = sorted((term.weight for term in System(TRIANGLE, facts).terms), reverse=True)
    assert both == pytest.approx(math.sqrt(2) * single)


@pytest.mark.parametrize("stages", [EDITED, ANY], ids=["edited", "any"])
def test_a_search_without_hope_is_given_up_and_says_what_contradicts(stages: tuple[Stage, ...]) -> None:
    scene = TRIANGLE.with_facts((fact("length AB", "3"), fact("length BC", "4"), fact("length AC", "90")))
    solution = solve(scene, stages=stages, restarts=0)
    assert {each.predicate for each, _ in solution.failing} == {"length"}


def test_any_figure_will_do_where_only_its_facts_are_asked_for() -> None:
    facts = (fact("right_triangle ABC"), fact("length AB", "5"), fact("length BC", "4"))
    solution = solve(TRIANGLE.with_facts(facts), stages=ANY, keep_layout=False, restarts=0)
    assert solution.solved, solution.reason


def test_a_figure_that_must_collapse_is_a_flaw_even_where_its_facts_hold() -> None:
    scene = TRIANGLE.with_facts((fact("length AB", "8"), fact("length BC", "3"), fact("length AC", "5")))
    solution = solve(scene)
    assert not solution.solved
    assert solution.flaw or solution.failing


def test_parts_that_grow_over_one_another_are_moved_apart() -> None:
    scene = Scene(
        {"A": (0.0, 0.0), "B": (3.0, 0.0), "C": (1.0, 3.0), "D": (4.0, 0.0), "E": (7.0, 0.0), "F": (5.0, 3.0)},
        (("A", "B"), ("B", "C"), ("A", "C"), ("D", "E"), ("E", "F"), ("D", "F")),
        facts=(fact("similar ABCDEF"), fact("length AB", "12"), fact("length DE", "4")),
    )
    solution = solve(scene)
    assert solution.solved, solution.reason
    left = max(solution.scene.points[name][0] for name in "ABC")
    right = min(solution.scene.points[name][0] for name in "DEF")
    assert left < right


def test_a_tangent_line_is_solved_at_its_touching_point() -> None:
    scene = Scene(
        {"O": (0.0, 0.0), "T": (0.4, 4.8), "P": (6.0, 6.0)},
        (("T", "P"), ("O", "T")),
        {"O": (0.0, 0.0, 5.0)},
        facts=(Fact("on_circle", ("T", "O")), Fact("tangent", ("P", "T", "O")), Fact("length", ("O", "T"), "5")),
    )
    solution = solve(scene)
    assert solution.solved, solution.reason
    o, p, t = (complex(*solution.scene.points[name]) for name in "OPT")
    assert abs(t - o) == pytest.approx(5, rel=1e-3)
    assert abs(((p - t) * (o - t).conjugate()).real) < 1e-3 * abs(p - t) * abs(o - t)


def test_solving_a_solved_scene_leaves_it_as_it_is_and_is_the_same_every_time() -> None:
    once = solve(TRIANGLE.with_facts((fact("isosceles ABC"), fact("length AB", "12")))).scene
    assert solve(once).scene == once
    assert solve(TRIANGLE.with_facts((fact("isosceles ABC"), fact("length AB", "12")))).scene == once


@settings(max_examples=25)
@given(st.integers(0, 5_000), st.integers(0, 5_000))
def test_a_shaken_scene_is_solved_back_to_a_true_one(seed: int, noise: int) -> None:
    scene = sample_scene(generator(seed, "solve"), 2)
    assume(scene.claims)
    rng = generator(noise, "noise")
    shaken = {
        name: (p[0] + rng.normal(0, 0.01) * scene.extent, p[1] + rng.normal(0, 0.01) * scene.extent)
        for name, p in scene.points.items()
    }
    circles = {name: (*shaken.get(name, c[:2]), c[2]) for name, c in scene.circles.items()}
    solution = solve(scene.with_coordinates(shaken, circles), keep_layout=False)
    assert not solution.failing, solution.reason
    assert not list_failing(solution.scene, scene.claims)
    assert math.isfinite(solution.scene.extent)


def test_parts_far_from_one_another_are_gathered_so_that_the_figure_fills_its_frame() -> None:
    wide = {"A": (0.0, 0.0), "B": (4.0, 0.0), "C": (0.0, 1.0)}
    other = {"D": (30.0, 20.0), "E": (34.0, 20.0), "F": (30.0, 21.0)}
    sides = (("A", "B"), ("B", "C"), ("C", "A"), ("D", "E"), ("E", "F"), ("F", "D"))
    gathered = gather_components(Scene(wide | other, sides))
    assert gathered.extent == pytest.approx(4.0)
    for p, q in sides:
        assert math.dist(gathered.points[p], gathered.points[q]) == pytest.approx(
            math.dist((wide | other)[p], (wide | other)[q])
        )
    assert gather_components(gathered) == gathered


def test_a_part_inside_another_stays_there() -> None:
    outer = {"A": (0.0, 0.0), "B": (9.0, 0.0), "C": (4.0, 8.0)}
    inner = {"D": (3.0, 1.0), "E": (5.0, 1.0), "F": (4.0, 2.0)}
    scene = Scene(outer | inner, (("A", "B"), ("B", "C"), ("C", "A"), ("D", "E"), ("E", "F"), ("F", "D")))
    assert gather_components(scene) == scene
