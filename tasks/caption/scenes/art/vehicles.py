"""What carries people: on wheels, on water and through the air."""

from __future__ import annotations

from tasks.caption.scenes.art.face import EYE, Look
from tasks.caption.scenes.brush import DARK, LIGHT, MAIN, Brush

GLASS = "#cfe9f5"
TYRE = "#3b363c"


def _wheel(brush: Brush, x: float, r: float) -> None:
    brush.circle(x, -r, r, TYRE)
    brush.circle(x, -r, r * 0.48, "#d8d4cf", 0.7)


def draw_car(brush: Brush, look: Look) -> None:
    del look
    brush.path("M-40 -38Q-30 -70 -8 -70H16Q34 -68 42 -38Z")
    brush.path("M-31 -41Q-24 -62 -9 -63V-41Z", GLASS)
    brush.path("M-1 -63H15Q27 -62 33 -41H-1Z", GLASS)
    brush.path("M-66 -14V-30Q-64 -42 -46 -42H48Q66 -40 68 -26V-14Q68 -10 60 -10H-60Q-66 -10 -66 -14Z")
    brush.circle(61, -30, 5, "#fff1a8", 0.8)
    brush.rect(-66, -32, 6, 8, "#d8352c", 2, 0.7)
    brush.stroke("-5,-38 -5,-14", DARK, 1.0)
    for x in (-38, 40):
        _wheel(brush, x, 14)


def draw_bus(brush: Brush, look: Look) -> None:
    del look
    brush.rect(-84, -88, 168, 76, MAIN, 10)
    for x in (-76, -50, -24, 2):
        brush.rect(x, -78, 21, 26, GLASS, 3)
    brush.rect(30, -78, 22, 64, GLASS, 3)
    brush.stroke("41,-78 41,-14", "#6a5a55", 0.9)
    brush.path("M60 -78H78Q82 -78 82 -70V-48H60Z", GLASS)
    brush.rect(-84, -44, 112, 6, LIGHT, 0, 0.6)
    brush.circle(78, -28, 5, "#fff1a8", 0.8)
    for x in (-50, 54):
        _wheel(brush, x, 15)


def draw_truck(brush: Brush, look: Look) -> None:
    del look
    brush.rect(-76, -86, 92, 70, "#f1ebdf", 3)
    brush.rect(-76, -58, 92, 16, MAIN, 0)
    brush.path("M18 -14V-66H44Q56 -66 62 -48L74 -40Q78 -36 78 -28V-14Z")
    brush.path("M28 -58H43Q51 -58 55 -44H28Z", GLASS)
    brush.rect(-78, -20, 156, 8, "#5f5a63")
    brush.circle(73, -28, 4.5, "#fff1a8", 0.8)
    for x in (-50, -18, 50):
        _wheel(brush, x, 14)


def draw_train(brush: Brush, look: Look) -> None:
    del look
    for x, y, r in ((34, -100, 8), (22, -110, 11), (4, -118, 13)):
        brush.circle(x, y, r, "#eceaf0", 0.6)
    brush.rect(-74, -80, 48, 62, MAIN, 3)
    brush.rect(-80, -88, 60, 10, DARK, 3)
    brush.rect(-64, -70, 26, 24, GLASS, 3)
    brush.rect(-28, -58, 88, 40, MAIN, 16)
    brush.polygon("34,-56 30,-84 52,-84 48,-56", DARK)
    brush.ellipse(2, -58, 11, 9, "#f7d038")
    brush.circle(60, -40, 8, "#fff1a8", 0.9)
    brush.polygon("58,-20 84,-6 58,-6", "#5f5a63")
    brush.rect(-78, -22, 140, 8, "#5f5a63")
    for x, r in ((-56, 15), (-22, 15), (14, 11), (42, 11)):
        brush.circle(x, -r, r, "#c94b40" if r > 12 else TYRE)
        brush.circle(x, -r, r * 0.4, "#d8d4cf", 0.7)


def draw_bicycle(brush: Brush, look: Look) -> None:
    del look
    for x in (-38, 38):
        brush.circle(x, -26, 25, TYRE)
        brush.circle(x, -26, 20, "#eef3ee", 0.6)
        for dx, dy in ((20, 0), (0, 20), (14, 14), (14, -14)):
            brush.stroke([(x - dx, -26 - dy), (x + dx, -26 + dy)], "#9a97a0", 0.5)
        brush.circle(x, -26, 3.5, "#d8d4cf", 0.7)
    for a, b in (
        ((-38, -26), (-14, -60)),
        ((-14, -60), (24, -64)),
        ((-38, -26), (-4, -26)),
        ((-4, -26), (-14, -60)),
        ((-4, -26), (24, -64)),
        ((24, -72), (38, -26)),
    ):
        brush.limb([a, b], 7.5)
    brush.limb("-14,-60 -18,-74", 6)
    brush.blob("-32,-78 -18,-82 -4,-76 -18,-72", "#4a3b40")
    brush.limb("24,-72 22,-84 38,-86", 6, "#4a3b40")
    brush.circle(-4, -26, 6, "#d8d4cf")


