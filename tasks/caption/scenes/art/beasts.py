"""Animals on four legs: one skeleton that stands, sits, lies, sleeps and runs. Their assets have heads and tails.

Heads are large, as in picture books: a face must be readable at sixty pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from counterfoil.tasks.caption.scenes.assets import Asset, AssetError
from counterfoil.tasks.caption.scenes.brush import DARK, MAIN, Brush


@dataclass(frozen=True, slots=True)
class Build:
    """Proportions of an animal, in its own units, as its asset states them."""

    asset: Asset
    radius: float = 21
    "of the head"
    length: float = 60
    girth: float = 36
    legs: float = 26
    neck: float = 0
    "how far the head stands above the shoulders"
    leg_width: float = 10
    foot: str = DARK
    wool: str = ""
    mane: str = ""
    "its colour, on a neck"

    @classmethod
    def of(cls, asset: Asset) -> Build:
        """The build that the asset's root states.

        Raises:
            AssetError: it states what no build has, or no number.
        """
        kinds: dict[str, Callable[[str], Any]] = {
            each.name: str if each.type == "str" else float for each in fields(cls)
        }
        given = {name.replace("-", "_"): text for name, text in asset.traits.items() if name != "skeleton"}
        try:
            return cls(asset, **{name: kinds[name](text) for name, text in given.items()})
        except (KeyError, ValueError) as error:
            raise AssetError(f"art/{asset.name}.svg: its proportions: {error}") from error


def draw_beast(asset: Asset, brush: Brush) -> None:
    """The animal in its posture, looking to the right; the ground is y = 0."""
    build = _read_build(asset)
    drawers = {"running": _draw_running, "sitting": _draw_sitting, "lying": _draw_lying, "sleeping": _draw_lying}
    next((draw for posture, draw in drawers.items() if posture in brush.looks), _draw_standing)(brush, build)


_read_build = cache(Build.of)


def _draw_standing(brush: Brush, build: Build) -> None:
    half, middle = (build.length / 2, -build.legs - build.girth / 2)
    build.asset.paint(brush.at(-half, middle - build.girth * 0.2), "tail")
    for x in (-half + 14, half - 7):
        _draw_leg(brush, [(x, middle), (x, -build.leg_width / 2)], build, DARK)
    for x in (-half + 6, half - 16):
        _draw_leg(brush, [(x, middle), (x, -build.leg_width / 2)], build, MAIN)
    _draw_trunk(brush, 0, middle, half, build.girth / 2, build)
    _draw_head(brush, half - 3, middle - build.girth * 0.3, build)


def _draw_running(brush: Brush, build: Build) -> None:
    half, middle = (build.length / 2 + 3, -build.legs - build.girth / 2 - 4)
    build.asset.paint(brush.at(-half, middle - build.girth * 0.25), "tail")
    foot = -build.leg_width / 2
    reach = build.legs * 0.9
    for x, swing in ((-half + 12, -1.0), (half - 12, 1.0)):
        knee = (x + swing * reach * 0.6, middle + build.girth * 0.45)
        _draw_leg(brush, [(x, middle), knee, (x + swing * reach * 1.25, foot - 12)], build, DARK)
        knee = (x + swing * reach * 0.35, middle + build.girth * 0.55)
        _draw_leg(brush, [(x - 3, middle), knee, (x + swing * reach * 0.9, foot)], build, MAIN)
    _draw_trunk(brush, 0, middle, half, build.girth / 2 - 1, build)
    _draw_head(brush, half + 2, middle - build.girth * 0.2, build)


def _draw_sitting(brush: Brush, build: Build) -> None:
    wide, tall = (build.girth * 0.62, build.girth * 0.95 + build.legs * 0.75)
    build.asset.paint(brush.at(-wide * 0.95, -10), "tail")
    if build.wool:
        brush.cloud(0, -tall * 0.46, wide, tall * 0.46, 11)
    else:
        brush.blob(
            [(-wide, -9), (-wide * 0.82, -tall * 0.5), (0, -tall), (wide * 0.75, -tall * 0.55), (wide, -7), (0, 0)]
        )
    brush.ellipse(-wide * 0.72, -9, 12, 9.5)
    for x in (wide * 0.18, wide * 0.66):
        _draw_leg(brush, [(x, -tall * 0.5), (x, -build.leg_width / 2)], build, MAIN)
    _draw_head(brush, wide * 0.3, -tall + 5, build)


def _draw_lying(brush: Brush, build: Build) -> None:
    half, rise = (build.length / 2 + 4, build.girth * 0.44)
    build.asset.paint(brush.at(-half + 3, -rise * 0.8), "tail")
    _draw_trunk(brush, 0, -rise, half, rise, build)
    brush.ellipse(-half * 0.45, -rise * 0.62, half * 0.36, rise * 0.56)
    for x in (half - 2, half + 8):
        _draw_leg(brush, [(x - 16, -6), (x + 6, -build.leg_width / 2)], build, MAIN)
    low = "sleeping" in brush.looks
    x, y = (half - 2, -rise - (2 if low else 12))
    _draw_head(brush, x, y, build, bowed=low)
    if low:
        build.asset.paint(brush.at(x + build.radius * 1.1, y - build.radius * 1.5), "sleep")


def _draw_trunk(brush: Brush, x: float, y: float, half: float, ry: float, build: Build) -> None:
    if build.wool:
        brush.cloud(x, y, half * 0.95, ry * 0.95, 13)
    else:
        outline = "-1,-0.1 -0.6,-0.98 0,-0.9 0.7,-1 1,0 0.6,0.92 0,1 -0.7,0.85"
        pairs = (pair.split(",") for pair in outline.split())
        brush.blob([(x + half * float(dx), y + ry * float(dy)) for dx, dy in pairs])
    brush.shine(x - half * 0.1, y - ry * 0.5, half * 0.5, ry * 0.22, 0.18)


def _draw_leg(brush: Brush, points: list[tuple[float, float]], build: Build, fill: str) -> None:
    brush.limb(points, build.leg_width, fill)
    x, y = points[-1]
    w = build.leg_width
    brush.ellipse(x + 1, y + w * 0.1, w * 0.56, w * 0.4, build.foot, 0.7)


def _draw_head(brush: Brush, x: float, y: float, build: Build, bowed: bool = False) -> None:
    """The head at the shoulder (x, y), a neck's length above it."""
    rise = build.neck * (0.25 if bowed else 0.55 if brush.looks & {"lying", "running"} else 1.0)
    hx, hy = (x + rise * 0.3, y - rise - build.radius * 0.45)
    if rise > 4:
        brush.limb([(x - 9, y + 6), (hx - 2, hy)], build.radius * 0.98, MAIN)
        if build.mane:
            for share in (0.1, 0.4, 0.7, 1.0):
                brush.circle(x - 13 + share * (hx - x), y + share * (hy - y) - 2, 6.5, build.mane, 0.6)
    build.asset.paint(brush.at(hx, hy, build.radius), "head")
