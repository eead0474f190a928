"""Animals on four legs: one skeleton that stands, sits, lies, sleeps and runs, and what makes each its own kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tasks.caption.scenes.art.face import EYE, Look, draw_face, draw_sleep
from tasks.caption.scenes.brush import DARK, LIGHT, MAIN, Brush

Head = Callable[[Brush, Look], None]
Tail = Callable[[Brush], None]
SNOUT_PINK = "#f0a8a8"


@dataclass(frozen=True, slots=True)
class Build:
    """Proportions of an animal, in its own units."""

    head: Head
    tail: Tail
    radius: float = 21
    "of the head"
    length: float = 60
    girth: float = 36
    legs: float = 26
    neck: float = 0
    "how far the head stands above the shoulders"
    leg_width: float = 10
    foot: str = DARK
    wool: bool = False
    horse_like: bool = False


def draw_beast(brush: Brush, look: Look, build: Build) -> None:
    """The animal in its posture, looking to the right; the ground is y = 0."""
    posture = look.posture or "standing"
    {
        "standing": _draw_standing,
        "running": _draw_running,
        "sitting": _draw_sitting,
        "lying": _draw_lying,
        "sleeping": _draw_lying,
    }[posture](brush, look, build)


def _draw_standing(brush: Brush, look: Look, build: Build) -> None:
    half, middle = (build.length / 2, -build.legs - build.girth / 2)
    build.tail(brush.at(-half, middle - build.girth * 0.2))
    for x in (-half + 14, half - 7):
        _draw_leg(brush, [(x, middle), (x, -build.leg_width / 2)], build, DARK)
    for x in (-half + 6, half - 16):
        _draw_leg(brush, [(x, middle), (x, -build.leg_width / 2)], build, MAIN)
    _draw_trunk(brush, 0, middle, half, build.girth / 2, build)
    _draw_head(brush, half - 3, middle - build.girth * 0.3, look, build)


def _draw_running(brush: Brush, look: Look, build: Build) -> None:
    half, middle = (build.length / 2 + 3, -build.legs - build.girth / 2 - 4)
    build.tail(brush.at(-half, middle - build.girth * 0.25))
    foot = -build.leg_width / 2
    reach = build.legs * 0.9
    for x, swing in ((-half + 12, -1.0), (half - 12, 1.0)):
        knee = (x + swing * reach * 0.6, middle + build.girth * 0.45)
        _draw_leg(brush, [(x, middle), knee, (x + swing * reach * 1.25, foot - 12)], build, DARK)
        knee = (x + swing * reach * 0.35, middle + build.girth * 0.55)
        _draw_leg(brush, [(x - 3, middle), knee, (x + swing * reach * 0.9, foot)], build, MAIN)
    _draw_trunk(brush, 0, middle, half, build.girth / 2 - 1, build)
    _draw_head(brush, half + 2, middle - build.girth * 0.2, look, build)


def _draw_sitting(brush: Brush, look: Look, build: Build) -> None:
    wide, tall = (build.girth * 0.62, build.girth * 0.95 + build.legs * 0.75)
    build.tail(brush.at(-wide * 0.95, -10))
    if build.wool:
        brush.cloud(0, -tall * 0.46, wide, tall * 0.46, 11)
    else:
        brush.blob(
            [(-wide, -9), (-wide * 0.82, -tall * 0.5), (0, -tall), (wide * 0.75, -tall * 0.55), (wide, -7), (0, 0)]
        )
    brush.ellipse(-wide * 0.72, -9, 12, 9.5)
    for x in (wide * 0.18, wide * 0.66):
        _draw_leg(brush, [(x, -tall * 0.5), (x, -build.leg_width / 2)], build, MAIN)
    _draw_head(brush, wide * 0.3, -tall + 5, look, build)


def _draw_lying(brush: Brush, look: Look, build: Build) -> None:
    half, rise = (build.length / 2 + 4, build.girth * 0.44)
    build.tail(brush.at(-half + 3, -rise * 0.8))
    _draw_trunk(brush, 0, -rise, half, rise, build)
    brush.ellipse(-half * 0.45, -rise * 0.62, half * 0.36, rise * 0.56)
    for x in (half - 2, half + 8):
        _draw_leg(brush, [(x - 16, -6), (x + 6, -build.leg_width / 2)], build, MAIN)
    low = look.posture == "sleeping"
    x, y = (half - 2, -rise - (2 if low else 12))
    _draw_head(brush, x, y, look, build, bowed=low)
    if low:
        draw_sleep(brush, x + build.radius * 1.1, y - build.radius * 1.5)


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


def _draw_head(brush: Brush, x: float, y: float, look: Look, build: Build, bowed: bool = False) -> None:
    """The head at the shoulder (x, y), a neck's length above it."""
    rise = build.neck * (0.25 if bowed else 0.55 if look.posture in ("lying", "running") else 1.0)
    hx, hy = (x + rise * 0.3, y - rise - build.radius * 0.45)
    if rise > 4:
        brush.limb([(x - 9, y + 6), (hx - 2, hy)], build.radius * 0.98, MAIN)
        if build.horse_like:
            for share in (0.1, 0.4, 0.7, 1.0):
                brush.circle(x - 13 + share * (hx - x), y + share * (hy - y) - 2, 6.5, "#4b3630", 0.6)
    build.head(brush.at(hx, hy, build.radius), look)


