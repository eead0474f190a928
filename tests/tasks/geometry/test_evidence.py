"""The picture is the judge: what is recorded must be seen, what is seen must be recorded."""

from __future__ import annotations

from csv import DictReader
from dataclasses import replace

import numpy as np
import pytest

from counterfoil.renderers.raster import encode_png
from counterfoil.renderers.results import Outcome, Rendering
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.geometry.drawing.script import write_script as write_scene
from counterfoil.tasks.geometry.measuring.evidence import find_mismatch
from counterfoil.tasks.geometry.measuring.pixels import decode_pixels
from counterfoil.tasks.geometry.sources.sampler import sample_scene
from tests.shared import SHARED
from tests.tasks.geometry.disguises import (
    DRAWS_AD,
    HIDDEN_LINES,
    HIDDEN_TEXTS,
    HONEST,
    UNRECORDED,
    write_script,
)

INTEGRITY = SHARED / "attacks" / "integrity"
HIDDEN = "what the picture does not show although the record says it (empty: honest)"


def judge(rendering: Rendering) -> str | None:
    """What is wrong with a picture; a script that gives none at all is no accepted picture either."""
    if rendering.outcome is not Outcome.OK or rendering.drawing is None or rendering.png is None:
        return f"no picture: {rendering.outcome}"
    return find_mismatch(rendering.drawing, rendering.png)


@pytest.mark.parametrize("name", HIDDEN_LINES)
def test_a_line_that_cannot_be_seen_is_found_out(name: str, renderer: MemoRenderer) -> None:
    rendering = renderer.render(write_script(HIDDEN_LINES[name], line=name not in DRAWS_AD))
    assert rendering.outcome is Outcome.OK, rendering.log
    assert judge(rendering) is not None


@pytest.mark.parametrize("name", HIDDEN_TEXTS)
def test_a_text_that_cannot_be_read_is_found_out(name: str, renderer: MemoRenderer) -> None:
    rendering = renderer.render(write_script(HIDDEN_TEXTS[name], line=True, six=False))
    assert rendering.outcome is Outcome.OK, rendering.log
    assert "the text '6'" in (judge(rendering) or "")


@pytest.mark.parametrize("name", UNRECORDED)
def test_what_is_not_recorded_is_found_out(name: str, renderer: MemoRenderer) -> None:
    rendering = renderer.render(write_script(UNRECORDED[name], line=True, six="six" not in UNRECORDED[name]))
    assert rendering.outcome is Outcome.OK, rendering.log
    assert judge(rendering) is not None


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_picture_is_believed(name: str, renderer: MemoRenderer) -> None:
    rendering = renderer.render(write_script(HONEST[name]))
    assert rendering.outcome is Outcome.OK, rendering.log
    assert judge(rendering) is None


def test_our_own_pictures_are_believed(renderer: MemoRenderer) -> None:
    scenes = [sample_scene(generator(41, "evidence", i), 3) for i in range(25)]
    faults = [judge(renderer.render(write_scene(scene))) for scene in scenes]
    assert faults == [None] * 25


def shared_cases() -> dict[str, str]:
    if not (INTEGRITY / "index.csv").is_file():
        return {}
    with (INTEGRITY / "index.csv").open() as file:
        return {row["file"]: row[HIDDEN] for row in DictReader(file)}


@pytest.mark.parametrize("name", shared_cases())
def test_shared_script_is_judged_right(name: str, renderer: MemoRenderer) -> None:
    rendering = renderer.render((INTEGRITY / name).read_text())
    assert bool(judge(rendering)) == bool(shared_cases()[name])


def test_the_picture_decides_and_not_the_record(renderer: MemoRenderer) -> None:
    """The same record with another picture, and the same picture with a forged record, are both found out."""
    plain, without = (renderer.render(write_script(snippet)) for snippet in (HONEST["plain"], "pass"))
    assert plain.drawing is not None and plain.png is not None
    assert without.drawing is not None and without.png is not None
    assert judge(plain) is None and judge(without) is None
    assert "the line from (0, 0) to (4, 3)" in (find_mismatch(plain.drawing, without.png) or "")
    assert "no recorded line, dot or text explains" in (find_mismatch(without.drawing, plain.png) or "")


def test_one_digit_for_another_is_found_out(renderer: MemoRenderer) -> None:
    """Every digit drawn, every other digit recorded: no pair is taken for the same."""
    shown = {digit: renderer.render(write_script(f'write(5, 5, "{digit}")')) for digit in "0123456789"}
    taken = []
    for drawn, rendering in shown.items():
        for recorded, other in shown.items():
            assert other.drawing is not None and rendering.png is not None
            if (find_mismatch(other.drawing, rendering.png) is None) != (drawn == recorded):
                taken.append((drawn, recorded))
    assert taken == []


def test_glyphs_that_do_not_spell_the_text_are_found_out(renderer: MemoRenderer) -> None:
    rendering = renderer.render(write_script(HONEST["plain"]))
    assert rendering.drawing is not None and rendering.png is not None
    (panel,) = rendering.drawing.panels
    labels = tuple(replace(label, text="9") if label.text == "6" else label for label in panel.labels)
    forged = replace(rendering.drawing, panels=(replace(panel, labels=labels),))
    assert "its glyphs spell '6'" in (find_mismatch(forged, rendering.png) or "")


def test_a_speck_is_no_reason(renderer: MemoRenderer) -> None:
    """A few grey pixels are noise; as many as a digit has are not."""
    rendering = renderer.render(write_script(HONEST["plain"]))
    assert rendering.drawing is not None and rendering.png is not None
    pixels = np.repeat(decode_pixels(rendering.png)[..., None], 4, axis=2)
    pixels[..., 3] = 255
    pixels[60:63, 400:403, :3] = 90
    assert find_mismatch(rendering.drawing, encode_png(pixels)) is None
    pixels[60:66, 400:404, :3] = 90
    assert "24 pixels about (401, 62)" in (find_mismatch(rendering.drawing, encode_png(pixels)) or "")
