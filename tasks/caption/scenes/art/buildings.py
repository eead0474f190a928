"""Buildings, and what stands in a street or a garden."""

from __future__ import annotations

from tasks.caption.scenes.art.face import EYE, Look
from tasks.caption.scenes.brush import DARK, LIGHT, MAIN, Brush

WOOD = "#a8713f"
GLASS = "#cfe9f5"


def _window(brush: Brush, x: float, y: float, width: float, height: float) -> None:
    brush.rect(x, y, width, height, GLASS)
    brush.stroke([(x + width / 2, y), (x + width / 2, y + height)], "#6a5a55", 0.9)
    brush.stroke([(x, y + height / 2), (x + width, y + height / 2)], "#6a5a55", 0.9)


def draw_house(brush: Brush, look: Look) -> None:
    del look
    brush.rect(20, -98, 11, 26, "#b5654a")
    brush.rect(-40, -62, 80, 62)
    brush.polygon("-50,-60 0,-100 50,-60", "#7c4a3c")
    brush.rect(-9, -34, 20, 34, WOOD)
    brush.circle(6, -17, 1.8, "#f7d038", 0.5)
    _window(brush, -33, -46, 17, 17)
    _window(brush, 18, -46, 17, 17)
    brush.circle(0, -75, 6, GLASS)


def draw_castle(brush: Brush, look: Look) -> None:
    del look
    brush.rect(-30, -58, 60, 58)
    for i in range(5):
        brush.rect(-30 + i * 12.6, -66, 8, 9, MAIN)
    for half in brush.halves():
        half.rect(25, -74, 22, 74)
        half.polygon("21,-73 36,-98 51,-73", DARK)
        half.stroke("36,-98 36,-106", EYE, 1.0)
        half.polygon("36,-106 47,-103 36,-100", "#f7d038", 0.7)
        half.rect(33, -56, 6, 11, "#5b5560", 3)
    brush.path("M-11 0V-22Q-11 -36 0 -36Q11 -36 11 0Z", "#6b4a33")
    for x in (-18, 18):
        brush.rect(x - 3, -48, 6, 11, "#5b5560", 3)


def draw_tent(brush: Brush, look: Look) -> None:
    del look
    for half in brush.halves():
        half.stroke("52,-14 68,0", "#8d7c66", 1.0)
    brush.polygon("-60,0 0,-82 60,0")
    brush.path("M0 -78Q-10 -36 -24 0H20Q8 -36 0 -78Z", "#4d3f45")
    brush.path("M0 -78Q12 -36 34 -2L20 0Q8 -36 0 -78Z", DARK)
    brush.stroke("-5,-92 0,-80 5,-92", WOOD, 1.8)


def draw_lighthouse(brush: Brush, look: Look) -> None:
    del look
    brush.ellipse(0, -2, 34, 9, "#a29a90")
    brush.polygon("-19,-2 -11,-70 11,-70 19,-2")
    for y in (-50, -22):
        w = 11 + (70 + y) * 0.118
        brush.polygon([(-w, y), (w, y), (w + 1.4, y + 12), (-w - 1.4, y + 12)], "#fbf8f1")
    brush.rect(-15, -75, 30, 6, "#5f5a63")
    brush.rect(-8.5, -89, 17, 14, "#ffe98a")
    brush.path("M-12 -89Q0 -108 12 -89Z")
    brush.rect(-4, -14, 9, 13, WOOD, 3)


def draw_windmill(brush: Brush, look: Look) -> None:
    del look
    brush.polygon("-22,0 -13,-60 13,-60 22,0")
    brush.path("M-16 -59Q0 -84 16 -59Z", "#7c4a3c")
    brush.rect(-6, -20, 12, 20, WOOD, 5)
    brush.circle(0, -38, 4.5, GLASS)
    for dx, dy in ((0.34, -0.94), (0.94, 0.34), (-0.34, 0.94), (-0.94, -0.34)):
        x, y, length = (0.0, -64.0, 40.0)
        nx, ny = (-dy, dx)
        tip = (x + dx * length, y + dy * length)
        near = (x + dx * 9, y + dy * 9)
        brush.polygon(
            [near, tip, (tip[0] + nx * 11, tip[1] + ny * 11), (near[0] + nx * 11, near[1] + ny * 11)], "#f6ead0", 0.8
        )
        brush.stroke([(x, y), tip], "#6b4a33", 1.4)
    brush.circle(0, -64, 4, "#6b4a33")