def _draw_ears(head: Brush, inside: str | None, tall: float, out: float = 0.72) -> None:
    """Pointed ears."""
    for half in head.halves():
        ear = [(out - 0.5, -0.86), (out + 0.16, -0.8 - tall), (out + 0.24, -0.45)]
        half.polygon(ear)
        if inside:
            x, y = (sum(values) / 3 for values in zip(*ear, strict=True))
            half.polygon([((a + x) / 2, (b + y) / 2) for a, b in ear], inside, 0)


def _draw_round_ears(head: Brush, size: float, inside: str) -> None:
    for half in head.halves():
        half.circle(0.78, -0.72, size)
        half.circle(0.78, -0.72, size * 0.55, inside, 0)


def _draw_nose(head: Brush, y: float, size: float, colour: str = EYE) -> None:
    head.at(0, y, size).path("M-1 -0.6Q0 -1.1 1 -0.6Q0.7 0.7 0 0.8Q-0.7 0.7 -1 -0.6Z", colour, 0)


def _dog(head: Brush, look: Look) -> None:
    head.ellipse(0, 0, 1, 0.95)
    head.ellipse(0, 0.42, 0.56, 0.46, LIGHT, 0.6)
    for half in head.halves():
        half.blob("0.62,-0.86 1.22,-0.45 1.3,0.42 0.9,0.5 0.76,-0.2", DARK)
    if look.mood == "happy" and look.posture != "sleeping":
        head.ellipse(0.08, 0.86, 0.17, 0.28, "#ef7b86", 0.6)
    draw_face(head, look, 0.22, -0.08)
    _draw_nose(head, 0.24, 0.22)


def _cat(head: Brush, look: Look) -> None:
    _draw_ears(head, SNOUT_PINK, 0.62)
    head.ellipse(0, 0, 1.08, 0.92)
    draw_face(head, look)
    _draw_nose(head, 0.22, 0.13, "#d9727c")
    for half in head.halves():
        half.stroke("0.5,0.3 1.42,0.13", "#5a5058", 0.6)
        half.stroke("0.5,0.42 1.42,0.51", "#5a5058", 0.6)


def _horse(head: Brush, look: Look) -> None:
    _draw_ears(head.at(0, -0.25, 0.8), None, 0.5, 0.6)
    head.blob("-0.72,-0.6 0,-1.05 0.72,-0.6 0.62,0.4 0,1.5 -0.62,0.4")
    head.ellipse(0, 0.98, 0.56, 0.46, LIGHT, 0.7)
    head.blob("-0.24,-1.15 0.3,-1.1 0.2,-0.35 -0.16,-0.5", "#4b3630", 0.7)
    draw_face(head, look, 0.78, -0.1, 0.86)
    for half in head.halves():
        half.ellipse(0.24, 0.8, 0.07, 0.1, "#4b3630", 0)