def draw_tractor(brush: Brush, look: Look) -> None:
    del look
    brush.rect(30, -86, 6, 34, "#5f5a63", 2)
    brush.rect(-40, -94, 52, 8, DARK, 3)
    for x in (-34, 4):
        brush.rect(x, -88, 5, 40, DARK)
    brush.rect(-28, -86, 32, 34, GLASS)
    brush.path("M-46 -20V-52H10V-56H50Q60 -56 62 -46V-20Z")
    brush.rect(52, -46, 10, 20, "#5f5a63", 2)
    _wheel(brush, -28, 31)
    _wheel(brush, 44, 17)


def draw_wagon(brush: Brush, look: Look) -> None:
    """The back of it; see `draw_wagon_front`."""
    del look
    brush.limb("56,-24 82,-46 92,-44", 6, "#5f5a63")
    brush.polygon("-58,-58 58,-58 52,-38 -52,-38", DARK)


def draw_wagon_front(brush: Brush, look: Look) -> None:
    del look
    brush.polygon("-58,-56 58,-56 58,-20 -58,-20")
    brush.rect(-62, -60, 124, 8, LIGHT, 3)
    for x in (-36, 36):
        _wheel(brush, x, 14)


def draw_boat(brush: Brush, look: Look) -> None:
    del look
    brush.path("M-72 -40Q0 -26 72 -40L66 -28H-66Z", DARK)


def draw_boat_front(brush: Brush, look: Look) -> None:
    del look
    brush.path("M-76 -40Q0 -22 76 -40Q68 -4 46 0H-46Q-68 -4 -76 -40Z")
    brush.stroke("-70,-30 0,-13 70,-30", LIGHT, 2.0)
    brush.stroke("-86,-2 -58,-7 -30,-2 0,-7 30,-2 58,-7 86,-2", "#dff2fb", 2.4)


def draw_sailboat(brush: Brush, look: Look) -> None:
    del look
    brush.rect(-2, -98, 5, 76, "#8a5d38")
    brush.path("M6 -96Q50 -56 52 -30H6Z")
    brush.path("M-6 -84Q-34 -54 -40 -30H-6Z", LIGHT)
    brush.polygon("3,-99 -14,-95 3,-90", "#f7d038", 0.7)
    brush.path("M-54 -24H58Q50 -2 36 0H-34Q-50 -4 -54 -24Z", "#9a6a42")
    brush.stroke("-64,-2 -38,-7 -10,-2 18,-7 44,-2 66,-7", "#dff2fb", 2.4)


def draw_airplane(brush: Brush, look: Look) -> None:
    del look
    brush.polygon("-66,-54 -84,-88 -64,-88 -44,-56", DARK)
    brush.blob("-78,-52 -30,-66 40,-66 80,-50 70,-36 10,-32 -50,-38")
    for x in (-26, -8, 10, 28):
        brush.circle(x, -54, 5, GLASS, 0.8)
    brush.path("M50 -61Q64 -58 70 -51L54 -50Z", GLASS, 0.8)
    brush.polygon("14,-44 -16,-6 -34,-6 -18,-44", DARK)
    brush.polygon("-56,-46 -80,-34 -66,-34 -44,-42", DARK)


def draw_rocket(brush: Brush, look: Look) -> None:
    del look
    brush.blob("-10,-14 -7,4 0,12 7,4 10,-14", "#f7a32c")
    for half in brush.halves():
        half.polygon("14,-46 34,-14 14,-20", DARK)
    brush.blob("0,-104 18,-70 18,-34 10,-14 -10,-14 -18,-34 -18,-70")
    brush.path("M0 -104Q12 -92 16 -78H-16Q-12 -92 0 -104Z", "#f1ebdf")
    brush.circle(0, -58, 9, GLASS)
    brush.rect(-5, -32, 10, 16, DARK, 3)


def draw_sled(brush: Brush, look: Look) -> None:
    del look
    for x in (-34, 0, 34):
        brush.rect(x - 3, -20, 6, 18, EYE)
    brush.stroke("-58,-2 48,-2 66,-10 66,-22", "#5f5a63", 3)
    brush.rect(-56, -28, 112, 11, MAIN, 4)
