"""Where a scene plays: sky, ground, weather and light, painted behind the things, and what falls in front of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from counterfoil.tasks.caption.scenes.brush import Brush
from counterfoil.tasks.caption.scenes.graph import Scene
from counterfoil.tasks.caption.scenes.palette import mix, shade
from counterfoil.tasks.caption.scenes.places import GROUNDS

SIDE = 336
"""The picture's side in its own units; painted at any size."""
HORIZON = 206.0
WINDOW = (26.0, 26.0, 84.0, 74.0)
"""The window of a room: x, y, width, height."""

_SKIES = {
    "day": ("#8fcbf2", "#dff1fb"),
    "evening": ("#f08a5d", "#fbd9a0"),
    "night": ("#1d2650", "#3d4a80"),
}
_DULL = frozenset({"cloudy", "rainy", "snowy", "foggy", "stormy"})


@dataclass(frozen=True, slots=True)
class Backdrop:
    """SVG behind and in front of the things, and the definitions both use."""

    defs: str
    behind: str
    before: str


def paint_backdrop(scene: Scene, rng: np.random.Generator) -> Backdrop:
    """Sky, ground and weather of ``scene``; ``rng`` scatters clouds, grass and drops."""
    defs: list[str] = []
    brush = Brush(shade("gray"), None, 1.6, "stage", rng)
    if scene.place == "room":
        _paint_room(brush, scene, rng, defs)
        return Backdrop("".join(defs), brush.take(), "")
    _paint_sky(brush, scene, rng, defs, (0.0, 0.0, float(SIDE), HORIZON + 6))
    _paint_ground(brush, scene, rng, defs)
    if scene.weather == "foggy":
        _paint_fog(brush, defs, "mist", 0.9, HORIZON - 96, 170)
    behind = brush.take()
    _paint_fall(brush, scene, rng, (0.0, 0.0, float(SIDE), float(SIDE)), 1.0)
    if scene.weather == "foggy":
        _paint_fog(brush, defs, "haze", 0.3, 262, 66)
    return Backdrop("".join(defs), behind, brush.take())


def _paint_sky(
    brush: Brush, scene: Scene, rng: np.random.Generator, defs: list[str], box: tuple[float, float, float, float]
) -> None:
    x, y, width, height = box
    top, low = _SKIES[scene.time]
    if scene.weather in _DULL:
        gray = {"day": "#a9b4bd", "evening": "#b58f8d", "night": "#2a3042"}[scene.time]
        share = 0.45 if scene.weather == "cloudy" else 0.82 if scene.weather == "stormy" else 0.72
        top, low = mix(top, gray, share), mix(low, gray, share * 0.8)
        if scene.weather == "stormy" and scene.time == "day":
            top = mix(top, "#39414d", 0.55)
    defs.append(_gradient("sky", top, low))
    brush.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="url(#sky)"/>')
    unit = min(width, height) / 206
    if scene.time == "night":
        _paint_night(brush, scene, rng, box, unit)
    elif scene.time == "evening":
        _paint_sun(brush, x + width * 0.8, y + height * 0.8, 25 * unit, "#ffe2a8", rays=False)
    elif scene.weather == "sunny":
        _paint_sun(brush, x + width * 0.87, y + height * 0.19, 20 * unit, "#ffd43b", rays=True)
    _paint_clouds(brush, scene, rng, box, unit)
    if scene.weather == "stormy":
        for share in (0.3, 0.72):
            _paint_lightning(brush, x + width * share, y + height * 0.24, 60 * unit)


def _paint_night(
    brush: Brush, scene: Scene, rng: np.random.Generator, box: tuple[float, float, float, float], unit: float
) -> None:
    x, y, width, height = box
    if scene.weather not in _DULL:
        for _ in range(26):
            sx, sy = x + rng.random() * width, y + rng.random() * height * 0.42
            brush.circle(sx, sy, (0.8 + rng.random() * 1.1) * unit, "#fff6d5", 0)
    mx, my, r = x + width * 0.86, y + height * 0.2, 19 * unit
    if scene.weather in ("clear", "cloudy", "snowy"):
        brush.path(
            f"M{mx:.1f} {my - r:.1f}A{r:.1f} {r:.1f} 0 1 0 {mx + r:.1f} {my + r * 0.25:.1f}"
            f"A{r * 0.8:.1f} {r * 0.8:.1f} 0 0 1 {mx:.1f} {my - r:.1f}Z",
            "#fdf0b8",
            0.6,
        )


