"""How two things stand to each other, by where their pixels are and which hides which.

Each question is answered yes, no, or None where a stranger could say either: a man "on" a chair is "in" it too.
"""

from __future__ import annotations

import numpy as np
import scipy

from counterfoil.tasks.caption.scenes.graph import RelationName
from counterfoil.tasks.caption.scenes.sight.things import SeenThing

TOUCH = 4
"""Pixels between things that touch."""
APART = 10
"""Pixels between things that do not."""
_ENTERED = ("furniture", "vehicle", "building", "plant")
"""Kinds of what one is in, on or at, as one likes."""
FAR = 60
"""Pixels between who chases and who is chased at most."""
COVERED = 0.12
"""Share of a thing that another hides, from which on it is behind or in it."""


def holds(name: RelationName, a: SeenThing, b: SeenThing) -> bool | None:
    """Whether ``a`` is ``name`` ``b``."""
    return {
        "left_of": _is_left_of,
        "above": _is_above,
        "on": _is_on,
        "in": _is_in,
        "under": _is_under,
        "behind": _is_behind,
        "holding": _is_holding,
        "chasing": _is_chasing,
    }[name](a, b)


def _is_left_of(a: SeenThing, b: SeenThing) -> bool | None:
    ax0, _, ax1, _ = a.box
    bx0, _, bx1, _ = b.box
    if ax1 <= bx0 + TOUCH:
        return True
    return False if (ax0 + ax1) / 2 >= (bx0 + bx1) / 2 - 0.1 * (bx1 - bx0) else None


def _is_above(a: SeenThing, b: SeenThing) -> bool | None:
    _, ay0, _, ay1 = a.box
    _, by0, _, by1 = b.box
    if ay1 <= by0 - TOUCH and max(_overlap(a, b), _overlap(b, a)) > 0.5:
        return True
    if (ay0 + ay1) / 2 >= (by0 + by1) / 2 or (_overlap(a, b) == 0 and ay1 > by0 + APART):
        return False
    return None


def _is_on(a: SeenThing, b: SeenThing) -> bool | None:
    _, _, _, ay1 = a.box
    _, by0, _, by1 = b.box
    if _overlap(a, b) == 0 or ay1 < by0 - APART or ay1 >= by1 + APART:
        return False
    if _hides_feet(b, a):
        # Who is in a boat is on it as well, but nothing in a box is on it.
        return None if b.noun.kind in _ENTERED else False
    if _overlap(a, b) > 0.6 and _rests(a, b) and ay1 <= by1 - 1:
        return True
    return None


def _is_in(a: SeenThing, b: SeenThing) -> bool | None:
    if _overlap(a, b) == 0 or _apart(a, b):
        return False
    ax0, _, ax1, ay1 = a.box
    bx0, by0, bx1, by1 = b.box
    inside = bx0 - TOUCH <= ax0 and ax1 <= bx1 + TOUCH and by0 <= ay1 <= by1 + TOUCH
    if b.noun.hollow is not None:
        if inside and _hides_feet(b, a):
            return True
        return False if _covered(a, b) == 0 and ay1 < by0 + 2 else None
    # One sits in a chair, lies in a bed, rides in a car, and is in a tree or among flowers.
    return None if b.noun.kind in _ENTERED else False


def _is_under(a: SeenThing, b: SeenThing) -> bool | None:
    ax0, ay0, ax1, ay1 = a.box
    bx0, by0, bx1, by1 = b.box
    middle = (ay0 + ay1) / 2
    if _overlap(a, b) < 0.3 or middle <= (by0 + by1) / 2 - APART:
        return False
    within = bx0 - TOUCH <= ax0 and ax1 <= bx1 + TOUCH
    roof = b.whole[: max(int(ay0) + 3, 1), ax0:ax1].any(axis=0).mean()
    if within and roof > 0.55 and abs(ay1 - by1) <= 2 * APART and a.visible.sum() > 0.75 * a.whole.sum():
        return True
    # What is far below another is below it, and perhaps "under" it.
    return None


