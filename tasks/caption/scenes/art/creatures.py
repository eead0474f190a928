"""Animals that do not go on four legs: birds, fish, frog, turtle, butterfly, snail."""

from __future__ import annotations

from tasks.caption.scenes.art.face import EYE, Look, draw_face, draw_sleep
from tasks.caption.scenes.brush import DARK, LIGHT, Brush

BEAK = "#f2a33a"


def draw_bird(brush: Brush, look: Look) -> None:
    flying = look.posture == "flying"
    if flying:
        brush.blob("-4,-46 -22,-92 2,-84 14,-50", DARK)
        brush.polygon("-28,-38 -58,-50 -56,-30", DARK)
    else:
        brush.polygon("-26,-40 -52,-30 -50,-14", DARK)
        for x in (-6, 8):
            brush.stroke([(x, -16), (x, -2)], BEAK, 1.6)
            brush.stroke([(x - 6, -1), (x, -3), (x + 7, -1)], BEAK, 1.6)
    brush.blob("-34,-34 -14,-58 14,-56 30,-34 8,-12 -18,-16")
    brush.ellipse(6, -26, 15, 11, LIGHT, 0)
    brush.circle(24, -62, 22)
    brush.polygon("43,-66 62,-58 43,-52", BEAK)
    _draw_profile_eye(brush.at(29, -66, 5.2), look)
    if flying:
        brush.blob("-14,-44 -34,-84 -52,-94 -38,-60 -8,-34")
    else:
        brush.blob("-26,-38 -6,-48 8,-38 -8,-24 -28,-22", DARK)
    if look.posture == "sleeping":
        draw_sleep(brush, 44, -84)


def draw_duck(brush: Brush, look: Look) -> None:
    swims = look.posture == "swimming"
    if not swims:
        for foot in (brush.at(-6, 0), brush.at(10, 0)):
            foot.stroke("0,-18 0,-3", BEAK, 2)
            foot.path("M-3 -2L12 -1L2 -8Z", BEAK, 0.8)
    duck = brush.at(0, 14) if swims else brush
    duck.blob("-46,-48 -30,-40 0,-46 30,-44 34,-26 10,-12 -24,-14 -40,-30")
    duck.limb("22,-34 28,-62", 20)
    duck.circle(29, -74, 19)
    duck.blob("44,-78 66,-74 66,-66 44,-66", BEAK)
    duck.blob("-28,-36 -2,-40 12,-30 -6,-20 -26,-24", DARK)
    _draw_profile_eye(duck.at(34, -78, 4.6), look)
    if look.posture == "sleeping":
        draw_sleep(brush, 48, -98)
    if swims:
        brush.stroke("-52,-2 -30,-6 -8,-2 14,-6 36,-2 52,-6", "#dff2fb", 2.4)


def draw_hen(brush: Brush, look: Look) -> None:
    for x in (-6, 10):
        brush.stroke([(x, -20), (x, -2)], BEAK, 2)
        brush.stroke([(x - 7, -1), (x, -4), (x + 8, -1)], BEAK, 1.8)
    brush.blob("-50,-76 -34,-60 -4,-50 14,-60 34,-56 36,-34 14,-14 -18,-14 -40,-36")
    for x, y, r in ((16, -99, 6), (25, -102, 7), (34, -98, 6)):
        brush.circle(x, y, r, "#d8352c", 0.8)
    brush.circle(25, -80, 19)
    brush.polygon("40,-84 58,-76 40,-71", BEAK)
    brush.ellipse(41, -64, 4.5, 7.5, "#d8352c", 0.8)
    brush.blob("-26,-44 0,-46 10,-36 -6,-24 -26,-30", DARK)
    _draw_profile_eye(brush.at(30, -84, 4.6), look)
    if look.posture == "sleeping":
        draw_sleep(brush, 46, -104)


def draw_owl(brush: Brush, look: Look) -> None:
    for half in brush.halves():
        half.polygon("10,-84 34,-100 32,-72")
    brush.blob("-34,-70 0,-90 34,-70 36,-28 18,-4 -18,-4 -36,-28")
    brush.blob("-20,-42 0,-48 20,-42 16,-12 0,-5 -16,-12", LIGHT, 0.6)
    for x, y in ((-8, -34), (8, -34), (0, -25), (-8, -17), (8, -17)):
        brush.stroke([(x - 4, y), (x, y + 3.5), (x + 4, y)], DARK, 1.0)
    for half in brush.halves():
        half.blob("34,-56 42,-34 30,-12 26,-36", DARK)
        half.circle(14, -66, 14, "#fff6df")
        if look.posture == "sleeping":
            half.stroke("6,-66 14,-60 22,-66", EYE, 1.4)
        else:
            half.circle(14, -66, 7.5, EYE, 0)
            half.circle(16.5, -69, 2.5, "#ffffff", 0)
        half.ellipse(9, -2, 7, 4, BEAK, 0.8)
    brush.polygon("-5,-60 5,-60 0,-50", BEAK)
    if look.posture == "sleeping":
        draw_sleep(brush, 34, -96)