def _paint_sun(brush: Brush, x: float, y: float, r: float, colour: str, rays: bool) -> None:
    if rays:
        for i in range(12):
            a = 2 * math.pi * i / 12
            dx, dy, far = r * math.cos(a), r * math.sin(a), 1.75 if i % 2 else 1.55
            brush.curve([(x + 1.25 * dx, y + 1.25 * dy), (x + far * dx, y + far * dy)], colour, 2.0)
    else:
        brush.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r * 1.7:.1f}" fill="{colour}" opacity="0.3"/>')
    brush.circle(x, y, r, colour, 0.7)


def _paint_clouds(
    brush: Brush, scene: Scene, rng: np.random.Generator, box: tuple[float, float, float, float], unit: float
) -> None:
    count = {"sunny": 1, "clear": 0, "foggy": 0, "cloudy": 6, "snowy": 4, "rainy": 5, "stormy": 6}[scene.weather]
    x, y, width, height = box
    colour = {"day": "#ffffff", "evening": "#f6cdb4", "night": "#5d688f"}[scene.time]
    if scene.weather in ("rainy", "snowy"):
        colour = mix(colour, "#7f8a96", 0.42)
    elif scene.weather == "cloudy":
        colour = mix(colour, "#aab4be", 0.25)
    elif scene.weather == "stormy":
        colour = mix(colour, "#474d5a", 0.68)
    share = width / max(count, 1)
    for i in range(count):
        cx = (
            x + share * (i + 0.5 + 0.3 * (rng.random() - 0.5)) if count > 1 else x + width * (0.18 + 0.3 * rng.random())
        )
        cy = y + height * (0.1 + 0.16 * rng.random())
        w = (34 + 14 * rng.random()) * unit
        h = w * 0.5
        cx = min(max(cx, x + w * 0.6), x + width - w * 0.6)
        brush.path(
            f"M{cx - w:.1f} {cy + h * 0.5:.1f}A{h * 0.5:.1f} {h * 0.5:.1f} 0 0 1 {cx - w * 0.62:.1f} {cy - h * 0.2:.1f}"
            f"A{h * 0.62:.1f} {h * 0.62:.1f} 0 0 1 {cx + w * 0.08:.1f} {cy - h * 0.5:.1f}"
            f"A{h * 0.55:.1f} {h * 0.55:.1f} 0 0 1 {cx + w * 0.66:.1f} {cy - h * 0.14:.1f}"
            f"A{h * 0.4:.1f} {h * 0.4:.1f} 0 0 1 {cx + w:.1f} {cy + h * 0.5:.1f}Z",
            colour,
            0.5,
        )


def _paint_lightning(brush: Brush, x: float, y: float, length: float) -> None:
    s = length / 60
    points = [(0, 0), (-12, 30), (-2, 28), (-12, 60), (14, 20), (3, 22), (12, 0)]
    brush.polygon([(x + dx * s, y + dy * s) for dx, dy in points], "#ffe14d", 0.8)


