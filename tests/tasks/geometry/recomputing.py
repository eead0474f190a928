"""A second road to the answer of a sampled problem: by its facts and printed numbers alone, knowing no theorem."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.expressions import evaluate, is_symbolic
from counterfoil.tasks.geometry.facts.plane import read_plane
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figure.solve import System, put_places
from counterfoil.tasks.geometry.sources.sampler import SampledProblem
from counterfoil.tasks.geometry.sources.sampler.deciding import Decider

_SAME = 1e-7


@dataclass(frozen=True)
class Finding:
    """Whether the printed numbers decide the answer, and the answer that the figure has."""

    decided: bool
    value: float
    expected: float
    needless: Fact | None = None

    @property
    def is_right(self) -> bool:
        return self.decided and abs(self.value - self.expected) <= _SAME * max(1.0, abs(self.expected))


def read_answer(text: str) -> float:
    r"""The number of an answer: ``60^\circ``, ``3:5``, ``5\sqrt{3}``."""
    first, _, second = text.removesuffix("^\\circ").partition(":")
    return evaluate(first, {}) / evaluate(second or "1", {})


def examine(problem: SampledProblem) -> Finding:
    """What the numbers say of a problem: its coordinates are first brought to fulfil them without any rounding."""
    roots = {letter: root.value for letter, root in problem.asked.unknowns.items()}
    scene = _polish(problem.scene, roots)
    decider = Decider(scene, roots)
    value = 1.0
    targets = problem.asked.quantities
    for target, sign in zip(targets, (1, -1), strict=False):
        value *= (roots[target[1]] if target[0] == "unknown" else decider.plane.measure(target)) ** sign
    return Finding(decider.decides(targets), value, read_answer(problem.answer), decider.find_needless(targets))


def _polish(scene: Scene, roots: dict[str, float]) -> Scene:
    """The scene without the rounding of its coordinates."""
    marks = [
        replace(mark, value=f"{evaluate(mark.value or '', roots):.12f}") if _is_expression(mark) else mark
        for mark in scene.marks
    ]
    system = System(scene, (*scene.facts, *marks))
    x = system.start
    for _ in range(3):
        values, slopes = system.linearise(x)
        x = x - np.linalg.lstsq(slopes, values, rcond=1e-4)[0]
    return put_places(scene, system, x)


def _is_expression(mark: Fact) -> bool:
    return mark.predicate in ("mark_length", "mark_angle", "mark_arc") and is_symbolic(mark.value)


def recompute(problem: SampledProblem) -> tuple[float, ...]:
    """What is off between the answer of a problem on axes and what its figure's coordinates give: by complex numbers,
    fits and linear equations, knowing none of the formulas of its derivation."""
    scene, text = problem.scene, problem.answer
    sort, *names = problem.asked.quantity  # type: ignore[union-attr]
    z = [complex(*scene.points[name]) for name in names if name in scene.points]
    match sort:
        case "line" | "quadratic":
            numbers = read_plane(sort, text)
            assert numbers is not None
            curve = np.poly1d(numbers if sort == "line" else (numbers[0], 0, 0))
            shift = complex(*numbers[1:]) if sort == "quadratic" else 0j
            bottom = (abs(z[0] - shift),) if sort == "quadratic" else ()
            return (*bottom, *(curve((p - shift).real) - (p - shift).imag for p in z))
        case "round":
            numbers = read_plane(sort, text)
            assert numbers is not None
            return (abs(z[0] - complex(*numbers[:2])), abs(z[1] - z[0]) - numbers[2])
    found = _look_up(sort, z, names)
    if isinstance(found, complex):
        place = [evaluate(part, {}) for part in text.strip("()").split(",")]
        return (abs(found - complex(*place)),)
    return (found - read_answer(text),)


def _look_up(sort: str, z: list[complex], names: list[str]) -> float | complex:
    match sort:
        case "length" | "radius":
            return abs(z[1] - z[0])
        case "ratio":
            return abs((z[1] - z[0]) / (z[3] - z[2]))
        case "area":
            return abs(float(np.linalg.det([[p.real, p.imag, 1.0] for p in z]))) / 2
        case "perimeter":
            return sum(abs(z[i] - z[i - 1]) for i in range(3))
        case "angle":
            return abs(float(np.degrees(np.angle((z[0] - z[1]) / (z[2] - z[1])))))
        case "tilt":
            return abs(float(np.degrees(np.angle((z[1] - z[0]) ** 2)))) / 2
        case "crossing":
            rows = [[(q - p).imag, -(q - p).real] for p, q in ((z[0], z[1]), (z[2], z[3]))]
            sides = [row[0] * p.real + row[1] * p.imag for row, p in zip(rows, (z[0], z[2]), strict=True)]
            return complex(*np.linalg.solve(rows, sides))
        case "middle":
            return (z[0] + z[1]) / 2
        case "distance":
            return abs(((z[0] - z[1]) / (z[2] - z[1])).imag) * abs(z[2] - z[1])
        case "mirror_x":
            return z[0].conjugate()
        case "mirror_y":
            return -z[0].conjugate()
        case "disc":
            return float(np.pi) * abs(z[1] - z[0]) ** 2
        case "rim":
            return 2 * float(np.pi) * abs(z[1] - z[0])
        case "value":
            return float(
                np.interp(float(names[2]), *np.array([(p.real, p.imag) for p in sorted(z, key=lambda p: p.real)]).T)
            )
        case "start" | "roots":
            across = z[0] - (z[1] - z[0]).conjugate()
            curve = np.polyfit([p.real for p in (*z, across)], [p.imag for p in (*z, across)], 2)
            return complex(0, curve[2]) if sort == "start" else float(np.ptp(np.roots(curve).real))
    slope, level = np.polyfit([p.real for p in z], [p.imag for p in z], 1).tolist()
    return -level / slope if sort == "x_intercept" else {"slope": slope, "y_intercept": level}[sort]
