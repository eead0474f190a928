"""People: boy, girl, man and woman, told apart by height, hair and clothes. Their colour is that of their clothes."""

from __future__ import annotations

from dataclasses import dataclass

from tasks.caption.scenes.art.face import Look, draw_face, draw_sleep
from tasks.caption.scenes.brush import DARK, MAIN, Brush

SKINS = ("#f6cfae", "#e8b48b", "#c98d5f", "#9a6540", "#70462d")
HAIRS = ("#3a2a22", "#5b3a24", "#8a5a2e", "#d8a445", "#2a2629", "#b5532c")
SHOES = "#4a3b40"
TROUSERS = "#4d5d86"


@dataclass(frozen=True, slots=True)
class Figure:
    """What tells one kind of person from another."""

    skirt: bool
    long_hair: bool
    grown: bool
    beard: bool = False


FIGURES = {
    "boy": Figure(skirt=False, long_hair=False, grown=False),
    "girl": Figure(skirt=True, long_hair=True, grown=False),
    "man": Figure(skirt=False, long_hair=False, grown=True, beard=True),
    "woman": Figure(skirt=True, long_hair=True, grown=True),
}


def find_hand(figure: Figure, look: Look) -> tuple[float, float]:
    """Where the hand is that holds something, in the person's own units."""
    _, shoulder, hip, _ = _measure(figure, look)
    return (34.0, shoulder + 3) if not figure.grown else (30.0, shoulder + abs(hip) * 0.1 + 4)


def draw_person(brush: Brush, look: Look, figure: Figure) -> None:
    """The person, facing us; the ground is y = 0, and the height is 100 whether child or grown."""
    rng = brush.rng
    skin = SKINS[int(rng.integers(len(SKINS)))]
    hair = HAIRS[int(rng.integers(len(HAIRS)))]
    if look.posture in ("lying", "sleeping"):
        _draw_lying(brush, look, figure, skin, hair)
        return
    head, shoulder, hip, lift = _measure(figure, look)
    head_y = shoulder - head + 4
    if figure.long_hair:
        _draw_long_hair(brush.at(0, head_y, head), hair, figure.grown)
    _draw_legs(brush, look, hip, skin if figure.skirt else TROUSERS, lift)
    _draw_body(brush, figure, shoulder, hip, look)
    _draw_arms(brush, look, figure, head, skin)
    _draw_head(brush.at(0, head_y, head), look, figure, skin, hair)


def _measure(figure: Figure, look: Look) -> tuple[float, float, float, float]:
    """The head's radius, the heights of shoulder and hip, and by how much the posture moved both."""
    head = 17.0 if figure.grown else 23.0
    shoulder = -(100 - 2 * head) + 3
    hip = shoulder * (0.5 if figure.grown else 0.46)
    lift = {"sitting": -hip * 0.62, "jumping": -14.0}.get(look.posture or "", 0.0)
    return head, shoulder + lift, hip + lift, lift


def _draw_legs(brush: Brush, look: Look, hip: float, fill: str, lift: float) -> None:
    width = 9.5
    if look.posture == "sitting":
        for side in (-1, 1):
            brush.limb([(side * 6, hip), (side * 13, hip + 5), (side * 17, -4)], width, fill)
            brush.ellipse(side * 20, -3, 8, 4.5, SHOES)
        return
    if look.posture in ("running", "walking"):
        stride = 1.0 if look.posture == "running" else 0.62
        back = [(-4, hip), (-10 * stride, hip * 0.5), (-30 * stride, hip * (0.36 if stride == 1.0 else 0.0) - 4)]
        front = [(4, hip), (17 * stride, hip * 0.6), (20 * stride, -4)]
        for points in (back, front):
            brush.limb(points, width, fill)
            brush.ellipse(points[-1][0] + 4, points[-1][1] + 1, 8, 4.5, SHOES)
        return
    spread = 14 if look.posture == "jumping" else 8
    for side in (-1, 1):
        foot = -4 + lift * (0.9 if look.posture == "jumping" else 0)
        brush.limb([(side * 6, hip), (side * spread, foot)], width, fill)
        brush.ellipse(side * (spread + 2), foot + 1, 8, 4.5, SHOES)