def _cow(head: Brush, look: Look) -> None:
    for half in head.halves():
        half.ellipse(1.12, -0.32, 0.36, 0.2)
        half.path("M0.4 -0.8Q1.05 -0.85 0.86 -1.45Q0.62 -1.1 0.2 -0.9Z", "#efe3c2", 0.8)
    head.blob("-0.85,-0.5 0,-0.98 0.85,-0.5 0.7,0.5 0,0.95 -0.7,0.5")
    head.ellipse(0, 0.62, 0.72, 0.46, SNOUT_PINK, 0.8)
    draw_face(head, look, 0.46, -0.14, 0.95)
    for half in head.halves():
        half.ellipse(0.3, 0.42, 0.09, 0.12, "#8d4c54", 0)


def _sheep(head: Brush, look: Look) -> None:
    for half in head.halves():
        half.ellipse(0.98, -0.1, 0.34, 0.18, "#d9b99b")
    head.ellipse(0, 0.1, 0.78, 0.9, "#e9cdb0")
    head.cloud(0, -0.62, 0.62, 0.32, 7)
    draw_face(head, look, 0, 0.08, 0.85)


def _pig(head: Brush, look: Look) -> None:
    for half in head.halves():
        half.polygon("0.3,-0.82 0.98,-1.12 0.86,-0.4", DARK)
    head.ellipse(0, 0, 1.05, 0.95)
    draw_face(head, look, 0.3, -0.1)
    head.ellipse(0, 0.28, 0.42, 0.28, DARK, 0.9)
    for half in head.halves():
        half.ellipse(0.16, 0.28, 0.07, 0.11, "#6d3a44", 0)


def _rabbit(head: Brush, look: Look) -> None:
    for half in head.halves():
        half.ellipse(0.42, -1.55, 0.28, 0.92)
        half.ellipse(0.42, -1.5, 0.13, 0.66, SNOUT_PINK, 0)
    head.ellipse(0, 0, 1, 0.94)
    draw_face(head, look)
    head.rect(-0.14, 0.5, 0.28, 0.26, "#ffffff", 1, 0.6)
    _draw_nose(head, 0.2, 0.12, "#d9727c")


def _bear(head: Brush, look: Look) -> None:
    _draw_round_ears(head, 0.36, SNOUT_PINK)
    head.ellipse(0, 0, 1.06, 1)
    head.ellipse(0, 0.4, 0.5, 0.4, "#ecd3ae", 0.7)
    draw_face(head, look, 0.16, -0.04)
    _draw_nose(head, 0.22, 0.19)


def _fox(head: Brush, look: Look) -> None:
    _draw_ears(head, "#3b2f33", 0.7)
    head.blob("-1.15,0.1 -0.6,-0.8 0.6,-0.8 1.15,0.1 0,1.05")
    for half in head.halves():
        half.blob("0,0.12 1.02,0.16 0.2,0.95 0,0.98", "#fdf6ea", 0)
    draw_face(head, look, 0.12, -0.04)
    _draw_nose(head, 0.28, 0.17)


def _elephant(head: Brush, look: Look) -> None:
    for half in head.halves():
        half.ellipse(1.02, -0.05, 0.62, 0.85, DARK)
        half.ellipse(1.02, 0, 0.36, 0.58, SNOUT_PINK, 0)
    head.ellipse(0, 0, 0.95, 1)
    draw_face(head, look, 0.62, -0.1)
    head.limb("0,0.22 0.05,0.95 0.42,1.5 0.95,1.35", 0.42)
    for half in head.halves():
        half.polygon("0.36,0.5 0.6,0.44 0.62,1.02", "#fffaf0", 0.7)


