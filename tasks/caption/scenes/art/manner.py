"""How a thing moves: streaks and dust behind what is quick, a line of dots behind what is slow."""

from __future__ import annotations

from counterfoil.tasks.caption.scenes.brush import Brush

_SLATE = "#5f6f86"


def draw_manner(brush: Brush, rear: float, height: float, manner: str) -> None:
    """The trail of a thing that faces right and whose rear end is at x = ``rear``."""
    if manner == "quickly":
        for share, length in ((0.62, 26), (0.4, 34), (0.2, 24)):
            streak = [(rear - 6, -height * share), (rear - 6 - length, -height * share)]
            brush.curve(streak, "#ffffff", 2.6)
            brush.curve(streak, _SLATE, 1.3)
        for dx, r in ((10, 6.5), (22, 5), (31, 3.5)):
            brush.circle(rear - dx, -r, r, "#e9e2d6", 0.6)
    else:
        for i in range(4):
            brush.circle(rear - 6 - i * 9, -2.5, 2.3, _SLATE, 0.5)
