"""Furniture and what stands about in a room."""

from __future__ import annotations

from tasks.caption.scenes.art.face import EYE, Look
from tasks.caption.scenes.brush import DARK, LIGHT, MAIN, Brush


def draw_table(brush: Brush, look: Look) -> None:
    del look
    for x in (-58, 49):
        brush.rect(x, -58, 9, 58, DARK)
    brush.rect(-72, -66, 144, 11, MAIN, 3)
    brush.rect(-62, -55, 124, 7, DARK)


def draw_chair(brush: Brush, look: Look) -> None:
    del look
    for x in (-26, 18):
        brush.rect(x, -98, 8, 60)
    for y in (-94, -76):
        brush.rect(-24, y, 48, 10, MAIN, 3)
    for x in (-28, 20):
        brush.rect(x, -42, 8, 42, DARK)
    brush.rect(-33, -48, 66, 11, MAIN, 3)


def draw_bed(brush: Brush, look: Look) -> None:
    del look
    brush.rect(-86, -70, 10, 70, "#8a5d38", 3)
    brush.rect(76, -44, 10, 44, "#8a5d38", 3)
    brush.rect(-78, -30, 156, 16, "#8a5d38")
    brush.rect(-78, -44, 156, 18, "#f6efe2", 5)
    brush.rect(-74, -56, 36, 16, "#ffffff", 7)
    brush.path("M-34 -48H78V-18H-34Q-30 -34 -34 -48Z")


def draw_sofa(brush: Brush, look: Look) -> None:
    del look
    for x in (-62, 54):
        brush.rect(x, -8, 8, 8, "#5c4030")
    brush.rect(-66, -78, 132, 50, MAIN, 14)
    brush.rect(-58, -42, 58, 24, LIGHT, 7)
    brush.rect(0, -42, 58, 24, LIGHT, 7)
    brush.rect(-66, -22, 132, 16, MAIN, 4)
    for x in (-80, 58):
        brush.rect(x, -56, 22, 50, MAIN, 10)


def draw_lamp(brush: Brush, look: Look) -> None:
    del look
    brush.ellipse(0, -4, 22, 6, "#8a5d38")
    brush.limb("0,-6 0,-60", 7, "#8a5d38")
    brush.polygon("-34,-54 -19,-98 19,-98 34,-54")


def draw_clock(brush: Brush, look: Look) -> None:
    del look
    for half in brush.halves():
        half.circle(24, -88, 12, DARK)
        half.limb("24,-10 30,-3", 8, DARK)
    brush.circle(0, -46, 43)
    brush.circle(0, -46, 32, "#fdfaf2")
    for dx, dy in ((0, -1), (1, 0), (0, 1), (-1, 0)):
        brush.stroke([(dx * 24, -46 + dy * 24), (dx * 28, -46 + dy * 28)], EYE, 1.6)
    brush.stroke("0,-46 0,-66", EYE, 1.8)
    brush.stroke("0,-46 14,-40", EYE, 1.8)
    brush.circle(0, -46, 3.2, EYE, 0)


def draw_box(brush: Brush, look: Look) -> None:
    del look
    brush.polygon("-46,-62 46,-62 40,-46 -40,-46", DARK)
    for half in brush.halves():
        half.polygon("46,-60 62,-74 56,-52 46,-48", LIGHT)


def draw_box_front(brush: Brush, look: Look) -> None:
    del look
    brush.rect(-46, -58, 92, 58)
    brush.rect(-8, -58, 16, 58, LIGHT, 0, 0.7)


def draw_basket(brush: Brush, look: Look) -> None:
    del look
    brush.stroke("-46,-48 -34,-92 0,-104 34,-92 46,-48", DARK, 4.4)
    brush.stroke("-46,-48 -34,-92 0,-104 34,-92 46,-48", MAIN, 2.4)
    brush.ellipse(0, -46, 50, 10, DARK)


def draw_basket_front(brush: Brush, look: Look) -> None:
    del look
    brush.path("M-50 -46Q0 -30 50 -46L40 -4Q0 6 -40 -4Z")
    for y, w in ((-30, 46), (-18, 43)):
        brush.stroke([(-w, y - 2), (0, y + 8), (w, y - 2)], DARK, 1.2)
    for x in (-30, -15, 0, 15, 30):
        brush.stroke([(x * 1.12, -39 + abs(x) * -0.12), (x * 0.9, 1 - abs(x) * 0.1)], DARK, 1.0)
    brush.stroke("-50,-46 0,-35 50,-46", LIGHT, 3.2)


def draw_bowl(brush: Brush, look: Look) -> None:
    del look
    brush.ellipse(0, -50, 58, 11, DARK)


def draw_bowl_front(brush: Brush, look: Look) -> None:
    del look
    brush.rect(-22, -8, 44, 8, DARK, 2)
    brush.path("M-58 -50Q0 -32 58 -50Q54 -8 18 -5H-18Q-54 -8 -58 -50Z")
    brush.stroke("-40,-34 -30,-18 -14,-12", LIGHT, 2.4)


def draw_bathtub(brush: Brush, look: Look) -> None:
    del look
    brush.ellipse(0, -56, 76, 10, "#bfe3f2")


def draw_bathtub_front(brush: Brush, look: Look) -> None:
    del look
    for half in brush.halves():
        half.ellipse(46, -5, 11, 6, "#d9b25c")
    brush.path("M-80 -58Q0 -40 80 -58Q78 -12 48 -8H-48Q-78 -12 -80 -58Z")
    brush.stroke("-80,-58 0,-48 80,-58", LIGHT, 3.4)
    for x, y, r in ((-40, -58, 9), (-26, -60, 11), (-12, -56, 8), (30, -58, 9), (42, -57, 7)):
        brush.circle(x, y, r, "#ffffff", 0.6)


def draw_ladder(brush: Brush, look: Look) -> None:
    del look
    for x in (-24, 16):
        brush.rect(x, -100, 8, 100)
    for y in (-88, -70, -52, -34, -16):
        brush.rect(-24, y, 48, 7)


def draw_rug(brush: Brush, look: Look) -> None:
    del look
    for half in brush.halves():
        for y in (-20, -14, -8):
            half.stroke([(84, y), (94, y)], "#e9ddc4", 1.5)
    brush.polygon("-74,-24 74,-24 90,-2 -90,-2")
    if not brush.pattern:
        brush.polygon("-60,-20 60,-20 70,-6 -70,-6", LIGHT, 0.7)


def draw_mirror(brush: Brush, look: Look) -> None:
    del look
    for half in brush.halves():
        half.limb("14,-8 22,-2", 7, DARK)
    brush.ellipse(0, -54, 32, 48)
    brush.ellipse(0, -54, 24, 40, "#dff0f7")
    for dx in (0, 9):
        brush.stroke([(-12 + dx, -44 + dx * 0.6), (6 + dx, -76 + dx * 0.6)], "#ffffff", 2.2)
