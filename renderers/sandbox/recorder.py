"""Reads from a matplotlib figure, just drawn, what it shows: plain lists in data coordinates, ready for JSON.

It works on artists, not on calls, so a script's style does not matter: `plt.plot`, `ax.add_line`, patches,
collections and annotations all end as the same few shapes. Runs inside the sandbox; `claims` on the trusted side
checks the result and makes a `Drawing` of it.
"""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import get_hinting_flag

from counterfoil.renderers.sandbox.artists import to_hex
from counterfoil.renderers.sandbox.paint import Paint
from counterfoil.renderers.sandbox.panel import Budget, PanelRecorder

MAX_POINTS = 40_000


def record_figure(figure: Any, renderer: Any) -> dict[str, Any]:
    """What ``figure`` shows, panel by panel. ``renderer`` is the Agg renderer that has just drawn it."""
    width, height = int(renderer.width), int(renderer.height)
    budget = Budget(MAX_POINTS)
    paint = Paint(figure, renderer)
    panels = [PanelRecorder(axes, renderer, paint, budget) for axes in _visible_axes(figure)]
    for panel in panels:
        panel.record_axes()
    loose = [*figure.texts, *figure.lines, *figure.patches, *figure.artists, *figure.legends]
    if figure._suptitle is not None and figure._suptitle not in loose:
        loose.append(figure._suptitle)
    _record_loose(figure, loose, panels, renderer, paint, budget)
    return {
        "width": width,
        "height": height,
        "panels": [panel.content for panel in panels],
        "truncated": budget.spent,
        "paper": to_hex(paint.paper),
        "faces": paint.faces,
        "dpi": float(renderer.dpi),
        "wobble": paint.wobble,
        "hinting": get_hinting_flag().name or "DEFAULT",
    }


def _visible_axes(figure: Any) -> list[Axes]:
    return [axes for axes in figure.axes if axes.get_visible()]


def _record_loose(
    figure: Any, artists: list[Any], panels: list[PanelRecorder], renderer: Any, paint: Paint, budget: Budget
) -> None:
    """Record what belongs to the figure itself in the panel that it lies on, or in one of its own."""
    whole: PanelRecorder | None = None
    for artist in artists:
        if not artist.get_visible():
            continue
        target = next((p for p in panels if p.covers(artist)), panels[0] if panels else whole)
        if target is None:
            target = whole = PanelRecorder(figure, renderer, paint, budget)
            panels.append(target)
        target.record_loose(artist)