def draw_penguin(brush: Brush, look: Look) -> None:
    for half in brush.halves():
        half.ellipse(12, -4, 12, 5, BEAK)
        half.blob("26,-62 44,-36 36,-26 24,-38", DARK)
    brush.blob("-28,-62 -20,-92 0,-100 20,-92 28,-62 30,-24 12,-5 -12,-5 -30,-24")
    brush.blob("-18,-52 0,-58 18,-52 20,-24 0,-9 -20,-24", "#fdfaf2", 0.7)
    for half in brush.halves():
        half.ellipse(9, -76, 11, 12, "#fdfaf2", 0)
    draw_face(brush.at(0, -74, 21), look, 0.42)
    brush.polygon("-7,-71 7,-71 0,-61", BEAK, 0.9)
    if look.posture == "sleeping":
        draw_sleep(brush, 24, -96)


def draw_fish(brush: Brush, look: Look) -> None:
    brush.polygon("-34,-44 -62,-70 -58,-44 -62,-16", DARK)
    brush.blob("-14,-70 4,-92 20,-72", DARK)
    brush.blob("-40,-44 -10,-72 30,-70 54,-44 30,-18 -10,-16")
    brush.stroke("18,-66 10,-44 18,-22", DARK, 1.4)
    brush.blob("-4,-40 -22,-30 -20,-18 0,-28", DARK)
    _draw_profile_eye(brush.at(34, -52, 6.5), look)
    brush.stroke("44,-34 49,-36 53,-40", EYE, 1.4)


def draw_frog(brush: Brush, look: Look) -> None:
    for half in brush.halves():
        half.ellipse(36, -20, 19, 17, DARK)
        half.ellipse(42, -5, 19, 6)
    brush.blob("-36,-36 -26,-62 0,-68 26,-62 36,-36 26,-8 -26,-8")
    brush.ellipse(0, -20, 22, 14, LIGHT, 0)
    for half in brush.halves():
        half.limb("16,-22 17,-5", 9)
        half.circle(19, -68, 14)
        if look.posture == "sleeping":
            half.stroke("11,-70 19,-64 27,-70", EYE, 1.4)
        else:
            half.circle(19, -69, 8.5, "#ffffff", 0.7)
            half.circle(19, -69, 4.6, EYE, 0)
    brush.stroke("-20,-46 0,-36 20,-46", EYE, 1.6)
    if look.posture == "sleeping":
        draw_sleep(brush, 36, -84)


def draw_turtle(brush: Brush, look: Look) -> None:
    brush.polygon("-44,-20 -66,-12 -46,-10", "#9fc07a")
    brush.limb("38,-24 52,-36 58,-46", 17, "#9fc07a")
    brush.ellipse(60, -54, 16, 15, "#9fc07a")
    for x in (-28, 26):
        brush.limb([(x, -18), (x + 2, -6)], 16, "#9fc07a")
    brush.path("M-50 -18Q-46 -72 0 -72Q46 -72 50 -18Q0 -6 -50 -18Z")
    brush.polygon("-14,-58 14,-58 24,-38 12,-24 -12,-24 -24,-38", DARK, 0.9)
    for x0, y0, x1, y1 in ((-14, -58, -24, -68), (14, -58, 24, -68), (24, -38, 46, -38), (-24, -38, -46, -38)):
        brush.stroke([(x0, y0), (x1, y1)], DARK, 1.3)
    _draw_profile_eye(brush.at(65, -57, 4.4), look)
    brush.stroke("64,-46 70,-45 75,-48", EYE, 1.2)
    if look.posture == "sleeping":
        draw_sleep(brush, 70, -76)


def draw_butterfly(brush: Brush, look: Look) -> None:
    del look
    for half in brush.halves():
        half.blob("4,-50 14,-90 48,-96 52,-64 26,-46")
        half.blob("4,-46 34,-44 44,-18 22,-6 8,-24", DARK)
        half.circle(34, -76, 7, LIGHT, 0)
        half.circle(24, -26, 5, LIGHT, 0)
        half.stroke("2,-76 8,-92 16,-98", EYE, 1.2)
    brush.limb("0,-76 0,-18", 9, "#4b3a3f")
    brush.circle(0, -78, 7, "#4b3a3f")


def draw_snail(brush: Brush, look: Look) -> None:
    del look
    brush.blob("-58,-2 -30,-12 30,-14 40,-40 54,-50 64,-40 58,-14 42,-1", "#e2c193")
    for x, tip in ((52, 50), (60, 66)):
        brush.stroke([(x, -46), (tip, -66)], "#8f7048", 1.8)
        brush.circle(tip, -68, 3.6, EYE, 0)
    brush.circle(-6, -42, 34)
    brush.stroke("20,-28 6,-14 -18,-22 -26,-46 -8,-62 10,-50 6,-34 -8,-32 -10,-44", DARK, 2.2)
    brush.stroke("50,-30 56,-27 61,-31", EYE, 1.3)


def _draw_profile_eye(eye: Brush, look: Look) -> None:
    if look.posture == "sleeping":
        eye.stroke("-1.2,0 0,0.8 1.2,0", EYE, 1.3)
        return
    eye.circle(0, 0, 1.3, "#ffffff", 0.6)
    eye.circle(0.2, 0, 0.8, EYE, 0)
