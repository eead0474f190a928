"""Small things: what stands on a table, what a hand holds, toys and clothes."""

from __future__ import annotations

from tasks.caption.scenes.art.face import EYE, Look
from tasks.caption.scenes.brush import DARK, LIGHT, MAIN, Brush


def draw_cup(brush: Brush, look: Look) -> None:
    del look
    brush.stroke("34,-70 58,-66 56,-34 30,-26", "ink", 6.2)
    brush.stroke("34,-70 58,-66 56,-34 30,-26", MAIN, 4.0)
    brush.path("M-38 -88H38L32 -8Q30 0 20 0H-20Q-30 0 -32 -8Z")
    brush.ellipse(0, -88, 38, 10, LIGHT)
    brush.ellipse(0, -87, 30, 6, "#6b4630", 0.5)


def draw_bottle(brush: Brush, look: Look) -> None:
    del look
    brush.rect(-9, -102, 18, 10, "#a8713f", 2)
    brush.path("M-8 -93H8V-70Q24 -62 24 -46V-8Q24 0 16 0H-16Q-24 0 -24 -8V-46Q-24 -62 -8 -70Z")
    brush.rect(-24, -42, 48, 24, "#fbf4e2", 0, 0.8)
    brush.shine(-14, -56, 4, 8, 0.5)


def draw_vase(brush: Brush, look: Look) -> None:
    del look
    brush.ellipse(0, -78, 24, 7, DARK)


def draw_vase_front(brush: Brush, look: Look) -> None:
    del look
    brush.path("M-24 -78Q0 -68 24 -78Q14 -62 18 -54Q40 -36 24 -4Q0 4 -24 -4Q-40 -36 -18 -54Q-14 -62 -24 -78Z")
    if not brush.pattern:
        brush.stroke("-31,-30 0,-22 31,-30", LIGHT, 2.4)


def draw_teapot(brush: Brush, look: Look) -> None:
    del look
    brush.stroke("-34,-60 -66,-62 -64,-26 -38,-20", "ink", 6.4)
    brush.stroke("-34,-60 -66,-62 -64,-26 -38,-20", MAIN, 4.2)
    brush.blob("32,-40 58,-56 62,-72 74,-70 66,-46 40,-16")
    brush.ellipse(0, -36, 44, 36)
    brush.ellipse(0, -68, 26, 8, DARK)
    brush.circle(0, -80, 7, DARK)
    brush.shine(-16, -50, 8, 5)


def draw_book(brush: Brush, look: Look) -> None:
    del look
    brush.polygon("-46,-84 40,-84 40,-4 -46,-4", DARK)
    brush.polygon("-38,-80 46,-80 46,-8 -38,-8", "#fdfaf2", 0.8)
    brush.rect(-46, -90, 84, 78, MAIN, 3)
    brush.rect(-46, -90, 10, 78, DARK, 2)
    brush.rect(-24, -76, 50, 18, "#fbf4e2", 2, 0.8)
    brush.stroke("-16,-67 18,-67", EYE, 1.2)


def draw_candle(brush: Brush, look: Look) -> None:
    del look
    brush.ellipse(0, -6, 34, 8, "#d9b25c")
    brush.rect(-15, -68, 30, 62, MAIN, 3)
    brush.stroke("0,-68 0,-76", EYE, 1.3)
    brush.blob("0,-104 10,-86 0,-74 -10,-86", "#f9a72b", 0.8)
    brush.blob("0,-94 5,-84 0,-77 -5,-84", "#fff1a8", 0)


def draw_hat(brush: Brush, look: Look) -> None:
    del look
    brush.ellipse(0, -12, 60, 12)
    brush.path("M-34 -14V-66Q-30 -82 0 -82Q30 -82 34 -66V-14Q0 -2 -34 -14Z")
    brush.path(
        "M-34 -34Q0 -24 34 -34V-20Q0 -10 -34 -20Z", "#4a3b40" if brush.colour.base != "#34343b" else "#d8d4cf", 0.8
    )


