"""Histograms as inline SVG, coloured by the page's style sheet. All text in them is ours."""

from __future__ import annotations

import math

from markupsafe import Markup, escape

from counterfoil.tasks.report.tallies import Histogram

_WIDTH, _HEIGHT = 320, 172
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 6, 30, 38


def draw_histogram(
    histogram: Histogram, title: str, unit: str, scale: float = 1.0, decimals: int = 0, *, counted: str = "rows"
) -> Markup:
    """A bar chart with its median marked; values are shown times ``scale``. Both axes are named: the values' ``unit``,
    and what is ``counted``."""
    counts, edges = histogram.counts, [edge * scale for edge in histogram.edges]
    peak = max(counts)
    step = (_WIDTH - _LEFT - _RIGHT) / len(counts)
    floor = _HEIGHT - _BOTTOM
    single = decimals == 0 and math.isclose(histogram.step * scale, 1)
    bars = []
    for number, count in enumerate(counts):
        if not count:
            continue
        height = max(1.5, (floor - _TOP) * count / peak)
        name = (
            f"{edges[number]:,.0f}" if single else f"{edges[number]:,.{decimals}f} to {edges[number + 1]:,.{decimals}f}"
        )
        bars.append(
            f'<rect x="{_LEFT + number * step + 0.5:.2f}" y="{floor - height:.2f}" width="{max(1.0, step - 1):.2f}" '
            f'height="{height:.2f}" rx="1"><title>{escape(f"{name} {unit}: {count:,} {counted}")}</title></rect>'
        )
    span = histogram.step * len(counts)
    shift = histogram.step / 2 if single else 0.0
    median_x = _LEFT + (histogram.median + shift - histogram.start) / span * (_WIDTH - _LEFT - _RIGHT)
    side, dx = ("end", -4) if median_x > _WIDTH * 0.7 else ("start", 4)
    label = (
        f"{title}: {histogram.total:,} values from {histogram.least * scale:,.{decimals}f} to "
        f"{histogram.most * scale:,.{decimals}f} {unit}, median {histogram.median * scale:,.{decimals}f}"
    )
    return Markup(
        f'<svg class="histogram" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(label)}">'
        f'<g class="bars">{"".join(bars)}</g>'
        f'<line class="floor" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{floor}" y2="{floor}"/>'
        f'<line class="median" x1="{median_x:.1f}" x2="{median_x:.1f}" y1="{_TOP - 12}" y2="{floor}"/>'
        f'<text class="median-name" x="{median_x + dx:.1f}" y="{_TOP - 4}" text-anchor="{side}">'
        f"median {histogram.median * scale:,.{decimals}f}</text>"
        f"{_draw_ticks(histogram, scale, decimals, single)}{_name_axes(peak, unit, counted)}</svg>"
    )


def _name_axes(peak: int, unit: str, counted: str) -> str:
    floor = _HEIGHT - _BOTTOM
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    return (
        f'<line class="floor" x1="{_LEFT - 3}" x2="{_LEFT - 3}" y1="{_TOP}" y2="{floor}"/>'
        f'<text x="{_LEFT - 7}" y="{_TOP + 4}" text-anchor="end">{peak:,}</text>'
        f'<text x="{_LEFT - 7}" y="{floor}" text-anchor="end">0</text>'
        f'<text class="axis-name" x="0" y="10" text-anchor="start">{escape(counted)}</text>'
        f'<text class="axis-name" x="{middle:.1f}" y="{_HEIGHT - 6}" text-anchor="middle">{escape(unit)}</text>'
    )


def draw_meter(share: float, label: str) -> Markup:
    """A bar that is filled to ``share`` (0 to 1)."""
    return Markup(
        '<svg class="meter" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(label)}"><rect class="rest" width="100" height="4"/>'
        f'<rect class="part" width="{100 * min(1.0, max(0.0, share)):.2f}" height="4"/></svg>'
    )


def _draw_ticks(histogram: Histogram, scale: float, decimals: int, single: bool) -> str:
    bins = len(histogram.counts)
    every = max(1, math.ceil(bins / 6))
    step = (_WIDTH - _LEFT - _RIGHT) / bins
    ticks = []
    for number in range(0, bins + (0 if single else 1), every):
        x = _LEFT + (number + (0.5 if single else 0.0)) * step
        side = "start" if x < _LEFT + 8 else "end" if x > _WIDTH - 14 else "middle"
        value = (histogram.start + number * histogram.step) * scale
        ticks.append(
            f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 14}" text-anchor="{side}">{value:,.{decimals}f}</text>'
        )
    return "".join(ticks)