def _draw_body(brush: Brush, figure: Figure, shoulder: float, hip: float, look: Look) -> None:
    top, low = shoulder - 1, hip + 4
    if figure.skirt:
        hem = low + (5 if look.posture == "sitting" else 9 if figure.grown else 6)
        flare = 23 if figure.grown else 24
        brush.path(f"M-10 {top}Q0 {top - 3} 10 {top}L{flare} {hem}Q0 {hem + 6} {-flare} {hem}Z")
        return
    wide = 15 if figure.grown else 13
    left = f"M{-wide} {top + 6}Q{-wide} {top} {-wide + 7} {top}L{wide - 7} {top}"
    brush.path(f"{left}Q{wide} {top} {wide} {top + 6}L{wide} {low}L{-wide} {low}Z")


def _draw_arms(brush: Brush, look: Look, figure: Figure, head: float, skin: str) -> None:
    _, shoulder, hip, _ = _measure(figure, look)
    x, y = 11.0, shoulder + 5
    reach = abs(shoulder - hip)
    hanging = (x + 10, y + reach * 0.85)
    raised = (head + 14, y - reach * 0.75)
    ends = {-1: hanging, 1: hanging}
    if look.posture == "jumping":
        ends = {-1: raised, 1: raised}
    if look.posture == "running":
        ends[-1] = (x + 13, y + reach * 0.3)
    if look.posture == "waving":
        ends[-1] = raised
    if look.holding:
        ends[1] = find_hand(figure, look)
    for side in (-1, 1):
        ex, ey = ends[side]
        elbow = ((x + ex) / 2 + 4, (y + ey) / 2 + 3)
        brush.limb([(side * x, y), (side * elbow[0], elbow[1]), (side * ex, ey)], 8.5, DARK if side < 0 else MAIN)
        brush.circle(side * ex, ey, 5, skin)


def _draw_long_hair(head: Brush, hair: str, grown: bool) -> None:
    if grown:
        head.blob("-1.05,-0.4 0,-1.15 1.05,-0.4 1.15,1.5 0,1.2 -1.15,1.5", hair)
        return
    for half in head.halves():
        half.blob("0.8,-0.3 1.5,0.05 1.45,1.1 0.95,0.6", hair)


def _draw_head(head: Brush, look: Look, figure: Figure, skin: str, hair: str) -> None:
    for half in head.halves():
        half.circle(0.97, 0.1, 0.2, skin)
    head.circle(0, 0, 1, skin)
    if figure.beard:
        jaw = "M-0.93 0.3Q-0.8 1.2 0 1.22Q0.8 1.2 0.93 0.3"
        head.path(f"{jaw}Q0.6 0.32 0 0.22Q-0.6 0.32 -0.93 0.3Z", hair)
        head.ellipse(0, 0.52, 0.4, 0.24, skin, 0)
    fringe = -0.5 if figure.long_hair else -0.62
    crown = "M-1.04 -0.05Q-1.02 -1.12 0 -1.14Q1.02 -1.12 1.04 -0.05"
    head.path(f"{crown}Q0.7 -0.42 0.2 {fringe}Q-0.4 -0.3 -1.04 -0.05Z", hair)
    if not look.mood and look.posture != "sleeping":
        for half in head.halves():
            half.shine(0.55, 0.32, 0.2, 0.13, 0.25)
    draw_face(head, look, 0, 0.12, 0.95)


def _draw_lying(brush: Brush, look: Look, figure: Figure, skin: str, hair: str) -> None:
    """On the back, head to the right, the face turned to us."""
    size = 17.0 if figure.grown else 21.0
    y = -13.0
    for dy in (-5, 5):
        brush.limb([(-14, y + dy), (-46, y + dy + 2)], 9.5, skin if figure.skirt else TROUSERS)
        brush.ellipse(-50, y + dy - 1, 5, 8, SHOES)
    low = 16 if figure.skirt else 12
    brush.path(f"M-18 {y - low}L24 {y - 10}Q28 {y} 24 {y + 10}L-18 {y + low - 3}Z")
    brush.limb([(18, y + 4), (2, y + 9), (-10, y + 6)], 8.5)
    brush.circle(-12, y + 6, 5, skin)
    head = brush.at(24 + size * 0.85, y - size * 0.25, size)
    if figure.long_hair:
        head.blob("-1,0.45 0,-1 1.35,-0.15 1.4,0.7 0,0.85", hair)
    _draw_head(head, look, figure, skin, hair)
    if look.posture == "sleeping":
        draw_sleep(brush, 24 + size * 1.85, y - size * 1.6)