def draw_barn(brush: Brush, look: Look) -> None:
    del look
    brush.polygon("-48,0 -48,-50 48,-50 48,0")
    brush.polygon("-56,-46 -40,-74 0,-94 40,-74 56,-46", "#6d6670")
    brush.polygon("-42,-50 -32,-68 0,-84 32,-68 42,-50", MAIN)
    brush.rect(-17, -36, 34, 36, "#fbf8f1")
    brush.rect(-14, -33, 28, 33, DARK)
    for a, b in (((-14, -33), (14, 0)), ((14, -33), (-14, 0))):
        brush.stroke([a, b], "#fbf8f1", 1.5)
    brush.rect(-7, -68, 14, 12, "#4d3f45")


def draw_fence(brush: Brush, look: Look) -> None:
    del look
    for y in (-42, -20):
        brush.rect(-66, y, 132, 9, DARK)
    for i in range(9):
        x = -64 + i * 14.6
        brush.polygon([(x, 0), (x, -48), (x + 5.6, -58), (x + 11.2, -48), (x + 11.2, 0)])


def draw_mailbox(brush: Brush, look: Look) -> None:
    del look
    brush.rect(-4, -62, 8, 62, WOOD)
    brush.path("M-34 -58V-76Q-34 -94 -17 -94H17Q34 -94 34 -76V-58Z")
    brush.path("M10 -58V-76Q10 -94 22 -94Q34 -94 34 -76V-58Z", DARK)
    brush.rect(-22, -100, 4, 22, "#5f5a63", 0, 0.7)
    brush.rect(-22, -104, 13, 9, "#f7d038", 1, 0.8)


def draw_bench(brush: Brush, look: Look) -> None:
    del look
    for half in brush.halves():
        half.rect(42, -62, 7, 62, "#5f5a63")
    for y in (-66, -54, -42):
        brush.rect(-60, y, 120, 9)
    brush.rect(-63, -30, 126, 10)
    for half in brush.halves():
        half.rect(50, -20, 7, 20, "#5f5a63")


def draw_snowman(brush: Brush, look: Look) -> None:
    del look
    brush.circle(0, -24, 25, "#fdfdff")
    brush.circle(0, -62, 18, "#fdfdff")
    for half in brush.halves():
        half.stroke("16,-64 40,-78", "#6b4a33", 1.8)
        half.circle(5.5, -67, 2.3, EYE, 0)
    brush.polygon("-1,-63 17,-59 0,-57", "#f08422", 0.8)
    for y in (-34, -22):
        brush.circle(0, y, 2.5, EYE, 0)
    brush.rect(-18, -52, 36, 9, MAIN, 4)
    brush.rect(6, -48, 9, 20, MAIN, 3)
    brush.rect(-18, -82, 36, 6, MAIN, 2)
    brush.rect(-12, -102, 24, 21, MAIN, 2)
    brush.stroke("-6,-54 0,-52 6,-54", EYE, 1.2)


def draw_bridge(brush: Brush, look: Look) -> None:
    del look
    brush.path("M-90 0V-30Q0 -66 90 -30V0H62Q54 -34 0 -36Q-54 -34 -62 0Z")
    brush.path("M-92 -30Q0 -68 92 -30L92 -40Q0 -78 -92 -40Z", LIGHT)
    for x in (-70, -42, -14, 14, 42, 70):
        y = -34 - 20 * (1 - (x / 90) ** 2)
        brush.rect(x - 3.5, y - 18, 7, 18, DARK, 1, 0.9)
    brush.stroke("-74,-52 0,-74 74,-52", DARK, 2.4)