def draw_umbrella(brush: Brush, look: Look) -> None:
    del look
    brush.stroke("0,-92 0,-10", "ink", 2.8)
    brush.stroke("0,-10 5,-2 13,-4 14,-12", "ink", 2.8)
    brush.stroke("0,-92 0,-104", "ink", 2.2)
    brush.path(
        "M-62 -54Q-56 -98 0 -99Q56 -98 62 -54Q50 -64 41 -54Q31 -64 20 -54Q10 -64 0 -54"
        "Q-10 -64 -20 -54Q-31 -64 -41 -54Q-50 -64 -62 -54Z"
    )
    for x in (-20, 20):
        brush.stroke([(0, -98), (x * 0.8, -80), (x, -55)], DARK, 1.0)


def draw_ball(brush: Brush, look: Look) -> None:
    del look
    brush.circle(0, -48, 48)
    if not brush.pattern:
        brush.stroke("-46,-60 0,-44 46,-60", LIGHT, 2.6)
        brush.stroke("-14,-94 -22,-48 -10,-3", LIGHT, 2.6)
    brush.shine(-16, -68, 10, 7)


def draw_balloon(brush: Brush, look: Look) -> None:
    del look
    brush.stroke("0,-40 5,-28 -4,-14 0,0", "#6d6670", 1.0)
    brush.ellipse(0, -74, 26, 32)
    brush.polygon("-5,-37 5,-37 0,-44", MAIN)
    brush.shine(-9, -86, 5, 8)


def draw_kite(brush: Brush, look: Look) -> None:
    del look
    brush.stroke("0,-34 -10,-22 6,-10 0,0", "#6d6670", 1.0)
    for x, y in ((-7, -24), (4, -12)):
        brush.polygon([(x - 6, y - 4), (x, y), (x - 6, y + 4)], DARK, 0.6)
        brush.polygon([(x + 6, y - 4), (x, y), (x + 6, y + 4)], DARK, 0.6)
    brush.polygon("0,-104 28,-74 0,-34 -28,-74")
    brush.stroke("0,-104 0,-34", DARK, 1.2)
    brush.stroke("-28,-74 28,-74", DARK, 1.2)


def draw_drum(brush: Brush, look: Look) -> None:
    del look
    brush.path("M-46 -66V-12Q0 8 46 -12V-66Z")
    for x in (-34, -12, 12, 34):
        brush.stroke([(x - 10, -60), (x, -6), (x + 10, -60)], "#fbf4e2", 1.2)
    brush.ellipse(0, -66, 46, 13, "#fbf4e2")
    for a, b in (((-8, -72), (-46, -98)), ((10, -72), (50, -96))):
        brush.stroke([a, b], "#a8713f", 2.0)
        brush.circle(a[0], a[1], 4, "#a8713f", 0.8)


def draw_guitar(brush: Brush, look: Look) -> None:
    del look
    brush.rect(-4, -92, 8, 46, "#6b4630")
    brush.rect(-7, -104, 14, 15, "#6b4630", 3)
    brush.blob("-14,-50 0,-54 14,-50 15,-38 25,-20 16,-2 -16,-2 -25,-20 -15,-38")
    brush.circle(0, -30, 7.5, "#4a3027")
    brush.stroke("0,-92 0,-12", "#f1ebdf", 0.8)
    brush.rect(-9, -14, 18, 5, "#6b4630", 1)


def draw_key(brush: Brush, look: Look) -> None:
    del look
    brush.rect(-6, -62, 12, 60, MAIN, 3)
    for y in (-18, -4):
        brush.rect(4, y - 6, 17, 9, MAIN, 1)
    brush.circle(0, -76, 25)
    brush.circle(0, -76, 11, "#f5f1e6")


def draw_bell(brush: Brush, look: Look) -> None:
    del look
    brush.circle(0, -94, 8, MAIN)
    brush.circle(0, -6, 9, DARK)
    brush.path("M-44 -14Q-30 -24 -28 -54Q-26 -88 0 -88Q26 -88 28 -54Q30 -24 44 -14Q0 -6 -44 -14Z")
    brush.shine(-11, -62, 5, 15)


def draw_shoe(brush: Brush, look: Look) -> None:
    del look
    brush.rect(-58, -10, 116, 10, "#f5f1e6", 4)
    brush.path("M-56 -10V-66Q-40 -56 -24 -66L-18 -58Q0 -36 36 -32Q58 -28 58 -10Z")
    for i in range(3):
        x, y = (-10 + i * 12, -52 + i * 8)
        brush.stroke([(x - 5, y + 4), (x + 5, y - 5)], "#fdfaf2", 1.7)


