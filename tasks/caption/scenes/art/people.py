"""People: boy, girl, man and woman, told apart by height, hair and clothes. Their colour is that of their clothes."""

from __future__ import annotations

from counterfoil.tasks.caption.scenes.assets import Asset
from counterfoil.tasks.caption.scenes.brush import DARK, MAIN, Brush

SKINS = ("#f6cfae", "#e8b48b", "#c98d5f", "#9a6540", "#70462d")
HAIRS = ("#3a2a22", "#5b3a24", "#8a5a2e", "#d8a445", "#2a2629", "#b5532c")
SHOES = "#4a3b40"
TROUSERS = "#4d5d86"


def find_hand(asset: Asset, looks: frozenset[str]) -> tuple[float, float]:
    """Where the hand is that holds something, in the person's own units."""
    _, shoulder, hip, _ = _measure_body(asset, looks)
    return (30.0, shoulder + abs(hip) * 0.1 + 4) if "grown" in asset.traits else (34.0, shoulder + 3)


def draw_person(asset: Asset, brush: Brush) -> None:
    """The person, facing us; the ground is y = 0, and the height is 100 whether child or grown.

    The asset says with ``skirt`` and ``grown`` whether it has the one and is the other, and draws head and long hair.
    """
    rng = brush.rng
    skin = SKINS[int(rng.integers(len(SKINS)))]
    hair = HAIRS[int(rng.integers(len(HAIRS)))]
    legs = skin if "skirt" in asset.traits else TROUSERS
    if brush.looks & {"lying", "sleeping"}:
        _draw_lying(brush, asset, skin, hair, legs)
        return
    radius, shoulder, hip, lift = _measure_body(asset, brush.looks)
    head = brush.at(0, shoulder - radius + 4, radius)
    if "hair" in asset.parts:
        asset.paint(head, "hair", hair=hair)
    _draw_legs(brush, hip, legs, lift)
    _draw_body(brush, asset, shoulder, hip)
    _draw_arms(brush, asset, radius, skin)
    asset.paint(head, "head", skin=skin, hair=hair)


def _measure_body(asset: Asset, looks: frozenset[str]) -> tuple[float, float, float, float]:
    """The head's radius, the heights of shoulder and hip, and by how much the posture moved both."""
    grown = "grown" in asset.traits
    head = 17.0 if grown else 23.0
    shoulder = -(100 - 2 * head) + 3
    hip = shoulder * (0.5 if grown else 0.46)
    lift = -hip * 0.62 if "sitting" in looks else -14.0 if "jumping" in looks else 0.0
    return head, shoulder + lift, hip + lift, lift


def _draw_legs(brush: Brush, hip: float, fill: str, lift: float) -> None:
    width = 9.5
    if "sitting" in brush.looks:
        for side in (-1, 1):
            brush.limb([(side * 6, hip), (side * 13, hip + 5), (side * 17, -4)], width, fill)
            brush.ellipse(side * 20, -3, 8, 4.5, SHOES)
        return
    if brush.looks & {"running", "walking"}:
        stride = 1.0 if "running" in brush.looks else 0.62
        back = [(-4, hip), (-10 * stride, hip * 0.5), (-30 * stride, hip * (0.36 if stride == 1.0 else 0.0) - 4)]
        front = [(4, hip), (17 * stride, hip * 0.6), (20 * stride, -4)]
        for points in (back, front):
            brush.limb(points, width, fill)
            brush.ellipse(points[-1][0] + 4, points[-1][1] + 1, 8, 4.5, SHOES)
        return
    spread = 14 if "jumping" in brush.looks else 8
    for side in (-1, 1):
        foot = -4 + lift * (0.9 if "jumping" in brush.looks else 0)
        brush.limb([(side * 6, hip), (side * spread, foot)], width, fill)
        brush.ellipse(side * (spread + 2), foot + 1, 8, 4.5, SHOES)


def _draw_body(brush: Brush, asset: Asset, shoulder: float, hip: float) -> None:
    grown = "grown" in asset.traits
    top, low = shoulder - 1, hip + 4
    if "skirt" in asset.traits:
        hem = low + (5 if "sitting" in brush.looks else 9 if grown else 6)
        flare = 23 if grown else 24
        brush.path(f"M-10 {top}Q0 {top - 3} 10 {top}L{flare} {hem}Q0 {hem + 6} {-flare} {hem}Z")
        return
    wide = 15 if grown else 13
    left = f"M{-wide} {top + 6}Q{-wide} {top} {-wide + 7} {top}L{wide - 7} {top}"
    brush.path(f"{left}Q{wide} {top} {wide} {top + 6}L{wide} {low}L{-wide} {low}Z")


def _draw_arms(brush: Brush, asset: Asset, head: float, skin: str) -> None:
    _, shoulder, hip, _ = _measure_body(asset, brush.looks)
    x, y = 11.0, shoulder + 5
    reach = abs(shoulder - hip)
    hanging = (x + 10, y + reach * 0.85)
    raised = (head + 14, y - reach * 0.75)
    ends = {-1: hanging, 1: hanging}
    if "jumping" in brush.looks:
        ends = {-1: raised, 1: raised}
    if "running" in brush.looks:
        ends[-1] = (x + 13, y + reach * 0.3)
    if "waving" in brush.looks:
        ends[-1] = raised
    if "holding" in brush.looks:
        ends[1] = find_hand(asset, brush.looks)
    for side in (-1, 1):
        ex, ey = ends[side]
        elbow = ((x + ex) / 2 + 4, (y + ey) / 2 + 3)
        brush.limb([(side * x, y), (side * elbow[0], elbow[1]), (side * ex, ey)], 8.5, DARK if side < 0 else MAIN)
        brush.circle(side * ex, ey, 5, skin)


def _draw_lying(brush: Brush, asset: Asset, skin: str, hair: str, legs: str) -> None:
    """On the back, head to the right, the face turned to us."""
    size = 17.0 if "grown" in asset.traits else 21.0
    y = -13.0
    for dy in (-5, 5):
        brush.limb([(-14, y + dy), (-46, y + dy + 2)], 9.5, legs)
        brush.ellipse(-50, y + dy - 1, 5, 8, SHOES)
    low = 16 if "skirt" in asset.traits else 12
    brush.path(f"M-18 {y - low}L24 {y - 10}Q28 {y} 24 {y + 10}L-18 {y + low - 3}Z")
    brush.limb([(18, y + 4), (2, y + 9), (-10, y + 6)], 8.5)
    brush.circle(-12, y + 6, 5, skin)
    head = brush.at(24 + size * 0.85, y - size * 0.25, size)
    if "hair" in asset.parts:
        asset.paint(head, "hair", hair=hair)
    asset.paint(head, "head", skin=skin, hair=hair)
    if "sleeping" in brush.looks:
        asset.paint(brush.at(24 + size * 1.85, y - size * 1.6), "sleep")
