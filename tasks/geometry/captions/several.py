r"""Sentences that say more than one predicate in its own words: several facts at once, or one with something left out.

``several.toml`` lists them. What a sentence states is listed by the letters of its wording (``tangent ABo; on_circle
To``). A small ``o``, ``p`` or ``t`` that the wording does not name is the circle, polygon or triangle that the text
speaks of (`counterfoil.tasks.geometry.captions.mentions`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

from counterfoil.storage.plain import read_toml
from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.atoms import ClaimError
from counterfoil.tasks.geometry.captions.equations import relate
from counterfoil.tasks.geometry.captions.mentions import BEFORE, SIDE, THE_TRIANGLE, Claims, state_bare, state_kind
from counterfoil.tasks.geometry.captions.templates import THE_CIRCLE
from counterfoil.tasks.geometry.facts.predicate import Names

State = Callable[[Names, str], Claims]
"""From what a sentence names, and its text, to the facts that it states."""


def _state_is_kind(names: Names, text: str) -> Claims:  # noqa: ARG001
    ring = names["A+"]
    return state_kind(names["K"], ring) or state_bare(ring)


def _state_diagonals(names: Names, text: str) -> Claims:
    if len(names["A+"]) != 4:
        raise ClaimError(text, "only a quadrilateral has two diagonals")
    a, b, c, d = names["A+"]
    point = names["P"]
    if "bisect" in text:
        crossing: Claims = (Fact("midpoint", (point, a, c)), Fact("midpoint", (point, b, d)))
    else:
        crossing = (Fact("intersection", (point, a, c, b, d)),)
    return crossing


def _state_pairwise(predicate: str, first: str, second: str) -> State:
    """``D and E are the midpoints of AB and AC``: each of the first with its one of the second."""

    def state(names: Names, text: str) -> Claims:
        if len(names[first]) != len(names[second]):
            raise ClaimError(text, f"{len(names[first])} things on one side and {len(names[second])} on the other")
        facts = []
        for one, other in zip(names[first], names[second], strict=True):
            match predicate:
                case "midpoint":
                    facts.append(Fact(predicate, (one, *other)))
                case "collinear":
                    facts.append(Fact(predicate, (other[0], one, other[1])))
                case _:
                    facts.append(Fact(predicate, tuple(one), other))
        return tuple(facts)

    return state


def _state_ratio(names: Names, text: str) -> Claims:  # noqa: ARG001
    value = f"{names['v']}/{names['w']}" if "w" in names else names["v"]
    return (Fact("ratio", tuple(names[letter] for letter in "ABCD"), value),)


def _state_divided(names: Names, text: str) -> Claims:
    """``D divides AB in the ratio 2:3``: AD is to DB as 2 to 3."""
    a, b, p = names["A"], names["B"], names["P"]
    return (Fact("collinear", (a, p, b)), *_state_ratio({**names, "B": p, "C": p, "D": b}, text))


def _state_corners(names: Names, text: str) -> Claims:
    """``the angles of triangle ABC at A and B are 50 and 60``; all of them, where it does not say at which."""
    ring, values = names["A+"], names["V"]
    points = names.get("P", ring)
    if len(points) != len(values) or not {*points} <= {*ring}:
        raise ClaimError(text, "these are not so many angles of it")
    sides = {name: (ring[i - 1], ring[(i + 1) % len(ring)]) for i, name in enumerate(ring)}
    angles = (Fact("angle", (sides[p][0], p, sides[p][1]), v) for p, v in zip(points, values, strict=True))
    return (*state_bare(ring), *angles)


def _state_crossing(names: Names, text: str) -> Claims:
    """``DE cuts AB and AC at D and E``: each of the lines at its own point."""
    if len(names["L"]) != len(names["P"]):
        raise ClaimError(text, f"{len(names['L'])} lines and {len(names['P'])} points")
    line = (names["A"], names["B"])
    return tuple(Fact("intersection", (p, *line, *each)) for p, each in zip(names["P"], names["L"], strict=True))


def _state_equidistant(names: Names, text: str) -> Claims:  # noqa: ARG001
    return tuple(Fact("equal_length", (names["O"], p, names["O"], q)) for p, q in pairwise(names["P"]))


def _state_subtended(names: Names, text: str) -> Claims:
    """``angle BAC is subtended by arc BC``: its sides end where the arc does."""
    if {names["B"], names["C"]} != {names["X"], names["Y"]}:
        raise ClaimError(text, "the arc does not end on the angle's sides")
    return ()


def _state_bisector_crosses(names: Names, text: str) -> Claims:  # noqa: ARG001
    """``the bisector of angle B meets AC at D``: where nothing else tells its sides, they end where the line does."""
    x, vertex, y, b, c, d = (names[letter] for letter in "XAYBCD")
    crossing = Fact("intersection", (d, vertex, d, b, c))
    if x == SIDE:
        return (Fact("bisector_over", (d, vertex, b, c, BEFORE)), crossing)
    return (Fact("bisector", (d, x, vertex, y)), crossing)


def _state_times(value: str) -> State:
    return lambda names, text: _state_ratio({**names, "v": value}, text)


def _state_corner(names: Names, text: str) -> Claims:  # noqa: ARG001
    return (Fact("angle", (SIDE, names["V"], SIDE), names["d"]),)


def _state_sides(names: Names, text: str) -> Claims:
    """``the triangle has sides AB, BC and CA``."""
    sides = names["L"]
    corners = tuple(dict.fromkeys(name for side in sides for name in side))
    if len(sides) != 3 or len(corners) != 3 or len({frozenset(side) for side in sides}) != 3:
        raise ClaimError(text, "these are not the three sides of a triangle")
    lengths = _state_pairwise("length", "L", "V")(names, text) if "V" in names else ()
    return (Fact("triangle", corners), *lengths)


def _state_halves(names: Names, text: str) -> Claims:  # noqa: ARG001
    ends = (names["A"], names["B"]) if "A" in names else (BEFORE,)
    return (Fact("midpoint", (names["P"], *ends)),)


def _state_joined(names: Names, text: str) -> Claims:
    """``DE joins the midpoints D and E of AB and AC``."""
    return (*_state_pairwise("midpoint", "P", "L")(names, text), Fact("segment", (names["M"], names["N"])))


def _state_vertical(names: Names, text: str) -> Claims:
    """Vertical angles lie between two lines that cross in their vertex, which the text names."""
    a, b, c, d, vertex = (names[letter] for letter in "ABCDV")
    lines = [frozenset(line) for line in names.get("L", ())]
    if {*lines} not in ({frozenset((a, b)), frozenset((c, d))}, {frozenset((a, d)), frozenset((c, b))}):
        raise ClaimError(text, "name the two lines that form the angles")
    first, second = names["L"]
    return (Fact("intersection", (vertex, *first, *second)),)


def _state_cut(names: Names, text: str) -> Claims:  # noqa: ARG001
    """A transversal cuts two lines at two points: which line at which is not said, the row on it is."""
    return (Fact("collinear", (names["E"], names["G"], names["H"], names["F"])),)


def _state_concurrent(names: Names, text: str) -> Claims:  # noqa: ARG001
    """``AD, BE and CF meet at P``: each line with the next."""
    return tuple(Fact("intersection", (names["P"], *p, *q)) for p, q in pairwise(names["L"]))


def _state_spokes(names: Names, text: str) -> Claims:  # noqa: ARG001
    """``D is joined to A, B and C``."""
    return tuple(Fact("segment", (names["A"], end)) for end in names["Q"])


def _state_equal_angles(names: Names, text: str) -> Claims:  # noqa: ARG001
    """``angles B and C are equal``: each with the next."""
    return tuple(Fact("equal_angle", (*p, *q)) for p, q in pairwise(names["X"]))


def _state_summed(names: Names, text: str) -> Claims:
    if len(names["X"]) != 2:
        raise ClaimError(text, "a sum is of two angles")
    first, second = names["X"]
    return (Fact("angle_sum", (*first, *second), names["d"]),)


def _state_cut_at(names: Names, text: str) -> Claims:  # noqa: ARG001
    """``a transversal intersects them at E and F``: the lines named before."""
    return (Fact("cut_at", (*names["P"], BEFORE)),)


def _state_legs(names: Names, text: str) -> Claims:
    """The legs of a right triangle meet in its right angle, those of an isosceles one are equal."""
    if len(names["L"]) != 2 or len(corner := {*names["L"][0]} & {*names["L"][1]}) != 1:
        raise ClaimError(text, "these are not two legs that meet")
    (vertex,) = corner
    first, second = (next(end for end in leg if end != vertex) for leg in names["L"])
    right = (Fact("perpendicular", (first, vertex, vertex, second)),) if "right" in text else ()
    equal = (Fact("equal_length", (vertex, first, vertex, second)),) if "isosceles" in text else ()
    return (*right, *equal)


def _state_line(names: Names, text: str) -> Claims:
    kind = "altitude" if "altitude" in text else "median"
    return (Fact(kind, (names["P"], names["F"], THE_TRIANGLE)),)


def _state_feet(names: Names, text: str) -> Claims:
    if len(names["P"]) != len(names["Q"]):
        raise ClaimError(text, f"{len(names['P'])} feet of {len(names['Q'])} lines")
    ring = tuple(names[letter] for letter in "ABC") if "A" in names else (THE_TRIANGLE,)
    return tuple(Fact("altitude", (q, p, *ring)) for p, q in zip(names["P"], names["Q"], strict=True))


def _state_hypotenuse(names: Names, text: str) -> Claims:
    ring = tuple(names[letter] for letter in "XYZ") if "X" in names else (THE_TRIANGLE,)
    if "B" in names and "X" in names and {names["P"], names["B"], names["C"]} != {*ring}:
        raise ClaimError(text, "this is not the hypotenuse")
    return (Fact("hypotenuse_altitude", (names["P"], names["F"], *ring)),)


def _state_two_bisectors(names: Names, text: str) -> Claims:  # noqa: ARG001
    """``the bisectors of angles B and C meet at I``, in a triangle or in a figure of more corners."""
    return tuple(Fact("bisector", (names["P"], SIDE, names[vertex], SIDE)) for vertex in "XY")


def _state_incircle(names: Names, text: str) -> Claims:
    """The incircle with where it touches the sides."""
    lines, points, circle = names["L"], names["T"], names.get("o", THE_CIRCLE)
    if len(lines) != len(points):
        raise ClaimError(text, f"{len(lines)} sides and {len(points)} points")
    pairs = zip(lines, points, strict=True)
    rows = tuple(Fact("collinear", (line[0], point, line[1])) for line, point in pairs)
    tangents = tuple(Fact("tangent", (*line, circle)) for line in lines)
    return (*tangents, *(Fact("on_circle", (point, circle)) for point in points), *rows)


def _state_on_both(names: Names, text: str) -> Claims:  # noqa: ARG001
    """``touching them at A and B``: the circles named before, each at its own point."""
    return (Fact("on_both", (*names["T"], BEFORE)),)


def _state_touching(way: str) -> State:
    """Two circles that touch, with the point where they do."""

    def state(names: Names, text: str) -> Claims:  # noqa: ARG001
        circles = (names["A"], names["B"]) if "A" in names else (names["o"], names["c"])
        touching = Fact(f"{way}_tangent", circles)
        return (touching, *(Fact("on_circle", (names["T"], circle)) for circle in circles if "T" in names))

    return state


def _state_sector(names: Names, text: str) -> Claims:
    """Sector OAB, or AOB, of the circle O."""
    run, circle = tuple(names[letter] for letter in "OAB"), names["o"]
    # Sector AOB of a circle that nothing names: by custom O is the centre, and no order of the letters tells.
    centre = circle if circle in run else "O"
    ends = [name for name in run if name != centre]
    if circle not in (centre, THE_CIRCLE) or len(ends) != 2:
        raise ClaimError(text, "a sector is named by the centre and two points")
    sizes = [Fact("radius", (centre,), names["v"])] if "v" in names else []
    sizes += [Fact("angle", (ends[0], centre, ends[1]), names["d"])] if "d" in names else []
    return (*(Fact("radial", (centre, end, centre)) for end in ends), *sizes)


_STATES: Mapping[str, Callable[..., State]] = {
    "relate": lambda: relate,
    "kind": lambda: _state_is_kind,
    "diagonals": lambda: _state_diagonals,
    "ratio": lambda: _state_ratio,
    "times": _state_times,
    "divided": lambda: _state_divided,
    "pairwise": _state_pairwise,
    "corner": lambda: _state_corner,
    "corners": lambda: _state_corners,
    "bisector_crosses": lambda: _state_bisector_crosses,
    "subtended": lambda: _state_subtended,
    "crossing": lambda: _state_crossing,
    "equidistant": lambda: _state_equidistant,
    "sides": lambda: _state_sides,
    "halves": lambda: _state_halves,
    "joined": lambda: _state_joined,
    "vertical": lambda: _state_vertical,
    "cut": lambda: _state_cut,
    "concurrent": lambda: _state_concurrent,
    "spokes": lambda: _state_spokes,
    "equal_angles": lambda: _state_equal_angles,
    "summed": lambda: _state_summed,
    "legs": lambda: _state_legs,
    "cut_at": lambda: _state_cut_at,
    "line": lambda: _state_line,
    "feet": lambda: _state_feet,
    "hypotenuse": lambda: _state_hypotenuse,
    "two_bisectors": lambda: _state_two_bisectors,
    "incircle": lambda: _state_incircle,
    "touching": _state_touching,
    "on_both": lambda: _state_on_both,
    "sector": lambda: _state_sector,
}


def _read_several() -> tuple[tuple[str, str | State], ...]:
    tables = read_toml(Path(__file__).with_name("several.toml"))
    return tuple((words.format_map(tables["parts"]), _read_state(states)) for words, states in tables["several"])


def _read_state(states: str) -> str | State:
    if not states.startswith("! "):
        return states
    name, *values = states.split()[1:]
    return _STATES[name](*values)


SEVERAL = _read_several()