def _paint_ground(brush: Brush, scene: Scene, rng: np.random.Generator, defs: list[str]) -> None:
    ground = GROUNDS[scene.place]
    near, far = ground.near, ground.far
    if scene.time == "night":
        near, far = mix(near, "#2c3a63", 0.42), mix(far, "#2c3a63", 0.48)
    elif scene.time == "evening":
        near, far = mix(near, "#e08a5a", 0.16), mix(far, "#e08a5a", 0.2)
    elif scene.weather in ("rainy", "stormy"):
        near, far = mix(near, "#6b7680", 0.2), mix(far, "#6b7680", 0.22)
    defs.append(_gradient("ground", far, near))
    h = HORIZON
    if ground.behind == "hills":
        hill = mix(far, ground.hill, 0.25)
        a, b = (h - 26 + 12 * rng.random() for _ in range(2))
        brush.path(f"M0 {h + 12:g}V{a:.1f}Q84 {a - 30:.1f} 168 {h - 6:.1f}T336 {b:.1f}V{h + 12:g}Z", hill, 0.4)
    if ground.behind == "sea":
        sea = mix("#5aa6d6", "#2c3a63", 0.4 if scene.time == "night" else 0.0)
        brush.rect(-2, h - 26, SIDE + 4, 40, sea, 0, 0)
        for i in range(7):
            x, y = rng.random() * 320, h - 18 + 5 * (i % 4)
            brush.curve([(x, y), (x + 9, y - 2), (x + 18, y)], mix(sea, "#ffffff", 0.5), 0.9)
    if ground.behind == "skyline":
        _paint_skyline(brush, scene, rng)
    if ground.behind == "woods":
        _paint_woods(brush, far, rng)
    edge = 2 if ground.flat else 9
    brush.parts.append(
        f'<path d="M0 {h + edge * 0.4:g}Q90 {h - edge:g} 180 {h:g}T336 {h - edge * 0.4:g}V336H0Z" fill="url(#ground)"/>'
    )
    _paint_strewn(brush, ground.strewn, rng, near, far)


def _paint_skyline(brush: Brush, scene: Scene, rng: np.random.Generator) -> None:
    x = -6.0
    tone = {"day": "#b9c3d3", "evening": "#b98d8d", "night": "#2b3358"}[scene.time]
    while x < SIDE:
        width, height = 24 + 22 * rng.random(), 26 + 46 * rng.random()
        brush.rect(x, HORIZON - height, width, height + 6, tone, 0, 0.3)
        x += width


def _paint_woods(brush: Brush, far: str, rng: np.random.Generator) -> None:
    x = -8.0
    while x < SIDE + 12:
        height, width = 24 + 20 * rng.random(), 15 + 9 * rng.random()
        foot = HORIZON + 6
        tree = [(x, foot), (x + width / 2, foot - height), (x + width, foot)]
        brush.polygon(tree, mix(far, "#16301f", 0.2 + 0.3 * rng.random()), 0.4)
        x += width * (0.6 + 0.3 * rng.random())


def _paint_strewn(brush: Brush, strewn: str, rng: np.random.Generator, near: str, far: str) -> None:
    ink = mix(far, "#000000", 0.16)
    if strewn == "grass":
        for _ in range(24):
            x, y = rng.random() * SIDE, HORIZON + 14 + rng.random() * 112
            for dx in (-3, 0, 3):
                brush.curve([(x, y), (x + dx, y - 6)], ink, 0.8)
    elif strewn == "road":
        brush.rect(-2, 300, SIDE + 4, 38, mix(near, "#55555c", 0.62), 0, 0)
        brush.rect(-2, 297, SIDE + 4, 4, mix(near, "#ffffff", 0.5), 0, 0)
        for i in range(6):
            brush.rect(10 + i * 60, 319, 28, 4, "#f3efe2", 1, 0)
    elif strewn == "sand":
        for _ in range(30):
            x, y = rng.random() * SIDE, HORIZON + 18 + rng.random() * 110
            brush.curve([(x, y), (x + 5, y)], ink, 0.7)
    elif strewn == "drifts":
        for _ in range(9):
            x, y = rng.random() * SIDE, HORIZON + 24 + rng.random() * 100
            brush.curve([(x, y), (x + 14, y - 3), (x + 28, y)], mix(near, "#8fb4d4", 0.35), 1.0)
    elif strewn == "waves":
        for i in range(22):
            x, y = rng.random() * 320, HORIZON + 12 + 5.4 * i
            brush.curve([(x, y), (x + 10, y - 3), (x + 20, y)], mix(near, "#ffffff", 0.42), 1.0)
    elif strewn == "furrows":
        for i in range(13):
            x = -120 + 48 * i
            brush.curve([(84 + 14 * i, HORIZON + 10), ((84 + 14 * i + x) / 2, 268), (x, 338)], ink, 1.4)
    elif strewn == "rows":
        for row in range(5):
            for _ in range(14):
                x, y = rng.random() * SIDE, HORIZON + 15 + 22 * row + 4 * rng.random()
                brush.curve([(x, y), (x, y - 6)], mix(far, "#3f7048", 0.5), 1.0)
    elif strewn == "lines":
        for y in (236, 288):
            brush.rect(-2, y, SIDE + 4, 2.4, mix(near, "#ffffff", 0.55), 0, 0)
        brush.curve([(150, HORIZON + 6), (120, 312)], mix(near, "#ffffff", 0.55), 2.0)