def _is_behind(a: SeenThing, b: SeenThing) -> bool | None:
    covered = _covered(a, b)
    hidden = covered >= COVERED and not _rests(b, a)
    if b.noun.hollow is None and (hidden or (_hides_feet(b, a) and covered >= COVERED / 2)):
        return True
    if covered == 0 and ((_apart(a, b) and _overlap(a, b) == 0) or _covered(b, a) > 0 or _rests(a, b)):
        return False
    # One above the other in the picture with a gap: the upper one may stand farther off.
    return None


def _is_holding(a: SeenThing, b: SeenThing) -> bool | None:
    if a.noun.kind != "person" or b.noun.kind == "person" or a.noun.name == "snowman":
        return False
    gap = _gap(a, b)
    if gap > APART:
        return False
    _, _, _, by1 = b.box
    _, ay0, _, ay1 = a.box
    # What stands on the ground beside a person is not held.
    if gap <= TOUCH and by1 < ay1 - 0.08 * (ay1 - ay0) and b.noun.grip is not None:
        return True
    return None


def _is_chasing(a: SeenThing, b: SeenThing) -> bool | None:
    """Whether ``a`` comes after ``b`` on the same ground, and both look ahead. That they run is seen besides."""
    if "running" not in a.noun.postures or "running" not in b.noun.postures:
        return False
    ways = {copy.faces for each in (a, b) for copy in each.copies}
    ax0, _, ax1, ay1 = a.box
    bx0, _, bx1, by1 = b.box
    ahead = bx0 - ax1 if ways == {1} else ax0 - bx1
    if len(ways) > 1 or ahead < -TOUCH or abs(ay1 - by1) > 2 * APART:
        return False
    return True if ahead <= FAR else None


def _overlap(a: SeenThing, b: SeenThing) -> float:
    """Share of ``a``'s width that is above or below ``b``."""
    ax0, _, ax1, _ = a.box
    bx0, _, bx1, _ = b.box
    return max(0.0, (min(ax1, bx1) - max(ax0, bx0)) / (ax1 - ax0))


def _covered(a: SeenThing, b: SeenThing) -> float:
    """Share of ``a`` that ``b`` hides."""
    whole = a.whole
    hidden = whole & ~a.visible
    return float((hidden & scipy.ndimage.binary_dilation(b.visible, iterations=2)).sum() / whole.sum())


def _rests(a: SeenThing, b: SeenThing) -> bool:
    """Whether ``a``'s lower edge lies on ``b``: there is ``b`` right below, or behind, its feet."""
    _, _, _, ay1 = a.box
    feet = np.flatnonzero(a.whole[max(ay1 - 4, 0) : ay1].any(axis=0))
    ground = b.whole[max(ay1 - TOUCH, 0) : ay1 + TOUCH + 2, feet]
    return bool(ground.any(axis=0).mean() > 0.5)


def _hides_feet(b: SeenThing, a: SeenThing) -> bool:
    """Whether most of ``a``'s lower edge is hidden, and ``b`` is there instead."""
    _, _, _, ay1 = a.box
    low = np.zeros(a.whole.shape, bool)
    low[max(ay1 - 5, 0) : ay1] = a.whole[max(ay1 - 5, 0) : ay1]
    return bool((low & b.visible).sum() > 0.6 * low.sum())


def _gap(a: SeenThing, b: SeenThing) -> float:
    """Pixels between the two."""
    away = scipy.ndimage.distance_transform_edt(~a.whole)
    return float(away[b.whole].min())


def _apart(a: SeenThing, b: SeenThing) -> bool:
    ax0, ay0, ax1, ay1 = a.box
    bx0, by0, bx1, by1 = b.box
    return max(bx0 - ax1, ax0 - bx1, by0 - ay1, ay0 - by1) > TOUCH / 2 or _gap(a, b) > TOUCH
