"""What can be asked of a figure on axes, the exact answers, and how they follow, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise

from counterfoil.tasks.geometry.facts.plane import write_plane
from counterfoil.tasks.geometry.sources.sampler.analytic import Chart, Place, list_straight
from counterfoil.tasks.geometry.sources.sampler.exact import Exact, of

ASKED_OF: Mapping[str, float] = {
    "coordinates": 0.48,
    "length": 0.14,
    "area": 0.1,
    "slope": 0.07,
    "equation": 0.08,
    "ratio": 0.06,
    "perimeter": 0.04,
    "angle": 0.03,
}
"""Kinds of what is asked for, with how often."""
LEAST_STEPS = 3
"""Steps that an answer may take whatever the plan says: there are few shorter ones."""
PI = Exact({(1, 1): Fraction(1)})


@dataclass(frozen=True)
class Answered:
    """A question about a figure on axes. ``quantity`` is what is asked for and of which points, for a second road."""

    kind: str
    quantity: tuple[str, ...]
    target: str
    answer: str
    steps: tuple[str, ...]

    @property
    def sort(self) -> str:
        """Which way of asking it is."""
        return self.quantity[0].partition("_")[0]


def list_answered(chart: Chart) -> Iterator[Answered]:
    """All that can be asked of a figure and is not stated."""
    stated = {(fact.predicate, frozenset(fact.arguments)) for fact in chart.facts}
    for ask in _ASKED:
        for answered in ask(chart):
            names = frozenset(answered.quantity[1:])
            hints = _GIVEN_AWAY.get(answered.quantity[0], ())
            if not any((hint, names) in stated for hint in hints):
                yield answered


_GIVEN_AWAY: Mapping[str, tuple[str, ...]] = {
    "slope": ("slope", "line_equation", "horizontal", "vertical"),
    "y_intercept": ("y_intercept", "line_equation"),
    "x_intercept": ("x_intercept",),
    "line": ("line_equation",),
    "quadratic": ("quadratic",),
    "round": ("circle_equation",),
    "middle": ("at",),
}
"""What would give an answer away, said of the same points."""


def write_place(place: Place) -> str:
    """As questions and answers write it: ``(2, -3)``."""
    return f"({', '.join(map(str, place))})"


def _read_off(chart: Chart, *names: str) -> str:
    known = {fact.arguments[0] for fact in chart.facts if fact.predicate == "at"}
    places = " and ".join(f"{name}{write_place(chart.places[name])}" for name in names)
    return places if set(names) <= known else f"Read off the axes: {places}"


def _span(chart: Chart, p: str, q: str) -> tuple[Fraction, Fraction]:
    (x, y), (u, v) = chart.places[p], chart.places[q]
    return u - x, v - y


def _measure_distance(chart: Chart, p: str, q: str) -> Exact:
    dx, dy = _span(chart, p, q)
    found = of(dx * dx + dy * dy).root()
    assert found is not None
    return found


def _bracket(number: Fraction) -> str:
    return f"({number})" if number < 0 else str(number)


def _derive_length(chart: Chart, p: str, q: str) -> tuple[str, ...]:
    dx, dy = _span(chart, p, q)
    return (
        _read_off(chart, p, q),
        f"{p}{q}^{{2}} = {_bracket(dx)}^{{2}} + {_bracket(dy)}^{{2}} = {dx * dx + dy * dy}",
        f"{p}{q} = {_measure_distance(chart, p, q).write()}",
    )


def ask_length(chart: Chart) -> Iterator[Answered]:
    for p, q in chart.segments:
        steps = _derive_length(chart, p, q)
        yield Answered(
            "length", ("length", p, q), f"the length of {p}{q}", _measure_distance(chart, p, q).write(), steps
        )


def ask_ratio(chart: Chart) -> Iterator[Answered]:
    for (p, q), (s, t) in combinations(chart.segments, 2):
        inverse = _measure_distance(chart, s, t).invert()
        ratio = None if inverse is None else (_measure_distance(chart, p, q) * inverse).fraction
        if ratio is None or ratio.denominator > 12:
            continue
        answer = f"{ratio.numerator}:{ratio.denominator}"
        steps = (*_derive_length(chart, p, q), *_derive_length(chart, s, t), f"{p}{q}:{s}{t} = {answer}")
        yield Answered("ratio", ("ratio", p, q, s, t), f"the ratio {p}{q}:{s}{t}", answer, steps)


def ask_triangle(chart: Chart) -> Iterator[Answered]:
    for p, q, r in chart.triangles:
        (ax, ay), (bx, by) = _span(chart, p, q), _span(chart, p, r)
        twice = abs(ax * by - ay * bx)
        cross = f"|{_bracket(ax)} \\cdot {_bracket(by)} - {_bracket(ay)} \\cdot {_bracket(bx)}|"
        area = of(twice / 2).write()
        steps: tuple[str, ...] = (_read_off(chart, p, q, r), f"{cross} = {twice}", f"The area is {twice}/2 = {area}")
        yield Answered("area", ("area", p, q, r), f"the area of \\triangle {p}{q}{r}", area, steps)
        sides = [_measure_distance(chart, *pair) for pair in ((p, q), (q, r), (r, p))]
        whole = sides[0] + sides[1] + sides[2]
        steps = tuple(step for pair in ((p, q), (q, r), (r, p)) for step in _derive_length(chart, *pair)[1:])
        yield Answered(
            "perimeter",
            ("perimeter", p, q, r),
            f"the perimeter of \\triangle {p}{q}{r}",
            whole.write(),
            (_read_off(chart, p, q, r), *steps, f"The perimeter is {whole.write()}"),
        )
        for corner, one, other in ((p, q, r), (q, p, r), (r, p, q)):
            (ax, ay), (bx, by) = _span(chart, corner, one), _span(chart, corner, other)
            if ax * bx + ay * by == 0:
                steps = (
                    _read_off(chart, p, q, r),
                    f"{_bracket(ax)} \\cdot {_bracket(bx)} + {_bracket(ay)} \\cdot {_bracket(by)} = 0, so the lines "
                    f"{corner}{one} and {corner}{other} are perpendicular",
                    f"\\angle {one}{corner}{other} = 90^\\circ",
                )
                name = f"the measure of \\angle {one}{corner}{other}"
                yield Answered("angle", ("angle", one, corner, other), name, "90", steps)


def _derive_slope(chart: Chart, p: str, q: str) -> tuple[str, ...]:
    dx, dy = _span(chart, p, q)
    return (_read_off(chart, p, q), f"The slope of {p}{q} is {_bracket(dy)}/{_bracket(dx)} = {dy / dx}")


def ask_line(chart: Chart) -> Iterator[Answered]:
    for p, q in list_straight(chart):
        slope, level = chart.find_slope(p, q), chart.find_level(p, q)
        assert slope is not None and level is not None
        steps = _derive_slope(chart, p, q)
        yield Answered("slope", ("slope", p, q), f"the slope of line {p}{q}", str(slope), steps)
        if abs(slope) == 1:
            told = (*steps, f"A line of slope {slope} makes 45^\\circ with the x-axis")
            yield Answered(
                "angle", ("tilt", p, q), f"the acute angle in degrees between line {p}{q} and the x-axis", "45", told
            )
        x, y = chart.places[p]
        equation = write_plane("line", (float(slope), float(level))).replace("=", " = ")
        told = (*steps, f"{y} - {_bracket(slope)} \\cdot {_bracket(x)} = {level} is the y-intercept")
        yield Answered("coordinates", ("y_intercept", p, q), f"the y-intercept of line {p}{q}", str(level), told)
        if level.denominator < 7:
            told = (*told, f"The equation is {equation}")
            yield Answered("equation", ("line", p, q), f"an equation of line {p}{q}", equation, told)
        if slope:
            root = -level / slope
            told = (*told, f"0 = {_bracket(slope)} x + {_bracket(level)} gives x = {root}")
            yield Answered("coordinates", ("x_intercept", p, q), f"the x-intercept of line {p}{q}", str(root), told)


def ask_crossing(chart: Chart) -> Iterator[Answered]:
    """Where two lines that run on meet."""
    for (p, q), (s, t) in combinations(chart.lines, 2):
        one, other = chart.find_slope(p, q), chart.find_slope(s, t)
        low, high = chart.find_level(p, q), chart.find_level(s, t)
        if one is None or other is None or low is None or high is None or one == other:
            continue
        x = (high - low) / (one - other)
        place = (x, one * x + low)
        if max(part.denominator for part in place) > 9:
            continue
        steps = (
            *_derive_slope(chart, p, q),
            f"Line {p}{q} is y = {_bracket(one)} x + {_bracket(low)}",
            *_derive_slope(chart, s, t),
            f"Line {s}{t} is y = {_bracket(other)} x + {_bracket(high)}",
            f"Both are equal at x = {x}, where y = {place[1]}",
        )
        yield Answered(
            "coordinates",
            ("crossing", p, q, s, t),
            f"the coordinates of the point where lines {p}{q} and {s}{t} meet",
            write_place(place),
            steps,
        )


def ask_points(chart: Chart) -> Iterator[Answered]:
    """Midpoints, mirrored points, and how far points are from lines."""
    for p, q in chart.segments:
        (x, y), (u, v) = chart.places[p], chart.places[q]
        place = write_place(((x + u) / 2, (y + v) / 2))
        steps: tuple[str, ...]
        half = f"({_bracket(x)}+{_bracket(u)})/2 = {(x + u) / 2} and ({_bracket(y)}+{_bracket(v)})/2 = {(y + v) / 2}"
        steps = (_read_off(chart, p, q), half, f"The midpoint is {place}")
        if (p, q) not in chart.middles.values():
            target = f"the coordinates of the midpoint of {p}{q}"
            yield Answered("coordinates", ("middle", p, q), target, place, steps)
        for name, (a, b) in chart.places.items():
            if name in (p, q) or chart.middles.get(name) == (p, q):
                continue
            dx, dy = u - x, v - y
            cross = abs((a - x) * dy - (b - y) * dx)
            length = _measure_distance(chart, p, q).invert()
            if length is None or cross == 0:
                continue
            gap = of(cross) * length
            steps = (
                _read_off(chart, name, p, q),
                f"|{_bracket(a - x)} \\cdot {_bracket(dy)} - {_bracket(b - y)} \\cdot {_bracket(dx)}| = {cross}",
                f"{p}{q} = {_measure_distance(chart, p, q).write()}",
                f"The distance is {cross}/({_measure_distance(chart, p, q).write()}) = {gap.write()}",
            )
            target = f"the distance from {name} to line {p}{q}"
            yield Answered("length", ("distance", name, p, q), target, gap.write(), steps)
    for name, (x, y) in chart.places.items():
        for axis, mirrored in (("x", (x, -y)), ("y", (-x, y))):
            if mirrored == (x, y):
                continue
            image = write_place(mirrored)
            target = f"the coordinates of the mirror image of {name} in the {axis}-axis"
            told = (_read_off(chart, name), f"Mirrored in the {axis}-axis it is {image}")
            yield Answered("coordinates", (f"mirror_{axis}", name), target, image, told)


def ask_circle(chart: Chart) -> Iterator[Answered]:
    for centre, rim in chart.circles.items():
        radius = _measure_distance(chart, centre, rim)
        square = radius * radius
        steps = _derive_length(chart, centre, rim)
        named = f"\\odot {centre}"
        yield Answered("length", ("radius", centre, rim), f"the radius of {named}", radius.write(), steps)
        area = (square * PI).write()
        told = (*steps, f"The area is {square.write()}\\pi")
        yield Answered("area", ("disc", centre, rim), f"the area of {named}", area, told)
        rim_length = (radius.times(2) * PI).write()
        told = (*steps, f"The circumference is 2\\pi \\cdot {radius.write()} = {rim_length}")
        yield Answered("perimeter", ("rim", centre, rim), f"the circumference of {named}", rim_length, told)
        x, y = chart.places[centre]
        equation = f"{write_plane('round', (float(x), float(y), 1.0)).partition('=')[0]} = {square.write()}"
        told = (*steps[:2], f"The equation is {equation}")
        yield Answered("equation", ("round", centre, rim), f"an equation of {named}", equation, told)


def ask_parabola(chart: Chart) -> Iterator[Answered]:
    for vertex, point in chart.parabolas:
        told: tuple[str, ...]
        (x, y), (dx, dy) = chart.places[vertex], _span(chart, vertex, point)
        factor = dy / (dx * dx)
        equation = write_plane("quadratic", (float(factor), float(x), float(y))).replace("=", " = ")
        steps = (
            _read_off(chart, vertex, point),
            f"y = a(x - {_bracket(x)})^{{2}} + {_bracket(y)} with a = {_bracket(dy)}/{_bracket(dx)}^{{2}} = {factor}",
        )
        told = (*steps, f"The equation is {equation}")
        target = "an equation of the parabola"
        yield Answered("equation", ("quadratic", vertex, point), target, equation, told)
        level = y + factor * x * x
        told = (*steps, f"At x = 0 it is y = {level}")
        target = "the coordinates of the point where the parabola meets the y-axis"
        yield Answered("coordinates", ("start", vertex, point), target, write_place((Fraction(0), level)), told)
        root = of(-y / factor).root() if y / factor < 0 else None
        if root is not None:
            apart = root.times(2)
            told = (
                *steps,
                f"y = 0 gives (x - {_bracket(x)})^{{2}} = {-y / factor}",
                f"So the two points are 2 \\cdot {root.write()} = {apart.write()} apart",
            )
            target = "the distance between the points where the parabola meets the x-axis"
            yield Answered("length", ("roots", vertex, point), target, apart.write(), told)


def ask_graph(chart: Chart) -> Iterator[Answered]:
    for names in chart.graphs:
        for p, q in pairwise(names):
            (x, y), (dx, dy) = chart.places[p], _span(chart, p, q)
            for at in range(int(x) + 1, int(x + dx)):
                value = y + dy / dx * (at - x)
                if value.denominator > 3:
                    continue
                steps = (
                    *_derive_slope(chart, p, q),
                    f"f({at}) = {y} + {_bracket(dy / dx)} \\cdot {at - x} = {value}",
                )
                yield Answered("coordinates", ("value", p, q, str(at)), f"f({at})", str(value), steps)


_ASKED: tuple[Callable[[Chart], Iterator[Answered]], ...] = (
    ask_length,
    ask_ratio,
    ask_triangle,
    ask_line,
    ask_crossing,
    ask_points,
    ask_circle,
    ask_parabola,
    ask_graph,
)
