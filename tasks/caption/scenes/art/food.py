"""Food."""

from __future__ import annotations

from tasks.caption.scenes.art.face import Look
from tasks.caption.scenes.brush import DARK, LIGHT, MAIN, Brush

STEM = "#7b5a35"
LEAF = "#5aa848"


def draw_apple(brush: Brush, look: Look) -> None:
    del look
    brush.limb("0,-78 4,-94", 7, STEM)
    brush.blob("5,-88 24,-104 40,-98 22,-84", LEAF)
    brush.path("M0 -76Q-22 -92 -40 -72Q-56 -38 -26 -6Q-12 6 0 -2Q12 6 26 -6Q56 -38 40 -72Q22 -92 0 -76Z")
    brush.shine(-22, -58, 8, 12)


def draw_pear(brush: Brush, look: Look) -> None:
    del look
    brush.limb("0,-92 4,-104", 6, STEM)
    brush.blob("4,-98 20,-110 34,-104 18,-94", LEAF)
    brush.path("M0 -96Q-18 -96 -18 -72Q-20 -60 -32 -46Q-48 -10 -18 0H18Q48 -10 32 -46Q20 -60 18 -72Q18 -96 0 -96Z")
    brush.shine(-16, -34, 6, 10)


def draw_banana(brush: Brush, look: Look) -> None:
    del look
    brush.path("M-60 -62Q-66 -48 -52 -28Q-20 10 34 -8Q58 -18 64 -44L56 -52Q30 -22 -8 -36Q-34 -46 -48 -72Z")
    brush.polygon("-48,-72 -60,-62 -66,-76 -56,-82", STEM)
    brush.stroke("-46,-46 -10,-14 44,-26", DARK, 1.3)


def draw_carrot(brush: Brush, look: Look) -> None:
    del look
    for x, top in ((-12, -98), (0, -108), (12, -98)):
        brush.limb([(0, -68), (x * 0.6, -84), (x, top)], 8, LEAF)
    brush.path("M-22 -66Q0 -80 22 -66Q20 -28 0 4Q-20 -28 -22 -66Z")
    for x0, x1, y in ((-17, -5, -50), (4, 15, -40), (-10, 0, -26)):
        brush.stroke([(x0, y), (x1, y)], DARK, 1.4)


def draw_cake(brush: Brush, look: Look) -> None:
    del look
    brush.ellipse(0, -4, 66, 7, "#e6e2ea")
    brush.rect(-52, -52, 104, 46, "#f3dfb4", 5)
    brush.path(
        "M-54 -66Q0 -80 54 -66V-40Q46 -30 38 -40Q28 -28 18 -40Q8 -26 -4 -40Q-14 -28 -26 -40"
        "Q-38 -28 -44 -38Q-50 -34 -54 -42Z"
    )
    brush.ellipse(0, -66, 54, 10, LIGHT)
    for x in (-26, 0, 26):
        brush.rect(x - 3, -92, 6, 26, "#fdfaf2", 1, 0.8)
        brush.blob([(x, -106), (x + 5, -97), (x, -92), (x - 5, -97)], "#f9a72b", 0.7)


def draw_lemon(brush: Brush, look: Look) -> None:
    del look
    brush.path("M-58 -36Q-50 -42 -44 -50Q0 -88 44 -50Q50 -42 60 -36Q50 -30 44 -22Q0 14 -44 -22Q-50 -30 -58 -36Z")
    brush.shine(-14, -50, 12, 7)


def draw_egg(brush: Brush, look: Look) -> None:
    del look
    brush.path("M0 -96Q-24 -94 -36 -50Q-42 -4 0 0Q42 -4 36 -50Q24 -94 0 -96Z")
    brush.shine(-12, -58, 6, 13)


def draw_cookie(brush: Brush, look: Look) -> None:
    del look
    brush.circle(0, -44, 44)
    for x, y in ((-18, -62), (12, -68), (24, -42), (-6, -38), (-26, -30), (10, -16)):
        brush.circle(x, y, 6, "#4a2c20", 0)


def draw_donut(brush: Brush, look: Look) -> None:
    del look
    brush.circle(0, -44, 44, "#d9a45f")
    brush.cloud(0, -46, 33, 31, 10)
    for x, y, c in (
        (-22, -62, "#f7d038"),
        (4, -72, "#3a76d0"),
        (24, -56, "#4da64a"),
        (26, -32, "#d8352c"),
        (0, -20, "#f7d038"),
        (-26, -36, "#ffffff"),
    ):
        brush.stroke([(x - 3, y - 2), (x + 3, y + 2)], c, 2.0)
    brush.circle(0, -45, 12, "#f5f1e6")


def draw_hamburger(brush: Brush, look: Look) -> None:
    del look
    brush.rect(-54, -16, 108, 16, "#e2b878", 6)
    brush.rect(-56, -25, 112, 9, MAIN, 3)
    brush.cloud(0, -31, 54, 5, 12, LEAF)
    brush.path("M-54 -38Q-54 -66 -20 -68H20Q54 -66 54 -38Z", "#e2b878")
    for x, y in ((-20, -56), (2, -60), (22, -54)):
        brush.ellipse(x, y, 3, 2, "#fdf3dc", 0)


def draw_cherry(brush: Brush, look: Look) -> None:
    del look
    brush.stroke("-22,-38 -6,-74 10,-98", STEM, 2.0)
    brush.stroke("24,-34 22,-70 10,-98", STEM, 2.0)
    brush.blob("10,-98 34,-106 50,-92 28,-88", LEAF)
    for x, y in ((-24, -24), (26, -22)):
        brush.circle(x, y, 23)
        brush.shine(x - 8, y - 8, 4, 5)
