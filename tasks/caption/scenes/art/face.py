"""Faces: the same eyes and mouth for people and animals, so that a mood is told in one way."""

from __future__ import annotations

from dataclasses import dataclass

from tasks.caption.scenes.brush import Brush

EYE = "#2b2328"
_BROWS = {"angry": 0.13, "sad": -0.12}
"""By how much the inner end of a brow is lower than its outer end, in shares of the head's radius."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a thing is doing and how it feels, as far as its drawing shows it."""

    posture: str | None = None
    mood: str | None = None
    manner: str | None = None
    holding: bool = False


def draw_face(head: Brush, look: Look, low: float = 0.0, y: float = 0.0, size: float = 1.0) -> None:
    """Eyes, brows and mouth of a head of radius 1 around (0, 0).

    ``low`` is how much lower than a person's the mouth is (a muzzle), ``y`` and ``size`` move and scale the whole.
    """
    face = head.at(0, y, size)
    mood = "asleep" if look.posture == "sleeping" else look.mood
    for half in face.halves():
        _draw_eye(half.at(0.42, -0.08, 0.15), mood)
        if mood in _BROWS:
            slope = _BROWS[mood]
            brow = [(0.22, -0.42 + slope), (0.64, -0.42 - slope)]
            half.stroke(brow, "#ffffff", 2.6)
            half.stroke(brow, EYE, 1.5)
    _draw_mouth(face.at(0, 0.42 + low), mood)
    if mood == "sad":
        face.path("M0.48 0.01Q0.66 0.25 0.48 0.39Q0.3 0.25 0.48 0.01Z", "#6fb9ee", 0.5)


def _draw_eye(eye: Brush, mood: str | None) -> None:
    if mood == "asleep":
        eye.stroke("-1.3,0 0,0.9 1.3,0", EYE, 1.1)
        return
    if mood == "surprised":
        eye.circle(0, 0, 1.7, "#ffffff", 0.7)
        eye.circle(0, 0, 0.85, EYE, 0)
    else:
        # A light rim keeps the eye visible on dark fur and skin.
        eye.ellipse(0, 0, 1.25, 1.45, "#ffffff", 0)
        eye.ellipse(0, 0, 1, 1.2, EYE, 0)
    eye.circle(0.3, -0.45, 0.36, "#ffffff", 0)


def _draw_mouth(mouth: Brush, mood: str | None) -> None:
    if mood == "happy":
        mouth.path("M-0.36 -0.1Q0 0.62 0.36 -0.1Z", "#b3363c", 0.8)
    elif mood in ("sad", "angry"):
        mouth.stroke("-0.3,0.2 0,-0.02 0.3,0.2", "#ffffff", 2.4)
        mouth.stroke("-0.3,0.2 0,-0.02 0.3,0.2", EYE, 1.3)
    elif mood == "surprised":
        mouth.ellipse(0, 0.12, 0.15, 0.2, "#8a2f36", 0.8)
    elif mood == "asleep":
        mouth.stroke("-0.12,0.06 0.12,0.06", EYE, 1.1)
    else:
        mouth.stroke("-0.24,0 0,0.1 0.24,0", EYE, 1.1)


def draw_sleep(brush: Brush, x: float, y: float) -> None:
    """Two letters Z that rise from (x, y): what sleeps in a picture book says so."""
    for letter, size in ((brush.at(x, y), 6), (brush.at(x + 8, y - 11), 8)):
        for colour, width in (("#ffffff", 2.8), ("#4a4f8a", 1.3)):
            for line in ([(0, -size), (size, -size)], [(size, -size), (0, 0)], [(0, 0), (size, 0)]):
                letter.stroke(line, colour, width)