def _paint_fall(
    brush: Brush, scene: Scene, rng: np.random.Generator, box: tuple[float, float, float, float], unit: float
) -> None:
    """Rain or snow within the box: evenly scattered, so that none of it is missing anywhere."""
    x, y, width, height = box
    if scene.weather not in ("rainy", "stormy", "snowy"):
        return
    step = (30 if scene.weather == "snowy" else 26) * unit
    for row in range(int(height / step) + 1):
        for column in range(int(width / step) + 1):
            px = x + (column + rng.random()) * step
            py = y + (row + rng.random()) * step
            if not (x < px < x + width - 2 and y < py < y + height - 8 * unit):
                continue
            if scene.weather == "snowy":
                brush.parts.append(
                    f'<circle cx="{px:.1f}" cy="{py:.1f}" r="{(1.5 + rng.random()) * unit:.1f}" fill="#ffffff"/>'
                )
            else:
                brush.parts.append(
                    f'<path d="M{px:.1f} {py:.1f}l{-2.6 * unit:.1f} {10 * unit:.1f}" stroke="#e3f1fb" '
                    f'stroke-width="{1.3 * unit:.1f}" stroke-linecap="round" opacity="0.85"/>'
                )


def _paint_fog(brush: Brush, defs: list[str], name: str, strength: float, y: float, height: float) -> None:
    stops = "".join(
        f'<stop offset="{offset:g}" stop-color="#f3f5f7" stop-opacity="{share * strength:g}"/>'
        for offset, share in ((0, 0), (0.3, 0.75), (0.5, 1), (0.7, 0.75), (1, 0))
    )
    defs.append(f'<linearGradient id="{name}" x1="0" y1="0" x2="0" y2="1">{stops}</linearGradient>')
    brush.parts.append(f'<rect x="0" y="{y:g}" width="{SIDE}" height="{height:g}" fill="url(#{name})"/>')


def _paint_room(brush: Brush, scene: Scene, rng: np.random.Generator, defs: list[str]) -> None:
    wall = ("#f3e2cf", "#dfe9e3", "#e6e2ef", "#f4e6b9", "#d9e6ef")[int(rng.integers(5))]
    brush.rect(-2, -2, SIDE + 4, 250, wall, 0, 0)
    for i in range(12):
        brush.rect(8 + i * 30, -2, 8, 240, mix(wall, "#ffffff", 0.35), 0, 0)
    near, far = GROUNDS["room"].near, GROUNDS["room"].far
    brush.rect(-2, 236, SIDE + 4, 104, near, 0, 0)
    for board in (256, 278, 303, 329):
        brush.rect(-2, board, SIDE + 4, 1.6, far, 0, 0)
    brush.rect(-2, 230, SIDE + 4, 9, mix(wall, "#8a6a4c", 0.55), 0, 0.5)
    x, y, width, height = WINDOW
    brush.rect(x - 6, y - 6, width + 12, height + 12, "#fdfaf3", 2)
    _paint_sky(brush, scene, rng, defs, WINDOW)
    _paint_fall(brush, scene, rng, WINDOW, 0.5)
    brush.curve([(x + width / 2, y), (x + width / 2, y + height)], "#fdfaf3", 2.2)
    brush.curve([(x, y + height / 2), (x + width, y + height / 2)], "#fdfaf3", 2.2)
    brush.rect(x - 10, y + height + 4, width + 20, 7, "#fdfaf3", 2)


def _gradient(name: str, top: str, low: str) -> str:
    return (
        f'<linearGradient id="{name}" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="{top}"/>'
        f'<stop offset="1" stop-color="{low}"/></linearGradient>'
    )
