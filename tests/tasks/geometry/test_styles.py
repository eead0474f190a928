"""Styles: plain by default, varied from problem to problem, one for an anchor and all its contrasts."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.contract.context import Context, generator
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.engine.registry import group_families
from counterfoil.tasks.engine.rows import make_contrasts
from counterfoil.tasks.geometry.domain import DOMAIN
from counterfoil.tasks.geometry.drawing.layout import lay_out, list_misread
from counterfoil.tasks.geometry.drawing.script import write_script
from counterfoil.tasks.geometry.drawing.style import PLAIN, Style
from counterfoil.tasks.geometry.figure.motions import turn_scene
from counterfoil.tasks.geometry.figures import read_figure
from counterfoil.tasks.geometry.measuring.legible import find_illegible
from counterfoil.tasks.geometry.settings import GeometrySettings
from counterfoil.tasks.geometry.sources.sampler import sample_scene
from counterfoil.tasks.geometry.styles import choose_style
from tests.tasks.geometry.samples import ROWS


def vary(number: int) -> Style:
    return PLAIN.vary(generator(3, "styles", number))


@pytest.fixture(scope="module")
def varied(renderer) -> Context[GeometrySettings]:
    return Context(GeometrySettings(source="procedural:1", style="varied", negatives=3, spare=0), 7, renderer)


def test_pictures_are_plain_unless_the_recipe_says_otherwise(varied: Context[GeometrySettings]) -> None:
    plain = replace(varied, settings=GeometrySettings(source="procedural:1"))
    assert choose_style(plain, "geometry3k", "1") == PLAIN
    first, second = (choose_style(varied, "geometry3k", name) for name in "12")
    assert first != second != PLAIN
    assert first == choose_style(varied, "geometry3k", "1")


def test_an_anchor_and_its_contrasts_are_of_one_style(varied: Context[GeometrySettings]) -> None:
    row = SourceRow("geometry3k", "1", "train", {**ROWS[0], "problem_id": "1"})
    (anchor,) = DOMAIN.sources["geometry3k"].make_anchors(row, varied)
    assert isinstance(anchor, Anchor), anchor
    rows = make_contrasts(group_families(DOMAIN, ["geometry.image"])[0], anchor, varied)
    contrasts = [row for row in rows if isinstance(row, Contrast)]
    assert len(contrasts) == 6
    looks = {
        tuple(re.findall(r"figsize=\S+ \S+|fontsize=\S+|family=\S+|linewidth=\S+", str(row.code))) for row in contrasts
    }
    assert looks == {tuple(re.findall(r"figsize=\S+ \S+|fontsize=\S+|family=\S+|linewidth=\S+", str(anchor.code)))}


def test_a_turned_figure_states_the_same() -> None:
    scene = sample_scene(generator(3, "turned", 0))
    turned = turn_scene(scene, 77.0)
    assert turned.points != scene.points
    assert (turned.marks, turned.facts, turned.segments) == (scene.marks, scene.facts, scene.segments)
    assert turn_scene(scene, 0.0) == scene


def test_varied_layouts_read_as_they_state_and_keep_inside_their_canvas() -> None:
    misread = 0
    for number in range(60):
        style = vary(number)
        layout = lay_out(turn_scene(sample_scene(generator(3, "varied", number), 2), style.turn), style)
        misread += bool(list_misread(layout))
        wide, tall = style.canvas
        for text in layout.texts:
            x, y = layout.page.to_pixels(text.position)
            assert 0 < x < wide and 0 < y < tall
    assert misread <= 1


def test_varied_pictures_are_what_their_record_says_and_can_be_read(renderer) -> None:
    problems = []
    for number in range(16):
        style = vary(number)
        figure = read_figure(
            write_script(turn_scene(sample_scene(generator(3, "seen", number), 2), style.turn), style), renderer
        )
        problems += [
            each for each in (figure.mismatch, figure.misread, find_illegible(figure.drawing, figure.png, 336)) if each
        ]
    assert problems == []
