"""What is false of a figure: never a paraphrase, a weaker or a partial truth, always a visible falsehood."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from counterfoil.storage.rows import Fact
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.captions.atoms import ClaimError
from counterfoil.tasks.geometry.captions.read import parse_caption
from counterfoil.tasks.geometry.captions.wordings import word_claims
from counterfoil.tasks.geometry.captions.write import write_caption
from counterfoil.tasks.geometry.edits.search import Search
from counterfoil.tasks.geometry.edits.texts import propose_texts
from counterfoil.tasks.geometry.facts.judge import FactError, list_broader
from counterfoil.tasks.geometry.facts.predicates import SHAPES
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.refuting import judge_text
from counterfoil.tasks.geometry.sources.sampler import sample_scene
from tests.tasks.geometry.figures import fact

ROOT3 = 3**0.5


def turn(degrees: float) -> tuple[float, float]:
    return 5 * math.cos(math.radians(degrees)), 5 * math.sin(math.radians(degrees))


def lines(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple((name[0], name[1]) for name in names)


FIGURES = {
    "square": Scene(
        {"A": (0, 0), "B": (8, 0), "C": (8, 8), "D": (0, 8), "M": (4, 0)},
        lines("AB", "BC", "CD", "DA", "AC", "DM"),
        marks=(fact("mark_length", "AB", "8"),),
    ),
    "right": Scene(
        {"P": (0, 0), "Q": (5 * ROOT3, 0), "R": (0, 5)},
        lines("PQ", "QR", "RP"),
        marks=(
            fact("mark_length", "PR", "5"),
            fact("mark_length", "PQ", r"5\sqrt{3}"),
            fact("mark_angle", "PQR", "30"),
            fact("mark_right", "QPR"),
        ),
    ),
    "circle": Scene(
        {"O": (0, 0), "A": turn(0), "B": turn(100), "C": turn(180)},
        lines("AC", "OB", "AB"),
        {"O": (0, 0, 5)},
        (fact("mark_length", "OA", "5"), fact("mark_arc", "ABO", "100")),
    ),
    "unknowns": Scene(
        {"K": (0, 0), "L": (9, 0), "M": (4, 7)},
        lines("KL", "LM", "MK"),
        marks=(fact("mark_length", "KL", "2x+1"), fact("mark_length", "LM", "9"), fact("mark_angle", "KLM", "4y-10")),
    ),
    "pair": Scene(
        {"A": (0, 0), "B": (9, 0), "C": (2.5, 3.5), "D": (20, 0), "E": (29, 0), "F": (22.5, 3.5)},
        lines("AB", "BC", "CA", "DE", "EF", "FD"),
    ),
}
TEXTS = [
    tuple(part.strip() for part in line.split("|"))
    for line in Path(__file__).with_name("refuting.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def judge(text: str, figure: Scene) -> str:
    try:
        return {True: "true", False: "false", None: "open"}[judge_text(text, figure)]
    except (ClaimError, FactError):
        return "open"


def test_the_list_is_long_enough_to_mean_something() -> None:
    assert len(TEXTS) >= 100
    assert {verdict for _, verdict, _ in TEXTS} == {"true", "open", "false"}


@pytest.mark.parametrize(("figure", "verdict", "text"), TEXTS, ids=[text for *_, text in TEXTS])
def test_a_text_is_judged_as_people_judge_it(figure: str, verdict: str, text: str) -> None:
    assert judge(text, FIGURES[figure]) == verdict


@pytest.mark.parametrize(("written", "verdicts"), [("10", ("true", "false")), ("2x", ("open", "open"))])
def test_a_diameter_tells_the_radius(written: str, verdicts: tuple[str, str]) -> None:
    figure = replace(FIGURES["circle"], marks=(fact("mark_length", "AC", written),))
    assert tuple(judge(f"The radius of circle O is {number}.", figure) for number in (5, 6)) == verdicts


@pytest.mark.parametrize(("radius", "verdict"), [(5, "true"), (7, "open"), (9, "false")])
def test_the_circle_is_any_of_the_figures(radius: int, verdict: str) -> None:
    points, circles = {"O": (0, 0), "A": (5, 0), "P": (20, 0)}, {"O": (0, 0, 5), "P": (20, 0, 7)}
    figure = Scene(points, lines("OA"), circles, (fact("mark_length", "OA", "5"),))
    assert judge(f"The radius of the circle is {radius}.", figure) == verdict


@cache
def draw_scenes() -> list[Scene]:
    """Drawn when a test asks, not by every worker that collects."""
    return [sample_scene(generator(29, "refuting", i), 3) for i in range(60)]


@pytest.mark.parametrize("figures", [20, pytest.param(60, marks=pytest.mark.slow)])
def test_no_paraphrase_and_no_part_of_a_caption_is_false(figures: int) -> None:
    count = 0
    for number, scene in enumerate(draw_scenes()[:figures]):
        rng = generator(3, "paraphrase", number)
        for style in ("latex", "plain"):
            for _ in range(4):
                caption = write_caption(scene.to_facts(), rng, style)
                sentences = [sentence for sentence in caption.replace(". ", ".\n").split("\n") if sentence]
                order = [sentences[i] for i in rng.permutation(len(sentences))]
                for text in (caption, " ".join(order), " ".join(order[: -(-len(order) // 2)])):
                    assert judge(text, scene) == "true", (caption, text)
                    count += 1
    assert count > 17 * figures


def test_no_broader_name_of_a_shape_is_false() -> None:
    count = 0
    for scene in draw_scenes():
        for stated in (each for each in scene.facts if each.predicate in SHAPES):
            for broader in list_broader(stated.predicate) - {"regular_polygon"}:
                text, _ = word_claims((Fact(broader, stated.arguments),), "latex", generator(count))
                assert judge(text, scene) == "true", (stated, text)
                count += 1
    assert count > 60


def test_no_number_in_another_format_is_false() -> None:
    count = 0
    for scene in draw_scenes():
        for mark in scene.marks:
            value, name = mark.value or "", "".join(mark.arguments)
            number = value.replace(".", "", 1)
            if mark.predicate == "mark_length" and number.isdigit():
                size = float(value)
                texts = (f"{name} = {size:.2f}", f"{name[::-1]} is {10 * size:g} mm long", f"{name} = {3 * size:g}/3")
                texts += (f"{name} = {size:.0f}", f"The length of {name} is at least {size / 2:g}")
            elif mark.predicate == "mark_angle" and number.isdigit():
                texts = (rf"\angle {name[::-1]} = {value}.0^\circ", rf"\angle {name} = {value}\pi/180")
                texts += (rf"\angle {name} is about {value} degrees",)
            else:
                continue
            for text in texts:
                assert judge(text, scene) != "false", (mark, text)
                count += 1
    assert count > 200


@pytest.mark.parametrize("figures", [10, pytest.param(30, marks=pytest.mark.slow)])
def test_visible_falsehoods_are_told(figures: int) -> None:
    told, reordered = 0, 0
    for number, scene in enumerate(draw_scenes()[:figures]):
        rng = generator(5, "false", number)
        search = Search(parse_caption(write_caption(scene.to_facts(), rng)), scene, rng)
        for negative in islice(propose_texts(search), 8):
            verdict = judge(negative.text, scene)
            # Triangles that are said in words to be alike may be so in another order of their corners.
            assert verdict == "false" or re.search("similar|congruent", negative.text), negative.text
            told += verdict == "false"
            reordered += verdict != "false"
    assert told >= 7 * figures and reordered <= 0.02 * told