def draw_bag(brush: Brush, look: Look) -> None:
    del look
    for colour, width in (("ink", 5.6), (MAIN, 3.4)):
        brush.stroke("-22,-58 -18,-92 18,-92 22,-58", colour, width)
    brush.path("M-44 -66H44L52 -8Q52 0 44 0H-44Q-52 0 -52 -8Z")
    brush.rect(-44, -66, 88, 16, DARK, 0, 0.9)
    brush.rect(-7, -58, 14, 14, "#d9b25c", 3, 0.8)


def draw_suitcase(brush: Brush, look: Look) -> None:
    del look
    for colour, width in (("ink", 5.4), (DARK, 3.2)):
        brush.stroke("-18,-70 -15,-86 15,-86 18,-70", colour, width)
    brush.rect(-58, -72, 116, 70, MAIN, 9)
    for x in (-38, 26):
        brush.rect(x, -72, 12, 70, DARK, 0, 0.8)
    brush.rect(-8, -58, 16, 11, "#d9b25c", 2, 0.8)


def draw_gift(brush: Brush, look: Look) -> None:
    del look
    ribbon = "#f7d038" if brush.colour.base != "#f7d038" else "#d8352c"
    brush.rect(-44, -62, 88, 62)
    brush.rect(-50, -74, 100, 18, MAIN, 2)
    brush.rect(-8, -74, 16, 74, ribbon, 0, 0.8)
    for half in brush.halves():
        half.blob("0,-74 10,-96 32,-98 30,-80", ribbon)
    brush.circle(0, -77, 7, ribbon)


def draw_bucket(brush: Brush, look: Look) -> None:
    del look
    brush.stroke("-40,-68 -28,-100 28,-100 40,-68", "#6d6670", 1.8)
    brush.ellipse(0, -68, 42, 9, DARK)


def draw_bucket_front(brush: Brush, look: Look) -> None:
    del look
    brush.path("M-42 -68Q0 -54 42 -68L32 -4Q0 6 -32 -4Z")
    brush.stroke("-42,-68 0,-58 42,-68", LIGHT, 2.6)


def draw_robot(brush: Brush, look: Look) -> None:
    del look
    brush.stroke("0,-88 0,-100", EYE, 1.6)
    brush.circle(0, -102, 5, "#d8352c", 0.8)
    for half in brush.halves():
        half.limb("24,-48 38,-36 36,-22", 9, DARK)
        half.rect(6, -16, 14, 16, DARK, 2)
    brush.rect(-25, -54, 50, 40, MAIN, 4)
    brush.rect(-22, -90, 44, 33, MAIN, 6)
    for half in brush.halves():
        half.circle(10, -76, 6.5, "#fff6df", 0.8)
        half.circle(10, -76, 2.8, EYE, 0)
    brush.rect(-10, -66, 20, 4, EYE, 1, 0)
    for x, colour in ((-12, "#d8352c"), (0, "#f7d038"), (12, "#4da64a")):
        brush.circle(x, -36, 4, colour, 0.7)


def draw_flag(brush: Brush, look: Look) -> None:
    del look
    brush.rect(-3, -102, 6, 102, "#a8713f", 2)
    brush.path("M3 -98Q22 -108 38 -98T72 -98V-58Q54 -48 38 -58T3 -58Z")


def draw_pencil(brush: Brush, look: Look) -> None:
    del look
    brush.rect(-10, -104, 20, 14, "#ef8f9b", 4)
    brush.rect(-10, -92, 20, 7, "#b9b6bd")
    brush.rect(-10, -85, 20, 62)
    brush.stroke("-3,-84 -3,-24", LIGHT, 1.4)
    brush.polygon("-10,-23 10,-23 0,0", "#f0d9b5")
    brush.polygon("-4,-9 4,-9 0,0", EYE, 0)


def draw_pillow(brush: Brush, look: Look) -> None:
    del look
    brush.blob("-52,-2 -56,-32 -52,-62 0,-58 52,-62 56,-32 52,-2 0,-6")
    if not brush.pattern:
        for half in brush.halves():
            half.stroke("46,-56 30,-44", DARK, 1.2)
            half.stroke("46,-8 32,-18", DARK, 1.2)
