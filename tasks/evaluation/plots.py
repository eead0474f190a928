"""Score sheets as pictures: each figure of each system with its interval beside chance; and MELD's plane of fields."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from counterfoil.tasks.evaluation.evaluate import BLIND, CHANCE, GAIN, MODEL, ZERO_SHOT, Sheet, TaskTable
from counterfoil.tasks.evaluation.layout import Plane
from counterfoil.tasks.evaluation.tables import list_columns

_COLOURS = {MODEL: "#1b6ca8", ZERO_SHOT: "#7fa8c9", BLIND: "#b0a090"}
_FIRST, _SECOND = "#1b6ca8", "#b5651d"
_MOST = 6
"""Figures drawn of a task."""


def draw_sheet(sheet: Sheet, path: Path) -> None:
    """Draw a sheet's tables under one another, as PNG."""
    figure_of = _load_figure()
    heights = [1.0 + 0.22 * (len(table.rows) + 1) for table in sheet.tables]
    figure = figure_of(figsize=(11, sum(heights) + 0.4), layout="constrained")
    grids = figure.subfigures(len(sheet.tables), 1, height_ratios=heights, squeeze=False)
    for part, table in zip(grids[:, 0], sheet.tables, strict=True):
        _draw_table(part, sheet.title, table)
    figure.savefig(path, dpi=110)


def _draw_table(part: Any, title: str, table: TaskTable) -> None:
    names = list_columns(table)[:_MOST]
    rows = [row for row in table.rows if row.kind not in (CHANCE, GAIN)][::-1]
    chance = {figure.name: figure.value for row in table.rows if row.kind == CHANCE for figure in row.figures}
    part.suptitle(f"{title}: {table.task}" if table.task else title, fontsize=9, x=0.01, ha="left")
    if not rows or not names:
        return
    axes = part.subplots(1, len(names), sharey=True, squeeze=False)[0]
    for axis, name in zip(axes, names, strict=True):
        for place, row in enumerate(rows):
            for each in row.figures:
                if each.name == name and not math.isnan(each.value):
                    scale = 100 if each.percent else 1
                    axis.plot([scale * each.low, scale * each.high], [place, place], color=_COLOURS[row.kind], lw=2)
                    axis.plot([scale * each.value], [place], "o", color=_COLOURS[row.kind], ms=4)
                    axis.set_xlim((0, 100) if each.percent else None)
                    if not math.isnan(chance.get(name, math.nan)):
                        axis.axvline(scale * chance[name], color="#888888", lw=0.8, ls=":")
        axis.set_title(name, fontsize=8)
        axis.tick_params(labelsize=7)
    axes[0].set_yticks(range(len(rows)), [row.system for row in rows], fontsize=7)


def draw_plane(plane: Plane, path: Path) -> None:
    """Draw the places of equivalent statements, a panel for each pair of fields, as PNG; lines join equivalents."""
    columns = min(3, len(plane.panels))
    lines = -(-len(plane.panels) // columns)
    figure = _load_figure()(figsize=(4 * columns, 3.6 * lines + 0.4), layout="constrained")
    figure.suptitle(plane.title, fontsize=10)
    axes = figure.subplots(lines, columns, squeeze=False).ravel()
    for axis in axes:
        axis.set_axis_off()
    for axis, panel in zip(axes, plane.panels, strict=False):
        axis.set_axis_on()
        for first, second in panel.points:
            axis.plot([first[0], second[0]], [first[1], second[1]], color="#cccccc", lw=0.6, zorder=1)
        names = panel.fields[0]
        for side, colour in enumerate((_FIRST, _SECOND)):
            axis.scatter(panel.points[:, side, 0], panel.points[:, side, 1], s=14, color=colour, label=names[side])
        axis.set_title(panel.name, fontsize=8)
        axis.legend(fontsize=6)
        axis.set_xticks([])
        axis.set_yticks([])
    figure.savefig(path, dpi=110)


def _load_figure() -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    def make(**settings: Any) -> Any:
        figure = Figure(**settings)
        FigureCanvasAgg(figure)
        return figure

    return make