def _lion(head: Brush, look: Look) -> None:
    head.cloud(0, 0.05, 1.22, 1.2, 12, DARK)
    _draw_round_ears(head.at(0, 0, 0.9), 0.28, "#7a4a2c")
    head.ellipse(0, 0, 0.86, 0.84)
    head.ellipse(0, 0.36, 0.46, 0.34, "#fdf1d8", 0.6)
    draw_face(head, look, 0.2, -0.06, 0.86)
    _draw_nose(head, 0.18, 0.18)


def _mouse(head: Brush, look: Look) -> None:
    _draw_round_ears(head.at(0, 0, 1.06), 0.6, SNOUT_PINK)
    head.blob("-0.9,-0.2 0,-0.85 0.9,-0.2 0.5,0.6 0,0.9 -0.5,0.6")
    draw_face(head, look, 0.14, 0, 0.88)
    _draw_nose(head, 0.28, 0.15, "#d9727c")


def _tail_up(brush: Brush) -> None:
    brush.limb("5,3 -10,-5 -12,-20", 7.5)


def _tail_long(brush: Brush) -> None:
    brush.limb("5,5 -14,2 -17,-18 -9,-31", 6.5)


def _tail_hair(brush: Brush) -> None:
    brush.blob("5,-4 -9,2 -15,26 -5,30 -1,10", "#4b3630")


def _tail_tuft(brush: Brush) -> None:
    brush.limb("4,0 -8,8 -9,24", 4.5)
    brush.ellipse(-9, 27, 4.5, 6.5, DARK)


def _tail_curl(brush: Brush) -> None:
    brush.stroke("2,0 -6,-6 -12,0 -7,4 -6,-5 -15,-9", DARK, 2.2)


def _tail_puff(brush: Brush) -> None:
    brush.cloud(0, 3, 7, 7, 8, "#fffaf2")


def _tail_stub(brush: Brush) -> None:
    brush.circle(1, 0, 6)


def _tail_brush(brush: Brush) -> None:
    brush.blob("6,4 -14,8 -30,-12 -24,-26 -10,-12")
    brush.blob("-21,-10 -30,-12 -24,-26 -17,-20", "#fdf6ea", 0.7)


def _tail_thin(brush: Brush) -> None:
    brush.stroke("2,6 -14,12 -22,2 -32,6", "#c98a94", 2.4)


BUILDS = {
    "dog": Build(_dog, _tail_up),
    "cat": Build(_cat, _tail_long, radius=19, length=54, girth=30, leg_width=9, foot=MAIN),
    "horse": Build(_horse, _tail_hair, radius=16, length=62, girth=34, legs=36, neck=22, horse_like=True),
    "cow": Build(_cow, _tail_tuft, radius=19, length=72, girth=42, legs=24, leg_width=11, foot="#4b3f42"),
    "sheep": Build(_sheep, _tail_stub, radius=18, length=62, girth=42, legs=20, leg_width=8, foot="#4b3f42", wool=True),
    "pig": Build(_pig, _tail_curl, radius=22, length=66, girth=44, legs=15, leg_width=11),
    "rabbit": Build(_rabbit, _tail_puff, radius=19, length=46, girth=32, legs=15, leg_width=10, foot=MAIN),
    "bear": Build(_bear, _tail_stub, radius=22, length=66, girth=48, legs=22, leg_width=15),
    "fox": Build(_fox, _tail_brush, radius=19, length=56, girth=29, legs=24, leg_width=8, foot="#3b2f33"),
    "elephant": Build(_elephant, _tail_tuft, radius=24, length=76, girth=56, legs=26, leg_width=17, foot=LIGHT),
    "lion": Build(_lion, _tail_tuft, radius=20, length=64, girth=36, legs=26, leg_width=11),
    "mouse": Build(_mouse, _tail_thin, radius=23, length=50, girth=36, legs=9, leg_width=9, foot=SNOUT_PINK),
}
"Heads are large, as in picture books: a face must be readable at sixty pixels."
