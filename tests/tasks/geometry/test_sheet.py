"""Sheets: what a script of ours draws, drawn without it to the byte, or left to the script."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from counterfoil.renderers import direct
from counterfoil.renderers.results import Outcome
from counterfoil.renderers.sheet import Disc, Letters
from counterfoil.storage.rows import Anchor
from counterfoil.tasks.contract.context import Context, generator
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.geometry.domain import DOMAIN
from counterfoil.tasks.geometry.drawing.layout import lay_out
from counterfoil.tasks.geometry.drawing.preview import Layout
from counterfoil.tasks.geometry.drawing.script import write_layout
from counterfoil.tasks.geometry.drawing.sheet import write_sheet
from counterfoil.tasks.geometry.drawing.style import PLAIN
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.settings import GeometrySettings
from tests.tasks.geometry.samples import ROWS


def make_anchors(renderer: MemoRenderer) -> list[Anchor]:
    """Of stated problems, whose numbers are mathtext too, and of sampled ones, some of them on axes."""
    settings = GeometrySettings(source="procedural:12")
    context = Context(settings, 7, renderer)
    rows = [SourceRow("geometry3k", str(i), "train", {**row, "problem_id": str(i)}) for i, row in enumerate(ROWS[:4])]
    rows += DOMAIN.read(settings, 7, 12)
    made = [anchor for row in rows for anchor in DOMAIN.sources[row.source].make_anchors(row, context)]
    return [anchor for anchor in made if isinstance(anchor, Anchor)]


@pytest.fixture(scope="module")
def layouts(renderer: MemoRenderer) -> list[Layout]:
    """Every second figure plain; the others in styles, of which some sway, have paper or a filled region."""
    scenes = [Scene.from_facts(anchor.facts) for anchor in make_anchors(renderer)]
    assert any(scene.axes for scene in scenes) and any(scene.circles for scene in scenes)
    styles = [PLAIN if i % 2 else PLAIN.vary(generator(5, "sheets", i)) for i in range(len(scenes))]
    return [lay_out(scene, style) for scene, style in zip(scenes, styles, strict=True)]


@pytest.fixture
def runner() -> Iterator[MemoRenderer]:
    """A renderer that remembers nothing of what was drawn here."""
    renderer = MemoRenderer()
    yield renderer
    renderer.close()


def test_a_sheet_is_drawn_and_recorded_as_its_script_is(layouts: list[Layout], runner: MemoRenderer) -> None:
    for layout in layouts:
        drawn, run = direct.draw_sheet(write_sheet(layout), runner.level), runner.render(write_layout(layout))
        assert drawn is not None
        assert (drawn.png, drawn.drawing) == (run.png, run.drawing)


def test_an_anchor_is_the_same_where_its_script_is_run(
    renderer: MemoRenderer, runner: MemoRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = make_anchors(renderer)
    monkeypatch.setattr(direct, "draw_sheet", lambda *_: None)
    assert make_anchors(runner) == drawn


def test_what_lies_off_the_page_or_shows_nothing_is_left_to_the_script(layouts: list[Layout]) -> None:
    sheet = write_sheet(layouts[0])
    x0, x1, y0, _ = sheet.window
    beside = Letters("A", (x1 + (x1 - x0), y0), 14, "serif", False, "black", "label A")
    for odd in (
        replace(sheet, letters=(beside,)),
        replace(sheet, dots=(Disc((x1 + 1, y0), 4, "black", "dot A"),)),
        replace(sheet, region=(), lines=(), rounds=(), dots=(), letters=()),
    ):
        assert direct.draw_sheet(odd, "L0") is None


def test_sheets_that_are_drawn_otherwise_here_are_never_believed(
    layouts: list[Layout], monkeypatch: pytest.MonkeyPatch
) -> None:
    codes, sheets = [write_layout(layout) for layout in layouts[:3]], [write_sheet(layout) for layout in layouts[:3]]
    plain = direct.draw_sheet
    monkeypatch.setattr(
        direct, "draw_sheet", lambda sheet, level: plain(replace(sheet, dots=(), letters=sheet.letters[1:]), level)
    )
    opened = MemoRenderer()
    try:
        given = opened.render_together(codes, sheets)
        assert [each.outcome for each in given] == [Outcome.OK] * 3
        assert given == [opened.render(code) for code in codes]
        monkeypatch.undo()
        assert [each.png for each in given] == [plain(sheet, "L0").png for sheet in sheets]  # type: ignore[union-attr]
    finally:
        opened.close()
