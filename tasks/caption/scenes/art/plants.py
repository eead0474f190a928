"""Plants and what grows."""

from __future__ import annotations

import math

from tasks.caption.scenes.art.face import Look
from tasks.caption.scenes.brush import DARK, LIGHT, MAIN, Brush

TRUNK = "#8a5d38"
LEAF = "#5aa848"


def draw_tree(brush: Brush, look: Look) -> None:
    del look
    brush.path("M-8 0Q-3 -20 -6 -50H6Q3 -20 9 0Q0 -5 -8 0Z", TRUNK)
    brush.cloud(0, -73, brush.vary(45, 0.04), 22, 12)
    for x, y in ((-12, -72), (14, -62), (2, -84)):
        brush.stroke([(x - 5, y), (x, y + 3), (x + 5, y)], DARK, 1.2)


def draw_bush(brush: Brush, look: Look) -> None:
    del look
    brush.path("M-56 0A22 24 0 0 1 -44 -38A26 26 0 0 1 -6 -58A28 26 0 0 1 40 -44A22 24 0 0 1 58 0Z")
    for x, y in ((-28, -26), (6, -38), (30, -18), (-6, -12)):
        brush.stroke([(x - 6, y), (x, y + 4), (x + 6, y)], DARK, 1.3)


def draw_flower(brush: Brush, look: Look) -> None:
    del look
    brush.limb("0,0 2,-30 0,-60", 6, LEAF)
    brush.blob("1,-18 18,-34 28,-30 16,-16", LEAF)
    brush.blob("0,-10 -18,-24 -27,-18 -14,-7", LEAF)
    for i in range(7):
        angle = 2 * math.pi * i / 7 - math.pi / 2
        brush.circle(21 * math.cos(angle), -72 + 21 * math.sin(angle), 12.5)
    brush.circle(0, -72, 12, "#f7c531" if brush.colour.base != "#f7d038" else "#a8662c")


def draw_cactus(brush: Brush, look: Look) -> None:
    del look
    for side, y, top in ((-1, -38, -74), (1, -30, -62)):
        brush.limb([(0, y + 6), (side * 28, y), (side * 28, top)], 18)
    brush.limb("0,-9 0,-90", 27)
    for x in (-6, 0, 6):
        brush.stroke([(x, -14), (x, -92)], DARK, 0.8)
    brush.circle(0, -104, 7, "#f397ba")


def draw_mushroom(brush: Brush, look: Look) -> None:
    del look
    brush.path("M-16 0Q-9 -28 -14 -48H14Q9 -28 16 0Q0 6 -16 0Z", "#f6ead2")
    brush.path("M-52 -44Q-48 -96 0 -98Q48 -96 52 -44Q0 -30 -52 -44Z")
    if not brush.pattern:
        for x, y, r in ((-24, -66, 8), (4, -80, 9), (26, -60, 7), (0, -54, 5)):
            brush.circle(x, y, r, "#fdfaf2", 0.6)


def draw_pumpkin(brush: Brush, look: Look) -> None:
    del look
    brush.limb("0,-70 3,-82 12,-88", 10, "#6d8a3c")
    for x, rx in ((-34, 24), (34, 24), (-17, 24), (17, 24)):
        brush.ellipse(x, -37, rx, 36, DARK if abs(x) > 30 else MAIN)
    brush.ellipse(0, -37, 19, 37)


def draw_leaf(brush: Brush, look: Look) -> None:
    del look
    brush.limb("-40,-6 -26,-18", 6, TRUNK)
    brush.blob("-30,-18 -34,-54 -4,-82 44,-92 38,-44 8,-16")
    brush.stroke("-28,-18 4,-50 34,-80", DARK, 1.6)
    for a, b in (((-10, -36), (-16, -56)), ((8, -52), (6, -74)), ((-6, -40), (16, -34)), ((12, -58), (30, -54))):
        brush.stroke([a, b], DARK, 1.2)


def draw_log(brush: Brush, look: Look) -> None:
    del look
    brush.path("M-60 -44H52V-2H-60Q-74 -22 -60 -44Z")
    brush.ellipse(54, -23, 13, 22, LIGHT)
    brush.ellipse(54, -23, 7, 12, MAIN, 0.7)
    for x0, x1, y in ((-46, -16, -32), (-28, 14, -14), (4, 30, -34)):
        brush.stroke([(x0, y), (x1, y)], DARK, 1.3)


def draw_rock(brush: Brush, look: Look) -> None:
    del look
    brush.polygon("-58,0 -48,-34 -18,-58 22,-54 50,-30 60,0")
    brush.polygon("-18,-58 22,-54 10,-36 -24,-38", LIGHT, 0.6)
    brush.stroke("10,-36 20,-12", DARK, 1.3)
    brush.stroke("-34,-24 -26,-10", DARK, 1.3)
